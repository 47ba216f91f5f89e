package accounting

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"ams.internal/libs/domain/catalogue"
	"ams.internal/libs/postgres"
	"ams.internal/libs/postgres/postgrestest"
	"ams.internal/libs/principal"
	"ams.internal/libs/reference"
	"ams.internal/libs/resource"
	"ams.internal/libs/resource/resourcetest"
	"ams.internal/libs/testshare"
	"ams.internal/libs/testwait"
	"ams.internal/libs/transport"
)

// What the other services have, in every organization.
const (
	projectOfOthers = "019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e61"
	assetOfOthers   = "019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e62"
)

type fields = map[string]any

// fixture is the service, with stand-ins for the other services.
type fixture struct {
	*resourcetest.Client
	database   *postgrestest.Database
	accounting *accounting
	peers      *resourcetest.Peers
	db         *postgres.DB
}

func TestMain(m *testing.M) { testshare.Main(m) }

// shared is the fixture that all tests share.
var shared = testshare.Once(func(t testing.TB) *fixture { return newFixtureAlone(t) })

// newFixture gives an organization of its own. Whoever closes for one test may close for another.
func newFixture(t testing.TB) *fixture {
	t.Helper()
	f := *shared(t)
	all := resourcetest.Shared{Client: f.Client, Peers: f.peers, Database: f.database}
	f.Client, f.peers = all.Share(t)
	return &f
}

// newFixtureAlone gives a service and a database that no other test uses.
func newFixtureAlone(t testing.TB) *fixture {
	t.Helper()
	database := postgrestest.New(t, "accounting", migrations)
	return fixtureOn(t, database, database.Open(t))
}

// countedFixture is newFixture with a count of the statements that its database is sent.
func countedFixture(t testing.TB) (*fixture, *atomic.Int64) {
	t.Helper()
	database := postgrestest.New(t, "accounting", migrations)
	address, statements := postgrestest.CountStatements(t, database.URL)
	db, err := postgres.Open(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	return fixtureOn(t, database, db), statements
}

func fixtureOn(t testing.TB, database *postgrestest.Database, db *postgres.DB) *fixture {
	t.Helper()
	signer := resourcetest.NewSigner(t)
	peers := resourcetest.NewPeers(t, signer)
	peers.Keep("projects", reference.Entry{ID: projectOfOthers, Name: "Agrandissement"})
	peers.Keep("assets", reference.Entry{ID: assetOfOthers, Name: "Pompe"})
	log := resourcetest.Log(t)
	api := transport.New(signer, db, log)
	a := newAccounting(resource.NewRegistry(api, db, peers.References), log)
	return &fixture{resourcetest.NewClient(api.Handler(), signer), database, a, peers, db}
}

// work carries out closes until the test is over, or stop is called.
func (f *fixture) work(t testing.TB) (stop func()) {
	f.peers.Handle("gateway-internal", "/internal/organizations/"+
		f.Principal.OrganizationID, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(reference.Organization{ID: f.Principal.OrganizationID, Name: "Ville", Currency: "CAD",
			TimeZone: "America/Toronto", FiscalYearEndMonth: 12, Features: f.Principal.Features})
	}))
	ctx, cancel := context.WithCancel(postgres.InCell(context.Background(), f.db.Cells()[0]))
	stopped := make(chan struct{})
	closes := f.accounting.closeQueue()
	closes.Interval = 20 * time.Millisecond
	go func() { defer close(stopped); closes.Run(ctx) }()
	stop = sync.OnceFunc(func() { cancel(); <-stopped })
	t.Cleanup(stop)
	return stop
}

// pathOf gives the path of a collection.
func pathOf(collection string) string { return catalogue.Product().Must(collection).Path }

const yearsPath = "/v1/accounting/fiscal-years"

// open opens fiscal years.
func (f *fixture) open(t testing.TB, years ...int) {
	t.Helper()
	for _, year := range years {
		f.Create(t, yearsPath, fields{"fiscal_year": year})
	}
}

// close closes fiscal years, and waits until they are.
func (f *fixture) close(t testing.TB, years ...int) {
	t.Helper()
	for _, year := range years {
		f.Must(t, http.StatusCreated, "POST", fmt.Sprintf("%s/%d/close", yearsPath, year), fields{})
		f.awaitClose(t, year)
	}
}

