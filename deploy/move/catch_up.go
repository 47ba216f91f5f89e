package move

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
)

// chunk is how many keys of each table are copied again at a time. All tables go together, in one round trip to each database: there are
// few rows of many tables, and writes may be waiting.
const chunk = 2000

// changed are rows of a table whose keys were noted.
type changed struct {
	table
	noted  int64  // keys, of which some may be the same
	keys   string // as a JSON array
	rows   []string
	source sum
	target sum
}

// catchUp brings the target up to the source as it is now: it copies the rows again whose keys were noted, and compares them. In the same
// snapshot it compares all rows when it is asked to. It says how many keys there were.
func (m *Move) catchUp(ctx context.Context, compareAll bool) (keys int64, err error) {
	snapshot, err := m.source.work.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead})
	if err != nil {
		return 0, err
	}
	defer func() { _ = snapshot.Rollback(context.WithoutCancel(ctx)) }()
	noted, err := m.noted(ctx, snapshot)
	if err != nil {
		return 0, err
	}
	for _, c := range noted {
		keys += c.noted
	}
	err = pgx.BeginFunc(ctx, m.target.work, func(tx pgx.Tx) error {
		for offset := int64(0); len(noted) > 0 && err == nil; offset += chunk {
			noted = slices.DeleteFunc(noted, func(c *changed) bool { return c.noted <= offset })
			if m.late() {
				return errLate
			}
			err = m.again(ctx, snapshot, tx, noted, offset)
		}
		return err
	})
	if err != nil {
		return keys, err
	}
	if compareAll {
		if err := m.compareAll(ctx); err != nil {
			return keys, err
		}
	}
	// Only what this snapshot sees: other keys were noted meanwhile.
	forget := &pgx.Batch{}
	for _, schema := range m.source.schemas() {
		forget.Queue("DELETE FROM "+pgx.Identifier{schema, "moved_row"}.Sanitize()+" WHERE organization = ANY ($1)", m.Organizations)
	}
	if err := snapshot.SendBatch(ctx, forget).Close(); err != nil {
		return keys, err
	}
	return keys, snapshot.Commit(ctx)
}

// noted gives the tables of which keys were noted.
func (m *Move) noted(ctx context.Context, snapshot pgx.Tx) (all []*changed, err error) {
	var each []string
	for _, schema := range m.source.schemas() {
		each = append(each, fmt.Sprintf("SELECT %s || '.' || name, count(*) FROM %s WHERE organization = ANY ($1) GROUP BY name", literal(schema),
			pgx.Identifier{schema, "moved_row"}.Sanitize()))
	}
	// What follows finds rows by their keys, in loops over an index; nothing is known of how many there are.
	if _, err := snapshot.Exec(ctx, "SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off"); err != nil {
		return nil, err
	}
	rows, err := snapshot.Query(ctx, strings.Join(each, " UNION ALL "), m.Organizations)
	if err != nil {
		return nil, err
	}
	found := map[string]int64{}
	var name string
	var n int64
	if _, err := pgx.ForEachRow(rows, []any{&name, &n}, func() error {
		found[name] = n
		return nil
	}); err != nil {
		return nil, err
	}
	for _, t := range m.source.tables {
		if n := found[t.schema+"."+t.name]; n > 0 {
			all = append(all, &changed{table: t, noted: n})
		}
	}
	return all, nil
}

// again copies a chunk of each table again. A key without a row is of one that was deleted.
func (m *Move) again(ctx context.Context, snapshot, tx pgx.Tx, all []*changed, offset int64) error {
	reading := &pgx.Batch{}
	for _, c := range all {
		keys := fmt.Sprintf("SELECT DISTINCT key FROM %s WHERE name = %s AND organization = ANY ($1) ORDER BY key LIMIT %d OFFSET $2",
			pgx.Identifier{c.schema, "moved_row"}.Sanitize(), literal(c.name), chunk)
		joined, condition := c.byKeys("(" + keys + ") n (key)")
		reading.Queue("SELECT coalesce(jsonb_agg(key), '[]')::text FROM ("+keys+") n", m.Organizations, offset).
			QueryRow(func(row pgx.Row) error { return row.Scan(&c.keys) })
		reading.Queue(fmt.Sprintf("SELECT coalesce(array_agg(t::text), '{}') FROM %s t%s WHERE %s", c, joined, condition),
			m.Organizations, offset).
			QueryRow(func(row pgx.Row) error { return row.Scan(&c.rows) })
		reading.Queue(c.sum(condition, joined), m.Organizations, offset).
			QueryRow(func(row pgx.Row) error { return row.Scan(&c.source.rows, &c.source.hash) })
	}
	if err := snapshot.SendBatch(ctx, reading).Close(); err != nil {
		return fmt.Errorf("read what has changed: %w", err)
	}
	writing := &pgx.Batch{}
	writing.Queue("SELECT set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true)")
	for _, c := range all {
		joined, condition := c.byKeys("jsonb_array_elements($1::jsonb) n (key)")
		writing.Queue(fmt.Sprintf("DELETE FROM %s t USING %s WHERE %s", c, strings.TrimPrefix(joined, ", "), condition), c.keys)
		writing.Queue(fmt.Sprintf("INSERT INTO %s (%s) OVERRIDING SYSTEM VALUE SELECT %s FROM (SELECT r::%[1]s AS r "+
			"FROM unnest($1::text[]) r OFFSET 0) n", c, quote(c.columns, ""), quote(c.columns, "(r).")), c.rows)
		writing.Queue(c.sum(condition, joined), c.keys).
			QueryRow(func(row pgx.Row) error { return row.Scan(&c.target.rows, &c.target.hash) })
	}
	if err := tx.SendBatch(ctx, writing).Close(); err != nil {
		return fmt.Errorf("write what has changed: %w", err)
	}
	for _, c := range all {
		if err := c.source.compare(c.target); err != nil {
			return fmt.Errorf("%s: %w", c, err)
		}
	}
	return nil
}

// byKeys joins a table t with keys in JSON.
func (t table) byKeys(keys string) (joined, condition string) {
	definition, equal := make([]string, len(t.key)), make([]string, len(t.key))
	for i, column := range t.key {
		name := pgx.Identifier{column}.Sanitize()
		definition[i], equal[i] = name+" "+t.keyTypes[i], "t."+name+" = k."+name
	}
	return fmt.Sprintf(", %s, jsonb_to_record(n.key) AS k (%s)", keys, strings.Join(definition, ", ")), strings.Join(equal, " AND ")
}
