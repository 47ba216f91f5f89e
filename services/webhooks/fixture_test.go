package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"ams.internal/libs/discovery"
	"ams.internal/libs/external"
	"ams.internal/libs/postgres/postgrestest"
	"ams.internal/libs/principal"
	"ams.internal/libs/reference"
	"ams.internal/libs/resource/resourcetest"
	"ams.internal/libs/service"
)

// TestMain makes the test binary the service too: started with AMS_TEST_PROGRAM it is a process that can be killed.
func TestMain(m *testing.M) {
	if os.Getenv("AMS_TEST_PROGRAM") != "" {
		main()
	}
	os.Exit(m.Run())
}

const (
	testRoot = "a root key for tests that is long enough"
	patience = 45 * time.Second
)

// world is a database, the other services, and as many instances of this one as a test starts.
type world struct {
	database             *postgrestest.Database
	signer               *principal.Signer
	gateway              *gateway
	offset               atomic.Int64 // of the clock that instances here go by
	*resourcetest.Client              // of the first instance
	here                 *instance
}

func newWorld(t testing.TB) *world {
	t.Helper()
	w := &world{database: postgrestest.New(t, "webhooks", migrations), signer: resourcetest.NewSigner(t), gateway: newGateway(t)}
	w.here = w.instance(t)
	w.Client = resourcetest.NewClient(w.here, w.signer)
	return w
}

// now is the time of the instances in this process.
func (w *world) now() time.Time { return time.Now().Add(time.Duration(w.offset.Load())) }

// pass lets time pass.
func (w *world) pass(d time.Duration) {
	w.offset.Add(int64(d))
	w.here.ring()
}

// instance is the service in this process.
type instance struct {
	*webhooks
	stop func() // returns when the dispatcher has ended
}

// instance builds one, which does not deliver yet.
func (w *world) instance(t testing.TB) *instance {
	t.Helper()
	log := slog.New(slog.NewTextHandler(quiet{t}, &slog.HandlerOptions{Level: slog.LevelError}))
	directory, err := discovery.Open(discovery.Config{Mode: discovery.Static, Static: map[string][]string{"gateway-internal": {w.gateway.address}}, Region: "ca-central-1", Log: log})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(directory.Close)
	parts, err := build(&service.Service{Name: "webhooks", Log: log, DB: w.database.Open(t), Directory: directory, Signer: w.signer}, []string{testRoot},
		external.New(external.Rules{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}), reference.NewClient(directory, w.signer), w.now)
	if err != nil {
		t.Fatal(err)
	}
	return &instance{parts, func() {}}
}

// quiet is a test's log until the test has ended.
type quiet struct{ t testing.TB }

func (q quiet) Write(line []byte) (int, error) {
	if q.t.Context().Err() == nil {
		return q.t.Output().Write(line)
	}
	return len(line), nil
}

// deliver starts the dispatcher and the replays of an instance.
func (i *instance) deliver(t testing.TB) *instance {
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

// ring makes all owners of an instance look at the clock.
func (i *instance) ring() {
	if w := i.dispatcher.current.Load(); w != nil {
		w.mu.Lock()
		defer w.mu.Unlock()
		for _, o := range w.holders {
			o.notify()
		}
	}
}

// gateway stands for the gateway's internal listener: it knows which plans include webhooks.
type gateway struct {
	address string
	lapsed  atomic.Bool
	away    atomic.Bool
	asked   atomic.Int64
}

func newGateway(t testing.TB) *gateway {
	g := &gateway{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		g.asked.Add(1)
		features := `["api_access","projects"]`
		if g.lapsed.Load() {
			features = `[]`
		}
		if g.away.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintf(w, `{"id":%q,"features":%s}`, r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:], features)
	}))
	t.Cleanup(server.Close)
	g.address = strings.TrimPrefix(server.URL, "http://")
	return g
}

// process is the service as a program of its own.
type process struct {
	command *exec.Cmd
	ended   chan struct{}
}

// start starts the program and waits until it serves.
func (w *world) start(t testing.TB) *process {
	t.Helper()
	p := &process{exec.Command(os.Args[0]), make(chan struct{})}
	p.command.Env = append(os.Environ(), "AMS_TEST_PROGRAM=1", "AMS_DATABASE_URL="+w.database.URL, "AMS_DISCOVERY=static",
		"AMS_PRINCIPAL_SECRETS=a secret for tests that is long enough", "AMS_STATIC_SERVICES=gateway-internal="+w.gateway.address,
		"AMS_WEBHOOK_SECRETS="+testRoot, "AMS_WEBHOOK_ALLOW_PREFIXES=127.0.0.0/8", "AMS_LOG_LEVEL=warn")
	p.command.Stderr, p.command.Stdout = quiet{t}, quiet{t}
	if err := p.command.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = p.command.Wait()
		close(p.ended)
	}()
	t.Cleanup(p.kill)
	return p
}

// kill is kill -9.
func (p *process) kill() {
	_ = p.command.Process.Kill()
	<-p.ended
}

// call is one call that a receiver got.
type call struct {
	id, eventType, delivery, record string
	attempt                         string
	version                         int
	at                              time.Time
	header                          http.Header
	body                            []byte
}

// subscriber is somebody's endpoint. It answers 200, or what answer says.
type subscriber struct {
	*httptest.Server
	t      testing.TB
	secret atomic.Value
	mu     sync.Mutex
	calls  []call
	answer func(c call, w http.ResponseWriter, r *http.Request) // true counts as taken
}

func newSubscriber(t testing.TB, answer func(c call, w http.ResponseWriter, r *http.Request)) *subscriber {
	r := &subscriber{t: t, answer: answer}
	r.Server = httptest.NewServer(r)
	r.Server.Config.Handler = r
	t.Cleanup(func() {
		r.Server.CloseClientConnections()
		r.Server.Close()
	})
	return r
}

