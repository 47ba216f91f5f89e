package webhooks

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"ams.internal/libs/discovery"
	"ams.internal/libs/external"
	"ams.internal/libs/outbox"
	"ams.internal/libs/postgres"
	"ams.internal/libs/postgres/postgrestest"
	"ams.internal/libs/principal"
	"ams.internal/libs/reference"
	"ams.internal/libs/resource/resourcetest"
	"ams.internal/libs/service"
)

const (
	// rootKey seals the secrets of tests.
	rootKey       = "a root key for tests that is long enough"
	endpointsPath = "/v1/webhook-endpoints"
	testTimeout   = 45 * time.Second
)

type fields = map[string]any

// fixture is a database, stubs of the other services, and an instance of this service that does not deliver until its
// dispatcher is started. Its client is an organization of its own, which has one site.
type fixture struct {
	*resourcetest.Client
	service  *instance
	database *postgrestest.Database
	gateway  *gateway
	clock    *clock
	site     string
	shown    *tls.Certificate // to receivers that ask, by instances made from now on
	resolver *net.Resolver    // of instances made from now on; nil: the system's
}

func newFixture(t testing.TB) *fixture {
	t.Helper()
	signer := resourcetest.NewSigner(t)
	peers := resourcetest.NewPeers(t, signer)
	f := &fixture{
		Client: resourcetest.NewClient(nil, signer), database: postgrestest.New(t, "webhooks", migrations), gateway: newGateway(t, peers),
		clock: &clock{}, site: uuid.NewString(),
	}
	peers.Keep("sites", reference.Entry{ID: f.site, Name: "École Saint-Joseph"})
	f.service = f.newInstance(t)
	f.Client.Handler = f.service
	return f
}

// otherOrganization gives the fixture with a client of another organization.
func (f *fixture) otherOrganization() *fixture {
	other := *f
	other.Client = f.Other()
	return &other
}

// withScopes gives the fixture with a client of the same organization that has these scopes only.
func (f *fixture) withScopes(scopes ...string) *fixture {
	other, client := *f, *f.Client
	client.Principal.Scopes = scopes
	other.Client = &client
	return &other
}

// anotherInstance gives the fixture with a client of the same organization on a new instance of the service.
func (f *fixture) anotherInstance(t testing.TB, roots ...string) *fixture {
	t.Helper()
	other, client := *f, *f.Client
	other.service = f.newInstance(t, roots...)
	client.Handler = other.service
	other.Client = &client
	return &other
}

// singleConnection gives the fixture with a client of the same organization on an instance with one database connection.
func (f *fixture) singleConnection(t testing.TB) *fixture {
	t.Helper()
	other, client := *f, *f.Client
	other.service = f.newInstanceOn(t, f.database.OpenSingle(t), []string{rootKey})
	client.Handler = other.service
	other.Client = &client
	return &other
}

// instance is an instance of the service in this process.
type instance struct {
	*webhooks
	db   *postgres.DB
	stop func() // returns when the dispatcher has ended
}

// newInstance makes an instance with these root keys; without any, with rootKey.
func (f *fixture) newInstance(t testing.TB, roots ...string) *instance {
	t.Helper()
	if roots == nil {
		roots = []string{rootKey}
	}
	return f.newInstanceOn(t, f.database.Open(t), roots)
}

func (f *fixture) newInstanceOn(t testing.TB, db *postgres.DB, roots []string) *instance {
	t.Helper()
	log := resourcetest.Log(untilEnd{t})
	directory, err := discovery.Open(discovery.Config{
		Mode: discovery.Static, Static: map[string][]string{"gateway-internal": {f.gateway.address}, "assets": {f.gateway.address}},
		Region: "ca-central-1", Log: log,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(directory.Close)
	built, err := build(&service.Service{Name: "webhooks", Log: log, DB: db, Directory: directory, Signer: f.Signer}, roots,
		external.New(external.Rules{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, Resolver: f.resolver, Certificate: f.shown}),
		senderOf([]string{"203.0.113.7"}, f.shown),
		reference.NewClient(directory, f.Signer), f.clock.now)
	if err != nil {
		t.Fatal(err)
	}
	return &instance{built, db, func() {}}
}

// startDispatcher starts the dispatcher and the replays of an instance.
func (i *instance) startDispatcher(t testing.TB) *instance {
	ctx, cancel := context.WithCancel(context.Background())
	var work sync.WaitGroup
	work.Go(func() { i.dispatcher.run(ctx) })
	work.Go(func() { i.replayer.run(ctx) })
	i.stop = sync.OnceFunc(func() {
		cancel()
		work.Wait()
	})
	t.Cleanup(i.stop)
	return i
}

// notifyAll makes all lease holders of an instance read the clock.
func (i *instance) notifyAll() {
	if w := i.dispatcher.cells[principal.First].current.Load(); w != nil {
		w.mu.Lock()
		defer w.mu.Unlock()
		for _, h := range w.holders {
			h.notify()
		}
	}
}

// untilEnd is a test whose output ends with it: background work may log later.
type untilEnd struct{ testing.TB }

func (u untilEnd) Output() io.Writer { return testLog{u.TB} }

// testLog writes to a test's output until the test has ended.
type testLog struct{ t testing.TB }

func (l testLog) Write(line []byte) (int, error) {
	if l.t.Context().Err() == nil {
		return l.t.Output().Write(line)
	}
	return len(line), nil
}

// clock is the clock of the instances in this process.
type clock struct{ offset atomic.Int64 }

func (c *clock) now() time.Time { return time.Now().Add(time.Duration(c.offset.Load())) }

// now is the time of the instances in this process.
func (f *fixture) now() time.Time { return f.clock.now() }

// advance moves the clock on.
func (f *fixture) advance(d time.Duration) {
	f.clock.offset.Add(int64(d))
	f.service.notifyAll()
}

// gateway is a stub of the gateway's internal listener, which knows the plans, and of the other services.
type gateway struct {
	address    string
	planLapsed atomic.Bool
	down       atomic.Bool
	requests   atomic.Int64
}

func newGateway(t testing.TB, peers http.Handler) *gateway {
	g := &gateway{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		organization, ok := strings.CutPrefix(r.URL.Path, "/internal/organizations/")
		if !ok {
			peers.ServeHTTP(w, r)
			return
		}
		g.requests.Add(1)
		features := `["api_access","projects"]`
		if g.planLapsed.Load() {
			features = `[]`
		}
		if g.down.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintf(w, `{"id":%q,"features":%s}`, organization, features)
	}))
	t.Cleanup(server.Close)
	g.address = strings.TrimPrefix(server.URL, "http://")
	return g
}

