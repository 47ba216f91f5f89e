// Package citus tests that Citus could distribute the product by organization, although it does not: it finds what Citus would
// refuse, or send to every shard, in the SQL statements that the conformance suites send (ADR 58).
package citus

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/postgres/postgrestest"
)

// root is the folder of the repository.
const root = "../../.."

// exceptions are findings that stay, each with its reason.
var exceptions = map[string]string{}

// TestWhatConformanceSendsCanBeDistributed looks at every statement that a conformance suite sends.
func TestWhatConformanceSendsCanBeDistributed(t *testing.T) {
	used := map[string]bool{}
	for schema, statements := range recorded(t) {
		c := newChecker(t, schema)
		shown := map[string]bool{}
		for _, statement := range statements {
			found, err := c.check(statement)
			if err != nil {
				t.Errorf("%s: %v, in %s", schema, err, statement)
			}
			for _, f := range found {
				name := schema + ": " + f.String()
				switch {
				case exceptions[name] != "":
					used[name] = true
				case !shown[name]: // the shortest statement, one for each finding
					shown[name] = true
					t.Errorf("%s, in\n\t%s", name, strings.Join(strings.Fields(statement), " "))
				}
			}
		}
	}
	for name := range exceptions {
		if !used[name] {
			t.Errorf("%s is an exception that no statement needs any more", name)
		}
	}
}

// recorded gives the statements of each service's conformance suite, the shortest first: those that "make test" has recorded a moment
// before, else the suites are run here.
func recorded(t *testing.T) map[string][]string {
	t.Helper()
	folder := os.Getenv("AMS_TEST_STATEMENTS")
	if folder == "" {
		folder = t.TempDir()
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Minute)
		defer cancel()
		suites := exec.CommandContext(ctx, "go", "test", "-count=1", "-run", "^TestConformance", "./services/...")
		suites.Dir, suites.Env = root, append(os.Environ(), "AMS_TEST_STATEMENTS="+folder)
		if output, err := suites.CombinedOutput(); err != nil { // what they have sent is looked at all the same
			t.Logf("the conformance suites: %v\n%s", err, output)
		}
	}
	statements := map[string][]string{}
	for _, schema := range conforming(t) {
		files, err := filepath.Glob(filepath.Join(folder, schema+".*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			content, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			statements[schema] = append(statements[schema], strings.FieldsFunc(string(content), func(r rune) bool { return r == 0 })...)
		}
		slices.SortFunc(statements[schema], func(a, b string) int { return len(a) - len(b) })
		if len(statements[schema]) < 50 {
			t.Fatalf("%s: only %d statements were recorded in %s", schema, len(statements[schema]), folder)
		}
	}
	return statements
}

// conforming are the services that have a conformance suite.
func conforming(t *testing.T) (services []string) {
	t.Helper()
	files, err := filepath.Glob(root + "/services/*/*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(content, []byte("func TestConformance")) {
			services = append(services, filepath.Base(filepath.Dir(file)))
		}
	}
	if services = slices.Compact(services); len(services) < 10 {
		t.Fatalf("only these services have a conformance suite: %v", services)
	}
	return services
}

// newChecker reads from a migrated database of the service what its statements do not say.
func newChecker(t *testing.T, schema string) *checker {
	t.Helper()
	c := &checker{isolated: map[string]bool{}, functions: map[string]string{}}
	for _, row := range catalog(t, schema, `SELECT c.relname::text, '' FROM pg_class c
			WHERE c.relnamespace = to_regnamespace($1) AND c.relkind IN ('r', 'p') AND c.relrowsecurity
		UNION ALL SELECT proname::text, min(provolatile)::text FROM pg_proc
			WHERE pronamespace IN ('pg_catalog'::regnamespace, to_regnamespace($1)) GROUP BY 1`) {
		if name, volatility := row[0], row[1]; volatility == "" {
			c.isolated[name] = true
		} else {
			c.functions[name] = volatility
		}
	}
	if !c.isolated["ledger"] || c.functions["reserve_positions"] != volatile {
		t.Fatalf("%s: the catalog shows neither the base schema's tables nor its functions", schema)
	}
	return c
}

// catalog gives the rows, of two texts, of a query over a service's migrated schema, which is $1.
func catalog(t *testing.T, schema, query string) [][2]string {
	t.Helper()
	db, err := pgx.Connect(t.Context(), postgrestest.New(t, schema, os.DirFS(filepath.Join(root, "services", schema, "migrations"))).OwnerURL)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close(context.WithoutCancel(t.Context())) }()
	rows, err := db.Query(t.Context(), query, schema)
	if err != nil {
		t.Fatal(err)
	}
	found, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (both [2]string, err error) {
		return both, row.Scan(&both[0], &both[1])
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}
