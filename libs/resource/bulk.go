package resource

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/schema"
	"ams.internal/libs/transport"
)

// bulk is one bulk call on its way.
type bulk[T any] struct {
	*collection[T]
	parent     string
	atomic     bool
	onConflict string // error, skip or update
	bodies     []map[string]any
	ids        []string       // of the records that rows make when they are new
	changes    []*Change[T]   // of each row; rows about the same record share one
	status     []string       // of each row, once it is done: created, updated, skipped or deleted
	failures   []*fault.Error // of each row
	earlier    map[string]int // "field\x00key" → the first row that has it
}

func bulkQuery(name string) bool { return name == "atomic" || name == "on_conflict" }

// parseBulk reads parameters and rows.
func (c *collection[T]) parseBulk(ctx context.Context, r *transport.Request) (*bulk[T], error) {
	if err := r.CheckQuery(bulkQuery); err != nil {
		return nil, err
	}
	b := &bulk[T]{collection: c, atomic: true, onConflict: "error", earlier: map[string]int{}}
	var problems schema.Problems
	if r.Query.Has("atomic") {
		if text := r.Query.Get("atomic"); text != "true" && text != "false" {
			problems.Add("atomic", "must be true or false")
		}
		b.atomic = r.Query.Get("atomic") == "true"
	}
	if r.Query.Has("on_conflict") {
		switch b.onConflict = r.Query.Get("on_conflict"); {
		case b.onConflict != "error" && b.onConflict != "skip" && b.onConflict != "update":
			problems.Add("on_conflict", "must be one of error, skip, update")
		case r.Method != http.MethodPost:
			problems.Add("on_conflict", "is a parameter of POST only")
		}
	}
	parent, err := c.parentOf(ctx, r)
	if err != nil {
		return nil, err
	}
	b.parent = parent
	body, err := r.Object()
	if err != nil {
		return nil, err
	}
	b.readRows(body, &problems)
	return b, problems.Err()
}

func (b *bulk[T]) readRows(body map[string]any, problems *schema.Problems) {
	for name := range body {
		if name != "data" && !schema.Tenant(name) {
			problems.Add(name, "is not a field of a bulk call; the records stand in data")
		}
	}
	rows, ok := body["data"].([]any)
	if !ok || len(rows) < 1 || len(rows) > MaxPerPage {
		problems.Add("data", "must be a list of 1 to %d records", MaxPerPage)
		return
	}
	n := len(rows)
	b.bodies, b.changes = make([]map[string]any, n), make([]*Change[T], n)
	b.status, b.failures = make([]string, n), make([]*fault.Error, n)
	b.ids = make([]string, n)
	for i, entry := range rows {
		b.ids[i] = newID()
		if b.bodies[i], ok = entry.(map[string]any); !ok {
			b.failures[i] = fault.InvalidFields(fault.Field{Field: fmt.Sprintf("data[%d]", i), Message: "must be an object"})
		}
	}
}

func prefix(index int) string { return fmt.Sprintf("data[%d].", index) }

// bulkOperation answers one of the three bulk methods with what do makes of the rows.
func (c *collection[T]) bulkOperation(do func(*bulk[T], context.Context, pgx.Tx) error) func(context.Context, *transport.Request) (*transport.Response, error) {
	return func(ctx context.Context, r *transport.Request) (*transport.Response, error) {
		b, err := c.parseBulk(ctx, r)
		if err != nil {
			return nil, err
		}
		err = c.registry.DB.Write(inBulk(ctx), func(ctx context.Context, tx pgx.Tx) error {
			if err := do(b, ctx, tx); err != nil {
				return err
			}
			b.collectFailures()
			if b.atomic {
				return b.refusal()
			}
			return nil
		})
		if err != nil {
			return nil, c.explain(err)
		}
		return b.answer(), nil
	}
}

// create makes the rows' records; rows that are there already are refused, skipped or updated, as on_conflict says.
func (b *bulk[T]) create(ctx context.Context, tx pgx.Tx) error {
	if err := b.resolveReferences(ctx); err != nil {
		return err
	}
	held, err := b.match(ctx, tx)
	if err != nil {
		return err
	}
	var creates, updates []*Change[T]
	for i, body := range b.bodies {
		if b.failures[i] != nil {
			continue
		}
		change, fresh, err := b.place(i, body, held)
		if err != nil {
			return err
		}
		b.changes[i] = change
		switch {
		case fresh && change.Before == nil:
			creates = append(creates, change)
		case fresh && b.status[i] == "updated":
			updates = append(updates, change)
		}
	}
	return b.run(ctx, tx, creates, updates)
}

