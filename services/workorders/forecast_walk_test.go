package workorders

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"ams.internal/libs/domain/contracts/meters"
	"ams.internal/libs/principal"
	"ams.internal/libs/resource/resourcetest"
	"ams.internal/libs/testnight"
)

// dayOfPlan is a plan and a day on which its work is due.
type dayOfPlan struct{ plan, day string }

// forecastOn gives how many work orders of plans the forecast has on each day until last, as it is on a day.
func (p *plans) forecastOn(t testing.TB, today, last time.Time) map[dayOfPlan]int {
	t.Helper()
	days := map[dayOfPlan]int{}
	f := &forecaster{orders: orders{p.registry}, in: ForecastRequest{GroupBy: "plan"}, from: today, to: last, today: today,
		groups: map[string]*ForecastGroup{},
		each:   func(of *forecastPlan, due time.Time, n int) { days[dayOfPlan{of.Name, due.Format(time.DateOnly)}] += n }}
	if err := f.addAll(principal.Into(context.WithoutCancel(t.Context()), p.Principal)); err != nil {
		t.Fatal(err)
	}
	return days
}

// madeOn gives how many work orders there are, by plan and due day, that are due from one day to another.
func (p *plans) madeOn(t testing.TB, names map[string]string, from, to time.Time) map[dayOfPlan]int {
	t.Helper()
	days := map[dayOfPlan]int{}
	for _, w := range p.workOrders(t, fmt.Sprintf("due_date_from=%s&due_date_to=%s", from.Format(time.DateOnly), to.Format(time.DateOnly))) {
		days[dayOfPlan{names[w["pm_plan_id"].(string)], w["due_date"].(string)}]++
	}
	return days
}

func expectSameDays(t testing.TB, what string, forecast, made map[dayOfPlan]int) {
	t.Helper()
	all := maps.Clone(forecast)
	maps.Copy(all, made)
	keys := slices.SortedFunc(maps.Keys(all), func(a, b dayOfPlan) int {
		return cmp.Or(strings.Compare(a.plan, b.plan), strings.Compare(a.day, b.day))
	})
	wrong := 0
	for _, key := range keys {
		if forecast[key] != made[key] {
			if wrong++; wrong <= 20 {
				t.Errorf("%s: %s, due %s: the forecast has %d, the planner made %d", what, key.plan, key.day, forecast[key], made[key])
			}
		}
	}
	if wrong > 20 {
		t.Errorf("%s: %d days differ", what, wrong)
	}
}

// doWhatIsDue does, in the afternoon of a day, all work that is due by then.
func (p *plans) doWhatIsDue(t testing.TB, day time.Time) {
	t.Helper()
	due := p.workOrders(t, "status=open&due_date_to="+day.Format(time.DateOnly))
	var ids []string
	for _, w := range due {
		ids = append(ids, w["id"].(string))
	}
	p.exec(t, "UPDATE work_order SET created_at = least(created_at, '2020-01-01') WHERE id = ANY($1::uuid[])", ids)
	for _, id := range ids {
		p.Must(t, http.StatusOK, "POST", "/v1/work-orders/"+id+"/transition", fields{"to": "completed"})
	}
	on := day.Format(time.DateOnly)
	p.exec(t, `UPDATE work_order SET completed_at = $2::text::date + interval '20 hours' WHERE id = ANY($1::uuid[])`, ids, on)
	p.exec(t, `UPDATE pm_occurrence SET done_on = $2::text::date WHERE work_order_id = ANY($1::uuid[]) AND state = 'done'`, ids, on)
	p.exec(t, `WITH RECURSIVE d AS (
			SELECT plan_id, occurrence, target_id FROM pm_occurrence WHERE work_order_id = ANY($1::uuid[]) AND state = 'done'
			UNION SELECT s.plan_id, s.occurrence, s.target_id FROM d, pm_occurrence s WHERE s.suppressed_by = d.plan_id AND s.suppressed_key =
				d.occurrence
				AND s.state = 'suppressed' AND (s.target_id = d.target_id OR d.target_id = d.plan_id OR s.target_id = s.plan_id))
		UPDATE pm_occurrence o SET done_on = $2::text::date FROM d WHERE o.plan_id = d.plan_id AND o.occurrence = d.occurrence AND o.target_id
			= d.target_id`,
		ids, on)
}

