package workorders

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/reference"
	"ams.internal/libs/resource/resourcetest"
	"ams.internal/libs/testwait"
)

// Worked case 5: due 2027-03-20 with 14 days, made when 6 March begins in Toronto.
func TestWorkIsMadeWhenItsDayBegins(t *testing.T) {
	p := newPlans(t)
	plan := p.plan(t, "2027-01-01", fields{"starts_on": "2027-03-20", "lead_days": 14, "trigger": fields{"rrule": "FREQ=YEARLY"}})
	p.at(t, "2027-03-06T04:59:59Z")
	if made := p.workOrders(t, ""); len(made) != 0 {
		t.Fatalf("made before its day: %v", made)
	}
	p.at(t, "2027-03-06T05:00:00Z")
	made := p.workOrders(t, "pm_plan_id="+plan)
	if len(made) != 1 {
		t.Fatalf("%d work orders", len(made))
	}
	resourcetest.Expect(t, made[0], fields{"due_date": "2027-03-20", "occurrence": "2027-03-20", "job_plan_id": p.job, "job_plan_version": 1,
		"type": "inspection", "asset_id": assetIDs[0], "site_id": siteIDs[0], "estimated_hours": 0.5, "title": "Inspection – Pompe"})
	tasks, _ := p.List(t, "/v1/work-orders/"+made[0]["id"].(string)+"/tasks?sort=position")
	if len(tasks) != 2 || tasks[0]["title"] != "Vérifier" || tasks[1]["title"] != "Nettoyer" {
		t.Errorf("tasks %v", tasks)
	}
	p.at(t, "2027-03-06T05:00:00Z")
	if again := p.workOrders(t, ""); len(again) != 1 {
		t.Errorf("made once more: %d", len(again))
	}
}

// Worked case 3: a road of class 5 that was patrolled on 25 October, 23:30 in Toronto.
func TestAFloatingPlanGoesOnFromTheLocalDay(t *testing.T) {
	p := newPlans(t)
	plan := p.plan(t, "2026-10-20",
		fields{"basis": "floating", "starts_on": "2026-10-25", "trigger": fields{"interval": fields{"n": 30, "unit": "day"}}})
	p.at(t, "2026-10-25T12:00:00Z")
	first := p.occurrences(t, plan, "")["f1"]
	p.complete(t, first["work_order_id"], "2026-10-26T03:30:00Z")
	p.at(t, "2026-11-24T04:59:00Z")
	if all := p.occurrences(t, plan, ""); len(all) != 1 || all["f1"]["done_on"] != "2026-10-25" {
		t.Fatalf("%v", all)
	}
	p.at(t, "2026-11-24T05:00:00Z")
	resourcetest.Expect(t, p.occurrences(t, plan, "")["f2"], fields{"due_on": "2026-11-24", "state": "generated"})
}

// Worked case 6, first half: of 17 occurrences 5 are suppressed, and 12 work orders are made.
func TestLargerPlansIncludeSmallerOnes(t *testing.T) {
	p := newPlans(t)
	monthly, quarterly, annual := p.nested(t)
	p.monthByMonth(t)
	made := p.workOrders(t, "")
	counts := map[string]int{}
	for _, plan := range []string{monthly, quarterly, annual} {
		for _, o := range p.occurrences(t, plan, "") {
			counts[o["state"].(string)]++
		}
	}
	byPlan := map[any]int{}
	for _, w := range made {
		byPlan[w["pm_plan_id"]]++
	}
	if len(made) != 12 || counts["suppressed"] != 5 || byPlan[monthly] != 8 || byPlan[quarterly] != 3 || byPlan[annual] != 1 {
		t.Errorf("%d work orders, %v; monthly %d, quarterly %d, annual %d", len(made), counts, byPlan[monthly], byPlan[quarterly], byPlan[annual])
	}
}

// Worked case 6, second half: the annual one is skipped before; January's quarterly work is made, and what it includes is not.
func TestASkippedLargerPlanReleasesSmallerOnes(t *testing.T) {
	p := newPlans(t)
	monthly, quarterly, annual := p.nested(t)
	p.Must(t, http.StatusOK, "POST", "/v1/maintenance/pm-plans/"+annual+"/occurrences/skip",
		fields{"occurrence": "2027-01-01", "reason": "Chaudière neuve"})
	p.monthByMonth(t)
	byPlan := map[any]int{}
	for _, w := range p.workOrders(t, "") {
		byPlan[w["pm_plan_id"]]++
	}
	skipped := p.occurrences(t, annual, "")["2027-01-01"]
	if byPlan[monthly] != 8 || byPlan[quarterly] != 4 || byPlan[annual] != 0 || skipped["state"] != "skipped" ||
		skipped["reason"] != "Chaudière neuve" {
		t.Errorf("monthly %d, quarterly %d, annual %d, %v", byPlan[monthly], byPlan[quarterly], byPlan[annual], skipped)
	}
}

