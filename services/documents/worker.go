package documents

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"ams.internal/libs/postgres"
	"ams.internal/libs/principal"
	"ams.internal/libs/reference"
	"ams.internal/services/documents/scan"
)

// The worker does with contents what this service does by itself: it has them scanned, reads pictures, sweeps what nobody needs, and purges the
// trash. Every instance has one in each cell, and they need not know of each other. What is due stands in the row of the content, with the time; who takes it
// puts that time off and renews it while at work, so that one who is killed is followed by another a minute later. Each piece of work may be done
// twice.
type worker struct {
	*documents
	log     *slog.Logger
	known   *reference.OrganizationCache // organizations
	waiting waiting

	freed chan struct{}  // something was done, and there is room for more
	tasks sync.WaitGroup // that run

	mu    sync.Mutex
	busy  map[task]bool
	turns map[string]uint64 // the last turn of an organization, by it and action
	turn  uint64

	purging bool      // documents whose time has come are being dealt with
	purged  time.Time // when they were looked for last

	signatures  string    // for which contents were looked up that are to be scanned again
	keysChecked time.Time // when the keys of uploads were looked at
	asked       time.Time // when the scanner was asked for its signatures
	away        time.Time // until when no scan begins, because the scanner does not answer
	pause       time.Duration
	probed      bool
}

// task is something that is due about a content.
type task struct{ organization, blob, action string }

const (
	// workInterval is the time between two looks where nobody wakes the worker.
	workInterval = 5 * time.Second
	// workLease is how long a task is kept from others without a sign of life.
	workLease = time.Minute
	// leastPause and mostPause are between two attempts at something that fails: as long as it has been there, within these.
	leastPause, mostPause = 5 * time.Second, time.Minute
	// tasksPerLook is how many tasks of each kind one look finds.
	tasksPerLook = 100
)

// places is how many tasks of a kind an instance works on at once: in all, and of one organization. A scan of 2 GiB takes minutes, so one place
// is always free for the next organization; all else is done within seconds.
var places = map[string]struct{ all, each int }{"scan": {3, 2}, "scan_again": {1, 1}, "picture": {2, 2}, "sweep": {2, 2}}

// occupied is how many of the places are taken, by action, and by action and organization.
type occupied struct {
	mu    sync.Mutex
	taken map[string]int
}

// take takes a place for a task, where there is one.
func (o *occupied) take(t task) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	most, own := places[t.action], t.action+t.organization
	if o.taken[t.action] >= most.all || o.taken[own] >= most.each {
		return false
	}
	o.taken[t.action]++
	o.taken[own]++
	return true
}

func (o *occupied) leave(t task) {
	o.mu.Lock()
	defer o.mu.Unlock()
	own := t.action + t.organization
	o.taken[t.action]--
	if o.taken[own]--; o.taken[own] == 0 {
		delete(o.taken, own)
	}
}

func (d *documents) newWorker() *worker {
	return &worker{documents: d, log: d.log, freed: make(chan struct{}, 1), busy: map[task]bool{},
		turns: map[string]uint64{}, known: reference.NewOrganizationCache(func(ctx context.Context, id string) (reference.Organization, error) {
			return d.registry.References.Organization(ctx, "documents", id)
		}, time.Now)}
}

