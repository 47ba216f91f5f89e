package infrastructure

import (
	"encoding/json"
	"io"
	"net/http"
	"sync/atomic"
	"testing"

	"ams.internal/libs/domain/bookvalue"
	"ams.internal/libs/domain/prices"
	"ams.internal/libs/postgres/postgrestest"
	"ams.internal/libs/reference"
	"ams.internal/libs/resource"
	"ams.internal/libs/resource/resourcetest"
	"ams.internal/libs/testshare"
	"ams.internal/libs/transport"
)

// site is a record that the assets service of the tests has, in every organization.
const site = "019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"

// otherServices stand in for the other services: assets, which has one site, and workorders and projects, whose responses a test sets.
type otherServices struct {
	open        map[string][2]int // by segment: open and overdue work orders
	breaks      map[string]int    // by segment
	refer       map[string]int    // by segment, network or deficiency: work orders that refer to it, or requests
	connections map[string]any    // the response to the question for connections without service
	asked       map[string]any    // that question
	unavailable atomic.Bool       // the workorders service does not respond
	prices      []prices.Step     // the price indexes of the assets service; none at first
	ledger      map[string]any    // by segment: its capital assets
	ledgerAsked int               // how often accounting was asked for them
}

type fixture struct {
	*resourcetest.Client
	*otherServices
	peers    *resourcetest.Peers
	database *postgrestest.Database
	registry *resource.Registry
}

func TestMain(m *testing.M) { testshare.Main(m) }

// shared is the fixture that tests share.
var shared = testshare.Once(func(t testing.TB) *fixture { return newFixtureAlone(t) })

// newFixture gives a client of the whole service, of an organization of its own.
func newFixture(t testing.TB) *fixture {
	t.Helper()
	f := *shared(t)
	all := resourcetest.Shared{Client: f.Client, Peers: f.peers, Database: f.database}
	f.Client, f.peers = all.Share(t)
	f.otherServices = newOtherServices(t, f.peers)
	return &f
}

// newFixtureAlone gives a service and a database that no other test uses.
func newFixtureAlone(t testing.TB) *fixture {
	t.Helper()
	database := postgrestest.New(t, "infrastructure", migrations)
	signer := resourcetest.NewSigner(t)
	peers := resourcetest.NewPeers(t, signer)
	peers.Keep("sites", reference.Entry{ID: site, Name: "Parc High"})
	db := database.Open(t)
	api := transport.New(signer, db, resourcetest.Log(t))
	registry := resource.NewRegistry(api, db, peers.References)
	family{registry}.mount()
	return &fixture{resourcetest.NewClient(api.Handler(), signer), newOtherServices(t, peers), peers, database, registry}
}

// newOtherServices has those that peers stand in for answer what the test sets.
func newOtherServices(t testing.TB, peers *resourcetest.Peers) *otherServices {
	n := &otherServices{open: map[string][2]int{}, breaks: map[string]int{}, refer: map[string]int{}}
	handle := func(service, path string, answer func(body []byte, ids []string) any) {
		peers.Handle(service, path, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if service == "workorders" && n.unavailable.Load() {
				panic(http.ErrAbortHandler)
			}
			var question struct {
				IDs []string `json:"ids"`
			}
			body, err := io.ReadAll(r.Body)
			if err == nil {
				err = json.Unmarshal(body, &question)
			}
			if err != nil {
				t.Errorf("%s: %v", path, err)
			}
			_ = json.NewEncoder(w).Encode(answer(body, question.IDs))
		}))
	}
	list := func(entries []any) any { return map[string]any{"data": entries} }
	for _, service := range []string{"assets", "workorders"} {
		for _, collection := range []string{"segments", "networks"} {
			handle(service, "/internal/dependents/"+collection, func(_ []byte, ids []string) any { return list(n.dependents(ids, "work_orders")) })
		}
	}
	for _, service := range []string{"assets", "workorders", "requests"} {
		handle(service, "/internal/dependents/infrastructure_deficiencies", func(_ []byte, ids []string) any {
			return list(n.dependents(ids, "requests"))
		})
	}
	handle("workorders", "/internal/work-orders/counts", func([]byte, []string) any {
		data := []any{}
		for id, counts := range n.open {
			data = append(data, map[string]any{"id": id, "open": counts[0], "overdue": counts[1]})
		}
		return list(data)
	})
	handle("workorders", "/internal/work-orders/breaks", func([]byte, []string) any {
		data := []any{}
		for id, count := range n.breaks {
			data = append(data, map[string]any{"id": id, "count": count})
		}
		return list(data)
	})
	handle("workorders", "/internal/work-orders/connections", func(body []byte, _ []string) any {
		if err := json.Unmarshal(body, &n.asked); err != nil {
			t.Error(err)
		}
		return n.connections
	})
	handle("assets", "/internal/prices", func(body []byte, _ []string) any {
		var question struct {
			PricesOf int `json:"prices_of"`
		}
		if err := json.Unmarshal(body, &question); err != nil {
			t.Error(err)
		}
		table := prices.Table{PricesOf: question.PricesOf, Steps: n.prices}
		if n.prices != nil {
			table.IndexedThrough = &n.prices[len(n.prices)-1].FromYear
		}
		return table
	})
	handle("accounting", bookvalue.OfRecords.URLPath(), func([]byte, []string) any {
		n.ledgerAsked++
		data := []any{}
		for id, assets := range n.ledger {
			data = append(data, map[string]any{"id": id, "capital_assets": assets})
		}
		return list(data)
	})
	return n
}

// dependents are those of other services, of one collection, that refer to some of the ids.
func (n *otherServices) dependents(ids []string, collection string) []any {
	data := []any{}
	for _, id := range ids {
		if count := n.refer[id]; count > 0 {
			data = append(data, reference.Dependents{ID: id, Counts: map[string]int{collection: count}})
		}
	}
	return data
}