// What was suppressed already is released when the larger work is cancelled, and done when it is done.
func TestCancelledAndCompletedLargerWork(t *testing.T) {
	p := newPlans(t)
	_, quarterly, annual := p.nested(t)
	p.at(t, "2027-01-01T12:00:00Z")
	order := p.occurrences(t, annual, "")["2027-01-01"]["work_order_id"].(string)
	p.complete(t, order, "2027-01-03T15:00:00Z")
	suppressed := p.occurrences(t, quarterly, "")["2027-01-01"]
	if suppressed["state"] != "suppressed" || suppressed["done_on"] == nil {
		t.Errorf("%v", suppressed)
	}
	p.Must(t, http.StatusOK, "POST", "/v1/work-orders/"+order+"/transition", fields{"to": "in_progress"})
	if again := p.occurrences(t, annual, "")["2027-01-01"]; again["state"] != "generated" || again["done_on"] != nil {
		t.Errorf("opened again: %v", again)
	}
	p.Must(t, http.StatusOK, "POST", "/v1/work-orders/"+order+"/transition", fields{"to": "cancelled", "cancel_reason": "Chaudière neuve"})
	resourcetest.Expect(t, p.occurrences(t, annual, "")["2027-01-01"], fields{"state": "skipped", "reason": "Chaudière neuve"})
	p.at(t, "2027-01-02T12:00:00Z")
	resourcetest.Expect(t, p.occurrences(t, quarterly, "")["2027-01-01"], fields{"state": "generated"})
	p.Must(t, http.StatusOK, "POST", "/v1/work-orders/"+order+"/transition", fields{"to": "open"})
	resourcetest.Expect(t, p.occurrences(t, annual, "")["2027-01-01"], fields{"state": "generated"})
	p.Must(t, http.StatusOK, "POST", "/v1/work-orders/"+order+"/transition", fields{"to": "cancelled", "cancel_reason": "x"})
	p.Must(t, http.StatusNoContent, "DELETE", "/v1/work-orders/"+order, nil)
	resourcetest.Expect(t, p.occurrences(t, annual, "")["2027-01-01"],
		fields{"state": "skipped", "work_order_id": nil, "reason": "The work order was deleted."})
	p.at(t, "2027-01-03T12:00:00Z")
	if made := p.workOrders(t, "pm_plan_id="+annual); len(made) != 0 {
		t.Errorf("made again after it was deleted: %v", made)
	}
}

// nested are worked case 6's plans: monthly, quarterly, annual, each on the 1st, suppress_days 0.
func (p *plans) nested(t testing.TB) (monthly, quarterly, annual string) {
	monthly = p.plan(t, "2027-01-01",
		fields{"ends_on": "2027-12-31", "suppress_days": 0, "trigger": fields{"rrule": "FREQ=MONTHLY"}, "stack": true})
	quarterly = p.plan(t, "2027-01-01", fields{"ends_on": "2027-12-31", "suppress_days": 0,
		"trigger": fields{"rrule": "FREQ=MONTHLY;INTERVAL=3"}, "supersedes": []string{monthly}, "stack": true})
	annual = p.plan(t, "2027-01-01", fields{"ends_on": "2027-12-31", "suppress_days": 0, "trigger": fields{"rrule": "FREQ=YEARLY"},
		"supersedes": []string{monthly, quarterly}})
	return monthly, quarterly, annual
}

func (p *plans) monthByMonth(t testing.TB) {
	for _, month := range []string{"01", "02", "03", "04", "05", "06", "07", "08", "09", "10", "11", "12"} {
		p.at(t, "2027-"+month+"-01T12:00:00Z")
	}
}

