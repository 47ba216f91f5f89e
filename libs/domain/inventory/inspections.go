package inventory

import (
	"context"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/postgres"
)

// InspectionsQuery asks for the ratings of a time.
type InspectionsQuery struct {
	From string `json:"from" required:"true" format:"date"`
	To   string `json:"to" required:"true" format:"date"`
}

// Inspections are ratings by somebody who looked, by record and day. What was rated by its age alone, or from a desk, says nothing about
// how records deteriorate, and is not among them.
type Inspections struct {
	Data []Inspection `json:"data"`
}

// Inspection is one of them.
type Inspection struct {
	ID     string `json:"id"` // of the record
	On     string `json:"on"`
	Rating int    `json:"rating"`
}

// ReadInspections gives what a statement does: record, day and rating; $1 and $2 are the first and the last day.
func ReadInspections(ctx context.Context, db *postgres.DB, sql string, in InspectionsQuery) (found Inspections, err error) {
	err = db.Snapshot(ctx, func(batch *pgx.Batch) {
		batch.Queue(sql, in.From, in.To).Query(func(rows pgx.Rows) error {
			found.Data, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (i Inspection, err error) {
				return i, row.Scan(&i.ID, &i.On, &i.Rating)
			})
			return err
		})
	})
	return found, err
}
