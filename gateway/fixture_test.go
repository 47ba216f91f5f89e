package gateway

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"ams.internal/gateway/edge"
	"ams.internal/gateway/keys"
	"ams.internal/gateway/migrations"
	"ams.internal/libs/localport"
	"ams.internal/libs/postgres/postgrestest"
	"ams.internal/libs/principal"
	"ams.internal/libs/service"
	"ams.internal/libs/telemetry"
)

const (
	testSecret = "a secret of the tests with 32 characters or more"
	testToken  = "the operator's token of the tests"
)

// fixture is what a gateway needs around it: a real Postgres and Redis, and the services behind it.
type fixture struct {
	t        testing.TB
	database *postgrestest.Database
	owner    *pgx.Conn
	redis    *redisServer
	services map[string][]string // static discovery: service → addresses
}

func newFixture(t testing.TB) *fixture {
	t.Helper()
	w := &fixture{t: t, database: postgrestest.New(t, "gateway", migrations.Files), redis: startRedis(t), services: map[string][]string{}}
	var err error
	if w.owner, err = pgx.Connect(t.Context(), w.database.OwnerURL); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.owner.Close(context.Background()) })
	return w
}

// serve puts a service behind the gateways that are started afterwards.
func (w *fixture) serve(name string, handler http.HandlerFunc) *httptest.Server {
	server := httptest.NewServer(handler)
	w.t.Cleanup(server.Close)
	w.services[name] = append(w.services[name], server.Listener.Addr().String())
	return server
}

// serveOthers has every service of the document that is not there answer that it has no paths: without one the document is refused.
func (w *fixture) serveOthers() {
	for _, name := range edge.Documented() {
		if w.services[name] == nil {
			w.serve(name, func(out http.ResponseWriter, _ *http.Request) {
				_, _ = io.WriteString(out, `{"openapi":"3.1.0","paths":{}}`)
			})
		}
	}
}

// running is a gateway that serves.
type running struct {
	gateway
	signer        *principal.Signer
	url, internal string
	logs          *logs
	stop          func()
}

func (w *fixture) config() Config {
	var static []string
	for name, addresses := range w.services {
		static = append(static, name+"="+strings.Join(addresses, ","))
	}
	return Config{
		Config: service.Config{
			Listen: localport.ForTest(w.t), DatabaseURL: w.database.URL, DatabaseConnections: 6, PrincipalSecrets: []string{testSecret},
			Discovery: "static", StaticServices: strings.Join(static, ";"), Region: "ca-central-1", LogLevel: "debug", DrainTimeout: 5 * time.Second,
		},
		AdminListen: localport.ForTest(w.t), AdminToken: testToken, RedisAddr: w.redis.address, RedisTimeout: 2 * time.Second,
		// slow machines must not make a test count alone
		AddressLimit: 100000, KeyInFlight: 20, MaxBody: 1 << 20, Regions: []string{"ca-central-1"},
	}
}

// start runs a gateway until the test ends, or stop is called.
func (w *fixture) start(change ...func(*Config)) *running {
	w.t.Helper()
	return w.startBuilt(build, change...)
}

// startBuilt is start with another way to put the gateway together.
func (w *fixture) startBuilt(build func(*service.Service, Config) (gateway, error), change ...func(*Config)) *running {
	w.t.Helper()
	config := w.config()
	for _, c := range change {
		c(&config)
	}
	ctx, cancel := context.WithCancel(context.Background())
	s, err := service.New(ctx, "gateway", config.Config, migrations.Files)
	if err != nil {
		w.t.Fatal(err)
	}
	r := &running{url: "http://" + config.Listen, internal: "http://" + config.AdminListen, logs: &logs{}}
	s.Log = telemetry.Logger(r.logs, slog.LevelDebug)
	if r.gateway, err = build(s, config); err != nil {
		w.t.Fatal(err)
	}
	r.signer = s.Signer
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := s.Serve(ctx, r.listeners...); err != nil {
			w.t.Errorf("gateway: %v", err)
		}
		s.Close()
	}()
	r.stop = sync.OnceFunc(func() { client.CloseIdleConnections(); cancel(); <-done })
	w.t.Cleanup(r.stop)
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		response, err := http.Get(r.url + "/readyz")
		if err == nil {
			_ = response.Body.Close()
			if response.StatusCode == http.StatusOK {
				return r
			}
		}
		if time.Now().After(deadline) {
			w.t.Fatalf("the gateway did not become ready: %v\n%s", err, r.logs.String())
		}
	}
}

// document waits for the OpenAPI document.
func (r *running) document(t testing.TB, query string) *fullResponse {
	t.Helper()
	return awaitStatus(t, 20*time.Second, http.StatusOK, func() *fullResponse { return call(t, "GET", r.url+"/openapi.json"+query, "") })
}

// newKey is a key of a test: its organization is made with it.
type newKey struct {
	organization, plan string
	addOns, scopes     []string
	rateLimit          int
	state              string
	expiresIn          time.Duration
	networks           []string
}

func newID() string { return uuid.Must(uuid.NewV7()).String() }

// key writes a key as the settings screen would have, and gives its value and id.
func (w *fixture) key(k newKey) (value, id string) {
	w.t.Helper()
	if k.organization == "" {
		k.organization = newID()
	}
	if k.plan == "" {
		k.plan = "enterprise"
	}
	if k.scopes == nil {
		k.scopes = []string{"*:*"}
	}
	if k.rateLimit == 0 {
		k.rateLimit = 1000
	}
	if k.state == "" {
		k.state = "active"
	}
	if k.expiresIn == 0 {
		k.expiresIn = time.Hour
	}
	if k.networks == nil {
		k.networks = []string{}
	}
	value, id = keys.Generate(keys.ModeOf(k.organization)), newID()
	hash, err := keys.Parse(value)
	if err != nil {
		w.t.Fatal(err)
	}
	w.exec(`INSERT INTO organization (organization_id, name, plan, currency)
		VALUES ($1, 'Ville de Bellerive', $2, 'CAD') ON CONFLICT DO NOTHING`, k.organization, k.plan)
	w.exec(`INSERT INTO organization_add_on SELECT $1, unnest($2::text[]) ON CONFLICT DO NOTHING`, k.organization, k.addOns)
	w.exec(`INSERT INTO api_key (organization_id, id, hash, display, name, scopes, rate_limit, allowed_networks, state, expires_at, created_by)
		VALUES ($1, $2, $3, $4, 'Power BI', $5, $6, $7, $8, now() + $9::float8 * interval '1 second', '{"type":"user","id":"u","name":"Ada"}')`,
		k.organization, id, hash[:], keys.Display(value), k.scopes, k.rateLimit, k.networks, k.state, k.expiresIn.Seconds())
	return value, id
}

func (w *fixture) exec(statement string, arguments ...any) {
	w.t.Helper()
	if _, err := w.owner.Exec(context.Background(), statement, arguments...); err != nil {
		w.t.Fatalf("%s: %v", statement, err)
	}
}

// logs is what a gateway wrote.
type logs struct {
	mu     sync.Mutex
	buffer bytes.Buffer
}

func (l *logs) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buffer.Write(p)
}

func (l *logs) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buffer.String()
}