// The next one opens while work is open: the earlier is missed, and its work order serves the later.
func TestWorkThatIsLateServesTheNextOccurrence(t *testing.T) {
	p := newPlans(t)
	plan := p.plan(t, "2027-01-01", fields{"trigger": fields{"rrule": "FREQ=MONTHLY"}})
	p.at(t, "2027-01-01T12:00:00Z")
	first := p.occurrences(t, plan, "")["2027-01-01"]["work_order_id"]
	p.at(t, "2027-02-01T12:00:00Z")
	all := p.occurrences(t, plan, "")
	if all["2027-01-01"]["state"] != "missed" || all["2027-02-01"]["state"] != "generated" || all["2027-02-01"]["work_order_id"] != first {
		t.Errorf("%v", all)
	}
	made := p.workOrders(t, "")
	if len(made) != 1 {
		t.Fatalf("%d work orders", len(made))
	}
	resourcetest.Expect(t, made[0], fields{"due_date": "2027-02-01", "occurrence": "2027-02-01"})
}

func TestWhatOpenedWhileNobodyLooked(t *testing.T) {
	for catchUp, want := range map[string][2]int{"latest": {1, 2}, "all": {3, 0}, "none": {0, 3}} { // made, missed
		p := newPlans(t)
		plan := p.plan(t, "2027-01-01", fields{"trigger": fields{"rrule": "FREQ=MONTHLY"}, "catch_up": catchUp, "stack": true})
		p.at(t, "2027-03-05T12:00:00Z")
		counts := map[any]int{}
		for _, o := range p.occurrences(t, plan, "") {
			counts[o["state"]]++
		}
		if made := len(p.workOrders(t, "")); made != want[0] || counts["missed"] != want[1] {
			t.Errorf("%s: %d made, %v", catchUp, made, counts)
		}
	}
}

// Worked case 7: at 2,070 the eighth step is made, at 2,900 the eleventh, and those between are missed.
func TestStepsOfACounter(t *testing.T) {
	p := newPlans(t)
	plan := p.plan(t, "2027-01-01", fields{"trigger": fields{"meter": fields{"name": "Heures", "every": 250}}})
	total := func(total, before float64) {
		p.peers.Respond("/internal/meters/usage",
			fields{"data": []fields{{"record_id": assetIDs[0], "meter_id": nobody, "total_usage": total, "usage_at": before}}})
	}
	total(1900, 1900)
	p.at(t, "2027-01-02T12:00:00Z")
	if all := p.occurrences(t, plan, ""); len(all) != 0 {
		t.Fatalf("%v", all)
	}
	total(2070, 1900)
	p.at(t, "2027-01-02T13:00:00Z")
	if keys := slices.Collect(maps.Keys(p.occurrences(t, plan, ""))); !slices.Equal(keys, []string{"m8"}) {
		t.Fatalf("%v", keys)
	}
	p.complete(t, p.occurrences(t, plan, "")["m8"]["work_order_id"], "2027-01-02T15:00:00Z")
	total(2900, 1900)
	p.at(t, "2027-01-03T12:00:00Z")
	all := p.occurrences(t, plan, "")
	for key, state := range map[string]string{"m8": "done", "m9": "missed", "m10": "missed", "m11": "generated"} {
		if all[key]["state"] != state {
			t.Errorf("%s is %v, want %s", key, all[key]["state"], state)
		}
	}
	total(1000, 1900) // a late reading changes the sum, and makes nothing
	p.at(t, "2027-01-04T12:00:00Z")
	if again := p.occurrences(t, plan, ""); len(again) != 4 {
		t.Errorf("%v", again)
	}
}

func TestALimitOfAGaugeFiresOnce(t *testing.T) {
	p := newPlans(t)
	plan := p.plan(t, "2027-01-01",
		fields{"trigger": fields{"gauge": fields{"name": "Pression", "op": "gt", "value": 800, "clear_value": 700}}, "stack": true})
	answer := func(outside bool, excursions ...string) {
		rows := []fields{}
		for _, at := range excursions {
			rows = append(rows, fields{"at": at, "value": 812.5})
		}
		p.peers.Respond("/internal/meters/gauges",
			fields{"data": []fields{{"record_id": assetIDs[0], "meter_id": nobody, "excursions": rows, "outside": outside,
				"read_to": "2027-01-02T12:00:00Z"}}})
	}
	answer(true, "2027-01-02T11:00:00Z")
	p.at(t, "2027-01-02T12:00:00Z")
	answer(true)
	p.at(t, "2027-01-02T13:00:00Z")
	question := p.peers.LastRequest("/internal/meters/gauges")
	asked := question["records"].([]any)[0].(fields)
	if len(p.occurrences(t, plan, "")) != 1 || asked["outside"] != true || asked["since"] == nil || question["gt"] != 800.0 ||
		question["clear_value"] != 700.0 {
		t.Errorf("asked %v", question)
	}
	answer(true, "2027-01-03T11:00:00Z")
	p.at(t, "2027-01-03T12:00:00Z")
	if keys := slices.Sorted(maps.Keys(p.occurrences(t, plan, ""))); !slices.Equal(keys, []string{"c1", "c2"}) {
		t.Errorf("%v", keys)
	}
}

