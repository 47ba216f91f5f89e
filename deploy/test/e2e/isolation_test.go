package e2e

import (
	"cmp"
	"slices"
	"strings"
	"testing"
	"time"

	"ams.internal/libs/testwait"
)

type operation struct {
	method, path, scope, feature string
	query                        []string
}

// operations lists every operation of the OpenAPI document.
func operations(t *testing.T) []operation {
	t.Helper()
	var document response
	testwait.For(t, 20*time.Second, "the OpenAPI document", func() bool { // a gateway that another test killed reads it anew
		document = as(t, city, "full").do(t, "GET", "/openapi.json", nil)
		return document.status == 200
	})
	var all []operation
	for path, item := range document.object["paths"].(map[string]any) {
		for method, described := range item.(map[string]any) {
			o := operation{method: strings.ToUpper(method), path: path}
			o.scope, _ = described.(map[string]any)["x-scope"].(string)
			o.feature, _ = described.(map[string]any)["x-feature"].(string)
			list, _ := described.(map[string]any)["parameters"].([]any)
			for _, p := range list {
				if parameter := p.(map[string]any); parameter["in"] == "query" {
					o.query = append(o.query, parameter["name"].(string))
				}
			}
			all = append(all, o)
		}
	}
	slices.SortFunc(all, func(a, b operation) int { // what is made by PUT is read before
		return cmp.Or(strings.Compare(a.path, b.path), strings.Compare(a.method, b.method))
	})
	if len(all) < 200 {
		t.Fatalf("the OpenAPI document has %d operations only", len(all))
	}
	return all
}

// actions are bodies of operations that are neither create nor update: by the last part of their paths, or by the whole.
var actions = map[string]map[string]any{"apply-template": {}, "compute": {}, "rescan": {}, "restore": {}, "revisions": {},
	"accept": {}, "reject": {"reason": "Stolen"}, "retry": {},
	"withdraw": {}, "revise": {}, "submit": {}, "readings": {"read_at": "2026-11-21T14:00:00Z", "value": 1},
	"/v1/meters/{meter_id}/readings/withdraw": {"read_at": "2026-11-21T14:00:00Z", "reason": "Stolen"},
	"amend": {"reason": "Stolen"}, "apply": {"starts_on": "2099-01-01"}, "duplicate": {"of": "019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"},
	"skip": {"occurrence": "2099-01-01", "reason": "Stolen"}, "generate": {"occurrence": "2099-01-01", "reason": "Stolen"},
	"reschedule": {"occurrence": "2099-01-01", "due_on": "2099-02-01", "reason": "Stolen"},
	"close":      {}, "reopen": {"reason": "Stolen"}, "reverse": {"effective_on": "2025-12-15"},
	"/v1/accounting/retirement-obligations/{id}/revise": {"effective_on": "2025-12-31", "estimated_cost": 5},
	"settle": {"effective_on": "2025-12-31", "paid": 5}, "cancel": {}, "verify": {}, "promote": {"scenario": "X", "years": []int{2027}},
	"test": {}, "pause": {}, "resume": {}, "rotate": {}, "replay": {"since": time.Now().UTC().Format(time.RFC3339)}, "redeliver": {}}

func actionOf(path string) map[string]any {
	if body := actions[path]; body != nil {
		return body
	}
	return actions[path[strings.LastIndex(path, "/")+1:]]
}

// transitions are states that the records of a collection can be moved to.
var transitions = map[string]string{"/v1/work-orders": "on_hold", "/v1/deficiencies": "void", "/v1/infrastructure/deficiencies": "void",
	"/v1/requests": "withdrawn", "/v1/forms/templates": "archived", "/v1/maintenance/pm-plans": "ended", "/v1/projects": "approved",
	"/v1/teams": "inactive"}

// period is what reports need to be asked for.
var period = map[string]string{"/v1/maintenance/forecast": "?from=2027-01-01&to=2027-12-31",
	"/v1/maintenance/pm-compliance": "?from=2026-01-01&to=2026-12-31",
	"/v1/accounting/schedule":       "?fiscal_year=2025", "/v1/accounting/schedule/capital-assets": "?fiscal_year=2025",
	"/v1/accounting/schedule/retirement-obligations": "?fiscal_year=2025", "/v1/accounting/journal": "?fiscal_year=2025"}

// withParameters is a path with what it needs to be asked for.
func withParameters(path string) string {
	if strings.HasSuffix(path, "/custom-fields/exceptions") {
		return path + "?key=nobody"
	}
	return path + period[path]
}

// forAnyKey are the paths without a scope of their own. What a search shows to whom has a test of its own.
var forAnyKey = map[string]bool{"/v1/me": true, "/v1/search": true}

// operationsOfAKey is after how many operations there is a new key: one has 1000 requests a minute.
const operationsOfAKey = 400

