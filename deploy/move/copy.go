package move

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/jackc/pgx/v5"
)

// transfer has the target's table filled with what a query gives at the source, and says how many rows that are.
func transfer(ctx context.Context, source, target *pgx.Conn, query, into string) (int64, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	reader, writer := io.Pipe()
	sent := make(chan error, 1)
	go func() {
		_, err := source.PgConn().CopyTo(ctx, writer, "COPY ("+query+") TO STDOUT (FORMAT binary)")
		_ = writer.CloseWithError(err)
		sent <- err
	}()
	tag, err := target.PgConn().CopyFrom(ctx, reader, "COPY "+into+" FROM STDIN (FORMAT binary)")
	_ = reader.CloseWithError(errors.New("the other database takes no more"))
	if sending := <-sent; sending != nil {
		return 0, sending // which the target's error follows from, or the other way round: then this one names it
	}
	return tag.RowsAffected(), err
}

// copyAll copies all rows of the organizations in one snapshot of the source.
func (m *Move) copyAll(ctx context.Context) error {
	if _, err := m.target.work.Exec(ctx, "SET synchronous_commit = off"); err != nil { // the last commit writes all of it to the disk
		return err
	}
	snapshot, err := m.source.work.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	if err != nil {
		return err
	}
	defer func() { _ = snapshot.Rollback(context.WithoutCancel(ctx)) }()
	filled, err := m.source.filled(ctx, m.source.work, m.Organizations)
	if err != nil {
		return err
	}
	for i, t := range filled {
		var rows int64
		err := pgx.BeginFunc(ctx, m.target.work, func(tx pgx.Tx) (err error) {
			rows, err = m.insert(ctx, tx, t, i, "t.organization_id IN ("+list(m.Organizations)+")", "")
			return err
		})
		if err != nil {
			return fmt.Errorf("copy %s: %w", t, err)
		}
		m.result.Rows += rows
		m.report("copy", t.String(), rows)
	}
	_, err = m.target.work.Exec(ctx, "SET synchronous_commit = on")
	return err
}

// insert copies rows of a table that fulfil a condition on t and on what is joined.
func (m *Move) insert(ctx context.Context, tx pgx.Tx, t table, number int, condition, joined string) (int64, error) {
	incoming, columns := fmt.Sprintf("pg_temp.incoming_%d", number), quote(t.columns, "")
	if _, err := tx.Exec(ctx, fmt.Sprintf("CREATE TEMP TABLE incoming_%d ON COMMIT DROP AS SELECT %s FROM %s WITH NO DATA", number, columns, t)); err != nil {
		return 0, err
	}
	rows, err := transfer(ctx, m.source.work, tx.Conn(), fmt.Sprintf("SELECT %s FROM %s t%s WHERE %s", quote(t.columns, "t."), t, joined, condition), incoming)
	if err != nil || rows == 0 {
		return rows, err
	}
	tag, err := tx.Exec(ctx, fmt.Sprintf("INSERT INTO %s (%s) OVERRIDING SYSTEM VALUE SELECT %s FROM %s", t, columns, columns, incoming))
	if err == nil && tag.RowsAffected() != rows {
		err = fmt.Errorf("%d rows were sent, %d arrived", rows, tag.RowsAffected())
	}
	return rows, err
}

// catchUp brings the target up to the source as it is now: it copies the rows again whose keys were noted, and compares them. In the same
// snapshot it compares all rows when it is asked to. It says how many keys there were.
func (m *Move) catchUp(ctx context.Context, compareAll bool) (keys int64, err error) {
	snapshot, err := m.source.work.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead})
	if err != nil {
		return 0, err
	}
	defer func() { _ = snapshot.Rollback(context.WithoutCancel(ctx)) }()
	// By the index of the noted keys: nothing is known of how many there are.
	if _, err := snapshot.Exec(ctx, "SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off"); err != nil {
		return 0, err
	}
	noted, err := m.noted(ctx, snapshot)
	if err != nil {
		return 0, err
	}
	err = pgx.BeginFunc(ctx, m.target.work, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off"); err != nil {
			return err
		}
		for i, t := range m.source.tables {
			if n := noted[t.schema+"."+t.name]; n > 0 {
				if m.late() {
					return errLate
				}
				keys += n
				if err := m.again(ctx, snapshot, tx, t, i); err != nil {
					return fmt.Errorf("catch up %s: %w", t, err)
				}
			}
		}
		return nil
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
	for _, schema := range m.source.schemas() {
		if _, err := snapshot.Exec(ctx, "DELETE FROM "+pgx.Identifier{schema, "moved_row"}.Sanitize()+" WHERE organization = ANY ($1)", m.Organizations); err != nil {
			return keys, err
		}
	}
	return keys, snapshot.Commit(ctx)
}

// noted counts the noted keys of each table.
func (m *Move) noted(ctx context.Context, snapshot pgx.Tx) (map[string]int64, error) {
	var each []string
	for _, schema := range m.source.schemas() {
		each = append(each, fmt.Sprintf("SELECT %s || '.' || name, count(*) FROM %s WHERE organization = ANY ($1) GROUP BY name", literal(schema),
			pgx.Identifier{schema, "moved_row"}.Sanitize()))
	}
	rows, err := snapshot.Query(ctx, strings.Join(each, " UNION ALL "), m.Organizations)
	if err != nil {
		return nil, err
	}
	found := map[string]int64{}
	var name string
	var n int64
	_, err = pgx.ForEachRow(rows, []any{&name, &n}, func() error {
		found[name] = n
		return nil
	})
	return found, err
}

// again copies the rows of a table again whose keys were noted. A key without a row is of one that was deleted.
func (m *Move) again(ctx context.Context, snapshot, tx pgx.Tx, t table, number int) error {
	definition, equal := make([]string, len(t.key)), make([]string, len(t.key))
	for i, column := range t.key {
		name := pgx.Identifier{column}.Sanitize()
		definition[i], equal[i] = name+" "+t.keyTypes[i], "t."+name+" = k."+name
	}
	keys := fmt.Sprintf("SELECT DISTINCT key FROM %s WHERE name = %s AND organization IN (%s)", pgx.Identifier{t.schema, "moved_row"}.Sanitize(),
		literal(t.name), list(m.Organizations))
	record, condition := " AS k ("+strings.Join(definition, ", ")+")", strings.Join(equal, " AND ")
	there := fmt.Sprintf(", (%s) n, jsonb_to_record(n.key)%s", keys, record)
	here := fmt.Sprintf(", pg_temp.keys_%d n, jsonb_to_record(n.key)%s", number, record)

	if _, err := tx.Exec(ctx, fmt.Sprintf("CREATE TEMP TABLE keys_%d (key jsonb) ON COMMIT DROP", number)); err != nil {
		return err
	}
	if _, err := transfer(ctx, m.source.work, tx.Conn(), keys, fmt.Sprintf("pg_temp.keys_%d", number)); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, fmt.Sprintf("DELETE FROM %s t USING %s WHERE %s", t, strings.TrimPrefix(here, ", "), condition)); err != nil {
		return err
	}
	if _, err := m.insert(ctx, tx, t, number, condition, there); err != nil {
		return err
	}
	var source, target sum
	if err := snapshot.QueryRow(ctx, t.sum(condition, there)).Scan(&source.rows, &source.hash); err != nil {
		return err
	}
	if err := tx.QueryRow(ctx, t.sum(condition, here)).Scan(&target.rows, &target.hash); err != nil {
		return err
	}
	return source.compare(target)
}
