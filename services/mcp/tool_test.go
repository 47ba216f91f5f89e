package mcp

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// allArguments sets every argument of a tool to an allowed value, except those that exclude each other.
func allArguments(t *tool) map[string]any {
	leftOut := map[string][]string{
		// of assets without networks, and figures by name
		"get_asset": {"asset_tag", "serial_number"}, "get_work_order": {"number"}, "get_project": {"code"},
		"state_of_assets":     {"built_since", "sort", "fields"},
		"maintenance_outlook": {"group_by"}, "planning_results": {"by", "year", "element_id"}, // of another kind or view than the last one
	}
	all := map[string]any{}
	for _, field := range t.arguments.Fields {
		if !slices.Contains(leftOut[t.name], field.Name) {
			all[field.Name] = value(inputSchema(t.arguments)["properties"].(node)[field.Name].(node), field.Name)
		}
	}
	return all
}

func value(n node, name string) any {
	if values, has := n["enum"].([]any); has {
		return values[len(values)-1]
	}
	switch n["type"] {
	case "object":
		members := map[string]any{}
		properties, _ := n["properties"].(node)
		for name, property := range properties {
			members[name] = value(property.(node), name)
		}
		return members
	case "array":
		switch name {
		case "fields":
			return []any{"id", "created_at"}
		case "clear":
			return []any{"external_id"}
		}
		return []any{value(n["items"].(node), name)}
	case "integer":
		if name == "section" {
			return 5 // of the regulation
		}
		if name == "horizon_years" {
			return 5 // months are kept at it
		}
		if (strings.Contains(name, "year") || name == "prices_of") && n["maximum"] == nil && !strings.HasSuffix(name, "years") {
			return 2026
		}
		return 3
	case "number":
		return 1250.5
	case "boolean":
		return true
	}
	switch {
	case name == "id" || strings.HasSuffix(name, "_id") || strings.HasSuffix(name, "_ids"):
		return testID
	case n["format"] == "date":
		return "2026-05-12"
	case name == "bbox":
		return "-72.6,46.3,-72.5,46.4"
	case name == "evidence_url":
		return "https://example.ca/preuve"
	case name == "status":
		return "open"
	case name == "target_type":
		return "asset"
	case name == "category":
		return "life_safety"
	case name == "priority":
		return "high"
	case name == "sort":
		return "-created_at"
	case name == "group_by": // of lists, but not of rows
		return ""
	case name == "uniformat_code":
		return "D30"
	}
	return "École"
}

func TestEveryToolWithAllItsArgumentsInBothEras(t *testing.T) {
	f := newToolFixture(t)
	for _, protocol := range protocols {
		session := f.connect(protocol)
		for _, each := range tools {
			t.Run(protocol+" "+each.name, func(t *testing.T) {
				f.upstream.t = t
				f.upstream.takeRequests()
				result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: each.name, Arguments: allArguments(each)})
				if err != nil {
					t.Fatal(err)
				}
				text := result.Content[0].(*mcp.TextContent).Text
				if result.IsError {
					t.Fatalf("it says: %s", text)
				}
				checkAgainst(t, each, text, result.StructuredContent)
				if requests, _ := f.upstream.takeRequests(); len(requests) == 0 {
					t.Error("it asks the API nothing")
				}
			})
		}
	}
}

// checkAgainst checks a result against the tool's declaration.
func checkAgainst(t *testing.T, of *tool, text string, structured any) {
	t.Helper()
	var declared jsonschema.Schema
	if err := json.Unmarshal(encodeJSON(of.output), &declared); err != nil {
		t.Fatal(err)
	}
	resolved, err := declared.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := resolved.Validate(structured); err != nil {
		t.Errorf("the answer is not as declared: %v\n%s", err, text)
	}
	var same any
	if err := json.Unmarshal([]byte(text), &same); err != nil || fmt.Sprint(same) != fmt.Sprint(structured) {
		t.Errorf("text and structure differ: %s\n%v", text, structured)
	}
	if strings.Contains(text, "null") {
		t.Errorf("there is null in %s", text)
	}
	if len([]rune(text)) > maxResult {
		t.Errorf("it has %d characters", len([]rune(text)))
	}
	for _, name := range []string{`"site_id"`, `"building_id"`, `"system_id"`, `"asset_id"`, `"assignee_id"`, `"network_id"`,
		`"segment_id"`, `"measure_id"`} {
		if strings.Contains(text, name) {
			t.Errorf("there is a bare %s in %s", name, text)
		}
	}
}

func TestEveryKindOfEveryToolThatHasKinds(t *testing.T) {
	f := newToolFixture(t)
	for _, each := range []*tool{getHistory, listRecords, getSummary} {
		for _, kind := range each.arguments.Field("kind").Enum {
			arguments := map[string]any{"kind": kind}
			if each != listRecords {
				arguments["id"] = testID
			}
			if text, failed := f.call(each.name, arguments); failed {
				t.Errorf("%s of %s: %s", each.name, kind, text)
			}
		}
	}
	if text, failed := f.call("find", map[string]any{"text": "école"}); failed || strings.Count(text, `"kind"`) != 2 {
		t.Errorf("find: %s", text)
	}
}

