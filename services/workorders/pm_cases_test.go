package workorders

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"ams.internal/libs/resource/resourcetest"
)

// Worked case 4: a bridge is due at the end of every second year, on a working day. Done too late it is due two years later all the same.
func TestABridgeIsDueInItsYearWheneverItWasDone(t *testing.T) {
	p := newPlans(t)
	plan := p.plan(t, "2026-01-01",
		fields{"starts_on": "2026-01-01", "trigger": fields{"rrule": "FREQ=YEARLY;INTERVAL=2;BYMONTH=12;BYMONTHDAY=31"},
			"lead_days": 300, "window": fields{"calendar": "year"}, "non_working_day": "previous"})
	p.at(t, "2026-03-06T12:00:00Z")
	first := p.occurrences(t, plan, "")["2026-12-31"]
	resourcetest.Expect(t, first, fields{"due_on": "2026-12-31", "opens_on": "2026-03-06", "state": "generated"})
	p.complete(t, first["work_order_id"], "2027-01-04T15:00:00Z")
	p.at(t, "2028-03-04T12:00:00Z")
	resourcetest.Expect(t, p.occurrences(t, plan, "")["2028-12-31"], fields{"due_on": "2028-12-29", "state": "generated"})
}

// Worked case 4: a sidewalk that was done on 10 March is due 16 months later, before the end of the next year.
func TestASidewalkIsDueBeforeTheGapIsTooLong(t *testing.T) {
	p := newPlans(t)
	plan := p.plan(t, "2026-01-01", fields{"starts_on": "2026-01-01", "trigger": fields{"rrule": "FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=31"},
		"lead_days": 300, "window": fields{"calendar": "year"}, "max_gap_months": 16})
	p.at(t, "2026-03-06T12:00:00Z")
	p.complete(t, p.occurrences(t, plan, "")["2026-12-31"]["work_order_id"], "2026-03-10T15:00:00Z")
	p.at(t, "2026-09-12T12:00:00Z")
	if all := p.occurrences(t, plan, ""); len(all) != 1 {
		t.Fatalf("300 days before 10 July 2027 are not there yet: %v", all)
	}
	p.at(t, "2026-09-13T12:00:00Z")
	resourcetest.Expect(t, p.occurrences(t, plan, "")["2027-12-31"], fields{"due_on": "2027-07-10", "state": "generated"})
}

// The rule window goes by the calendar year of the rule's own date: 2 March is in, 4 January of the next year is out.
func TestTheWindowOfACalendarYear(t *testing.T) {
	p := newPlans(t)
	plan := p.plan(t, "2027-01-01", fields{"trigger": fields{"rrule": "FREQ=YEARLY"}})
	for _, c := range []struct {
		year int
		done string
	}{{2022, "2022-03-02"}, {2024, "2025-01-04"}} {
		p.exec(t,
			`INSERT INTO pm_occurrence (organization_id, plan_id, target_id, occurrence, id, target_type, sequence, own_date, due_on, opens_on,
			window_from, window_to, interval_days, state, done_on) SELECT $1::text::uuid, $2::text::uuid, $2::text::uuid, $3::int || '-12-31',
			gen_random_uuid(), 'plan', 0, make_date($3, 12, 31), make_date($3, 12, 31), make_date($3, 3, 6), make_date($3, 1, 1),
			make_date($3, 12, 31), 730, 'done', $4::text::date`, p.Principal.OrganizationID, plan, c.year, c.done)
	}
	for query, want := range map[string]float64{"&rule=window": 50, "&rule=grace_20": 100, "": 50} {
		resourcetest.Expect(t, p.Must(t, http.StatusOK, "GET", "/v1/maintenance/pm-compliance?from=2022-01-01&to=2024-12-31"+query, nil).JSON,
			fields{"due": 2, "pm_compliance_pct": want})
	}
}