// randomPlan is a plan of any kind.
func (p *plans) randomPlan(r *rand.Rand, today time.Time, targets []fields, calendar string) fields {
	day := func(from, to int) string { return today.AddDate(0, 0, from+r.IntN(to-from)).Format(time.DateOnly) }
	pick := func(from ...any) any { return from[r.IntN(len(from))] }
	body := fields{"starts_on": day(-500, 30), "stack": r.IntN(2) == 0, "catch_up": pick("latest", "latest", "all", "none"),
		"non_working_day": pick("keep", "previous", "next"),
		"suppress_days":   r.IntN(12), "targets": targets[:1+r.IntN(len(targets))], "work_order_per": pick("target", "target", "plan")}
	var shortest int
	if r.IntN(3) == 0 {
		n, unit := 1+r.IntN(3), pick("week", "month", "month").(string)
		body["basis"], body["trigger"] = "floating", fields{"interval": fields{"n": n + 1, "unit": unit}}
		shortest = map[string]int{"week": 7, "month": 28}[unit] * (n + 1)
	} else {
		rule := pick("FREQ=MONTHLY;BYMONTHDAY=-1", "FREQ=MONTHLY;BYDAY=1MO", "FREQ=WEEKLY;INTERVAL=2;BYDAY=SU",
			"FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=31",
			"FREQ=MONTHLY;INTERVAL=3;BYMONTHDAY=15", "FREQ=YEARLY;INTERVAL=3", "FREQ=DAILY;INTERVAL=3", "FREQ=MONTHLY;BYMONTHDAY=28,29").(string)
		body["trigger"] = fields{"rrule": rule}
		if r.IntN(3) == 0 {
			body["extra_dates"] = []string{day(5, 300)}
		}
		switch {
		case strings.HasPrefix(rule, "FREQ=YEARLY"):
			shortest, body["extra_dates"] = 360, []string{}
		case rule == "FREQ=MONTHLY;BYMONTHDAY=28,29" || body["extra_dates"] != nil:
			shortest = 1
		default:
			shortest = 3
		}
	}
	if r.IntN(2) == 0 {
		body["last_done_on"] = day(-400, 0)
	}
	if r.IntN(2) == 0 {
		body["max_gap_months"] = 1 + r.IntN(16)
	}
	if r.IntN(4) == 0 {
		body["seasons"] = []fields{{"from": "11-01", "to": "03-31"}, {"from": "06-01", "to": "08-15"}}
	}
	if r.IntN(3) == 0 {
		body["window"] = pick(fields{"calendar": "year"}, fields{"calendar": "month"}, fields{"days_before": 5, "days_after": 3})
	}
	if r.IntN(2) == 0 {
		body["calendar_id"] = calendar
	}
	if r.IntN(2) == 0 {
		body["lead_days"] = r.IntN(min(shortest, 40))
	}
	return body
}

// The forecast of a year is what the planner makes when the clock is moved through that year and everything is done on its day, day for
// day; so it is from any day on.
func TestTheForecastIsWhatThePlannerMakes(t *testing.T) {
	for seed := uint64(5); seed < uint64(5+testnight.Rounds(1, 12)); seed++ {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 7))
			p := newPlans(t)
			p.job = p.Create(t, "/v1/maintenance/job-plans", fields{"name": "Tour", "type": "inspection"})["id"].(string)
			today := p.today(t)
			last := today.AddDate(1, 0, 0)
			calendar, targets := p.calendar(t, "Lundi à jeudi"), p.assets(3)
			names, ids := map[string]string{}, []string{}
			for i := range 14 {
				body := p.randomPlan(r, today, targets, calendar)
				body["name"] = fmt.Sprintf("%02d", i)
				if i%3 > 0 { // nested with the one before, or with both
					body["supersedes"] = ids[i-i%3+r.IntN(i%3):]
				}
				id := p.plan(t, today.Format(time.DateOnly), body)
				names[id], ids = body["name"].(string), append(ids, id)
				if testing.Verbose() {
					t.Log(body)
				}
			}
			was := map[time.Time]map[dayOfPlan]int{}
			for day := today; !day.After(last); day = day.AddDate(0, 0, 1) {
				if n := int(day.Sub(today).Hours() / 24); n%90 == 0 {
					was[day] = p.forecastOn(t, day, last)
				}
				for range 3 { // what is included in work that is done already goes on at once
					p.at(t, day.Add(12*time.Hour).Format(time.RFC3339))
				}
				p.doWhatIsDue(t, day)
			}
			if len(was[today]) < 100 {
				t.Errorf("the forecast has work on %d days only", len(was[today]))
			}
			for day, forecast := range was {
				expectSameDays(t, "on "+day.Format(time.DateOnly), forecast, p.madeOn(t, names, day, last))
			}
		})
	}
}

