package planning

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/leader"
	"ams.internal/libs/postgres"
	"ams.internal/libs/principal"
	"ams.internal/libs/reference"
)

// Reading an inventory and calculating a run are jobs: rows of the table job, which stay until the job is done. Every instance has a worker in
// each cell. Who works for an organization holds a lock of a session, which ends with his process: another instance goes on within two
// seconds. What a job writes it writes whole, and what a killed one did not write is done again, to the same bytes.
type worker struct {
	*planning
	known *reference.OrganizationCache
	tasks sync.WaitGroup

	mu     sync.Mutex
	busy   map[string]bool      // organizations that this instance works for
	served map[string]time.Time // when it last did, of those that have more to do
}

const (
	lookInterval  = time.Second            // between two looks at what is due
	watchInterval = 500 * time.Millisecond // between two looks at whether a job is cancelled, at which its progress is told
	retryPause    = 5 * time.Second        // after a job that could not be done
	patience      = 5 * time.Minute        // for a service that does not answer
	mostAttempts  = 5                      // at what fails for reasons that nobody knows
)

func (p *planning) newWorker() *worker {
	return &worker{planning: p, busy: map[string]bool{}, served: map[string]time.Time{},
		known: reference.NewOrganizationCache(func(ctx context.Context, id string) (reference.Organization, error) {
			return p.registry.References.Organization(ctx, "planning", id)
		}, time.Now)}
}

// queue adds jobs for records that are being written, and wakes this instance's worker once they are committed.
func (p *planning) queue(ctx context.Context, tx pgx.Tx, kind string, ids []string) error {
	for _, id := range ids {
		if _, err := tx.Exec(ctx, "INSERT INTO job (organization_id, id, kind) VALUES (current_organization(), $1, $2)", id, kind); err != nil {
			return err
		}
	}
	work := p.workIn(principal.From(ctx).CellName())
	postgres.AfterCommit(ctx, func() { poke(work) })
	return nil
}

// workIn gives the channel by which the worker of a cell is told that there is something to do.
func (p *planning) workIn(cell string) chan struct{} {
	work, _ := p.work.LoadOrStore(cell, make(chan struct{}, 1))
	return work.(chan struct{})
}

func poke(work chan struct{}) {
	select {
	case work <- struct{}{}:
	default: // it was told already
	}
}

// run works until ctx ends.
func (w *worker) run(ctx context.Context) {
	work := w.workIn(principal.From(ctx).CellName())
	defer w.tasks.Wait()
	for ctx.Err() == nil {
		if err := w.look(ctx, work); err != nil && ctx.Err() == nil {
			w.log.WarnContext(ctx, "the worker could not look what is due; it looks again", "error", err)
		}
		leader.Sleep(ctx, lookInterval, work)
	}
}

// job is one that is due.
type job struct{ organization, id, kind string }

// look begins what is due, as far as there is room.
func (w *worker) look(ctx context.Context, work chan struct{}) error {
	var due []job
	if err := w.registry.DB.Poll(ctx, func(conn *pgx.Conn) error {
		rows, err := conn.Query(ctx, "SELECT j.organization_id::text, j.id::text, j.kind FROM jobs_due() j WHERE "+postgres.LivesHere("j.organization_id")+
			" AND NOT "+leader.Held("'"+lockOf("")+"' || j.organization_id"))
		if err != nil {
			return err
		}
		due, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (j job, err error) { return j, row.Scan(&j.organization, &j.id, &j.kind) })
		return err
	}); err != nil {
		return err
	}
	w.order(due)
	for _, j := range due {
		if !w.begin(j.organization) {
			continue
		}
		w.tasks.Go(func() {
			defer w.end(j.organization, work)
			if err := w.alone(ctx, j); err != nil && ctx.Err() == nil {
				w.log.WarnContext(ctx, "a planning job was not done; it is tried again", "kind", j.kind, "id", j.id, "organization", j.organization, "error", err)
			}
		})
	}
	return nil
}

// order puts those organizations first that have waited longest since this instance worked for them.
func (w *worker) order(due []job) {
	w.mu.Lock()
	defer w.mu.Unlock()
	waiting := map[string]time.Time{}
	for _, j := range due {
		waiting[j.organization] = w.served[j.organization]
	}
	w.served = waiting // of the others nothing waits
	slices.SortStableFunc(due, func(a, b job) int { return waiting[a.organization].Compare(waiting[b.organization]) })
}

