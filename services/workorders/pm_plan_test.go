package workorders

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"ams.internal/libs/resource/resourcetest"
)

func makeJobPlan(_ testing.TB, _ *resourcetest.Client, n int) map[string]any {
	return map[string]any{
		"name": fmt.Sprintf("Inspection %d", n), "code": fmt.Sprintf("EXT-%d", n), "type": "inspection", "priority": "high",
		"estimated_hours": 0.5, "estimated_cost": 45.25, "trade": "sécurité incendie", "safety": "Cadenasser d'abord",
		"tasks":            []fields{{"title": "Vérifier le manomètre", "required": true}, {"title": "Nettoyer"}},
		"materials":        []fields{{"description": "Goupille", "quantity": 1.0, "unit_cost": 0.85, "vendor": "Laurentides"}},
		"form_template_id": template,
		"external_id":      fmt.Sprintf("job-%d", n), "tags": []string{"feu"}, "custom_fields": map[string]any{"lot": 4.0},
	}
}

// jobNumbers numbers the job plans and calendars of plans, whose codes and names differ.
var jobNumbers atomic.Int64

func makePMPlan(t testing.TB, client *resourcetest.Client, n int) map[string]any {
	number := jobNumbers.Add(1)
	job := client.Create(t, "/v1/maintenance/job-plans", fields{"name": "Inspection", "code": fmt.Sprint("J", number)})
	calendar := client.Create(t, "/v1/maintenance/calendars", fields{"name": fmt.Sprint("Calendrier ", number), "time_zone": "America/Toronto",
		"week": []fields{{"day": "monday", "from": "08:30", "to": "16:30"}}})
	return map[string]any{
		"name": fmt.Sprintf("Tous les mois %d", n), "code": fmt.Sprintf("M-%d", n), "status": "active", "job_plan_id": job["id"],
		"targets":        []fields{{"target_type": "asset", "target_id": assetIDs[n%2]}},
		"work_order_per": "target", "basis": "fixed", "time_zone": "America/Toronto", "starts_on": "2027-01-01", "ends_on": "2031-12-31",
		"trigger": fields{"rrule": "FREQ=MONTHLY"}, "lead_days": 14, "window": fields{"calendar": "month"}, "max_gap_months": 3,
		"seasons":         []fields{{"from": "11-01", "to": "03-31"}},
		"exception_dates": []string{"2027-02-01"}, "extra_dates": []string{"2027-06-15"}, "calendar_id": calendar["id"],
		"non_working_day": "previous", "suppress_days": 3, "stack": true, "catch_up": "all", "when_out_of_service": "generate",
		"obligation": "O. Reg. 213/07", "team_id": team, "last_done_on": "2026-12-03", "supersedes": []string{},
		"external_id": fmt.Sprintf("plan-%d", n), "tags": []string{"feu"}, "custom_fields": map[string]any{"lot": 4.0},
	}
}

