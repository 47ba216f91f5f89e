package write

import (
	"context"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/principal"
	"ams.internal/libs/resource/internal/change"
	"ams.internal/libs/resource/internal/record"
	"ams.internal/libs/resource/internal/table"
)

// eraseWhole deletes records with what is below them: comments of work orders, assessments of assets. Foreign keys delete the rows of
// those; their history and events, which come before the parents', are written here.
func (c *Resource) eraseWhole(ctx context.Context, tx pgx.Tx, changes []*change.Change) error {
	if err := c.recordParts(ctx, tx, idsOf(changes)); err != nil {
		return err
	}
	return c.erase(ctx, tx, changes)
}

// recordParts keeps as history and as events that all records below others are deleted, those furthest below first.
func (c *Resource) recordParts(ctx context.Context, tx pgx.Tx, parents []string) error {
	for _, part := range c.Parts() {
		for last, full := "", true; full; {
			found, err := part.partsBehind(ctx, tx, parents, last)
			if err != nil {
				return err
			}
			if len(found) == 0 {
				break
			}
			ids := idsOf(found)
			if err := part.recordParts(ctx, tx, ids); err != nil {
				return err
			}
			if err := record.Write(ctx, tx, part.Table, "deleted", found, part.Emit); err != nil {
				return err
			}
			last, full = ids[len(ids)-1], len(ids) == table.MaxPerPage
		}
	}
	return nil
}

// partsBehind reads and locks records below others, whose ids come after last: a page of them at most.
func (c *Resource) partsBehind(ctx context.Context, tx pgx.Tx, parents []string, last string) (found []*change.Change, err error) {
	args := []any{principal.From(ctx).OrganizationID, parents, table.MaxPerPage}
	behind := ""
	if last != "" {
		behind, args = " AND t.id > $4", append(args, last)
	}
	rows, err := tx.Query(ctx, "SELECT "+table.Selection(c.Columns)+" FROM "+c.Name+" t WHERE t.organization_id = $1 AND t."+
		c.Schema.Field(c.Parent).Column+
		" = ANY($2::uuid[])"+behind+" ORDER BY t.id LIMIT $3 FOR NO KEY UPDATE OF t", args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		values := table.Copy(rows.RawValues())
		it, err := change.Existing(c.Table, 0, c.Text(values, "id"), values)
		if err != nil {
			return nil, err
		}
		found = append(found, it)
	}
	return found, rows.Err()
}
