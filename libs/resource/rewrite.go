package resource

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/principal"
)

// rewriteBatch is how many records are rewritten by one statement, so that memory stays small however many there are.
const rewriteBatch = 1000

// UpdateWhere changes columns of other records because of a change that is being written: what moves with a building,
// what an assessment says about its asset. It is a change like any other: each record that differs gets a new version,
// history and an event, in the same transaction; records that have the values already are left alone.
//
// source is a SELECT that gives id and, under their names, the new values of columns, once per record; in it $1 is
// the organization and $2, $3 … are args. Rewritten records do not go through BeforeWrite and AfterWrite.
func (registry *Registry) UpdateWhere(ctx context.Context, tx pgx.Tx, collection string, columns []string, source string, args ...any) error {
	t := registry.tables[collection]
	if t == nil {
		return fmt.Errorf("rewrite %s: it is not a collection of this service", collection)
	}
	for _, name := range columns {
		if c := t.find(name); c == nil || !c.stored {
			return fmt.Errorf("rewrite %s: there is no column %q of its own to be set", collection, name)
		}
	}
	p := principal.From(ctx)
	actor, err := json.Marshal(p.Actor)
	if err != nil {
		return err
	}
	args = append([]any{p.OrganizationID}, args...)
	n := len(args)
	differing := fmt.Sprintf(`SELECT t.id::text FROM %s t JOIN (%s) s ON s.id = t.id
		WHERE t.organization_id = $1 AND (%s) IS DISTINCT FROM (%s) ORDER BY t.id FOR NO KEY UPDATE OF t`,
		t.name, source, listed("t.", columns), listed("s.", columns))
	held := "SELECT " + selection(t.columns) + " FROM " + t.name + " t WHERE t.organization_id = $1 AND t.id = ANY($2::uuid[]) ORDER BY t.id"
	update := fmt.Sprintf(`WITH written AS (UPDATE %s AS t SET version = t.version + 1, updated_at = clock_timestamp(), updated_by = $%d::jsonb, (%s) = ROW(%s)
		FROM (%s) s WHERE t.organization_id = $1 AND t.id = s.id AND t.id = ANY($%d::uuid[]) RETURNING t.*)
		SELECT %s FROM written t ORDER BY t.id`,
		t.name, n+1, listed("", columns), listed("s.", columns), source, n+2, selection(t.columns))

	rows, err := tx.Query(ctx, differing, args...)
	if err != nil {
		return t.explain(err)
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return t.explain(err)
	}
	for some := range slices.Chunk(ids, rewriteBatch) {
		before, err := readRows(ctx, tx, held, p.OrganizationID, some)
		if err != nil {
			return t.explain(err)
		}
		after, err := readRows(ctx, tx, update, append(args[:n:n], actor, some)...)
		if err != nil {
			return t.explain(err)
		}
		if len(before) != len(some) || len(after) != len(some) {
			return fmt.Errorf("rewrite %s: %d records read and %d written, %d expected", collection, len(before), len(after), len(some))
		}
		changes := make([]*written, len(some))
		for i, id := range some {
			changes[i] = &written{id: id, before: before[i], after: after[i]}
		}
		if err := t.record(ctx, tx, "updated", changes); err != nil {
			return err
		}
	}
	return nil
}

func readRows(ctx context.Context, tx pgx.Tx, sql string, args ...any) ([]row, error) {
	rows, err := tx.Query(ctx, sql, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []row
	for rows.Next() {
		all = append(all, copyRow(rows.RawValues()))
	}
	return all, rows.Err()
}

func listed(prefix string, columns []string) string {
	return prefix + strings.Join(columns, ", "+prefix)
}