// run works until ctx ends.
func (w *worker) run(ctx context.Context) {
	cell := principal.From(ctx).CellName()
	work := w.workIn(cell)
	defer w.waiting.register(cell)()
	defer w.tasks.Wait()
	ticker := time.NewTicker(workInterval)
	defer ticker.Stop()
	for {
		if err := w.look(ctx); err != nil && ctx.Err() == nil {
			w.log.WarnContext(ctx, "the worker could not look what is due; it looks again", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			w.watch(ctx)
		case <-work:
		case <-w.freed:
		}
	}
}

// look begins what is due, as far as there is room.
func (w *worker) look(ctx context.Context) error {
	due, err := w.due(ctx)
	if err != nil {
		return err
	}
	for _, t := range w.inTurn(due) {
		w.begin(ctx, t)
	}
	return nil
}

// due gives what is due, with one statement that belongs to no organization.
func (w *worker) due(ctx context.Context) (due []task, err error) {
	most := 0
	for _, n := range places {
		most = max(most, n.each)
	}
	err = w.ask(ctx, func(conn *pgx.Conn) error {
		rows, err := conn.Query(ctx, "SELECT d.organization_id::text, d.id::text, d.action FROM blobs_due($1, $2) d WHERE "+postgres.LivesHere("d.organization_id"), 2*most, tasksPerLook)
		if err != nil {
			return err
		}
		due, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (t task, err error) {
			return t, row.Scan(&t.organization, &t.blob, &t.action)
		})
		return err
	})
	return due, err
}

// ask asks a question about all organizations. Only run and what it calls may do so.
func (w *worker) ask(ctx context.Context, question func(conn *pgx.Conn) error) error {
	if err := w.registry.DB.Poll(ctx, question); err != nil {
		return fmt.Errorf("find what is due: %w", err)
	}
	return nil
}

// inTurn puts first the tasks of organizations whose last turn is longest ago: one that has 10,000 photos lets the others through.
func (w *worker) inTurn(due []task) []task {
	w.mu.Lock()
	defer w.mu.Unlock()
	slices.SortStableFunc(due, func(a, b task) int {
		x, y := w.turns[a.action+a.organization], w.turns[b.action+b.organization]
		switch {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	})
	return due
}

// begin begins a task where there is room, and nobody here works on it.
func (w *worker) begin(ctx context.Context, t task) {
	w.mu.Lock()
	defer w.mu.Unlock()
	scans := t.action == "scan" || t.action == "scan_again"
	if w.busy[t] || scans && (w.scanner == nil || time.Now().Before(w.away)) || !w.occupied.take(t) {
		return
	}
	w.turn++
	w.busy[t], w.turns[t.action+t.organization] = true, w.turn
	w.tasks.Go(func() {
		err := w.one(ctx, t)
		w.mu.Lock()
		delete(w.busy, t)
		w.mu.Unlock()
		w.occupied.leave(t)
		if err == nil { // else the next look is soon enough
			select {
			case w.freed <- struct{}{}:
			default:
			}
		} else if ctx.Err() == nil {
			w.log.WarnContext(ctx, "work on a content failed; it is tried again", "action", t.action, "organization", t.organization,
				"blob", t.blob, "error", err)
		}
	})
}

// one does a task on behalf of its organization.
func (w *worker) one(ctx context.Context, t task) error {
	as := servicePrincipal(t.organization)
	ctx = principal.Into(ctx, as)
	if t.action == "sweep" { // also of an organization that is gone
		return w.sweep(ctx, t.blob)
	}
	column, do := "scan_due_at", w.scan
	if t.action == "picture" {
		column, do = "picture_due_at", w.picture
	}
	c, err := w.claim(ctx, t.blob, column)
	if err != nil || c == nil {
		return err
	}
	err = w.onBehalf(ctx, t.organization, func(ctx context.Context) error {
		return w.withClaim(ctx, c, column, func(ctx context.Context) error { return do(ctx, c) })
	})
	if err != nil {
		err = errors.Join(err, w.putOff(ctx, c, column))
	}
	return err
}

// servicePrincipal is this service in an organization, as far as its rows are concerned.
func servicePrincipal(organization string) principal.Principal {
	return principal.Principal{OrganizationID: organization, Actor: principal.Actor{Type: "service", ID: "documents", Name: "documents"},
		RequestID: uuid.Must(uuid.NewV7()).String(), Origin: "api"}
}

// onBehalf does something that changes documents: with the settings of the organization, and once more where it has moved to another cell.
func (w *worker) onBehalf(ctx context.Context, organization string, do func(ctx context.Context) error) error {
	return w.known.Do(ctx, organization, func() error {
		o, err := w.known.Organization(ctx, organization)
		if err != nil {
			return fmt.Errorf("ask for the organization: %w", err)
		}
		p := o.Principal("documents")
		p.RequestID, p.Origin = principal.From(ctx).RequestID, "api"
		return do(principal.Into(ctx, p))
	})
}

// claimed is a content that this worker works on.
type claimed struct {
	blob, mediaType string
	size            int64
}

// claim takes a task for this instance. Nil: another has it, or has done it.
func (w *worker) claim(ctx context.Context, blob, column string) (*claimed, error) {
	c := &claimed{blob: blob}
	err := w.registry.DB.Batch(ctx, func(batch *pgx.Batch) {
		batch.Queue(`UPDATE blob SET `+column+` = clock_timestamp() + make_interval(secs => $2)
			WHERE organization_id = current_organization() AND id = $1 AND `+column+` <= clock_timestamp() AND state = 'ready'
			RETURNING media_type, size`, blob, workLease.Seconds()).QueryRow(func(row pgx.Row) error { return row.Scan(&c.mediaType, &c.size) })
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	return c, err
}

// withClaim does a task while its claim is renewed.
func (w *worker) withClaim(ctx context.Context, c *claimed, column string, do func(ctx context.Context) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		ticker := time.NewTicker(workLease / 3)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
			}
			if err := w.dueIn(ctx, c, column, workLease); err != nil && ctx.Err() == nil {
				w.log.WarnContext(ctx, "a claim was not renewed", "blob", c.blob, "error", err)
			}
		}
	}()
	return do(ctx)
}

