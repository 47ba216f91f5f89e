package workorders

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"ams.internal/libs/calendar"
	"ams.internal/libs/principal"
	"ams.internal/libs/resource/resourcetest"
)

// Two places whose days are never the same: one is 25 hours ahead of the other.
const ahead, behind = "Pacific/Kiritimati", "Pacific/Pago_Pago"

// dayIn is a day so many days from today in a time zone.
func dayIn(t testing.TB, zone string, days int) string {
	t.Helper()
	at, err := time.Parse(time.DateOnly, calendar.Calendar{TimeZone: zone}.Today())
	if err != nil {
		t.Fatal(err)
	}
	return at.AddDate(0, 0, days).Format(time.DateOnly)
}

// announce announces what has come in organizations, by id with their time zones.
func (f fixture) announce(t testing.TB, zones map[string]string) (int, error) {
	t.Helper()
	return orders{f.registry}.watch(func(context.Context) (all []principal.Principal, err error) {
		for id, zone := range zones {
			all = append(all,
				principal.Principal{OrganizationID: id, Currency: "CAD", TimeZone: zone, Actor: principal.Actor{Type: "service", ID: "workorders"}})
		}
		return all, nil
	}).Announce(t.Context())
}

// mustAnnounce announces in the fixture's own organization.
func (f fixture) mustAnnounce(t testing.TB, zone string, want int) {
	t.Helper()
	if sent, err := f.announce(t, map[string]string{f.Principal.OrganizationID: zone}); err != nil || sent != want {
		t.Errorf("%d events were sent, want %d: %v", sent, want, err)
	}
}

// long says that all work orders were entered long ago.
func (f fixture) long(t testing.TB) {
	t.Helper()
	if _, err := f.owner(t).Exec(t.Context(), "UPDATE work_order SET created_at = created_at - interval '1 year'"); err != nil {
		t.Fatal(err)
	}
}

// overdueEvents counts them by record.
func (f fixture) overdueEvents(t testing.TB) map[string]int {
	t.Helper()
	counts := map[string]int{}
	for _, e := range resourcetest.Events(t, f.database) {
		if e.Type == "work_order.overdue" {
			counts[e.RecordID]++
		}
	}
	return counts
}

func TestAWorkOrderIsAnnouncedAsOverdueOnce(t *testing.T) {
	f := newFixtureAlone(t)
	const zone = calendar.DefaultTimeZone
	make := func(day int, status string) (path, id string) {
		t.Helper()
		path, record := f.create(t, fields{"due_date": dayIn(t, zone, day), "site_id": siteIDs[0]})
		if status != "open" {
			move := fields{"to": status}
			if status == "cancelled" {
				move["cancel_reason"] = "x"
			}
			f.Must(t, http.StatusOK, "POST", path+"/transition", move)
		}
		return path, record["id"].(string)
	}
	moved, id := make(-1, "open")
	_, begun := make(-40, "in_progress")
	done, finished := make(-2, "completed")
	make(-2, "cancelled")
	make(0, "open")
	make(3, "open")
	f.create(t, fields{})
	f.mustAnnounce(t, zone, 0) // all of it had come when it was entered
	f.long(t)
	f.mustAnnounce(t, zone, 2)
	f.mustAnnounce(t, zone, 0)
	var last resourcetest.Event
	for _, e := range resourcetest.Events(t, f.database) {
		if e.RecordID == id {
			last = e
		}
	}
	if last.Type != "work_order.overdue" || last.Version != 1 || last.Object["is_overdue"] != true ||
		last.Object["site_id"] != siteIDs[0] || len(last.Changed) > 0 || len(last.Previous) > 0 {
		t.Errorf("the event is %+v", last)
	}
	resourcetest.Expect(t, f.Must(t, http.StatusOK, "GET", moved, nil).JSON, fields{"version": 1}) // is not changed by it

	// Another due date is another time event, and the same one none.
	f.Must(t, http.StatusOK, "PATCH", moved, fields{"due_date": dayIn(t, zone, 5)})
	f.mustAnnounce(t, zone, 0)
	f.Must(t, http.StatusOK, "PATCH", moved, fields{"due_date": dayIn(t, zone, -3)})
	f.mustAnnounce(t, zone, 1)
	f.Must(t, http.StatusOK, "POST", moved+"/transition", fields{"to": "completed"})
	f.Must(t, http.StatusOK, "PATCH", moved, fields{"status": "in_progress"})
	f.mustAnnounce(t, zone, 0)
	// What was done and is taken up again is overdue for the first time.
	f.Must(t, http.StatusOK, "PATCH", done, fields{"status": "in_progress"})
	f.mustAnnounce(t, zone, 1)
	if got := f.overdueEvents(t); got[id] != 2 || got[begun] != 1 || got[finished] != 1 || len(got) != 3 {
		t.Errorf("%v", got)
	}
	// A mark goes with its record.
	f.Must(t, http.StatusOK, "POST", moved+"/transition", fields{"to": "on_hold", "hold_reason": "x"})
	f.Must(t, http.StatusOK, "POST", moved+"/transition", fields{"to": "cancelled", "cancel_reason": "x"})
	f.Must(t, http.StatusNoContent, "DELETE", moved, nil)
	var marks int
	if err := f.owner(t).QueryRow(t.Context(), "SELECT count(*) FROM time_event WHERE record_id = $1", id).Scan(&marks); err != nil ||
		marks != 0 {
		t.Errorf("%d marks of what is gone: %v", marks, err)
	}
}

