package index

import (
	"context"
	"fmt"
	"math"

	roaring "github.com/RoaringBitmap/roaring/v2/roaring64"
	"github.com/jackc/pgx/v5"

	"ams.internal/libs/principal"
	"ams.internal/libs/resource/internal/table"
)

// Verify compares facets and terms with rows, in one snapshot: for each value or term that any record or any bitmap has, the same
// records. The error names the first of which they differ. It needs memory for the terms of all records.
func Verify(ctx context.Context, t *table.Table) error {
	return t.DB.Read(ctx, func(ctx context.Context, tx pgx.Tx) error {
		if err := verifyTerms(ctx, tx, t); err != nil {
			return err
		}
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
				found, err := Find(ctx, tx, t, Query{Facets: []Condition{{field.Name, "value = ANY($4)", []string{value}}},
					SQL: judge, Args: []any{value}, Most: math.MaxInt})
				switch {
				case err != nil:
					return err
				case found.Positions != nil && !found.Positions.Equals(want):
					return fmt.Errorf("index: %s %q of %s is counted %d times, %d records have it", field.Name, value, t.Row.Name,
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

// verifyTerms compares what is found with the terms of all rows.
func verifyTerms(ctx context.Context, tx pgx.Tx, t *table.Table) error {
	reader := newReader(t)
	if len(reader.columns) == 0 {
		return nil
	}
	l, _, err := newLookup(ctx, tx, t, math.MaxInt, nil)
	if err != nil {
		return err
	}
	want := map[string]*roaring.Bitmap{}
	rows, err := tx.Query(ctx, "SELECT t.position"+reader.selection()+" FROM "+t.Name+" t WHERE t.organization_id = $1", l.organization)
	if err != nil {
		return err
	}
	for rows.Next() {
		position, values, err := positionOf(rows)
		if err != nil {
			return err
		}
		add := func(term string) {
			if want[term] == nil {
				want[term] = roaring.New()
			}
			want[term].Add(position)
		}
		for _, term := range reader.terms(values) {
			add(term)
			shortTerms(term, add)
		}
	}
	if err := rows.Err(); err != nil {
		return err
	}
	have, err := l.everyTerm(ctx)
	if err != nil {
		return err
	}
	for term := range have {
		if want[term] == nil {
			want[term] = roaring.New()
		}
	}
	for term, records := range want {
		found := have[term]
		if found == nil {
			found = roaring.New()
		}
		if !found.Equals(records) {
			return fmt.Errorf("index: %q of %s is found in %d records, %d have it", term, t.Row.Name, found.GetCardinality(), records.GetCardinality())
		}
	}
	return nil
}

// everyTerm gives the records of each term that any has.
func (l *lookup) everyTerm(ctx context.Context) (map[string]*roaring.Bitmap, error) {
	all := map[string]*roaring.Bitmap{}
	add := func(term string, positions *roaring.Bitmap) {
		if positions.IsEmpty() {
			return
		}
		if all[term] == nil {
			all[term] = roaring.New()
		}
		all[term].Or(positions)
	}
	for number, live := range l.runs {
		for s := (&source{of: &termFold{organization: l.organization, table: l.table}, run: &run{number, live}, more: true}); ; {
			next, err := s.next(ctx, l.tx)
			if err != nil {
				return nil, err
			}
			if next == nil {
				break
			}
			positions := next.many
			if positions == nil {
				positions = roaring.BitmapOf(next.positions...)
			}
			positions.AndNot(l.unfolded)
			add(next.term, positions)
			s.postings = s.postings[1:]
		}
	}
	for _, r := range l.pending {
		of := func(term string) { add(term, roaring.BitmapOf(r.position)) }
		for _, term := range r.terms {
			of(term)
			shortTerms(term, of)
		}
	}
	return all, nil
}
