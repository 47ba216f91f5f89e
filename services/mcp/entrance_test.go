package main

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/pem"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/postgres/postgrestest"
	"ams.internal/libs/principal"
	"ams.internal/libs/service"
	"ams.internal/libs/telemetry"
	"ams.internal/libs/transport"
)

const (
	someSecret   = "a root secret of the tests, 32 characters or more"
	town         = "0199a3c5-0000-7000-8000-000000000001"
	anotherTown  = "0199a3c5-0000-7000-8000-000000000002"
	loopbackBack = "http://127.0.0.1:7777/callback"
)

// init lets TLS servers of tests be trusted, before the certificates of the machine are read for the first time.
func init() {
	server := httptest.NewTLSServer(http.NotFoundHandler())
	defer server.Close()
	file := filepath.Join(os.TempDir(), "ams-mcp-test-ca.pem")
	block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	if err := os.WriteFile(file, block, 0o600); err != nil {
		panic(err)
	}
	if err := os.Setenv("SSL_CERT_FILE", file); err != nil {
		panic(err)
	}
}

// entrance is a door on a database of its own, with the gateway's answers about keys: as the tests of the gateway and of the
// whole product show, the real one answers like this.
type entrance struct {
	t        testing.TB
	door     *door
	url      string
	database *postgrestest.Database
	owner    *pgx.Conn
	logged   *lockedBuffer
	signer   *principal.Signer

	mu      sync.Mutex
	keys    map[string]*knownKey
	away    bool
	checks  int
	asked   []string // addresses
	gateway *httptest.Server
}

// knownKey is a key as the gateway knows it: refused, where refusal is set.
type knownKey struct {
	checked checkedKey
	refusal *fault.Error
}

type lockedBuffer struct {
	mu     sync.Mutex
	buffer bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.String()
}

func newEntrance(t testing.TB, change ...func(*Config)) *entrance {
	t.Helper()
	e := &entrance{t: t, database: postgrestest.New(t, "mcp", migrations), logged: &lockedBuffer{}, keys: map[string]*knownKey{}}
	var err error
	if e.owner, err = pgx.Connect(t.Context(), e.database.OwnerURL); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.owner.Close(context.Background()) })
	e.gateway = httptest.NewServer(http.HandlerFunc(e.answerChecks))
	t.Cleanup(e.gateway.Close)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	e.url = "http://" + listener.Addr().String()
	config := Config{
		Config: service.Config{
			DatabaseURL: e.database.URL, DatabaseConnections: 6, PrincipalSecrets: []string{strings.Repeat("p", 32)}, Discovery: "static", Region: "ca-central-1",
			StaticServices: "gateway-internal=" + strings.TrimPrefix(e.gateway.URL, "http://"), LogLevel: "debug",
		},
		BaseURL: e.url, Secrets: []string{someSecret}, RedirectHosts: []string{"claude.ai", "chatgpt.com", "assistant.example.ca:8443"},
	}
	for _, c := range change {
		c(&config)
	}
	if problems := config.Check(); len(problems) > 0 {
		t.Fatal(problems)
	}
	e.door = e.open(config)
	mux := http.NewServeMux()
	e.door.mount(mux)
	mux.Handle("/mcp", e.door.protect(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { writeJSON(w, 200, callerFrom(r.Context())) })))
	server := &httptest.Server{Listener: listener, Config: &http.Server{Handler: mux}}
	server.Start()
	t.Cleanup(server.Close)
	return e
}

// open makes a door on the entrance's database.
func (e *entrance) open(config Config) *door {
	e.t.Helper()
	s, err := service.New(e.t.Context(), "mcp", config.Config, migrations)
	if err != nil {
		e.t.Fatal(err)
	}
	e.t.Cleanup(s.Close)
	s.Log = telemetry.Logger(e.logged, slog.LevelDebug)
	e.signer = s.Signer
	return newDoor(s, config)
}

// answerChecks is the gateway's internal operation.
func (e *entrance) answerChecks(w http.ResponseWriter, r *http.Request) {
	var question struct{ Key, Address string }
	p, err := e.signer.Verify(r.Header.Get(principal.Header))
	if json.NewDecoder(r.Body).Decode(&question) != nil || err != nil || p.Actor.Type != "service" || r.URL.Path != "/internal/keys/check" {
		transport.WriteFault(w, fault.New(fault.KindUnauthenticated, "principal_refused", "refused"))
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.checks++
	e.asked = append(e.asked, question.Address)
	known := e.keys[question.Key]
	switch {
	case e.away:
		transport.WriteFault(w, fault.Unavailable("plan_unconfirmed", "The key could not be confirmed."))
	case len(question.Key) != 58:
		transport.WriteFault(w, fault.New(fault.KindUnauthenticated, "key_malformed", "This is not an API key."))
	case known == nil:
		transport.WriteFault(w, fault.New(fault.KindUnauthenticated, "key_unknown", "This API key is not known."))
	case known.refusal != nil:
		transport.WriteFault(w, known.refusal)
	default:
		_ = json.NewEncoder(w).Encode(known.checked)
	}
}

// refusals are what the gateway says of keys that may not be used.
func refusalOf(code string) *fault.Error {
	kind := fault.KindForbidden
	if code == "key_revoked" || code == "key_unknown" {
		kind = fault.KindUnauthenticated
	}
	return fault.New(kind, code, "The gateway says %s.", code)
}

// key makes a key of an organization.
func (e *entrance) key(organization string) string {
	value := keyPrefix + encoded(randomBytes(37))[:49]
	var checked checkedKey
	checked.Organization.ID, checked.Organization.Name, checked.Organization.Plan = organization, "Ville de Bellerive", "enterprise"
	checked.Key.ID, checked.Key.Name, checked.Key.Scopes = uuid.NewString(), "Assistant key", []string{"assets:read"}
	checked.Features = []string{"api_access"}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.keys[value] = &knownKey{checked: checked}
	return value
}

// turn makes the gateway refuse a key from now on; without a code it accepts it again.
func (e *entrance) turn(key, code string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.keys[key].refusal = nil
	if code != "" {
		e.keys[key].refusal = refusalOf(code)
	}
}

func (e *entrance) setAway(away bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.away = away
}

func (e *entrance) exec(statement string, arguments ...any) {
	e.t.Helper()
	tag, err := e.owner.Exec(e.t.Context(), statement, arguments...)
	if err != nil || tag.RowsAffected() == 0 {
		e.t.Fatalf("%s: %v, %v", statement, tag, err)
	}
}