// The sidewalk of the docs, due every 31 December and no later than 16 months after it was done: done on 2026-03-10 it is due on
// 2027-07-10,
// whether it was done before the plan began, before the work was made, or by a work order that was made before its turn. The forecast says
// so.
func TestTheExampleOfTheLongestGapComesTrue(t *testing.T) {
	sidewalk := func() fields {
		return fields{"starts_on": "2026-01-01", "trigger": fields{"rrule": "FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=31"},
			"window":         fields{"calendar": "year"},
			"max_gap_months": 16}
	}
	for name, do := range map[string]func(t *testing.T, p *plans) string{
		"done before the plan": func(t *testing.T, p *plans) string {
			return p.plan(t, "2026-03-11", merged(sidewalk(), fields{"last_done_on": "2026-03-10"}))
		},
		"made before its turn": func(t *testing.T, p *plans) string {
			plan := p.plan(t, "2026-01-01", sidewalk())
			p.Must(t, http.StatusOK, "POST", "/v1/maintenance/pm-plans/"+plan+"/occurrences/generate", fields{"occurrence": "2026-12-31",
				"reason": "Printemps"})
			p.complete(t, p.occurrences(t, plan, "")["2026-12-31"]["work_order_id"], "2026-03-10T15:00:00Z")
			return plan
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlans(t)
			plan := do(t, p)
			day := func(text string) time.Time { return dayOf(&text) }
			expectSameDays(t, "on 2026-03-11", p.forecastOn(t, day("2026-03-11"), day("2027-12-31")), map[dayOfPlan]int{{"Plan", "2027-07-10"}: 1})
			p.at(t, "2026-12-31T12:00:00Z")
			p.at(t, "2027-07-10T03:59:00Z")
			if all := p.occurrences(t, plan, "state=generated"); len(all) != 0 {
				t.Fatalf("made before 10 July 2027: %v", all)
			}
			p.at(t, "2027-07-10T04:00:00Z")
			resourcetest.Expect(t, p.occurrences(t, plan, "")["2027-12-31"], fields{"due_on": "2027-07-10", "state": "generated"})
		})
	}
}

// The gap ends with the work that it made due: while that is open, nothing further is brought forward.
func TestTheGapMakesNothingTwice(t *testing.T) {
	p := newPlans(t)
	plan := p.plan(t, "2026-01-01", fields{"starts_on": "2026-01-01", "trigger": fields{"rrule": "FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=31"},
		"max_gap_months": 16, "last_done_on": "2025-06-30"})
	for _, at := range []string{"2026-10-30T12:00:00Z", "2026-10-30T12:00:30Z", "2026-11-05T12:00:00Z", "2027-02-01T12:00:00Z"} {
		p.at(t, at)
		all := p.occurrences(t, plan, "")
		if len(all) != 1 {
			t.Fatalf("%s: %v", at, all)
		}
		resourcetest.Expect(t, all["2026-12-31"], fields{"due_on": "2026-10-30", "state": "generated"})
	}
	p.Must(t, http.StatusOK, "POST", "/v1/work-orders/"+p.occurrences(t, plan, "")["2026-12-31"]["work_order_id"].(string)+"/transition",
		fields{"to": "cancelled", "cancel_reason": "Neige"})
	p.at(t, "2027-02-01T12:00:00Z") // 16 months count from the day on which it was due
	if all := p.occurrences(t, plan, "state=generated"); len(all) != 0 {
		t.Errorf("%v", all)
	}
}

