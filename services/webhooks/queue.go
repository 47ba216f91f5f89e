package webhooks

import (
	"context"
	"encoding/json"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"ams.internal/libs/principal"
)

// cause is why a delivery is made.
type cause string

const (
	causeEvent      cause = "event"
	causeReplay     cause = "replay"
	causeRedelivery cause = "redelivery"
	causeTest       cause = "test"
)

func newID() string { return uuid.Must(uuid.NewV7()).String() }

// plannedDelivery is a delivery that is to be queued.
type plannedDelivery struct {
	endpointID string
	message    *message
	cause      cause
}

// enqueue queues deliveries of one organization in their order and gives their ids. It locks their endpoints' rows of dispatch
// until the commit. Its statements go into batch, which must run in a transaction of the organization.
func enqueue(batch *pgx.Batch, organizationID string, planned []plannedDelivery, now time.Time) []string {
	n := len(planned)
	if n == 0 {
		return nil
	}
	ids, endpoints, events, keys := make([]string, n), make([]string, n), make([]string, n), make([]string, n)
	types, records, causes, sequences := make([]string, n), make([]string, n), make([]string, n), make([]*int64, n)
	for i, p := range planned {
		ids[i], endpoints[i], events[i], types[i], records[i] = newID(), p.endpointID, p.message.id, p.message.eventType, p.message.recordID
		causes[i], sequences[i], keys[i] = string(p.cause), p.message.sequence, p.message.recordID
		if p.cause == causeRedelivery || p.cause == causeTest {
			keys[i] = ids[i] // an ordering key of its own: it neither waits nor holds others up
		}
	}
	scheduleDispatch(batch, organizationID, endpoints, now)
	batch.Queue(`INSERT INTO lane (organization_id, endpoint_id, lane, next_at)
		SELECT DISTINCT $1::uuid, l.endpoint_id, l.lane, $4::timestamptz FROM unnest($2::uuid[], $3::uuid[]) l (endpoint_id, lane)
		ON CONFLICT (organization_id, endpoint_id, lane) DO NOTHING`, organizationID, endpoints, keys, now)
	batch.Queue(`INSERT INTO delivery
			(organization_id, id, endpoint_id, event_id, event_type, record_id, lane, cause, sequence, next_attempt_at, created_at)
		SELECT $1, d.id, d.endpoint_id, d.event_id, d.event_type, d.record_id, d.lane, d.cause, d.sequence, $10, $10
		FROM unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::text[], $6::uuid[], $7::uuid[], $8::text[], $9::bigint[]) WITH ORDINALITY
			d (id, endpoint_id, event_id, event_type, record_id, lane, cause, sequence, place) ORDER BY d.place`,
		organizationID, ids, endpoints, events, types, records, keys, causes, sequences, now)
	return ids
}

// scheduleDispatch locks the rows of dispatch of endpoints, makes them due, and notifies their lease holders. An endpoint that
// is blocked or suspended is due when that ends; one that is paused, disabled or deleted is not made due.
func scheduleDispatch(batch *pgx.Batch, organizationID string, endpointIDs []string, now time.Time) {
	batch.Queue(`INSERT INTO dispatch AS d (organization_id, endpoint_id, wake_at, knock)
		SELECT DISTINCT $1::uuid, e.id, $3::timestamptz, 1 FROM unnest($2::uuid[]) e (id) ORDER BY e.id
		ON CONFLICT (organization_id, endpoint_id) DO UPDATE SET knock = d.knock + 1,
			wake_at = CASE WHEN d.held OR d.deleted THEN d.wake_at
				ELSE least(d.wake_at, greatest($3, d.blocked_until, d.suspended_until)) END`,
		organizationID, endpointIDs, now)
}

// enqueueRedelivery queues one more delivery of an event, out of the order of its record, and gives its id.
func enqueueRedelivery(ctx context.Context, tx pgx.Tx, endpointID string, m message, now time.Time) (string, error) {
	batch := &pgx.Batch{}
	ids := enqueue(batch, m.organizationID, []plannedDelivery{{endpointID, &m, causeRedelivery}}, now)
	return ids[0], tx.SendBatch(ctx, batch).Close()
}

// recordTest writes a test call that was made: its event, which is not in the feed, its delivery, and its attempt.
func recordTest(ctx context.Context, tx pgx.Tx, endpointID, deliveryID string, m message, a attempt) error {
	state, message, status := "delivered", (*string)(nil), (*int)(nil)
	if a.failure != "" {
		state, message = "failed", &a.failure
	}
	if a.responseStatus != 0 {
		status = &a.responseStatus
	}
	ended := a.at.Add(a.duration)
	batch := &pgx.Batch{}
	batch.Queue(`INSERT INTO event (organization_id, id, type, collection, record_id, version, payload, traceparent, at, received_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7::text::json, $8, $9, $9)`,
		m.organizationID, m.id, m.eventType, m.collection, m.recordID, m.version, string(m.payload), m.traceparent, m.at)
	batch.Queue(`INSERT INTO delivery (organization_id, id, endpoint_id, event_id, event_type, record_id, lane, state, cause,
			attempts, failures, created_at, finished_at, last_attempt_at, last_status, last_error)
		VALUES ($1, $2, $3, $4, $5, $6, $2, $7, 'test', 1, CASE WHEN $7 = 'failed' THEN 1 ELSE 0 END, $8, $9, $9, $10, $11)`,
		m.organizationID, deliveryID, endpointID, m.id, m.eventType, m.recordID, state, a.at, ended, status, message)
	insertAttempts(batch, m.organizationID, []result{{deliveryID: deliveryID, attempt: a}})
	return tx.SendBatch(ctx, batch).Close()
}

