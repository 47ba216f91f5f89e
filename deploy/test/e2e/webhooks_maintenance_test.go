package e2e

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/deploy/devstack"
)

// provokeMaintenance makes what is told of maintenance besides changes of records. What stays on record refers to nothing of the fixture.
func provokeMaintenance(t *testing.T, c caller, mine fixture, h *hook) {
	t.Helper()
	today := time.Now().UTC().AddDate(0, 0, -1).Format(time.DateOnly)
	for _, path := range []string{"/v1/deficiencies/" + mine["deficiency"],
		"/v1/infrastructure/deficiencies/" + mine["infrastructure_deficiency"]} {
		c.must(t, 200, "PATCH", path, map[string]any{"found_on": today, "status": "corrected", "corrected_on": today})
		c.must(t, 200, "PATCH", path, map[string]any{"status": "open"})
	}
	provokeRequests(t, c)
	provokeWork(t, c, mine)
	provokeRefusal(t, c, h, "/v1/work-orders", map[string]any{"title": "Told to replace"}, "work_order.effect_refused")
	provokeRefusal(t, c, h, "/v1/projects", map[string]any{"name": "Told to replace", "status": "in_progress"}, "project.effect_refused")
	provokeOccurrences(t, c, h)
	reading := map[string]any{"read_at": time.Now().UTC().Format(time.RFC3339), "value": 120}
	c.must(t, 201, "POST", "/v1/meters/"+mine["meter"]+"/readings", reading)
	c.must(t, 200, "POST", "/v1/meters/"+mine["meter"]+"/readings/withdraw",
		map[string]any{"read_at": reading["read_at"], "reason": "Told of another meter"})
	template := c.create(t, "/v1/forms/templates", map[string]any{"name": "Told to be filled in", "status": "published",
		"items": []any{map[string]any{"key": "runs", "type": "pass_fail", "label": "It runs"}}})
	response := c.create(t, "/v1/forms/responses", map[string]any{"template_id": template,
		"asset_id": c.create(t, "/v1/assets", map[string]any{"name": "Told about"}), "answers": map[string]any{"runs": "pass"}})
	c.must(t, 200, "POST", "/v1/forms/responses/"+response+"/submit", map[string]any{})
	provokeRefusalOfForm(t, c)
	provokeRefusalOfRequest(t, c)
}

// goneAsset is the id of no asset.
const goneAsset = "00000000-0000-4000-8000-000000000000"

// provokeRefusalOfForm sends an effect of a form again, about an asset that has gone since.
func provokeRefusalOfForm(t *testing.T, c caller) {
	t.Helper()
	template := c.create(t, "/v1/forms/templates", map[string]any{"name": "Told to be refused", "status": "published",
		"items": []any{map[string]any{"key": "runs", "type": "pass_fail", "label": "It runs", "on_fail": "deficiency"}}})
	response := c.create(t, "/v1/forms/responses", map[string]any{"template_id": template,
		"asset_id": c.create(t, "/v1/assets", map[string]any{"name": "Told to be broken"}), "answers": map[string]any{"runs": "fail"}})
	path := "/v1/forms/responses/" + response
	c.must(t, 200, "POST", path+"/submit", map[string]any{})
	await(t, c, path+"/effects", "the deficiency of the form", func(list map[string]any) bool {
		return list["data"].([]any)[0].(map[string]any)["state"] == "applied"
	})
	inDatabase(t, `UPDATE forms.form_effect SET id = gen_random_uuid(), state = 'refused',
		payload = jsonb_set(payload, '{deficiency,asset_id}', to_jsonb($2::text)) WHERE response_id = $1::uuid`, response, goneAsset)
	again := c.must(t, 200, "GET", path+"/effects", nil).object["data"].([]any)[0].(map[string]any)
	c.must(t, 200, "POST", fmt.Sprint(path, "/effects/", again["id"], "/retry"), nil)
}