// A floating plan goes on with larger work that was done already, and with what includes that in turn.
func TestWorkThatIsIncludedInWorkThatIsDoneGoesOn(t *testing.T) {
	p := newPlans(t)
	p.job = p.Create(t, "/v1/maintenance/job-plans", fields{"name": "Tour", "type": "inspection"})["id"].(string)
	weekly := p.plan(t, "2027-01-01", fields{"basis": "floating", "starts_on": "2027-01-06", "trigger": fields{"interval": fields{"n": 1,
		"unit": "week"}}})
	p.plan(t, "2027-01-01", fields{"basis": "floating", "starts_on": "2027-01-10", "trigger": fields{"interval": fields{"n": 1,
		"unit": "year"}},
		"supersedes": []string{weekly}, "suppress_days": 3})
	for day := 6; day <= 24; day++ {
		at := fmt.Sprintf("2027-01-%02d", day)
		p.at(t, at+"T12:00:00Z")
		p.at(t, at+"T12:00:30Z")
		p.doWhatIsDue(t, dayOf(&at))
	}
	var got []string
	list, _ := p.List(t, "/v1/maintenance/pm-plans/"+weekly+"/occurrences")
	for _, o := range list {
		got = append(got, fmt.Sprint(o["due_on"], " ", o["state"], " ", o["done_on"]))
	}
	want := []string{"2027-01-06 done 2027-01-06", "2027-01-13 suppressed 2027-01-10", "2027-01-17 done 2027-01-17",
		"2027-01-24 done 2027-01-24"}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// A floating plan that goes by a counter is forecast by its average use: by its interval or its use, whichever comes first, and on from the
// day on which it is done. It is what the planner makes, day for day, where the counter runs on as before.
func TestTheForecastOfFloatingPlansByCounters(t *testing.T) {
	p := newPlans(t)
	p.job = p.Create(t, "/v1/maintenance/job-plans", fields{"name": "Vidange", "type": "preventive"})["id"].(string)
	today := p.today(t)
	last := today.AddDate(0, 0, 200)
	targets := p.assets(4)
	daily := map[string]float64{}
	for i, a := range targets {
		daily[a["target_id"].(string)] = []float64{6, 2.5, 0.5, 0}[i]
	}
	p.peers.Handle("meters", "/internal/meters/usage", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked struct{ Records []meters.UsageRecord }
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
			t.Error(err)
		}
		runs := func(id string, at time.Time) float64 { // it is read in the morning
			return 2000 + daily[id]*math.Floor(at.Add(17*time.Hour).Sub(today).Hours()/24-1)
		}
		data := []fields{}
		for _, record := range asked.Records {
			u := fields{"record_id": record.ID, "total_usage": runs(record.ID, p.planner.now()), "daily_usage_90": daily[record.ID]}
			if record.At != nil {
				at, err := time.Parse(time.RFC3339, *record.At)
				if err != nil {
					t.Error(err)
				}
				u["usage_at"] = runs(record.ID, at)
			}
			data = append(data, u)
		}
		w.Header().Set("Content-Type", "application/json")
		if err := json.NewEncoder(w).Encode(fields{"data": data}); err != nil {
			t.Error(err)
		}
	}))
	hours := func(every float64) fields { return fields{"name": "Heures", "every": every} }
	days := func(n int) fields { return fields{"n": n, "unit": "day"} }
	names, ids := map[string]string{}, []string{}
	for i, body := range []fields{
		{"trigger": fields{"interval": days(60), "meter": hours(250)}}, // 42, 60 (100 by use), 60, 60 days
		{"trigger": fields{"interval": days(30), "meter": hours(100)}, "last_done_on": today.AddDate(0, 0, -7).Format(time.DateOnly)},
		{"trigger": fields{"meter": hours(130)}},
		{"trigger": fields{"meter": hours(75)}, "non_working_day": "next", "ends_on": today.AddDate(0, 0, 90).Format(time.DateOnly)},
		{"trigger": fields{"interval": days(90), "meter": hours(390)}, "suppress_days": 10}, // includes the one before the last
	} {
		body["name"], body["basis"], body["targets"] = fmt.Sprint(i), "floating", targets
		body["starts_on"] = today.AddDate(0, 0, 5).Format(time.DateOnly)
		if i == 4 {
			body["supersedes"] = ids[2:3]
		}
		id := p.plan(t, today.Format(time.DateOnly), body)
		names[id], ids = body["name"].(string), append(ids, id)
	}
	was := map[time.Time]map[dayOfPlan]int{}
	for day := today; !day.After(last); day = day.AddDate(0, 0, 1) {
		noon := day.Add(17 * time.Hour)
		p.planner.now = func() time.Time { return noon }
		if n := int(day.Sub(today).Hours() / 24); n%67 == 0 {
			was[day] = p.forecastOn(t, day, last)
		}
		for range 2 {
			p.at(t, noon.Format(time.RFC3339))
		}
		p.doWhatIsDue(t, day)
	}
	if n := len(was[today]); n < 40 {
		t.Errorf("the forecast has work on %d days only", n)
	}
	for work := range was[today] {
		if work.plan == "3" && work.day > today.AddDate(0, 0, 93).Format(time.DateOnly) { // a Sunday may come between
			t.Errorf("after the plan ended, on %s", work.day)
		}
	}
	for day, forecast := range was {
		expectSameDays(t, "on "+day.Format(time.DateOnly), forecast, p.madeOn(t, names, day, last))
	}
}

