package main

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// turn is what an owner does with the database at a time, in one transaction: it writes what its calls came to and takes the
// next deliveries that are due. Holding the endpoint's row of dispatch, it knows that it still owns the endpoint, and that
// nobody writes to its lanes meanwhile.
type turn struct {
	*owner
	now      time.Time
	standing standing
	idle     bool // held, gone, suspended or blocked: nothing may be sent
	found    *endpointRow

	jobs     []job
	again    time.Duration // when to look again without being told
	released bool          // the endpoint was given back
	settle   bool          // the endpoint's record does not say yet how it fares
}

// endpointRow is what an endpoint's record says about its deliveries; nil where it was deleted.
type endpointRow struct {
	status       string
	rateLimit    *int
	failingSince *time.Time
}

// abandonedTurn has the database end a turn whose process hangs: it holds the endpoint's row.
const abandonedTurn = "SET LOCAL idle_in_transaction_session_timeout = 5000"

// turn takes a turn. leave gives the endpoint back where nothing is due.
func (o *owner) turn(ctx context.Context, leave bool) (*turn, error) {
	t := &turn{owner: o, now: o.now(), again: time.Minute}
	licensed := o.plans.include(ctx, o.key.organizationID, t.now)
	finished := 0 // of kept, by this turn
	err := o.db.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		if err := t.lock(ctx, tx); err != nil {
			return err
		}
		batch := &pgx.Batch{}
		finished = len(o.kept)
		t.write(batch, o.kept)
		if !licensed && !t.idle {
			t.idle = true
			batch.Queue(`UPDATE dispatch SET suspended_until = $3 WHERE organization_id = $1 AND endpoint_id = $2`,
				o.key.organizationID, o.key.endpointID, t.now.Add(planAge))
		}
		nextAt := t.take(batch)
		if err := tx.SendBatch(ctx, batch).Close(); err != nil {
			return err
		}
		if err := t.equip(ctx, tx); err != nil {
			return err
		}
		return t.giveBack(ctx, tx, leave, *nextAt)
	})
	if err != nil {
		return nil, err
	}
	o.meters.count(ctx, o.kept[:finished])
	for _, r := range o.kept[:finished] {
		delete(o.running, r.lane)
	}
	o.kept = o.kept[finished:]
	return t, nil
}

// lock holds the endpoint's row of dispatch, where it still is this worker's, and reads how things stand.
func (t *turn) lock(ctx context.Context, tx pgx.Tx) error {
	batch, mine, held := &pgx.Batch{}, false, false
	s := &t.standing
	batch.Queue(abandonedTurn)
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
			t.found = &e
			return nil
		})
		return err
	})
	if err := tx.SendBatch(ctx, batch).Close(); err != nil {
		return err
	}
	if !mine {
		return errLost
	}
	t.idle = held || t.found == nil || t.found.status != active || t.leaving.Load()
	return nil
}

// write keeps what calls came to: the attempts, what becomes of the deliveries, and how the endpoint fares.
func (t *turn) write(batch *pgx.Batch, results []result) {
	if len(results) == 0 {
		return
	}
	f := fates(results, &t.standing)
	org, endpoint := t.key.organizationID, t.key.endpointID
	insertAttempts(batch, org, results)
	batch.Queue(`UPDATE delivery d SET attempts = r.attempts, failures = r.failures, state = r.state, lane = CASE WHEN r.apart THEN d.id ELSE d.lane END,
			next_attempt_at = r.next_at, finished_at = r.finished_at, last_attempt_at = r.ended_at, last_status = r.status, last_error = r.error
		FROM unnest($2::uuid[], $3::int[], $4::int[], $5::text[], $6::bool[], $7::timestamptz[], $8::timestamptz[], $9::timestamptz[], $10::int[], $11::text[])
			r (id, attempts, failures, state, apart, next_at, finished_at, ended_at, status, error)
		WHERE d.organization_id = $1 AND d.id = r.id AND d.state = 'pending'`,
		org, f.ids, f.attempts, f.failures, f.states, f.apart, f.nextAts, f.finishedAts, f.endedAts, f.statuses, f.errors)
	batch.Queue(`INSERT INTO lane (organization_id, endpoint_id, lane, next_at)
		SELECT $1, $2, r.id, r.next_at FROM unnest($3::uuid[], $4::bool[], $5::timestamptz[]) r (id, apart, next_at) WHERE r.apart
		ON CONFLICT (organization_id, endpoint_id, lane) DO UPDATE SET next_at = excluded.next_at`, org, endpoint, f.ids, f.apart, f.nextAts)
	batch.Queue(advanceLanes, org, endpoint, f.lanes, t.now)
	s := t.standing
	batch.Queue(`UPDATE dispatch SET consecutive_failures = $3, blocked_until = $4, blocked_step = $5, failing_since = $6,
			last_success_at = coalesce($7, last_success_at), last_attempt_at = $8, refused = $9
		WHERE organization_id = $1 AND endpoint_id = $2`,
		org, endpoint, s.consecutiveFailures, s.blockedUntil, s.blockedStep, s.failingSince, s.lastSuccessAt, s.lastAttemptAt, s.refused)
}

