package e2e

import (
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func TestEveryToolAgainstTheRealServices(t *testing.T) {
	for _, era := range eras {
		t.Run(era, func(t *testing.T) {
			c := fresh(t, city)
			name := "Assistants " + era
			e := newFixture(t, c, name)
			a := connect(t, c, era)
			readPlaces(t, a, e, name)
			readWork(t, a, e, name)
			readFamilies(t, a, e, name)
			writeAssets(t, a, c, e)
			writeWork(t, a, c, e)
			writeFamilies(t, a, c, e)
			for _, tool := range a.tools() {
				if !a.called[tool] {
					t.Errorf("%s was never called", tool)
				}
			}
			if len(a.tools()) != 30 {
				t.Errorf("there are %d tools", len(a.tools()))
			}
		})
	}
}

func readPlaces(t *testing.T, a *assistant, e fixture, name string) {
	a.must(t, "get_context", nil, city, `"currency":"CAD"`, `"not_available":[]`)
	c := a.must(t, "find", map[string]any{"text": name}, e["site"], e["building"], e["system"], e["asset"], e["work_order"], e["user"],
		e["network"], e["segment"], e["project"], e["service_area"], e["measure"])
	if got := len(c["data"].([]any)); got < 11 {
		t.Errorf("%d hits", got)
	}
	named := `{"id":"` + e["site"] + `","name":"` + name + ` site"}`
	a.must(t, "search_assets", map[string]any{"q": name, "site_id": e["site"], "limit": 5}, e["asset"], named)
	a.must(t, "search_assets", map[string]any{"q": name, "fields": []string{"name", "building"}}, name+" building")
	asset := a.must(t, "get_asset", map[string]any{"id": e["asset"]}, named)
	a.must(t, "get_asset", map[string]any{"asset_tag": strings.ToLower(asset["asset_tag"].(string))}, e["asset"])
	a.must(t, "get_history", map[string]any{"kind": "asset", "id": e["asset"]}, `"action":"created"`)
	for kind, of := range map[string]map[string]any{"site": {"q": name}, "building": {"site_id": e["site"]},
		"system": {"building_id": e["building"]}} {
		of["kind"] = kind
		a.must(t, "list_records", of, e[kind])
	}
	for _, kind := range []string{"site", "building", "system", "network"} {
		a.must(t, "get_summary", map[string]any{"kind": kind, "id": e[kind], "horizon_years": 5}, name, `"horizon_years":5`)
	}
	for _, kind := range []string{"site", "building", "network"} {
		a.must(t, "get_summary", map[string]any{"kind": kind, "id": e[kind], "as_of": "2026-01-31", "prices_of": 2025, "trend_months": 3},
			`"as_of":"2026-01-31"`, `"prices_of":2025`, `"basis":{`, `"trend":{`)
	}
	a.refused(t, "get_summary", map[string]any{"kind": "system", "id": e["system"], "trend_months": 3}, "trend of the building")
	a.must(t, "state_of_assets", map[string]any{"group_by": "category"}, `"sum"`, `"as_of"`, `"prices_of"`)
	a.must(t, "state_of_assets",
		map[string]any{"group_by": "year_built", "built_since": 1970, "sort": "-need", "fields": []string{"need", "fci_pct"}}, `"need"`)
	everything := a.must(t, "state_of_assets", map[string]any{"everything": true, "trend_months": 3}, `"sum"`, `"as_of"`, `"service_category"`,
		`"trend":{`)
	if counts := everything["sum"].(map[string]any)["counts"].(map[string]any); counts["assets"] == nil || counts["segments"] == nil {
		t.Errorf("everything has %v", counts)
	}
	a.must(t, "state_of_assets", map[string]any{"everything": true, "group_by": "network", "limit": 100}, e["network"])
}

func readWork(t *testing.T, a *assistant, e fixture, name string) {
	a.must(t, "search_work_orders", map[string]any{"asset_id": e["asset"], "status": []string{"open", "on_hold"},
		"created_at_from": "2020-01-01"}, e["work_order"], name+" site")
	order := a.must(t, "get_work_order", map[string]any{"id": e["work_order"], "include": []string{"comments", "tasks", "costs"}},
		"Part on order", "Check the pressure", `"labour"`, "allowed_transitions", name+" project", name+" user")
	a.must(t, "get_work_order", map[string]any{"number": order["number"]}, e["work_order"])
	for kind, id := range map[string]string{"user": e["user"], "team": e["team"], "vendor": e["vendor"], "meter": e["meter"],
		"pm_plan": e["pm_plan"], "network": e["network"], "measure": e["measure"]} {
		a.must(t, "list_records", map[string]any{"kind": kind, "q": name}, id)
	}
	a.must(t, "search_work_orders", map[string]any{"filters": map[string]any{"asset_id": e["asset"], "created_at_from": "2020-01-01"},
		"group_by": "assignee"}, `"groups":[{"actual_cost":`, name+" user")
	a.refused(t, "search_work_orders", map[string]any{"filters": map[string]any{"asset": e["asset"]}}, "has no filter asset.",
		"Filters of work orders: asset_id, ")
	a.refused(t, "search_work_orders", map[string]any{"filters": map[string]any{"sla_state": "late"}}, "sla_state must be one of")
	for kind, of := range map[string]map[string]any{
		"deficiency": {"q": name}, "infrastructure_deficiency": {"segment_id": e["segment"]},
		"request": {"q": name, "status": []string{"submitted"}},
	} {
		of["kind"] = kind
		a.must(t, "list_findings", of, e[kind])
	}
	a.must(t, "list_documents", map[string]any{"record_id": e["asset"]}, e["document"])
	a.must(t, "get_asset", map[string]any{"id": e["asset"]}, `"documents"`, e["document"])
	a.refused(t, "list_findings", map[string]any{"kind": "request", "category": []string{"code"}}, "category")
	a.must(t, "maintenance_outlook", map[string]any{"kind": "forecast", "from": "2027-01-01", "to": "2027-12-31", "group_by": "plan"},
		`"from":"2027-01-01"`)
	a.must(t, "maintenance_outlook",
		map[string]any{"kind": "compliance", "from": "2026-01-01", "to": "2026-12-31", "rule": "grace_20"}, `"due":`)
}

func readFamilies(t *testing.T, a *assistant, e fixture, name string) {
	a.must(t, "los_scorecard", map[string]any{}, e["service_area"])
	a.must(t, "planning_results", map[string]any{"view": "runs"}, e["planning_run"])
	a.must(t, "tca_schedule", map[string]any{"fiscal_year": 2025, "limit": 100}, `"provisional":true`,
		name+" for good, capital_asset_transaction capital_asset_class", `"closing":120000`)
	a.refused(t, "tca_schedule", map[string]any{"fiscal_year": 1990}, "1990")
	a.must(t, "get_asset", map[string]any{"id": e["asset"]}, `"capital_assets":[{`, e["capital_asset"])
	a.must(t, "search_assets", map[string]any{"q": name, "fields": []string{"name", "capital_assets"}}, e["capital_asset"])
	a.must(t, "los_scorecard", map[string]any{"service_area_id": e["service_area"]}, e["measure"], name+" measure")
	a.must(t, "search_segments", map[string]any{"network_id": e["network"], "bbox": "-72.6,46.3,-72.5,46.4"}, e["segment"], name+" network")
	a.must(t, "search_projects", map[string]any{"q": name}, e["project"], name+" site")
	project := a.must(t, "get_project", map[string]any{"id": e["project"],
		"include": []string{"phases", "funding_sources", "budget_lines", "links"}}, e["asset"], `"reserve"`, `"design"`)
	a.must(t, "get_project", map[string]any{"code": project["code"]}, e["project"])
	a.must(t, "capital_plan", map[string]any{"from_year": 2027, "years": 5, "group_by": "site"}, `"from_year":2027`, `"to_year":2031`)
}

func writeAssets(t *testing.T, a *assistant, c caller, e fixture) {
	wanted := map[string]any{"name": "Pompe de circulation", "system_id": e["system"], "category": "hvac", "install_year": 2015,
		"replacement_cost": 12500.5, "condition_rating": 2, "tags": []string{"gaz"}}
	made := a.must(t, "create_asset", wanted, `"asset_tag":"A-`, e["site"])
	if again := a.must(t, "create_asset", wanted, "nothing was written again"); again["id"] != made["id"] {
		t.Errorf("the same call made a second asset: %v and %v", made["id"], again["id"])
	}
	if other := a.must(t, "create_asset", map[string]any{"name": "Pompe de circulation", "system_id": e["system"],
		"idempotency_key": t.Name()}); other["id"] == made["id"] {
		t.Error("another key gives the same asset")
	}
	kept := c.must(t, 200, "GET", "/v1/assets/"+made["id"].(string), nil).object
	if kept["replacement_cost"] != 12500.5 || kept["building_id"] != e["building"] ||
		kept["created_by"].(map[string]any)["type"] != "api_key" {
		t.Errorf("kept as %v", kept)
	}
	a.must(t, "update_asset", map[string]any{"id": made["id"], "location": "Local 104", "clear": []string{"tags"}, "version": made["version"]},
		"Local 104")
	a.refused(t, "update_asset", map[string]any{"id": made["id"], "location": "Local 105", "version": made["version"]}, "Read it again")
	a.refused(t, "create_asset", map[string]any{"name": "Pompe", "asset_tag": made["asset_tag"]}, made["id"].(string), "Do not repeat")
	a.must(t, "record_condition",
		map[string]any{"asset_id": made["id"], "assessed_on": time.Now().AddDate(0, 0, -1).UTC().Format(time.DateOnly),
			"condition_rating": 4, "method": "visual", "defects": []string{"Fuite"},
			"deficiencies": []map[string]any{{"title": "Fuite à l'arbre", "category": "code", "estimated_cost": 640.5}, {"title": "Rouille"}}},
		`"condition_rating":4`)
	a.must(t, "list_findings", map[string]any{"kind": "deficiency", "asset_id": made["id"], "category": []string{"code"}},
		"Fuite à l'arbre", "640.5")
	a.must(t, "list_findings", map[string]any{"kind": "deficiency", "asset_id": made["id"]}, "Rouille", `"deferred_maintenance"`)
	a.must(t, "get_asset", map[string]any{"id": made["id"]}, `"condition_rating":4`, `"condition_grade":"poor"`)
	a.refused(t, "record_condition", map[string]any{"asset_id": made["id"], "assessed_on": "2999-01-01", "condition_rating": 4}, "assessed_on",
		"Correct the arguments")
}

func writeWork(t *testing.T, a *assistant, c caller, e fixture) {
	made := a.must(t, "create_work_order", map[string]any{"title": "Remplacer le joint", "asset_id": e["asset"], "assignee_id": e["user"],
		"due_date": "2026-12-01", "priority": "high"}, `"number":"WO-`)
	id := made["id"].(string)
	several := a.must(t, "create_work_order", map[string]any{"title": "Deux pompes",
		"targets": []map[string]any{{"target_type": "asset", "target_id": e["asset"]}, {"target_type": "building", "target_id": e["building"]}},
		"effects": []map[string]any{{"kind": "close_deficiency", "payload": map[string]any{"deficiency_id": e["deficiency"]}}}}, e["site"])
	if kept := c.must(t, 200, "GET", "/v1/deficiencies/"+e["deficiency"], nil).object; kept["work_order_id"] != nil &&
		kept["work_order_id"] != several["id"] {
		t.Errorf("the deficiency has %v", kept)
	}
	a.must(t, "create_work_order", map[string]any{"title": "Demande acceptée", "request_id": e["request"]}, `"status":"accepted"`)
	a.must(t, "update_work_order", map[string]any{"id": id, "priority": "urgent", "clear": []string{"due_date"}}, `"urgent"`)
	a.must(t, "add_comment", map[string]any{"work_order_id": id, "body": "Pièce commandée"}, "Pièce commandée")
	a.refused(t, "transition_work_order", map[string]any{"id": id, "to": "closed"}, "Allowed from here", "in_progress")
	a.refused(t, "transition_work_order", map[string]any{"id": id, "to": "on_hold"}, "hold_reason")
	// There and back within the window: the second start is no repetition of the first, and an assistant is told how to say so.
	start := map[string]any{"id": id, "to": "in_progress"}
	a.must(t, "transition_work_order", start, `"status":"in_progress"`)
	a.must(t, "transition_work_order", map[string]any{"id": id, "to": "on_hold", "hold_reason": "Pièce"}, `"status":"on_hold"`)
	a.must(t, "transition_work_order", start, "nothing was written again", "idempotency_key")
	start["idempotency_key"] = t.Name() + " again"
	a.must(t, "transition_work_order", start, `"status":"in_progress"`)
	if now := c.must(t, 200, "GET", "/v1/work-orders/"+id, nil).object["status"]; now != "in_progress" {
		t.Errorf("the work order is %v", now)
	}
	a.must(t, "transition_work_order", map[string]any{"id": id, "to": "completed", "completion_notes": "Joint remplacé"},
		`"status":"completed"`)
	a.must(t, "get_work_order", map[string]any{"id": id, "include": []string{"comments"}}, "Pièce commandée", "Joint remplacé")
	if kept := c.must(t, 200, "GET", "/v1/work-orders/"+id+"/comments", nil).object["data"].([]any); len(kept) != 1 {
		t.Errorf("%d comments", len(kept))
	}
}

func writeFamilies(t *testing.T, a *assistant, c caller, e fixture) {
	a.must(t, "run_scenarios", map[string]any{"scenario_ids": []string{e["scenario"]}}, `"state":"queued"`)
	a.must(t, "record_measurement", map[string]any{"measure_id": e["measure"], "period_start": "2026-01-01", "period_end": "2026-06-30",
		"value": 71.5}, `"value":71.5`)
	a.refused(t, "record_measurement", map[string]any{"measure_id": e["measure"], "period_start": "2026-01-01", "period_end": "2026-06-30",
		"value": 72, "idempotency_key": "another"}, "Do not repeat")
	a.must(t, "record_inspection", map[string]any{"segment_id": e["segment"], "inspected_on": "2026-05-12", "index_type": "pci",
		"index_value": 45, "recommended_action": "rehabilitate", "deficiencies": []map[string]any{{"title": "Nid-de-poule", "priority": "high"}}},
		`"condition_rating":4`)
	a.must(t, "list_findings", map[string]any{"kind": "infrastructure_deficiency", "segment_id": e["segment"], "priority": []string{"high"}},
		"Nid-de-poule")
	a.must(t, "search_segments", map[string]any{"network_id": e["network"], "condition_rating_min": 4}, e["segment"])
}

func TestAddressesAreFound(t *testing.T) {
	c := fresh(t, city)
	id := c.create(t, "/v1/sites", map[string]any{"name": "Garage municipal", "address_line1": "4477, chemin des Érables-Rouges",
		"city": "Rivière-Claire"})
	connect(t, c, eras[0]).must(t, "find", map[string]any{"text": "érables-rouges", "kinds": []string{"site"}}, id, "4477, chemin")
}

// People leave accents out, and mistype.
func TestNamesAreFoundWithoutTheirAccents(t *testing.T) {
	c := fresh(t, city)
	id := c.create(t, "/v1/sites", map[string]any{"name": "Aréna des Pionniers-Unis"})
	a := connect(t, c, eras[0])
	a.must(t, "find", map[string]any{"text": "arena pionniers"}, id, "Aréna des Pionniers-Unis")
	a.must(t, "find", map[string]any{"text": "pioniers unis"}, id, "pionniers")
}

func TestResourcesPromptsAndCompletionsAgainstTheRealServices(t *testing.T) {
	c := fresh(t, city)
	e := newFixture(t, c, "Attached")
	a := connect(t, c, eras[1])
	for uri, says := range map[string]string{"asset://" + e["asset"]: "Attached asset",
		"work-order://" + e["work_order"]: "Attached work_order", "building://" + e["building"]: "Attached site"} {
		got, err := a.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
		if err != nil || !strings.Contains(got.Contents[0].Text, says) {
			t.Errorf("%s: %v, %v", uri, got, err)
		}
	}
	if _, err := a.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "asset://019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"}); err == nil {
		t.Error("an asset that is not there can be read")
	}
	names, err := a.Complete(t.Context(), &mcp.CompleteParams{Ref: &mcp.CompleteReference{Type: "ref/prompt",
		Name: "building_condition_review"}, Argument: mcp.CompleteParamsArgument{Name: "building", Value: "attached b"}})
	if err != nil || !slices.Equal(names.Completion.Values, []string{"Attached building"}) {
		t.Errorf("completed as %v, %v", names, err)
	}
	ids, err := a.Complete(t.Context(), &mcp.CompleteParams{Ref: &mcp.CompleteReference{Type: "ref/resource", URI: "asset://{id}"},
		Argument: mcp.CompleteParamsArgument{Name: "id", Value: "attached a"}})
	if err != nil || len(ids.Completion.Values) != 1 || !strings.HasSuffix(ids.Completion.Values[0], " · Attached asset") {
		t.Fatalf("completed as %v, %v", ids, err)
	}
	uri := "asset://" + url.PathEscape(ids.Completion.Values[0])
	if got, err := a.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri}); err != nil ||
		!strings.Contains(got.Contents[0].Text, e["asset"]) {
		t.Errorf("%s: %v, %v", uri, got, err)
	}
	if got, err := a.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "building_condition_review",
		Arguments: map[string]string{"building": "Attached building"}}); err != nil || len(got.Messages) != 1 {
		t.Errorf("the prompt is %v, %v", got, err)
	}
}