// provokeRefusalOfRequest lets what a request was accepted with be about an asset that has gone since.
func provokeRefusalOfRequest(t *testing.T, c caller) {
	t.Helper()
	request := c.create(t, "/v1/requests", map[string]any{"title": "Told to be refused"})
	c.must(t, 200, "POST", "/v1/requests/"+request+"/accept", map[string]any{})
	linked := await(t, c, "/v1/requests/"+request, "the work order of the request", func(r map[string]any) bool {
		return r["work_order_state"] == "linked"
	})
	inDatabase(t, `WITH again AS (UPDATE requests.request SET effect_id = gen_random_uuid(), effect_field = 'deficiency_id',
		work_order_state = 'pending'
			WHERE id = $1::uuid RETURNING organization_id, id, effect_id)
		INSERT INTO requests.effect_instruction (organization_id, effect_id, owner, record, kind, stage, payload, on_day, cause, actor,
			caller, request_id)
		SELECT organization_id, effect_id, 'assets', 'deficiencies/' || effect_id, 'create_deficiency', 'completed',
			jsonb_build_object('deficiency', jsonb_build_object('title', 'Told to be refused', 'asset_id', $2::text)), current_date,
			jsonb_build_object('collection', 'requests', 'id', id), '{"type": "service", "id": "requests", "name": "Requests"}',
			'{"currency": "CAD", "time_zone": "America/Toronto", "fiscal_year_end": 12, "features": []}', effect_id FROM again`, request, goneAsset)
	await(t, c, "/v1/requests/"+request, "the refusal", func(r map[string]any) bool { return r["work_order_state"] == "refused" })
	c.must(t, 200, "POST", fmt.Sprint("/v1/work-orders/", linked["work_order_id"], "/transition"), map[string]any{"to": "completed"})
}

// provokeRequests lets one request be accepted, done and closed, and another one be rejected.
func provokeRequests(t *testing.T, c caller) {
	t.Helper()
	request := c.create(t, "/v1/requests", map[string]any{"title": "Told to be accepted"})
	accepted := c.must(t, 200, "POST", "/v1/requests/"+request+"/accept", map[string]any{})
	order, _ := await(t, c, "/v1/requests/"+request, "the work order of the request", func(r map[string]any) bool {
		return r["work_order_id"] != nil
	})["work_order_id"].(string)
	if accepted.object["status"] != "accepted" {
		t.Errorf("%s", accepted.body)
	}
	c.must(t, 200, "POST", "/v1/work-orders/"+order+"/transition", map[string]any{"to": "completed"})
	await(t, c, "/v1/requests/"+request, "the end of the request", func(r map[string]any) bool { return r["status"] == "closed" })
	rejected := c.create(t, "/v1/requests", map[string]any{"title": "Told to be rejected"})
	c.must(t, 200, "POST", "/v1/requests/"+rejected+"/reject", map[string]any{"reason": "Private land"})
}

// provokeWork lets a work order miss its service level, and gives a closed one a late cost.
func provokeWork(t *testing.T, c caller, mine fixture) {
	t.Helper()
	policy := c.must(t, 200, "GET", "/v1/maintenance/sla-policies/"+mine["sla_policy"], nil).object
	late := c.create(t, "/v1/work-orders", map[string]any{"title": "Told to be late", "priority": policy["priority"], "type": policy["type"]})
	inDatabase(t, `UPDATE workorders.work_order SET complete_by = now() - interval '1 minute' WHERE id = $1`, late)
	closed := c.create(t, "/v1/work-orders", map[string]any{"title": "Told to be closed"})
	for _, to := range []string{"completed", "closed"} {
		c.must(t, 200, "POST", "/v1/work-orders/"+closed+"/transition", map[string]any{"to": to})
	}
	cost := c.must(t, 201, "POST", "/v1/work-orders/"+closed+"/costs", map[string]any{"kind": "contractor", "unit_cost": 150})
	if cost.object["late"] != true {
		t.Errorf("%s", cost.body)
	}
}

