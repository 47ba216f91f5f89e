package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"ams.internal/libs/testwait"
)

// reference is one field that may hold the id of a record.
type reference struct {
	from  kind
	field string
	to    string
	extra map[string]any // what the record needs besides, for a link its target_type
}

// references lists every reference of every kind; links and targets once for each kind of record that they may point at.
func references() []reference {
	var all []reference
	for _, k := range kinds {
		for field, to := range k.references {
			kinds := map[string][]string{
				"link":               {"asset", "segment", "building", "system", "site", "work_order"},
				"work_order_target":  {"asset", "segment", "building", "system", "site"},
				"capital_asset_link": {"asset", "segment", "building", "system", "network", "site"},
			}[k.name]
			for _, target := range kinds {
				all = append(all, reference{k, field, target, map[string]any{"target_type": target}})
			}
			if kinds == nil {
				all = append(all, reference{k, field, to, nil})
			}
		}
		for field, to := range either[k.name] {
			all = append(all, reference{k, field, to, nil})
		}
	}
	slices.SortFunc(all, func(a, b reference) int { return strings.Compare(a.String(), b.String()) })
	return all
}

func (r reference) String() string { return r.from.name + "." + r.field + " to " + r.to }

// body is a record that has the reference to id and nothing else that it can do without.
func (r reference) body(e fixture, name, id string) map[string]any {
	_, instead := either[r.from.name][r.field] // of the place that the record has otherwise
	required := slices.DeleteFunc(slices.Clone(r.from.required), func(field string) bool { return field == r.field || instead })
	body := e.record(r.from, name, required)
	for field, value := range r.extra {
		body[field] = value
	}
	e.refer(body, r.field, id)
	return body
}

func TestARecordIsNotDeletedWhileAnythingRefersToIt(t *testing.T) {
	t.Parallel()
	c := fresh(t, board) // another test closes a year of the city meanwhile
	mine := newFixture(t, c, "Dependents")
	for i, r := range references() {
		t.Run(r.String(), func(t *testing.T) {
			target := kindOf(t, r.to)
			id := c.create(t, mine.at(target.path), mine.record(target, fmt.Sprintf("Target %d", i), target.required))
			targetPath := mine.at(target.path) + "/" + id
			collection := mine.at(r.from.path)
			if r.from.name == "retirement_obligation" { // of what is in service
				entry := kindOf(t, "capital_asset_transaction")
				c.create(t, entry.path, fixture{"capital_asset": id}.record(entry, "", entry.required))
			}
			made := c.must(t, 201, "POST", collection, r.body(mine, fmt.Sprintf("Referrer %d", i), id))
			path := collection + "/" + made.object["id"].(string)
			if r.to == "user" { // people are never erased
				c.must(t, 204, "DELETE", targetPath, nil)
				c.must(t, 200, "GET", path, nil)
				return
			}
			refused := c.must(t, 409, "DELETE", targetPath, nil)
			if r.from.lasts() { // it stays for good, and what it is about with it: there is nothing that could be deleted first
				c.must(t, 409, "DELETE", mine.at(target.path)+"/bulk", map[string]any{"data": []any{map[string]any{"id": id}}})
				return
			}
			counts, _ := refused.object["dependents"].(map[string]any)
			if counts[r.from.collection] != 1.0 {
				t.Errorf("%s is not among the dependents: %s", r.from.collection, refused.body)
			}
			bulk := c.must(t, 409, "DELETE", mine.at(target.path)+"/bulk", map[string]any{"data": []any{map[string]any{"id": id}}})
			if !strings.Contains(string(bulk.body), r.from.collection) {
				t.Errorf("in bulk: %s", bulk.body)
			}
			if r.from.name == "legal_hold" { // it keeps what it is about until it is released
				c.must(t, 409, "DELETE", path, nil)
				c.must(t, 200, "PATCH", path, map[string]any{"status": "released"})
			}
			if r.from.name == "planning_run" { // it is not deleted while it is calculated
				testwait.For(t, time.Minute, "the run has ended", func() bool {
					state := c.must(t, 200, "GET", path, nil).object["state"]
					return state != "queued" && state != "running"
				})
			}
			c.must(t, 204, "DELETE", path, nil)
			if r.from.name == "document" && r.to == "retention_class" { // the document is in the trash, and may come back
				c.must(t, 409, "DELETE", targetPath, nil)
				return
			}
			c.must(t, 204, "DELETE", targetPath, nil)
		})
	}
}

