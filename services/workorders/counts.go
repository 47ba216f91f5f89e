package workorders

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	contract "ams.internal/libs/domain/contracts/workorders"
	"ams.internal/libs/transport"
)

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
	transport.Internal(o.registry.API, contract.Counts, func(ctx context.Context, in contract.CountsRequest) (contract.CountsResponse, error) {
		response := contract.CountsResponse{Data: []contract.Count{}}
		limit, args := "", []any{}
		if len(in.IDs) > 0 {
			limit, args = " AND %s = ANY($1::text[]::uuid[])", append(args, in.IDs)
		}
		sql := "SELECT id::text, count(*), count(*) FILTER (WHERE overdue) FROM (" + placed(in.By, overdue+" AS overdue", active, limit) + ") w"
		err := o.registry.DB.Batch(ctx, func(batch *pgx.Batch) {
			batch.Queue(sql+" GROUP BY 1", args...).Query(func(rows pgx.Rows) (err error) {
				response.Data, err = pgx.AppendRows(response.Data, rows, pgx.RowToStructByPos[contract.Count])
				return err
			})
		})
		return response, err
	})
}
