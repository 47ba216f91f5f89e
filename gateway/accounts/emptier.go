package accounts

import (
	"context"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/domain/catalogue"
	"ams.internal/libs/postgres"
	"ams.internal/libs/principal"
	"ams.internal/libs/reference"
)

const (
	// emptyingLook is the time between two looks for sandboxes that are to be emptied, where nobody wakes the emptier: another gateway was
	// asked and ended, or a service was unavailable.
	emptyingLook = 5 * time.Second
	// emptyingRest is between the rounds over all services.
	emptyingRest = 250 * time.Millisecond
)

// emptier empties sandboxes, in each gateway. What is to be emptied stands in the database; who works on it holds a lock that ends with its
// connection. So another gateway, or the next process, goes on where one was killed.
type emptier struct {
	db     *postgres.DB
	client *reference.Client
	log    *slog.Logger
	asked  chan struct{}
}

func newEmptier(db *postgres.DB, client *reference.Client, log *slog.Logger) *emptier {
	return &emptier{db: db, client: client, log: log, asked: make(chan struct{}, 1)}
}

// wake has it look at once.
func (e *emptier) wake() {
	select {
	case e.asked <- struct{}{}:
	default:
	}
}

// run empties what is to be emptied, until ctx ends.
func (e *emptier) run(ctx context.Context) {
	look := time.NewTicker(emptyingLook)
	defer look.Stop()
	for {
		if err := e.emptyAll(ctx); err != nil && ctx.Err() == nil {
			e.log.WarnContext(ctx, "a sandbox is not empty yet; it is gone on with in a few seconds", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-e.asked:
		case <-look.C:
		}
	}
}

func (e *emptier) emptyAll(ctx context.Context) error {
	rows, err := e.db.Pool().Query(ctx, `SELECT organization::text FROM open_emptyings() AS organization`)
	if err != nil {
		return postgres.Fault(err, nil)
	}
	waiting, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return postgres.Fault(err, nil)
	}
	for _, live := range waiting { // one that cannot be emptied does not keep the others from it
		if failed := e.withLock(ctx, live, func(ctx context.Context) error { return e.empty(ctx, live) }); failed != nil {
			err = failed
		}
	}
	return err
}

// withLock runs fn unless another process works on the organization's sandbox. The lock is a session's: not one of the pool, which may
// belong to a pooler that hands its sessions around.
func (e *emptier) withLock(ctx context.Context, live string, fn func(ctx context.Context) error) error {
	conn, err := e.db.Connect(ctx)
	if err != nil {
		return err
	}
	defer postgres.Disconnect(conn)
	var mine bool
	err = conn.QueryRow(ctx, `SELECT pg_try_advisory_lock(hashtextextended('emptying ' || $1, 0))`, live).Scan(&mine)
	if err != nil || !mine {
		return postgres.Fault(err, nil)
	}
	return fn(ctx)
}

// empty has every service delete what it has of an organization's sandbox, round by round, until a round finds nothing: what a request
// that was let in before still wrote, and what services told each other meanwhile, goes in the next one.
func (e *emptier) empty(ctx context.Context, live string) error {
	ctx = principal.Into(ctx, principal.Principal{OrganizationID: live, Actor: principal.Actor{Type: "service", ID: "gateway", Name: "gateway"}})
	for {
		found := false
		for _, service := range catalogue.Product().Services() {
			deleted, err := e.emptyService(ctx, live, service)
			if err != nil {
				return err
			}
			found = found || deleted > 0
		}
		if !found {
			return e.finish(ctx, live)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(emptyingRest):
		}
	}
}

func (e *emptier) emptyService(ctx context.Context, live, service string) (deleted int64, err error) {
	for {
		done, err := reference.Empty.Of(service).Call(within(ctx, principal.SandboxOf(live)), e.client, struct{}{})
		if err != nil {
			return deleted, err
		}
		deleted += done.Deleted
		if done.Deleted > 0 {
			if err := e.db.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
				_, err := tx.Exec(ctx, `UPDATE sandbox_emptying SET deleted = deleted + $2 WHERE organization_id = $1`, live, done.Deleted)
				return err
			}); err != nil {
				return deleted, postgres.Fault(err, nil)
			}
		}
		if done.Done {
			return deleted, nil
		}
	}
}

// finish lets the keys of a sandbox in again.
func (e *emptier) finish(ctx context.Context, live string) error {
	return postgres.Fault(e.db.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		of, err := readOrganization(ctx, tx, live)
		if err != nil {
			return err
		}
		var deleted int64
		if err := tx.QueryRow(ctx, `UPDATE sandbox_emptying SET finished_at = clock_timestamp() WHERE organization_id = $1 RETURNING deleted`,
			live).Scan(&deleted); err != nil {
			return err
		}
		return audit(ctx, tx, "sandbox.emptied", subject{"organization", of.ID, of.Name}, map[string]any{"deleted": deleted})
	}), nil)
}