func (r *subscriber) ServeHTTP(w http.ResponseWriter, request *http.Request) {
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
		id: request.Header.Get("Webhook-Id"), eventType: request.Header.Get("Webhook-Event-Type"), delivery: request.Header.Get("Webhook-Delivery-Id"),
		attempt: request.Header.Get("Webhook-Attempt"), record: event.Data.Object.ID, version: event.Data.Object.Version, at: time.Now(), header: request.Header, body: body,
	}
	r.mu.Lock()
	r.calls = append(r.calls, c)
	r.mu.Unlock()
	if r.answer != nil {
		r.answer(c, w, request)
	}
}

// got gives the calls so far.
func (r *subscriber) got() []call {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.calls)
}

// subscribe makes an endpoint that is the receiver.
func (w *world) subscribe(t testing.TB, r *subscriber, more map[string]any) string {
	t.Helper()
	return subscribe(t, w.Client, r, more)
}

func subscribe(t testing.TB, client *resourcetest.Client, r *subscriber, more map[string]any) string {
	t.Helper()
	body := map[string]any{"url": r.URL, "event_types": []string{"asset.*", "site.*"}}
	for name, value := range more {
		body[name] = value
	}
	made := client.Create(t, "/v1/webhook-endpoints", body)
	r.secret.Store(made["secret"].(string))
	return made["id"].(string)
}

// event is a change of a record, as a relay sends it.
func (w *world) event(record string, version int) map[string]any {
	return eventOf(w.Client.Principal.OrganizationID, "asset.updated", record, version, nil)
}

func eventOf(organization, eventType, record string, version int, object map[string]any) map[string]any {
	shown := map[string]any{"id": record, "version": version, "name": "Pompe nº 2"}
	for name, value := range object {
		shown[name] = value
	}
	return map[string]any{
		"id": newID(), "organization_id": organization, "type": eventType, "collection": strings.Split(eventType, ".")[0] + "s", "record_id": record, "version": version,
		"at": time.Now().UTC().Format(timestampFormat), "traceparent": "",
		"payload": map[string]any{
			"data":  map[string]any{"object": shown, "changed": []string{"name"}, "previous": map[string]any{"name": "Pompe nº 1"}},
			"actor": map[string]any{"type": "api_key", "id": newID(), "name": "BI"}, "origin": "api", "bulk_id": nil, "request_id": "r-1",
		},
	}
}

// relay is how services bring their events.
func (w *world) relay(t testing.TB, events ...map[string]any) []string {
	t.Helper()
	received, status, body := w.bring(w.here, events)
	if status != http.StatusOK {
		t.Fatalf("the inbox answered %d: %s", status, body)
	}
	return received
}

func (w *world) bring(to http.Handler, events []map[string]any) (received []string, status int, body string) {
	encoded, err := json.Marshal(map[string]any{"events": events})
	if err != nil {
		panic(err)
	}
	r := httptest.NewRequest("POST", inboxPath, bytes.NewReader(encoded))
	r.Header.Set(principal.Header, w.signer.Sign(principal.Principal{Actor: principal.Actor{Type: "service", ID: "assets", Name: "assets"}}))
	recorder := httptest.NewRecorder()
	to.ServeHTTP(recorder, r)
	var answer eventReceipt
	_ = json.Unmarshal(recorder.Body.Bytes(), &answer)
	return answer.Received, recorder.Code, recorder.Body.String()
}

// eventually waits until what is true.
func eventually(t testing.TB, what string, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !is(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("after %s it still is not so: %s", patience, what)
		}
	}
}

// calls waits until a receiver has got as many calls.
func (r *subscriber) awaits(t testing.TB, n int) []call {
	t.Helper()
	eventually(t, fmt.Sprintf("%d calls received", n), func() bool { return len(r.got()) >= n })
	return r.got()
}

// owner is a connection that sees every organization.
func (w *world) owner(t testing.TB) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), w.database.OwnerURL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

// one gives a value of the database.
func one[T any](t testing.TB, w *world, sql string, args ...any) T {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), w.database.OwnerURL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	var value T
	if err := conn.QueryRow(t.Context(), sql, args...).Scan(&value); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return value
}

// terminate ends sessions of the test's database.
func (w *world) terminate(t testing.TB, which string, args ...any) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), w.database.AdminURL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	var ended int
	if err := conn.QueryRow(t.Context(), `SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
		WHERE datname = current_database() AND pid <> pg_backend_pid() AND `+which, args...).Scan(&ended); err != nil || ended == 0 {
		t.Fatalf("%d sessions were ended: %v", ended, err)
	}
}

// endpoint gives an endpoint's record.
func (w *world) endpoint(t testing.TB, id string) map[string]any {
	t.Helper()
	return w.Must(t, 200, "GET", "/v1/webhook-endpoints/"+id, nil).JSON
}

// told gives the types of the events about endpoints that wait in this service's own outbox, in order.
func (w *world) told(t testing.TB) string {
	t.Helper()
	return one[string](t, w, `SELECT coalesce(string_agg(type, ' ' ORDER BY position), '') FROM outbox WHERE type NOT LIKE '%.created' AND type NOT LIKE '%.updated'`)
}

// audited gives the changes of an endpoint's fields in its history.
func (w *world) audited(t testing.TB, id, field string) string {
	t.Helper()
	return one[string](t, w, `SELECT coalesce(string_agg(changes->$2->>'new', ' ' ORDER BY version), '') FROM history WHERE record_id = $1 AND changes::jsonb ? $2`, id, field)
}
