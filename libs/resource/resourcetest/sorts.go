package resourcetest

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/postgres"
	"ams.internal/libs/principal"
	"ams.internal/libs/resource"
	"ams.internal/libs/resource/internal/read"
	"ams.internal/libs/resource/internal/table"
	"ams.internal/libs/schema"
	"ams.internal/libs/transport"
)

// NewRegistry gives a registry without resources, on a database, for a test that asks no other service.
func NewRegistry(t testing.TB, db *postgres.DB) *resource.Registry {
	t.Helper()
	return resource.NewRegistry(transport.New(NewSigner(t), db, Log(t)), db, nil)
}

// SortsByIndex checks, as the service's role, that the database reads lists sorted by the named fields from indexes: the first page and one
// behind a cursor, in both directions. names are those that are declared so, "assets.name", of all collections that are not below another.
func SortsByIndex(t *testing.T, registry *resource.Registry, names ...string) {
	t.Helper()
	client := NewClient(nil, registry.API.Signer)
	var declared []string
	for collection, tbl := range registry.Tables {
		for _, column := range tbl.Columns {
			if !column.Indexed || tbl.Parent != "" {
				continue
			}
			declared = append(declared, collection+"."+column.Name)
			for _, sort := range []string{column.Name, "-" + column.Name} {
				value, id := sampleOf(column), "019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"
				check := planned{t: t, name: collection + "?sort=" + sort, table: tbl, column: column.Column}
				check.explain(client, sort, nil)
				check.name += " behind a cursor"
				check.compares = true
				check.explain(client, sort, []*string{&value, &id})
				if column.Nullable {
					check.name += " among the nulls"
					check.explain(client, sort, []*string{nil, &id})
				}
			}
		}
	}
	slices.Sort(names)
	if slices.Sort(declared); !slices.Equal(declared, names) {
		t.Errorf("sorts with an index are %v, want %v", declared, names)
	}
}

// sampleOf is a value of the column's type.
func sampleOf(c *table.Column) string {
	switch c.Kind {
	case schema.Integer, schema.Number:
		return "7"
	case schema.Date, schema.Time:
		return "2026-01-31"
	case schema.Boolean:
		return "true"
	}
	return "x"
}

// planned is a statement whose plan is checked.
type planned struct {
	t        *testing.T
	name     string
	table    *table.Table
	column   string
	compares bool // the column with the cursor's value
}

// node is what EXPLAIN says of one step.
type node struct {
	Kind         string `json:"Node Type"`
	Relation     string `json:"Relation Name"`
	Index        string `json:"Index Name"`
	Condition    string `json:"Index Cond"`
	Filter       string
	Relationship string  `json:"Parent Relationship"`
	Subplan      string  `json:"Subplan Name"`
	Rows         float64 `json:"Actual Rows"`
	Removed      float64 `json:"Rows Removed by Filter"`
	Loops        float64 `json:"Actual Loops"`
	Plans        []node
}

func (p planned) explain(client *Client, sort string, after []*string) {
	p.t.Helper()
	ctx := principal.Into(p.t.Context(), client.Principal)
	sql, args, settings, err := read.Statement(ctx, p.table, sort, 1, after)
	if err != nil {
		p.t.Fatal(err)
	}
	// Tables of tests are so small that reading all of them would be cheapest.
	for _, name := range []string{"enable_seqscan", "enable_bitmapscan"} {
		settings = append(settings, postgres.Setting{Name: name, Value: "off"})
	}
	plan := planOf(ctx, p.t, p.table, "EXPLAIN (FORMAT JSON) "+sql, args, settings)
	compared := false
	if wrong := p.problemOf(plan, false, &compared); wrong != "" {
		p.t.Errorf("%s: %s\n%s\n%+v", p.name, wrong, sql, plan)
	} else if p.compares && !compared {
		p.t.Errorf("%s: no index is searched for %s\n%s\n%+v", p.name, p.column, sql, plan)
	}
}

