package assets

import (
	"fmt"
	"net/http"
	"slices"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"ams.internal/libs/resource/resourcetest"
)

// effect is an instruction of a work order.
func effect(order, kind, stage string, sequence int, payload fields) fields {
	return fields{"id": uuid.NewString(), "sequence": sequence, "kind": kind, "stage": stage, "payload": payload, "on": "2026-06-30",
		"cause": fields{"collection": "work_orders", "id": order, "number": "WO-000001", "cost": "60.55"},
		"actor": fields{"type": "user", "id": uuid.NewString(), "name": "Geneviève Côté"}}
}

// apply sends one instruction, and gives the answer.
func apply(t *testing.T, client *resourcetest.Client, check bool, instruction fields) fields {
	t.Helper()
	answers := client.Must(t, http.StatusOK, "POST", "/internal/effects",
		fields{"check": check, "effects": []fields{instruction}}).JSON["answers"].([]any)
	if len(answers) != 1 {
		t.Fatalf("answered %v", answers)
	}
	return answers[0].(map[string]any)
}

func TestWorkClosesADeficiency(t *testing.T) {
	t.Parallel()
	client := serve(t)
	asset := client.Create(t, "/v1/assets", fields{"name": "Toiture", "replacement_cost": 1000})["id"]
	d := client.Create(t, "/v1/deficiencies", fields{"asset_id": asset, "title": "Fissure", "estimated_cost": 100, "found_on": "2026-01-01"})
	id, order := d["id"].(string), uuid.NewString()
	path, payload := "/v1/deficiencies/"+id, fields{"deficiency_id": id}
	closing := effect(order, "close_deficiency", "planned", 1, payload)
	for _, c := range []struct {
		stage string
		want  fields
	}{
		{"planned", fields{"status": "planned", "work_order_id": order, "updated_by.name": "Geneviève Côté"}},
		{"cancelled", fields{"status": "open", "work_order_id": nil}},
		{"planned", fields{"status": "planned"}},
		{"begun", fields{"status": "in_work", "work_order_id": order}},
		{"completed", fields{"status": "corrected", "corrected_on": "2026-06-30", "actual_cost": 60.55, "version": 6}},
		{"completed", fields{"status": "corrected", "version": 6}},
	} {
		closing["stage"], closing["sequence"] = c.stage, closing["sequence"].(int)+1
		resourcetest.Expect(t, apply(t, client, false, closing), fields{"outcome": "applied", "stage": c.stage, "result_id": id})
		resourcetest.Expect(t, client.Must(t, http.StatusOK, "GET", path, nil).JSON, c.want)
	}
	resourcetest.Expect(t, client.Must(t, http.StatusOK, "GET", fmt.Sprint("/v1/assets/", asset), nil).JSON,
		fields{"deferred_maintenance_cost": 0})
	resourcetest.Expect(t, apply(t, client, true, effect(uuid.NewString(), "close_deficiency", "planned", 1, payload)),
		fields{"outcome": "refused", "code": "deficiency_corrected", "field": "deficiency_id"})

	// Nobody closes another organization's, or one that is gone, or nothing.
	gone := client.Create(t, "/v1/deficiencies", fields{"asset_id": asset, "title": "x"})["id"]
	client.Must(t, http.StatusNoContent, "DELETE", fmt.Sprint("/v1/deficiencies/", gone), nil)
	for client, id := range map[*resourcetest.Client]any{client.Other(): id, client: gone} {
		for _, check := range []bool{true, false} {
			resourcetest.Expect(t, apply(t, client, check, effect(order, "close_deficiency", "completed", 1, fields{"deficiency_id": id})),
				fields{"outcome": "refused", "reason": "not_found", "field": "deficiency_id"})
		}
	}
	resourcetest.Expect(t, apply(t, client, true, effect(order, "close_deficiency", "completed", 1, fields{})),
		fields{"outcome": "refused", "reason": "invalid", "field": "deficiency_id"})
}

