package requests

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"ams.internal/libs/postgres"
	"ams.internal/libs/postgres/postgrestest"
	"ams.internal/libs/reference"
	"ams.internal/libs/resource"
	"ams.internal/libs/resource/resourcetest"
	"ams.internal/libs/transport"
)

type fields = map[string]any

// Records that the other services of the tests have, in every organization: an asset in a building on a site, and a segment on that site.
const (
	site       = "019a3c5e-0000-7000-8000-000000000010"
	otherSite  = "019a3c5e-0000-7000-8000-000000000011"
	building   = "019a3c5e-0000-7000-8000-000000000020"
	swing      = "019a3c5e-0000-7000-8000-000000000040"
	segment    = "019a3c5e-0000-7000-8000-000000000050"
	team       = "019a3c5e-0000-7000-8000-000000000060"
	workOrder  = "019a3c5e-0000-7000-8000-000000000070"
	deficiency = "019a3c5e-0000-7000-8000-000000000080"
	nobody     = "019a3c5e-0000-7000-8000-0000000000ff"
)

// fixture is the service on a database of its own, with stand-ins for the other services, and a clock that the test sets.
type fixture struct {
	*resourcetest.Client
	database *postgrestest.Database
	peers    *resourcetest.Peers
	registry *resource.Registry
	desk     desk
	door     *publicDoor
	clock    *clock
}

// clock is the time that the public door goes by.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) time() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

var testLimits = Config{PerAddress: 10, ReadsPerAddress: 600}.limits()

func newFixture(t testing.TB) fixture {
	t.Helper()
	database := postgrestest.New(t, "requests", migrations)
	return newFixtureOn(t, database, database.Open(t), testLimits)
}

// newFixtureOn is newFixture on a database that was opened otherwise, with other limits.
func newFixtureOn(t testing.TB, database *postgrestest.Database, db *postgres.DB, limits limits) fixture {
	t.Helper()
	signer := resourcetest.NewSigner(t)
	log := resourcetest.Log(t)
	peers := resourcetest.NewPeers(t, signer)
	for _, id := range []string{site, otherSite} {
		peers.Keep("sites", reference.Entry{ID: id, Name: "Parc du Moulin"})
	}
	peers.Keep("buildings", reference.Entry{ID: building, Name: "Pavillon", References: map[string]string{"site_id": site}})
	peers.Keep("assets",
		reference.Entry{ID: swing, Name: "Balançoire", References: map[string]string{"building_id": building, "site_id": site}})
	peers.Keep("segments", reference.Entry{ID: segment, Name: "Rue du Port", References: map[string]string{"site_id": site}})
	peers.Keep("teams", reference.Entry{ID: team, Name: "Parcs"})
	peers.Keep("work_orders", reference.Entry{ID: workOrder, Name: "Réparer"})
	peers.Keep("deficiencies", reference.Entry{ID: deficiency, Name: "Chaîne"})
	peers.Keep("infrastructure_deficiencies", reference.Entry{ID: deficiency, Name: "Nid-de-poule"})
	// no hour and no day ends within a test by chance
	clock := &clock{now: time.Now().Truncate(24 * time.Hour).Add(36*time.Hour + 5*time.Minute)}
	d := desk{registry: resource.NewRegistry(transport.New(signer, db, log), db, peers.References), baseURL: "https://api.example.ca", log: log,
		now: clock.time}
	counter := &counter{log: log, now: clock.time, known: map[string]count{}}
	door := newDoor(d, counter, limits)
	f := fixture{resourcetest.NewClient(d.handler(door), signer), database, peers, d.registry, d, door, clock}
	f.plan(f.Client, "api_access", feature)
	return f
}

// plan says what the gateway knows of a client's organization.
func (f fixture) plan(of *resourcetest.Client, features ...string) {
	f.organization(of, fields{"features": features})
}

// organization is plan with settings other than those that an organization begins with.
func (f fixture) organization(of *resourcetest.Client, other fields) {
	id := of.Principal.OrganizationID
	known := fields{"id": id, "name": "Ville", "currency": "CAD", "time_zone": "America/Toronto", "fiscal_year_end_month": 12,
		"features": []string{"api_access", feature}, "contact_retention_days": 365, "public_requests_per_link": 60,
		"public_requests_per_day": 1000}
	maps.Copy(known, other)
	f.peers.Respond("/internal/organizations/"+id, known)
}

// stranger is somebody at an address.
type stranger struct {
	fixture
	address string
}

