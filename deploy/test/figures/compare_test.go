package figures

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// decoded is a JSON text with its numbers as they are written.
func decoded(t testing.TB, text string) (found any) {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&found); err != nil {
		t.Fatalf("%v: %.200s", err, text)
	}
	return found
}

// flat gives the leaves of a JSON object by their paths: {"counts": {"assets": 3}} is counts.assets: 3.
func flat(t testing.TB, text string) map[string]string {
	t.Helper()
	leaves := map[string]string{}
	var walk func(path string, v any)
	walk = func(path string, v any) {
		switch v := v.(type) {
		case row:
			for name, inner := range v {
				walk(strings.TrimPrefix(path+"."+name, "."), inner)
			}
		case nil:
			leaves[path] = "null"
		default:
			leaves[path] = fmt.Sprint(v)
		}
	}
	walk("", decoded(t, text))
	return leaves
}

// value is a field of a record.
func value(t testing.TB, line, field string) string {
	t.Helper()
	return fmt.Sprint(decoded(t, line).(row)[field])
}

// same compares by value where both are numbers: 12.5 is 12.50.
func same(a, b string) bool {
	x, isNumber := new(big.Rat).SetString(a)
	y, alsoNumber := new(big.Rat).SetString(b)
	if isNumber && alsoNumber {
		return x.Cmp(y) == 0
	}
	return a == b
}

// compare names every figure of want that an answer shows otherwise, or does not show.
func compare(what string, got, want map[string]string) (differences []string) {
	for _, path := range slices.Sorted(maps.Keys(want)) {
		value, there := got[path]
		switch {
		case !there:
			differences = append(differences, fmt.Sprintf("%s: %s is not shown, want %s", what, path, want[path]))
		case !same(value, want[path]):
			differences = append(differences, fmt.Sprintf("%s: %s is %s, want %s", what, path, value, want[path]))
		}
	}
	return differences
}

var groupings = []string{"site", "site_type", "ward", "building", "building_type", "category", "uniformat_group", "condition_grade"}

var horizons = []int{0, 1, 2, 5, 10}

// report reads the whole state of assets in a grouping: its groups by key, and the total.
func (o *organization) report(groupBy string, q question) (groups map[string]map[string]string, total map[string]string) {
	o.t.Helper()
	groups = map[string]map[string]string{}
	for page := 1; ; page++ {
		answer := o.send(200, "GET", fmt.Sprintf("/v1/reports/state-of-assets?group_by=%s&per_page=1000&page=%d&%s", groupBy, page, q.query()),
			nil)
		body := decoded(o.t, string(answer.Body)).(row)
		for _, group := range body["data"].([]any) {
			key := ""
			for _, name := range []string{"id", "key"} {
				if text, ok := group.(row)[name].(string); ok {
					key = text
				}
			}
			groups[key] = flat(o.t, encoded(o.t, group))
		}
		if len(body["data"].([]any)) < 1000 {
			return groups, flat(o.t, encoded(o.t, body["total"]))
		}
	}
}

func encoded(t testing.TB, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// kinds are groupings made from systems and assets alone: sites and buildings belong to none of their groups.
var kinds = []string{"category", "uniformat_group", "condition_grade"}

// checkReports compares groupings and the total of a question, which the recount has been asked.
func checkReports(o *organization, r *recount, q question, groupings ...string) {
	o.t.Helper()
	whole := r.figures("figures('total')")[""]
	if same(whole["counts.assets"], "0") {
		o.t.Fatalf("%s: there is nothing to compare", q.query())
	}
	for _, groupBy := range groupings {
		what := fmt.Sprintf("by %s, %s", groupBy, q.query())
		groups, total := o.report(groupBy, q)
		want := r.figures("figures($1)", groupBy)
		if slices.Contains(kinds, groupBy) {
			for key := range want {
				delete(want[key], "counts.sites")
				delete(want[key], "counts.buildings")
			}
		}
		differences := compare(what+", in total", total, whole)
		for key, figures := range want {
			if groups[key] == nil {
				if empty(figures) {
					continue
				}
				differences = append(differences, fmt.Sprintf("%s: there is no group %q", what, key))
				continue
			}
			differences = append(differences, compare(fmt.Sprintf("%s, group %q", what, key), groups[key], figures)...)
		}
		for key := range groups {
			if want[key] == nil {
				differences = append(differences, fmt.Sprintf("%s: there is a group %q, and nothing is in it", what, key))
			}
		}
		show(o.t, what, differences)
	}
}

// empty says whether a group has nothing in it.
func empty(figures map[string]string) bool {
	for _, value := range figures {
		if !same(value, "0") && value != "null" {
			return false
		}
	}
	return true
}

// checkSummaries compares the summaries of up to limit sites and buildings each, and of all networks.
func checkSummaries(o *organization, r *recount, q question, limit int) {
	o.t.Helper()
	for _, c := range []struct{ path, sql, ids string }{
		{"/v1/sites/", "figures('site')", "SELECT id FROM site ORDER BY id LIMIT $1"},
		{"/v1/buildings/", "figures('building')", "SELECT id FROM building ORDER BY id LIMIT $1"},
		{"/v1/infrastructure/networks/", "network_figures()", "SELECT id FROM network ORDER BY id LIMIT $1"},
	} {
		want := r.figures(c.sql)
		var differences []string
		for _, id := range r.texts(c.ids, limit) {
			if want[id] == nil {
				continue // nothing is known of it: it does not stand, and nothing is in it
			}
			answer := o.send(200, "GET", c.path+url.PathEscape(id)+"/summary?"+q.query(), nil)
			differences = append(differences, compare(c.path+id, flat(o.t, string(answer.Body)), want[id])...)
		}
		show(o.t, "summaries of "+c.path+", "+q.query(), differences)
	}
}

// checkToday compares everything that the product says today, in all groupings at two horizons.
func checkToday(o *organization, r *recount, found lists, summaries int) {
	o.t.Helper()
	r.load(found)
	var me struct {
		Organization struct{ Today string } `json:"organization"`
	}
	if err := json.Unmarshal(o.send(200, "GET", "/v1/me", nil).Body, &me); err != nil || me.Organization.Today == "" {
		o.t.Fatal(me, err)
	}
	for _, horizon := range horizons {
		q := question{day: me.Organization.Today, horizon: horizon} // it may be tomorrow in Halifax
		r.ask(q)
		if horizon == 0 || horizon == 5 {
			checkReports(o, r, q, groupings...)
			checkSummaries(o, r, q, summaries)
		} else {
			checkReports(o, r, q, "site", "category")
		}
	}
	show(o.t, "records", r.texts("SELECT what FROM row_differences() ORDER BY 1"))
}
