package workorders

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"ams.internal/libs/domain/catalogue"
	"ams.internal/libs/effects"
	"ams.internal/libs/resource"
)

// notifyRequests says to the requests that work orders close what became of the work otherwise: that it was cancelled, opened again, or
// completed once more after it had closed them. The first completion is the effect itself. It comes before the effects follow the changes.
func notifyRequests(ctx context.Context, tx pgx.Tx, changes []*resource.Change[WorkOrder]) error {
	became, numbers, ids := map[string]string{}, map[string]*string{}, []string{}
	for _, c := range changes {
		if to := movedTo(c); to != "" {
			became[c.ID()], numbers[c.ID()], ids = to, c.Before.Number, append(ids, c.ID())
		}
	}
	if ids == nil {
		return nil
	}
	rows, err := tx.Query(ctx, `SELECT e.work_order_id::text, e.payload->>'request_id', e.state FROM work_order_effect e
		WHERE e.organization_id = current_organization() AND e.work_order_id = ANY($1::uuid[]) AND e.kind = 'close_request'
			AND e.state IN ('planned', 'pending', 'applied') ORDER BY e.position`, ids)
	if err != nil {
		return err
	}
	var sent []effects.Instruction
	var id, request, state string
	if _, err := pgx.ForEachRow(rows, []any{&id, &request, &state}, func() error {
		if became[id] == "completed" && state != effects.StateApplied {
			return nil // the effect itself says so
		}
		sent = append(sent, effects.Instruction{ID: uuid.Must(uuid.NewV7()).String(), Kind: catalogue.WorkOfRequestMoved,
			Stage: effects.Completed,
			On:    resource.Today(ctx), Payload: map[string]any{"request_id": request, "status": became[id]},
			Cause: effects.Cause{Collection: workOrdersCollection, ID: id, Number: numbers[id]}})
		return nil
	}); err != nil {
		return err
	}
	return effects.Add(ctx, tx, sent)
}

// movedTo is what became of a work order, as its requests understand it: cancelled, open, completed; empty where it is the same for them.
func movedTo(c *resource.Change[WorkOrder]) string {
	if c.Before == nil {
		return ""
	}
	was, is := forRequests(c.Before.Status), "cancelled"
	if c.After != nil {
		is = forRequests(c.After.Status)
	}
	if was == is {
		return ""
	}
	return is
}

func forRequests(status string) string {
	switch status {
	case "cancelled":
		return status
	case "completed", "closed":
		return "completed"
	}
	return "open"
}