func TestAToolCostsAsFewCallsAsItCan(t *testing.T) {
	f := newToolFixture(t)
	for tool, c := range map[string]struct {
		arguments map[string]any
		calls     int
	}{
		"get_context":           {nil, 1},
		"find":                  {map[string]any{"text": "aréna"}, 1},
		"search_assets":         {map[string]any{"status": []any{"in_service"}}, 1},
		"get_asset":             {map[string]any{"id": testID}, 2}, // and its documents
		"get_summary":           {map[string]any{"kind": "building", "id": testID}, 1},
		"state_of_assets":       {map[string]any{"everything": true, "group_by": "network"}, 1},
		"get_work_order":        {map[string]any{"id": testID, "include": []any{"comments", "costs"}}, 4}, // and its documents
		"los_scorecard":         {map[string]any{"service_area_id": testID}, 1},
		"capital_plan":          {nil, 1},
		"create_work_order":     {map[string]any{"title": "Fuite"}, 2}, // and the names of what it refers to
		"update_work_order":     {map[string]any{"id": testID, "priority": "high"}, 2},
		"transition_work_order": {map[string]any{"id": testID, "to": "closed"}, 2},
	} {
		f.upstream.takeRequests()
		if text, failed := f.call(tool, c.arguments); failed {
			t.Errorf("%s: %s", tool, text)
		}
		if requests, _ := f.upstream.takeRequests(); len(requests) != c.calls {
			t.Errorf("%s costs %d calls, not %d", tool, len(requests), c.calls)
		}
	}
}

func TestArgumentsReachTheAPIAsItTakesThem(t *testing.T) {
	f := newToolFixture(t)
	f.upstream.takeRequests()
	f.call("search_work_orders", map[string]any{"status": []any{"open", "on_hold"}, "overdue": true,
		"filters": map[string]any{"assignee_id": nil, "created_at_from": "2026-01-31"}, "limit": 7, "page": 3, "fields": []any{"title", "site"}})
	requests, _ := f.upstream.takeRequests()
	query := requests[0].URL.Query()
	for name, want := range map[string]string{
		"status": "open,on_hold", "overdue": "true", "assignee_id": "null", "created_at_from": "2026-01-31", "per_page": "7",
		"page": "3", "fields": "id,title,site_id", "expand": "site",
	} {
		if query.Get(name) != want {
			t.Errorf("%s is sent as %q, not %q", name, query.Get(name), want)
		}
	}
	f.call("update_asset", map[string]any{"id": testID, "location": "104", "clear": []any{"notes"}, "version": 4, "tags": []any{"gaz"}})
	requests, bodies := f.upstream.takeRequests()
	if requests[0].Method != "PATCH" || requests[0].Header.Get("If-Match") != `"4"` ||
		fmt.Sprint(bodies[0]) != "map[location:104 notes:<nil> tags:[gaz]]" {
		t.Errorf("sent %s %s: %v", requests[0].Method, requests[0].Header.Get("If-Match"), bodies[0])
	}
	f.call("get_asset", map[string]any{"asset_tag": "A 1/2"})
	if requests, _ = f.upstream.takeRequests(); requests[0].URL.Query().Get("asset_tag") != "A 1/2" {
		t.Errorf("sent %s", requests[0].URL)
	}
}

func TestNamesAreAskedForOnlyWhereTheKeyMayReadThem(t *testing.T) {
	f := newToolFixture(t)
	f.caller.Scopes, f.caller.Features = []string{"work_orders:read", "sites:read", "projects:read",
		"infrastructure:read"}, []string{"api_access", "infrastructure"}
	f.upstream.takeRequests()
	text, failed := f.call("get_work_order", map[string]any{"id": testID})
	if failed {
		t.Fatal(text)
	}
	requests, _ := f.upstream.takeRequests()
	if got := requests[0].URL.Query().Get("expand"); got != "site,segment" {
		t.Errorf("names are asked for of %s", got)
	}
	f.upstream.respond = func(w http.ResponseWriter, _ *http.Request) bool {
		fmt.Fprintf(w, `{"id":%q,"site_id":%q,"site":{"id":%q,"name":"Aréna"},"asset_id":%q,"assignee_id":null,"tags":[],"custom_fields":{},`+
			`"estimated_cost":1234567.10,"is_overdue":false}`, testID, testID, testID, testID)
		return true
	}
	text, _ = f.call("get_work_order", map[string]any{"id": testID})
	if want := fmt.Sprintf(`{"asset":{"id":%q},"estimated_cost":1234567.10,"id":%q,"is_overdue":false,"site":{"id":%q,"name":"Aréna"}}`,
		testID, testID, testID); text != want {
		t.Errorf("shown as %s", text)
	}
}

func TestARecordIsFoundByItsTagOnlyWhenItIsTheOne(t *testing.T) {
	f := newToolFixture(t)
	rows := ""
	f.upstream.respond = func(w http.ResponseWriter, _ *http.Request) bool {
		fmt.Fprintf(w, `{"data":[%s],"pagination":{"page":1,"per_page":5,"total":%d,"total_pages":1}}`, rows, strings.Count(rows, `"id"`))
		return true
	}
	row := func(id, serial string) string {
		return fmt.Sprintf(`{"id":%q,"name":"Pompe","asset_tag":"A-%s","serial_number":%q}`, id, id, serial)
	}
	for _, c := range []struct {
		rows, serial string
		says         []string
		failed       bool
	}{
		{row("1", "X9"), "x9 ", []string{`"id":"1"`}, false},
		{"", "X9", []string{"There is no asset", "find"}, true},
		{row("1", "X9") + "," + row("2", "x9"), "X9", []string{"id 1", "id 2", "the id of the one you mean"}, true},
		{row("1", "X9,X8"), "X9,X8", []string{`"id":"1"`}, false},
		{row("1", ""), "null", []string{"There is no asset"}, true},
	} {
		rows = c.rows
		text, failed := f.call("get_asset", map[string]any{"serial_number": c.serial})
		for _, part := range c.says {
			if failed != c.failed || !strings.Contains(text, part) {
				t.Errorf("serial number %q of %s: %s", c.serial, c.rows, text)
			}
		}
	}
}
