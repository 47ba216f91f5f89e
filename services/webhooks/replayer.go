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
	// replayBatch is how many events one transaction of a replay goes through: it locks the organization's numbering.
	replayBatch    = 1000
	replayInterval = 500 * time.Millisecond
)

// replayer queues the deliveries of replays. Every process has one in each cell. They share the work batch by batch, and any of them
// continues the replay of a process that was killed.
type replayer struct {
	db          *postgres.DB
	log         *slog.Logger
	plans       *plans
	now         func() time.Time
	afterCommit func(ctx context.Context, touched []endpointKey, organizations []string)
}

func (r *replayer) run(ctx context.Context) {
	for ctx.Err() == nil {
		_ = telemetry.Work(ctx, "replay events", func(ctx context.Context) error {
			err := r.runAll(ctx)
			if err != nil && ctx.Err() == nil {
				r.log.WarnContext(ctx, "replays did not go on; they are tried again", "error", err)
			}
			return err
		})
		select {
		case <-ctx.Done():
		case <-time.After(replayInterval):
		}
	}
}

// runAll runs one batch of each open replay, until none is open.
func (r *replayer) runAll(ctx context.Context) error {
	for {
		rows, err := r.db.Pool().Query(ctx, "SELECT organization_id::text, id::text FROM open_replays()")
		if err != nil {
			return err
		}
		type key struct{ OrganizationID, ID string }
		open, err := pgx.CollectRows(rows, pgx.RowToStructByPos[key])
		if err != nil || len(open) == 0 {
			return err
		}
		for _, one := range open {
			if err := r.step(ctx, one.OrganizationID, one.ID); err != nil {
				return err
			}
		}
	}
}

// step queues the next batch of a replay. Events since the replay was requested are queued as the endpoint subscribes to them
// now. When the replay has caught up it is done, and the inbox queues the endpoint's deliveries again.
func (r *replayer) step(ctx context.Context, organizationID, id string) error {
	ctx = asService(ctx, organizationID)
	plan := r.plans.of(ctx, organizationID, r.now())
	var planned []plannedDelivery
	err := r.db.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		planned = nil
		var last, next, until int64
		var since time.Time
		var types []string
		var subscriptions []subscription
		var endpointID string
		batch, found := &pgx.Batch{}, false
		lockFeed(batch, organizationID, &last)
		batch.Queue(`SELECT endpoint_id::text, since, event_types, next_sequence, until_sequence FROM replay
			WHERE organization_id = $1 AND id = $2 AND state <> 'done' FOR UPDATE`, organizationID, id).Query(func(rows pgx.Rows) error {
			_, err := pgx.ForEachRow(rows, []any{&endpointID, &since, &types, &next, &until}, func() error {
				found = true
				return nil
			})
			return err
		})
		readSubscriptions(batch, `t.id = (SELECT r.endpoint_id FROM replay r WHERE r.organization_id = $1 AND r.id = $2)`, &subscriptions,
			organizationID, id)
		if err := tx.SendBatch(ctx, batch).Close(); err != nil || !found {
			return err
		}
		reached := last // for an endpoint that was deleted, nothing is replayed
		if len(subscriptions) > 0 {
			events, err := readEvents(ctx, tx, organizationID, next, replayBatch)
			if err != nil {
				return err
			}
			if len(events) == replayBatch {
				reached = *events[len(events)-1].sequence
			}
			if planned, err = replayed(events, subscriptions[0], plan, since, types, until); err != nil {
				return err
			}
		}
		batch = &pgx.Batch{}
		enqueue(batch, organizationID, planned, r.now())
		batch.Queue(`UPDATE replay SET next_sequence = $3, queued = queued + $4, state = CASE WHEN $5 THEN 'done' ELSE 'running' END,
			finished_at = CASE WHEN $5 THEN $6::timestamptz END WHERE organization_id = $1 AND id = $2`,
			organizationID, id, reached+1, len(planned), reached >= last, r.now())
		return tx.SendBatch(ctx, batch).Close()
	})
	if err == nil && len(planned) > 0 {
		r.afterCommit(ctx, []endpointKey{{organizationID, planned[0].endpointID}}, nil)
	}
	return err
}

// readEvents reads an organization's events from a sequence on.
func readEvents(ctx context.Context, tx pgx.Tx, organizationID string, from int64, limit int) ([]message, error) {
	rows, err := tx.Query(ctx, "SELECT "+messageColumns+" FROM event e WHERE e.organization_id = $1 AND e.sequence >= $2 ORDER BY "+
		"e.sequence LIMIT $3", organizationID, from, limit)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, scanMessage)
}

// replayed gives the deliveries of events in a replay: up to the sequence until, of those that the replay and the endpoint's
// subscription select; later, of those that the subscription selects.
func replayed(events []message, s subscription, plan features, since time.Time, types []string, until int64) ([]plannedDelivery, error) {
	narrowed := s
	if types != nil {
		narrowed.EventTypes = types
	}
	var planned []plannedDelivery
	for i := range events {
		m := &events[i]
		a, err := attributesOf(m.eventType, m.collection, m.recordID, m.payload)
		if err != nil {
			return nil, err
		}
		a.unplanned = !plan.have(featuresOf(a.seenWith)...)
		switch {
		case *m.sequence > until && s.matches(a):
			planned = append(planned, plannedDelivery{s.EndpointID, m, causeEvent})
		case *m.sequence <= until && !m.at.Before(since) && narrowed.matches(a) && s.matches(a): // it repeats, and never adds types
			planned = append(planned, plannedDelivery{s.EndpointID, m, causeReplay})
		}
	}
	return planned, nil
}
