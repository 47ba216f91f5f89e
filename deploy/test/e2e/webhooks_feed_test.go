package e2e

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"
)

// fact is one change of one record, as its author knows it.
type fact struct {
	record, action string
	version        int
}

// factOf reads it from an event; what is told last about a record has the highest version.
func factOf(event map[string]any) (fact, int64) {
	eventType, _ := event["type"].(string)
	object, _ := event["data"].(map[string]any)["object"].(map[string]any)
	record, _ := object["id"].(string)
	version, _ := object["version"].(float64)
	sequence, _ := event["sequence"].(float64)
	f := fact{record, eventType[strings.LastIndex(eventType, ".")+1:], int(version)}
	if f.action == "deleted" {
		f.version++
	}
	return f, int64(sequence)
}

// readFeed reads the feed from a cursor, or from the beginning, until nothing new comes, or until stop when that is later, and gives the
// events.
func readFeed(t *testing.T, c caller, after string, stop <-chan struct{}) (events []map[string]any) {
	t.Helper()
	for {
		query := "?limit=200&wait=2"
		if after != "" {
			query += "&after=" + url.QueryEscape(after)
		}
		page := c.must(t, 200, "GET", "/v1/events"+query, nil)
		data := page.object["data"].([]any)
		for _, event := range data {
			events = append(events, event.(map[string]any))
		}
		after = page.object["next"].(string)
		if len(data) > 0 {
			time.Sleep(100 * time.Millisecond) // 1000 requests a minute
			continue
		}
		select {
		case <-stop:
			return events
		default:
		}
	}
}

// end gives the cursor behind all that has happened so far.
func end(t *testing.T, c caller) string {
	t.Helper()
	after := ""
	for {
		query := "?limit=1000"
		if after != "" {
			query += "&after=" + url.QueryEscape(after)
		}
		page := c.must(t, 200, "GET", "/v1/events"+query, nil)
		after = page.object["next"].(string)
		if more, _ := page.object["has_more"].(bool); !more {
			return after
		}
	}
}

// The feed, read by its cursor while writers write, has every committed change once, in one order, without a gap.
func TestTheFeedIsTheCommittedChangesWithoutAGap(t *testing.T) {
	reader := fresh(t, city)
	after := end(t, reader)
	var mu sync.Mutex
	committed := map[fact]bool{}
	keep := func(f fact) {
		mu.Lock()
		defer mu.Unlock()
		committed[f] = true
	}
	done := make(chan struct{})
	var writers sync.WaitGroup
	until := time.Now().Add(12 * time.Second)
	for number := range 4 {
		c := fresh(t, city)
		writers.Go(func() { busy(t, c, number, until, keep) })
	}
	go func() { writers.Wait(); close(done) }()
	events := readFeed(t, reader, after, done)

	seen := map[fact]bool{}
	previous := int64(0)
	for _, event := range events {
		f, sequence := factOf(event)
		if previous != 0 && sequence != previous+1 {
			t.Errorf("after sequence %d comes %d", previous, sequence)
		}
		previous = sequence
		if seen[f] && (f.action == "created" || f.action == "updated" || f.action == "deleted") {
			t.Errorf("twice in the feed: %+v", f)
		}
		seen[f] = true
	}
	ours := map[string]bool{} // what other tests did may still be on its way
	for f := range committed {
		ours[f.record] = true
		if !seen[f] {
			t.Errorf("committed and not in the feed: %+v", f)
		}
	}
	for f := range seen {
		if !committed[f] && ours[f.record] {
			t.Errorf("in the feed and not committed: %+v", f)
		}
	}
	if len(committed) < 200 {
		t.Errorf("only %d changes were made", len(committed))
	}
	t.Logf("%d changes, %d events up to %d", len(committed), len(events), previous)
	// Read anew in pages of another size, it is the same.
	again, cursor := 0, after
	for {
		page := reader.must(t, 200, "GET", "/v1/events?limit=137&after="+url.QueryEscape(cursor), nil)
		for i, event := range page.object["data"].([]any) {
			if again+i < len(events) && fmt.Sprint(event) != fmt.Sprint(events[again+i]) {
				t.Fatalf("event %d reads otherwise the second time:\n%v\n%v", again+i, event, events[again+i])
			}
		}
		again += len(page.object["data"].([]any))
		cursor = page.object["next"].(string)
		if more, _ := page.object["has_more"].(bool); !more {
			break
		}
	}
	if again < len(events) {
		t.Errorf("%d events the first time, %d the second", len(events), again)
	}
}

// busy makes, changes and deletes work orders and assets, one by one and many at once, and keeps what was acknowledged.
func busy(t *testing.T, c caller, number int, until time.Time, keep func(fact)) {
	write := func(method, path string, body any) map[string]any {
		got, err := c.try(method, path, body)
		if err != nil || got.status >= 300 {
			t.Errorf("%s %s: %d %s %v", method, path, got.status, got.body, err)
			return nil
		}
		return got.object
	}
	rows := func(response map[string]any, action string) (ids []map[string]any) {
		data, _ := response["data"].([]any)
		for _, r := range data {
			record := r.(map[string]any)
			keep(fact{record["id"].(string), action, int(record["version"].(float64))})
			ids = append(ids, map[string]any{"id": record["id"], "external_id": fmt.Sprintf("%v-%v", record["id"], record["version"])})
		}
		return ids
	}
	for round := 0; time.Now().Before(until); round++ {
		name := fmt.Sprintf("Feed %d.%d", number, round)
		if made := write(http.MethodPost, "/v1/work-orders", map[string]any{"title": name}); made != nil {
			id := made["id"].(string)
			keep(fact{id, "created", 1})
			if write(http.MethodPatch, "/v1/work-orders/"+id, map[string]any{"priority": "high"}) != nil {
				keep(fact{id, "updated", 2})
			}
			if write(http.MethodDelete, "/v1/work-orders/"+id, nil) == nil {
				keep(fact{id, "deleted", 3})
			}
		}
		if round%8 == number%8 {
			var bodies []map[string]any
			for i := range 25 {
				bodies = append(bodies, map[string]any{"name": fmt.Sprintf("%s.%d", name, i)})
			}
			made := rows(write(http.MethodPost, "/v1/assets/bulk", map[string]any{"data": bodies}), "created")
			rows(write(http.MethodPatch, "/v1/assets/bulk", map[string]any{"data": made}), "updated")
		}
		time.Sleep(220 * time.Millisecond) // 1000 requests a minute
	}
}
