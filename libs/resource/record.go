package resource

import (
	"bytes"
	"context"
	"encoding/json"
	"strconv"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"ams.internal/libs/outbox"
	"ams.internal/libs/principal"
)

// record keeps what was written as history and as events, in the transaction of the change.
func (c *collection[T]) record(ctx context.Context, tx pgx.Tx, action string, changes []*Change[T]) error {
	kept := make([]*written, len(changes))
	for i, change := range changes {
		kept[i] = &written{id: change.id, before: change.before, after: change.after, change: change}
	}
	return c.table.record(ctx, tx, action, kept)
}

func (t *table) record(ctx context.Context, tx pgx.Tx, action string, changes []*written) error {
	if len(changes) == 0 {
		return nil
	}
	p := principal.From(ctx)
	actor, err := json.Marshal(p.Actor)
	if err != nil {
		return err
	}
	if t.emit != nil {
		if err := t.emit(ctx, tx, changes); err != nil {
			return err
		}
	}
	n := len(changes)
	ids, records, versions, differences := make([]string, n), make([]string, n), make([]int, n), make([]string, n)
	events := make([]outbox.Event, 0, n)
	for i, change := range changes {
		shown := change.after
		if shown == nil {
			shown = change.before
		}
		version, err := strconv.Atoi(t.text(shown, "version"))
		if err != nil {
			return err
		}
		if action == "deleted" {
			version++ // what is told last about a record has the highest version
		}
		names, difference, previous := t.compare(change.before, change.after)
		ids[i], records[i], versions[i], differences[i] = uuid.Must(uuid.NewV7()).String(), change.id, version, string(difference)
		event := outbox.Event{
			Type: t.singular + "." + action, Collection: t.collection, RecordID: change.id, Version: version,
			Object: appendRecord(nil, t.columns, shown), Changed: names, Previous: previous, BulkID: bulkID(ctx),
		}
		events = append(events, event)
		for _, event.Type = range change.emitted {
			events = append(events, event)
		}
	}
	batch := &pgx.Batch{} // both in one round trip
	batch.Queue(`
		INSERT INTO history (organization_id, collection, id, record_id, version, action, changes, actor, actor_id, address, request_id, at)
		SELECT $1, $2, h.id, h.record_id, h.version, $3, h.changes::json, $4::jsonb, $5, $6, $7, clock_timestamp()
		FROM unnest($8::uuid[], $9::uuid[], $10::int[], $11::text[]) AS h (id, record_id, version, changes)`,
		p.OrganizationID, t.collection, action, actor, p.Actor.ID, p.Address, p.RequestID, ids, records, versions, differences)
	if err := outbox.Queue(ctx, batch, events); err != nil {
		return err
	}
	return tx.SendBatch(ctx, batch).Close()
}

// Audit writes into the audit trail what somebody did with a record without changing it, in the transaction in which it is done.
// The details are shown like fields that were set. The record's own history, which is of changes, does not have it.
func (registry *Registry) Audit(ctx context.Context, tx pgx.Tx, collection, id, action string, details map[string]any) error {
	shown := map[string]changeShown{}
	for name, value := range details {
		shown[name] = changeShown{New: value}
	}
	p := principal.From(ctx)
	_, err := tx.Exec(ctx, `INSERT INTO history (organization_id, collection, id, record_id, version, action, changes, actor, actor_id, address, request_id, at)
		SELECT $1, $2, $3, t.id, t.version, $5, $6, $7, $8, $9, $10, clock_timestamp() FROM `+registry.tables[collection].name+` t WHERE t.organization_id = $1 AND t.id = $4`,
		p.OrganizationID, collection, uuid.Must(uuid.NewV7()).String(), id, action, shown, p.Actor, p.Actor.ID, p.Address, p.RequestID)
	return err
}

// compare says which stored fields differ, as names, as {"field": {"old": …, "new": …}}, and as their old values.
func (t *table) compare(before, after row) (names []string, difference, previous []byte) {
	difference, previous = []byte{'{'}, []byte{'{'}
	for i, c := range t.columns {
		if !c.stored && !c.Generated {
			continue
		}
		var old, now []byte
		if before != nil {
			old = before[i]
		}
		if after != nil {
			now = after[i]
		}
		if bytes.Equal(old, now) && (old == nil) == (now == nil) || before == nil && string(now) == emptyOf(c) {
			continue
		}
		if len(names) > 0 {
			difference, previous = append(difference, ','), append(previous, ',')
		}
		names = append(names, c.Name)
		difference = append(append(append(difference, '"'), c.Name...), `":{"old":`...)
		difference = appendValue(difference, c, old)
		difference = append(appendValue(append(difference, `,"new":`...), c, now), '}')
		previous = appendValue(append(append(append(previous, '"'), c.Name...), `":`...), c, old)
	}
	return names, append(difference, '}'), append(previous, '}')
}

// emptyOf is the text of a list or object that holds nothing; a new record need not say that it has none.
func emptyOf(c *column) string {
	switch c.Kind {
	case "list":
		return "[]"
	case "object":
		return "{}"
	}
	return "\x00"
}

type bulkKey struct{}

// inBulk marks the changes of one bulk call with one id.
func inBulk(ctx context.Context) context.Context {
	return context.WithValue(ctx, bulkKey{}, uuid.Must(uuid.NewV7()).String())
}

func bulkID(ctx context.Context) string {
	id, _ := ctx.Value(bulkKey{}).(string)
	return id
}
