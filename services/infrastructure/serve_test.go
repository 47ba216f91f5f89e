package infrastructure

import (
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"ams.internal/libs/discovery"
	"ams.internal/libs/domain/bookvalue"
	"ams.internal/libs/domain/prices"
	"ams.internal/libs/postgres/postgrestest"
	"ams.internal/libs/principal"
	"ams.internal/libs/reference"
	"ams.internal/libs/resource"
	"ams.internal/libs/resource/resourcetest"
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
	database *postgrestest.Database
	registry *resource.Registry
}

// newFixture gives a client of the whole service, on a database of its own.
func newFixture(t testing.TB) *fixture {
	t.Helper()
	database := postgrestest.New(t, "infrastructure", migrations)
	signer := resourcetest.NewSigner(t)
	log := resourcetest.Log(t)
	others := &otherServices{open: map[string][2]int{}, breaks: map[string]int{}, refer: map[string]int{}}
	db := database.Open(t)
	api := transport.New(signer, db, log)
	registry := resource.NewRegistry(api, db, others.serve(t, signer, log))
	family{registry}.mount()
	return &fixture{resourcetest.NewClient(api.Handler(), signer), others, database, registry}
}

func (n *otherServices) serve(t testing.TB, signer *principal.Signer, log *slog.Logger) *reference.Client {
	response := func(f http.ResponseWriter, r *http.Request) {
		if _, err := signer.Verify(r.Header.Get(principal.Header)); err != nil {
			t.Errorf("%s was called without a principal: %v", r.URL.Path, err)
		}
		var body struct {
			IDs      []string `json:"ids"`
			PricesOf int      `json:"prices_of"`
		}
		sent, err := io.ReadAll(r.Body)
		if err == nil {
			err = json.Unmarshal(sent, &body)
		}
		if err != nil {
			t.Errorf("%s: %v", r.URL.Path, err)
		}
		data := []any{}
		switch r.URL.Path {
		case "/internal/references/sites":
			for _, id := range body.IDs {
				if id == site {
					data = append(data, reference.Entry{ID: site, Name: "Parc High", Held: true})
				}
			}
		case "/internal/dependents/segments", "/internal/dependents/networks":
			data = n.dependents(body.IDs, "work_orders")
		case "/internal/dependents/infrastructure_deficiencies":
			data = n.dependents(body.IDs, "requests")
		case "/internal/work-orders/counts":
			for id, counts := range n.open {
				data = append(data, map[string]any{"id": id, "open": counts[0], "overdue": counts[1]})
			}
		case "/internal/work-orders/breaks":
			for id, count := range n.breaks {
				data = append(data, map[string]any{"id": id, "count": count})
			}
		case "/internal/prices":
			table := prices.Table{PricesOf: body.PricesOf, Steps: n.prices}
			if n.prices != nil {
				table.IndexedThrough = &n.prices[len(n.prices)-1].FromYear
			}
			_ = json.NewEncoder(f).Encode(table)
			return
		case "/internal/work-orders/connections":
			if err := json.Unmarshal(sent, &n.asked); err != nil {
				t.Error(err)
			}
			_ = json.NewEncoder(f).Encode(n.connections)
			return
		case "/livez": // asked of who takes long
		default:
			t.Errorf("no service has %s", r.URL.Path)
		}
		_ = json.NewEncoder(f).Encode(map[string]any{"data": data})
	}
	others := httptest.NewServer(http.HandlerFunc(response))
	orders := httptest.NewServer(http.HandlerFunc(func(f http.ResponseWriter, r *http.Request) {
		if n.unavailable.Load() {
			panic(http.ErrAbortHandler)
		}
		response(f, r)
	}))
	requests := httptest.NewServer(http.HandlerFunc(func(f http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/infrastructure_deficiencies") {
			response(f, r)
		} else {
			_, _ = f.Write([]byte(`{"data":[]}`))
		}
	}))
	ledger := httptest.NewServer(http.HandlerFunc(func(f http.ResponseWriter, r *http.Request) {
		data := []any{}
		if r.URL.Path == "/internal"+bookvalue.Path {
			n.ledgerAsked++
			for id, assets := range n.ledger {
				data = append(data, map[string]any{"id": id, "capital_assets": assets})
			}
		}
		_ = json.NewEncoder(f).Encode(map[string]any{"data": data})
	}))
	silent := httptest.NewServer(http.HandlerFunc(func(f http.ResponseWriter, _ *http.Request) { _, _ = f.Write([]byte(`{"data":[]}`)) }))
	for _, server := range []*httptest.Server{others, orders, requests, ledger, silent} {
		t.Cleanup(server.Close)
	}
	at := func(server *httptest.Server) string { return strings.TrimPrefix(server.URL, "http://") }
	static, err := discovery.ParseStatic("assets=" + at(others) + ";workorders=" + at(orders) + ";projects=" + at(silent) + ";accounting=" + at(ledger) + ";los=" +
		at(silent) + ";requests=" + at(requests) + ";forms=" + at(silent) + ";meters=" + at(silent) +
		";documents=" + at(silent))
	if err != nil {
		t.Fatal(err)
	}
	directory, err := discovery.Open(discovery.Config{Mode: "static", Static: static, Region: "ca-central-1", Log: log})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(directory.Close)
	return reference.NewClient(directory, signer)
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