func TestTargetsThatAreOutOfServiceAreSkipped(t *testing.T) {
	p := newPlans(t)
	targets := p.assets(3)
	plan := p.plan(t, "2027-01-01", fields{"targets": targets, "trigger": fields{"rrule": "FREQ=MONTHLY"}, "stack": true})
	*p.status[targets[1]["target_id"].(string)] = "out_of_service"
	*p.status[targets[2]["target_id"].(string)] = "disposed"
	p.at(t, "2027-01-01T12:00:00Z")
	p.at(t, "2027-02-01T12:00:00Z")
	for i, want := range []map[string]string{{"2027-01-01": "generated", "2027-02-01": "generated"},
		{"2027-01-01": "skipped", "2027-02-01": "skipped"}, {"2027-01-01": "skipped"}} {
		got := map[string]string{}
		for key, o := range p.occurrences(t, plan, "target_id="+targets[i]["target_id"].(string)) {
			got[key] = o["state"].(string)
		}
		if !maps.Equal(got, want) {
			t.Errorf("target %d: %v, want %v", i, got, want)
		}
	}
}

// Another organization sees nothing of plans and occurrences, and its planner makes nothing of them.
func TestPlansAreTheOrganizationsOwn(t *testing.T) {
	p := newPlans(t)
	plan := "/v1/maintenance/pm-plans/" + p.plan(t, "2027-01-01", fields{"trigger": fields{"rrule": "FREQ=MONTHLY"}})
	p.at(t, "2027-01-01T12:00:00Z")
	other := p.Other()
	other.Must(t, http.StatusNotFound, "GET", plan, nil)
	other.Must(t, http.StatusNotFound, "GET", plan+"/occurrences", nil)
	for _, action := range []string{"skip", "generate"} {
		other.Must(t, http.StatusNotFound, "POST", plan+"/occurrences/"+action, fields{"occurrence": "2027-02-01", "reason": "x"})
	}
	other.Must(t, http.StatusNotFound, "POST", plan+"/occurrences/reschedule",
		fields{"occurrence": "2027-02-01", "due_on": "2027-02-02", "reason": "x"})
	resourcetest.Expect(t, other.Must(t, http.StatusOK, "GET",
		"/v1/maintenance/forecast?from=2027-01-01&to=2027-12-31", nil).JSON["total"].(fields), fields{"work_orders": 0})
	for _, table := range []string{"job_plan", "pm_plan", "pm_occurrence", "pm_target"} {
		var forced bool
		if err := p.owner.QueryRow(t.Context(),
			"SELECT relforcerowsecurity FROM pg_class WHERE oid = $1::text::regclass", table).Scan(&forced); err != nil || !forced {
			t.Errorf("%s is not isolated: %v", table, err)
		}
	}
	lapsed := p.newPlanner(t)
	// the plan has no maintenance any more
	lapsed.queue.Organizations = reference.NewOrganizationCache(func(_ context.Context, id string) (reference.Organization, error) {
		return reference.Organization{ID: id}, nil
	}, time.Now)
	p.exec(t, "UPDATE pm_plan SET planned_from = '2027-01-01'")
	if err := p.lookAt(t, lapsed, "2027-02-01T12:00:00Z"); err != nil || len(p.workOrders(t, "")) != 1 {
		t.Errorf("an organization without the feature gets work: %v", err)
	}
}

// A plan of the organization that loses the feature while a look goes on: what is not begun is not made.
func TestALapsedFeatureStopsALookThatGoesOn(t *testing.T) {
	p := newPlans(t)
	for range 3 {
		p.plan(t, "2027-01-01", fields{"trigger": fields{"rrule": "FREQ=MONTHLY"}})
	}
	planner, now, asked := p.newPlanner(t), time.Now(), 0
	planner.queue.Organizations = reference.NewOrganizationCache(func(ctx context.Context, id string) (reference.Organization, error) {
		if asked++; asked == 1 {
			return withMaintenance(ctx, id)
		}
		return reference.Organization{}, fault.NotFound("organization", id)
	}, func() time.Time { return now })
	planner.afterBatch = func() { now = now.Add(reference.OrganizationLife + time.Second) } // as if the first plan had taken so long
	if err := p.lookAt(t, planner, "2027-01-01T12:00:00Z"); err != nil || len(p.workOrders(t, "")) != 1 || asked != 2 {
		t.Errorf("%d work orders were made, asked %d times: %v", len(p.workOrders(t, "")), asked, err)
	}
}

