package main

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// poll is what an owner does with the database at a time, in one transaction: it writes what its calls came to and takes the
// next deliveries that are due. Holding the endpoint's row of dispatch, it knows that it still owns the endpoint, and that
// nobody writes to its lanes meanwhile.
type poll struct {
	*leaseHolder
	now      time.Time
	health   endpointHealth
	halted   bool // held, gone, suspended or blocked: nothing may be sent
	endpoint *endpointRow

	jobs           []job
	nextPollIn     time.Duration // when to look again without being told
	released       bool          // the endpoint was given back
	needsReconcile bool          // the endpoint's record does not say yet how it fares
}

// endpointRow is what an endpoint's record says about its deliveries; nil where it was deleted.
type endpointRow struct {
	status       string
	rateLimit    *int
	failingSince *time.Time
}

// pollTransactionTimeout has the database end a turn whose process hangs: it holds the endpoint's row.
const pollTransactionTimeout = "SET LOCAL idle_in_transaction_session_timeout = 5000"

// poll takes a turn. leave gives the endpoint back where nothing is due.
func (o *leaseHolder) poll(ctx context.Context, leave bool) (*poll, error) {
	t := &poll{leaseHolder: o, now: o.now(), nextPollIn: time.Minute}
	licensed := o.plans.include(ctx, o.key.organizationID, t.now)
	finished := 0 // of kept, by this turn
	err := o.db.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		if err := t.lockDispatch(ctx, tx); err != nil {
			return err
		}
		batch := &pgx.Batch{}
		finished = len(o.unrecorded)
		t.writeResults(batch, o.unrecorded)
		if !licensed && !t.halted {
			t.halted = true
			batch.Queue(`UPDATE dispatch SET suspended_until = $3 WHERE organization_id = $1 AND endpoint_id = $2`,
				o.key.organizationID, o.key.endpointID, t.now.Add(planTTL))
		}
		nextAt := t.fetchDue(batch)
		if err := tx.SendBatch(ctx, batch).Close(); err != nil {
			return err
		}
		if err := t.load(ctx, tx); err != nil {
			return err
		}
		return t.release(ctx, tx, leave, *nextAt)
	})
	if err != nil {
		return nil, err
	}
	o.metrics.count(ctx, o.unrecorded[:finished])
	for _, r := range o.unrecorded[:finished] {
		delete(o.running, r.orderingKey)
	}
	o.unrecorded = o.unrecorded[finished:]
	return t, nil
}