// problemOf describes the step of a plan that reads more than a page; "" for none. sorted is whether a sort stands above, with no
// limit between.
func (p planned) problemOf(n node, sorted bool, compared *bool) string {
	switch {
	case n.Kind == "Sort", n.Kind == "Incremental Sort": // this one sorts what has equal values, however many rows those are
		sorted = true
	case n.Kind == "Limit":
		sorted = false
	case n.Relation != p.table.Name:
	case n.Kind != "Index Scan" && n.Kind != "Index Only Scan":
		return "the table is read by a " + n.Kind
	case sorted:
		return "rows are sorted, however many there are"
	case strings.Contains(n.Filter, p.column):
		return "rows are read and then left out: " + n.Filter
	case strings.Contains(n.Condition, p.column):
		*compared = true
	}
	for _, below := range n.Plans {
		if wrong := p.problemOf(below, sorted && below.Relationship != "InitPlan", compared); wrong != "" {
			return wrong
		}
	}
	return ""
}

// KeysOnly checks that the rows that a page by number passes over are read from an index alone, and that only those with equal values are
// sorted. The table must be so large that an index is worth it, and vacuumed.
func KeysOnly(t *testing.T, client *Client, tbl *table.Table, sort string, page int) {
	t.Helper()
	ctx := principal.Into(t.Context(), client.Principal)
	sql, args, settings, err := read.Statement(ctx, tbl, sort, page, nil)
	if err != nil {
		t.Fatal(err)
	}
	plan := planOf(ctx, t, tbl, "EXPLAIN (FORMAT JSON) "+sql, args, settings)
	if wrong := plan.keysOnly(tbl.Name, false); wrong != "" {
		t.Errorf("sort=%s, page %d: %s\n%s\n%+v", sort, page, wrong, sql, plan)
	}
}

// keysOnly says what is wrong; within is whether n is part of a common table expression, which finds the keys.
func (n node) keysOnly(relation string, within bool) string {
	within = within || strings.HasPrefix(n.Subplan, "CTE ")
	switch {
	case !within:
	case n.Kind == "Aggregate": // counts, which is done for pages of nulls only, and as is cheapest
		return ""
	case n.Kind == "Sort" && !slices.ContainsFunc(n.Plans, func(below node) bool { return below.Kind == "Append" }): // of at most two pages
		return "all rows are sorted"
	case n.Relation == relation && n.Kind != "Index Only Scan":
		return "keys are found by a " + n.Kind
	}
	for _, below := range n.Plans {
		if wrong := below.keysOnly(relation, within); wrong != "" {
			return wrong
		}
	}
	return ""
}

// RowsRead runs the statement of a page of 25, and gives how many rows of the collection's table it has read or left out, in all steps.
func RowsRead(t *testing.T, client *Client, tbl *table.Table, sort string, after []*string) int {
	t.Helper()
	ctx := principal.Into(t.Context(), client.Principal)
	sql, args, settings, err := read.Statement(ctx, tbl, sort, 1, after)
	if err != nil {
		t.Fatal(err)
	}
	plan := planOf(ctx, t, tbl, "EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) "+sql, args, settings)
	return plan.rows(tbl.Name)
}

func (n node) rows(relation string) int {
	sum := 0
	if n.Relation == relation {
		sum = int((n.Rows + n.Removed) * n.Loops)
	}
	for _, below := range n.Plans {
		sum += below.rows(relation)
	}
	return sum
}

// planOf gives the plan that the database makes as the service's role.
func planOf(ctx context.Context, t *testing.T, tbl *table.Table, sql string, args []any, settings []postgres.Setting) node {
	t.Helper()
	var text string
	err := tbl.DB.Batch(ctx, func(batch *pgx.Batch) {
		batch.Queue(sql, args...).QueryRow(func(row pgx.Row) error { return row.Scan(&text) })
	}, settings...)
	if err != nil {
		t.Fatalf("%v\n%s", err, sql)
	}
	var plans []struct{ Plan node }
	if err := json.Unmarshal([]byte(text), &plans); err != nil {
		t.Fatal(err)
	}
	return plans[0].Plan
}
