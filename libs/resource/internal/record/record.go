// Package record writes history, which is also the audit trail, and events for the outbox, in the transaction of the change.
package record

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strconv"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"ams.internal/libs/outbox"
	"ams.internal/libs/postgres"
	"ams.internal/libs/principal"
	"ams.internal/libs/resource/internal/change"
	"ams.internal/libs/resource/internal/table"
)

// Emit finds out which changes have further events, and notes them in Emitted.
type Emit func(ctx context.Context, tx pgx.Tx, changes []*change.Change) error

// Write keeps what was written. emit may be nil.
func Write(ctx context.Context, tx pgx.Tx, t *table.Table, action string, changes []*change.Change, emit Emit) error {
	if len(changes) == 0 {
		return nil
	}
	if emit != nil {
		if err := emit(ctx, tx, changes); err != nil {
			return err
		}
	}
	entries := make([]Entry, len(changes))
	events := make([]outbox.Event, 0, len(changes))
	size := 0 // of the record before, which is about that of the next
	for i, c := range changes {
		shown := c.Written
		if shown == nil {
			shown = c.Former
		}
		version, err := strconv.Atoi(t.Text(shown, "version"))
		if err != nil {
			return err
		}
		if action == "deleted" {
			version++ // the last event of a record has the highest version
		}
		names, difference, previous := compare(t, c.Former, c.Written)
		entries[i] = Entry{c.ID, version, difference}
		object := table.AppendRecord(make([]byte, 0, size+size/8), t.Columns, t.WithoutPrivate(shown))
		size = len(object)
		event := outbox.Event{
			Type: t.Row.Singular + "." + action, Collection: t.Row.Name, RecordID: c.ID, Version: version,
			Object: object, Changed: names, Previous: previous, BulkID: bulkID(ctx),
		}
		events = append(events, event)
		for _, event.Type = range c.Emitted {
			events = append(events, event)
		}
	}
	batch := &pgx.Batch{} // both with the next statement, which often is the commit
	if err := queueHistory(ctx, batch, t.Row.Name, action, entries); err != nil {
		return err
	}
	if err := outbox.Queue(ctx, batch, events); err != nil {
		return err
	}
	return postgres.Later(ctx, tx, batch)
}

// Entry is what the history keeps of one change, beside who made it and when.
type Entry struct {
	RecordID string
	Version  int
	Changes  []byte // {"field": {"old": …, "new": …}}
}

const historyNames = ` (organization_id, collection, action, actor, actor_id, address, request_id, at, id, record_id, version, changes)`

// queueHistory adds entries to the history of the organization.
func queueHistory(ctx context.Context, batch *pgx.Batch, collection, action string, entries []Entry) error {
	p := principal.From(ctx)
	actor, err := json.Marshal(p.Actor)
	if err != nil {
		return err
	}
	args := []any{p.OrganizationID, collection, action, actor, p.Actor.ID, p.Address, p.RequestID}
	if len(entries) == 1 {
		e := entries[0]
		batch.Queue(`INSERT INTO history`+historyNames+` VALUES ($1, $2, $3, $4::jsonb, $5, $6, $7, statement_timestamp(), $8, $9, $10, $11)`,
			append(args, uuid.Must(uuid.NewV7()).String(), e.RecordID, e.Version, string(e.Changes))...)
		return nil
	}
	n := len(entries)
	ids, records, versions, changes := make([]string, n), make([]string, n), make([]int, n), make([]string, n)
	for i, entry := range entries {
		ids[i], records[i], versions[i], changes[i] = uuid.Must(uuid.NewV7()).String(), entry.RecordID, entry.Version, string(entry.Changes)
	}
	batch.Queue(`INSERT INTO history`+historyNames+`
		SELECT $1, $2, $3, $4::jsonb, $5, $6, $7, statement_timestamp(), h.id, h.record_id, h.version, h.changes::json
		FROM unnest($8::uuid[], $9::uuid[], $10::int[], $11::text[]) AS h (id, record_id, version, changes)`,
		append(args, ids, records, versions, changes)...)
	return nil
}

// AddHistory adds an entry for what is no resource. Changes becomes JSON.
func AddHistory(ctx context.Context, tx pgx.Tx, collection, id string, version int, action string, changes any) error {
	encoded, err := json.Marshal(changes)
	if err != nil {
		return err
	}
	batch := &pgx.Batch{}
	if err := queueHistory(ctx, batch, collection, action, []Entry{{id, version, encoded}}); err != nil {
		return err
	}
	return tx.SendBatch(ctx, batch).Close()
}

// AddEntries adds entries for what is no resource, with the next statement.
func AddEntries(ctx context.Context, tx pgx.Tx, collection, action string, entries []Entry) error {
	if len(entries) == 0 {
		return nil
	}
	batch := &pgx.Batch{}
	if err := queueHistory(ctx, batch, collection, action, entries); err != nil {
		return err
	}
	return postgres.Later(ctx, tx, batch)
}

// Audit adds to the trail what somebody did with a record without changing it.
func Audit(ctx context.Context, tx pgx.Tx, t *table.Table, id, action string, details map[string]any) error {
	shown := map[string]changeShown{}
	for name, value := range details {
		shown[name] = changeShown{New: value}
	}
	var version int
	err := tx.QueryRow(ctx, "SELECT t.version FROM "+t.Name+" t WHERE t.organization_id = $1 AND t.id = $2",
		principal.From(ctx).OrganizationID, id).Scan(&version)
	if err != nil {
		if errors.Is(err, pgx.ErrNoRows) {
			return nil // the record is gone, and nothing was done with it
		}
		return err
	}
	return AddHistory(ctx, tx, t.Row.Name, id, version, action, shown)
}

// compare says which stored fields differ, as names, as {"field": {"old": …, "new": …}}, and as their old values.
func compare(t *table.Table, before, after table.Values) (names []string, difference, previous []byte) {
	difference, previous = []byte{'{'}, []byte{'{'}
	for i, c := range t.Columns {
		if !c.Stored && !c.Generated {
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
		if c.Private {
			old, now = nil, nil
		}
		difference = append(append(append(difference, '"'), c.Name...), `":{"old":`...)
		difference = c.AppendValue(difference, old)
		difference = append(c.AppendValue(append(difference, `,"new":`...), now), '}')
		previous = c.AppendValue(append(append(append(previous, '"'), c.Name...), `":`...), old)
	}
	return names, append(difference, '}'), append(previous, '}')
}

// emptyOf is the text of a list or object that holds nothing; a new record need not say that it has none.
func emptyOf(c *table.Column) string {
	switch c.Kind {
	case "list":
		return "[]"
	case "object":
		return "{}"
	}
	return "\x00"
}

type bulkKey struct{}

// InBulk marks the changes of one bulk call with one id.
func InBulk(ctx context.Context) context.Context {
	return context.WithValue(ctx, bulkKey{}, uuid.Must(uuid.NewV7()).String())
}

func bulkID(ctx context.Context) string {
	id, _ := ctx.Value(bulkKey{}).(string)
	return id
}
