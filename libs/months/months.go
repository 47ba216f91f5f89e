// Package months stores the figures of each month's end: once, six days later, when late entries are in, and never changed after. A
// figure that is computed again for a past day may change when somebody corrects a record; what a council was shown must not.
//
// A service that keeps months has a table figures_month with the columns organization_id, month_end, subject and frozen. A month is there
// when it has its row of the subject 'organization'.
package months

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/leader"
	"ams.internal/libs/postgres"
	"ams.internal/libs/principal"
	"ams.internal/libs/work"
)

const (
	// wait is how many days after its end a month is kept.
	wait = 6
	// before is how many months are made once, of the time before an organization's first kept month.
	before = 24
	// interval is the time between two rounds.
	interval = time.Hour
	// start is how long a process that was started has other things to do.
	start = time.Minute
	// rest is how many times as long as a month took its writer rests before the next one, so that callers have the processors.
	rest = 3
)

// Keeper writes the months that are missing. Any number of processes may do so at the same time: a lock per organization, and the table's
// key, let one of them write. The lock is held from before what is needed from others is collected until the month is there, by a
// connection of its own, because no transaction waits for others.
type Keeper struct {
	DB  *postgres.DB
	Log *slog.Logger

	// Organizations gives all organizations, each as the principal on whose behalf its months are written.
	Organizations func(ctx context.Context) ([]principal.Principal, error)

	// Prepare collects what is needed from others, before the transaction. It may be nil.
	Prepare func(ctx context.Context, month Month) (any, error)

	// Write writes all rows of a month in the transaction of tx. prepared is what Prepare gave.
	Write func(ctx context.Context, tx pgx.Tx, month Month, prepared any) error
}

// Month is one that is to be written.
type Month struct {
	End    string // its last day
	Frozen bool   // false of the months before the first one: they are made of what is known now
}

// Run writes what is missing, again and again until ctx ends, while this instance leads.
func (k Keeper) Run(ctx context.Context) { k.sweep(new(int)).Run(ctx) }

// WriteMissing writes every month that is missing, oldest first, of all organizations, and says how many it wrote.
func (k Keeper) WriteMissing(ctx context.Context) (written int, err error) {
	err = k.sweep(&written).Once(ctx)
	return written, err
}

func (k Keeper) sweep(written *int) work.Sweep {
	return work.Sweep{Name: "months", DB: k.DB, Log: k.Log, Organizations: k.Organizations, Start: start, Interval: interval,
		Do: func(ctx context.Context) error {
			n, err := k.writeMissingOf(ctx)
			*written += n
			return err
		}}
}

func (k Keeper) writeMissingOf(ctx context.Context) (written int, err error) {
	due := Due(principal.From(ctx).Calendar().Today())
	var first, last string
	if err := k.DB.Read(ctx, func(ctx context.Context, tx pgx.Tx) error {
		first, last, err = firstAndLast(ctx, tx)
		return err
	}); err != nil {
		return 0, err
	}
	for _, month := range Missing(first, last, due) {
		begin := time.Now()
		wrote, err := k.write(ctx, month)
		if err != nil {
			return written, fmt.Errorf("month to %s: %w", month.End, err)
		}
		if !wrote {
			return written, nil // another process is at it
		}
		written++
		select {
		case <-ctx.Done():
		case <-time.After(rest * time.Since(begin)):
		}
	}
	return written, nil
}

// write writes one month, unless it is there, or another process writes months of the organization.
func (k Keeper) write(ctx context.Context, month Month) (wrote bool, err error) {
	lock, err := k.DB.Connect(ctx)
	if err != nil {
		return false, err
	}
	defer postgres.Disconnect(lock)
	mine, err := leader.Try(ctx, lock, lockOf(ctx))
	if err != nil || !mine {
		return false, err
	}
	var prepared any
	if k.Prepare != nil {
		if prepared, err = k.Prepare(ctx, month); err != nil {
			return false, err
		}
	}
	err = k.DB.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		_, last, err := firstAndLast(ctx, tx)
		if err != nil || last >= month.End {
			return err
		}
		if err := k.Write(ctx, tx, month, prepared); err != nil {
			return err
		}
		wrote = true
		return lock.Ping(ctx) // a connection that is lost has lost the lock
	})
	return wrote && err == nil, err
}

// lockOf names the lock on the months of the caller's organization.
func lockOf(ctx context.Context) string { return "months " + principal.From(ctx).OrganizationID }

// BeforeEmptying is what a service that keeps months has as Before of its resource.Emptying: it waits for a month of the organization that
// is being written, which is then there to be deleted, and lets nobody begin another one before the transaction ends. So no month is
// written later from records that were there before.
func BeforeEmptying(ctx context.Context, tx pgx.Tx) error {
	_, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock("+leader.Key+")", lockOf(ctx))
	return err
}

// firstAndLast is the ends of the first and the last month that are there; empty where none is.
func firstAndLast(ctx context.Context, tx pgx.Tx) (first, last string, err error) {
	err = tx.QueryRow(ctx, `SELECT coalesce(min(month_end)::text, ''), coalesce(max(month_end)::text, '') FROM figures_month
		WHERE organization_id = current_organization() AND subject = 'organization'`).Scan(&first, &last)
	return first, last, err
}

// Due is the end of the last month that ended at least six days before a day. Both are days, YYYY-MM-DD.
func Due(today string) string {
	at, err := time.Parse(time.DateOnly, today)
	if err != nil {
		return ""
	}
	at = at.AddDate(0, 0, -wait+1) // a month that ended six days ago is due: its end is before the first of this month
	return time.Date(at.Year(), at.Month(), 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, -1).Format(time.DateOnly)
}

// Missing is the months from the one after last to due, oldest first. Where none is there yet, they are due and the 24 months before it.
// Those 24, counted from the first month that is there, are not frozen: they are made of what is known now.
func Missing(first, last, due string) []Month {
	begin, frozenFrom := monthBegin(due, -before), monthBegin(due, 0)
	if first != "" && last != "" {
		begin, frozenFrom = monthBegin(last, 1), monthBegin(first, before)
	}
	var missing []Month
	for ; !begin.After(monthBegin(due, 0)); begin = begin.AddDate(0, 1, 0) {
		missing = append(missing, Month{End: begin.AddDate(0, 1, -1).Format(time.DateOnly), Frozen: !begin.Before(frozenFrom)})
	}
	return missing
}

// monthBegin is the first day of the month of a day, or of one so many months later.
func monthBegin(day string, later int) time.Time {
	at, _ := time.Parse(time.DateOnly, day) // ours, or the database's
	return time.Date(at.Year(), at.Month()+time.Month(later), 1, 0, 0, 0, 0, time.UTC)
}
