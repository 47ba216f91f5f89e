package assets

import (
	"context"
	"time"

	"ams.internal/libs/domain/contracts/workorders"
)

// WorkOrderCounts is how many work orders of a record are open. They come from the workorders service. While that is unavailable
// they are null, and the rest of a summary is served.
type WorkOrderCounts struct {
	OpenWorkOrders    *int `json:"open_work_orders" doc:"Work orders there that are open, in progress or on hold; null while that cannot be found out."`
	OverdueWorkOrders *int `json:"overdue_work_orders" doc:"Those of them whose due date is over; null while that cannot be found out."`
}

// workOrdersTimeout is how long a summary waits for the counts, which it can do without.
const workOrdersTimeout = 2 * time.Second

// countWorkOrders counts the open work orders that refer to id by the field by.
func (f family) countWorkOrders(ctx context.Context, by, id string) WorkOrderCounts {
	limited, cancel := context.WithTimeout(ctx, workOrdersTimeout)
	defer cancel()
	response, err := workorders.Counts.Call(limited, f.registry.References, workorders.CountsRequest{By: by, IDs: []string{id}})
	if err != nil {
		f.registry.API.Log.WarnContext(ctx, "open work orders are not known", "by", by, "id", id, "error", err)
		return WorkOrderCounts{}
	}
	var open, overdue int // the response leaves out records without open work orders
	for _, count := range response.Data {
		open, overdue = open+count.Open, overdue+count.Overdue
	}
	return WorkOrderCounts{&open, &overdue}
}