// endpointBody gives a valid request to create an endpoint, with changes.
func (f *fixture) endpointBody(n int, changes ...fields) fields {
	body := fields{"url": fmt.Sprintf("http://127.0.0.1:9/hooks/%d", n), "event_types": []string{"asset.*"}}
	for _, change := range changes {
		for name, value := range change {
			body[name] = value
		}
	}
	return body
}

// createEndpoint creates an endpoint to which nothing can be sent, unless a change gives another url.
func (f *fixture) createEndpoint(t testing.TB, changes ...fields) fields {
	t.Helper()
	return f.Create(t, endpointsPath, f.endpointBody(1, changes...))
}

func pathOf(endpoint fields) string { return endpointsPath + "/" + endpoint["id"].(string) }

// subscribe creates an endpoint for a receiver, which from then on verifies signatures, and gives its id.
func (f *fixture) subscribe(t testing.TB, r *receiver, more fields) string {
	t.Helper()
	body := fields{"url": r.URL, "event_types": []string{"asset.*", "site.*"}}
	for name, value := range more {
		body[name] = value
	}
	endpoint := f.Create(t, endpointsPath, body)
	r.secret.Store(endpoint["secret"].(string))
	return endpoint["id"].(string)
}

// getEndpoint gives an endpoint's record.
func (f *fixture) getEndpoint(t testing.TB, id string) fields {
	t.Helper()
	return f.Must(t, 200, "GET", endpointsPath+"/"+id, nil).JSON
}

// event gives a change of a record as a relay sends it.
func (f *fixture) event(record string, version int) fields {
	return eventOf(f.Principal.OrganizationID, "asset.updated", record, version)
}

func eventOf(organization, eventType, record string, version int) fields {
	return fields{
		"id": newID(), "organization_id": organization, "type": eventType, "collection": strings.Split(eventType, ".")[0] + "s",
		"record_id": record, "version": version, "at": time.Now().UTC().Format(timestampFormat), "traceparent": "",
		"payload": fields{
			"data": fields{
				"object":  fields{"id": record, "version": version, "name": "Pompe nº 2"},
				"changed": []string{"name"}, "previous": fields{"name": "Pompe nº 1"},
			},
			"actor": fields{"type": "api_key", "id": newID(), "name": "BI"}, "origin": "api", "bulk_id": nil, "request_id": "r-1",
		},
	}
}

// relay sends events to the inbox and gives the ids that it acknowledges.
func (f *fixture) relay(t testing.TB, events ...fields) []string {
	t.Helper()
	received, status, body := f.postEvents(f.service, events)
	if status != http.StatusOK {
		t.Fatalf("the inbox answered %d: %s", status, body)
	}
	return received
}

// relayEvents sends events to the inbox, fills what they leave empty, and gives their ids.
func (f *fixture) relayEvents(t testing.TB, events ...incomingEvent) []string {
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
			e.Payload = payload(`{"id":"`+e.RecordID+`","name":"Pompe"}`, `["name"]`, `{"name":null}`,
				`{"type":"user","id":"u","name":"Anne"}`, "api", "r-1")
		}
		e.Version = max(e.Version, 1)
	}
	received, status, body := f.postEvents(f.service, events)
	if status != http.StatusOK || len(received) != len(events) {
		t.Fatalf("the inbox answers %d %s", status, body)
	}
	return received
}

// postEvents sends a batch to an instance's inbox as a relay does.
func (f *fixture) postEvents(to http.Handler, events any) (received []string, status int, body string) {
	encoded, err := json.Marshal(fields{"events": events})
	if err != nil {
		panic(err)
	}
	r := httptest.NewRequest("POST", outbox.InboxPath, bytes.NewReader(encoded))
	r.Header.Set(principal.Header, f.Signer.Sign(principal.Principal{Actor: principal.Actor{Type: "service", ID: "assets", Name: "assets"}}))
	recorder := httptest.NewRecorder()
	to.ServeHTTP(recorder, r)
	var receipt eventReceipt
	_ = json.Unmarshal(recorder.Body.Bytes(), &receipt)
	return receipt.Received, recorder.Code, recorder.Body.String()
}
