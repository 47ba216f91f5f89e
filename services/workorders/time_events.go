package workorders

import (
	"context"

	"ams.internal/libs/principal"
	"ams.internal/libs/timeevents"
)

// watch announces work orders that become overdue: on the day after their due date, where the organization is.
func (o orders) watch(organizations func(ctx context.Context) ([]principal.Principal, error)) timeevents.Watch {
	return timeevents.Watch{DB: o.registry.DB, Log: o.registry.Log, Registry: o.registry, Organizations: organizations,
		Types: []timeevents.Type{
			{Event: "work_order.overdue", Collection: "work_orders", Table: "work_order", Day: "t.due_date", From: "(t.due_date + 1)",
				When: overdue},
		}}
}