// A planner that found a plan just before its organization moved away asks where it is now, once, and leaves the plan as it is.
func TestThePlannerAsksAgainWhereAnOrganizationIsThatHasMoved(t *testing.T) {
	p := newPlans(t)
	p.plan(t, "2027-01-01", fields{"trigger": fields{"rrule": "FREQ=MONTHLY"}})
	planner, asked := p.newPlanner(t), 0
	planner.queue.Organizations = reference.NewOrganizationCache(func(ctx context.Context, id string) (reference.Organization, error) {
		if asked++; asked == 1 {
			p.exec(t, "INSERT INTO organization_move (organization, state) VALUES ($1::text::uuid, 'absent')", id)
		}
		return withMaintenance(ctx, id)
	}, time.Now)
	if err := p.lookAt(t, planner, "2027-01-01T12:00:00Z"); err != nil || asked != 2 {
		t.Errorf("asked %d times: %v", asked, err)
	}
	p.exec(t, "DELETE FROM organization_move")
	if err := p.lookAt(t, planner, "2027-01-01T12:00:00Z"); err != nil || asked != 3 || len(p.workOrders(t, "")) != 1 {
		t.Errorf("when it is there: %d work orders, asked %d times: %v", len(p.workOrders(t, "")), asked, err)
	}
}

// A rule that changes days lets another occurrence take the place of one that is not due yet: nobody has missed that, and no report counts
// it.
func TestAnotherRuleSupersedesWhatIsNotDueYet(t *testing.T) {
	p := newPlans(t)
	plan := p.plan(t, "2027-01-01", fields{"trigger": fields{"rrule": "FREQ=MONTHLY;BYMONTHDAY=15"}, "lead_days": 27})
	p.at(t, "2027-01-02T12:00:00Z")
	order := p.occurrences(t, plan, "")["2027-01-15"]["work_order_id"]
	p.Must(t, http.StatusOK, "PATCH", "/v1/maintenance/pm-plans/"+plan, fields{"trigger": fields{"rrule": "FREQ=MONTHLY;BYMONTHDAY=28"}})
	p.exec(t, "UPDATE pm_plan SET planned_from = '2027-01-02' WHERE id = $1::text::uuid", plan)
	p.at(t, "2027-01-02T12:00:30Z")
	all := p.occurrences(t, plan, "")
	resourcetest.Expect(t, all["2027-01-15"], fields{"state": "superseded", "reason": "Another occurrence took its place before it was due."})
	resourcetest.Expect(t, all["2027-01-28"], fields{"state": "generated", "due_on": "2027-01-28", "work_order_id": order})
	for _, e := range p.Events(t, p.database) {
		if e.Type == "pm_occurrence.missed" {
			t.Errorf("told: %s", e.Object)
		}
	}
	p.exec(t, "UPDATE pm_occurrence SET due_on = due_on - 400, window_to = window_to - 400 WHERE plan_id = $1::text::uuid",
		plan) // over by today
	resourcetest.Expect(t, p.Must(t, http.StatusOK, "GET", "/v1/maintenance/pm-compliance?from=2025-01-01&to=2026-03-31", nil).JSON,
		fields{"due": 1, "missed": 0})
	p.at(t, "2027-02-01T12:00:00Z") // what is over by then is missed
	if state := p.occurrences(t, plan, "")["2027-01-28"]["state"]; state != "missed" {
		t.Errorf("%v", state)
	}
}

