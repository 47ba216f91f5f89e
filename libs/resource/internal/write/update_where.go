package write

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/principal"
	"ams.internal/libs/resource/internal/change"
	"ams.internal/libs/resource/internal/record"
	"ams.internal/libs/resource/internal/table"
)

// updateBatch is how many records UpdateWhere holds at once, before and after: of the largest that there are, some 200 MB.
const updateBatch = 200

// UpdateWhere changes columns of other records because of a change that is being written: what moves with a building,
// what an assessment says about its asset. It is a change like any other: each record that differs gets a new version,
// history and an event, in the same transaction; records that have the values already are left alone.
//
// source is a SELECT that gives id and, under their names, the new values of columns, once per record; in it $1 is
// the organization and $2, $3 … are args. It is asked again when the records are locked: one that somebody else changed
// meanwhile, so that source gives it no more, is left alone. They do not go through BeforeWrite and AfterWrite.
func (c *Resource) UpdateWhere(ctx context.Context, tx pgx.Tx, columns []string, source string, args ...any) error {
	t := c.Table
	for _, name := range columns {
		if column := t.Column(name); column == nil || !column.Stored {
			return fmt.Errorf("update %s: there is no column %q of its own to be set", t.Row.Name, name)
		}
	}
	p := principal.From(ctx)
	actor, err := json.Marshal(p.Actor)
	if err != nil {
		return err
	}
	args = append([]any{p.OrganizationID}, args...)
	n := len(args)
	differ := fmt.Sprintf("(%s) IS DISTINCT FROM (%s)", listed("t.", columns), listed("s.", columns))
	differing := fmt.Sprintf(`SELECT t.id::text FROM %s t JOIN (%s) s ON s.id = t.id
		WHERE t.organization_id = $1 AND %s ORDER BY t.id FOR NO KEY UPDATE OF t`, t.Name, source, differ)
	held := "SELECT " + table.Selection(t.Columns) + " FROM " + t.Name +
		" t WHERE t.organization_id = $1 AND t.id = ANY($2::uuid[]) ORDER BY t.id"
	update := fmt.Sprintf(`WITH written AS (UPDATE %s AS t SET version = t.version + 1,
			updated_at = statement_timestamp(), updated_by = $%d::jsonb, (%s) = ROW(%s)
		FROM (%s) s WHERE t.organization_id = $1 AND t.id = s.id AND t.id = ANY($%d::uuid[]) AND %s RETURNING t.*)
		SELECT %s FROM written t ORDER BY t.id`,
		t.Name, n+1, listed("", columns), listed("s.", columns), source, n+2, differ, table.Selection(t.Columns))

	rows, err := tx.Query(ctx, differing, args...)
	if err != nil {
		return t.Explain(err)
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return t.Explain(err)
	}
	for some := range slices.Chunk(ids, updateBatch) {
		before, err := table.ReadRows(ctx, tx, held, p.OrganizationID, some)
		if err != nil {
			return t.Explain(err)
		}
		after, err := table.ReadRows(ctx, tx, update, append(args[:n:n], actor, some)...)
		if err != nil {
			return t.Explain(err)
		}
		if len(before) != len(some) {
			return fmt.Errorf("update %s: %d of %d locked records read", t.Row.Name, len(before), len(some))
		}
		var changes []*change.Change
		for i, id := range some {
			if len(after) == 0 || t.Text(after[0], "id") != id {
				continue // left alone
			}
			it, err := c.rewritten(id, before[i], after[0])
			if err != nil {
				return err
			}
			changes, after = append(changes, it), after[1:]
		}
		if err := record.Write(ctx, tx, t, "updated", changes, c.Emit); err != nil {
			return err
		}
	}
	return nil
}

func listed(prefix string, columns []string) string {
	return prefix + strings.Join(columns, ", "+prefix)
}

// rewritten is the change of a record that UpdateWhere wrote. Only those who may have events of it read the rows.
func (c *Resource) rewritten(id string, before, after table.Values) (*change.Change, error) {
	if c.Emit == nil {
		return &change.Change{ID: id, Former: before, Written: after}, nil
	}
	it, err := change.Existing(c.Table, 0, id, before)
	if err != nil {
		return nil, err
	}
	it.Copy()
	it.Written = after
	return it, it.Fill(func(_ *table.Column, i int) bool { return string(before[i]) != string(after[i]) })
}
