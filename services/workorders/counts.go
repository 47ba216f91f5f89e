package main

import (
	"context"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/transport"
)

// CountsRequest is a request for the number of open work orders of some records, or of all of a kind.
type CountsRequest struct {
	By  string   `json:"by" required:"true" enum:"site_id,building_id,system_id,asset_id,segment_id" doc:"The reference to count by."`
	IDs []string `json:"ids" maxItems:"5000" doc:"The records that are asked about; all when empty."`
}

// CountsResponse has the records with open work orders. The others have none.
type CountsResponse struct {
	Data []Count `json:"data"`
}

// Count is the open work orders of one record.
type Count struct {
	ID      string `json:"id"`
	Open    int    `json:"open" doc:"Open, in progress or on hold."`
	Overdue int    `json:"overdue" doc:"Those of them whose due date is over."`
}

// mountCounts serves the services that own what work orders refer to, for their summaries.
func (o orders) mountCounts() {
	transport.Internal(o.registry.API, "/work-orders/counts", func(ctx context.Context, in CountsRequest) (CountsResponse, error) {
		response := CountsResponse{Data: []Count{}}
		column := "t." + in.By // one of the enum's
		sql := "SELECT " + column + "::text, count(*), count(*) FILTER (WHERE " + overdue +
			") FROM work_order t WHERE t.organization_id = current_organization() AND " +
			active + " AND " + column + " IS NOT NULL"
		var args []any
		if len(in.IDs) > 0 {
			sql, args = sql+" AND "+column+" = ANY($1::text[]::uuid[])", append(args, in.IDs)
		}
		err := o.registry.DB.Batch(ctx, func(batch *pgx.Batch) {
			batch.Queue(sql+" GROUP BY 1", args...).Query(func(rows pgx.Rows) (err error) {
				response.Data, err = pgx.AppendRows(response.Data, rows, pgx.RowToStructByPos[Count])
				return err
			})
		})
		return response, err
	})
}