// dueIn sets when a task is due that is not done yet.
func (w *worker) dueIn(ctx context.Context, c *claimed, column string, in time.Duration) error {
	return w.registry.DB.Batch(ctx, func(batch *pgx.Batch) {
		batch.Queue(`UPDATE blob SET `+column+` = clock_timestamp() + make_interval(secs => $2)
			WHERE organization_id = current_organization() AND id = $1 AND `+column+` < 'infinity'`, c.blob, in.Seconds())
	})
}

// putOff has a task tried again: after as long as the content has been there, within leastPause and mostPause.
func (w *worker) putOff(ctx context.Context, c *claimed, column string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	return w.registry.DB.Batch(ctx, func(batch *pgx.Batch) {
		batch.Queue(`UPDATE blob SET `+column+` = clock_timestamp()
				+ least(greatest(clock_timestamp() - ready_at, make_interval(secs => $2)), make_interval(secs => $3))
			WHERE organization_id = current_organization() AND id = $1 AND `+column+` < 'infinity'`, c.blob, leastPause.Seconds(), mostPause.Seconds())
	})
}

// watch reads what the metrics report, and looks whether documents are to go, and whether the scanner has new signatures.
func (w *worker) watch(ctx context.Context) {
	err := w.ask(ctx, func(conn *pgx.Conn) error {
		var since *time.Time
		var unfinished int64
		if err := conn.QueryRow(ctx, `SELECT pending_since, unfinished FROM blobs_waiting()`).Scan(&since, &unfinished); err != nil {
			return err
		}
		w.waiting.pending.Store(since)
		w.waiting.unfinished.Store(unfinished)
		return nil
	})
	if err == nil {
		err = w.purgeDue(ctx)
	}
	if err == nil && w.scanner != nil && time.Since(w.asked) >= signaturesInterval {
		err = w.scanAgain(ctx)
	}
	if err != nil && ctx.Err() == nil && !errors.Is(err, scan.ErrUnavailable) { // scans say that
		w.log.WarnContext(ctx, "the worker could not look what waits; it looks again", "error", err)
	}
	if err := w.endUploadsOfRevoked(ctx); err != nil && ctx.Err() == nil {
		w.log.WarnContext(ctx, "the worker could not look whether the keys of uploads are good; it looks again in a minute", "error", err)
	}
}