// Actions on one occurrence, before and after its turn.
func TestActionsOnOneOccurrence(t *testing.T) {
	p := newPlans(t)
	id := p.plan(t, "2027-01-01", fields{"trigger": fields{"rrule": "FREQ=MONTHLY"}, "stack": true})
	act := func(status int, action string, body fields) fields {
		body["reason"] = "Congé"
		return p.Must(t, status, "POST", "/v1/maintenance/pm-plans/"+id+"/occurrences/"+action, body).JSON
	}
	resourcetest.Expect(t, act(http.StatusOK, "generate", fields{"occurrence": "2027-03-01"}), fields{"changed": 1})
	resourcetest.Expect(t, act(http.StatusOK, "generate", fields{"occurrence": "2027-03-01"}), fields{"changed": 0}) // once
	resourcetest.Expect(t, act(http.StatusOK, "skip", fields{"occurrence": "2027-02-01"}), fields{"changed": 1})
	resourcetest.Expect(t, act(http.StatusOK, "reschedule", fields{"occurrence": "2027-04-01", "due_on": "2027-04-12"}),
		fields{"changed": 0, "was_due_on": "2027-04-01", "due_on": "2027-04-12", "opens_on": "2027-04-12", "state": "planned"})
	planned := p.occurrences(t, id, "state=planned")
	if len(planned) != 1 {
		t.Errorf("%v", planned)
	}
	resourcetest.Expect(t, planned["2027-04-01"], fields{"due_on": "2027-04-12", "target_type": "plan", "work_order_id": nil,
		"reason": "Congé"})
	for _, action := range []string{"skip", "generate"} {
		act(http.StatusBadRequest, action, fields{"occurrence": "2027-03-02"})
		act(http.StatusBadRequest, action, fields{"occurrence": "f1"})
	}
	for _, at := range []string{"2027-01-01", "2027-02-01", "2027-03-01", "2027-04-01"} {
		p.at(t, at+"T12:00:00Z")
	}
	all := p.occurrences(t, id, "")
	if len(all) != 4 || all["2027-01-01"]["state"] != "generated" || all["2027-02-01"]["state"] != "skipped" || len(p.workOrders(t, "")) != 2 {
		t.Errorf("%v", all)
	}
	p.at(t, "2027-04-12T12:00:00Z")
	resourcetest.Expect(t, p.occurrences(t, id, "")["2027-04-01"], fields{"due_on": "2027-04-12", "state": "generated"})
	resourcetest.Expect(t, act(http.StatusOK, "skip", fields{"occurrence": "2027-01-01"}), fields{"changed": 1}) // its work order is cancelled
	p.Must(t, http.StatusConflict, "DELETE", "/v1/maintenance/pm-plans/"+id, nil)
}

