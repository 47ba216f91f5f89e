package webhooks

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// poll is one transaction of a lease holder: it records what came of the calls and takes the deliveries that are due. It locks
// the endpoint's row of dispatch. So the lease is held until the commit, and nobody changes the endpoint's queues meanwhile.
type poll struct {
	*leaseHolder
	now      time.Time
	health   endpointHealth
	halted   bool         // paused, disabled, deleted, suspended or stopping: nothing may be sent
	endpoint *endpointRow // nil: it was deleted

	jobs           []job
	nextPollIn     time.Duration // without a notification or a result
	released       bool          // the lease was given up
	needsReconcile bool          // the endpoint's record does not show its health yet
}

// endpointRow is what an endpoint's record says about its deliveries.
type endpointRow struct {
	status       string
	rateLimit    *int
	failingSince *time.Time
}

// pollTransactionTimeout has the database end the transaction of a process that hangs: it locks the endpoint's row.
const pollTransactionTimeout = "SET LOCAL idle_in_transaction_session_timeout = 5000"

// poll polls once. mayRelease gives up the lease when nothing is due.
func (h *leaseHolder) poll(ctx context.Context, mayRelease bool) (*poll, error) {
	p := &poll{leaseHolder: h, now: h.now(), nextPollIn: time.Minute}
	licensed := h.plans.include(ctx, h.key.organizationID, p.now)
	recorded := 0 // of h.unrecorded
	err := h.db.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		if err := p.lockDispatch(ctx, tx); err != nil {
			return err
		}
		batch := &pgx.Batch{}
		recorded = len(h.unrecorded)
		p.recordResults(batch, h.unrecorded)
		if !licensed && !p.halted {
			p.halted = true
			batch.Queue(`UPDATE dispatch SET suspended_until = $3 WHERE organization_id = $1 AND endpoint_id = $2`,
				h.key.organizationID, h.key.endpointID, p.now.Add(planTTL))
		}
		nextAt := p.fetchDue(batch)
		if err := tx.SendBatch(ctx, batch).Close(); err != nil {
			return err
		}
		if err := p.load(ctx, tx); err != nil {
			return err
		}
		return p.release(ctx, tx, mayRelease, *nextAt)
	})
	if err != nil {
		return nil, err
	}
	h.metrics.count(ctx, h.unrecorded[:recorded])
	for _, r := range h.unrecorded[:recorded] {
		delete(h.running, r.orderingKey)
	}
	h.unrecorded = h.unrecorded[recorded:]
	return p, nil
}

// lockDispatch locks the endpoint's row of dispatch and reads the endpoint's health. It fails with errLeaseLost when the
// lease is another worker's.
func (p *poll) lockDispatch(ctx context.Context, tx pgx.Tx) error {
	batch, mine, held := &pgx.Batch{}, false, false
	s := &p.health
	columns := []any{&held, &s.consecutiveFailures, &s.blockedUntil, &s.blockedStep, &s.failingSince,
		&s.lastSuccessAt, &s.lastAttemptAt, &s.refused}
	batch.Queue(pollTransactionTimeout)
	batch.Queue(`SELECT held OR deleted, consecutive_failures, blocked_until, blocked_step, failing_since,
			last_success_at, last_attempt_at, refused
		FROM dispatch WHERE organization_id = $1 AND endpoint_id = $2 AND worker = $3 FOR NO KEY UPDATE`,
		p.key.organizationID, p.key.endpointID, p.number).Query(func(rows pgx.Rows) error {
		_, err := pgx.ForEachRow(rows, columns, func() error {
			mine = true
			return nil
		})
		return err
	})
	batch.Queue(`SELECT status, rate_limit, failing_since FROM webhook_endpoint WHERE organization_id = $1 AND id = $2`,
		p.key.organizationID, p.key.endpointID).Query(func(rows pgx.Rows) error {
		var e endpointRow
		_, err := pgx.ForEachRow(rows, []any{&e.status, &e.rateLimit, &e.failingSince}, func() error {
			p.endpoint = &e
			return nil
		})
		return err
	})
	if err := tx.SendBatch(ctx, batch).Close(); err != nil {
		return err
	}
	if !mine {
		return errLeaseLost
	}
	p.halted = held || p.endpoint == nil || p.endpoint.status != active || p.stopping.Load()
	return nil
}

