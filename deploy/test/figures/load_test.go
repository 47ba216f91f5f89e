package figures

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// lists are an organization's raw records at one moment, as lines of JSON: exactly what the API gave.
type lists map[string][]string

var paths = map[string]string{
	"sites": "/v1/sites", "buildings": "/v1/buildings", "systems": "/v1/systems", "assets": "/v1/assets",
	"networks": "/v1/infrastructure/networks", "segments": "/v1/infrastructure/segments", "inspections": "/v1/infrastructure/inspections",
	"price_indexes": "/v1/price-indexes", "deficiencies": "/v1/deficiencies",
	"infrastructure_deficiencies": "/v1/infrastructure/deficiencies",
}

// lists reads all records of an organization; of a family that is not in its plan there are none. Assessments are read one asset at a
// time, so only where statements are asked for.
func (o *organization) lists(statements bool) lists {
	o.t.Helper()
	found := lists{}
	for name, path := range paths {
		if o.send(0, "GET", path+"?per_page=1", nil).Status == http.StatusForbidden {
			continue
		}
		found[name] = o.stream(path)
	}
	for _, index := range found["price_indexes"] {
		id := value(o.t, index, "id")
		found["prices"] = append(found["prices"], o.stream("/v1/price-indexes/"+id+"/values")...)
	}
	found["settings"] = o.settings()
	if statements {
		for _, asset := range found["assets"] {
			found["assessments"] = append(found["assessments"], o.stream("/v1/assets/"+value(o.t, asset, "id")+"/condition-assessments")...)
		}
	}
	return found
}

// settings are those of the organization, as a list of one line.
func (o *organization) settings() []string {
	o.t.Helper()
	me, err := json.Marshal(o.get("/v1/me")["organization"])
	if err != nil {
		o.t.Fatal(err)
	}
	return []string{string(me)}
}

// recount is a database of its own on the stack's server, with nothing in it but the lists and recount.sql.
type recount struct {
	t  testing.TB
	db *pgx.Conn
}

//go:embed recount.sql
var recountSQL string

// newRecount makes the database, which is dropped when the test ends.
func newRecount(t testing.TB) *recount {
	t.Helper()
	address := described(t).PostgresURL
	admin, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	name := fmt.Sprintf("recount_%d", time.Now().UnixNano())
	if _, err := admin.Exec(t.Context(), "CREATE DATABASE "+name); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx := context.Background()
		_, err := admin.Exec(ctx, "DROP DATABASE "+name+" WITH (FORCE)")
		if err != nil {
			t.Error(err)
		}
		_ = admin.Close(ctx)
	})
	config := admin.Config().Copy()
	config.Database = name
	db, err := pgx.ConnectConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close(context.Background()) })
	r := &recount{t: t, db: db}
	r.exec(recountSQL)
	return r
}

func (r *recount) exec(sql string, args ...any) {
	r.t.Helper()
	if _, err := r.db.Exec(r.t.Context(), sql, args...); err != nil {
		r.t.Fatalf("%.200s: %v", sql, err)
	}
}

// load puts lists in the place of those that are there.
func (r *recount) load(found lists) {
	r.t.Helper()
	r.exec("TRUNCATE raw")
	var rows [][]any
	for _, name := range slices.Sorted(maps.Keys(found)) {
		for _, line := range found[name] {
			rows = append(rows, []any{name, line})
		}
	}
	_, err := r.db.CopyFrom(r.t.Context(), pgx.Identifier{"raw"}, []string{"list", "line"}, pgx.CopyFromRows(rows))
	if err != nil {
		r.t.Fatal(err)
	}
	r.exec("CALL lists_loaded()")
}

// question is what figures are asked for.
type question struct {
	day       string
	horizon   int
	prices    int  // 0: the year of the day
	saidAlone bool // ratings and costs from their statements, not as the lists show them
}

func (q question) query() string {
	query := fmt.Sprintf("as_of=%s&horizon_years=%d", q.day, q.horizon)
	if q.prices != 0 {
		query += fmt.Sprintf("&prices_of=%d", q.prices)
	}
	return query
}

// ask computes everything that the figures are made from.
func (r *recount) ask(q question) {
	r.t.Helper()
	r.exec("DELETE FROM asked")
	r.exec("INSERT INTO asked VALUES ($1, $2, coalesce(nullif($3, 0), extract(year FROM $1::date)), $4)", q.day, q.horizon, q.prices,
		q.saidAlone)
	r.exec("CALL recount()")
}

// figures gives the answers of a query with the columns key and answer, each answer as paths to texts. What has no key has "".
func (r *recount) figures(sql string, args ...any) map[string]map[string]string {
	r.t.Helper()
	rows, err := r.db.Query(r.t.Context(), "SELECT coalesce(key, ''), answer FROM "+sql, args...)
	if err != nil {
		r.t.Fatal(err)
	}
	found := map[string]map[string]string{}
	var key, answer string
	_, err = pgx.ForEachRow(rows, []any{&key, &answer}, func() error {
		found[key] = flat(r.t, answer)
		return nil
	})
	if err != nil {
		r.t.Fatalf("%s: %v", sql, err)
	}
	return found
}

func (r *recount) texts(sql string, args ...any) []string {
	r.t.Helper()
	rows, err := r.db.Query(r.t.Context(), sql, args...)
	if err != nil {
		r.t.Fatal(err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		r.t.Fatalf("%s: %v", sql, err)
	}
	return found
}

// show writes differences, the first 30 of them.
func show(t testing.TB, what string, differences []string) {
	t.Helper()
	if len(differences) > 0 {
		t.Errorf("%s: %d differences\n%s", what, len(differences), strings.Join(differences[:min(len(differences), 30)], "\n"))
	}
}
