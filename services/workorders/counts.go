package workorders

import (
	"context"
	"fmt"

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

// placed selects work orders by one of their place fields: a row for each work order and each record that it names there, itself or by its
// targets. columns are further expressions over alias t, condition is over it as well, and limit, where given, one about the place in which
// %s is the column. by is one of the field's names, never what a caller wrote.
func placed(by, columns, condition, limit string) string {
	where := func(alias string) string {
		if limit == "" {
			return ""
		}
		return fmt.Sprintf(limit, alias+"."+by)
	}
	return "SELECT t." + by + " AS id, " + columns + " FROM work_order t WHERE t.organization_id = current_organization() AND " + condition +
		" AND t." + by + " IS NOT NULL" + where("t") +
		" UNION ALL SELECT e." + by + ", " + columns + " FROM (SELECT DISTINCT e.work_order_id, e." + by + " FROM work_order_target e " +
		"WHERE e.organization_id = current_organization() AND e." + by + " IS NOT NULL" + where("e") + ") e " +
		"JOIN work_order t ON t.organization_id = current_organization() AND t.id = e.work_order_id AND t." + by + " IS DISTINCT FROM e." + by +
		" WHERE " + condition
}

// mountCounts serves the services that own what work orders refer to, for their summaries.
func (o orders) mountCounts() {
	transport.Internal(o.registry.API, "/work-orders/counts", func(ctx context.Context, in CountsRequest) (CountsResponse, error) {
		response := CountsResponse{Data: []Count{}}
		limit, args := "", []any{}
		if len(in.IDs) > 0 {
			limit, args = " AND %s = ANY($1::text[]::uuid[])", append(args, in.IDs)
		}
		sql := "SELECT id::text, count(*), count(*) FILTER (WHERE overdue) FROM (" + placed(in.By, overdue+" AS overdue", active, limit) + ") w"
		err := o.registry.DB.Batch(ctx, func(batch *pgx.Batch) {
			batch.Queue(sql+" GROUP BY 1", args...).Query(func(rows pgx.Rows) (err error) {
				response.Data, err = pgx.AppendRows(response.Data, rows, pgx.RowToStructByPos[Count])
				return err
			})
		})
		return response, err
	})
}
