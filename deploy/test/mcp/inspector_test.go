package mcp

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"ams.internal/libs/testnight"
)

// inspector prepares the protocol's Inspector, without its screens.
func inspector(t testing.TB, era, key string, arguments ...string) *exec.Cmd {
	t.Helper()
	program := filepath.Join(nodePackages(t).Package("@modelcontextprotocol/inspector"), "clients", "launcher", "build", "index.js")
	name := map[string]string{eras[0]: "modern", eras[1]: "legacy"}[era]
	return nodePackages(t).Command(t, append([]string{
		program, "--cli", "--server-url", base(t) + "/mcp", "--transport", "http", "--header", "Authorization: Bearer " + key, "--protocol-era",
		name, "--stored-auth-only", "--connect-timeout", "60000", "--format", "json",
	}, arguments...)...)
}

// inspected is what the Inspector writes.
type inspected struct {
	Result struct {
		Tools []struct {
			Name string `json:"name"`
		} `json:"tools"`
		Prompts    []any `json:"prompts"`
		Templates  []any `json:"resourceTemplates"`
		Content    []any `json:"content"`
		Structured any   `json:"structuredContent"`
		IsError    bool  `json:"isError"`
	} `json:"result"`
}

// inspect runs it, and it may print nothing but the response.
func inspect(t testing.TB, command *exec.Cmd) inspected {
	t.Helper()
	output, code := run(t, command)
	var response inspected
	if err := json.Unmarshal([]byte(output), &response); err != nil || code != 0 {
		t.Fatalf("exit code %d, %v\n%s", code, err, output)
	}
	return response
}

func TestTheInspectorFindsNothing(t *testing.T) {
	lent := newKey(t).value
	for _, era := range eras {
		t.Run(era, func(t *testing.T) {
			if tools := inspect(t, inspector(t, era, lent, "--method", "tools/list", "--strict")).Result.Tools; len(tools) != 30 {
				t.Errorf("%d tools", len(tools))
			}
			if prompts := inspect(t, inspector(t, era, lent, "--method", "prompts/list")).Result.Prompts; len(prompts) != 5 {
				t.Errorf("%d prompts", len(prompts))
			}
			if templates := inspect(t, inspector(t, era, lent, "--method", "resources/templates/list")).Result.Templates; len(templates) != 4 {
				t.Errorf("%d templates of resources", len(templates))
			}
		})
	}
}

// call is one call of a tool.
type call struct {
	tool      string
	arguments map[string]any
}

// By day in the latest version of the protocol alone: each call is a process of the inspector. Tests of e2e call every tool in both.
func TestTheInspectorCallsEveryTool(t *testing.T) {
	for _, era := range eras[:testnight.Rounds(1, len(eras))] {
		t.Run(era, func(t *testing.T) {
			k := newKey(t)
			calls := everyTool(t, k, "Inspected "+era)
			for _, c := range calls {
				encoded, err := json.Marshal(c.arguments)
				if err != nil {
					t.Fatal(err)
				}
				response := inspect(t, inspector(t, era, k.value, "--method", "tools/call", "--tool-name", c.tool, "--tool-args-json",
					string(encoded))).Result
				if response.IsError || len(response.Content) == 0 || response.Structured == nil {
					t.Errorf("%s: %v", c.tool, response)
				}
			}
			for _, tool := range inspect(t, inspector(t, era, k.value, "--method", "tools/list")).Result.Tools {
				if !slices.ContainsFunc(calls, func(c call) bool { return c.tool == tool.Name }) {
					t.Errorf("%s is not called", tool.Name)
				}
			}
		})
	}
}

// everyTool makes records of all kinds, and a call of each tool for them.
func everyTool(t testing.TB, k key, name string) []call {
	t.Helper()
	named := func(with map[string]any) map[string]any {
		with["name"] = name
		return with
	}
	site := k.create(t, "/v1/sites", named(map[string]any{}))
	asset := k.create(t, "/v1/assets", named(map[string]any{"site_id": site}))
	order := k.create(t, "/v1/work-orders", map[string]any{"title": name, "asset_id": asset})
	network := k.create(t, "/v1/infrastructure/networks", named(map[string]any{"asset_class": "road"}))
	segment := k.create(t, "/v1/infrastructure/segments", named(map[string]any{"network_id": network,
		"geometry": map[string]any{"type": "LineString", "coordinates": [][2]float64{{-72.55, 46.34}, {-72.54, 46.35}}}}))
	project := k.create(t, "/v1/projects", named(map[string]any{"site_id": site}))
	area := k.create(t, "/v1/los/service-areas", named(map[string]any{"category": "roads"}))
	measure := k.create(t, "/v1/los/measures", named(map[string]any{"measure_type": "technical", "service_area_id": area}))
	scenario := k.create(t, "/v1/planning/scenarios", named(map[string]any{"kind": "do_nothing", "starts_on": "2027-01-01", "years": 5}))
	return []call{
		{"get_context", map[string]any{}},
		{"find", map[string]any{"text": name}},
		{"search_assets", map[string]any{"q": name, "limit": 5}},
		{"get_asset", map[string]any{"id": asset}},
		{"get_history", map[string]any{"kind": "asset", "id": asset}},
		{"list_records", map[string]any{"kind": "site", "q": name}},
		{"get_summary", map[string]any{"kind": "site", "id": site}},
		{"search_work_orders", map[string]any{"asset_id": asset}},
		{"get_work_order", map[string]any{"id": order, "include": []string{"comments"}}},
		{"los_scorecard", map[string]any{"service_area_id": area}},
		{"search_segments", map[string]any{"network_id": network}},
		{"search_projects", map[string]any{"q": name}},
		{"get_project", map[string]any{"id": project}},
		{"capital_plan", map[string]any{}},
		{"state_of_assets", map[string]any{}},
		{"list_findings", map[string]any{"kind": "request"}},
		{"list_documents", map[string]any{"q": "plaque"}},
		{"planning_results", map[string]any{"view": "scenarios"}},
		{"run_scenarios", map[string]any{"scenario_ids": []string{scenario}}},
		{"tca_schedule", map[string]any{"fiscal_year": k.fiscalYear(t)}},
		{"maintenance_outlook", map[string]any{"kind": "compliance", "from": "2026-01-01", "to": "2026-12-31"}},
		{"create_asset", named(map[string]any{"site_id": site})},
		{"update_asset", map[string]any{"id": asset, "location": "104"}},
		{"record_condition", map[string]any{"asset_id": asset, "assessed_on": "2026-05-12", "condition_rating": 2}},
		{"create_work_order", map[string]any{"title": name}},
		{"update_work_order", map[string]any{"id": order, "priority": "low"}},
		{"transition_work_order", map[string]any{"id": order, "to": "in_progress"}},
		{"add_comment", map[string]any{"work_order_id": order, "body": "Vu"}},
		{"record_measurement", map[string]any{"measure_id": measure, "period_start": "2026-01-01", "period_end": "2026-02-01", "value": 1}},
		{"record_inspection", map[string]any{"segment_id": segment, "inspected_on": "2026-05-12", "condition_rating": 2}},
	}
}