// lockDispatch holds the endpoint's row of dispatch, where it still is this worker's, and reads how things stand.
func (t *poll) lockDispatch(ctx context.Context, tx pgx.Tx) error {
	batch, mine, held := &pgx.Batch{}, false, false
	s := &t.health
	batch.Queue(pollTransactionTimeout)
	batch.Queue(`SELECT held OR gone, consecutive_failures, blocked_until, blocked_step, failing_since, last_success_at, last_attempt_at, refused
		FROM dispatch WHERE organization_id = $1 AND endpoint_id = $2 AND worker = $3 FOR NO KEY UPDATE`,
		t.key.organizationID, t.key.endpointID, t.number).Query(func(rows pgx.Rows) error {
		_, err := pgx.ForEachRow(rows, []any{&held, &s.consecutiveFailures, &s.blockedUntil, &s.blockedStep, &s.failingSince, &s.lastSuccessAt, &s.lastAttemptAt, &s.refused}, func() error {
			mine = true
			return nil
		})
		return err
	})
	batch.Queue(`SELECT status, rate_limit, failing_since FROM webhook_endpoint WHERE organization_id = $1 AND id = $2`,
		t.key.organizationID, t.key.endpointID).Query(func(rows pgx.Rows) error {
		var e endpointRow
		_, err := pgx.ForEachRow(rows, []any{&e.status, &e.rateLimit, &e.failingSince}, func() error {
			t.endpoint = &e
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
	t.halted = held || t.endpoint == nil || t.endpoint.status != active || t.stopping.Load()
	return nil
}

// writeResults keeps what calls came to: the attempts, what becomes of the deliveries, and how the endpoint fares.
func (t *poll) writeResults(batch *pgx.Batch, results []result) {
	if len(results) == 0 {
		return
	}
	f := outcomesOf(results, &t.health)
	org, endpoint := t.key.organizationID, t.key.endpointID
	insertAttempts(batch, org, results)
	batch.Queue(`UPDATE delivery d SET attempts = r.attempts, failures = r.failures, state = r.state, lane = CASE WHEN r.apart THEN d.id ELSE d.lane END,
			next_attempt_at = r.next_at, finished_at = r.finished_at, last_attempt_at = r.ended_at, last_status = r.status, last_error = r.error
		FROM unnest($2::uuid[], $3::int[], $4::int[], $5::text[], $6::bool[], $7::timestamptz[], $8::timestamptz[], $9::timestamptz[], $10::int[], $11::text[])
			r (id, attempts, failures, state, apart, next_at, finished_at, ended_at, status, error)
		WHERE d.organization_id = $1 AND d.id = r.id AND d.state = 'pending'`,
		org, f.ids, f.attempts, f.failures, f.states, f.detached, f.nextAts, f.finishedAts, f.endedAts, f.statuses, f.errors)
	batch.Queue(`INSERT INTO lane (organization_id, endpoint_id, lane, next_at)
		SELECT $1, $2, r.id, r.next_at FROM unnest($3::uuid[], $4::bool[], $5::timestamptz[]) r (id, apart, next_at) WHERE r.apart
		ON CONFLICT (organization_id, endpoint_id, lane) DO UPDATE SET next_at = excluded.next_at`, org, endpoint, f.ids, f.detached, f.nextAts)
	batch.Queue(advanceKeys, org, endpoint, f.orderingKeys, t.now)
	s := t.health
	batch.Queue(`UPDATE dispatch SET consecutive_failures = $3, blocked_until = $4, blocked_step = $5, failing_since = $6,
			last_success_at = coalesce($7, last_success_at), last_attempt_at = $8, refused = $9
		WHERE organization_id = $1 AND endpoint_id = $2`,
		org, endpoint, s.consecutiveFailures, s.blockedUntil, s.blockedStep, s.failingSince, s.lastSuccessAt, s.lastAttemptAt, s.refused)
}

// capacity is how many calls may be begun now.
func (t *poll) capacity() int {
	room := maxConcurrentCalls - len(t.running) + len(t.unrecorded)
	switch {
	case t.halted || t.health.open(t.now) || t.health.refused:
		return 0
	case t.health.failing(): // half open: one delivery shows whether the receiver is back
		room = 1 - len(t.running) + len(t.unrecorded)
	}
	if wait := max(t.throttledUntil.Sub(t.now), t.nextCallAt.Sub(t.now)); wait > 0 {
		t.nextPollIn = wait
		return 0
	}
	if t.endpoint.rateLimit != nil {
		room = min(room, 1+int(paceWindow*time.Duration(*t.endpoint.rateLimit)/time.Second))
	}
	return max(room, 0)
}

// fetchDue asks for the heads of lanes that are due, the longest due first, and for when the next one is. Of an endpoint to which
// nothing may be sent, no lane is looked at, however many there are.
func (t *poll) fetchDue(batch *pgx.Batch) *time.Time {
	nextAt := new(time.Time)
	if t.halted || t.health.open(t.now) {
		return nextAt
	}
	busy := []string{} // lanes with a call under way; not those whose result this turn has written
	for lane := range t.running {
		if !containsKey(t.unrecorded, lane) {
			busy = append(busy, lane)
		}
	}
	if room := t.capacity(); room > 0 {
		batch.Queue(dueKeys, t.key.organizationID, t.key.endpointID, t.now, busy, room).Query(func(rows pgx.Rows) error {
			var j job
			_, err := pgx.ForEachRow(rows, []any{&j.orderingKey, &j.deliveryID, &j.attempts, &j.failures, &j.cause, &j.message.id}, func() error {
				t.jobs = append(t.jobs, j)
				return nil
			})
			return err
		})
	}
	batch.Queue(nextDueKey, t.key.organizationID, t.key.endpointID, t.now).Query(func(rows pgx.Rows) error {
		_, err := pgx.ForEachRow(rows, []any{nextAt}, func() error { return nil })
		return err
	})
	return nextAt
}

func containsKey(results []result, lane string) bool {
	for i := range results {
		if results[i].orderingKey == lane {
			return true
		}
	}
	return false
}

// load gives the jobs their messages and where they go. Lanes whose deliveries are gone, swept away with age, end.
func (t *poll) load(ctx context.Context, tx pgx.Tx) error {
	if len(t.jobs) == 0 {
		return nil
	}
	messages, ids := map[string]message{}, []string{}
	for _, j := range t.jobs {
		if j.deliveryID != "" {
			ids = append(ids, j.message.id)
		}
	}
	rows, err := tx.Query(ctx, "SELECT "+messageColumns+" FROM event e WHERE e.organization_id = $1 AND e.id = ANY($2::uuid[])", t.key.organizationID, ids)
	if err != nil {
		return err
	}
	found, err := pgx.CollectRows(rows, scanMessage)
	if err != nil {
		return err
	}
	for _, m := range found {
		messages[m.id] = m
	}
	to, err := t.sealer.target(ctx, tx, t.key.endpointID) // with every turn: what was changed holds for the next call
	if err != nil {
		// Without its secret nothing can be sent: the attempts say so and count as failures, and the others go on.
		t.log.ErrorContext(ctx, "an endpoint's secret or headers cannot be opened", "endpoint", t.key.endpointID, "error", err)
	}
	var ready []job
	var empty []string
	for _, j := range t.jobs {
		m, kept := messages[j.message.id]
		if !kept {
			empty = append(empty, j.orderingKey)
			continue
		}
		j.message, j.target, j.notBefore = m, to, t.reserveSlot()
		ready = append(ready, j)
	}
	t.jobs = ready
	if t.endpoint.rateLimit != nil {
		t.nextPollIn = min(t.nextPollIn, t.nextCallAt.Sub(t.now)) // there may be more than the rate lets go now
	}
	if empty == nil {
		return nil
	}
	t.nextPollIn = 0
	_, err = tx.Exec(ctx, `DELETE FROM delivery WHERE organization_id = $1 AND endpoint_id = $2 AND lane = ANY($3::uuid[]) AND state = 'pending'
		AND NOT EXISTS (SELECT FROM event e WHERE e.organization_id = $1 AND e.id = delivery.event_id)`, t.key.organizationID, t.key.endpointID, empty)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, advanceKeys, t.key.organizationID, t.key.endpointID, empty, t.now)
	return err
}

// reserveSlot is when the next call may be made under the rate limit.
func (t *poll) reserveSlot() time.Time {
	if t.endpoint.rateLimit == nil {
		return time.Time{}
	}
	at := t.now
	if t.nextCallAt.After(at) {
		at = t.nextCallAt
	}
	t.nextCallAt = at.Add(time.Second / time.Duration(*t.endpoint.rateLimit))
	return at
}

// release says when to look again, and gives the endpoint back where that is not worth waiting for.
func (t *poll) release(ctx context.Context, tx pgx.Tx, leave bool, nextAt time.Time) error {
	closed := t.halted || t.health.open(t.now)
	if !nextAt.IsZero() {
		t.nextPollIn = min(t.nextPollIn, nextAt.Sub(t.now))
	}
	t.needsReconcile = t.endpoint != nil && t.endpoint.status == active && (t.health.shouldDisable() != "" || t.health.failing() != (t.endpoint.failingSince != nil))
	busy := len(t.jobs) > 0 || len(t.running) > len(t.unrecorded)
	if busy || t.needsReconcile || !closed && (!leave || t.nextPollIn < idleTimeout) {
		return nil
	}
	var next *time.Time
	if !nextAt.IsZero() {
		next = &nextAt
	}
	// What holds the endpoint up decides when to come back; else its next lane does. A process that ends leaves at once what it has.
	_, err := tx.Exec(ctx, `UPDATE dispatch SET worker = NULL, wake_at = CASE
			WHEN held OR gone THEN NULL
			WHEN $4 THEN $3
			WHEN blocked_until > $3 OR suspended_until > $3 THEN greatest(blocked_until, suspended_until)
			ELSE $5 END
		WHERE organization_id = $1 AND endpoint_id = $2`,
		t.key.organizationID, t.key.endpointID, t.now, t.stopping.Load(), next)
	t.released = err == nil
	return err
}