func TestWorkFindsAndRates(t *testing.T) {
	t.Parallel()
	client := serve(t)
	system := client.Create(t, "/v1/systems", fields{"name": "Chauffage"})["id"]
	asset := client.Create(t, "/v1/assets", fields{"name": "Pompe", "condition_rating": 5, "condition_assessed_on": "2026-01-01"})["id"]
	path, order := fmt.Sprint("/v1/assets/", asset), uuid.NewString()
	making := effect(order, "create_deficiency", "completed", 1, fields{"deficiency": fields{"asset_id": asset, "title": "Fuite"}})
	resourcetest.Expect(t, apply(t, client, true, making), fields{"outcome": "applied"})
	made := apply(t, client, false, making)
	apply(t, client, false, making)
	all, _ := client.List(t, "/v1/deficiencies")
	if len(all) != 1 {
		t.Fatalf("made %v", all)
	}
	resourcetest.Expect(t, all[0], fields{"id": made["result_id"], "source": "work_order", "source_id": order, "found_on": "2026-06-30",
		"created_by.name": "Geneviève Côté"})

	rating := effect(order, "rate", "completed", 1, fields{"asset_id": asset, "condition_rating": 1, "method": "visual"})
	rated := apply(t, client, false, rating)
	apply(t, client, false, rating)
	resourcetest.Expect(t, client.Must(t, http.StatusOK, "GET", path, nil).JSON, fields{"condition_rating": 1,
		"condition_assessed_on": "2026-06-30", "condition_source_id": rated["result_id"], "condition_method": "visual"})
	resourcetest.Expect(t, apply(t, client, false, effect(order, "rate", "completed", 1, fields{"system_id": system, "condition_rating": 2})),
		fields{"outcome": "applied", "result_id": system})
	resourcetest.Expect(t, client.Must(t, http.StatusOK, "GET", fmt.Sprint("/v1/systems/", system), nil).JSON, fields{"condition_rating": 2})

	site := client.Create(t, "/v1/sites", fields{"name": "Parc"})["id"]
	for _, c := range []struct {
		kind, field string
		payload     fields
	}{
		{"rate", "site_id", fields{"site_id": site, "condition_rating": 2}},
		{"rate", "condition_rating", fields{"asset_id": asset}},
		{"rate", "condition_rating", fields{"asset_id": asset, "condition_rating": 6}},
		{"rate", "method", fields{"asset_id": asset, "condition_rating": 2, "method": "guess"}},
		{"rate", "asset_id", fields{"asset_id": uuid.NewString(), "condition_rating": 2}},
		{"create_deficiency", "deficiency.title", fields{"deficiency": fields{"asset_id": asset}}},
		{"create_deficiency", "deficiency.asset_id", fields{"deficiency": fields{"asset_id": uuid.NewString(), "title": "x"}}},
		{"create_deficiency", "deficiency.building_id", fields{"deficiency": fields{"building_id": uuid.NewString(), "title": "x"}}},
	} {
		for _, check := range []bool{true, false} {
			resourcetest.Expect(t, apply(t, client, check, effect(order, c.kind, "completed", 1, c.payload)),
				fields{"outcome": "refused", "field": c.field})
		}
	}
	client.Must(t, http.StatusOK, "PATCH", path, fields{"status": "decommissioned"})
	resourcetest.Expect(t, apply(t, client, false, effect(order, "rate", "completed", 1, fields{"asset_id": asset, "condition_rating": 2})),
		fields{"outcome": "refused", "reason": "conflict", "code": "asset_retired", "field": "asset_id"})
}

