package webhooks

// The queries of an endpoint's queues. A delivery has an ordering key, which is the id of its record, or its own id when it
// neither waits for others nor holds them up. Deliveries with one key are made one after the other, in the order in which they
// were queued. The table lane has a row for each key with a pending delivery; its next_at is when the first of them is due.
//
// $1 is the organization, $2 the endpoint. Each query finds the few keys that it is about by an index, however many there are.
const (
	// dueKeys gives the keys that are due at $3 with their first deliveries: $5 at most, the longest due first, and none of $4,
	// for which a call is under way. The delivery is empty when it was purged.
	dueKeys = `SELECT l.lane::text, coalesce(h.id::text, ''), coalesce(h.attempts, 0), coalesce(h.failures, 0), coalesce(h.cause, ''),
			coalesce(h.event_id::text, '')
		FROM (
			SELECT l.lane, l.next_at FROM lane l
			WHERE l.organization_id = $1 AND l.endpoint_id = $2 AND l.next_at <= $3 AND l.lane <> ALL ($4::uuid[])
			ORDER BY l.next_at LIMIT $5
		) l LEFT JOIN LATERAL (
			SELECT d.id, d.attempts, d.failures, d.cause, d.event_id FROM delivery d
			WHERE d.organization_id = $1 AND d.endpoint_id = $2 AND d.lane = l.lane AND d.state = 'pending' ORDER BY d.place LIMIT 1
		) h ON true ORDER BY l.next_at`

	// nextDueKey gives when the first of the keys that are not due at $3 will be.
	nextDueKey = `SELECT l.next_at FROM lane l
		WHERE l.organization_id = $1 AND l.endpoint_id = $2 AND l.next_at > $3 ORDER BY l.next_at LIMIT 1`

	// advanceKeys makes the keys $3 due with their next delivery, but not before the time $4. So a record with many deliveries
	// comes behind the others that are due. A key without a pending delivery is deleted.
	advanceKeys = `WITH head AS MATERIALIZED (
			SELECT l.lane, h.next_attempt_at FROM (SELECT DISTINCT unnest($3::uuid[]) AS lane) l LEFT JOIN LATERAL (
				SELECT d.next_attempt_at FROM delivery d
				WHERE d.organization_id = $1 AND d.endpoint_id = $2 AND d.lane = l.lane AND d.state = 'pending' ORDER BY d.place LIMIT 1) h ON true
		), ended AS (
			DELETE FROM lane l USING head h WHERE l.organization_id = $1 AND l.endpoint_id = $2 AND l.lane = h.lane AND h.next_attempt_at IS NULL
		)
		UPDATE lane l SET next_at = greatest(h.next_attempt_at, $4) FROM head h
		WHERE l.organization_id = $1 AND l.endpoint_id = $2 AND l.lane = h.lane AND h.next_attempt_at IS NOT NULL`
)