func TestOverdueIsOfTheDayWhereTheOrganizationIs(t *testing.T) {
	f := newFixtureAlone(t)
	f.create(t, fields{"due_date": dayIn(t, ahead, -1)}) // where it is later, that was yesterday; in the other place it is today or tomorrow
	f.long(t)
	f.mustAnnounce(t, behind, 0)
	f.mustAnnounce(t, ahead, 1)
	f.mustAnnounce(t, ahead, 0)
}

func TestOrganizationsAreAnnouncedEachForItself(t *testing.T) {
	f := newFixtureAlone(t)
	other := f.Other()
	day := dayIn(t, calendar.DefaultTimeZone, -1)
	_, mine := f.create(t, fields{"due_date": day})
	theirs := other.Create(t, "/v1/work-orders", fields{"title": "x", "due_date": day})
	f.long(t)
	f.mustAnnounce(t, calendar.DefaultTimeZone, 1)
	if got := f.overdueEvents(t); got[theirs["id"].(string)] != 0 || got[mine["id"].(string)] != 1 {
		t.Errorf("%v", got)
	}
	// One that fails does not keep the others from their events.
	sent, err := f.announce(t,
		map[string]string{"no organization": calendar.DefaultTimeZone, other.Principal.OrganizationID: calendar.DefaultTimeZone})
	if err == nil || sent != 1 || f.overdueEvents(t)[theirs["id"].(string)] != 1 {
		t.Errorf("%d were sent, and the error is %v", sent, err)
	}
}

// Mark and event are of one transaction: who is killed after both were written, and before the commit, has sent nothing; the next look
// sends it. Several instances that look at the same time send it once.
func TestAKillNeitherLosesNorDoublesAnOverdueEvent(t *testing.T) {
	f := newFixtureAlone(t)
	const zone, many = calendar.DefaultTimeZone, 450 // more than two transactions
	rows := []fields{}
	for n := range many {
		rows = append(rows, fields{"title": fmt.Sprint(n), "due_date": dayIn(t, zone, -1-n%7)})
	}
	f.Must(t, http.StatusOK, "POST", "/v1/work-orders/bulk", fields{"data": rows})
	f.long(t)
	owner := f.owner(t)
	for _, sql := range []string{
		`CREATE FUNCTION killed() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN PERFORM
			pg_terminate_backend(pg_backend_pid()); RETURN NULL; END $$`,
		// At the commit of the second transaction: the last batch of 200.
		`CREATE CONSTRAINT TRIGGER killed AFTER INSERT ON time_event DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
			WHEN (NEW.day > current_date - 4) EXECUTE FUNCTION killed()`,
	} {
		if _, err := owner.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	sent, err := f.announce(t, map[string]string{f.Principal.OrganizationID: zone})
	if events := len(f.overdueEvents(t)); err == nil || sent != events || sent != 200 {
		t.Fatalf("%d were said to be sent, %d were: %v", sent, events, err)
	}
	if _, err := owner.Exec(t.Context(), "DROP TRIGGER killed ON time_event"); err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	for range 4 { // instances
		group.Go(func() {
			if _, err := f.announce(t, map[string]string{f.Principal.OrganizationID: zone}); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	f.mustAnnounce(t, zone, 0)
	counts := f.overdueEvents(t)
	if len(counts) != many || slices.Max(slices.Collect(maps.Values(counts))) != 1 {
		t.Errorf("%d of %d work orders were announced", len(counts), many)
	}
}
