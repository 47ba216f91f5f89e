package write

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/resource/internal/change"
	"ams.internal/libs/resource/internal/record"
	"ams.internal/libs/resource/internal/table"
)

// Insert makes records on behalf of a rule or a plain operation: with numbers, position, history and events like any other new
// record, but without BeforeWrite and AfterWrite. The records are completed with what was written.
func (c *Resource) Insert(ctx context.Context, tx pgx.Tx, records []any) error {
	for start := 0; start < len(records); start += table.MaxPerPage {
		var batch []*change.Change
		for _, made := range records[start:min(start+table.MaxPerPage, len(records))] {
			it := change.Of(c.Table, made)
			it.ID = newID()
			c.number(it)
			batch = append(batch, it)
		}
		if err := c.insert(ctx, tx, batch); err != nil {
			return fmt.Errorf("insert %s: %w", c.Row.Name, err)
		}
		for _, it := range batch {
			if err := it.Fill(func(*table.Column, int) bool { return true }); err != nil {
				return err
			}
		}
		if err := record.Write(ctx, tx, c.Table, "created", batch, c.Emit); err != nil {
			return err
		}
	}
	return nil
}
