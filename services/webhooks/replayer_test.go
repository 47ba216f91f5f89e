package main

import (
	"net/http"
	"sync/atomic"
	"testing"
	"time"
)

// A replay goes on where a process that was killed has stopped, orders each event once, and new events follow behind it.
func TestAReplayGoesOnAfterAKill(t *testing.T) {
	w := newWorld(t)
	r := newSubscriber(t, nil)
	id := w.subscribe(t, r, nil)
	w.Must(t, 200, "POST", "/v1/webhook-endpoints/"+id+"/pause", nil)
	record := newID()
	const events = 6 * replayBatch
	for start := 0; start < events; start += replayBatch {
		var batch []map[string]any
		for i := range replayBatch {
			if i%10 == 0 {
				batch = append(batch, w.event(record, (start+i)/10+1))
			} else {
				batch = append(batch, w.event(newID(), 1))
			}
		}
		w.relay(t, batch...)
	}
	replay := w.Must(t, 201, "POST", "/v1/webhook-endpoints/"+id+"/replay", map[string]any{"since": time.Now().Add(-time.Hour).UTC().Format(time.RFC3339)}).JSON
	w.relay(t, w.event(record, events/10+1)) // it goes through the replay
	if got := one[int](t, w, `SELECT count(*) FROM delivery`); got != events {
		t.Fatalf("%d deliveries", got)
	}
	for one[int64](t, w, `SELECT queued FROM replay`) == 0 {
		p := w.start(t)
		eventually(t, "the replay has begun", func() bool { return one[int64](t, w, `SELECT queued FROM replay`) > 0 })
		p.kill()
	}
	w.start(t)
	eventually(t, "the replay is done", func() bool { return one[string](t, w, `SELECT state FROM replay`) == "done" })
	shown := w.Must(t, 200, "GET", "/v1/webhook-endpoints/"+id+"/replays/"+replay["id"].(string), nil).JSON
	if shown["state"] != "done" || shown["queued"] != float64(events+1) {
		t.Errorf("%v", shown)
	}
	if got := one[string](t, w, `SELECT count(*) || ' ' || count(DISTINCT event_id) FROM delivery WHERE cause = 'replay'`); got != "6000 6000" {
		t.Errorf("replayed deliveries, events: %s", got)
	}
	if inverted := one[int](t, w, `SELECT count(*) FROM (SELECT sequence < lag(sequence) OVER (PARTITION BY lane, cause ORDER BY place) AS inverted FROM delivery) d WHERE inverted`); inverted != 0 {
		t.Errorf("%d inversions", inverted)
	}
	if newest := one[int](t, w, `SELECT e.version FROM delivery d JOIN event e ON e.id = d.event_id WHERE d.lane = $1 ORDER BY d.place DESC LIMIT 1`, record); newest != events/10+1 {
		t.Errorf("the last in the record's lane is version %d", newest)
	}
	w.relay(t, w.event(record, events/10+2)) // and the inbox goes on from there
	if got := one[int](t, w, `SELECT count(*) FROM delivery`); got != 2*events+2 {
		t.Errorf("%d deliveries", got)
	}
}

// A replay takes the types that it names, and what came in since it was asked for as the endpoint wants it.
func TestAReplayTakesWhatItNames(t *testing.T) {
	w := newWorld(t)
	id := w.subscribe(t, newSubscriber(t, nil), map[string]any{"exclude_origins": []string{"import"}})
	organization := w.Client.Principal.OrganizationID
	imported := w.event(newID(), 1)
	imported["payload"].(map[string]any)["origin"] = "import"
	former := eventOf(organization, "site.updated", newID(), 1, nil)
	former["at"] = time.Now().Add(-48 * time.Hour).UTC().Format(timestampFormat)
	w.relay(t, w.event(newID(), 1), eventOf(organization, "site.updated", newID(), 1, nil), former, imported)
	w.Must(t, 201, "POST", "/v1/webhook-endpoints/"+id+"/replay", map[string]any{"since": time.Now().Add(-time.Hour).UTC().Format(time.RFC3339), "event_types": []string{"site.*"}})
	w.relay(t, w.event(newID(), 2))
	if err := w.here.replayer.runAll(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := one[string](t, w, `SELECT string_agg(cause || ':' || event_type || ':' || sequence, ' ' ORDER BY place) FROM delivery`); got !=
		"event:asset.updated:1 event:site.updated:2 event:site.updated:3 replay:site.updated:2 event:asset.updated:5" {
		t.Errorf("deliveries: %s", got)
	}
}

// What is thirty days old goes, deliveries with their attempts and events, and the feed remembers up to where; what an
// endpoint leaves behind goes with it.
func TestOldEventsAndDeliveriesAreSweptAway(t *testing.T) {
	w := newWorld(t)
	var well atomic.Bool
	r := newSubscriber(t, func(_ call, w http.ResponseWriter, _ *http.Request) {
		if !well.Load() {
			w.WriteHeader(http.StatusInternalServerError)
		}
	})
	id := w.subscribe(t, r, nil)
	w.here.deliver(t)
	old := newID()
	w.relay(t, w.event(old, 1), w.event(old, 2))
	w.Must(t, 200, "POST", "/v1/webhook-endpoints/"+id+"/test", nil)
	eventually(t, "it was tried", func() bool { return one[int](t, w, `SELECT count(*) FROM attempt`) == 2 })
	w.Must(t, 200, "POST", "/v1/webhook-endpoints/"+id+"/pause", nil)
	w.pass(29 * 24 * time.Hour)
	w.relay(t, w.event(old, 3))
	if err := w.here.purger.purgeAll(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := one[string](t, w, `SELECT (SELECT count(*) FROM event) || ' ' || (SELECT count(*) FROM delivery)`); got != "4 4" {
		t.Errorf("events, deliveries after 29 days: %s", got)
	}
	w.pass(2 * 24 * time.Hour)
	if err := w.here.purger.purgeAll(t.Context()); err != nil {
		t.Fatal(err)
	}
	const left = `SELECT (SELECT count(*) FROM event) || ' ' || (SELECT count(*) FROM delivery) || ' ' || (SELECT count(*) FROM attempt) || ' ' || (SELECT purged_sequence FROM feed) || ' ' || (SELECT count(*) FROM dispatch)`
	if got := one[string](t, w, left); got != "1 1 0 2 1" {
		t.Errorf("events, deliveries, attempts, purged up to, dispatches: %s", got)
	}
	// What still waits goes on behind what is gone.
	well.Store(true)
	calls := len(r.got())
	w.Must(t, 200, "POST", "/v1/webhook-endpoints/"+id+"/resume", nil)
	w.pass(0)
	if c := r.awaits(t, calls+1)[calls]; c.version != 3 {
		t.Errorf("version %d came", c.version)
	}
	w.Must(t, 204, "DELETE", "/v1/webhook-endpoints/"+id, nil)
	if err := w.here.purger.purgeAll(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := one[string](t, w, left); got != "1 0 0 2 0" {
		t.Errorf("after the endpoint: %s", got)
	}
}
