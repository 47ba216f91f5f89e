package facet

import (
	"context"
	"fmt"

	roaring "github.com/RoaringBitmap/roaring/v2/roaring64"
	"github.com/jackc/pgx/v5"

	"ams.internal/libs/principal"
	"ams.internal/libs/resource/internal/table"
)

// Verify compares facets with rows, in one snapshot: for each value that any record or any bitmap has, the same records. The error names
// the first value of which they differ.
func Verify(ctx context.Context, t *table.Table) error {
	return t.DB.Read(ctx, func(ctx context.Context, tx pgx.Tx) error {
		for _, field := range Fields(t) {
			rows, err := recordsByValue(ctx, tx, t, field)
			if err != nil {
				return err
			}
			kept, err := valuesOf(ctx, tx, t, field)
			if err != nil {
				return err
			}
			for _, value := range kept {
				if rows[value] == nil {
					rows[value] = roaring.New()
				}
			}
			for value, want := range rows {
				judge := fmt.Sprintf("t.organization_id = $1 AND coalesce('=' || %s::text, '') = $2", field.SQL)
				found, err := Find(ctx, tx, t, []Condition{{field.Name, "value = ANY($4)", []string{value}}}, judge, []any{value})
				switch {
				case err != nil:
					return err
				case found.Positions != nil && !found.Positions.Equals(want):
					return fmt.Errorf("facet: %s %q of %s is counted %d times, %d records have it", field.Name, value, t.Row.Name,
						found.Positions.GetCardinality(), want.GetCardinality())
				}
			}
		}
		return nil
	})
}

// recordsByValue are the positions of the records by the value of a field, as the rows have them.
func recordsByValue(ctx context.Context, tx pgx.Tx, t *table.Table, field *table.Column) (map[string]*roaring.Bitmap, error) {
	rows, err := tx.Query(ctx, "SELECT t.position, "+field.SQL+"::text FROM "+t.Name+" t WHERE t.organization_id = $1",
		principal.From(ctx).OrganizationID)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	all := map[string]*roaring.Bitmap{}
	for rows.Next() {
		var position uint64
		var text []byte
		if err := rows.Scan(&position, &text); err != nil {
			return nil, err
		}
		value := valueOf(text)
		if all[value] == nil {
			all[value] = roaring.New()
		}
		all[value].Add(position)
	}
	return all, rows.Err()
}

// valuesOf are the values that a field has bitmaps of.
func valuesOf(ctx context.Context, tx pgx.Tx, t *table.Table, field *table.Column) ([]string, error) {
	rows, err := tx.Query(ctx, "SELECT DISTINCT value FROM facet WHERE organization_id = $1 AND collection = $2 AND field = $3",
		principal.From(ctx).OrganizationID, t.Row.Name, field.Name)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}
