package custom

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"ams.internal/libs/postgres"
	"ams.internal/libs/principal"
	"ams.internal/libs/resource/internal/table"
)

const (
	// batch is how many records or values one transaction of a builder goes over.
	batch = 2000
	// minBatch is the size of a transaction where others hold so many records that more cannot be locked at once.
	minBatch = 20
	// workTimeout is how long a builder may go on. What is left is for the next one who notices.
	workTimeout = 30 * time.Minute
	// pause is how long a builder waits for writers before it checks again.
	pause = 50 * time.Millisecond
)

// working is whose fields this process is building: the channel that is closed when that is over, by organization and collection.
var working sync.Map

// Work builds in the background the values of fields that have been declared, and takes away those of fields that have been removed,
// as far as another process has left them. The channel is closed when there is nothing left to do, or it has failed, which is logged.
func Work(ctx context.Context, t *table.Table) <-chan struct{} {
	done := make(chan struct{})
	key := principal.From(ctx).OrganizationID + " " + t.Row.Name
	if running, loaded := working.LoadOrStore(key, done); loaded {
		return running.(chan struct{})
	}
	background, cancel := context.WithTimeout(context.WithoutCancel(ctx), workTimeout)
	go func() {
		defer close(done)
		defer working.Delete(key)
		defer cancel()
		if err := work(background, t); err != nil {
			t.Log.WarnContext(background, "custom fields not built", "collection", t.Row.Name, "error", err)
		}
	}()
	return done
}

// unfinished is a field that there is something to do for.
type unfinished struct {
	ID    int64
	State string
}

func work(ctx context.Context, t *table.Table) error {
	for {
		var fields []unfinished
		err := t.DB.Read(ctx, func(ctx context.Context, tx pgx.Tx) error {
			rows, err := tx.Query(ctx, `SELECT id, state FROM custom_field WHERE organization_id = $1 AND collection = $2 AND state <> 'ready'`,
				principal.From(ctx).OrganizationID, t.Row.Name)
			if err != nil {
				return err
			}
			fields, err = pgx.CollectRows(rows, pgx.RowToStructByPos[unfinished])
			return err
		})
		if err != nil || len(fields) == 0 {
			return err
		}
		if err := waitForWriters(ctx, t); err != nil {
			return err
		}
		for _, field := range fields {
			step := build
			if field.State != Pending {
				step = sweep
			}
			if err := inBatches(ctx, t, field.ID, step); err != nil {
				return err
			}
		}
	}
}

// waitForWriters waits until every transaction has ended that had written when it was called. Those may have written records before they
// could see a declaration, and so without its value; whoever writes later sees it.
func waitForWriters(ctx context.Context, t *table.Table) error {
	var next string
	over := false
	for {
		err := t.DB.Read(ctx, func(ctx context.Context, tx pgx.Tx) error {
			if next == "" {
				if err := tx.QueryRow(ctx, "SELECT pg_snapshot_xmax(pg_current_snapshot())::text").Scan(&next); err != nil {
					return err
				}
			}
			return tx.QueryRow(ctx, "SELECT pg_snapshot_xmin(pg_current_snapshot()) >= $1::text::xid8", next).Scan(&over)
		})
		if err != nil || over {
			return err
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// mine takes a field for one transaction. It says no where somebody else has it, or has done what was to do.
func mine(ctx context.Context, tx pgx.Tx, id int64, state string) (built int64, taken bool, err error) {
	// Whoever writes records that a builder holds waits for it, and it for them. It must be the one who gives up.
	if _, err := tx.Exec(ctx, "SET LOCAL lock_timeout = '300ms'"); err != nil {
		return 0, false, err
	}
	err = tx.QueryRow(ctx, `SELECT built FROM custom_field WHERE organization_id = $1 AND id = $2 AND state = $3 FOR UPDATE`,
		principal.From(ctx).OrganizationID, id, state).Scan(&built)
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, false, nil
	}
	return built, err == nil, err
}

// build gives the next records their values, and says whether there may be more. The records are locked, in the order in which those are
// who write them, so that none changes between being read and having its value.
func build(ctx context.Context, t *table.Table, id int64, size int) (more bool, err error) {
	err = t.DB.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		built, taken, err := mine(ctx, tx, id, Pending)
		if more = taken; !taken {
			return err
		}
		return tx.QueryRow(ctx, `WITH batch AS MATERIALIZED (
					SELECT id, position FROM `+t.Name+` WHERE organization_id = $1 AND position > $4 ORDER BY position LIMIT $5),
				records AS MATERIALIZED (
					SELECT id, position, custom_fields FROM `+t.Name+` WHERE organization_id = $1 AND id = ANY(ARRAY(SELECT id FROM batch))
					ORDER BY id FOR SHARE),
				made AS (
					INSERT INTO custom_value (organization_id, field, missing, number, text, id, position)
					SELECT $1, n.field, n.missing, n.number, n.text, r.id, r.position
					FROM records r, custom_values($1, $2, r.custom_fields) n WHERE n.field = $3
					ON CONFLICT DO NOTHING)
				UPDATE custom_field f SET built = coalesce((SELECT max(position) FROM batch), f.built),
					state = CASE WHEN (SELECT count(*) FROM batch) < $5 THEN 'ready' ELSE 'pending' END
				WHERE f.organization_id = $1 AND f.id = $3 RETURNING f.state = 'pending'`,
			principal.From(ctx).OrganizationID, t.Row.Name, id, built, size).Scan(&more)
	})
	return more, err
}

// sweep takes some values of a removed field away, and at last the field. It says whether there may be more.
func sweep(ctx context.Context, t *table.Table, id int64, size int) (more bool, err error) {
	err = t.DB.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		_, taken, err := mine(ctx, tx, id, "removed")
		if more = taken; !taken {
			return err
		}
		organization := principal.From(ctx).OrganizationID
		swept, err := tx.Exec(ctx, `DELETE FROM custom_value WHERE organization_id = $1 AND ctid = ANY(ARRAY(
				SELECT ctid FROM custom_value WHERE organization_id = $1 AND field = $2 LIMIT $3))`, organization, id, size)
		if err != nil || swept.RowsAffected() == int64(size) {
			return err
		}
		more = false
		_, err = tx.Exec(ctx, "DELETE FROM custom_field WHERE organization_id = $1 AND id = $2", organization, id)
		return err
	})
	return more, err
}

// inBatches takes steps until there is nothing left to do. A step that gave up waiting for others is taken again, for fewer records.
func inBatches(ctx context.Context, t *table.Table, id int64, step func(context.Context, *table.Table, int64, int) (bool, error)) error {
	for size := batch; ; {
		more, err := step(ctx, t, id, size)
		var failed *pgconn.PgError
		switch {
		case errors.As(err, &failed) && (failed.Code == postgres.LockNotAvailable || failed.Code == postgres.DeadlockDetected):
			size = max(size/4, minBatch)
		case err != nil || !more:
			return err
		default:
			continue
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