// room is how many calls may be begun now.
func (t *turn) room() int {
	room := lanesAtOnce - len(t.running) + len(t.kept)
	switch {
	case t.idle || t.standing.open(t.now) || t.standing.refused:
		return 0
	case t.standing.failing(): // half open: one delivery shows whether the receiver is back
		room = 1 - len(t.running) + len(t.kept)
	}
	if wait := max(t.quiet.Sub(t.now), t.paced.Sub(t.now)); wait > 0 {
		t.again = wait
		return 0
	}
	if t.found.rateLimit != nil {
		room = min(room, 1+int(paceWindow*time.Duration(*t.found.rateLimit)/time.Second))
	}
	return max(room, 0)
}

// take asks for the heads of lanes that are due, the longest due first, and for when the next one is. Of an endpoint to which
// nothing may be sent, no lane is looked at, however many there are.
func (t *turn) take(batch *pgx.Batch) *time.Time {
	nextAt := new(time.Time)
	if t.idle || t.standing.open(t.now) {
		return nextAt
	}
	busy := []string{} // lanes with a call under way; not those whose result this turn has written
	for lane := range t.running {
		if !contains(t.kept, lane) {
			busy = append(busy, lane)
		}
	}
	if room := t.room(); room > 0 {
		batch.Queue(dueLanes, t.key.organizationID, t.key.endpointID, t.now, busy, room).Query(func(rows pgx.Rows) error {
			var j job
			_, err := pgx.ForEachRow(rows, []any{&j.lane, &j.deliveryID, &j.attempts, &j.failures, &j.cause, &j.message.id}, func() error {
				t.jobs = append(t.jobs, j)
				return nil
			})
			return err
		})
	}
	batch.Queue(nextLane, t.key.organizationID, t.key.endpointID, t.now).Query(func(rows pgx.Rows) error {
		_, err := pgx.ForEachRow(rows, []any{nextAt}, func() error { return nil })
		return err
	})
	return nextAt
}

func contains(results []result, lane string) bool {
	for i := range results {
		if results[i].lane == lane {
			return true
		}
	}
	return false
}

// equip gives the jobs their messages and where they go. Lanes whose deliveries are gone, swept away with age, end.
func (t *turn) equip(ctx context.Context, tx pgx.Tx) error {
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
			empty = append(empty, j.lane)
			continue
		}
		j.message, j.target, j.notBefore = m, to, t.pace()
		ready = append(ready, j)
	}
	t.jobs = ready
	if t.found.rateLimit != nil {
		t.again = min(t.again, t.paced.Sub(t.now)) // there may be more than the rate lets go now
	}
	if empty == nil {
		return nil
	}
	t.again = 0
	_, err = tx.Exec(ctx, `DELETE FROM delivery WHERE organization_id = $1 AND endpoint_id = $2 AND lane = ANY($3::uuid[]) AND state = 'pending'
		AND NOT EXISTS (SELECT FROM event e WHERE e.organization_id = $1 AND e.id = delivery.event_id)`, t.key.organizationID, t.key.endpointID, empty)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, advanceLanes, t.key.organizationID, t.key.endpointID, empty, t.now)
	return err
}

// pace is when the next call may be made under the rate limit.
func (t *turn) pace() time.Time {
	if t.found.rateLimit == nil {
		return time.Time{}
	}
	at := t.now
	if t.paced.After(at) {
		at = t.paced
	}
	t.paced = at.Add(time.Second / time.Duration(*t.found.rateLimit))
	return at
}

// giveBack says when to look again, and gives the endpoint back where that is not worth waiting for.
func (t *turn) giveBack(ctx context.Context, tx pgx.Tx, leave bool, nextAt time.Time) error {
	closed := t.idle || t.standing.open(t.now)
	if !nextAt.IsZero() {
		t.again = min(t.again, nextAt.Sub(t.now))
	}
	t.settle = t.found != nil && t.found.status == active && (t.standing.doomed() != "" || t.standing.failing() != (t.found.failingSince != nil))
	busy := len(t.jobs) > 0 || len(t.running) > len(t.kept)
	if busy || t.settle || !closed && (!leave || t.again < lingering) {
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
		t.key.organizationID, t.key.endpointID, t.now, t.leaving.Load(), next)
	t.released = err == nil
	return err
}