// What nobody can foresee is named in the answer, with the reason.
func TestTheForecastNamesWhatItCannotForesee(t *testing.T) {
	p := newPlans(t)
	both := p.assets(2)
	from := p.today(t).Format(time.DateOnly)
	p.plan(t, from, fields{"name": "B, pression", "basis": "floating", "trigger": fields{"interval": fields{"n": 1, "unit": "month"},
		"gauge": fields{"name": "Pression", "op": "gt", "value": 800}}})
	p.plan(t, from, fields{"name": "A, état", "trigger": fields{"condition": fields{"rating_at_least": 4}}})
	meter := fields{"meter": fields{"name": "Heures", "every": 250}}
	p.plan(t, from, fields{"name": "D, sans usage", "basis": "floating", "targets": both, "trigger": meter})
	p.plan(t, from, fields{"name": "C, sans compteur", "targets": both, "trigger": meter})
	p.plan(t, from, fields{"name": "E, compteur", "targets": both[:1], "trigger": meter})
	p.plan(t, from, fields{"name": "F, calendrier", "trigger": fields{"rrule": "FREQ=MONTHLY"}})
	p.peers.Respond("/internal/meters/usage", fields{"data": []fields{{"record_id": both[0]["target_id"], "total_usage": 10,
		"daily_usage_90": 5},
		{"record_id": both[1]["target_id"], "total_usage": 10, "daily_usage_90": 0}}})
	ask := func(query string) fields {
		return p.Must(t, http.StatusOK, "GET", "/v1/maintenance/forecast?from="+from+"&to="+p.today(t).AddDate(1, 0,
			0).Format(time.DateOnly)+query, nil).JSON
	}
	var named []string
	answer := ask("")
	for _, n := range answer["not_foreseen"].([]any) {
		named = append(named, n.(fields)["name"].(string)+": "+n.(fields)["because"].(string))
	}
	if want := []string{"A, état: condition", "B, pression: gauge", "C, sans compteur: meter_not_used",
		"D, sans usage: meter_not_used"}; !slices.Equal(named, want) ||
		answer["not_foreseen_count"] != 4.0 {
		t.Errorf("%v, %v", named, answer["not_foreseen_count"])
	}
}

// A cycle that a counter made due and somebody skipped is not due again at once: the counter counts on from the day on which it was due.
func TestASkippedCycleOfACounterIsNotDueAgainAtOnce(t *testing.T) {
	p := newPlans(t)
	plan := p.plan(t, "2027-01-01", fields{"basis": "floating", "trigger": fields{"meter": fields{"name": "Heures", "every": 250}}})
	p.peers.Handle("meters", "/internal/meters/usage", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked struct{ Records []meters.UsageRecord }
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
			t.Error(err)
		}
		at := 300.0 // when the first cycle was due, and later
		if *asked.Records[0].At < "2027-01-06" {
			at = 0
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"data": [{"record_id": %q, "total_usage": 300, "usage_at": %v}]}`, assetIDs[0], at)
	}))
	p.at(t, "2027-01-06T12:00:00Z")
	p.Must(t, http.StatusOK, "POST", "/v1/maintenance/pm-plans/"+plan+"/occurrences/skip", fields{"occurrence": "f1", "reason": "Congé"})
	p.at(t, "2027-01-07T12:00:00Z")
	if all := p.occurrences(t, plan, ""); len(all) != 1 || all["f1"]["state"] != "skipped" {
		t.Errorf("%v", all)
	}
}
