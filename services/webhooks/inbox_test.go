package webhooks

import (
	"fmt"
	"net/http"
	"sync"
	"testing"

	"github.com/google/uuid"

	"ams.internal/libs/outbox"
	"ams.internal/libs/principal"
)

func TestABatchSentTwiceIsTakenOnceAndAcknowledgedTwice(t *testing.T) {
	f := newFixture(t)
	r := newReceiver(t, nil)
	f.subscribe(t, r, nil)
	record := newID()
	batch := []map[string]any{f.event(record, 1), f.event(record, 2), f.event(record, 3)}
	batch = append(batch, batch[1]) // and one of them twice in the batch
	for range 3 {
		if received := f.relay(t, batch...); len(received) != len(batch) {
			t.Fatalf("received %v", received)
		}
	}
	longer := append(batch, f.event(record, 4))
	if received := f.relay(t, longer...); len(received) != len(longer) {
		t.Fatalf("received %v", received)
	}
	if got := queryOne[string](t, f,
		`SELECT string_agg(version || ':' || sequence, ' ' ORDER BY sequence) FROM event`); got != "1:1 2:2 3:3 4:4" {
		t.Errorf("events by version and sequence: %s", got)
	}
	if got := queryOne[int](t, f, `SELECT count(*) FROM delivery`); got != 4 {
		t.Errorf("%d deliveries", got)
	}
}

// Two relays that both believe to be the leader send the same events, in batches that overlap.
func TestABatchSentByTwoAtOnceIsTakenOnce(t *testing.T) {
	f := newFixture(t)
	f.subscribe(t, newReceiver(t, nil), nil)
	other := f.newInstance(t)
	var events []map[string]any
	for i := range 300 {
		events = append(events, f.event(newID(), i+1))
	}
	var sending sync.WaitGroup
	for i, to := range []http.Handler{f.service, other, f.service, other} {
		sending.Go(func() {
			for start := 0; start < len(events); start += 50 {
				some := events[start:min(start+50+10*i, len(events))]
				if received, status, body := f.postEvents(to, some); status != 200 || len(received) != len(some) {
					t.Errorf("%d %s", status, body)
				}
			}
		})
	}
	sending.Wait()
	if got := queryOne[string](t, f, `SELECT count(*) || ' ' || count(DISTINCT id) || ' ' || max(sequence) FROM event`); got != "300 300 300" {
		t.Errorf("events, ids, last sequence: %s", got)
	}
	if got := queryOne[int](t, f, `SELECT count(*) FROM delivery`); got != 300 {
		t.Errorf("%d deliveries", got)
	}
}

// Batches with events of several organizations, each in another order, neither deadlock nor leave gaps; and a reader of the
// numbers never sees a lower one appear later.
func TestNumbersHaveNoGapAndAreInTheOrderOfTheCommits(t *testing.T) {
	f := newFixture(t)
	f.subscribe(t, newReceiver(t, nil), nil)
	other := f.newInstance(t)
	organizations := []string{f.Client.Principal.OrganizationID, uuid.NewString(), uuid.NewString(), uuid.NewString()}
	var writing, reading sync.WaitGroup
	done := make(chan struct{})
	reading.Go(func() {
		conn := f.ownerConn(t)
		seen := map[string]int{}
		for {
			rows, err := conn.Query(t.Context(), `SELECT organization_id::text, max(sequence), count(*) FROM event GROUP BY 1`)
			if err != nil {
				t.Error(err)
				return
			}
			for rows.Next() {
				var organization string
				var last, count int
				if err := rows.Scan(&organization, &last, &count); err != nil {
					t.Error(err)
				}
				if last != count || last < seen[organization] {
					t.Errorf("%s has %d events up to number %d", organization, count, last)
				}
				seen[organization] = last
			}
			if rows.Err() != nil {
				t.Error(rows.Err())
			}
			select {
			case <-done:
				return
			default:
			}
		}
	})
	const writers, batches, perBatch = 6, 20, 24
	for n := range writers {
		writing.Go(func() {
			to := []http.Handler{f.service, other}[n%2]
			for range batches {
				var batch []map[string]any
				for i := range perBatch {
					batch = append(batch, eventOf(organizations[(n+i)%len(organizations)], "asset.updated", newID(), 1))
				}
				if _, status, body := f.postEvents(to, batch); status != 200 {
					t.Errorf("%d %s", status, body)
				}
			}
		})
	}
	writing.Wait()
	close(done)
	reading.Wait()
	want := fmt.Sprint(writers * batches * perBatch / len(organizations))
	for _, organization := range organizations {
		if got := queryOne[string](t, f, `SELECT min(sequence) || ' ' || max(sequence) || ' ' || count(*) FROM event WHERE organization_id = $1`,
			organization); got != "1 "+want+" "+want {
			t.Errorf("first, last, count: %s", got)
		}
	}
}

func TestTheInboxIsForServicesOnly(t *testing.T) {
	f := newFixture(t)
	for name, row := range map[string]struct {
		method, actor, body string
		status              int
	}{
		"a key":            {"POST", "api_key", `{"events":[]}`, 403},
		"a user":           {"POST", "user", `{"events":[]}`, 403},
		"nobody":           {"POST", "", `{"events":[]}`, 401},
		"another method":   {"GET", "service", "", 400},
		"something else":   {"POST", "service", "events", 400},
		"no events at all": {"POST", "service", `{"events":[]}`, 200},
	} {
		header := ""
		if row.actor != "" {
			header = f.Signer.Sign(principal.Principal{Actor: principal.Actor{Type: row.actor, ID: "x", Name: "x"}})
		}
		if answer := f.Do(t, row.method, outbox.InboxPath, row.body, principal.Header, header); answer.Status != row.status {
			t.Errorf("%s: %d %s", name, answer.Status, answer.Body)
		}
	}
}

// An invalid event is not acknowledged, and the others of its batch are stored.
func TestAnInvalidEventIsNotAcknowledged(t *testing.T) {
	f := newFixture(t)
	good := f.event(newID(), 1)
	for name, change := range map[string]map[string]any{
		"no id": {"id": "x"}, "no organization": {"organization_id": ""}, "an unknown type": {"type": "cat.petted"},
		"no payload": {"payload": []int{}}, "no time": {"at": "0001-01-01T00:00:00Z"},
	} {
		bad := f.event(newID(), 1)
		for field, value := range change {
			bad[field] = value
		}
		if received := f.relay(t, bad, good); len(received) != 1 || received[0] != good["id"] {
			t.Errorf("%s: received %v", name, received)
		}
	}
}
