package workorders

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/domain/indicators"
)

// These are computed from times and states of a work order, as SQL over the alias t of its table.
const (
	// active is whether the work order is being worked on, or will be.
	active = "t.status IN ('open', 'in_progress', 'on_hold')"

	// overdue is never NULL. It compares without functions around the columns, so that the index of open work orders is used.
	overdue = "(t.due_date IS NOT NULL AND t.due_date < " + indicators.Today + " AND " + active + ")"

	// responded is when work on it first began.
	responded = "coalesce(t.started_at, t.completed_at)"

	// requested is when the work was asked for: work of another system says it, else it is the creation.
	requested = "coalesce(t.requested_at, t.created_at)"

	// occurred is when the work was requested, as far as is known. Work that was loaded from another system began before created_at.
	occurred = "least(t.created_at, t.requested_at, t.started_at, t.completed_at)"
)

// hoursSinceRequest is how long after its request something happened, to two decimals. It is NULL for times before that: those of work
// orders that were loaded from another system without it do not measure how fast anybody was.
func hoursSinceRequest(at string) string {
	return "CASE WHEN " + at + " >= " + requested + " THEN round(extract(epoch FROM " + at + " - " + requested + ") / 3600, 2) END"
}

// databaseNow is the database's time, which created_at comes from.
func databaseNow(ctx context.Context, tx pgx.Tx) (now time.Time, err error) {
	err = tx.QueryRow(ctx, "SELECT clock_timestamp()").Scan(&now)
	return now, err
}

// parseTime parses a time that the declaration has checked.
func parseTime(text *string) time.Time {
	at, _ := time.Parse(time.RFC3339Nano, *text)
	return at
}

// timeOf is a time as records have it: in UTC, to the microsecond.
func timeOf(at time.Time) *string {
	text := at.UTC().Truncate(time.Microsecond).Format(time.RFC3339Nano)
	return &text
}