// awaitClose waits until a fiscal year is closed.
func (f *fixture) awaitClose(t testing.TB, year int) {
	t.Helper()
	var last resourcetest.Response
	testwait.For(t, 2*time.Minute, fmt.Sprintf("%d to be closed", year), func() bool {
		last = f.Must(t, http.StatusOK, "GET", fmt.Sprintf("%s/%d/close", yearsPath, year), nil)
		return last.JSON["state"] != "queued" && last.JSON["state"] != "running"
	})
	if last.JSON["state"] != "done" {
		t.Fatalf("%d is not closed: %s", year, last.Body)
	}
}

// class makes a class of buildings with a life of so many years.
func (f *fixture) class(t testing.TB, convention string, life int, more fields) string {
	t.Helper()
	body := fields{"name": "Catégorie " + uuid.NewString(), "category": "buildings", "convention": convention, "useful_life_years": life}
	for key, value := range more {
		body[key] = value
	}
	return f.Create(t, pathOf("capital_asset_classes"), body)["id"].(string)
}

// asset makes a capital asset, and gives its id.
func (f *fixture) asset(t testing.TB, class string, more fields) string {
	t.Helper()
	body := fields{"name": "Immobilisation", "class_id": class}
	for key, value := range more {
		body[key] = value
	}
	return f.Create(t, pathOf("capital_assets"), body)["id"].(string)
}

const (
	transactionsPath = "/v1/accounting/transactions"
	obligationsPath  = "/v1/accounting/retirement-obligations"
)

// post posts an entry.
func (f *fixture) post(t testing.TB, asset, kind, on string, more fields) fields {
	t.Helper()
	return f.Create(t, transactionsPath, entryOf(asset, kind, on, more))
}

func entryOf(asset, kind, on string, more fields) fields {
	body := fields{"capital_asset_id": asset, "type": kind, "effective_on": on}
	for key, value := range more {
		body[key] = value
	}
	return body
}

// balances are cost and accumulated amortization of a capital asset.
func (f *fixture) balances(t testing.TB, asset string) (cost, accumulated float64) {
	t.Helper()
	shown := f.Must(t, http.StatusOK, "GET", pathOf("capital_assets")+"/"+asset, nil).JSON
	return shown["cost"].(float64), shown["accumulated_amortization"].(float64)
}

func (f *fixture) stands(t testing.TB, asset string, cost, accumulated float64) {
	t.Helper()
	if c, a := f.balances(t, asset); c != cost || a != accumulated {
		t.Errorf("cost %.2f and accumulated %.2f, want %.2f and %.2f", c, a, cost, accumulated)
	}
}

// says holds fields of a record against what they are to be.
func says(t testing.TB, record, want fields) {
	t.Helper()
	for field, value := range want {
		if record[field] != value {
			t.Errorf("%s is %v, want %v", field, record[field], value)
		}
	}
}

// refusedField sends a body that is wrong in one field, and expects that the response names it with these words.
func (f *fixture) refusedField(t testing.TB, path, field, words string, body fields) {
	t.Helper()
	response := f.Refused(t, "POST", path, body)
	for _, each := range response.JSON["fields"].([]any) {
		problem := each.(fields)
		if problem["field"] == field && strings.Contains(problem["message"].(string), words) {
			return
		}
	}
	t.Errorf("%s: want %q, got %s", field, words, response.Body)
}

// conflicts expects a 409 with a code and these words.
func (f *fixture) conflicts(t testing.TB, code, words, path string, body fields) {
	t.Helper()
	response := f.Must(t, http.StatusConflict, "POST", path, body)
	if response.JSON["code"] != code || !strings.Contains(response.JSON["error"].(string), words) {
		t.Errorf("want %s with %q, got %s", code, words, response.Body)
	}
}

// keepAsset has the assets service know one more asset.
func (f *fixture) keepAsset(id string) {
	f.peers.Keep("assets", reference.Entry{ID: id, Name: "Pompe " + id[len(id)-4:]})
}

// as does something in a transaction of the organization, with the service's own role.
func (f *fixture) as(t testing.TB, do func(tx pgx.Tx) error) error {
	t.Helper()
	return f.db.Write(principal.Into(t.Context(), f.Principal), func(_ context.Context, tx pgx.Tx) error { return do(tx) })
}
