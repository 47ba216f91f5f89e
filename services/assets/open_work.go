package main

import (
	"context"
	"time"
)

// OpenWork is how much work is open on a place. The workorders service knows it; while that is away, it is unknown, and
// the rest of a summary is not.
type OpenWork struct {
	OpenWorkOrders    *int `json:"open_work_orders" doc:"Work orders there that are open, in progress or on hold; null while that cannot be found out."`
	OverdueWorkOrders *int `json:"overdue_work_orders" doc:"Those of them whose due date is over; null while that cannot be found out."`
}

// patience is how long a summary waits for what it can do without.
const patience = 2 * time.Second

// openWork asks about one place, which work orders refer to by the field by.
func (f family) openWork(ctx context.Context, by, id string) OpenWork {
	asking, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	question := struct {
		By  string   `json:"by"`
		IDs []string `json:"ids"`
	}{by, []string{id}}
	var answer struct {
		Data []struct{ Open, Overdue int }
	}
	if err := f.registry.References.Post(asking, "workorders", "/internal/work-orders/counts", question, &answer); err != nil {
		f.registry.API.Log.WarnContext(ctx, "open work orders are not known", "by", by, "id", id, "error", err)
		return OpenWork{}
	}
	var open, overdue int // places without open work orders are not in the answer
	for _, count := range answer.Data {
		open, overdue = open+count.Open, overdue+count.Overdue
	}
	return OpenWork{&open, &overdue}
}
