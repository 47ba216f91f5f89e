package resource

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/principal"
)

// rewriteBatch is how many records are rewritten by one statement, so that memory is bounded however many there are.
const rewriteBatch = 1000

// Rewrite changes columns of other records because of a change that is being written: what moves with a building,
// what an assessment says about its asset. It is a change like any other: each record that differs gets a new version,
// history and an event, in the same transaction; records that have the values already are left alone.
//
// source is a SELECT that gives id and, under their names, the new values of columns, once per record; in it $1 is
// the organization and $2, $3 … are args. Rewritten records do not go through Prepare and Applied.
func (registry *Registry) Rewrite(ctx context.Context, tx pgx.Tx, collection string, columns []string, source string, args ...any) error {
	t := registry.tables[collection]
	if t == nil {
		return fmt.Errorf("rewrite %s: it is not a collection of this service", collection)
	}
	p := principal.From(ctx)
	actor, err := json.Marshal(p.Actor)
	if err != nil {
		return err
	}
	args = append([]any{p.OrganizationID}, args...)
	n := len(args)
	with := "WITH source AS MATERIALIZED (" + source + ") "
	choose := fmt.Sprintf(with+`SELECT %s FROM %s t JOIN source s ON s.id = t.id
		WHERE t.organization_id = $1 AND t.id > $%d::uuid AND (%s) IS DISTINCT FROM (%s) ORDER BY t.id LIMIT %d FOR UPDATE OF t`,
		selection(t.columns), t.name, n+1, listed("t.", columns), listed("s.", columns), rewriteBatch)
	update := fmt.Sprintf(with+`, written AS (UPDATE %s AS t SET version = t.version + 1, updated_at = clock_timestamp(), updated_by = $%d::jsonb, (%s) = ROW(%s)
		FROM source s WHERE t.organization_id = $1 AND t.id = s.id AND t.id = ANY($%d::uuid[]) RETURNING t.*)
		SELECT %s FROM written t ORDER BY t.id`,
		t.name, n+1, listed("", columns), listed("s.", columns), n+2, selection(t.columns))

	last := "00000000-0000-0000-0000-000000000000"
	for {
		before, err := readRows(ctx, tx, choose, append(args[:n:n], last)...)
		if err != nil || len(before) == 0 {
			return t.explain(err)
		}
		ids := make([]string, len(before))
		for i, values := range before {
			ids[i] = t.text(values, "id")
		}
		after, err := readRows(ctx, tx, update, append(args[:n:n], actor, ids)...)
		if err != nil {
			return t.explain(err)
		}
		if len(after) != len(before) {
			return fmt.Errorf("rewrite %s: %d records written, %d expected", collection, len(after), len(before))
		}
		changes := make([]RecordedChange, len(ids))
		for i, id := range ids {
			changes[i] = RecordedChange{id, before[i], after[i]}
		}
		if err := t.record(ctx, tx, "updated", changes); err != nil {
			return err
		}
		last = ids[len(ids)-1]
	}
}

func readRows(ctx context.Context, tx pgx.Tx, sql string, args ...any) ([]row, error) {
	rows, err := tx.Query(ctx, sql, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []row
	for rows.Next() {
		all = append(all, copyRow(rows))
	}
	return all, rows.Err()
}

func listed(prefix string, columns []string) string {
	return prefix + strings.Join(columns, ", "+prefix)
}
