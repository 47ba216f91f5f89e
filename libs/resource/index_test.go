package resource_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"context"

	"github.com/jackc/pgx/v5"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"ams.internal/libs/resource/resourcetest"
	"ams.internal/libs/testnight"
)

// operate asks the owner of the books to look after its index, and gives the answer.
func operate(t *testing.T, client *resourcetest.Client, action string) map[string]any {
	t.Helper()
	return asGateway(client).Must(t, 200, "POST", "/internal/index", row{"collection": "books", "action": action}).JSON
}

// rebuild has the index made anew.
func rebuild(t *testing.T, client *resourcetest.Client) {
	t.Helper()
	for state := operate(t, client, "rebuild"); state["pending"] != 0.0; state = operate(t, client, "fold") {
		if state["problem"] != "" {
			t.Fatalf("%v", state)
		}
	}
}

// Each case breaks what is kept of 400 books: 300 in a first run, 100 in a second.
func TestVerifyNamesWhatIsBrokenAndRebuildMendsIt(t *testing.T) {
	client, database := serve(t)
	fill(t, client, 400, func(i int) map[string]any {
		body := row{"title": fmt.Sprintf("Vanne %03d", i), "number": fmt.Sprintf("V-%04d", i)}
		if i < 10 {
			body["genre"] = "novel"
		}
		return body
	})
	const (
		one   = " WHERE ctid = (SELECT min(ctid) FROM term_block WHERE contents IS NOT NULL)"
		empty = `'\x0000000000000000'`
	)
	for _, c := range []struct{ name, sql, want string }{
		{"a facet of others",
			"UPDATE facet SET bits = (SELECT bits FROM facet WHERE value = '=novel') WHERE value = '=new'",
			`state "=new" of books is counted 10 times, 400 records`},
		{"a facet that is gone",
			"DELETE FROM facet WHERE value = '=novel'",
			`genre "=novel" of books is counted 0 times, 10 records have it; the record at position 1 `},
		{"a facet that nobody has",
			"INSERT INTO facet SELECT organization_id, collection, field, '=poetry', part, bits FROM facet WHERE value = '=novel'",
			`genre "=poetry" of books is counted 10 times, 0 records`},
		{"a facet in another part", "UPDATE facet SET part = 1 WHERE value = '=novel'", `genre "=novel" of books has positions in part 1 `},
		{"a facet that cannot be read", `UPDATE facet SET bits = '\x01' WHERE value = '=novel'`, "a bitmap cannot be read"},
		{"a block that ends early", "UPDATE term_block SET contents = substr(contents, 1, length(contents) - 3)" + one, "the block from"},
		{"a block with other terms",
			"UPDATE term_block SET contents = (SELECT contents FROM term_block WHERE contents IS NOT NULL ORDER BY ctid DESC LIMIT 1)" + one,
			"is not in order"},
		{"a block that says it has nothing", "UPDATE term_block SET positions = " + empty + one, "is wrong about the record at position"},
		{"a block that is gone", "DELETE FROM term_block" + one, "and is not found by it"},
		{"a common word that is gone",
			"DELETE FROM term_block WHERE contents IS NULL AND first LIKE '%vanne'",
			`vanne" and is not found by it`},
		{"a common word of fewer",
			"UPDATE term_block SET positions = " + empty + " WHERE contents IS NULL AND first LIKE '%vanne'",
			`position 1 of books has`},
		{"a run without records",
			"UPDATE term_run SET positions = " + empty + " WHERE run = (SELECT min(run) FROM term_run)",
			"and is not found by it"},
		{"a run with another's records",
			"UPDATE term_run SET positions = (SELECT positions FROM term_run ORDER BY run LIMIT 1)",
			"of a later one"},
		{"a run that is gone", "DELETE FROM term_run WHERE run = (SELECT min(run) FROM term_run)", "which there is not"},
		{"a record's terms that are of no record",
			"DELETE FROM book WHERE position = 7; DELETE FROM facet_pending",
			"the record at position 7 of books is found by"},
		{"a change that was not noted",
			"UPDATE book SET title = 'Pompe' WHERE position = 8; DELETE FROM facet_pending",
			`the record at position 8 of books has "`},
		{"a state that was not noted", "UPDATE book SET state = 'lent' WHERE position = 9; DELETE FROM facet_pending", `of books is counted`},
	} {
		t.Run(c.name, func(t *testing.T) {
			rebuild(t, client)
			owner(t, database, "UPDATE book SET title = title WHERE position > 300")
			if state := operate(t, client, "verify"); state["problem"] != "" || state["pending"] != 100.0 {
				t.Fatalf("before: %v", state)
			}
			folded := operate(t, client, "fold")
			if state := operate(t, client, "verify"); state["pending"] != 0.0 || fmt.Sprint(state) != fmt.Sprint(folded) {
				t.Fatalf("folded: %v", state)
			}
			if runs := owner(t, database, "SELECT run::text FROM term_run"); len(runs) != 2 {
				t.Fatalf("runs %q", runs)
			}
			for _, sql := range strings.Split(c.sql, "; ") {
				owner(t, database, sql)
			}
			if problem := operate(t, client, "verify")["problem"].(string); !strings.Contains(problem, c.want) {
				t.Errorf("%q, want %q", problem, c.want)
			}
			rebuild(t, client)
			if state := operate(t, client, "verify"); state["problem"] != "" {
				t.Errorf("rebuilt: %v", state)
			}
		})
	}
}