// recordResults writes the attempts, the state of their deliveries, and the health of the endpoint.
func (p *poll) recordResults(batch *pgx.Batch, results []result) {
	if len(results) == 0 {
		return
	}
	o := outcomesOf(results, &p.health)
	org, endpoint := p.key.organizationID, p.key.endpointID
	insertAttempts(batch, org, results)
	batch.Queue(`UPDATE delivery d SET attempts = r.attempts, failures = r.failures, state = r.state,
			lane = CASE WHEN r.detached THEN d.id ELSE d.lane END,
			next_attempt_at = r.next_at, finished_at = r.finished_at, last_attempt_at = r.ended_at, last_status = r.status, last_error = r.error
		FROM unnest($2::uuid[], $3::int[], $4::int[], $5::text[], $6::bool[], $7::timestamptz[], $8::timestamptz[], $9::timestamptz[], $10::int[],
			$11::text[]) r (id, attempts, failures, state, detached, next_at, finished_at, ended_at, status, error)
		WHERE d.organization_id = $1 AND d.id = r.id AND d.state = 'pending'`,
		org, o.ids, o.attempts, o.failures, o.states, o.detached, o.nextAts, o.finishedAts, o.endedAts, o.statuses, o.errors)
	batch.Queue(`INSERT INTO lane (organization_id, endpoint_id, lane, next_at)
		SELECT $1, $2, r.id, r.next_at FROM unnest($3::uuid[], $4::bool[], $5::timestamptz[]) r (id, detached, next_at) WHERE r.detached
		ON CONFLICT (organization_id, endpoint_id, lane) DO UPDATE SET next_at = excluded.next_at`, org, endpoint, o.ids, o.detached, o.nextAts)
	batch.Queue(advanceKeys, org, endpoint, o.orderingKeys, p.now)
	s := p.health
	batch.Queue(`UPDATE dispatch SET consecutive_failures = $3, blocked_until = $4, blocked_step = $5, failing_since = $6,
			last_success_at = coalesce($7, last_success_at), last_attempt_at = $8, refused = $9
		WHERE organization_id = $1 AND endpoint_id = $2`,
		org, endpoint, s.consecutiveFailures, s.blockedUntil, s.blockedStep, s.failingSince, s.lastSuccessAt, s.lastAttemptAt, s.refused)
}

// fetchDue queries the deliveries that are due, the longest due first, and gives where the time of the next one will stand.
// While nothing may be sent it queries nothing, so that waiting deliveries cost nothing, however many they are.
func (p *poll) fetchDue(batch *pgx.Batch) *time.Time {
	nextAt := new(time.Time)
	if p.halted || p.health.open(p.now) {
		return nextAt
	}
	busy := []string{} // ordering keys with a call under way; not those whose result this poll records
	for key := range p.running {
		if !containsKey(p.unrecorded, key) {
			busy = append(busy, key)
		}
	}
	if capacity := p.capacity(); capacity > 0 {
		batch.Queue(dueKeys, p.key.organizationID, p.key.endpointID, p.now, busy, capacity).Query(func(rows pgx.Rows) error {
			var j job
			_, err := pgx.ForEachRow(rows, []any{&j.orderingKey, &j.deliveryID, &j.attempts, &j.failures, &j.cause, &j.message.id}, func() error {
				p.jobs = append(p.jobs, j)
				return nil
			})
			return err
		})
	}
	batch.Queue(nextDueKey, p.key.organizationID, p.key.endpointID, p.now).Query(func(rows pgx.Rows) error {
		_, err := pgx.ForEachRow(rows, []any{nextAt}, func() error { return nil })
		return err
	})
	return nextAt
}

func containsKey(results []result, key string) bool {
	for i := range results {
		if results[i].orderingKey == key {
			return true
		}
	}
	return false
}

// capacity is how many calls may be begun now.
func (p *poll) capacity() int {
	capacity := maxConcurrentCalls - len(p.running) + len(p.unrecorded)
	switch {
	case p.halted || p.health.open(p.now) || p.health.refused:
		return 0
	case p.health.failing(): // half open: one delivery is tried
		capacity = 1 - len(p.running) + len(p.unrecorded)
	}
	if wait := max(p.throttledUntil.Sub(p.now), p.nextCallAt.Sub(p.now)); wait > 0 {
		p.nextPollIn = wait
		return 0
	}
	if p.endpoint.rateLimit != nil {
		capacity = min(capacity, 1+int(rateWindow*time.Duration(*p.endpoint.rateLimit)/time.Second))
	}
	return max(capacity, 0)
}