func TestNoRouteReachesAnotherOrganizationsRecords(t *testing.T) {
	them := as(t, board, "full")
	var us caller
	theirs := newFixture(t, them, "Isolation")
	for _, name := range shared {
		theOne(t, fresh(t, city), kindOf(t, name)) // there are no reports of a year that is not there
	}
	endpoint := "/v1/webhook-endpoints/" + theirs["webhook_endpoint"]
	theirs["webhook_delivery"] = them.must(t, 200, "POST", endpoint+"/test", map[string]any{}).object["id"].(string)
	theirs["code"], theirs["effect"], theirs["number"] = "no-such-preset", theirs["work_order_effect"], "1"
	theirs["replay"] = them.must(t, 201, "POST", endpoint+"/replay",
		map[string]any{"since": time.Now().UTC().Format(time.RFC3339)}).object["id"].(string)
	reached := map[string]int{}
	for i, o := range operations(t) {
		if i%operationsOfAKey == 0 {
			us = fresh(t, city)
		}
		if !strings.HasPrefix(o.path, "/v1/") || forAnyKey[o.path] || strings.HasPrefix(o.path, "/v1/uploads/") {
			continue // uploads speak tus, and are tried in services/documents
		}
		if collection, _, byKey := strings.Cut(o.path, "/by-external-id/"); byKey {
			reached["a record by its external id"]++
			if k := kindAt(t, collection); k.appendOnly() {
				body := theirs.record(k, "Isolation", k.required)
				body["external_id"] = "isolation"
				them.create(t, k.path, body)
				us.must(t, 404, "GET", k.path+"/by-external-id/isolation", nil)
				continue
			}
			record := theirs.at(collection) + "/" + theirs[kindAt(t, collection).name]
			before := them.must(t, 200, "PATCH", record, map[string]any{"external_id": "isolation"})
			path := theirs.at(collection) + "/by-external-id/isolation"
			switch {
			case o.method == "GET":
				us.must(t, 404, "GET", path, nil)
			case theirs.at(collection) != collection:
				us.must(t, 404, "PUT", path, map[string]any{"tags": []string{"stolen"}})
			case collection == "/v1/planning/inventories": // needs nothing: it is one of our own
				us.must(t, 201, "PUT", path, map[string]any{"tags": []string{"stolen"}})
			default: // it would be a record of our own, which must have a name
				us.must(t, 400, "PUT", path, map[string]any{"tags": []string{"stolen"}})
			}
			if after := them.must(t, 200, "GET", path, nil); after.object["version"] != before.object["version"] {
				t.Errorf("%s %s: %s", o.method, o.path, after.body)
			}
			them.must(t, 200, "PATCH", record, map[string]any{"external_id": nil})
			continue
		}
		path := theirs.at(o.path)
		last := path[strings.LastIndex(path, "/")+1:]
		switch {
		case path != o.path && o.method == "GET":
			reached["a record or what belongs to it"]++
			us.must(t, 404, "GET", path, nil)
		case path != o.path && last == "bulk":
			reached["parts in bulk"]++
			us.must(t, 404, o.method, path, map[string]any{"data": []any{map[string]any{"id": theirs["user"]}}})
		case path != o.path && o.method == "PATCH":
			reached["an update"]++
			us.must(t, 404, "PATCH", path, map[string]any{"external_id": "stolen"})
		case path != o.path && o.method == "DELETE":
			reached["a delete"]++
			us.must(t, 404, "DELETE", path, nil)
		case path != o.path && last == "transition":
			reached["a transition"]++
			to := map[string]any{"to": transitions[strings.TrimSuffix(o.path, "/{id}/transition")]}
			us.must(t, 404, o.method, path, to)
		case path != o.path && actionOf(o.path) != nil:
			reached["an action"]++
			us.must(t, 404, o.method, path, actionOf(o.path))
		case path != o.path:
			reached["a new part"]++
			us.must(t, 404, o.method, path, theirs.record(kindAt(t, o.path), "Stolen", kindAt(t, o.path).required))
		case last == "bulk" && o.method != "POST":
			reached["records in bulk"]++
			id := theirs.at(strings.TrimSuffix(o.path, "bulk") + "{id}")
			id = id[strings.LastIndex(id, "/")+1:]
			refused := us.must(t, 404, o.method, path, map[string]any{"data": []any{map[string]any{"id": id, "external_id": "stolen"}}})
			if failed := refused.object["summary"].(map[string]any)["failed"]; failed != 1.0 {
				t.Errorf("%s %s: %s", o.method, path, refused.body)
			}
		case last == "custom-fields" && o.method != "GET":
			reached["custom fields"]++
			declared := us.do(t, "PUT", path+"?key=isolation", map[string]any{"type": "text"}).status
			if got := them.must(t, 200, "GET", path, nil); declared != 200 || strings.Contains(string(got.body), "isolation") {
				t.Errorf("PUT %s: %d, and the other organization has %s", path, declared, got.body)
			}
			them.must(t, 404, "DELETE", path+"?key=isolation", nil)
		case last == "exceptions":
			reached["exceptions of a custom field"]++
			us.must(t, 404, "GET", withParameters(path), nil)
		case o.method == "GET" && slices.Contains(o.query, "ids"):
			reached["a list"]++
			k := kindAt(t, o.path)
			filters := []string{"ids=" + theirs[k.name]}
			for field, to := range k.references {
				if slices.Contains(o.query, field) {
					filters = append(filters, field+"="+theirs[to])
				}
			}
			for _, filter := range filters {
				if list := us.must(t, 200, "GET", path+"?"+filter, nil); len(list.object["data"].([]any)) != 0 {
					t.Errorf("GET %s?%s: %s", path, filter, list.body)
				}
			}
		case o.path == "/v1/documents" && o.method == "DELETE":
			reached["what is on a record"]++
			trashed := us.must(t, 200, "DELETE", path+"?collection=assets&record_id="+theirs["asset"], nil)
			if trashed.object["documents"] != 0.0 {
				t.Errorf("DELETE %s: %s", path, trashed.body)
			}
		case o.method == "GET":
			reached["a report"]++
			if got := us.must(t, 200, "GET", withParameters(path), nil); strings.Contains(string(got.body), "Isolation") {
				t.Errorf("GET %s shows another organization's: %.600s", path, got.body)
			}
		case o.method == "POST": // a create in the own organization: its references are tried below
			reached["a create"]++
		default:
			t.Errorf("nothing was tried on %s %s", o.method, o.path)
		}
	}
	t.Logf("tried: %v", reached)
	after := as(t, board, "full")
	for _, k := range kinds {
		if got := after.must(t, 200, "GET", theirs.at(k.path)+"/"+theirs[k.name], nil); got.object["external_id"] != nil {
			t.Errorf("the %s was changed: %s", k.name, got.body)
		}
	}
}

