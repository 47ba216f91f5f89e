package webhooks

import (
	"context"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/postgres"
	"ams.internal/libs/telemetry"
)

const (
	purgeInterval = 10 * time.Minute
	// purgeBatch is how many rows a transaction deletes, so that its locks are short.
	purgeBatch = 1000
)

// purger deletes what is older than 30 days, and what belonged to deleted endpoints. Every process has one in each cell; it does no harm
// when several run at once.
type purger struct {
	db  *postgres.DB
	log *slog.Logger
	now func() time.Time
}

func (p *purger) run(ctx context.Context) {
	ticker := time.NewTicker(purgeInterval)
	defer ticker.Stop()
	for {
		_ = telemetry.Work(ctx, "sweep old events", func(ctx context.Context) error {
			err := p.purgeAll(ctx)
			if err != nil && ctx.Err() == nil {
				p.log.WarnContext(ctx, "old events could not be purged; it is tried again", "error", err)
			}
			return err
		})
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// purgeAll purges every organization and every deleted endpoint once.
func (p *purger) purgeAll(ctx context.Context) error {
	rows, err := p.db.Pool().Query(ctx, "SELECT o::text FROM organizations_with_events() o")
	if err != nil {
		return err
	}
	organizations, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return err
	}
	for _, organization := range organizations {
		if err := p.purgeOrganization(asService(ctx, organization), organization); err != nil {
			return err
		}
	}
	rows, err = p.db.Pool().Query(ctx, "SELECT organization_id::text, endpoint_id::text FROM deleted_endpoints()")
	if err != nil {
		return err
	}
	deleted, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (key endpointKey, err error) {
		return key, row.Scan(&key.organizationID, &key.endpointID)
	})
	if err != nil {
		return err
	}
	for _, key := range deleted {
		if err := p.repeat(asService(ctx, key.organizationID), p.deletedEndpoint(key)); err != nil {
			return err
		}
	}
	return nil
}

// purgeOrganization deletes what is old, deliveries before their events.
func (p *purger) purgeOrganization(ctx context.Context, organization string) error {
	var endpoints []string
	err := p.db.Read(ctx, func(ctx context.Context, tx pgx.Tx) error {
		found, err := tx.Query(ctx, "SELECT endpoint_id::text FROM dispatch WHERE organization_id = $1", organization)
		if err != nil {
			return err
		}
		endpoints, err = pgx.CollectRows(found, pgx.RowTo[string])
		return err
	})
	if err != nil {
		return err
	}
	before := p.now().Add(-retention)
	for _, endpoint := range endpoints {
		if err := p.repeat(ctx, p.deliveries(endpointKey{organization, endpoint}, before)); err != nil {
			return err
		}
	}
	if err := p.repeat(ctx, p.events(organization, before)); err != nil {
		return err
	}
	return p.db.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `DELETE FROM replay WHERE organization_id = $1 AND state = 'done' AND finished_at < $2`, organization, before)
		return err
	})
}

// repeat runs a step, each time in a transaction of its own, until it deletes less than a batch.
func (p *purger) repeat(ctx context.Context, step func(ctx context.Context, tx pgx.Tx) (int64, error)) error {
	for ctx.Err() == nil {
		var done int64
		err := p.db.Write(ctx, func(ctx context.Context, tx pgx.Tx) (err error) {
			done, err = step(ctx, tx)
			return err
		})
		if err != nil || done < purgeBatch {
			return err
		}
	}
	return ctx.Err()
}

// deliveries deletes an endpoint's old deliveries with their attempts, pending ones too, because their events are deleted.
func (p *purger) deliveries(key endpointKey, before time.Time) func(context.Context, pgx.Tx) (int64, error) {
	return func(ctx context.Context, tx pgx.Tx) (int64, error) {
		if _, err := tx.Exec(ctx, `SELECT FROM dispatch WHERE organization_id = $1 AND endpoint_id = $2 FOR NO KEY UPDATE`, key.organizationID,
			key.endpointID); err != nil {
			return 0, err
		}
		return deleteDeliveries(ctx, tx, `SELECT id FROM delivery
			WHERE organization_id = $1 AND endpoint_id = $2 AND created_at < $4 ORDER BY created_at LIMIT $3`,
			key.organizationID, key.endpointID, purgeBatch, before)
	}
}

// deleteDeliveries deletes the deliveries that a query selects, with their attempts.
func deleteDeliveries(ctx context.Context, tx pgx.Tx, query string, args ...any) (deleted int64, err error) {
	err = tx.QueryRow(ctx, `WITH old AS MATERIALIZED (`+query+`),
		attempts AS (DELETE FROM attempt a USING old WHERE a.organization_id = $1 AND a.delivery_id = old.id),
		deliveries AS (DELETE FROM delivery d USING old WHERE d.organization_id = $1 AND d.id = old.id RETURNING 1)
		SELECT count(*) FROM deliveries`, args...).Scan(&deleted)
	return deleted, err
}

// events deletes an organization's old events from the beginning of its feed, and records the last sequence that was deleted.
func (p *purger) events(organization string, before time.Time) func(context.Context, pgx.Tx) (int64, error) {
	return func(ctx context.Context, tx pgx.Tx) (int64, error) {
		var upTo *int64
		err := tx.QueryRow(ctx, `SELECT max(old.sequence) FROM (
				SELECT e.sequence, e.received_at FROM event e
				WHERE e.organization_id = $1 AND e.sequence IS NOT NULL ORDER BY e.sequence LIMIT $3) old
			WHERE old.received_at < $2`, organization, before, purgeBatch).Scan(&upTo)
		if err != nil {
			return 0, err
		}
		_, err = tx.Exec(ctx, `DELETE FROM event WHERE organization_id = $1 AND sequence IS NULL AND received_at < $2`, organization, before)
		if err != nil || upTo == nil {
			return 0, err
		}
		if _, err := tx.Exec(ctx, `UPDATE feed SET purged_sequence = greatest(purged_sequence, $2) WHERE organization_id = $1`, organization,
			*upTo); err != nil {
			return 0, err
		}
		numbered, err := tx.Exec(ctx, `DELETE FROM event WHERE organization_id = $1 AND sequence <= $2`, organization, *upTo)
		return numbered.RowsAffected(), err
	}
}

// deletedEndpoint deletes what belonged to a deleted endpoint, its row of dispatch last.
func (p *purger) deletedEndpoint(key endpointKey) func(context.Context, pgx.Tx) (int64, error) {
	return func(ctx context.Context, tx pgx.Tx) (int64, error) {
		if _, err := tx.Exec(ctx, `SELECT FROM dispatch WHERE organization_id = $1 AND endpoint_id = $2 FOR NO KEY UPDATE`, key.organizationID,
			key.endpointID); err != nil {
			return 0, err
		}
		deleted, err := deleteDeliveries(ctx, tx, `SELECT id FROM delivery WHERE organization_id = $1 AND endpoint_id = $2 LIMIT $3`,
			key.organizationID, key.endpointID, purgeBatch)
		if err != nil || deleted == purgeBatch {
			return deleted, err
		}
		for _, statement := range []string{
			`DELETE FROM lane WHERE organization_id = $1 AND endpoint_id = $2`,
			`DELETE FROM replay WHERE organization_id = $1 AND endpoint_id = $2`,
			`DELETE FROM dispatch WHERE organization_id = $1 AND endpoint_id = $2`,
		} {
			if _, err := tx.Exec(ctx, statement, key.organizationID, key.endpointID); err != nil {
				return 0, err
			}
		}
		return deleted, nil
	}
}