// Four writers change, roll back and delete while the index is forgotten and made again.
func TestTheIndexIsRebuiltWhileOthersWrite(t *testing.T) {
	client, database := serve(t)
	registry, ctx := collections(t, database, client)
	fill(t, client, 1000, func(i int) map[string]any { return map[string]any{"title": fmt.Sprintf("Livre %d", i)} })
	elsewhere := client.Other()
	elsewhere.Create(t, "/v1/books", row{"title": "Ailleurs"})
	errBack := errors.New("rolled back")
	var over atomic.Bool
	var work sync.WaitGroup
	for n := range 4 {
		random := rand.New(rand.NewPCG(7, uint64(n)))
		work.Go(func() {
			for !over.Load() {
				err := registry.DB.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
					if _, err := tx.Exec(ctx, writeOf(random)); err != nil || random.IntN(3) > 0 {
						return err
					}
					return errBack
				})
				deadlock := err != nil && strings.Contains(err.Error(), "40P01") // two writers may wait for each other
				if err != nil && !errors.Is(err, errBack) && !deadlock {
					t.Error(err)
					return
				}
			}
		})
	}
	for round := range testnight.Rounds(6, 20) {
		for _, action := range []string{"rebuild", "verify", "fold", "verify"} {
			if state := operate(t, client, action); state["problem"] != "" {
				t.Errorf("round %d: %s: %v", round, action, state)
			}
			compareStates(ctx, t, registry)
		}
	}
	over.Store(true)
	work.Wait()
	foldAll(ctx, t, registry)
	if err := registry.VerifyIndex(ctx, "books"); err != nil {
		t.Error(err)
	}
	if pending := operate(t, elsewhere, "verify")["pending"]; pending != 1.0 {
		t.Errorf("of another organization %v are pending, 1 was", pending)
	}
}

func TestTheDoorToTheIndex(t *testing.T) {
	client, _ := serve(t)
	for i := range 3 {
		client.Create(t, "/v1/books", row{"title": fmt.Sprintf("Livre %d", i)})
	}
	for _, c := range []struct {
		action  string
		pending float64
	}{{"verify", 3}, {"fold", 0}, {"rebuild", 3}, {"verify", 3}, {"fold", 0}, {"verify", 0}} {
		state := operate(t, client, c.action)
		if state["collection"] != "books" || state["records"] != 3.0 || state["pending"] != c.pending || state["problem"] != "" {
			t.Errorf("%s: %v", c.action, state)
		}
	}
	gateway := asGateway(client)
	unkept := gateway.Must(t, 404, "POST", "/internal/index", row{"collection": "safes", "action": "verify"})
	if unkept.JSON["code"] != "not_indexed" {
		t.Errorf("%s", unkept.Body)
	}
	gateway.Must(t, 400, "POST", "/internal/index", row{"collection": "books", "action": "drop"})
	client.Must(t, 403, "POST", "/internal/index", row{"collection": "books", "action": "rebuild"})
}

func TestReadersReportHowManyRecordsWerePending(t *testing.T) {
	client, database := serve(t)
	registry, ctx := collections(t, database, client)
	reader := metric.NewManualReader()
	before := otel.GetMeterProvider()
	otel.SetMeterProvider(metric.NewMeterProvider(metric.WithReader(reader)))
	t.Cleanup(func() { otel.SetMeterProvider(before) })
	for i := range 3 {
		client.Create(t, "/v1/books", row{"title": fmt.Sprintf("Livre %d", i)})
	}
	client.Must(t, 200, "GET", "/v1/books?q=livre", nil)
	client.Must(t, 200, "GET", "/v1/books?state=new", nil)
	client.Must(t, 200, "GET", "/v1/books", nil) // asks no index
	foldAll(ctx, t, registry)
	client.Must(t, 200, "GET", "/v1/books?q=livre", nil, "Accept", "application/x-ndjson")
	var all metricdata.ResourceMetrics
	if err := reader.Collect(t.Context(), &all); err != nil {
		t.Fatal(err)
	}
	for _, scope := range all.ScopeMetrics {
		for _, m := range scope.Metrics {
			if m.Name != "ams.index.pending" {
				continue
			}
			points := m.Data.(metricdata.Histogram[int64]).DataPoints
			collection, _ := points[0].Attributes.Value("collection")
			if len(points) != 1 || collection.AsString() != "books" || points[0].Count != 3 || points[0].Sum != 6 {
				t.Errorf("%+v", points)
			}
			return
		}
	}
	t.Error("nothing was reported")
}
