package workorders

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"ams.internal/libs/calendar"
	"ams.internal/libs/resource/resourcetest"
)

// Worked case 9: of 20 that were due 17 are done by the day, 2 within a fifth of the interval, 1 is missed; 3 are suppressed and 1 out of
// service beside.
func TestHowMuchWasDoneInTime(t *testing.T) {
	p := newPlans(t)
	plan := p.plan(t, "2027-01-01", fields{"trigger": fields{"rrule": "FREQ=MONTHLY"}})
	add := func(n int, state, doneOn string, out bool) {
		for range n {
			p.exec(t, `INSERT INTO pm_occurrence (organization_id, plan_id, target_id, occurrence, id, target_type, sequence, own_date, due_on,
				opens_on, window_to, interval_days, state, out_of_service, done_on) SELECT $1::text::uuid, $2::text::uuid, gen_random_uuid(),
				'2026-10-01', gen_random_uuid(), 'asset', 0, '2026-10-01', '2026-10-01', '2026-10-01', '2026-10-01', 28, $3, $4, nullif($5, '')::date`,
				p.Principal.OrganizationID, plan, state, out, doneOn)
		}
	}
	add(17, "done", "2026-10-01", false)
	add(2, "done", "2026-10-07", false) // a fifth of 28 days is 6
	add(1, "missed", "", false)
	add(3, "suppressed", "", false)
	add(1, "skipped", "", true)
	ask := func(query string) fields {
		return p.Must(t, http.StatusOK, "GET", "/v1/maintenance/pm-compliance?from=2026-10-01&to=2026-10-31"+query, nil).JSON
	}
	resourcetest.Expect(t, ask(""), fields{"due": 20, "decided": 20, "in_time": 17, "late": 2, "missed": 1, "suppressed": 3,
		"out_of_service": 1, "pm_compliance_pct": 85})
	resourcetest.Expect(t, ask("&rule=grace_20"), fields{"pm_compliance_pct": 95})
	resourcetest.Expect(t, ask("&rule=one_day&pm_plan_id="+plan), fields{"pm_compliance_pct": 85})
	resourcetest.Expect(t, ask("&site_id="+siteIDs[0]), fields{"due": 0, "pm_compliance_pct": nil})
	p.Must(t, http.StatusBadRequest, "GET", "/v1/maintenance/pm-compliance?from=2026-10-02&to=2026-10-01", nil)
	if pct := p.Must(t, http.StatusOK, "POST", "/internal/maintenance/figures", fields{"site_ids": []string{}, "building_ids": []string{},
		"period_start": "2026-10-01", "period_end": "2026-10-31"}).JSON["pm_compliance_pct"]; pct != 85.0 {
		t.Errorf("the figure for measures is %v", pct)
	}
}

// What is due and open is not late before its last day in time is over, by each rule.
func TestComplianceCountsWhatIsDecided(t *testing.T) {
	p := newPlans(t)
	plan := p.plan(t, "2027-01-01", fields{"trigger": fields{"rrule": "FREQ=MONTHLY"}})
	today, err := time.Parse(time.DateOnly, calendar.Calendar{TimeZone: p.Principal.TimeZone}.Today())
	if err != nil {
		t.Fatal(err)
	}
	day := func(ago int) string { return today.AddDate(0, 0, -ago).Format(time.DateOnly) }
	for _, c := range []struct {
		rule      string
		due, last int // so many days ago
		late      bool
	}{
		{"due_date", 0, 0, false}, {"due_date", 1, 1, true},
		{"one_day", 1, 1, false}, {"one_day", 2, 2, true},
		{"grace_20", 6, 6, false}, {"grace_20", 7, 7, true}, // a fifth of 28 days is 6
		{"window", 5, 0, false}, {"window", 5, 1, true}, // due on the 28th, within the month
	} {
		p.exec(t, "DELETE FROM pm_occurrence WHERE organization_id = $1", p.Principal.OrganizationID)
		p.exec(t, `INSERT INTO pm_occurrence (organization_id, plan_id, target_id, occurrence, id, target_type, sequence, own_date,
			due_on, opens_on, window_to, interval_days, state) SELECT $1::text::uuid, $2::text::uuid, $2::text::uuid, $3,
			gen_random_uuid(), 'plan', 0, $3::text::date, $3::text::date, $3::text::date, $4::text::date, 28, 'generated'`,
			p.Principal.OrganizationID, plan, day(c.due), day(c.last))
		path := "/v1/maintenance/pm-compliance?from=" + day(40) + "&to=" + day(-40) + "&rule=" + c.rule
		want := fields{"due": 1, "open": 1, "decided": 0, "late": 0, "pm_compliance_pct": nil}
		if c.late {
			want = fields{"due": 1, "open": 0, "decided": 1, "late": 1, "pm_compliance_pct": 0}
		}
		resourcetest.Expect(t, p.Must(t, http.StatusOK, "GET", path, nil).JSON, want)
	}
}

