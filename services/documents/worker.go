package documents

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"ams.internal/libs/leader"
	"ams.internal/libs/principal"
	"ams.internal/libs/reference"
	"ams.internal/libs/work"
	"ams.internal/services/documents/scan"
)

// The worker does with contents what this service does by itself: it has them scanned, reads pictures, sweeps what nobody needs, and purges
// the trash. Every instance has one in each cell, and they need not know of each other. What is due stands in the row of the content, with
// the time (package work); who takes it puts that time off and renews it while at work, so that one who is killed is followed by another a
// minute later. Each piece of work may be done twice.
type worker struct {
	*documents
	log     *slog.Logger
	queue   *work.Queue
	waiting waiting
	tasks   sync.WaitGroup // that run besides the queue

	mu sync.Mutex

	purging bool      // documents whose time has come are being dealt with
	purged  time.Time // when they were queried last

	signatures       string    // for which contents were looked up that are to be scanned again
	keysChecked      time.Time // when the keys of uploads were checked
	versionChecked   time.Time // when the scanner was asked for its signatures
	unavailableUntil time.Time // no scan begins before, because the scanner does not respond
	delay            time.Duration
	probed           bool
}

const (
	// workInterval is the time between two queries where nobody wakes the worker.
	workInterval = 5 * time.Second
	// workLease is how long a task is kept from others without a sign of life.
	workLease = time.Minute
	// minDelay and maxDelay are between two attempts at something that fails: as long as it has been there, within these.
	minDelay, maxDelay = 5 * time.Second, time.Minute
	// tasksPerQuery is how many tasks of each kind one query finds.
	tasksPerQuery = 100
)

// places is how many tasks of a kind an instance works on at once: in all, and of one organization. A scan of 2 GiB takes minutes, so one
// place is always free for the next organization; all else is done within seconds.
var places = map[string]struct{ all, each int }{"scan": {3, 2}, "scan_again": {1, 1}, "picture": {2, 2}, "sweep": {2, 2}}

// occupied is how many of the places are taken, by action, and by action and organization.
type occupied struct {
	mu    sync.Mutex
	taken map[string]int
}

// enter takes a place for a task, where there is one.
func (o *occupied) enter(t work.Item) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	limit, own := places[t.Kind], t.Kind+t.Organization
	if o.taken[t.Kind] >= limit.all || o.taken[own] >= limit.each {
		return false
	}
	o.taken[t.Kind]++
	o.taken[own]++
	return true
}

func (o *occupied) leave(t work.Item) {
	o.mu.Lock()
	defer o.mu.Unlock()
	own := t.Kind + t.Organization
	o.taken[t.Kind]--
	if o.taken[own]--; o.taken[own] == 0 {
		delete(o.taken, own)
	}
}

func (d *documents) newWorker() *worker {
	w := &worker{documents: d, log: d.log}
	perOrganization := 0
	for _, n := range places {
		perOrganization = max(perOrganization, n.each)
	}
	w.queue = &work.Queue{Name: "contents", Service: "documents", DB: d.registry.DB, Log: d.log,
		Organizations: reference.NewOrganizationCache(func(ctx context.Context, id string) (reference.Organization, error) {
			return d.registry.References.Organization(ctx, "documents", id)
		}, time.Now),
		Due: "SELECT organization_id, id, action AS kind FROM blobs_due($1, $2)", Args: []any{2 * perOrganization, tasksPerQuery},
		Interval: workInterval, Signal: d.due, Places: w, Do: w.do, PutOff: w.putOff}
	return w
}

// run works until ctx ends.
func (w *worker) run(ctx context.Context) {
	defer w.waiting.register(principal.From(ctx).CellName())()
	defer w.tasks.Wait()
	w.tasks.Go(func() {
		for leader.Sleep(ctx, workInterval, nil); ctx.Err() == nil; leader.Sleep(ctx, workInterval, nil) {
			w.watch(ctx)
		}
	})
	w.queue.Run(ctx)
}

// query queries all organizations. Only run and what it calls may do so.
func (w *worker) query(ctx context.Context, query func(conn *pgx.Conn) error) error {
	if err := w.registry.DB.Poll(ctx, query); err != nil {
		return fmt.Errorf("find what is due: %w", err)
	}
	return nil
}

// Enter takes a place for a task. No scan begins while the scanner is unavailable.
func (w *worker) Enter(t work.Item) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	scans := t.Kind == "scan" || t.Kind == "scan_again"
	if scans && (w.scanner == nil || time.Now().Before(w.unavailableUntil)) {
		return false
	}
	return w.occupied.enter(t)
}

// Leave gives the place of a task back.
func (w *worker) Leave(t work.Item) { w.occupied.leave(t) }

// do does a task.
func (w *worker) do(ctx context.Context, t work.Item) error {
	if t.Kind == "sweep" { // also of an organization that is deleted
		return w.sweep(ctx, t.ID)
	}
	column, do := columnOf(t.Kind), w.scan
	if t.Kind == "picture" {
		do = w.picture
	}
	c, err := w.claim(ctx, t.ID, column)
	if err != nil || c == nil {
		return err
	}
	return w.withClaim(ctx, c, column, func(ctx context.Context) error { return do(ctx, c) })
}

// columnOf is the column that says when a task is due.
func columnOf(kind string) string {
	if kind == "picture" {
		return "picture_due_at"
	}
	return "scan_due_at"
}

// servicePrincipal is this service in an organization, as far as its rows are concerned.
func servicePrincipal(organization string) principal.Principal {
	return principal.Principal{OrganizationID: organization, Actor: principal.Actor{Type: "service", ID: "documents", Name: "documents"},
		RequestID: uuid.Must(uuid.NewV7()).String(), Origin: "api"}
}

// onBehalf does something that changes documents: with the settings of the organization, and once more where it has moved to another cell.
func (w *worker) onBehalf(ctx context.Context, organization string, do func(ctx context.Context) error) error {
	return w.queue.Organizations.Do(ctx, organization, func() error {
		o, err := w.queue.Organizations.Organization(ctx, organization)
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

// putOff has a task tried again: after as long as the content has been there, within minDelay and maxDelay. What is swept is due as it was.
func (w *worker) putOff(ctx context.Context, t work.Item, _ error) error {
	if t.Kind == "sweep" {
		return nil
	}
	column := columnOf(t.Kind)
	return w.registry.DB.Batch(ctx, func(batch *pgx.Batch) {
		batch.Queue(`UPDATE blob SET `+column+` = clock_timestamp()
				+ least(greatest(clock_timestamp() - ready_at, make_interval(secs => $2)), make_interval(secs => $3))
			WHERE organization_id = current_organization() AND id = $1 AND `+column+` < 'infinity'`, t.ID, minDelay.Seconds(), maxDelay.Seconds())
	})
}

// watch reads what the metrics report, and checks whether documents are to go, and whether the scanner has new signatures.
func (w *worker) watch(ctx context.Context) {
	err := w.query(ctx, func(conn *pgx.Conn) error {
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
	if err == nil && w.scanner != nil && time.Since(w.versionChecked) >= signaturesInterval {
		err = w.scanAgain(ctx)
	}
	if err != nil && ctx.Err() == nil && !errors.Is(err, scan.ErrUnavailable) { // scans say that
		w.log.WarnContext(ctx, "the worker could not read what waits; it is tried again", "error", err)
	}
	if err := w.endUploadsOfRevoked(ctx); err != nil && ctx.Err() == nil {
		w.log.WarnContext(ctx, "the worker could not check whether the keys of uploads are good; it is tried again in a minute", "error", err)
	}
}
