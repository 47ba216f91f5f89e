package outbox_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"ams.internal/libs/discovery"
	"ams.internal/libs/outbox"
	"ams.internal/libs/postgres/postgrestest"
	"ams.internal/libs/principal"
)

// received is an event as the webhooks service gets it.
type received struct {
	ID             string `json:"id"`
	OrganizationID string `json:"organization_id"`
	Type           string `json:"type"`
	Collection     string `json:"collection"`
	RecordID       string `json:"record_id"`
	Version        int    `json:"version"`
	At             string `json:"at"`
	Traceparent    string `json:"traceparent"`
	Payload        struct {
		Data struct {
			Object   json.RawMessage `json:"object"`
			Changed  []string        `json:"changed"`
			Previous json.RawMessage `json:"previous"`
		} `json:"data"`
		Actor     principal.Actor `json:"actor"`
		Origin    string          `json:"origin"`
		BulkID    *string         `json:"bulk_id"`
		RequestID string          `json:"request_id"`
	} `json:"payload"`
}

// inbox is a test server in the place of the webhooks service. It stores events by their ids, in the order of their first arrival.
type inbox struct {
	t       *testing.T
	signer  *principal.Signer
	server  *httptest.Server
	mu      sync.Mutex
	stored  []received
	known   map[string]bool
	batches []int // the number of events of each call
	sizes   []int // the bytes of each call
	respond func(w http.ResponseWriter, r *http.Request, store func(n int) []string, events []received)
}

func newInbox(t *testing.T) *inbox {
	t.Helper()
	signer, err := principal.NewSigner("a secret for tests that is long enough")
	if err != nil {
		t.Fatal(err)
	}
	in := &inbox{t: t, signer: signer, known: map[string]bool{}}
	in.respondWith(acknowledge)
	in.server = httptest.NewServer(in)
	t.Cleanup(in.server.Close)
	return in
}

// acknowledge is the response of an inbox that stores all events.
func acknowledge(w http.ResponseWriter, _ *http.Request, store func(n int) []string, events []received) {
	_ = json.NewEncoder(w).Encode(map[string]any{"received": store(len(events))})
}

// respondWith sets the response to calls from now on. store(n) stores the first n events and gives their ids.
func (in *inbox) respondWith(respond func(w http.ResponseWriter, r *http.Request, store func(n int) []string, events []received)) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.respond = respond
}

// ServeHTTP implements http.Handler.
func (in *inbox) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/livez" { // asked of who takes long
		return
	}
	p, err := in.signer.Verify(r.Header.Get(principal.Header))
	if err != nil || p.Actor.Type != "service" || p.OrganizationID != "" || r.URL.Path != "/internal/events" || r.Method != http.MethodPost {
		in.t.Errorf("%s %s of %+v: %v", r.Method, r.URL.Path, p, err)
	}
	var body struct {
		Events []received `json:"events"`
	}
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		if r.Context().Err() == nil {
			in.t.Errorf("a batch that cannot be read: %v", err)
		}
		return
	}
	in.mu.Lock()
	in.batches, in.sizes = append(in.batches, len(body.Events)), append(in.sizes, int(r.ContentLength))
	respond := in.respond
	in.mu.Unlock()
	respond(w, r, func(n int) []string {
		in.mu.Lock()
		defer in.mu.Unlock()
		ids := []string{}
		for _, event := range body.Events[:n] {
			ids = append(ids, event.ID)
			if !in.known[event.ID] {
				in.known[event.ID] = true
				in.stored = append(in.stored, event)
			}
		}
		return ids
	}, body.Events)
}

func (in *inbox) all() []received {
	in.mu.Lock()
	defer in.mu.Unlock()
	return slices.Clone(in.stored)
}

func (in *inbox) calls() int {
	in.mu.Lock()
	defer in.mu.Unlock()
	return len(in.batches)
}

// directory finds the inbox.
func (in *inbox) directory() *discovery.Directory {
	in.t.Helper()
	directory, err := discovery.Open(discovery.Config{
		Mode: discovery.Static, Region: "ca-central-1", Log: slog.New(slog.DiscardHandler),
		Static: map[string][]string{"webhooks": {strings.TrimPrefix(in.server.URL, "http://")}},
	})
	if err != nil {
		in.t.Fatal(err)
	}
	in.t.Cleanup(directory.Close)
	return directory
}

// relay runs a relay until end is called, at the latest until the end of the test.
func (in *inbox) relay(database *postgrestest.Database) (end func()) {
	in.t.Helper()
	log := slog.New(slog.NewTextHandler(in.t.Output(), nil))
	relay := outbox.NewRelay("library", database.Open(in.t), in.directory(), in.signer, log)
	ctx, cancel := context.WithCancel(context.WithoutCancel(in.t.Context()))
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		relay.Run(ctx)
	}()
	end = func() {
		cancel()
		<-ended
	}
	in.t.Cleanup(end)
	return end
}