func TestAReplacedAssetHasASuccessor(t *testing.T) {
	t.Parallel()
	client, database, peers := serveAmong(t)
	site := client.Create(t, "/v1/sites", fields{"name": "Site"})["id"]
	building := client.Create(t, "/v1/buildings", fields{"name": "Pavillon", "site_id": site})["id"]
	system := client.Create(t, "/v1/systems", fields{"name": "Chauffage", "building_id": building})["id"]
	parent := client.Create(t, "/v1/assets", fields{"name": "Chaufferie", "system_id": system})["id"]
	old := client.Create(t, "/v1/assets", fields{"name": "Chaudière", "system_id": system, "parent_asset_id": parent, "location": "S-12",
		"uniformat_code": "D3020", "consequence_of_failure": 4, "install_date": "1990-05-01", "replacement_cost": 9000,
		"serial_number": "OLD", "condition_rating": 5})["id"].(string)
	order := uuid.NewString()
	deficiency := client.Create(t, "/v1/deficiencies",
		fields{"asset_id": old, "title": "Fuite", "estimated_cost": 100, "found_on": "2026-01-01"})["id"]
	waived := client.Create(t, "/v1/deficiencies", fields{"asset_id": old, "title": "Bruit", "status": "waived", "waive_reason": "x"})["id"]
	replacing := effect(order, "replace", "completed", 1, fields{"asset_id": old, "successor": fields{"name": "Chaudière à condensation",
		"replacement_cost": 12000}})

	// The work order itself is open as long as it only asks; another one is in the way.
	peers.Depend(old, "work_orders", 1)
	resourcetest.Expect(t, apply(t, client, true, replacing), fields{"outcome": "applied"})
	peers.Depend(old, "work_orders", 2)
	resourcetest.Expect(t, apply(t, client, true, replacing), fields{"outcome": "refused", "code": "still_in_use", "field": "asset_id"})
	resourcetest.Expect(t, apply(t, client, false, replacing), fields{"outcome": "refused", "code": "still_in_use", "field": "asset_id"})
	peers.Depend(old, "", 0) // none
	if all, _ := client.List(t, "/v1/assets"); len(all) != 2 {
		t.Fatalf("%d assets before the work is done", len(all))
	}

	replacing["id"] = uuid.NewString()
	answer := apply(t, client, false, replacing)
	resourcetest.Expect(t, answer, fields{"outcome": "applied"})
	resourcetest.Expect(t, apply(t, client, false, replacing), fields{"outcome": "applied", "result_id": answer["result_id"]})
	resourcetest.Expect(t, client.Must(t, http.StatusOK, "GET", fmt.Sprint("/v1/assets/", answer["result_id"]), nil).JSON, fields{
		"name": "Chaudière à condensation", "site_id": site, "building_id": building, "system_id": system, "parent_asset_id": parent,
		"location": "S-12", "uniformat_code": "D3020", "category": "hvac", "consequence_of_failure": 4, "install_date": "2026-06-30",
		"replacement_cost": 12000, "status": "in_service", "serial_number": nil, "condition_rating": nil, "created_by.name": "Geneviève Côté"})
	resourcetest.Expect(t, client.Must(t, http.StatusOK, "GET", "/v1/assets/"+old, nil).JSON,
		fields{"status": "decommissioned", "out_of_use_on": "2026-06-30"})
	resourcetest.Expect(t, client.Must(t, http.StatusOK, "GET", fmt.Sprint("/v1/deficiencies/", deficiency), nil).JSON,
		fields{"status": "corrected", "corrected_on": "2026-06-30", "work_order_id": order, "actual_cost": nil})
	resourcetest.Expect(t, client.Must(t, http.StatusOK, "GET", fmt.Sprint("/v1/deficiencies/", waived), nil).JSON, fields{"status": "waived"})

	// Those whose records stand on it are told once.
	db, err := pgx.Connect(t.Context(), database.OwnerURL)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close(t.Context())
	var told string
	if err := db.QueryRow(t.Context(), `SELECT string_agg(owner || ' ' || coalesce(payload->>'pm_plans_of', payload->>'meters_of') || ' '
		|| (payload->>'successor_id'), ', ' ORDER BY owner) FROM effect_instruction WHERE kind = 'move_to_successor' AND organization_id = $1`,
		client.Principal.OrganizationID).Scan(&told); err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("meters %s %v, workorders %[1]s %[2]v", old, answer["result_id"]); told != want {
		t.Errorf("told %s, want %s", told, want)
	}

	// What is gone is not replaced again; nor is another organization's, or by something that cannot be.
	for _, c := range []struct {
		client      *resourcetest.Client
		code, field string
		payload     fields
	}{
		{client, "asset_retired", "asset_id", fields{"asset_id": old}},
		{client.Other(), "not_found", "asset_id", fields{"asset_id": parent}},
		{client, "not_found", "asset_id", fields{"asset_id": uuid.NewString()}},
		{client, "invalid_request", "asset_id", fields{"asset_id": "x"}},
		{client, "invalid_request", "retire_as", fields{"asset_id": parent, "retire_as": "sold"}},
		{client, "invalid_request", "successor", fields{"asset_id": parent, "successor": "x"}},
		{client, "invalid_request", "successor.quantity", fields{"asset_id": parent, "successor": fields{"quantity": -1}}},
	} {
		resourcetest.Expect(t, apply(t, c.client, true, effect(order, "replace", "completed", 1, c.payload)),
			fields{"outcome": "refused", "code": c.code, "field": c.field})
	}

	// Without anything said of the successor it is the same thing again, and what is disposed of has its day.
	again := apply(t, client, false, effect(order, "replace", "completed", 1, fields{"asset_id": parent, "retire_as": "disposed"}))
	resourcetest.Expect(t, client.Must(t, http.StatusOK, "GET", fmt.Sprint("/v1/assets/", again["result_id"]), nil).JSON,
		fields{"name": "Chaufferie", "system_id": system, "install_date": "2026-06-30"})
	resourcetest.Expect(t, client.Must(t, http.StatusOK, "GET", fmt.Sprint("/v1/assets/", parent), nil).JSON,
		fields{"status": "disposed", "disposed_on": "2026-06-30", "out_of_use_on": "2026-06-30"})
}

