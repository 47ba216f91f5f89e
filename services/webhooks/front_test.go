package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"ams.internal/libs/external"
	"ams.internal/libs/postgres"
	"ams.internal/libs/postgres/postgrestest"
	"ams.internal/libs/principal"
	"ams.internal/libs/reference"
	"ams.internal/libs/resource/resourcetest"
	"ams.internal/libs/service"
)

type fields = map[string]any

const endpointsPath = "/v1/webhook-endpoints"

// rootKey seals what the tests seal.
const rootKey = "a root key for tests that is long enough"

// front is the service as callers see it: no dispatcher runs, so what is queued stays queued.
type front struct {
	*resourcetest.Client
	service  *webhooks
	peers    *resourcetest.Peers
	database *postgrestest.Database
	db       *postgres.DB
	site     string
}

func serveFront(t testing.TB) *front {
	t.Helper()
	database := postgrestest.New(t, "webhooks", migrations)
	return frontOn(t, database, resourcetest.NewSigner(t), rootKey)
}

// frontOn is another instance on a database.
func frontOn(t testing.TB, database *postgrestest.Database, signer *principal.Signer, roots ...string) *front {
	t.Helper()
	db, err := postgres.Open(t.Context(), database.URL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	f := &front{peers: resourcetest.NewPeers(t, signer), database: database, db: db, site: uuid.NewString()}
	f.peers.Keep("sites", reference.Entry{ID: f.site, Name: "École Saint-Joseph"})
	log := resourcetest.Log(t)
	client := external.New(external.Rules{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	f.service, err = build(&service.Service{Name: "webhooks", DB: db, Signer: signer, Log: log}, roots, client, f.peers.References, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	f.Client = resourcetest.NewClient(f.service, signer)
	return f
}

// apart gives the same service to another organization.
func (f *front) apart() *front {
	other := *f
	other.Client = f.Other()
	return &other
}

// with gives the same organization to a key with these scopes.
func (f *front) with(scopes ...string) *front {
	other, client := *f, *f.Client
	client.Principal.Scopes = scopes
	other.Client = &client
	return &other
}

// body is a create that is fine.
func (f *front) body(n int, change ...fields) fields {
	made := fields{"url": fmt.Sprintf("http://127.0.0.1:9/hooks/%d", n), "event_types": []string{"asset.*"}}
	for _, c := range change {
		for name, value := range c {
			made[name] = value
		}
	}
	return made
}

func (f *front) endpoint(t testing.TB, change ...fields) fields {
	t.Helper()
	return f.Create(t, endpointsPath, f.body(1, change...))
}

func pathOf(endpoint fields) string { return endpointsPath + "/" + endpoint["id"].(string) }

// arrive lets events come in as a relay brings them, and gives their ids.
func (f *front) arrive(t testing.TB, events ...arrival) []string {
	t.Helper()
	for i := range events {
		e := &events[i]
		if e.ID == "" {
			e.ID = newID()
		}
		if e.OrganizationID == "" {
			e.OrganizationID = f.Principal.OrganizationID
		}
		if e.RecordID == "" {
			e.RecordID = newID()
		}
		if e.Collection == "" {
			e.Collection = "assets"
		}
		if e.At.IsZero() {
			e.At = time.Now()
		}
		if e.Payload == nil {
			e.Payload = payload(`{"id":"`+e.RecordID+`","name":"Pompe"}`, `["name"]`, `{"name":null}`, `{"type":"user","id":"u","name":"Anne"}`, "api", "r-1")
		}
		e.Version = max(e.Version, 1)
	}
	body, err := json.Marshal(arrivedBatch{events})
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequestWithContext(t.Context(), "POST", inboxPath, strings.NewReader(string(body)))
	r.Header.Set(principal.Header, f.Signer.Sign(principal.Principal{Actor: principal.Actor{Type: "service", ID: "assets", Name: "assets"}}))
	recorder := httptest.NewRecorder()
	f.service.ServeHTTP(recorder, r)
	var answer receivedBatch
	if err := json.Unmarshal(recorder.Body.Bytes(), &answer); err != nil || recorder.Code != 200 || len(answer.Received) != len(events) {
		t.Fatalf("the inbox answers %d %s", recorder.Code, recorder.Body)
	}
	return answer.Received
}

// owner is a connection that sees every organization.
func (f *front) owner(t testing.TB) *pgx.Conn {
	t.Helper()
	owner, err := pgx.Connect(t.Context(), f.database.OwnerURL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = owner.Close(context.Background()) })
	return owner
}

// inside runs fn in a transaction of the organization.
func (f *front) inside(t testing.TB, fn func(ctx context.Context, tx pgx.Tx) error) {
	t.Helper()
	if err := f.db.Write(principal.Into(t.Context(), f.Principal), fn); err != nil {
		t.Fatal(err)
	}
}

// receiver is somebody's server.
type receiver struct {
	*httptest.Server
	mu     sync.Mutex
	calls  []http.Header
	bodies []string
	answer func(w http.ResponseWriter) // nil: 204
}

func newReceiver(t testing.TB) *receiver {
	t.Helper()
	r := &receiver{}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(request.Body)
		if err != nil {
			t.Error(err)
		}
		r.mu.Lock()
		r.calls, r.bodies = append(r.calls, request.Header.Clone()), append(r.bodies, string(body))
		answer := r.answer
		r.mu.Unlock()
		if answer == nil {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		answer(w)
	}))
	t.Cleanup(r.Close)
	return r
}