func TestAReferenceToAnotherOrganizationsRecordIsUnknown(t *testing.T) {
	theirs := newFixture(t, as(t, board, "full"), "Foreign")
	us := fresh(t, city)
	mine := newFixture(t, us, "Native")
	for _, r := range references() {
		body := r.body(mine, "Borrowed "+r.from.name, theirs[r.to])
		path := mine.at(r.from.path)
		answers := []response{
			us.must(t, 404, "POST", path, body),
			us.must(t, 404, "POST", path+"/bulk", map[string]any{"data": []any{body}}),
		}
		if !r.from.lasts() {
			patched := us.do(t, "PATCH", path+"/"+mine[r.from.name], map[string]any{r.field: body[r.field]})
			fields, _ := patched.object["fields"].([]any)
			switch {
			case patched.status == 400 && len(fields) > 1: // more is wrong, as of a meter that has another place
				if !strings.Contains(string(patched.body), theirs[r.to]) {
					t.Errorf("%s: %s", r, patched.body)
				}
			case patched.status != 404:
				t.Errorf("%s: %d %s", r, patched.status, patched.body)
			default:
				answers = append(answers, patched)
			}
		}
		for _, refused := range answers {
			if refused.object["code"] != "reference_not_found" ||
				!strings.Contains(string(refused.body), r.field) || !strings.Contains(string(refused.body), theirs[r.to]) {
				t.Errorf("%s: %s", r, refused.body)
			}
		}
	}
}

func TestAnAssetWithOpenWorkCannotBeRetired(t *testing.T) {
	c := fresh(t, city)
	for _, retired := range []struct{ path, status string }{{"/v1/assets", "decommissioned"}, {"/v1/infrastructure/segments", "abandoned"}} {
		mine := newFixture(t, c, "Retiring "+retired.status)
		k := kindAt(t, retired.path)
		path := retired.path + "/" + mine[k.name]
		refused := c.must(t, 409, "PATCH", path, map[string]any{"status": retired.status})
		if counts, _ := refused.object["dependents"].(map[string]any); counts["work_orders"] == nil && counts["work_order_targets"] == nil {
			t.Errorf("%s: %s", path, refused.body)
		}
		c.must(t, 200, "POST", "/v1/work-orders/"+mine["work_order"]+"/transition", map[string]any{"to": "completed"})
		c.must(t, 200, "PATCH", path, map[string]any{"status": retired.status})
	}
}

func TestNamesComeFromTheOtherServices(t *testing.T) {
	c := fresh(t, city)
	mine := newFixture(t, c, "Expanded")
	for path, names := range map[string][]string{
		"/v1/work-orders":             {"site", "project", "assignee", "team", "vendor", "job_plan"}, // its targets agree on the site alone
		"/v1/projects":                {"site", "building", "network", "manager_user"},
		"/v1/infrastructure/segments": {"network", "site"}, "/v1/los/service-areas": {"owner_user"},
		"/v1/assets": {"site", "building", "system", "responsible_user"},
	} {
		got := c.must(t, 200, "GET", path+"?ids="+mine[kindAt(t, path).name]+"&expand="+strings.Join(names, ","), nil)
		record := got.object["data"].([]any)[0].(map[string]any)
		for _, name := range names {
			shown, _ := record[name].(map[string]any)
			if text, _ := shown["name"].(string); !strings.HasPrefix(text, "Expanded ") {
				t.Errorf("%s: expand=%s gives %v", path, name, record[name])
			}
		}
	}
}

func TestTheOtherSpellingOfWorkOrdersIsServed(t *testing.T) {
	if list := as(t, city, "read_only").must(t, 200, "GET", "/v1/work_orders?per_page=1", nil); list.object["pagination"] == nil {
		t.Errorf("%s", list.body)
	}
}
