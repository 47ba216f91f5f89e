package workorders

import (
	"context"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/transport"
)

// BreaksRequest is a request for the segments that broke in a period.
type BreaksRequest struct {
	PeriodStart string `json:"period_start" required:"true" format:"date" doc:"First day, in the organization's time zone."`
	PeriodEnd   string `json:"period_end" required:"true" format:"date" doc:"Last day."`
}

// BreaksResponse has the segments that broke.
type BreaksResponse struct {
	Data []Breaks `json:"data"`
}

// Breaks is how often one segment broke.
type Breaks struct {
	ID    string `json:"id"`
	Count int    `json:"count"`
}

// mountBreaks serves the infrastructure service. A break is a corrective or emergency work order on a segment whose problem code is
// break and that was not cancelled. Of one with several segments as its targets, each is broken. It counts on the day the work was requested, in the
// organization's time zone.
func (o orders) mountBreaks() {
	transport.Internal(o.registry.API, "/work-orders/breaks", func(ctx context.Context, in BreaksRequest) (BreaksResponse, error) {
		response := BreaksResponse{Data: []Breaks{}}
		err := o.registry.DB.Batch(ctx, func(batch *pgx.Batch) {
			condition := "t.type IN ('corrective', 'emergency') AND lower(t.problem_code) = 'break' AND t.status <> 'cancelled' AND " + occurred +
				within(occurred)
			batch.Queue("SELECT id::text, count(*) FROM ("+placed("segment_id", "t.id AS work_order", condition, "")+") w GROUP BY 1",
				in.PeriodStart, in.PeriodEnd).Query(func(rows pgx.Rows) (err error) {
				response.Data, err = pgx.AppendRows(response.Data, rows, pgx.RowToStructByPos[Breaks])
				return err
			})
		})
		return response, err
	})
}
