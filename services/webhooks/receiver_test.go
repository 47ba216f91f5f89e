package webhooks

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"ams.internal/libs/testwait"
)

// receiver is the server of a subscriber. It records the calls, and responds with 200 or as respond does.
type receiver struct {
	*httptest.Server
	t      testing.TB
	secret atomic.Value // when set, calls must be signed with it

	mu      sync.Mutex
	calls   []call
	respond func(c call, w http.ResponseWriter, r *http.Request)
}

// call is a call that a receiver got.
type call struct {
	id, eventType, delivery, record string
	attempt                         string
	version                         int
	at                              time.Time
	header                          http.Header
	body                            []byte
}

func newReceiver(t testing.TB, respond func(c call, w http.ResponseWriter, r *http.Request)) *receiver {
	r := &receiver{t: t, respond: respond}
	r.Server = httptest.NewServer(r)
	r.Server.Config.Handler = r
	t.Cleanup(func() {
		r.Server.CloseClientConnections()
		r.Server.Close()
	})
	return r
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(request.Body)
	if err != nil {
		return // the sender was killed
	}
	if secret, _ := r.secret.Load().(string); secret != "" {
		verifier, err := standardwebhooks.NewWebhook(secret)
		if err == nil {
			err = verifier.VerifyIgnoringTimestamp(body, request.Header)
		}
		if err != nil {
			r.t.Errorf("a call that is not signed as it should be: %v", err)
		}
	}
	var event struct {
		Data struct {
			Object struct {
				ID      string `json:"id"`
				Version int    `json:"version"`
			} `json:"object"`
		} `json:"data"`
	}
	if err := json.Unmarshal(body, &event); err != nil {
		r.t.Errorf("a body that is not JSON: %v: %.300s", err, body)
	}
	c := call{
		id: request.Header.Get("Webhook-Id"), eventType: request.Header.Get("Webhook-Event-Type"),
		delivery: request.Header.Get("Webhook-Delivery-Id"), attempt: request.Header.Get("Webhook-Attempt"),
		record: event.Data.Object.ID, version: event.Data.Object.Version, at: time.Now(), header: request.Header, body: body,
	}
	r.mu.Lock()
	r.calls = append(r.calls, c)
	respond := r.respond
	r.mu.Unlock()
	if respond != nil {
		respond(c, w, request)
	}
}

// respondWith changes how the receiver responds; nil: 200.
func (r *receiver) respondWith(respond func(c call, w http.ResponseWriter, r *http.Request)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.respond = respond
}

// received gives the calls so far.
func (r *receiver) received() []call {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.calls)
}

// last gives the last call.
func (r *receiver) last(t testing.TB) call {
	t.Helper()
	calls := r.received()
	if len(calls) == 0 {
		t.Fatal("the receiver got no call")
	}
	return calls[len(calls)-1]
}

// waitForCalls waits until the receiver has got n calls.
func (r *receiver) waitForCalls(t testing.TB, n int) []call {
	t.Helper()
	testwait.For(t, testTimeout, fmt.Sprintf("%d calls received", n), func() bool { return len(r.received()) >= n })
	return r.received()
}

// expectOrder checks that n events were received, each at least once, and those of a record in the order of its versions.
func expectOrder(t testing.TB, calls []call, n int) {
	t.Helper()
	last, seen := map[string]int{}, map[string]bool{}
	for _, c := range calls {
		if seen[c.id] {
			continue // received again after a kill
		}
		seen[c.id] = true
		if c.version != last[c.record]+1 {
			t.Errorf("version %d of a record came after version %d", c.version, last[c.record])
		}
		last[c.record] = max(last[c.record], c.version)
	}
	if len(seen) != n {
		t.Errorf("%d events received, %d sent", len(seen), n)
	}
}