func TestAnAssessmentBringsItsDeficiencies(t *testing.T) {
	t.Parallel()
	client := serve(t)
	asset := client.Create(t, "/v1/assets", fields{"name": "Toiture", "replacement_cost": 1000})["id"]
	path := fmt.Sprint("/v1/assets/", asset, "/condition-assessments")
	assessment := client.Must(t, http.StatusCreated, "POST", path, fields{"assessed_on": "2024-05-01", "condition_rating": 4,
		"deferred_maintenance_cost": 7, "deficiencies": []fields{{"title": "Drain", "estimated_cost": 40.25},
			{"title": "Rampe", "category": "accessibility", "estimated_cost": 9}}}).JSON
	if _, shown := assessment["deficiencies"]; shown {
		t.Error("deficiencies are shown")
	}
	found, _ := client.List(t, fmt.Sprint("/v1/deficiencies?source_id=", assessment["id"], "&sort=number"))
	if len(found) != 2 {
		t.Fatalf("it brought %v", found)
	}
	resourcetest.Expect(t, found[0], fields{"title": "Drain", "source": "assessment", "asset_id": asset, "found_on": "2024-05-01",
		"cost_year": 2024, "estimated_cost": 40.25, "status": "open"})
	resourcetest.Expect(t, client.Must(t, http.StatusOK, "GET", fmt.Sprint("/v1/assets/", asset), nil).JSON,
		fields{"condition_rating": 4, "deferred_maintenance_cost": 40.25, "deferred_maintenance_basis": "deficiencies"})
	limited := *client // may not make deficiencies by themselves, so not with an assessment either
	limited.Principal.Scopes = []string{"assets:read", "assets:write"}
	body := fields{"assessed_on": "2024-05-04", "condition_rating": 4, "deficiencies": []fields{{"title": "Drain"}}}
	resourcetest.Expect(t, limited.Must(t, http.StatusForbidden, "POST", path, body).JSON,
		fields{"code": "scope_missing", "required_scope": "deficiencies:write",
			"error": "deficiencies: each entry makes a deficiency, which needs the scope deficiencies:write."})
	rows := limited.Must(t, http.StatusOK, "POST", path+"/bulk?atomic=false", fields{"data": []fields{body}}).JSON
	resourcetest.Expect(t, rows, fields{"summary.created": 0, "summary.failed": 1})
	one := fmt.Sprint(path, "/", assessment["id"])
	for field, refused := range map[string]resourcetest.Response{
		"deficiencies": client.Must(t, http.StatusBadRequest, "PATCH", one, fields{"deficiencies": []fields{{"title": "x"}}}),
		"deficiencies[0].title": client.Must(t, http.StatusBadRequest, "POST", path,
			fields{"assessed_on": "2024-05-02", "condition_rating": 3, "deficiencies": []fields{{"title": ""}}}),
		"data[1].deficiencies[0].estimated_cost": client.Must(t, http.StatusBadRequest, "POST", path+"/bulk", fields{"data": []fields{
			{"assessed_on": "2024-05-02", "condition_rating": 3, "deficiencies": []fields{{"title": "x"}}},
			{"assessed_on": "2024-05-03", "condition_rating": 3, "deficiencies": []fields{{"title": "x", "estimated_cost": 0.001}}}}}),
	} {
		if named := refused.Fields(); len(named) == 0 || named[0] != field {
			t.Errorf("%s: named %v", field, named)
		}
	}
	if all, _ := client.List(t, path); len(all) != 1 {
		t.Errorf("%d assessments", len(all))
	}
}

