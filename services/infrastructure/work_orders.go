package infrastructure

import (
	"context"
	"errors"

	"ams.internal/libs/domain/contracts/workorders"
	"ams.internal/libs/fault"
)

// Work orders on segments come from the workorders service. Neither service stores a copy of the other's records.

// activeOrders are the work orders that are open, by segment.
type activeOrders struct {
	ids           []string
	open, overdue []int
}

// activeWorkOrders gives the open work orders of all segments. Segments without any are left out, so the response is small. It gives
// nil while the workorders service is unavailable, because a summary is served without the counts.
func (f family) activeWorkOrders(ctx context.Context) (*activeOrders, error) {
	response, err := workorders.Counts.Call(ctx, f.registry.References, workorders.CountsRequest{By: "segment_id", IDs: []string{}})
	if unavailable := (*fault.Error)(nil); errors.As(err, &unavailable) && unavailable.Kind == fault.KindUnavailable {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	orders := &activeOrders{}
	for _, entry := range response.Data {
		orders.ids, orders.open, orders.overdue = append(orders.ids, entry.ID), append(orders.open, entry.Open),
			append(orders.overdue, entry.Overdue)
	}
	return orders, nil
}

// breaks are the breaks of a period, by segment.
type breaks struct {
	ids    []string
	counts []int
}

// breaksIn gives the breaks that were reported in a period. A rate of breaks cannot be computed without them, so it is an error when
// the workorders service is unavailable.
func (f family) breaksIn(ctx context.Context, periodStart, periodEnd string) (breaks, error) {
	var found breaks
	period := workorders.BreaksRequest{PeriodStart: periodStart, PeriodEnd: periodEnd}
	response, err := workorders.SegmentBreaks.Call(ctx, f.registry.References, period)
	for _, entry := range response.Data {
		found.ids, found.counts = append(found.ids, entry.ID), append(found.counts, entry.Count)
	}
	return found, err
}