// Worked case 8: 2,070 of 2,250 hours at 6 a day are 30 days; what does not run is never due.
func TestTheForecastOfAMeter(t *testing.T) {
	p := newPlans(t)
	p.plan(t, time.Now().Format(time.DateOnly),
		fields{"trigger": fields{"meter": fields{"name": "Heures", "every": 250}}, "starts_on": "2026-01-01"})
	today := p.today(t)
	forecast := func(daily any, days int) any {
		p.peers.Respond("/internal/meters/usage",
			fields{"data": []fields{{"record_id": assetIDs[0], "total_usage": 2070, "usage_at": 1900, "daily_usage_90": daily}}})
		return p.Must(t, http.StatusOK, "GET", "/v1/maintenance/forecast?from="+today.Format(time.DateOnly)+"&to="+
			today.AddDate(0, 0, days).Format(time.DateOnly), nil).JSON["total"].(fields)["work_orders"]
	}
	for _, c := range []struct {
		daily any
		days  int
		want  float64
	}{{540.0 / 90, 29, 0}, {540.0 / 90, 30, 1}, {0, 3000, 0}, {nil, 3000, 0}, {2.5e8, 3000, 3000 * 1e6}} {
		if got := forecast(c.daily, c.days); got != c.want {
			t.Errorf("%v a day: %v within %d days, want %v", c.daily, got, c.days, c.want)
		}
	}
}

// today is the organization's.
func (p *plans) today(t testing.TB) time.Time {
	t.Helper()
	zone, err := time.LoadLocation("America/Toronto")
	if err != nil {
		t.Fatal(err)
	}
	day, err := time.Parse(time.DateOnly, time.Now().In(zone).Format(time.DateOnly))
	if err != nil {
		t.Fatal(err)
	}
	return day
}

// A floating plan with an interval and a meter is due by whichever comes first; completing resets both.
func TestWhicheverComesFirst(t *testing.T) {
	p := newPlans(t)
	plan := p.plan(t, "2027-01-01", fields{"basis": "floating", "starts_on": "2027-01-10", "last_done_on": "2027-01-01",
		"trigger": fields{"interval": fields{"n": 30, "unit": "day"}, "meter": fields{"name": "Heures", "every": 250}}})
	total := func(total, when float64) {
		p.peers.Respond("/internal/meters/usage", fields{"data": []fields{{"record_id": assetIDs[0], "total_usage": total, "usage_at": when}}})
	}
	total(1249, 1000)
	p.at(t, "2027-01-05T12:00:00Z")
	if all := p.occurrences(t, plan, ""); len(all) != 0 {
		t.Fatalf("249 of 250 hours: %v", all)
	}
	total(1250, 1000)
	p.at(t, "2027-01-06T12:00:00Z")
	first := p.occurrences(t, plan, "")["f1"]
	resourcetest.Expect(t, first, fields{"due_on": "2027-01-06", "state": "generated"}) // before 31 January
	p.complete(t, first["work_order_id"], "2027-01-08T15:00:00Z")
	total(1300, 1260)
	p.at(t, "2027-02-06T12:00:00Z")
	if all := p.occurrences(t, plan, ""); len(all) != 1 {
		t.Fatalf("29 days and 40 hours later: %v", all)
	}
	p.at(t, "2027-02-07T12:00:00Z")
	resourcetest.Expect(t, p.occurrences(t, plan, "")["f2"], fields{"due_on": "2027-02-07", "state": "generated"})
}

// A condition makes work once, and again after it was better.
func TestAConditionFiresOnceUntilItIsBetter(t *testing.T) {
	p := newPlans(t)
	rating := 4
	p.peers.Handle("assets", "/v1/assets", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"data": [{"id": %q, "condition_rating": %d}], "pagination": {"total": 1}}`, assetIDs[0], rating)
	}))
	plan := p.plan(t, "2027-01-01", fields{"trigger": fields{"condition": fields{"rating_at_least": 4}}, "stack": true})
	for i, c := range []struct {
		rating int
		want   []string
	}{{3, nil}, {4, []string{"c1"}}, {5, []string{"c1"}}, {2, []string{"c1"}}, {5, []string{"c1", "c2"}}} {
		rating = c.rating
		p.at(t, fmt.Sprintf("2027-01-%02dT12:00:00Z", 2+i))
		if keys := slices.Sorted(maps.Keys(p.occurrences(t, plan, ""))); !slices.Equal(keys, c.want) {
			t.Errorf("at rating %d: %v, want %v", c.rating, keys, c.want)
		}
	}
}

// A filter that has come to find more than 10,000 records pauses its plan, which says why.
func TestAPlanForTooMuchIsPaused(t *testing.T) {
	p := newPlans(t)
	total := 10_000
	p.peers.Handle("assets", "/v1/assets", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"data": [], "pagination": {"total": %d}}`, total)
	}))
	plan := "/v1/maintenance/pm-plans/" + p.plan(t, "2027-01-01", fields{"target_filter": fields{"collection": "assets", "query": "tags=a"},
		"trigger": fields{"rrule": "FREQ=MONTHLY"}})
	total = 10_001
	p.at(t, "2027-01-01T12:00:00Z")
	paused := p.Must(t, http.StatusOK, "GET", plan, nil).JSON
	if reason, _ := paused["paused_because"].(string); paused["status"] != "paused" || !strings.Contains(reason, "10001") {
		t.Errorf("%v", paused)
	}
	total = 1
	resourcetest.Expect(t, p.Must(t, http.StatusOK, "PATCH", plan, fields{"status": "active"}).JSON,
		fields{"status": "active", "paused_because": nil})
}