// begin takes a place for an organization, where there is one and nobody here works for it.
func (w *worker) begin(organization string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.busy[organization] {
		return false
	}
	if !w.turns.enter() {
		return false
	}
	w.busy[organization] = true
	return true
}

func (w *worker) end(organization string, work chan struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.busy, organization)
	w.served[organization] = time.Now()
	w.turns.leave()
	poke(work) // the organization's next
}

// lockOf names the lock of who works for an organization.
func lockOf(organization string) string { return "planning of " + organization }

// alone does a job while it holds the organization's lock; where another instance holds it, nothing.
func (w *worker) alone(ctx context.Context, j job) error {
	conn, err := w.registry.DB.Connect(ctx)
	if err != nil {
		return err
	}
	defer postgres.Disconnect(conn)
	if holds, err := leader.Try(ctx, conn, lockOf(j.organization)); err != nil || !holds {
		return err
	}
	return leader.While(ctx, conn, func(ctx context.Context) error {
		return w.known.Do(ctx, j.organization, func() error {
			o, err := w.known.Organization(ctx, j.organization)
			if err != nil {
				return fmt.Errorf("ask for the organization: %w", err)
			}
			p := o.Principal("planning")
			p.RequestID, p.Origin = uuid.Must(uuid.NewV7()).String(), "api"
			return w.do(principal.Into(ctx, p), j)
		})
	})
}

// do does a job, and says what became of it.
func (w *worker) do(ctx context.Context, j job) error {
	var begun time.Time
	var attempts int
	err := w.registry.DB.Batch(ctx, func(batch *pgx.Batch) {
		batch.Queue(`UPDATE job SET begun_at = coalesce(begun_at, clock_timestamp()) WHERE organization_id = current_organization() AND id = $1
			RETURNING begun_at, attempts`, j.id).QueryRow(func(row pgx.Row) error { return row.Scan(&begun, &attempts) })
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return nil // it was done meanwhile
	}
	if err != nil {
		return err
	}
	of := jobs[j.kind]
	if !principal.From(ctx).Has("planning") {
		return w.fail(ctx, j, &Problem{"plan_lapsed", "The plan no longer includes Lifecycle Planning."})
	}
	err = of.do(w.planning, ctx, j.id)
	known := new(fault.Error)
	switch {
	case errors.Is(err, errTurnOver):
		return nil
	case err == nil || ctx.Err() != nil:
		return err
	case errors.As(err, new(*jobError)):
		failed := new(jobError)
		errors.As(err, &failed)
		return w.fail(ctx, j, &failed.Problem)
	case errors.As(err, &known) && known.Kind == fault.KindUnavailable && time.Since(begun) < patience:
		return errors.Join(err, w.putOff(ctx, j, 0))
	case errors.As(err, &known) && known.Kind == fault.KindUnavailable:
		return errors.Join(err, w.fail(ctx, j, &Problem{known.Code, known.Message + " It was tried for 5 minutes."}))
	case attempts+1 >= mostAttempts:
		return errors.Join(err, w.fail(ctx, j, &Problem{"internal", "Something went wrong on our side. The log has it by the id of this record."}))
	}
	return errors.Join(err, w.putOff(ctx, j, 1))
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
	jobs = map[string]kindOfJob{"inventory": {(*planning).freeze, (*planning).failInventory}, "run": {(*planning).calculate, (*planning).failRun}}
}

func (w *worker) fail(ctx context.Context, j job, problem *Problem) error {
	return w.registry.DB.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		if err := jobs[j.kind].fail(w.planning, ctx, tx, j.id, problem); err != nil {
			return err
		}
		return done(ctx, tx, j.id)
	})
}

func (w *worker) putOff(ctx context.Context, j job, attempts int) error {
	return w.registry.DB.Batch(ctx, func(batch *pgx.Batch) {
		batch.Queue(`UPDATE job SET due_at = clock_timestamp() + make_interval(secs => $2), attempts = attempts + $3
			WHERE organization_id = current_organization() AND id = $1`, j.id, retryPause.Seconds(), attempts)
	})
}

// done ends a job in the transaction that writes what it has come to.
func done(ctx context.Context, tx pgx.Tx, id string) error {
	_, err := tx.Exec(ctx, "DELETE FROM job WHERE organization_id = current_organization() AND id = $1", id)
	return err
}
