package main

import "ams.internal/libs/domain/indicators"

// What is derived from times and states of a work order, as SQL over the alias t of its table.
const (
	// active says that it is still being worked on, or will be.
	active = "t.status IN ('open', 'in_progress', 'on_hold')"

	// overdue is never NULL. It compares without functions around it, so that the index of open work orders serves it.
	overdue = "(t.due_date IS NOT NULL AND t.due_date < " + indicators.Today + " AND " + active + ")"

	// responded is when somebody first turned to it.
	responded = "coalesce(t.started_at, t.completed_at)"

	// occurred is when the work was asked for, as far as is known: what was loaded from another system began there.
	occurred = "least(t.created_at, t.started_at, t.completed_at)"
)

// hoursSinceCreation is how long after its creation something happened, to two decimals. What happened before, to work
// orders loaded from another system, says nothing about how fast anybody was.
func hoursSinceCreation(at string) string {
	return "CASE WHEN " + at + " >= t.created_at THEN round(extract(epoch FROM " + at + " - t.created_at) / 3600, 2) END"
}