// insertAttempts writes attempts of an organization. One that is there already was written by a worker that took over.
func insertAttempts(batch *pgx.Batch, organizationID string, results []result) {
	n := len(results)
	deliveries, numbers, ats, durations := make([]string, n), make([]int, n), make([]time.Time, n), make([]int, n)
	sent, statuses, received := make([]string, n), make([]*int, n), make([]*string, n)
	bodies, failures := make([]*string, n), make([]*string, n)
	destinations, formats, payloads := make([]string, n), make([]string, n), make([]string, n)
	for i := range results {
		a := &results[i].attempt
		deliveries[i], numbers[i], ats[i], durations[i] = results[i].deliveryID, a.number, a.at, int(a.duration.Milliseconds())
		sent[i] = headersJSON(a.requestHeaders)
		destinations[i], formats[i], payloads[i] = a.sentAs.destination, a.sentAs.format, a.sentAs.payload
		if a.responseStatus != 0 {
			headers := headersJSON(a.responseHeaders)
			statuses[i], received[i], bodies[i] = &a.responseStatus, &headers, &a.responseBody
		}
		if a.failure != "" {
			failures[i] = &a.failure
		}
	}
	batch.Queue(`INSERT INTO attempt
			(organization_id, delivery_id, number, at, duration_ms, request_headers, response_status, response_headers, response_body, error,
			destination, format, payload)
		SELECT $1, a.delivery_id, a.number, a.at, a.duration_ms, a.sent::json, a.status, a.received::json, a.body, a.error,
			nullif(a.destination, ''), nullif(a.format, ''), nullif(a.payload, '')
		FROM unnest($2::uuid[], $3::int[], $4::timestamptz[], $5::int[], $6::text[], $7::int[], $8::text[], $9::text[], $10::text[], $11::text[],
			$12::text[], $13::text[])
			a (delivery_id, number, at, duration_ms, sent, status, received, body, error, destination, format, payload)
		ON CONFLICT (organization_id, delivery_id, number) DO NOTHING`,
		organizationID, deliveries, numbers, ats, durations, sent, statuses, received, bodies, failures, destinations, formats, payloads)
}

func headersJSON(headers map[string]string) string {
	if headers == nil {
		return "{}"
	}
	encoded, _ := json.Marshal(headers) // strings only: cannot fail
	return string(encoded)
}

// pauseDispatch stops the deliveries of an endpoint that is paused or disabled. Calls under way are finished.
func pauseDispatch(ctx context.Context, tx pgx.Tx, endpointID string) error {
	_, err := tx.Exec(ctx, `INSERT INTO dispatch AS d (organization_id, endpoint_id, held) VALUES ($1, $2, true)
		ON CONFLICT (organization_id, endpoint_id) DO UPDATE SET held = true, wake_at = NULL, knock = d.knock + 1`,
		principal.From(ctx).OrganizationID, endpointID)
	return err
}

// resumeDispatch continues an endpoint's deliveries with its health as new. Deliveries that wait for a retry are due at once.
func resumeDispatch(ctx context.Context, tx pgx.Tx, endpointID string, now time.Time) error {
	organization := principal.From(ctx).OrganizationID
	batch := &pgx.Batch{}
	batch.Queue(`INSERT INTO dispatch AS d (organization_id, endpoint_id, wake_at) VALUES ($1, $2, $3)
		ON CONFLICT (organization_id, endpoint_id) DO UPDATE SET held = false, refused = false, wake_at = $3, knock = d.knock + 1,
			consecutive_failures = 0, blocked_until = NULL, blocked_step = 0, failing_since = NULL`, organization, endpointID, now)
	// These are only the deliveries that were tried before: few, however many wait.
	batch.Queue(`UPDATE delivery d SET next_attempt_at = $3 FROM lane l
		WHERE d.organization_id = $1 AND d.endpoint_id = $2 AND d.state = 'pending' AND l.organization_id = $1 AND l.endpoint_id = $2
		AND l.next_at > $3 AND d.lane = l.lane AND d.next_attempt_at > $3`, organization, endpointID, now)
	batch.Queue(`UPDATE lane SET next_at = $3 WHERE organization_id = $1 AND endpoint_id = $2 AND next_at > $3`, organization, endpointID, now)
	return tx.SendBatch(ctx, batch).Close()
}

// markDeleted stops the deliveries of an endpoint that is being deleted. The purge deletes them later, in small batches.
func markDeleted(ctx context.Context, tx pgx.Tx, endpointID string) error {
	_, err := tx.Exec(ctx, `INSERT INTO dispatch AS d (organization_id, endpoint_id, deleted) VALUES ($1, $2, true)
		ON CONFLICT (organization_id, endpoint_id) DO UPDATE SET deleted = true, wake_at = NULL, knock = d.knock + 1`,
		principal.From(ctx).OrganizationID, endpointID)
	return err
}
