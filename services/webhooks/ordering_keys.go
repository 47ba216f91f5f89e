package main

// An owner's questions about its endpoint's lanes. Each goes by an index to the few lanes that it is about, however many
// there are. $1 is the organization, $2 the endpoint.
const (
	// dueKeys gives the heads of the lanes that are due at $3, the longest due first: $5 at most, and none of $4, which are
	// being worked on. A lane whose deliveries were swept away has no head.
	dueKeys = `SELECT l.lane::text, coalesce(h.id::text, ''), coalesce(h.attempts, 0), coalesce(h.failures, 0), coalesce(h.cause, ''), coalesce(h.event_id::text, '')
		FROM (
			SELECT l.lane, l.next_at FROM lane l
			WHERE l.organization_id = $1 AND l.endpoint_id = $2 AND l.next_at <= $3 AND l.lane <> ALL ($4::uuid[])
			ORDER BY l.next_at LIMIT $5
		) l LEFT JOIN LATERAL (
			SELECT d.id, d.attempts, d.failures, d.cause, d.event_id FROM delivery d
			WHERE d.organization_id = $1 AND d.endpoint_id = $2 AND d.lane = l.lane AND d.state = 'pending' ORDER BY d.place LIMIT 1
		) h ON true ORDER BY l.next_at`

	// nextDueKey is when the first lane is due that is not at $3.
	nextDueKey = `SELECT l.next_at FROM lane l WHERE l.organization_id = $1 AND l.endpoint_id = $2 AND l.next_at > $3 ORDER BY l.next_at LIMIT 1`

	// advanceKeys moves the lanes $3 to their next delivery: at the time $4, behind the others that are due, so that a record
	// with many of them takes its turn with the rest. A lane without any ends.
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