func (f fixture) stranger(n int) stranger { return stranger{f, fmt.Sprintf("203.0.113.%d", n)} }

// reply is what a stranger sees.
type reply struct {
	status int
	header http.Header
	body   string
	json   fields
}

// do sends a request as the gateway passes it on: without a principal. body is nil, url.Values (a form) or what becomes JSON.
func (s stranger) do(t testing.TB, method, path string, body any, header ...string) reply {
	t.Helper()
	var reader io.Reader
	mediaType := ""
	switch b := body.(type) {
	case nil:
	case url.Values:
		reader, mediaType = strings.NewReader(b.Encode()), "application/x-www-form-urlencoded"
	case string:
		reader, mediaType = strings.NewReader(b), "application/json"
	default:
		encoded, err := json.Marshal(b)
		if err != nil {
			t.Fatal(err)
		}
		reader, mediaType = strings.NewReader(string(encoded)), "application/json"
	}
	r := httptest.NewRequestWithContext(t.Context(), method, path, reader)
	r.Header.Set("Content-Type", mediaType)
	r.Header.Set("X-Forwarded-For", s.address)
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	recorder := httptest.NewRecorder()
	s.Handler.ServeHTTP(recorder, r)
	answer := reply{status: recorder.Code, header: recorder.Header(), body: recorder.Body.String()}
	if strings.HasPrefix(answer.header.Get("Content-Type"), "application/json") {
		_ = json.Unmarshal(recorder.Body.Bytes(), &answer.json) // a list is none
	}
	return answer
}

func (s stranger) must(t testing.TB, status int, method, path string, body any, header ...string) reply {
	t.Helper()
	answer := s.do(t, method, path, body, header...)
	if answer.status != status {
		t.Fatalf("%s %s: %d, want %d: %.1500s", method, path, answer.status, status, answer.body)
	}
	return answer
}

// stamp gets a form by JSON and waits as a person does.
func (s stranger) stamp(t testing.TB, token string) string {
	t.Helper()
	stamp := s.must(t, 200, "GET", "/public/links/"+token, nil).json["stamp"].(string)
	s.clock.pass(5 * time.Second)
	return stamp
}

func (f fixture) link(t testing.TB, body fields) (token string, record fields) {
	t.Helper()
	whole := fields{"name": "Playground, Mill Park", "name_fr": "Aire de jeux, parc du Moulin", "asset_id": swing,
		"notice": "Collected under the Municipal Act, 2001.", "notice_fr": "Recueillis en vertu de la Loi de 2001 sur les municipalités."}
	for name, value := range body {
		whole[name] = value
	}
	record = f.Create(t, "/v1/request-links", whole)
	return record["token"].(string), record
}

func (f fixture) service(t testing.TB, body fields) fields {
	t.Helper()
	whole := fields{"service_code": "PLAYGROUND", "name": "Broken playground equipment", "name_fr": "Équipement de jeu brisé", "public": true}
	for name, value := range body {
		whole[name] = value
	}
	return f.Create(t, "/v1/request-services", whole)
}

func (f fixture) request(t testing.TB, body fields) (path string, record fields) {
	t.Helper()
	if body["title"] == nil {
		body["title"] = "Balançoire brisée"
	}
	record = f.Create(t, "/v1/requests", body)
	return "/v1/requests/" + record["id"].(string), record
}

func (f fixture) owner(t testing.TB) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), f.database.OwnerURL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(t.Context()) })
	return conn
}

// rows counts what the database has, in all tables of the service.
func (f fixture) rows(t testing.TB) map[string]int {
	t.Helper()
	owner := f.owner(t)
	found, err := owner.Query(t.Context(), `SELECT table_name::text FROM information_schema.tables
		WHERE table_schema = current_schema() AND table_type = 'BASE TABLE'`)
	if err != nil {
		t.Fatal(err)
	}
	tables, err := pgx.CollectRows(found, pgx.RowTo[string])
	if err != nil || len(tables) < 10 {
		t.Fatal(tables, err)
	}
	counts := map[string]int{}
	for _, table := range tables {
		var n int
		if err := owner.QueryRow(t.Context(), "SELECT count(*) FROM "+pgx.Identifier{table}.Sanitize()).Scan(&n); err != nil {
			t.Fatal(err)
		}
		counts[table] = n
	}
	return counts
}

// otherOrganization is another one with the same plan.
func (f fixture) otherOrganization() fixture {
	other := f
	other.Client = f.Other()
	other.Client.Principal.OrganizationID = uuid.NewString()
	f.plan(other.Client, "api_access", feature)
	return other
}
