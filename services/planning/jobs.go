package planning

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/principal"
	"ams.internal/libs/reference"
	"ams.internal/libs/work"
)

// Reading an inventory and calculating a run are jobs: rows of the table job, which stay until the job is done. Every instance works on
// them in each cell (package work). Who works for an organization holds a lock of a session, which ends with his process: another instance
// goes on within two seconds. What a job writes it writes whole, and what a killed one did not write is done again, to the same bytes.
type worker struct{ *planning }

const (
	pollInterval  = time.Second            // between two queries of what is due
	watchInterval = 500 * time.Millisecond // between two queries whether a job is cancelled, at which its progress is written
	retryDelay    = 5 * time.Second        // after a job that could not be done
	retryTimeout  = 5 * time.Minute        // for a service that does not respond
	maxAttempts   = 5                      // at what fails for reasons that nobody knows
)

// jobQueue works on jobs in one cell.
func (p *planning) jobQueue() *work.Queue {
	w := worker{p}
	return &work.Queue{Name: "planning jobs", Service: "planning", DB: p.registry.DB, Log: p.log,
		Organizations: reference.NewOrganizationCache(func(ctx context.Context, id string) (reference.Organization, error) {
			return p.registry.References.Organization(ctx, "planning", id)
		}, time.Now),
		Due: "SELECT * FROM jobs_due()", Lock: "planning of ", Interval: pollInterval, Signal: p.queued, Places: p.turns, Do: w.do,
		PutOff: w.putOff}
}

// queue adds jobs for records that are being written, and wakes this instance once they are committed.
func (p *planning) queue(ctx context.Context, tx pgx.Tx, kind string, ids []string) error {
	for _, id := range ids {
		if _, err := tx.Exec(ctx, "INSERT INTO job (organization_id, id, kind) VALUES (current_organization(), $1, $2)", id, kind); err != nil {
			return err
		}
	}
	p.queued.AfterCommit(ctx)
	return nil
}

// do does a job. One that cannot succeed, however often it is tried, ends with the reason.
func (w worker) do(ctx context.Context, j work.Item) error {
	err := w.registry.DB.Batch(ctx, func(batch *pgx.Batch) {
		batch.Queue(`UPDATE job SET begun_at = coalesce(begun_at, clock_timestamp()) WHERE organization_id = current_organization() AND id = $1
			RETURNING 1`, j.ID).QueryRow(func(row pgx.Row) error { return row.Scan(new(int)) })
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return nil // it was done meanwhile
	}
	if err != nil {
		return err
	}
	if !principal.From(ctx).Has("planning") {
		return w.fail(ctx, j, &Problem{"plan_lapsed", "The plan no longer includes Lifecycle Planning."})
	}
	err = jobs[j.Kind].do(w.planning, ctx, j.ID)
	final := new(jobError)
	switch {
	case errors.Is(err, errTurnOver):
		return nil
	case errors.As(err, &final) && ctx.Err() == nil:
		return w.fail(ctx, j, &final.Problem)
	}
	return err
}

// putOff has a job that failed tried again, or ends it: a service that does not respond is waited for, all else is tried a few times.
func (w worker) putOff(ctx context.Context, j work.Item, cause error) error {
	var begun time.Time
	var attempts int
	unavailable := new(fault.Error)
	waits := errors.As(cause, &unavailable) && unavailable.Kind == fault.KindUnavailable
	err := w.registry.DB.Batch(ctx, func(batch *pgx.Batch) {
		batch.Queue(`UPDATE job SET due_at = clock_timestamp() + make_interval(secs => $2), attempts = attempts + CASE WHEN $3 THEN 0 ELSE 1 END
			WHERE organization_id = current_organization() AND id = $1 RETURNING coalesce(begun_at, clock_timestamp()), attempts`,
			j.ID, retryDelay.Seconds(), waits).QueryRow(func(row pgx.Row) error { return row.Scan(&begun, &attempts) })
	})
	switch {
	case err != nil:
		return err
	case waits && time.Since(begun) >= retryTimeout:
		return w.fail(ctx, j, &Problem{unavailable.Code, unavailable.Message + " It was tried for 5 minutes."})
	case !waits && attempts >= maxAttempts:
		return w.fail(ctx, j, &Problem{"internal", "Something went wrong on our side. The log has it by the id of this record."})
	}
	return nil
}

// jobError is why a job cannot succeed, however often it is tried.
type jobError struct{ Problem }

func (e *jobError) Error() string { return e.Message }

func impossible(code, format string, args ...any) error {
	return &jobError{Problem{code, fmt.Sprintf(format, args...)}}
}

// kindOfJob is how one is done, and how it is said to have failed.
type kindOfJob struct {
	do   func(p *planning, ctx context.Context, id string) error
	fail func(p *planning, ctx context.Context, tx pgx.Tx, id string, problem *Problem) error
}

var jobs map[string]kindOfJob

func init() { // they refer to each other
	jobs = map[string]kindOfJob{"inventory": {(*planning).freeze, (*planning).failInventory},
		"run": {(*planning).calculate, (*planning).failRun}}
}

func (w worker) fail(ctx context.Context, j work.Item, problem *Problem) error {
	return w.registry.DB.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		if err := jobs[j.Kind].fail(w.planning, ctx, tx, j.ID, problem); err != nil {
			return err
		}
		return done(ctx, tx, j.ID)
	})
}

// done ends a job in the transaction that writes what it has come to.
func done(ctx context.Context, tx pgx.Tx, id string) error {
	_, err := tx.Exec(ctx, "DELETE FROM job WHERE organization_id = current_organization() AND id = $1", id)
	return err
}
