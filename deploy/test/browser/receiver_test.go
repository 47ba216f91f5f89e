package browser

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// receiver is a system that is called: it keeps what comes, and responds as the test wants.
type receiver struct {
	t      testing.TB
	server *httptest.Server

	mu     sync.Mutex
	status int
	body   string
	calls  []received
}

// received is one call.
type received struct {
	header http.Header
	body   []byte
	Type   string
	Data   struct {
		Object map[string]any
	}
}

func newReceiver(t testing.TB) *receiver {
	r := &receiver{t: t, status: http.StatusOK, body: "merci"}
	r.server = httptest.NewServer(r)
	t.Cleanup(r.server.Close)
	return r
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	call := received{header: request.Header}
	var err error
	if call.body, err = io.ReadAll(request.Body); err == nil {
		err = json.Unmarshal(call.body, &call)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if err != nil {
		r.t.Errorf("a call that is no JSON: %v: %.200s", err, call.body)
	}
	r.calls = append(r.calls, call)
	w.Header().Set("X-Receiver", "<b>bold</b>")
	w.WriteHeader(r.status)
	_, _ = io.WriteString(w, r.body)
}

// respond says what comes back from now on.
func (r *receiver) respond(status int, body string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.status, r.body = status, body
}

// got gives the calls of a type whose object has this name; any name where it is empty.
func (r *receiver) got(kind, name string) []received {
	r.mu.Lock()
	defer r.mu.Unlock()
	var found []received
	for _, call := range r.calls {
		if call.Type == kind && (name == "" || call.Data.Object["name"] == name) {
			found = append(found, call)
		}
	}
	return found
}

// awaits waits for the nth such call.
func (r *receiver) awaits(n int, kind, name string) received {
	r.t.Helper()
	for deadline := time.Now().Add(90 * time.Second); time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
		if found := r.got(kind, name); len(found) >= n {
			return found[n-1]
		}
	}
	r.t.Fatalf("call %d of %s %s never came", n, kind, name)
	return received{}
}

// signed says whether a call is signed with a secret.
func (c received) signed(t testing.TB, secret string) bool {
	t.Helper()
	webhook, err := standardwebhooks.NewWebhook(secret)
	if err != nil || len(strings.TrimPrefix(secret, "whsec_")) < 40 {
		t.Fatalf("no secret: %q %v", secret, err)
	}
	return webhook.Verify(c.body, c.header) == nil
}
