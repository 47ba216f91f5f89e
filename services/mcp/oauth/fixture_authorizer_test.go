package oauth

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
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"ams.internal/libs/apikey"
	"ams.internal/libs/domain/contracts/gateway"
	"ams.internal/libs/fault"
	"ams.internal/libs/postgres/postgrestest"
	"ams.internal/libs/principal"
	"ams.internal/libs/service"
	"ams.internal/libs/telemetry"
	"ams.internal/libs/transport"
)

// migrations are those of services/mcp, which embeds them.
var migrations = os.DirFS("..")

const (
	someSecret   = "a root secret of the tests, 32 characters or more"
	orgID        = "0199a3c5-0000-7000-8000-000000000001"
	otherOrgID   = "0199a3c5-0000-7000-8000-000000000002"
	loopbackBack = "http://127.0.0.1:7777/callback"
)

// init makes the TLS servers of the tests trusted, before the certificates of the machine are read for the first time.
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

// authFixture is an authorizer on a database of its own, with a stand-in for the gateway's key check. The tests of the
// gateway and of the whole product run the real one.
type authFixture struct {
	t          testing.TB
	authorizer *Authorizer
	url        string
	database   *postgrestest.Database
	owner      *pgx.Conn
	logged     *lockedBuffer
	signer     *principal.Signer

	mu               sync.Mutex
	keys             map[string]*knownKey
	gatewayDown      bool
	checks           int
	checkedAddresses []string // addresses of the key checks
	gateway          *httptest.Server
}

// knownKey is a key of the stand-in gateway. A key with a refusal may not be used.
type knownKey struct {
	checked gateway.CheckedKey
	refusal *fault.Error
	left    int // requests of this minute
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

func newAuthFixture(t testing.TB, change ...func(*Config)) *authFixture {
	t.Helper()
	f := &authFixture{t: t, database: postgrestest.New(t, "mcp", migrations), logged: &lockedBuffer{}, keys: map[string]*knownKey{}}
	var err error
	if f.owner, err = pgx.Connect(t.Context(), f.database.OwnerURL); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.owner.Close(context.Background()) })
	f.gateway = httptest.NewServer(http.HandlerFunc(f.serveKeyCheck))
	t.Cleanup(f.gateway.Close)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	f.url = "http://" + listener.Addr().String()
	config := Config{
		Config: service.Config{
			DatabaseURL: f.database.URL, DatabaseConnections: 6, PrincipalSecrets: []string{strings.Repeat("p",
				32)}, Discovery: "static", Region: "ca-central-1",
			StaticServices: "gateway-internal=" + strings.TrimPrefix(f.gateway.URL, "http://"), LogLevel: "debug",
		},
		BaseURL: f.url, Secrets: []string{someSecret}, Redirects: []string{"claude.ai/api/mcp/auth_callback", "chatgpt.com/connector/oauth/*"},
	}
	for _, c := range change {
		c(&config)
	}
	if problems := config.Check(); len(problems) > 0 {
		t.Fatal(problems)
	}
	f.authorizer = f.newAuthorizer(config)
	mux := http.NewServeMux()
	f.authorizer.Mount(mux)
	mux.Handle("/mcp", f.authorizer.RequireBearer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		writeJSON(w, 200, CallerFrom(r.Context()))
	})))
	server := &httptest.Server{Listener: listener, Config: &http.Server{Handler: mux}}
	server.Start()
	t.Cleanup(server.Close)
	return f
}

// newAuthorizer returns an authorizer on the fixture's database.
func (f *authFixture) newAuthorizer(config Config) *Authorizer {
	f.t.Helper()
	s, err := service.New(f.t.Context(), "mcp", config.Config, migrations)
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(s.Close)
	s.Log = telemetry.Logger(f.logged, slog.LevelDebug)
	f.signer = s.Signer
	return New(s, config)
}

// serveKeyCheck stands for the gateway's internal operation.
func (f *authFixture) serveKeyCheck(w http.ResponseWriter, r *http.Request) {
	var request struct {
		Key, Address string
		Requests     int
	}
	p, err := f.signer.Verify(r.Header.Get(principal.Header))
	if json.NewDecoder(r.Body).Decode(&request) != nil || err != nil || p.Actor.Type != "service" || r.URL.Path != "/internal/keys/check" {
		transport.WriteFault(w, nil, fault.New(fault.KindUnauthenticated, "principal_refused", "refused"))
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.checks++
	f.checkedAddresses = append(f.checkedAddresses, request.Address)
	known := f.keys[request.Key]
	switch {
	case f.gatewayDown:
		transport.WriteFault(w, nil, fault.Unavailable("plan_unconfirmed", "The key could not be confirmed."))
	case len(request.Key) != 58:
		transport.WriteFault(w, nil, fault.New(fault.KindUnauthenticated, "key_malformed", "This is not an API key."))
	case known == nil:
		transport.WriteFault(w, nil, fault.New(fault.KindUnauthenticated, "key_unknown", "This API key is not known."))
	case known.refusal != nil:
		transport.WriteFault(w, nil, known.refusal)
	case request.Requests > known.left:
		limited := fault.New(fault.KindRateLimited, "rate_limited", "More than 60 requests in this minute; wait until X-RateLimit-Reset.")
		limited.RetryAfter = 17 * time.Second
		transport.WriteFault(w, nil, limited)
	default:
		known.left -= request.Requests
		_ = json.NewEncoder(w).Encode(known.checked)
	}
}

// refusalOf is the gateway's error for a key that may not be used.
func refusalOf(code string) *fault.Error {
	kind := fault.KindForbidden
	if code == "key_revoked" || code == "key_unknown" {
		kind = fault.KindUnauthenticated
	}
	return fault.New(kind, code, "The gateway says %s.", code)
}

// newKey adds a key of an organization.
func (f *authFixture) newKey(organization string) string {
	value := apikey.Live + encoded(randomBytes(37))[:49]
	var checked gateway.CheckedKey
	checked.Organization.ID, checked.Organization.Name, checked.Organization.Plan = organization, "Ville de Bellerive", "enterprise"
	checked.Key.ID, checked.Key.Name, checked.Key.Scopes = uuid.NewString(), "Assistant key", []string{"assets:read"}
	checked.Features = []string{"api_access"}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.keys[value] = &knownKey{checked: checked, left: 60}
	return value
}

// setKeyRefusal makes the gateway refuse a key. An empty code makes it accept the key again.
func (f *authFixture) setKeyRefusal(key, code string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.keys[key].refusal = nil
	if code != "" {
		f.keys[key].refusal = refusalOf(code)
	}
}

func (f *authFixture) setGatewayDown(down bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.gatewayDown = down
}

func (f *authFixture) exec(statement string, arguments ...any) {
	f.t.Helper()
	tag, err := f.owner.Exec(f.t.Context(), statement, arguments...)
	if err != nil || tag.RowsAffected() == 0 {
		f.t.Fatalf("%s: %v, %v", statement, tag, err)
	}
}
