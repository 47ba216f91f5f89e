package mcp

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"ams.internal/services/mcp/oauth"
)

// mostTokensOfARefusal is what any refused call costs at most, as the tool list is measured.
const mostTokensOfARefusal = 120

// Whatever is wrong with a call, it is said in few words: an assistant reads each of them again with every further call.
func TestARefusalCostsFewTokens(t *testing.T) {
	f := newToolFixture(t)
	measured := 0
	check := func(what, text string) {
		t.Helper()
		measured++
		if tokens := float64(utf8.RuneCountInString(text)) / charactersPerToken; tokens >= mostTokensOfARefusal ||
			strings.TrimSpace(text) == "" || strings.HasSuffix(text, "…") {
			t.Errorf("%s costs %.0f tokens: %s", what, tokens, text)
		}
	}
	refused := func(what, tool string, arguments map[string]any) {
		t.Helper()
		text, failed := f.call(tool, arguments)
		if !failed {
			t.Errorf("%s is no refusal: %.200s", what, text)
		}
		check(what+" of "+tool, text)
	}
	for _, each := range tools { // arguments that there are not, are wrong, or lack
		refused("an unknown argument", each.name, map[string]any{"colour_of_the_thing": 1, "shape": 2, strings.Repeat("x", 300): 3, "idd": 4})
		wrong := map[string]any{}
		for _, field := range each.arguments.Fields {
			if field.Name != "filters" {
				wrong[field.Name] = map[string]any{"what": strings.Repeat("wrong ", 40)}
			}
		}
		if len(wrong) > 0 {
			refused("everything wrong", each.name, wrong)
		}
		for _, field := range each.arguments.Fields {
			if len(field.Enum) > 0 {
				refused("a value that is none", each.name, map[string]any{field.Name: "none of them"})
			}
		}
	}
	search := map[string][2]string{"asset": {"search_assets"}, "work_order": {"search_work_orders"}, "project": {"search_projects"},
		"segment": {"search_segments"}}
	for _, kind := range searched() { // filters, groups and orders of each collection
		tool, arguments := "list_records", func() map[string]any { return map[string]any{"kind": kind} }
		if named, is := search[kind]; is {
			tool, arguments = named[0], func() map[string]any { return map[string]any{} }
		} else if findings[kind] != nil {
			tool = "list_findings"
		}
		for _, filters := range []any{map[string]any{"colour": "red"},
			map[string]any{"cost": 1, "date": 2, "year": 3, "status_of_condition": 4}, "red",
			map[string]any{"status": map[string]any{"is": 1}}} {
			given := arguments()
			given["filters"] = filters
			refused("a filter", tool, given)
		}
		if tool != "list_records" {
			for name, value := range map[string]any{"group_by": "colour", "sort": "colour"} {
				given := arguments()
				given["group_by"] = "status"
				given[name] = value
				refused("groups by "+name, tool, given)
			}
		}
	}
	refused("figures", "state_of_assets", map[string]any{"fields": []any{"colour"}})
	refused("an order of figures", "state_of_assets", map[string]any{"sort": "colour"})
	refused("groups of everything", "state_of_assets", map[string]any{"everything": true, "group_by": "ward"})
	refused("a view", "planning_results",
		map[string]any{"view": "runs", "run_id": testID, "scenario_id": testID, "year": 2030, "element_id": testID, "by": "site", "group": "x"})
	refused("none of several", "get_asset", map[string]any{})
	refused("several of one", "get_asset", map[string]any{"id": testID, "asset_tag": "A-1", "serial_number": "2"})

	readOnly := caller{Caller: oauth.Caller{ReadOnly: true, Features: fullCaller.Features}}
	unscoped := caller{Caller: oauth.Caller{Features: fullCaller.Features, Scopes: manyScopes()}}
	for _, who := range []caller{{}, readOnly, {RequestedReadOnly: true}, {Toolsets: []string{"documents"}}, unscoped} {
		for _, each := range tools {
			if reason := each.unavailableReason(who); reason != "" {
				check("a tool that is not offered", reason)
			}
		}
	}

	long := strings.Repeat("condition_rating, replacement_cost, ", 40)
	errors := map[string]string{
		"a list of fields": fmt.Sprintf(`{"error":"sort: \"colour\" cannot be sorted by; these can be: %s",
			"code":"invalid_request","fields":[{"field":"sort",
			"message":"\"colour\" cannot be sorted by; these can be: %s; did you mean color?"}]}`, long, long),
		"many fields": `{"error":"Many.","code":"invalid_request","fields":[` +
			strings.TrimSuffix(strings.Repeat(`{"field":"effects[3].payload","message":"must be one of `+long+`"},`, 30), ",") + `]}`,
		"a long sentence": `{"error":"` + long + `","code":"invalid_request"}`,
		"what refers": `{"error":"Still in use.","code":"in_use",
			"dependents":{"work_orders":2,"project_links":1,"documents":3,"capital_assets":4,"meters":5,
			"pm_plans":6,"deficiencies":7,"requests":8}}`,
		"allowed moves": `{"error":"It is open.",
			"code":"transition_not_allowed","allowed":["open","in_progress","on_hold","completed","closed","cancelled"]}`,
		"the same": `{"error":"There is a work order with the number WO-000123 already.",
			"code":"already_exists","field":"number","value":"WO-1","existing_id":"` + testID + `"}`,
		"a scope": `{"error":"This key lacks the scope infrastructure:read.",
			"code":"scope_missing","required_scope":"infrastructure:read"}`,
		"a feature": `{"error":"The plan does not include Infrastructure.","code":"feature_missing","feature":"Infrastructure"}`,
		"no JSON":   `<html>` + long + `</html>`,
	}
	for what, body := range errors {
		for _, status := range []int{400, 401, 403, 404, 409, 429, 500, 502, 503} {
			if !json.Valid([]byte(body)) && status < 500 {
				continue
			}
			f.upstream.respond = func(w http.ResponseWriter, _ *http.Request) bool {
				w.Header().Set("X-RateLimit-Limit", "1000")
				w.Header().Set("Retry-After", "60")
				w.WriteHeader(status)
				fmt.Fprint(w, body)
				return true
			}
			refused(fmt.Sprint(what, " ", status), "get_work_order", map[string]any{"id": testID})
			refused(fmt.Sprint(what, " ", status), "create_work_order", map[string]any{"title": "Fuite"})
		}
	}
	if text, _ := f.call("get_work_order", map[string]any{"id": testID}); !strings.Contains(text, "Wait 60 seconds") {
		t.Errorf("what to do is not said: %s", text)
	}
	f.upstream.respond = func(w http.ResponseWriter, _ *http.Request) bool {
		one := fmt.Sprintf(`{"id":%q,"name":%q,"asset_tag":"A-1"}`, testID, strings.Repeat("Pompe ", 30))
		fmt.Fprintf(w, `{"data":[%s],"pagination":{"total":5}}`, strings.Join(slices.Repeat([]string{one}, 5), ","))
		return true
	}
	refused("several records", "get_asset", map[string]any{"asset_tag": "A-1"})
	if measured < 400 {
		t.Errorf("only %d refusals were measured", measured)
	}
}

// manyScopes are those of a key that may read a lot, and not what most tools need.
func manyScopes() (scopes []string) {
	for i := range 40 {
		scopes = append(scopes, fmt.Sprintf("collection_%d:read", i))
	}
	return scopes
}