// What is moved is to come or in work: anything else is refused by a sentence that names what can be moved, and that can.
func TestOnlyWhatThePlanWillHaveIsMoved(t *testing.T) {
	p := newPlans(t)
	targets := p.assets(2)
	path := func(plan string) string { return "/v1/maintenance/pm-plans/" + plan + "/occurrences/" }
	move := func(status int, plan, occurrence, to string) fields {
		return p.Must(t, status, "POST", path(plan)+"reschedule", fields{"occurrence": occurrence, "due_on": to, "reason": "Congé"}).JSON
	}
	refused := func(plan, occurrence, says string) {
		t.Helper()
		for action, body := range map[string]fields{"reschedule": {"due_on": "2027-05-03"}, "skip": {}, "generate": {}} {
			body["occurrence"], body["reason"] = occurrence, "Congé"
			problem := p.Must(t, http.StatusBadRequest, "POST", path(plan)+action, body).JSON["fields"].([]any)[0].(fields)
			resourcetest.Expect(t, problem, fields{"field": "occurrence",
				"message": occurrence + " is no occurrence of the plan that is to come or in work; " + says})
		}
	}
	floating := p.plan(t, "2027-01-01", fields{"basis": "floating", "starts_on": "2027-02-10", "targets": targets,
		"trigger": fields{"interval": fields{"n": 30, "unit": "day"}}})
	for _, none := range []string{"f0", "f2", "f7", "f01", "m1", "2027-02-10"} {
		refused(floating, none, "give the cycle that is next on a target, or in work (next: f1)")
	}
	resourcetest.Expect(t, move(http.StatusOK, floating, "f1", "2027-02-15"), fields{"state": "planned", "was_due_on": nil})
	p.at(t, "2027-02-15T12:00:00Z")
	done := p.workOrders(t, "asset_id="+targets[0]["target_id"].(string))[0]
	resourcetest.Expect(t, done, fields{"due_date": "2027-02-15"})
	p.complete(t, done["id"], "2027-02-16T15:00:00Z")
	refused(floating, "f3", "give the cycle that is next on a target, or in work (in work: f1; next: f2)")
	resourcetest.Expect(t, move(http.StatusOK, floating, "f2", "2027-03-22"), fields{"state": "planned"})
	resourcetest.Expect(t, move(http.StatusOK, floating, "f1", "2027-02-19"), fields{"state": "generated", "was_due_on": "2027-02-15",
		"changed": 1})
	p.at(t, "2027-03-22T12:00:00Z")
	resourcetest.Expect(t, p.occurrences(t, floating, "")["f2"], fields{"state": "generated", "due_on": "2027-03-22"})

	fixed := p.plan(t, "2027-04-01", fields{"starts_on": "2026-01-01", "trigger": fields{"rrule": "FREQ=MONTHLY"}})
	p.at(t, "2027-04-01T12:00:00Z")
	p.complete(t, p.occurrences(t, fixed, "")["2027-04-01"]["work_order_id"], "2027-04-02T15:00:00Z")
	for _, over := range []string{"2027-04-01", "2026-02-01"} { // done; and of days on which the plan was not there
		resourcetest.Expect(t, move(http.StatusBadRequest, fixed, over, "2027-05-03")["fields"].([]any)[0].(fields), fields{"field": "occurrence",
			"message": over + " is no occurrence of the plan that is to come or in work; give a date of its rule (next: 2027-05-01)"})
	}
	resourcetest.Expect(t, move(http.StatusBadRequest, fixed, "2027-05-01", "2027-03-31")["fields"].([]any)[0].(fields),
		fields{"field": "due_on",
			"message": "must be 2027-04-01 or later: the plan makes no work of days before"})
	resourcetest.Expect(t, move(http.StatusOK, fixed, "2027-05-01", "2027-05-03"), fields{"state": "planned", "was_due_on": "2027-05-01"})

	meter := p.plan(t, "2027-01-01", fields{"trigger": fields{"meter": fields{"name": "Heures", "every": 250}}})
	p.peers.Respond("/internal/meters/usage", fields{"data": []fields{{"record_id": assetIDs[0], "total_usage": 260, "usage_at": 100}}})
	refused(meter, "m1", "its occurrences have names once they are made: give one that is in work (there is none now)")
	p.at(t, "2027-05-03T12:00:00Z")
	resourcetest.Expect(t, move(http.StatusOK, meter, "m1", "2027-05-10"), fields{"state": "generated", "was_due_on": "2027-05-03",
		"changed": 1})
}

func TestOneWorkOrderForAWholePlan(t *testing.T) {
	p := newPlans(t)
	targets := p.assets(3)
	plan := p.plan(t, "2027-01-01", fields{"targets": targets, "work_order_per": "plan", "trigger": fields{"rrule": "FREQ=MONTHLY"}})
	*p.status[targets[1]["target_id"].(string)] = "out_of_service"
	p.at(t, "2027-01-01T12:00:00Z")
	made := p.workOrders(t, "pm_plan_id="+plan)
	if len(made) != 1 {
		t.Fatalf("%d work orders", len(made))
	}
	resourcetest.Expect(t, made[0], fields{"site_id": siteIDs[0], "asset_id": nil, "title": "Inspection"})
	named, _ := p.List(t, "/v1/work-orders/"+made[0]["id"].(string)+"/targets")
	if len(named) != 2 || named[0]["target_id"] != targets[0]["target_id"] || named[1]["target_id"] != targets[2]["target_id"] {
		t.Errorf("targets %v", named)
	}
	resourcetest.Expect(t, p.occurrences(t, plan, "")["2027-01-01"],
		fields{"target_type": "plan", "state": "generated", "work_order_id": made[0]["id"]})
}