// load reads the events of the jobs and the target of their calls. Jobs whose delivery or event was purged are dropped.
func (p *poll) load(ctx context.Context, tx pgx.Tx) error {
	if len(p.jobs) == 0 {
		return nil
	}
	messages, err := p.messages(ctx, tx)
	if err != nil {
		return err
	}
	to, err := p.sealer.target(ctx, tx, p.key.endpointID) // at every poll: a change of the endpoint holds for the next call
	if err != nil {
		// Without its secret nothing can be sent. The attempts fail and say so, and other endpoints are not held up.
		p.log.ErrorContext(ctx, "an endpoint's secret or headers cannot be opened", "endpoint", p.key.endpointID, "error", err)
	}
	var loaded []job
	var purged []string // ordering keys
	for _, j := range p.jobs {
		m, found := messages[j.message.id]
		if !found {
			purged = append(purged, j.orderingKey)
			continue
		}
		j.message, j.target, j.notBefore = m, to, p.reserveSlot()
		loaded = append(loaded, j)
	}
	p.jobs = loaded
	if p.endpoint.rateLimit != nil {
		p.nextPollIn = min(p.nextPollIn, p.nextCallAt.Sub(p.now)) // more may be due than the rate limit allows now
	}
	if purged == nil {
		return nil
	}
	p.nextPollIn = 0
	return p.dropPurged(ctx, tx, purged)
}

// messages reads the events of the jobs, by id, and counts their attempts, which begin: who takes over from a process that is killed in the
// middle of a call makes the next attempt, not the same one again.
func (p *poll) messages(ctx context.Context, tx pgx.Tx) (map[string]message, error) {
	messages, deliveries, ids := map[string]message{}, []string{}, []string{}
	for _, j := range p.jobs {
		if j.deliveryID != "" {
			deliveries, ids = append(deliveries, j.deliveryID), append(ids, j.message.id)
		}
	}
	batch := &pgx.Batch{}
	batch.Queue(`UPDATE delivery SET attempts = attempts + 1
		WHERE organization_id = $1 AND id = ANY($2::uuid[])`, p.key.organizationID, deliveries)
	batch.Queue("SELECT "+messageColumns+" FROM event e WHERE e.organization_id = $1 AND e.id = ANY($2::uuid[])", p.key.organizationID, ids).
		Query(func(rows pgx.Rows) error {
			found, err := pgx.CollectRows(rows, scanMessage)
			for _, m := range found {
				messages[m.id] = m
			}
			return err
		})
	return messages, tx.SendBatch(ctx, batch).Close()
}

// dropPurged deletes the pending deliveries of ordering keys whose events were purged.
func (p *poll) dropPurged(ctx context.Context, tx pgx.Tx, orderingKeys []string) error {
	_, err := tx.Exec(ctx, `DELETE FROM delivery
		WHERE organization_id = $1 AND endpoint_id = $2 AND lane = ANY($3::uuid[]) AND state = 'pending'
		AND NOT EXISTS (SELECT FROM event e WHERE e.organization_id = $1 AND e.id = delivery.event_id)`,
		p.key.organizationID, p.key.endpointID, orderingKeys)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, advanceKeys, p.key.organizationID, p.key.endpointID, orderingKeys, p.now)
	return err
}

// reserveSlot gives when the next call may be made under the rate limit, and moves the limit on.
func (p *poll) reserveSlot() time.Time {
	if p.endpoint.rateLimit == nil {
		return time.Time{}
	}
	at := p.now
	if p.nextCallAt.After(at) {
		at = p.nextCallAt
	}
	p.nextCallAt = at.Add(time.Second / time.Duration(*p.endpoint.rateLimit))
	return at
}

// release decides when to poll again, and gives up the lease when that is not worth waiting for.
func (p *poll) release(ctx context.Context, tx pgx.Tx, mayRelease bool, nextAt time.Time) error {
	closed := p.halted || p.health.open(p.now)
	if !nextAt.IsZero() {
		p.nextPollIn = min(p.nextPollIn, nextAt.Sub(p.now))
	}
	p.needsReconcile = p.endpoint != nil && p.endpoint.status == active &&
		(p.health.shouldDisable() != "" || p.health.failing() != (p.endpoint.failingSince != nil))
	busy := len(p.jobs) > 0 || len(p.running) > len(p.unrecorded)
	if busy || p.needsReconcile || !closed && (!mayRelease || p.nextPollIn < idleTimeout) {
		return nil
	}
	var next *time.Time
	if !nextAt.IsZero() {
		next = &nextAt
	}
	// The endpoint is due again when what blocks it ends, else with its next delivery. A process that stops leaves it due now.
	_, err := tx.Exec(ctx, `UPDATE dispatch SET worker = NULL, wake_at = CASE
			WHEN held OR deleted THEN NULL
			WHEN $4 THEN $3
			WHEN blocked_until > $3 OR suspended_until > $3 THEN greatest(blocked_until, suspended_until)
			ELSE $5 END
		WHERE organization_id = $1 AND endpoint_id = $2`,
		p.key.organizationID, p.key.endpointID, p.now, p.stopping.Load(), next)
	p.released = err == nil
	return err
}
