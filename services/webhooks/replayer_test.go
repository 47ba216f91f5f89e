package webhooks

import (
	"testing"
	"time"

	"ams.internal/libs/testwait"
)

// A replay continues where a killed process has stopped, queues each event once, and new events follow behind it.
func TestAReplayGoesOnAfterAKill(t *testing.T) {
	f := newFixture(t)
	r := newReceiver(t, nil)
	id := f.subscribe(t, r, nil)
	f.Must(t, 200, "POST", "/v1/webhook-endpoints/"+id+"/pause", nil)
	record := newID()
	const events = 6 * replayBatch
	for start := 0; start < events; start += replayBatch {
		var batch []map[string]any
		for i := range replayBatch {
			if i%10 == 0 {
				batch = append(batch, f.event(record, (start+i)/10+1))
			} else {
				batch = append(batch, f.event(newID(), 1))
			}
		}
		f.relay(t, batch...)
	}
	replay := f.Must(t, 201, "POST", "/v1/webhook-endpoints/"+id+"/replay",
		map[string]any{"since": time.Now().Add(-time.Hour).UTC().Format(time.RFC3339)}).JSON
	f.relay(t, f.event(record, events/10+1)) // it goes through the replay
	if got := queryOne[int](t, f, `SELECT count(*) FROM delivery`); got != events {
		t.Fatalf("%d deliveries", got)
	}
	for queryOne[int64](t, f, `SELECT queued FROM replay`) == 0 {
		p := f.startProcess(t)
		testwait.For(t, testTimeout, "the replay has begun", func() bool { return queryOne[int64](t, f, `SELECT queued FROM replay`) > 0 })
		p.kill()
	}
	f.startProcess(t)
	testwait.For(t, testTimeout, "the replay is done", func() bool { return queryOne[string](t, f, `SELECT state FROM replay`) == "done" })
	shown := f.Must(t, 200, "GET", "/v1/webhook-endpoints/"+id+"/replays/"+replay["id"].(string), nil).JSON
	if shown["state"] != "done" || shown["queued"] != float64(events+1) {
		t.Errorf("%v", shown)
	}
	if got := queryOne[string](t, f,
		`SELECT count(*) || ' ' || count(DISTINCT event_id) FROM delivery WHERE cause = 'replay'`); got != "6000 6000" {
		t.Errorf("replayed deliveries, events: %s", got)
	}
	if inverted := queryOne[int](t, f,
		`SELECT count(*) FROM (SELECT sequence < lag(sequence) OVER (PARTITION BY lane, cause ORDER BY place) AS inverted FROM delivery) d
		WHERE inverted`); inverted != 0 {
		t.Errorf("%d inversions", inverted)
	}
	if newest := queryOne[int](t, f,
		`SELECT e.version FROM delivery d JOIN event e ON e.id = d.event_id WHERE d.lane = $1 ORDER BY d.place DESC LIMIT 1`,
		record); newest != events/10+1 {
		t.Errorf("the last delivery of the record is version %d", newest)
	}
	f.relay(t, f.event(record, events/10+2)) // and the inbox goes on from there
	if got := queryOne[int](t, f, `SELECT count(*) FROM delivery`); got != 2*events+2 {
		t.Errorf("%d deliveries", got)
	}
}

// A replay queues the types that it names, and newer events as the endpoint subscribes to them.
func TestAReplayTakesWhatItNames(t *testing.T) {
	f := newFixture(t)
	id := f.subscribe(t, newReceiver(t, nil), map[string]any{"exclude_origins": []string{"import"}})
	organization := f.Client.Principal.OrganizationID
	imported := f.event(newID(), 1)
	imported["payload"].(map[string]any)["origin"] = "import"
	former := eventOf(organization, "site.updated", newID(), 1)
	former["at"] = time.Now().Add(-48 * time.Hour).UTC().Format(timestampFormat)
	f.relay(t, f.event(newID(), 1), eventOf(organization, "site.updated", newID(), 1), former, imported)
	f.Must(t, 201, "POST", "/v1/webhook-endpoints/"+id+"/replay",
		map[string]any{"since": time.Now().Add(-time.Hour).UTC().Format(time.RFC3339), "event_types": []string{"site.*"}})
	f.relay(t, f.event(newID(), 2))
	if err := f.service.replayer.runAll(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := queryOne[string](t, f,
		`SELECT string_agg(cause || ':' || event_type || ':' || sequence, ' ' ORDER BY place) FROM delivery`); got !=
		"event:asset.updated:1 event:site.updated:2 event:site.updated:3 replay:site.updated:2 event:asset.updated:5" {
		t.Errorf("deliveries: %s", got)
	}
}