// What has been made stays as it was made; only later work is after the job plan's new version.
func TestWorkKeepsTheVersionOfItsJobPlan(t *testing.T) {
	p := newPlans(t)
	plan := p.plan(t, "2027-01-01", fields{"trigger": fields{"rrule": "FREQ=MONTHLY"}, "stack": true})
	p.at(t, "2027-01-01T12:00:00Z")
	p.Must(t, http.StatusOK, "PATCH", "/v1/maintenance/job-plans/"+p.job,
		fields{"estimated_hours": 2, "safety": "Cadenasser", "tasks": []fields{{"title": "Remplacer"}}})
	p.at(t, "2027-02-01T12:00:00Z")
	all := p.occurrences(t, plan, "")
	for key, want := range map[string]fields{"2027-01-01": {"job_plan_version": 1, "estimated_hours": 0.5, "safety": nil},
		"2027-02-01": {"job_plan_version": 2, "estimated_hours": 2, "safety": "Cadenasser"}} {
		path := "/v1/work-orders/" + all[key]["work_order_id"].(string)
		resourcetest.Expect(t, p.Must(t, http.StatusOK, "GET", path, nil).JSON, want)
		if tasks, _ := p.List(t, path+"/tasks"); len(tasks) != map[string]int{"2027-01-01": 2, "2027-02-01": 1}[key] {
			t.Errorf("%s has the tasks %v", key, tasks)
		}
	}
}

// A plan that becomes active, or whose rule changes, makes nothing of the days before.
func TestEditsMakeNothingOfThePast(t *testing.T) {
	p := newPlans(t)
	today := p.today(t)
	plan := "/v1/maintenance/pm-plans/" + p.Create(t,
		"/v1/maintenance/pm-plans", fields{"name": "Plan", "job_plan_id": p.job, "basis": "fixed", "status": "active",
			"starts_on": today.AddDate(-1, 0, 0).Format(time.DateOnly), "trigger": fields{"rrule": "FREQ=DAILY"}, "catch_up": "all", "stack": true,
			"time_zone": "America/Toronto", "targets": []fields{{"target_type": "asset", "target_id": assetIDs[0]}}})["id"].(string)
	noon := today.Add(17 * time.Hour).Format(time.RFC3339)
	p.at(t, noon)
	p.Must(t, http.StatusOK, "PATCH", plan,
		fields{"trigger": fields{"rrule": "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR,SA,SU"}, "starts_on": today.AddDate(-2, 0, 0).Format(time.DateOnly)})
	p.at(t, noon)
	found, _ := p.List(t, plan+"/occurrences?per_page=1000")
	if len(found) != 1 || found[0]["occurrence"] != today.Format(time.DateOnly) {
		t.Errorf("%d occurrences, want today's alone: %v", len(found), found)
	}
}

// While an owner is away the plan waits 5 seconds, then twice as long each time, five minutes at most.
func TestAnOwnerThatIsAwayIsAskedAgainLaterAndLater(t *testing.T) {
	p := newPlans(t)
	plan := p.plan(t, "2027-01-01", fields{"trigger": fields{"rrule": "FREQ=MONTHLY"}})
	p.peers.Refuse("/internal/references/assets")
	for attempts, most := range map[int]float64{0: 5, 1: 10, 5: 160, 6: 300, 20: 300} {
		p.exec(t, "UPDATE pm_plan SET attempts = $2 WHERE id = $1::text::uuid", plan, attempts)
		p.at(t, "2027-01-01T12:00:00Z")
		var seconds float64
		var now int
		if err := p.owner.QueryRow(t.Context(), `SELECT extract(epoch FROM next_action_at - clock_timestamp())::float8, attempts FROM pm_plan
			WHERE id = $1::text::uuid`, plan).Scan(&seconds, &now); err != nil {
			t.Fatal(err)
		}
		if seconds > most || seconds < most-5 || now != min(attempts+1, 20) {
			t.Errorf("after %d attempts it waits %.1f s, want %.0f; then %d", attempts, seconds, most, now)
		}
	}
}