func TestPlansThatAreRefused(t *testing.T) {
	p := newPlans(t)
	p.peers.Handle("assets", "/v1/assets", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.URL.Query().Has("colour") {
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprint(w, `{"error": "colour: is no parameter", "code": "validation_failed", "fields": [{"field": "colour", "message": "is no `+
				`parameter of this list"}]}`)
			return
		}
		fmt.Fprint(w, `{"data": [], "pagination": {"total": 10001}}`)
	}))
	self := p.plan(t, "2027-01-01", fields{"status": "draft", "trigger": fields{"rrule": "FREQ=MONTHLY"}})
	larger := p.plan(t, "2027-01-01", fields{"status": "draft", "trigger": fields{"rrule": "FREQ=YEARLY"}, "supersedes": []string{self}})
	answer := p.Must(t, http.StatusBadRequest, "PATCH", "/v1/maintenance/pm-plans/"+self, fields{"supersedes": []string{larger}})
	if !strings.Contains(string(answer.Body), "circle") {
		t.Errorf("a circle: %s", answer.Body)
	}
	asset := []fields{{"target_type": "asset", "target_id": assetIDs[0]}}
	for _, c := range []struct {
		field string
		body  fields
	}{
		{"trigger.rrule", fields{"trigger": fields{"rrule": strings.Repeat("FREQ=DAILY;", 900)}}},
		{"trigger.rrule", fields{"trigger": fields{"rrule": "FREQ=SECONDLY"}}},
		{"trigger.rrule", fields{"trigger": fields{"rrule": "FREQ=DAILY;INTERVAL=0"}}},
		{"trigger.rrule", fields{"trigger": fields{"rrule": "FREQ=MONTHLY;BYMONTHDAY=32"}}},
		{"trigger.rrule", fields{"trigger": fields{"rrule": "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30"}}},
		{"trigger.rrule", fields{"basis": "floating", "trigger": fields{"rrule": "FREQ=MONTHLY"}}},
		{"trigger.interval", fields{"trigger": fields{"interval": fields{"n": 1, "unit": "month"}}}},
		{"trigger.interval.n", fields{"basis": "floating", "trigger": fields{"interval": fields{"n": 1001, "unit": "month"}}}},
		{"trigger", fields{"trigger": fields{}}},
		{"trigger", fields{"trigger": fields{"rrule": "FREQ=MONTHLY", "condition": fields{"rating_at_least": 4}}}},
		{"trigger.meter.every", fields{"trigger": fields{"meter": fields{"name": "h", "every": 0}}}},
		{"trigger.meter.name", fields{"trigger": fields{"meter": fields{"name": nil, "every": 250}}}},
		{"trigger.interval.n", fields{"basis": "floating", "trigger": fields{"interval": fields{"n": nil, "unit": "month"}}}},
		{"trigger.interval.unit", fields{"basis": "floating", "trigger": fields{"interval": fields{"n": 1}}}},
		{"trigger.gauge.value", fields{"trigger": fields{"gauge": fields{"name": "p", "op": "gt", "value": 1e308}}}},
		{"trigger.gauge.clear_value", fields{"trigger": fields{"gauge": fields{"name": "p", "op": "gt", "value": 800, "clear_value": 900}}}},
		{"time_zone", fields{"time_zone": "America/Nowhere"}},
		{"starts_on", fields{"starts_on": "1989-12-31"}},
		{"ends_on", fields{"ends_on": "2026-01-01"}},
		{"lead_days", fields{"lead_days": 28}},
		{"lead_days", fields{"lead_days": 731}},
		{"window", fields{"window": fields{"days_before": 3}}},
		{"seasons[0]", fields{"seasons": []fields{{"from": "02-30", "to": "03-31"}}}},
		{"targets[0].target_id", fields{"targets": []fields{{"target_type": "asset", "target_id": nobody}}}},
		{"targets[1]", fields{"targets": []fields{asset[0], asset[0]}}},
		{"targets", fields{"targets": []fields{}}},
		{"target_filter", fields{"target_filter": fields{"collection": "assets", "query": ""}}},
		{"target_filter.query", fields{"targets": []fields{}, "target_filter": fields{"collection": "assets", "query": "colour=red"}}},
		{"target_filter.query", fields{"targets": []fields{}, "target_filter": fields{"collection": "assets", "query": "status=in_service"}}},
		{"target_filter.query", fields{"targets": []fields{}, "target_filter": fields{"collection": "assets", "query": "per_page=7"}}},
		{"supersedes", fields{"supersedes": []string{nobody}}},
		{"job_plan_id", fields{"job_plan_id": nobody}},
	} {
		body := fields{"name": "x", "job_plan_id": p.job, "basis": "fixed", "status": "active", "starts_on": "2027-01-01", "targets": asset,
			"trigger": fields{"rrule": "FREQ=MONTHLY"}}
		for name, value := range c.body {
			body[name] = value
		}
		answer := p.Refused(t, "POST", "/v1/maintenance/pm-plans", body)
		if len(answer.Fields()) == 0 || !strings.HasPrefix(answer.Fields()[0], c.field) {
			t.Errorf("%v: %d %s, want %s", c.body, answer.Status, answer.Body, c.field)
		}
	}
}

func TestAPlanThatHasEndedIsFinal(t *testing.T) {
	p := newPlans(t)
	plan := "/v1/maintenance/pm-plans/" + p.plan(t, "2027-01-01", fields{"trigger": fields{"rrule": "FREQ=MONTHLY"}})
	p.Must(t, http.StatusOK, "PATCH", plan, fields{"status": "ended"})
	p.Must(t, http.StatusConflict, "PATCH", plan, fields{"name": "y"})
	p.at(t, "2027-06-01T12:00:00Z")
	if made := p.workOrders(t, ""); len(made) != 0 {
		t.Errorf("a plan that has ended made %v", made)
	}
	p.Must(t, http.StatusNoContent, "DELETE", plan, nil)
}