// provokeRefusal completes two causes that replace the same asset, at the same time: where both were allowed to, the owner refuses the
// second. Where one was completed before the other one asked, that is a 409, and two more try it.
func provokeRefusal(t *testing.T, c caller, h *hook, path string, body map[string]any, refused string) {
	t.Helper()
	for range 30 {
		asset := c.create(t, "/v1/assets", map[string]any{"name": "Told to be replaced"})
		effect := map[string]any{"kind": "replace",
			"payload": map[string]any{"asset_id": asset, "successor": map[string]any{"name": "Told to follow"}}}
		var causes []string
		for range 2 {
			causes = append(causes, path+"/"+c.create(t, path, body))
			c.must(t, 201, "POST", causes[len(causes)-1]+"/effects", effect)
		}
		var both sync.WaitGroup
		completed := make([]int, len(causes))
		for i, cause := range causes {
			both.Go(func() {
				if got, err := c.try("PATCH", cause, map[string]any{"status": "completed"}); err == nil {
					completed[i] = got.status
				}
			})
		}
		both.Wait()
		if completed[0] == http.StatusOK && completed[1] == http.StatusOK {
			h.await(t, refused, of(refused, ""))
			return
		}
		if completed[0] != http.StatusOK && completed[1] != http.StatusOK {
			t.Fatalf("neither replaced the asset: %v", completed)
		}
	}
	t.Fatal("no two of them were completed at the same time")
}

// provokeOccurrences lets a plan make work, as if it had been due yesterday, then calls tomorrow's forward, so that the first is
// missed, and skips a later one.
func provokeOccurrences(t *testing.T, c caller, h *hook) {
	t.Helper()
	asset := c.create(t, "/v1/assets", map[string]any{"name": "Told to be maintained"})
	job := c.create(t, "/v1/maintenance/job-plans", map[string]any{"name": "Told daily"})
	zone, err := time.LoadLocation("America/Toronto")
	if err != nil {
		t.Fatal(err)
	}
	day := func(offset int) string { return time.Now().In(zone).AddDate(0, 0, offset).Format(time.DateOnly) }
	plan := c.create(t, "/v1/maintenance/pm-plans", map[string]any{"name": "Told daily", "job_plan_id": job, "basis": "fixed",
		"targets": []any{map[string]any{"target_type": "asset", "target_id": asset}}, "starts_on": day(0),
		"trigger": map[string]any{"rrule": "FREQ=DAILY"}})
	path := "/v1/maintenance/pm-plans/" + plan
	c.must(t, 200, "PATCH", path, map[string]any{"status": "active"})
	h.await(t, "pm_occurrence.generated", of("pm_occurrence.generated", ""))
	inDatabase(t, "UPDATE workorders.pm_occurrence SET due_on = $2::date WHERE plan_id = $1::uuid", plan, day(-1))
	c.must(t, 200, "POST", path+"/occurrences/reschedule",
		map[string]any{"occurrence": day(1), "due_on": day(0), "reason": "Holiday tomorrow"})
	h.await(t, "pm_occurrence.missed", of("pm_occurrence.missed", ""))
	c.must(t, 200, "POST", path+"/occurrences/skip", map[string]any{"occurrence": day(3), "reason": "Holiday"})
	h.await(t, "pm_occurrence.skipped", of("pm_occurrence.skipped", ""))
	c.must(t, 200, "PATCH", path, map[string]any{"status": "ended"})
}

// await reads a record until it is as it should be, and gives it.
func await(t testing.TB, c caller, path, what string, fits func(map[string]any) bool) map[string]any {
	t.Helper()
	var last response
	for deadline := time.Now().Add(timeout); time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
		if last = c.must(t, 200, "GET", path, nil); fits(last.object) {
			return last.object
		}
	}
	t.Fatalf("%s: %s", what, last.body)
	return nil
}

// inDatabase runs a statement as the database's administrator: what only time would bring about.
func inDatabase(t testing.TB, statement string, args ...any) {
	t.Helper()
	db, err := pgx.Connect(t.Context(), devstack.ForTest(t).Description().PostgresURL)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close(t.Context())
	done, err := db.Exec(t.Context(), statement, args...)
	if err != nil {
		t.Fatal(err)
	}
	if done.RowsAffected() != 1 {
		t.Fatal(fmt.Errorf("%s changed %d rows", statement, done.RowsAffected()))
	}
}
