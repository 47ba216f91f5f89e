// Package outbox stores events in the transaction of the change that they describe, one row each. A Relay reads them in order
// and publishes them to the webhooks service.
package outbox

import (
	"context"
	"encoding/json"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"go.opentelemetry.io/otel/trace"

	"ams.internal/libs/postgres"
	"ams.internal/libs/principal"
)

// Event is one change of one record.
type Event struct {
	Type       string // "site.created"
	Collection string
	RecordID   string
	Version    int
	Object     json.RawMessage // the record as GET returns it; of a deleted one, its last state
	Changed    []string        // names of the fields that changed
	Previous   json.RawMessage // their former values, an object
	BulkID     string          // the same for all events of one bulk call; else ""
}

// Add stores events in tx, in their order.
func Add(ctx context.Context, tx pgx.Tx, events []Event) error {
	batch := &pgx.Batch{}
	if err := Queue(ctx, batch, events); err != nil || batch.Len() == 0 {
		return err
	}
	return tx.SendBatch(ctx, batch).Close()
}

const names = ` (organization_id, traceparent, created_at, id, type, collection, record_id, version, payload)`

// Queue is Add as a part of a batch that is sent in the transaction of ctx, together with other statements.
func Queue(ctx context.Context, batch *pgx.Batch, events []Event) error {
	if len(events) == 0 {
		return nil
	}
	p := principal.From(ctx)
	actor, err := json.Marshal(p.Actor)
	if err != nil {
		return err
	}
	postgres.AfterCommit(ctx, func() { wakeRelays(ctx) })
	if len(events) == 1 {
		e := events[0]
		batch.Queue(`INSERT INTO outbox`+names+` VALUES ($1, $2, statement_timestamp(), $3, $4, $5, $6, $7, $8)`, p.OrganizationID,
			traceparent(ctx), uuid.Must(uuid.NewV7()).String(), e.Type, e.Collection, e.RecordID, e.Version, string(e.payload(p, actor)))
		return nil
	}
	n := len(events)
	ids, types, collections, records := make([]string, n), make([]string, n), make([]string, n), make([]string, n)
	versions, payloads := make([]int, n), make([]string, n)
	for i, e := range events {
		ids[i], types[i], collections[i], records[i] = uuid.Must(uuid.NewV7()).String(), e.Type, e.Collection, e.RecordID
		versions[i], payloads[i] = e.Version, string(e.payload(p, actor))
	}
	batch.Queue(`INSERT INTO outbox`+names+`
		SELECT $1, $2, statement_timestamp(), e.id, e.type, e.collection, e.record_id, e.version, e.payload::json
		FROM unnest($3::uuid[], $4::text[], $5::text[], $6::uuid[], $7::int[], $8::text[]) WITH ORDINALITY
			AS e (id, type, collection, record_id, version, payload, place) ORDER BY e.place`,
		p.OrganizationID, traceparent(ctx), ids, types, collections, records, versions, payloads)
	return nil
}

// traceparent is the W3C header that continues the trace of ctx; empty where there is none.
func traceparent(ctx context.Context) string {
	span := trace.SpanContextFromContext(ctx)
	if !span.IsValid() {
		return ""
	}
	return "00-" + span.TraceID().String() + "-" + span.SpanID().String() + "-" + (span.TraceFlags() & trace.FlagsSampled).String()
}

// payload is the event's body without the fields that the webhooks service adds (id, sequence, timestamp).
func (e *Event) payload(p principal.Principal, actor []byte) []byte {
	dst := make([]byte, 0, len(e.Object)+len(e.Previous)+512)
	dst = append(append(dst, `{"data":{"object":`...), e.Object...)
	dst = append(append(dst, `,"changed":`...), list(e.Changed)...)
	dst = append(dst, `,"previous":`...)
	if e.Previous == nil {
		dst = append(dst, "{}"...)
	} else {
		dst = append(dst, e.Previous...)
	}
	dst = append(append(dst, `},"actor":`...), actor...)
	dst = append(append(dst, `,"origin":`...), text(p.Origin)...)
	dst = append(append(dst, `,"bulk_id":`...), text(e.BulkID)...)
	dst = append(append(dst, `,"request_id":`...), text(p.RequestID)...)
	return append(dst, '}')
}

func list(names []string) []byte {
	if names == nil {
		names = []string{}
	}
	encoded, _ := json.Marshal(names) // strings only: cannot fail
	return encoded
}

func text(value string) []byte {
	if value == "" {
		return []byte("null")
	}
	encoded, _ := json.Marshal(value) // a string only: cannot fail
	return encoded
}
