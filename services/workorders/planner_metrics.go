package workorders

import (
	"context"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
)

// plannerMetrics are the figures of the planner.
var plannerMetrics = func() (m struct{ polls, plans, workOrders metric.Int64Counter }) {
	meter := otel.Meter("ams.internal/services/workorders")
	for _, each := range []struct {
		counter            *metric.Int64Counter
		name, unit, counts string
	}{
		{&m.polls, "ams.planner.looks", "{look}", "Looks of the planner at what is due."},
		{&m.plans, "ams.planner.plans", "{plan}", "Plans that the planner worked on because something was due."},
		{&m.workOrders, "ams.planner.work_orders", "{work_order}", "Work orders that the planner made."},
	} {
		counter, err := meter.Int64Counter(each.name, metric.WithUnit(each.unit), metric.WithDescription(each.counts))
		if err != nil { // only a malformed name
			panic(err)
		}
		*each.counter = counter
	}
	return m
}()

// recordPlan counts a plan that was worked on.
func recordPlan(ctx context.Context, err error) {
	outcome := "done"
	if err != nil {
		outcome = "put_off"
	}
	plannerMetrics.plans.Add(ctx, 1, metric.WithAttributes(attribute.String("outcome", outcome)))
}