// place finds the change that a row belongs to: a new record's, an existing record's, or that of an earlier row of
// this call about the same record.
func (b *bulk[T]) place(i int, body map[string]any, held map[string]row) (change *Change[T], fresh bool, err error) {
	key := b.keyOf(body)
	before := held[key]
	first, repeated := b.earlier[key]
	if before != nil && !repeated { // an earlier row may name the same record by its other key
		key = "id\x00" + b.text(before, "id")
		first, repeated = b.earlier[key]
	}
	switch {
	case repeated && b.changes[first] != nil && b.onConflict == "skip":
		b.status[i] = "skipped"
		return b.changes[first], false, nil
	case repeated && b.changes[first] != nil && b.onConflict == "update":
		b.status[i] = "updated"
		b.patch(b.changes[first], body, prefix(i))
		return b.changes[first], false, nil
	case !repeated:
		for _, key := range append(b.keysOf(body), key) {
			if _, known := b.earlier[key]; !known && key != "" {
				b.earlier[key] = i
			}
		}
	}
	if before == nil {
		b.status[i] = "created"
		change = b.newChange(i, body, prefix(i))
		change.id = b.ids[i]
		b.setParent(change, b.parent)
		return change, true, nil
	}
	if change, err = b.existing(i, b.text(before, "id"), before); err != nil {
		return nil, false, err
	}
	b.status[i] = "skipped"
	change.after = before
	if b.onConflict == "update" {
		b.status[i] = "updated"
		change.after = nil
		b.patch(change, body, prefix(i))
	}
	return change, true, nil
}

// run writes the creates and the updates that nothing speaks against.
func (b *bulk[T]) run(ctx context.Context, tx pgx.Tx, creates, updates []*Change[T]) error {
	for _, step := range []struct {
		changes []*Change[T]
		write   func(context.Context, pgx.Tx, []*Change[T]) error
	}{{creates, b.collection.create}, {updates, b.collection.update}} {
		if changes := sound(step.changes); len(changes) > 0 {
			if err := step.write(ctx, tx, changes); err != nil {
				return err
			}
		}
	}
	return nil
}

// change patches or deletes the records that the rows name by id, external_id or natural key.
func (b *bulk[T]) change(ctx context.Context, tx pgx.Tx, status string) error {
	wanted := map[string][]string{}
	names := make([]string, len(b.bodies))
	for i, body := range b.bodies {
		if b.failures[i] == nil {
			if names[i], b.failures[i] = b.nameOf(i, body); b.failures[i] == nil {
				name, value, _ := strings.Cut(names[i], "\x00")
				wanted[name] = append(wanted[name], value)
			}
		}
	}
	if status == "updated" {
		if err := b.resolveReferences(ctx); err != nil {
			return err
		}
	}
	held := map[string]row{}
	if err := b.lockByKeys(ctx, tx, wanted, held); err != nil {
		return err
	}
	byID := map[string]*Change[T]{}
	var changes []*Change[T]
	for i, body := range b.bodies {
		before := held[names[i]]
		switch {
		case b.failures[i] != nil:
			continue
		case before == nil:
			name, value, _ := strings.Cut(names[i], "\x00")
			b.failures[i] = fault.New(fault.KindNotFound, "not_found", "There is no %s with %s %s in this organization.", b.singular, name, value)
			b.failures[i].Field, b.failures[i].Value = name, value
			continue
		}
		id := b.text(before, "id")
		if byID[id] == nil {
			change, err := b.existing(i, id, before)
			if err != nil {
				return err
			}
			byID[id], changes = change, append(changes, change)
		}
		b.changes[i], b.status[i] = byID[id], status
		if status == "updated" {
			b.patch(byID[id], body, prefix(i))
		}
	}
	if status == "updated" {
		return b.run(ctx, tx, nil, changes)
	}
	return b.remove(ctx, tx, sound(changes))
}

func (b *bulk[T]) update(ctx context.Context, tx pgx.Tx) error { return b.change(ctx, tx, "updated") }

func (b *bulk[T]) delete(ctx context.Context, tx pgx.Tx) error { return b.change(ctx, tx, "deleted") }
