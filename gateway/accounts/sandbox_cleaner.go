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
	// emptyingInterval is the time between two searches for sandboxes that are to be emptied, where nobody wakes the cleaner: another gateway
	// was woken and ended, or a service was unavailable.
	emptyingInterval = 5 * time.Second
	// emptyingRest is between the rounds over all services.
	emptyingRest = 250 * time.Millisecond
)

// sandboxCleaner empties sandboxes, in each gateway. The database lists what is to be emptied; a cleaner holds a lock that ends with its
// connection while it works. So another gateway, or the next process, continues where one was killed.
type sandboxCleaner struct {
	db     *postgres.DB
	client *reference.Client
	log    *slog.Logger
	woken  chan struct{}
}

func newSandboxCleaner(db *postgres.DB, client *reference.Client, log *slog.Logger) *sandboxCleaner {
	return &sandboxCleaner{db: db, client: client, log: log, woken: make(chan struct{}, 1)}
}

// wake has it search at once.
func (c *sandboxCleaner) wake() {
	select {
	case c.woken <- struct{}{}:
	default:
	}
}

// run empties what is to be emptied, until ctx ends.
func (c *sandboxCleaner) run(ctx context.Context) {
	ticker := time.NewTicker(emptyingInterval)
	defer ticker.Stop()
	for {
		if err := c.emptyAll(ctx); err != nil && ctx.Err() == nil {
			c.log.WarnContext(ctx, "a sandbox is not empty yet; it is gone on with in a few seconds", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-c.woken:
		case <-ticker.C:
		}
	}
}

func (c *sandboxCleaner) emptyAll(ctx context.Context) error {
	rows, err := c.db.Pool().Query(ctx, `SELECT organization::text FROM open_emptyings() AS organization`)
	if err != nil {
		return postgres.Fault(err, nil)
	}
	waiting, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return postgres.Fault(err, nil)
	}
	for _, live := range waiting { // one that cannot be emptied does not keep the others from it
		if failed := c.withLock(ctx, live, func(ctx context.Context) error { return c.empty(ctx, live) }); failed != nil {
			err = failed
		}
	}
	return err
}

// withLock runs fn unless another process works on the organization's sandbox. The lock is a session's: not one of the pool, which may
// belong to a pooler that hands its sessions around.
func (c *sandboxCleaner) withLock(ctx context.Context, live string, fn func(ctx context.Context) error) error {
	conn, err := c.db.Connect(ctx)
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

// empty has every service delete what it has of an organization's sandbox, round by round, until a round finds nothing: what an earlier
// request still wrote, and what services sent each other meanwhile, is deleted in the next one.
func (c *sandboxCleaner) empty(ctx context.Context, live string) error {
	actor := principal.Actor{Type: "service", ID: "gateway", Name: "gateway"}
	ctx = principal.Into(ctx, principal.Principal{OrganizationID: live, Actor: actor})
	for {
		found := false
		for _, service := range catalogue.Product().Services() {
			deleted, err := c.emptyService(ctx, live, service)
			if err != nil {
				return err
			}
			found = found || deleted > 0
		}
		if !found {
			return c.finish(ctx, live)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(emptyingRest):
		}
	}
}

func (c *sandboxCleaner) emptyService(ctx context.Context, live, service string) (deleted int64, err error) {
	for {
		done, err := reference.Empty.Of(service).Call(within(ctx, principal.SandboxOf(live)), c.client, struct{}{})
		if err != nil {
			return deleted, err
		}
		deleted += done.Deleted
		if done.Deleted > 0 {
			if err := c.db.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
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
func (c *sandboxCleaner) finish(ctx context.Context, live string) error {
	return postgres.Fault(c.db.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
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
