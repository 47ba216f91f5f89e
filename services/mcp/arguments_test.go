package mcp

import (
	"strings"
	"testing"
)

func TestWrongArgumentsAreNamedWithWhatTheyMayBe(t *testing.T) {
	f := newToolFixture(t)
	for _, c := range []struct {
		tool      string
		arguments any
		says      []string
	}{
		{"search_assets", map[string]any{"limit": "25"}, []string{"limit must be a whole number", "from 1 to 100"}},
		{"search_assets", map[string]any{"limit": 101}, []string{"limit must be 100 or less"}},
		{"search_assets", map[string]any{"limit": 2.5}, []string{"limit must be a whole number"}},
		{"search_assets", map[string]any{"page": 0}, []string{"page must be 1 or more"}},
		{"search_assets", map[string]any{"status": []any{"broken"}}, []string{"status[0] must be one of", "out_of_service"}},
		{"search_assets", map[string]any{"status": []any{1}}, []string{"status[0] must be"}},
		{"search_assets", map[string]any{"q": 7}, []string{"q must be a text"}},
		{"search_work_orders", map[string]any{"overdue": "yes"}, []string{"overdue must be true or false"}},
		{"record_condition", map[string]any{"asset_id": testID, "assessed_on": "2026-05-12", "index_value": "1000"},
			[]string{"index_value must be a number"}},
		{"search_assets", map[string]any{"site_id": "Arena"}, []string{"site_id must be a UUID", "as find or a search gives it, never made up"}},
		{"state_of_assets", map[string]any{"as_of": "2026-02-30"},
			[]string{"as_of must be a date that exists", "such as 2026-05-12"}},
		{"search_assets", map[string]any{"colour": "red", "sort": "name"},
			[]string{"search_assets has no filter colour", "Filters of assets: acquisition_cost (_min, _max)"}},
		{"search_assets", map[string]any{"sit_id": testID}, []string{"search_assets has no filter sit_id", "sit_id may be site_id."}},
		{"get_asset", map[string]any{"colour": "red"}, []string{"get_asset has no argument colour", "it takes id, asset_tag"}},
		{"search_assets", map[string]any{"status": []any{"in_servce"}}, []string{"did you mean in_service?"}},
		{"search_assets", map[string]any{"q": []any{}, "limit": true}, []string{"q must be a text", "limit must be a whole number"}},
		{"search_assets", []any{"pump"}, []string{"must be one JSON object"}},
		{"search_assets", "pump", []string{"must be one JSON object"}},
		{"find", map[string]any{}, []string{"text is required"}},
		{"find", map[string]any{"text": "  "}, []string{"text must not be empty"}},
		{"find", map[string]any{"text": nil}, []string{"text is required"}},
		{"find", map[string]any{"text": "x", "kinds": []any{"dog"}}, []string{"kinds[0] must be one of", "work_order"}},
		{"get_asset", map[string]any{}, []string{"exactly one of asset_tag, id, serial_number"}},
		{"get_asset", map[string]any{"id": testID, "asset_tag": "A-1"}, []string{"exactly one of"}},
		{"get_summary", map[string]any{"kind": "asset", "id": testID}, []string{"kind must be one of", "network"}},
		{"list_records", map[string]any{"kind": "site", "site_id": testID}, []string{"has no filter site_id", "Filters of sites"}},
		{"state_of_assets", map[string]any{"built_since": 1970}, []string{"built_since is of group_by year_built"}},
		{"maintenance_outlook", map[string]any{"kind": "compliance", "from": "2026-01-01", "to": "2026-12-31", "group_by": "site"},
			[]string{"kind compliance does not take", "group_by is of kind forecast."}},
		{"maintenance_outlook",
			map[string]any{"kind": "forecast", "from": "2026-01-01", "to": "2026-12-31", "rule": "window", "site_id": testID, "pm_plan_id": testID},
			[]string{"kind forecast does not take", "rule is of kind compliance. site_id is of kind compliance. pm_plan_id is of kind compliance."}},
		{"planning_results", map[string]any{"view": "years", "run_id": testID, "year": 2030},
			[]string{"view years does not take", "year is of view groups."}},
		{"planning_results", map[string]any{"view": "runs", "scenario": "S-1"},
			[]string{"scenario is of view years, groups, compare, element, regulation."}},
		{"planning_results", map[string]any{"view": "compare", "run_id": testID, "by": "site", "section": 5},
			[]string{"by is of view groups. section is of view regulation."}},
		{"create_asset", map[string]any{"replacement_cost": 10}, []string{"name is required"}},
		{"create_asset", map[string]any{"name": "Pump", "replacement_cost": -1}, []string{"replacement_cost must be 0 or more"}},
		{"create_asset", map[string]any{"name": "Pump", "replacement_cost": 1.005}, []string{"replacement_cost must have at most 2 decimals"}},
		{"create_asset", map[string]any{"name": map[string]any{"fr": "Pompe"}}, []string{"name must be a text"}},
		{"create_asset", map[string]any{"name": strings.Repeat("x", 201)}, []string{"name must have at most 200 characters"}},
		{"update_asset", map[string]any{"id": testID}, []string{"Nothing is to be changed"}},
		{"update_asset", map[string]any{"id": testID, "notes": "x", "clear": []any{"notes"}}, []string{"clear names notes"}},
		{"update_asset", map[string]any{"id": testID, "notes": "x", "version": "3"}, []string{"version must be a whole number"}},
		{"transition_work_order", map[string]any{"id": testID, "to": "done"}, []string{"to must be one of", "completed"}},
	} {
		f.upstream.takeRequests()
		text, failed := f.call(c.tool, c.arguments)
		if !failed {
			t.Errorf("%s takes %v: %s", c.tool, c.arguments, text)
		}
		for _, part := range c.says {
			if !strings.Contains(text, part) {
				t.Errorf("%s with %v does not say %q: %s", c.tool, c.arguments, part, text)
			}
		}
		if requests, _ := f.upstream.takeRequests(); len(requests) > 0 {
			t.Errorf("%s with %v asks the API all the same", c.tool, c.arguments)
		}
	}
}

func TestWhatIsEmptyCountsAsLeftOut(t *testing.T) {
	f := newToolFixture(t)
	f.upstream.takeRequests()
	if text, failed := f.call("search_assets", map[string]any{"q": "", "site_id": nil, "status": []any{}, "past_useful_life": false}); failed {
		t.Fatal(text)
	}
	requests, _ := f.upstream.takeRequests()
	query := requests[0].URL.Query()
	if query.Has("q") || query.Has("site_id") || query.Has("status") || query.Get("past_useful_life") != "false" {
		t.Errorf("sent %s", requests[0].URL.RawQuery)
	}
}

// Compliance is asked for by site and by plan, as the API takes it.
func TestComplianceIsThatOfASiteOrAPlan(t *testing.T) {
	f := newToolFixture(t)
	f.upstream.takeRequests()
	if text, failed := f.call("maintenance_outlook", map[string]any{"kind": "compliance", "from": "2026-01-01", "to": "2026-12-31",
		"rule": "window", "site_id": testID, "pm_plan_id": testID}); failed {
		t.Fatal(text)
	}
	requests, _ := f.upstream.takeRequests()
	if query := requests[0].URL.Query(); query.Get("rule") != "window" || query.Get("site_id") != testID || query.Get("pm_plan_id") != testID {
		t.Errorf("sent %s", requests[0].URL)
	}
}