func TestIntervalsBetweenCompletions(t *testing.T) {
	p := newPlans(t)
	plan := p.plan(t, "2027-01-01", fields{"trigger": fields{"rrule": "FREQ=MONTHLY"}})
	// 33 and 30 days
	for _, c := range []struct{ key, done string }{{"2026-06-01", "2026-06-01"}, {"2026-06-29", "2026-07-04"}, {"2026-07-27", "2026-08-03"}} {
		p.exec(t, `INSERT INTO pm_occurrence (organization_id, plan_id, target_id, occurrence, id, target_type, sequence, own_date,
			due_on, opens_on, window_to, interval_days, state, done_on) SELECT $1::text::uuid, $2::text::uuid, $2::text::uuid, $3, gen_random_uuid(),
			'plan', 0, $3::text::date, $3::text::date, $3::text::date, $3::text::date, 28, 'done', $4::text::date`, p.Principal.OrganizationID, plan,
			c.key, c.done)
	}
	resourcetest.Expect(t, p.Must(t, http.StatusOK, "GET", "/v1/maintenance/pm-compliance?from=2026-06-01&to=2026-08-31", nil).JSON,
		fields{"intervals": 2, "intervals_within_10_pct": 1, "interval_variance_pct": 12.5})
}

func TestTheForecast(t *testing.T) {
	p := newPlans(t)
	next := time.Now().Year() + 1
	year := func(day string) string { return time.Date(next, 1, 1, 0, 0, 0, 0, time.UTC).Format("2006") + day }
	common := fields{"starts_on": year("-01-01"), "ends_on": year("-12-31"), "suppress_days": 0, "targets": p.assets(3)}
	with := func(more fields) fields {
		body := fields{}
		for _, from := range []fields{common, more} {
			for name, value := range from {
				body[name] = value
			}
		}
		return body
	}
	today := time.Now().Format(time.DateOnly)
	monthly := p.plan(t, today, with(fields{"trigger": fields{"rrule": "FREQ=MONTHLY"}, "team_id": team, "name": "a"}))
	quarterly := p.plan(t, today,
		with(fields{"trigger": fields{"rrule": "FREQ=MONTHLY;INTERVAL=3"}, "supersedes": []string{monthly}, "name": "b"}))
	p.plan(t, today, with(fields{"trigger": fields{"rrule": "FREQ=YEARLY"}, "supersedes": []string{monthly, quarterly}, "name": "c"}))
	ask := func(query string) fields {
		return p.Must(t, http.StatusOK, "GET", "/v1/maintenance/forecast?from="+year("-01-01")+"&to="+year("-12-31")+query, nil).JSON
	}
	resourcetest.Expect(t, ask("")["total"].(fields), fields{"work_orders": 36, "hours": 18})
	for query, want := range map[string][]float64{"&group_by=month": {3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3},
		"&group_by=plan": {24, 9, 3}, "&group_by=team": {24, 12},
		"&group_by=site": {36}} {
		var got []float64
		for _, group := range ask(query)["data"].([]any) {
			got = append(got, group.(fields)["work_orders"].(float64))
		}
		if len(got) != len(want) {
			t.Errorf("%s: %v, want %v", query, got, want)
			continue
		}
		for i := range want {
			if got[i] != want[i] {
				t.Errorf("%s: %v, want %v", query, got, want)
			}
		}
	}
	named := func(groups string) (names []any) {
		for _, group := range ask("&group_by=" + groups)["data"].([]any) {
			names = append(names, group.(fields)["name"])
		}
		return names
	}
	if teams, sites := fmt.Sprint(named("team")), fmt.Sprint(named("site")); teams != "[Jour No team]" || sites != "[École Saint-Joseph]" {
		t.Errorf("the groups are called %s and %s", teams, sites)
	}
	columns, rows := p.Table(t, "/v1/maintenance/forecast?group_by=plan&from="+year("-01-01")+"&to="+year("-12-31"))
	if len(rows) != 3 || columns[0] != "key" {
		t.Errorf("as CSV: %v %v", columns, rows)
	}
	p.Must(t, http.StatusBadRequest, "GET", "/v1/maintenance/forecast?from=2027-01-01&to=2038-01-01", nil)
	floating := p.plan(t, today,
		with(fields{"basis": "floating", "trigger": fields{"interval": fields{"n": 6, "unit": "month"}}, "name": "d"}))
	var found float64
	for _, group := range ask("&group_by=plan")["data"].([]any) {
		if group := group.(fields); group["key"] == floating {
			found = group["work_orders"].(float64)
		}
	}
	if found != 6 { // 1 January and 1 July on three assets
		t.Errorf("a floating plan makes %v", found)
	}
}
