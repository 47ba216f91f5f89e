package webhooks

import (
	"testing"
	"time"

	"ams.internal/libs/postgres"
)

// Deliveries that are blocked, suspended or paused do not count as waiting, and of one endpoint at most maxCounted count.
func TestWaitingDeliveriesAreCounted(t *testing.T) {
	f := newFixture(t) // nobody delivers
	r := newReceiver(t, nil)
	due := f.subscribe(t, r, nil)
	var others []string
	for _, path := range []string{"/blocked", "/suspended", "/paused"} {
		others = append(others, f.subscribe(t, r, map[string]any{"url": r.URL + path}))
	}
	db, err := postgres.Open(t.Context(), f.database.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	counts := func(at time.Time) (waiting int, oldest *time.Time) {
		t.Helper()
		if err := db.Pool().QueryRow(t.Context(), "SELECT waiting, oldest FROM waiting_deliveries($1, $2)", at, maxCounted).Scan(&waiting,
			&oldest); err != nil {
			t.Fatal(err)
		}
		return waiting, oldest
	}
	if n, oldest := counts(f.now()); n != 0 || oldest != nil {
		t.Errorf("%d wait since %v before anything has happened", n, oldest)
	}
	before := f.now().Add(-time.Minute)
	record := newID()
	f.relay(t, f.event(record, 1), f.event(record, 2), f.event(newID(), 1))
	conn := f.ownerConn(t)
	for statement, id := range map[string]string{
		"UPDATE dispatch SET blocked_until = now() + interval '1 hour' WHERE endpoint_id = $1":   others[0],
		"UPDATE dispatch SET suspended_until = now() + interval '1 hour' WHERE endpoint_id = $1": others[1],
	} {
		if _, err := conn.Exec(t.Context(), statement, id); err != nil {
			t.Fatal(err)
		}
	}
	f.Must(t, 200, "POST", "/v1/webhook-endpoints/"+others[2]+"/pause", nil)
	after := f.now().Add(time.Second)
	if n, oldest := counts(after); n != 2 || oldest == nil || oldest.Before(before) || oldest.After(after) {
		t.Errorf("%d records wait since %v, of two", n, oldest)
	}
	if n, _ := counts(after.Add(2 * time.Hour)); n != 6 {
		t.Errorf("%d records wait when nothing is blocked or suspended any more, of six", n)
	}
	if _, err := conn.Exec(t.Context(), `INSERT INTO lane
		SELECT organization_id, endpoint_id, lpad(to_hex(n), 32, '0')::uuid, now() - interval '1 hour'
		FROM dispatch, generate_series(1, 3000) n WHERE endpoint_id = $1`, due); err != nil {
		t.Fatal(err)
	}
	if n, oldest := counts(after); n != maxCounted || oldest == nil || time.Since(*oldest) < 50*time.Minute {
		t.Errorf("%d records wait since %v", n, oldest)
	}
}
