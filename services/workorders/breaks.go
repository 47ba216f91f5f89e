package workorders

import (
	"context"

	"github.com/jackc/pgx/v5"

	contract "ams.internal/libs/domain/contracts/workorders"
	"ams.internal/libs/transport"
)

// mountBreaks serves the infrastructure service.
func (o orders) mountBreaks() {
	transport.Internal(o.registry.API, contract.SegmentBreaks,
		func(ctx context.Context, in contract.BreaksRequest) (contract.BreaksResponse, error) {
			response := contract.BreaksResponse{Data: []contract.Breaks{}}
			err := o.registry.DB.Batch(ctx, func(batch *pgx.Batch) {
				condition := "t.type IN ('corrective', 'emergency') AND lower(t.problem_code) = 'break' AND t.status <> 'cancelled' AND " + occurred +
					within(occurred)
				batch.Queue("SELECT id::text, count(*) FROM ("+placed("segment_id", "t.id AS work_order", condition, "")+") w GROUP BY 1",
					in.PeriodStart, in.PeriodEnd).Query(func(rows pgx.Rows) (err error) {
					response.Data, err = pgx.AppendRows(response.Data, rows, pgx.RowToStructByPos[contract.Breaks])
					return err
				})
			})
			return response, err
		})
}
