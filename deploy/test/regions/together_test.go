package regions

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"

	"ams.internal/libs/testwait"
)

// Both regions work on the same data: what one has acknowledged the other shows at the next request.
func TestWritesOfOneRegionAreVisibleInTheOtherAtOnce(t *testing.T) {
	inCanada, inStates := callers(t)
	for i := range 10 {
		writer, reader := inStates, inCanada
		if i%2 == 1 {
			writer, reader = inCanada, inStates
		}
		made := writer.must(t, 201, "POST", "/v1/sites", map[string]any{"name": fmt.Sprintf("%s %d", t.Name(), i)})
		path := "/v1/sites/" + made.object["id"].(string)
		if read := reader.must(t, 200, "GET", path, nil); read.served == made.served {
			t.Errorf("both were processed in %s", read.served)
		}
		writer.must(t, 200, "PATCH", path, map[string]any{"name": fmt.Sprintf("%s %d, changed", t.Name(), i)})
		if read := reader.must(t, 200, "GET", path, nil); read.object["version"] != 2.0 {
			t.Errorf("the change is not seen: %s", read.body)
		}
		writer.must(t, 204, "DELETE", path, nil)
		reader.must(t, 404, "GET", path, nil)
	}
}

func TestARevokedKeyIsRefusedInBothRegionsAtTheNextRequest(t *testing.T) {
	value, revoke := key(t, 1000)
	for _, region := range []string{canada, states} {
		caller{gateway(region), value}.must(t, 200, "GET", "/v1/sites", nil)
	}
	revoke()
	for _, region := range []string{states, canada} {
		caller{gateway(region), value}.do(t, "GET", "/v1/sites", nil).says(t, 401, "key_revoked")
	}
}

func TestALimitHoldsForAllRegionsTogether(t *testing.T) {
	const limit = 10
	value, _ := key(t, limit)
	if left := time.Minute - time.Duration(time.Now().UnixNano())%time.Minute; left < 20*time.Second {
		time.Sleep(left + 100*time.Millisecond) // all of it belongs to one minute
	}
	passed := 0
	for i := range 2 * limit {
		at := caller{gateway([]string{canada, states}[i%2]), value}
		switch got := at.do(t, "GET", "/v1/sites?per_page=1", nil); got.status {
		case 200:
			passed++
		case 429:
		default:
			t.Errorf("%d %s", got.status, got.body)
		}
	}
	if passed != limit {
		t.Errorf("%d requests passed at a limit of %d", passed, limit)
	}
}

// The webhooks service runs in both regions, and so do the relays; each event is delivered once.
func TestEveryEventIsDeliveredOnce(t *testing.T) {
	inCanada, inStates := callers(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	calls := map[string]int{} // by record
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var event struct {
			Data struct {
				Object struct {
					ID string `json:"id"`
				} `json:"object"`
			} `json:"data"`
		}
		if json.NewDecoder(r.Body).Decode(&event) == nil {
			mu.Lock()
			calls[event.Data.Object.ID]++
			mu.Unlock()
		}
		w.WriteHeader(http.StatusNoContent)
	})}
	go func() { _ = server.Serve(listener) }() // ends with Close
	t.Cleanup(func() { server.Close() })
	endpoint := inCanada.must(t, 201, "POST", "/v1/webhook-endpoints", map[string]any{
		"url": "http://" + listener.Addr().String(), "event_types": []string{"site.created"}}).object["id"].(string)
	t.Cleanup(func() { inCanada.must(t, 204, "DELETE", "/v1/webhook-endpoints/"+endpoint, nil) })

	const events = 30
	made := map[string]bool{}
	for i := range events {
		at := []caller{inCanada, inStates}[i%2]
		made[at.must(t, 201, "POST", "/v1/sites", map[string]any{"name": fmt.Sprintf("%s %d", t.Name(), i)}).object["id"].(string)] = true
	}
	testwait.For(t, timeout, "every event is delivered, and the deliveries are written down", func() bool {
		list := inStates.must(t, 200, "GET", "/v1/webhook-endpoints/"+endpoint+"/deliveries?state=delivered&per_page=100", nil)
		return len(list.object["data"].([]any)) >= events
	})
	mu.Lock()
	defer mu.Unlock()
	for id := range made {
		if calls[id] != 1 {
			t.Errorf("the event of %s was delivered %d times", id, calls[id])
		}
	}
	if len(calls) != events {
		t.Errorf("%d records were told of, not %d", len(calls), events)
	}
}
