package webhooks

import (
	"encoding/json"
	"time"

	"github.com/jackc/pgx/v5"
)

// message is a stored event, for subscribers and readers of the feed.
type message struct {
	organizationID, id, eventType, collection, recordID string

	version     int
	sequence    *int64 // nil: a test
	at          time.Time
	traceparent string          // of the request that made the change; "" where there was none
	payload     json.RawMessage // {"data":…,"actor":…,"origin":…,"bulk_id":…,"request_id":…}, in this order
}

// messageColumns are the columns of event e that scanMessage reads.
const messageColumns = `e.organization_id::text, e.id::text, e.type, e.collection, e.record_id::text, e.version, e.sequence,
	e.at, e.traceparent, e.payload::text`

// targets gives the targets of a Scan of messageColumns.
func (m *message) targets() []any {
	return []any{
		&m.organizationID, &m.id, &m.eventType, &m.collection, &m.recordID, &m.version, &m.sequence,
		&m.at, &m.traceparent, (*[]byte)(&m.payload),
	}
}

// scanMessage reads a row, for pgx.CollectRows.
func scanMessage(row pgx.CollectableRow) (message, error) {
	var m message
	err := row.Scan(m.targets()...)
	return m, err
}
