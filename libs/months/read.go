package months

import (
	"context"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/postgres"
)

// Point is a figure of one month.
type Point struct {
	MonthEnd string   `json:"month_end" format:"date" doc:"Last day of the month."`
	Value    *float64 `json:"value" doc:"Null where there was nothing to compute it from."`
	Frozen   bool     `json:"frozen" doc:"Whether it was kept when the month was over. False of the months before the first one that was: they were derived later, from what was known then."`
}

// Query asks for a figure of a subject. Figure is an SQL expression over a row m of figures_month, in which $5 is Place.
type Query struct {
	Figure, Subject, SubjectOf string
	Place                      int
	From, To                   *string // days: months that end on or after, on or before
}

// Read gives the months that there are, oldest first.
func Read(ctx context.Context, db *postgres.DB, q Query) ([]Point, error) {
	points := []Point{}
	err := db.Snapshot(ctx, func(batch *pgx.Batch) {
		batch.Queue("SELECT m.month_end::text, "+q.Figure+"::float8, m.frozen FROM figures_month m "+
			"WHERE m.organization_id = current_organization() AND m.subject = $1 AND m.subject_of = $2 AND $5::int IS NOT NULL "+
			"AND m.month_end BETWEEN coalesce($3::date, '-infinity') AND coalesce($4::date, 'infinity') ORDER BY m.month_end",
			q.Subject, q.SubjectOf, q.From, q.To, q.Place).Query(func(rows pgx.Rows) (err error) {
			points, err = pgx.AppendRows(points, rows, pgx.RowToStructByPos[Point])
			return err
		})
	})
	return points, err
}