// kindAt finds the kind whose collection a path is.
func kindAt(t *testing.T, path string) kind {
	t.Helper()
	for _, k := range kinds {
		if k.path == path {
			return k
		}
	}
	t.Fatalf("the tests have no record for %s", path)
	return kind{}
}

func TestEveryRouteAsksForItsScope(t *testing.T) {
	all := operations(t)
	var reads []string
	for _, o := range all {
		if strings.HasSuffix(o.scope, ":read") && !slices.Contains(reads, o.scope) {
			reads = append(reads, o.scope)
		}
	}
	var reader, assetsOnly caller
	none := "019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"
	for i, o := range all {
		if i%operationsOfAKey == 0 {
			reader, assetsOnly = freshFor(t, city, reads...), freshFor(t, city, "assets:read", "assets:write")
		}
		if o.scope == "" || forAnyKey[o.path] {
			if strings.HasPrefix(o.path, "/v1/") && !forAnyKey[o.path] {
				t.Errorf("%s %s names no scope", o.method, o.path)
			}
			continue
		}
		path := parameter.ReplaceAllString(strings.ReplaceAll(o.path, "{number}", "1"), none)
		var body any
		if o.method == "POST" || o.method == "PATCH" {
			body = map[string]any{}
		}
		if strings.HasSuffix(o.scope, ":write") {
			refused := reader.must(t, 403, o.method, path, body)
			if refused.object["required_scope"] != o.scope {
				t.Errorf("%s %s: %s", o.method, path, refused.body)
			}
		} else if got := reader.do(t, o.method, withParameters(path), body); got.status != 200 && got.status != 404 {
			t.Errorf("%s %s for a key that may read everything: %d %s", o.method, path, got.status, got.body)
		}
		if !strings.HasPrefix(o.scope, "assets:") {
			refused := assetsOnly.must(t, 403, o.method, path, body)
			if refused.object["required_scope"] != o.scope || !strings.Contains(refused.object["error"].(string), o.scope) {
				t.Errorf("%s %s: %s", o.method, path, refused.body)
			}
		} else if got := assetsOnly.do(t, o.method, path, body); got.status == 401 || got.status == 403 {
			t.Errorf("%s %s with the scope: %d %s", o.method, path, got.status, got.body)
		}
	}
}

// Every collection of the document is one that these tests have records for.
func TestEveryCollectionHasARecordInTheseTests(t *testing.T) {
	known := map[string]bool{"/v1/meters/readings": true, "/v1/meters/{meter_id}/readings": true} // they are parts of a meter, without records
	for _, k := range kinds {
		known[k.path] = true
	}
	for _, o := range operations(t) {
		if collection, bulk := strings.CutSuffix(o.path, "/bulk"); bulk && !known[collection] {
			t.Errorf("%s is tried by none of these tests", collection)
		}
	}
}