// Row by row, an assessment whose deficiencies cannot be fails alone, and nothing of it is written: not its rating, and none of the
// deficiencies that could be. That of a taken external_id is found by the database only.
func TestAnAssessmentFailsAloneForADeficiencyOfIts(t *testing.T) {
	t.Parallel()
	client := serve(t)
	asset := client.Create(t, "/v1/assets", fields{"name": "Toiture", "replacement_cost": 1000})["id"]
	client.Create(t, "/v1/deficiencies", fields{"title": "Connue", "asset_id": asset, "external_id": "VFA-1", "estimated_cost": 1})
	path := fmt.Sprint("/v1/assets/", asset, "/condition-assessments")
	row := func(day string, rating int, deficiencies ...fields) fields {
		return fields{"assessed_on": day, "condition_rating": rating, "deficiencies": deficiencies}
	}
	answer := client.Must(t, http.StatusOK, "POST", path+"/bulk?atomic=false", fields{"data": []fields{
		row("2024-05-01", 2, fields{"title": "Drain", "estimated_cost": 40.25}),
		row("2024-05-05", 5, fields{"title": "Bonne", "estimated_cost": 5}, fields{"title": "Trop fine", "estimated_cost": 0.001}),
		row("2024-05-02", 3, fields{"title": "Rampe", "estimated_cost": 9.5}),
		row("2024-05-06", 4, fields{"title": "Prise", "external_id": "VFA-1", "estimated_cost": 7}),
	}})
	resourcetest.Expect(t, answer.JSON, fields{"summary.created": 2, "summary.failed": 2})
	rows := answer.JSON["results"].([]any)
	for i, want := range []string{"created", "failed", "created", "failed"} {
		if got := rows[i].(fields)["status"]; got != want {
			t.Errorf("row %d is %v, want %s: %s", i, got, want, answer.Body)
		}
	}
	for i, want := range map[int]fields{1: {"field": "deficiencies[1].estimated_cost", "code": "invalid_request"},
		3: {"field": "deficiencies[0].external_id", "code": "already_exists", "value": "VFA-1", "id": nil}} {
		resourcetest.Expect(t, rows[i].(fields), want)
	}
	if all, _ := client.List(t, path); len(all) != 2 {
		t.Errorf("%d assessments, want 2", len(all))
	}
	found, _ := client.List(t, "/v1/deficiencies?sort=estimated_cost")
	var titles []string
	for _, d := range found {
		titles = append(titles, d["title"].(string))
	}
	if !slices.Equal(titles, []string{"Connue", "Rampe", "Drain"}) {
		t.Errorf("found %v", titles)
	}
	resourcetest.Expect(t, client.Must(t, http.StatusOK, "GET", fmt.Sprint("/v1/assets/", asset), nil).JSON,
		fields{"condition_rating": 3, "deferred_maintenance_cost": 50.75}) // 1.00 + 40.25 + 9.50

	// A row alone is named like any other.
	refused := client.Must(t, http.StatusBadRequest, "POST", path+"/bulk",
		fields{"data": []fields{row("2024-05-07", 1, fields{"title": "x", "estimated_cost": 0.001})}})
	if named := refused.Fields(); named[0] != "data[0].deficiencies[0].estimated_cost" {
		t.Errorf("named %v", named)
	}
}