// Two instances look at the same plans at once; one is killed between batches again and again; an owner is away in between. Each
// occurrence has one work order.
func TestEachOccurrenceIsMadeOnce(t *testing.T) {
	p := newPlans(t)
	const each = 1200
	targets := p.assets(each)
	for range 3 {
		p.plan(t, "2027-01-01", fields{"targets": targets, "trigger": fields{"rrule": "FREQ=MONTHLY"}})
	}
	p.peers.Refuse("/internal/references/assets")
	if p.at(t, "2027-01-01T12:00:00Z"); len(p.workOrders(t, "")) != 0 {
		t.Fatal("work was made while the owner of its targets was away")
	}
	p.peers.Restore("/internal/references/assets")
	other := p.newPlanner(t)
	var group sync.WaitGroup
	for round := range 6 {
		for i, by := range []*planner{p.planner, other} {
			ctx, kill := context.WithCancel(t.Context())
			killed := 0
			by.afterBatch = func() {
				if killed++; round < 4 && i == round%2 && killed == 1+round/2 {
					kill()
				}
			}
			group.Go(func() {
				defer kill()
				_ = by.queue.Once(ctx) // whoever is killed has no say
			})
		}
		group.Wait()
		p.exec(t, "UPDATE pm_plan SET next_action_at = '2000-01-01' WHERE next_action_at < '2027-01-01T12:00:00Z'")
	}
	p.at(t, "2027-01-01T12:00:00Z")
	var occurrences, withWork, distinct, orders int
	if err := p.owner.QueryRow(t.Context(), `SELECT count(*), count(work_order_id), count(DISTINCT work_order_id),
		(SELECT count(*) FROM work_order)
			FROM pm_occurrence WHERE state = 'generated'`).Scan(&occurrences, &withWork, &distinct, &orders); err != nil {
		t.Fatal(err)
	}
	if occurrences != 3*each || withWork != occurrences || distinct != occurrences || orders != occurrences {
		t.Errorf("%d occurrences, %d with work, %d distinct work orders of %d; want %d of each", occurrences, withWork, distinct, orders, 3*each)
	}
}

// Somebody who asks for an occurrence waits while a look has the plan, and is told when the plan was changed in that time.
func TestAnOccurrenceThatIsAskedForWaitsForALook(t *testing.T) {
	p := newPlans(t)
	plan := p.plan(t, "2027-01-01", fields{"starts_on": "2027-02-01", "trigger": fields{"rrule": "FREQ=MONTHLY"}})
	for _, c := range []struct {
		meanwhile string
		status    int
	}{{"UPDATE pm_plan SET version = version + 1 WHERE id = $1", http.StatusConflict},
		{"UPDATE pm_plan SET attempts = 0 WHERE id = $1", http.StatusOK}} {
		lock, err := pgx.Connect(t.Context(), p.database.OwnerURL)
		if err != nil {
			t.Fatal(err)
		}
		tx, err := lock.Begin(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := tx.Exec(t.Context(), c.meanwhile, plan); err != nil {
			t.Fatal(err)
		}
		answered := make(chan resourcetest.Response, 1)
		go func() {
			answered <- p.Do(t, "POST", "/v1/maintenance/pm-plans/"+plan+"/occurrences/generate",
				fields{"occurrence": "2027-02-01", "reason": "Visite avancée"})
		}()
		testwait.For(t, 10*time.Second, "the call waits for the lock", func() bool {
			var waits int
			if err := p.owner.QueryRow(t.Context(),
				"SELECT count(*) FROM pg_locks l JOIN pg_stat_activity a USING (pid) WHERE a.datname = current_database() AND NOT l.granted").
				Scan(&waits); err != nil {
				t.Fatal(err)
			}
			return waits > 0
		})
		if err := tx.Commit(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := <-answered; got.Status != c.status {
			t.Errorf("%s: %d %s", c.meanwhile, got.Status, got.Body)
		}
		_ = lock.Close(t.Context())
	}
	if made := len(p.workOrders(t, "")); made != 1 {
		t.Errorf("%d work orders were made", made)
	}
}

// Whoever finds a plan locked leaves it to the one that has the lock. If he went on with the next targets, and the other was killed, nobody
// would look at the first ones again before the next occurrence.
func TestAPlanThatIsLockedIsLeftWhole(t *testing.T) {
	p := newPlans(t)
	const each = 2 * batchTargets
	plan := p.plan(t, "2027-01-01", fields{"targets": p.assets(each), "trigger": fields{"rrule": "FREQ=MONTHLY"}})
	lock, err := pgx.Connect(t.Context(), p.database.OwnerURL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = lock.Close(context.WithoutCancel(t.Context())) })
	tx, err := lock.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(t.Context(), "SELECT FROM pm_plan WHERE id = $1 FOR NO KEY UPDATE", plan); err != nil {
		t.Fatal(err)
	}
	kill := func() { _ = tx.Rollback(t.Context()) } // whoever has the lock
	p.planner.afterBatch = kill
	now, _ := time.Parse(time.RFC3339, "2027-01-01T12:00:00Z")
	p.planner.now = func() time.Time { return now }
	for range 2 {
		if err := p.planner.queue.Once(t.Context()); err != nil {
			t.Fatal(err)
		}
		kill()
	}
	if made := len(p.workOrders(t, "")); made != each {
		t.Errorf("%d work orders of %d", made, each)
	}
}
