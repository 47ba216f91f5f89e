package workorders

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"ams.internal/libs/fault"
	"ams.internal/libs/reference"
	"ams.internal/libs/resource/resourcetest"
	"ams.internal/libs/work"
	"ams.internal/libs/workhours"
)

// toronto is a time there.
func toronto(t testing.TB, text string) time.Time {
	t.Helper()
	zone, err := time.LoadLocation("America/Toronto")
	if err != nil {
		t.Fatal(err)
	}
	at, err := time.ParseInLocation("2006-01-02 15:04", text, zone)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// office is Monday to Friday, 08:30 to 16:30, closed on 25 and 28 December 2026.
func office(name string) Calendar {
	c := Calendar{Name: name, TimeZone: "America/Toronto"}
	for _, day := range daysOfTheWeek[1:6] {
		c.Week = append(c.Week, WorkPeriod{Day: day, From: "08:30", To: "16:30"})
	}
	for _, date := range []string{"2026-12-25", "2026-12-28"} {
		c.Holidays = append(c.Holidays, Holiday{Name: "Fêtes", Date: &date})
	}
	return c
}

// The worked cases, with a clock that the test holds: the same rules that BeforeWrite follows.
func TestServiceLevelsAreCountedInWorkingHours(t *testing.T) {
	t.Parallel()
	calendarID := "019a3c5e-0000-7000-8000-000000000090"
	calendar := office("Bureau")
	hours := map[string]*workhours.Hours{calendarID: calendar.hours(func(field, format string, args ...any) {
		t.Errorf(field+" "+format, args...)
	})}
	minutes := func(n int) *int { return &n }
	for name, c := range map[string]struct {
		calendar *string
		minutes  int
		created  string
		held     []string // from, to
		want     string
	}{
		"over holidays":      {&calendarID, 240, "2026-12-24 15:00", nil, "2026-12-29 11:00"},
		"held":               {&calendarID, 480, "2026-11-23 09:00", []string{"2026-11-23 10:00", "2026-11-23 14:00"}, "2026-11-24 13:00"},
		"not held":           {&calendarID, 480, "2026-11-23 09:00", nil, "2026-11-24 09:00"},
		"held over night":    {&calendarID, 480, "2026-11-23 09:00", []string{"2026-11-23 16:00", "2026-11-24 09:00"}, "2026-11-24 10:00"},
		"the clocks go back": {nil, 1440, "2026-10-31 20:00", nil, "2026-11-01 19:00"},
	} {
		policies := map[policyKey]SLAPolicy{{"high", ""}: {CalendarID: c.calendar, CompleteMinutes: minutes(c.minutes), PauseOnHold: true}}
		w := &WorkOrder{Status: "open", Priority: "high", Type: "corrective"}
		clock{w, nil, hours, toronto(t, c.created)}.run(policies)
		if w.SLAState != "running" {
			t.Errorf("%s: it is %s", name, w.SLAState)
		}
		move := func(status, at string) {
			before := *w
			w.Status = status
			clock{w, &before, hours, toronto(t, at)}.run(nil)
		}
		if c.held != nil {
			move("on_hold", c.held[0])
			if w.SLAState != "paused" {
				t.Errorf("%s: on hold it is %s", name, w.SLAState)
			}
			move("in_progress", c.held[1])
		}
		if got := parseTime(w.CompleteBy); !got.Equal(toronto(t, c.want)) {
			t.Errorf("%s: it must be done by %s, want %s", name, got.In(toronto(t, c.want).Location()), c.want)
		}
		before := *w
		w.Status, w.CompletedAt = "completed", timeOf(toronto(t, c.want))
		clock{w, &before, hours, toronto(t, c.want)}.run(nil)
		if w.SLAState != "met" {
			t.Errorf("%s: at the last moment it is %s", name, w.SLAState)
		}
		*w = before
		w.Status, w.CompletedAt = "completed", timeOf(toronto(t, c.want).Add(time.Second))
		clock{w, &before, hours, toronto(t, c.want).Add(time.Second)}.run(nil)
		if w.SLAState != "missed" {
			t.Errorf("%s: a second late it is %s", name, w.SLAState)
		}
	}
}

// due says in how many minutes a time of a record is, counted from created_at.
func due(t testing.TB, record fields, field string) float64 {
	t.Helper()
	created, by := record["created_at"].(string), record[field].(string)
	return parseTime(&by).Sub(parseTime(&created)).Round(time.Second).Minutes()
}

func TestServiceLevelsAreStampedByPriorityAndType(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	policy := func(priority string, kind any, respond, complete any) string {
		return "/v1/maintenance/sla-policies/" + f.Create(t, "/v1/maintenance/sla-policies", fields{"priority": priority, "type": kind,
			"respond_minutes": respond, "complete_minutes": complete})["id"].(string)
	}
	urgent := policy("urgent", nil, 30, 240)
	policy("urgent", "emergency", 10, 60)
	policy("high", nil, nil, 600)
	path, record := f.create(t, fields{"priority": "urgent"})
	check := func(record fields, respond, complete any, state string) {
		t.Helper()
		resourcetest.Expect(t, record, fields{"sla_state": state})
		for field, want := range map[string]any{"respond_by": respond, "complete_by": complete} {
			if want == nil && record[field] != nil || want != nil && due(t, record, field) != float64(want.(int)) {
				t.Errorf("%s is %v of %v, want %v minutes later", field, record[field], record["created_at"], want)
			}
		}
	}
	check(record, 30, 240, "running")
	f.Must(t, http.StatusOK, "PATCH", urgent, fields{"respond_minutes": 5, "complete_minutes": 6}) // says nothing of work that is there
	check(f.Must(t, http.StatusOK, "PATCH", path, fields{"title": "Autre"}).JSON, 30, 240, "running")
	check(f.Must(t, http.StatusOK, "PATCH", path, fields{"type": "emergency"}).JSON, 10, 60, "running") // the specific wins
	check(f.Must(t, http.StatusOK, "PATCH", path, fields{"priority": "high"}).JSON, nil, 600, "running")
	check(f.Must(t, http.StatusOK, "PATCH", path, fields{"priority": "low"}).JSON, nil, nil, "none")
	check(f.Must(t, http.StatusOK, "PATCH", path, fields{"priority": "high"}).JSON, nil, 600, "running")
	check(f.Must(t, http.StatusOK, "POST", path+"/transition", fields{"to": "cancelled", "cancel_reason": "Doublon"}).JSON, nil, 600, "none")
	check(f.Must(t, http.StatusOK, "POST", path+"/transition", fields{"to": "open"}).JSON, nil, 600, "running")
	check(f.Must(t, http.StatusOK, "POST", path+"/transition", fields{"to": "completed"}).JSON, nil, 600, "met")
	// read-only
	check(f.Must(t, http.StatusOK, "PATCH", path, fields{"respond_by": "2020-01-01T00:00:00Z", "sla_state": "missed"}).JSON, nil, 600, "met")
	check(f.Must(t, http.StatusOK, "PATCH", path, fields{"status": "in_progress"}).JSON, nil, 600, "running")
	_, loaded := f.create(t, fields{"priority": "urgent", "status": "completed", "completed_at": "2026-02-10T12:00:00Z"})
	check(loaded, nil, nil, "none")
	rows := f.Must(t, http.StatusOK, "POST", "/v1/work-orders/bulk",
		fields{"data": []fields{{"title": "a", "priority": "high"}, {"title": "b"}}}).JSON["data"].([]any)
	check(rows[0].(fields), nil, 600, "running")
	check(rows[1].(fields), nil, nil, "none")
	if list, _ := f.List(t, "/v1/work-orders?sla_state=running&sort=complete_by"); len(list) != 2 {
		t.Errorf("%d are running", len(list))
	}
	if list, _ := f.Other().List(t, "/v1/maintenance/sla-policies"); len(list) != 0 {
		t.Errorf("another organization has %v", list)
	}
	resourcetest.Expect(t, f.Other().Create(t, "/v1/work-orders", fields{"title": "x", "priority": "urgent"}), fields{"sla_state": "none"})
}

func TestTimeOnHoldIsNotCounted(t *testing.T) {
	f := newFixtureAlone(t)
	policy := f.Create(t, "/v1/maintenance/sla-policies", fields{"priority": "high", "respond_minutes": 60, "complete_minutes": 120})
	path, _ := f.create(t, fields{"priority": "high"})
	ago := func(record any, minutes int) { // everything but now is so much earlier
		t.Helper()
		if _, err := f.owner(t).Exec(t.Context(), `UPDATE work_order SET created_at = created_at - $2 * interval '1 minute',
			respond_by = respond_by - $2 * interval '1 minute', complete_by = complete_by - $2 * interval '1 minute',
			sla_paused_at = sla_paused_at - $2 * interval '1 minute' WHERE id = $1`, record, minutes); err != nil {
			t.Fatal(err)
		}
	}
	id := path[len("/v1/work-orders/"):]
	resourcetest.Expect(t, f.Must(t, http.StatusOK, "POST", path+"/transition", fields{"to": "on_hold", "hold_reason": "Pièce"}).JSON,
		fields{"sla_state": "paused"})
	ago(id, 90) // the time to respond has passed on hold
	if marked := f.watch(t); marked != 0 {
		t.Errorf("%d were missed on hold", marked)
	}
	resumed := f.Must(t, http.StatusOK, "POST", path+"/transition", fields{"to": "in_progress"}).JSON
	resourcetest.Expect(t, resumed, fields{"sla_state": "running", "sla_paused_at": nil})
	if respond, complete := due(t, resumed, "respond_by"), due(t, resumed, "complete_by"); respond < 149.5 || respond > 151 ||
		complete < 209.5 || complete > 211 {
		t.Errorf("after 90 minutes on hold they are %v and %v minutes after the creation", respond, complete)
	}
	if held := resumed["sla_paused_seconds"].(float64); held < 5400 || held > 5460 {
		t.Errorf("it was on hold for %v seconds", held)
	}
	f.Must(t, http.StatusOK, "PATCH", fmt.Sprint("/v1/maintenance/sla-policies/", policy["id"]), fields{"pause_on_hold": false})
	through, record := f.create(t, fields{"priority": "high"})
	held := f.Must(t, http.StatusOK, "POST", through+"/transition", fields{"to": "on_hold", "hold_reason": "Pièce"}).JSON
	resourcetest.Expect(t, held, fields{"sla_state": "running", "sla_paused_at": nil, "complete_by": record["complete_by"]})
}

// watch lets an instance look once.
func (f fixture) watch(t testing.TB) int {
	t.Helper()
	o, marked := orders{f.registry}, 0
	queue := o.serviceLevelQueue()
	queue.Organizations = reference.NewOrganizationCache(func(_ context.Context, id string) (reference.Organization, error) {
		if id != f.Principal.OrganizationID {
			return reference.Organization{}, fault.Unavailable("service_unavailable", "The gateway does not know it yet.")
		}
		return reference.Organization{ID: id, Currency: "CAD", TimeZone: "America/Toronto", FiscalYearEndMonth: 12}, nil
	}, time.Now)
	queue.Do = func(ctx context.Context, _ work.Item) (err error) {
		marked, err = o.markMissed(ctx)
		return err
	}
	if err := queue.Once(t.Context()); err != nil {
		t.Error(err)
	}
	return marked
}

func TestATimeThatHasPassedIsMissedOnce(t *testing.T) {
	f := newFixtureAlone(t)
	f.Create(t, "/v1/maintenance/sla-policies", fields{"priority": "high", "respond_minutes": 30, "complete_minutes": 120})
	f.Create(t, "/v1/maintenance/sla-policies", fields{"priority": "low", "complete_minutes": 120})
	path, record := f.create(t, fields{"priority": "high"})
	begun, begunRecord := f.create(t, fields{"priority": "high"})
	f.Must(t, http.StatusOK, "POST", begun+"/transition", fields{"to": "in_progress"})
	var many []fields
	for n := range 20 {
		many = append(many, fields{"title": fmt.Sprint(n), "priority": "high"})
	}
	f.Must(t, http.StatusOK, "POST", "/v1/work-orders/bulk", fields{"data": many})
	other := f.Other()
	other.Create(t, "/v1/maintenance/sla-policies", fields{"priority": "high", "complete_minutes": 1})
	stranger := other.Create(t, "/v1/work-orders", fields{"title": "x", "priority": "high"})
	if marked := f.watch(t); marked != 0 {
		t.Errorf("%d were missed at once", marked)
	}
	if _, err := f.owner(t).Exec(t.Context(), `UPDATE work_order SET created_at = created_at - interval '1 hour',
		respond_by = respond_by - interval '1 hour', complete_by = complete_by - interval '1 hour'`); err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	var mutex sync.Mutex
	total := 0
	for range 4 { // instances
		group.Go(func() {
			marked := f.watch(t)
			mutex.Lock()
			defer mutex.Unlock()
			total += marked
		})
	}
	group.Wait()
	if total != 21 || f.watch(t) != 0 {
		t.Errorf("%d were marked, want the 21 that nobody has begun", total)
	}
	resourcetest.Expect(t, f.Must(t, http.StatusOK, "GET", path, nil).JSON, fields{"sla_state": "missed", "version": 2})
	resourcetest.Expect(t, f.Must(t, http.StatusOK, "GET", begun, nil).JSON, fields{"sla_state": "running"})
	resourcetest.Expect(t, other.Must(t, http.StatusOK, "GET", "/v1/work-orders/"+stranger["id"].(string), nil).JSON,
		fields{"sla_state": "running"})
	events := f.Events(t, f.database)
	if got := resourcetest.EventTypes(events, record["id"]); !slices.Equal(got,
		[]string{"work_order.created", "work_order.updated", "work_order.sla_missed"}) {
		t.Errorf("the events are %v", got)
	}
	missed := 0
	for _, e := range events {
		if e.Type == "work_order.sla_missed" {
			missed++
			resourcetest.Expect(t, e.Object, fields{"sla_state": "missed", "currency": "CAD"})
		}
	}
	if missed != 21 {
		t.Errorf("%d events say that one was missed", missed)
	}
	// Missed is missed, whatever becomes of it; another priority counts anew.
	f.Must(t, http.StatusOK, "POST", path+"/transition", fields{"to": "completed"})
	resourcetest.Expect(t, f.Must(t, http.StatusOK, "GET", path, nil).JSON, fields{"sla_state": "missed"})
	resourcetest.Expect(t, f.Must(t, http.StatusOK, "PATCH", begun, fields{"priority": "low"}).JSON, fields{"sla_state": "running"})
	if got := resourcetest.EventTypes(f.Events(t, f.database), begunRecord["id"]); slices.Contains(got, "work_order.sla_missed") {
		t.Errorf("the events of one that was begun are %v", got)
	}
}

// A completion that is late by itself says so at once; whoever looks afterwards finds nothing to say.
func TestALateCompletionIsAMissOfItsOwn(t *testing.T) {
	f := newFixtureAlone(t)
	f.Create(t, "/v1/maintenance/sla-policies", fields{"priority": "high", "complete_minutes": 1})
	path, record := f.create(t, fields{"priority": "high"})
	if _, err := f.owner(t).Exec(t.Context(), "UPDATE work_order SET complete_by = complete_by - interval '2 minutes'"); err != nil {
		t.Fatal(err)
	}
	resourcetest.Expect(t, f.Must(t, http.StatusOK, "POST", path+"/transition", fields{"to": "completed"}).JSON, fields{"sla_state": "missed"})
	if marked := f.watch(t); marked != 0 {
		t.Errorf("%d were marked", marked)
	}
	got := resourcetest.EventTypes(f.Events(t, f.database), record["id"])
	if want := []string{"work_order.created", "work_order.updated", "work_order.completed",
		"work_order.sla_missed"}; !slices.Equal(got, want) {
		t.Errorf("the events are %v, want %v", got, want)
	}
}

func TestServiceLevelsOfAPeriod(t *testing.T) {
	f := newFixtureAlone(t)
	db := f.owner(t)
	at := func(state, by string, body fields) {
		t.Helper()
		_, record := f.create(t, body)
		if _, err := db.Exec(t.Context(), "UPDATE work_order SET sla_state = $2, complete_by = $3::text::timestamptz WHERE id = $1", record["id"],
			state, by); err != nil {
			t.Fatal(err)
		}
	}
	at("met", "2026-03-01T00:00-05:00", fields{"site_id": siteIDs[0]})
	at("met", "2026-03-31T23:59-04:00", fields{"targets": []fields{target("asset", assetIDs[0]), target("asset", assetIDs[1])}})
	at("missed", "2026-03-15T12:00Z", fields{"site_id": siteIDs[1]})
	at("running", "2026-03-15T12:00Z", fields{})
	at("paused", "2026-03-15T12:00Z", fields{})
	at("met", "2026-02-28T23:59-05:00", fields{})
	at("missed", "2026-04-01T00:00-04:00", fields{})
	march := func(more fields) fields {
		body := fields{"period_start": "2026-03-01", "period_end": "2026-03-31"}
		for field, value := range more {
			body[field] = value
		}
		return body
	}
	for name, c := range map[string]struct{ request, want fields }{
		"all":           {march(nil), fields{"met": 2, "missed": 1, "met_pct": 66.67}},
		"a site":        {march(fields{"site_ids": siteIDs[1:]}), fields{"met": 1, "missed": 1, "met_pct": 50}},
		"a building":    {march(fields{"building_ids": buildingIDs[:1]}), fields{"met": 1, "missed": 0, "met_pct": 100}},
		"nobody's site": {march(fields{"site_ids": []string{nobody}}), fields{"met": 0, "missed": 0, "met_pct": nil}},
	} {
		t.Run(name, func(t *testing.T) {
			resourcetest.Expect(t, f.Must(t, http.StatusOK, "POST", "/internal/work-orders/service-levels", c.request).JSON, c.want)
		})
	}
	resourcetest.Expect(t, f.Other().Must(t, http.StatusOK, "POST", "/internal/work-orders/service-levels", march(nil)).JSON,
		fields{"met": 0, "missed": 0})
}

func TestACalendarThatCountsIsKept(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	calendar := f.Create(t, "/v1/maintenance/calendars", makeCalendar(t, nil, 1))
	path := fmt.Sprint("/v1/maintenance/calendars/", calendar["id"])
	policy := f.Create(t, "/v1/maintenance/sla-policies", fields{"priority": "high", "complete_minutes": 60, "calendar_id": calendar["id"]})
	order, record := f.create(t, fields{"priority": "high"})
	resourcetest.Expect(t, record, fields{"sla_state": "running", "sla_calendar_id": calendar["id"]})
	resourcetest.Expect(t, f.Must(t, http.StatusConflict, "DELETE", path, nil).JSON, fields{"code": "still_in_use"})
	f.Must(t, http.StatusNoContent, "DELETE", fmt.Sprint("/v1/maintenance/sla-policies/", policy["id"]), nil)
	resourcetest.Expect(t, f.Must(t, http.StatusConflict, "DELETE", path, nil).JSON, fields{"code": "still_in_use"})
	f.Must(t, http.StatusOK, "POST", order+"/transition", fields{"to": "completed"})
	f.Must(t, http.StatusNoContent, "DELETE", path, nil)
}

func TestPlannedWorkHasItsServiceLevelToo(t *testing.T) {
	p := newPlans(t)
	p.Create(t, "/v1/maintenance/sla-policies", fields{"priority": "medium", "type": "inspection", "complete_minutes": 1440})
	p.plan(t, "2027-01-01", fields{"trigger": fields{"rrule": "FREQ=YEARLY"}})
	p.at(t, "2027-01-01T05:00:00Z")
	made := p.workOrders(t, "")
	if len(made) != 1 {
		t.Fatalf("%d work orders", len(made))
	}
	resourcetest.Expect(t, made[0], fields{"sla_state": "running", "respond_by": nil})
	if minutes := due(t, made[0], "complete_by"); minutes != 1440 {
		t.Errorf("it must be done %v minutes later", minutes)
	}
}
