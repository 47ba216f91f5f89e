package requests

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/resource"
)

// prepareRequests is BeforeWrite of requests: it checks and completes what the declaration cannot say.
func prepareRequests(ctx context.Context, tx pgx.Tx, changes []*resource.Change[Request]) error {
	if len(changes) == 0 {
		return nil
	}
	if changes[0].After == nil {
		rejectDeletes(changes)
		return nil
	}
	for _, c := range changes {
		checkSource(ctx, c)
		if (c.After.Latitude == nil) != (c.After.Longitude == nil) {
			c.FieldError("longitude", "and latitude belong together; send both, or neither")
		}
		c.After.checkReasons(c)
		c.After.checkAcceptance(ctx, c)
		c.After.checkWork(c)
	}
	if err := checkServices(ctx, tx, changes); err != nil {
		return err
	}
	originals, err := originalsOf(ctx, tx, changes)
	if err != nil {
		return err
	}
	now, err := databaseTime(ctx, tx, changes)
	if err != nil {
		return err
	}
	for _, c := range changes {
		c.After.setEnd(c.Before, now, originals)
	}
	return checkDuplicates(ctx, tx, changes, originals)
}

func rejectDeletes(changes []*resource.Change[Request]) {
	for _, c := range changes {
		if status := c.Before.Status; status == accepted || status == closed {
			c.Reject(fault.Conflict("delete_not_allowed", "status", status,
				"The request is %s: what was accepted stays on record. Requests that were never accepted can be deleted.", status))
		}
	}
}

// checkSource keeps the public door's marks for the public door.
func checkSource(ctx context.Context, c *resource.Change[Request]) {
	if door := doorFrom(ctx); door != nil {
		if c.Before == nil {
			c.After.Source, c.After.LinkID = door.source, door.link
		}
		return
	}
	if given := c.After.Source; (given == fromLink || given == fromOpen311) && (c.Before == nil || c.Before.Source != given) {
		c.FieldError("source", "is set by the public door alone; send staff or import")
	}
}

// checkReasons requires what a state needs, and clears what belongs to a state that was left.
func (r *Request) checkReasons(c *resource.Change[Request]) {
	for _, needed := range []struct {
		field, state string
		of           func(*Request) **string
	}{
		{"reason", rejected, func(r *Request) **string { return &r.Reason }},
		{"duplicate_of_id", duplicate, func(r *Request) **string { return &r.DuplicateOfID }},
	} {
		value := needed.of(r)
		switch {
		case r.Status == needed.state && *value == nil:
			c.FieldError(needed.field, "is required when status is %s", needed.state)
		case r.Status == needed.state || *value == nil:
		case c.Before != nil && resource.Same(*needed.of(c.Before), *value):
			*value = nil
		default:
			c.FieldError(needed.field, "is for requests that are %s; leave it out, or set status to %s", needed.state, needed.state)
		}
	}
}

// checkWork keeps accepting and the work that is done for a request together. A request that is recorded as accepted needs none: it may
// come from another system.
func (r *Request) checkWork(c *resource.Change[Request]) {
	if c.Before != nil && c.Before.Status == accepted && (r.Status == submitted || r.Status == rejected) {
		r.leaveWork(c)
	} else if r.Status == accepted || r.Status == closed {
		r.CancelledWorkOrderID = nil
	}
	named := r.WorkOrderID != nil || r.DeficiencyID != nil || r.InfrastructureDeficiencyID != nil
	switch {
	case c.Before != nil && c.Before.Status == submitted && r.Status == accepted && !named && r.WorkOrderState != workPending:
		c.FieldError("status", "becomes accepted with what is done: POST …/accept makes the work order; or send work_order_id with the move")
	case named && r.Status != accepted && r.Status != closed:
		for field, id := range map[string]*string{"work_order_id": r.WorkOrderID, "deficiency_id": r.DeficiencyID,
			"infrastructure_deficiency_id": r.InfrastructureDeficiencyID} {
			if id != nil {
				c.FieldError(field, "is for requests that are accepted or closed; set status to accepted, or leave it out")
			}
		}
	}
	switch {
	case r.WorkOrderState == workPending: // until its owner has said so
	case r.WorkOrderID != nil && (r.WorkOrderState != workCancelled || c.Before == nil || !resource.Same(c.Before.WorkOrderID, r.WorkOrderID)):
		r.WorkOrderState = workLinked
	case r.WorkOrderState == workCancelled && r.WorkOrderID == nil && r.Status == accepted:
		r.WorkOrderState = noWork
	case r.WorkOrderState == workLinked && !named:
		r.WorkOrderState = noWork
	}
}

// leaveWork lets go of work that was cancelled. Who asked was told that it is worked on, and is told what became of it: a note of then says
// nothing true any more.
func (r *Request) leaveWork(c *resource.Change[Request]) {
	was := c.Before
	if was.WorkOrderState == workCancelled {
		r.CancelledWorkOrderID = was.WorkOrderID
	}
	for _, link := range []struct{ before, after **string }{{&was.WorkOrderID, &r.WorkOrderID}, {&was.DeficiencyID, &r.DeficiencyID},
		{&was.InfrastructureDeficiencyID, &r.InfrastructureDeficiencyID}} {
		if resource.Same(*link.before, *link.after) {
			*link.after = nil
		}
	}
	r.WorkOrderState, r.WorkOrderMessage = noWork, nil
	if !resource.Same(was.PublicNote, r.PublicNote) && r.PublicNote != nil {
		return
	}
	if r.Status == rejected {
		c.FieldError("public_note", "is required when a request is rejected that was accepted: the sentence by which who asked learns why, "+
			"other than the one before")
	}
	r.PublicNote = nil
}

// setEnd stamps when a request ended: now, or of a duplicate when its original did.
func (r *Request) setEnd(before *Request, now *string, originals map[string]original) {
	switch r.Status {
	case submitted, accepted:
		r.EndedAt = nil
	case duplicate:
		if r.DuplicateOfID != nil {
			r.EndedAt = originals[*r.DuplicateOfID].endedAt
		}
	default:
		if before == nil || before.Status != r.Status {
			r.EndedAt = now
		}
	}
}

// databaseTime is the time of an end: the database's clock, which created_at comes from. It is read only when something ends.
func databaseTime(ctx context.Context, tx pgx.Tx, changes []*resource.Change[Request]) (*string, error) {
	for _, c := range changes {
		if ends(c.After.Status) && (c.Before == nil || c.Before.Status != c.After.Status) {
			var at time.Time
			err := tx.QueryRow(ctx, "SELECT clock_timestamp()").Scan(&at)
			now := at.UTC().Truncate(time.Microsecond).Format(time.RFC3339Nano)
			return &now, err
		}
	}
	return nil, nil
}

func ends(status string) bool { return status == rejected || status == withdrawn || status == closed }
