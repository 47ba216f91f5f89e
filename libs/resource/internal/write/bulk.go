package write

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/resource/internal/change"
	"ams.internal/libs/resource/internal/read"
	"ams.internal/libs/resource/internal/record"
	"ams.internal/libs/resource/internal/table"
	"ams.internal/libs/schema"
	"ams.internal/libs/suggest"
	"ams.internal/libs/transport"
)

// bulk is one bulk call on its way.
type bulk struct {
	*Resource
	parent     string
	atomic     bool
	alone      bool   // it is one record's call: fields are named without the row
	onConflict string // error, skip or update
	bodies     []map[string]any
	ids        []string         // of the records that rows make when they are new
	changes    []*change.Change // of each row; rows about the same record share one
	status     []string         // of each row, once it is done: created, updated, skipped or deleted
	failures   []*fault.Error   // of each row
	others     []*int           // of each row that has the value of another one of this call: which
	earlier    map[string]int   // "field\x00key" → the first row that has it
}

// parseBulk reads parameters and rows.
func (c *Resource) parseBulk(ctx context.Context, r *transport.Request) (*bulk, error) {
	if err := r.CheckQuery("atomic", "on_conflict"); err != nil {
		return nil, err
	}
	b := &bulk{Resource: c, atomic: true, onConflict: "error", earlier: map[string]int{}}
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
			problems.Add("on_conflict", "must be one of error, skip, update%s",
				suggest.DidYouMean(b.onConflict, []string{"error", "skip", "update"}))
		case b.onConflict == "update" && c.Row.AppendOnly:
			problems.Add("on_conflict", "must be error or skip: %s are never changed", c.Many())
		case r.Method != http.MethodPost:
			problems.Add("on_conflict", "is a parameter of POST only")
		}
	}
	parent, err := read.ParentOf(ctx, c.Table, r)
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

func (b *bulk) readRows(body map[string]any, problems *schema.Problems) {
	for name := range body {
		if name != "data" && !schema.Tenant(name) {
			problems.Add(name, "is not a field of a bulk call; the records stand in data")
		}
	}
	rows, ok := body["data"].([]any)
	if !ok || len(rows) < 1 || len(rows) > table.MaxPerPage {
		problems.Add("data", "must be a list of 1 to %d records", table.MaxPerPage)
		return
	}
	b.take(rows)
}

// take begins with the rows, which are objects or refused.
func (b *bulk) take(rows []any) {
	n := len(rows)
	b.bodies, b.changes = make([]map[string]any, n), make([]*change.Change, n)
	b.status, b.failures = make([]string, n), make([]*fault.Error, n)
	b.others = make([]*int, n)
	b.ids = make([]string, n)
	for i, entry := range rows {
		b.ids[i] = newID()
		var ok bool
		if b.bodies[i], ok = entry.(map[string]any); !ok {
			b.failures[i] = fault.InvalidFields(fault.Field{Field: fmt.Sprintf("data[%d]", i), Message: "must be an object"})
		}
	}
}

// prefix is what stands before the names of a row's fields.
func (b *bulk) prefix(index int) string {
	if b.alone {
		return ""
	}
	return fmt.Sprintf("data[%d].", index)
}

// CreateBulk serves POST …/bulk.
func (c *Resource) CreateBulk(ctx context.Context, r *transport.Request) (*transport.Response, error) {
	return c.serveBulk(ctx, r, (*bulk).create)
}

// UpdateBulk serves PATCH …/bulk.
func (c *Resource) UpdateBulk(ctx context.Context, r *transport.Request) (*transport.Response, error) {
	return c.serveBulk(ctx, r, (*bulk).update)
}

// DeleteBulk serves DELETE …/bulk.
func (c *Resource) DeleteBulk(ctx context.Context, r *transport.Request) (*transport.Response, error) {
	return c.serveBulk(ctx, r, (*bulk).delete)
}

// serveBulk responds with what do makes of the rows.
func (c *Resource) serveBulk(ctx context.Context, r *transport.Request,
	do func(*bulk, context.Context, pgx.Tx) error) (*transport.Response, error) {
	b, err := c.parseBulk(ctx, r)
	if err != nil {
		return nil, err
	}
	ctx = record.InBulk(ctx)
	if !b.atomic {
		ctx = rowByRow(ctx)
	}
	err = c.DB.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		if err := do(b, ctx, tx); err != nil {
			return err
		}
		b.collectFailures()
		if b.atomic {
			return b.err()
		}
		return nil
	})
	if err != nil {
		return nil, c.Explain(err)
	}
	return b.response(ctx), nil
}

// create makes the rows' records; rows that are there already are refused, skipped or updated, as on_conflict says.
func (b *bulk) create(ctx context.Context, tx pgx.Tx) error {
	if err := b.resolveReferences(ctx); err != nil {
		return err
	}
	held, err := b.match(ctx, tx)
	if err != nil {
		return err
	}
	return b.createOrUpdate(ctx, tx, held)
}

// createOrUpdate writes the rows, of which held has the records that are there already.
func (b *bulk) createOrUpdate(ctx context.Context, tx pgx.Tx, held map[string]table.Values) error {
	var creates, updates []*change.Change
	for i, body := range b.bodies {
		if b.failures[i] != nil {
			continue
		}
		it, fresh, err := b.place(i, body, held)
		if err != nil {
			return err
		}
		b.changes[i] = it
		switch {
		case fresh && it.Before == nil:
			creates = append(creates, it)
		case fresh && b.status[i] == "updated":
			updates = append(updates, it)
		}
	}
	return b.run(ctx, tx, creates, updates)
}

// place finds the change that a row belongs to: a new record's, an existing record's, or that of an earlier row of
// this call about the same record.
func (b *bulk) place(i int, body map[string]any, held map[string]table.Values) (it *change.Change, fresh bool, err error) {
	key := b.keyOf(body)
	before := held[key]
	first, repeated := b.earlier[key]
	if before != nil && !repeated { // an earlier row may name the same record by its other key
		key = "id\x00" + b.Text(before, "id")
		first, repeated = b.earlier[key]
	}
	switch {
	case repeated && b.changes[first] != nil && b.onConflict == "skip":
		b.status[i] = "skipped"
		return b.changes[first], false, nil
	case repeated && b.changes[first] != nil && b.onConflict == "update":
		b.status[i] = "updated"
		b.changes[first].Patch(body, b.prefix(i))
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
		it = change.New(b.Table, i, body, b.prefix(i))
		it.ID = b.ids[i]
		b.setParent(it, b.parent)
		return it, true, nil
	}
	if it, err = change.Existing(b.Table, i, b.Text(before, "id"), before); err != nil {
		return nil, false, err
	}
	b.status[i] = "skipped"
	it.Written = before
	if b.onConflict == "update" {
		b.status[i] = "updated"
		it.Written = nil
		it.Patch(body, b.prefix(i))
	}
	return it, true, nil
}

// run writes the creates and the updates that nothing speaks against.
func (b *bulk) run(ctx context.Context, tx pgx.Tx, creates, updates []*change.Change) error {
	for _, step := range []struct {
		changes []*change.Change
		write   func(context.Context, pgx.Tx, []*change.Change) error
	}{{creates, b.Resource.create}, {updates, b.Resource.update}} {
		if changes := change.Valid(step.changes); len(changes) > 0 {
			if err := step.write(ctx, tx, changes); err != nil {
				return err
			}
		}
	}
	return nil
}

// change patches or deletes the records that the rows name by id, external_id or natural key.
func (b *bulk) change(ctx context.Context, tx pgx.Tx, status string) error {
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
	held := map[string]table.Values{}
	if err := b.lockByKeys(ctx, tx, wanted, held); err != nil {
		return err
	}
	byID := map[string]*change.Change{}
	var changes []*change.Change
	for i, body := range b.bodies {
		before := held[names[i]]
		switch {
		case b.failures[i] != nil:
			continue
		case before == nil:
			name, value, _ := strings.Cut(names[i], "\x00")
			b.failures[i] = fault.New(fault.KindNotFound, "not_found",
				"There is no %s with %s %s in this organization.", b.Row.Singular, name, value)
			b.failures[i].Field, b.failures[i].Value = name, value
			continue
		}
		id := b.Text(before, "id")
		if byID[id] == nil {
			it, err := change.Existing(b.Table, i, id, before)
			if err != nil {
				return err
			}
			byID[id], changes = it, append(changes, it)
		}
		b.changes[i], b.status[i] = byID[id], status
		if status == "updated" {
			byID[id].Patch(body, b.prefix(i))
		}
	}
	if status == "updated" {
		return b.run(ctx, tx, nil, changes)
	}
	return b.remove(ctx, tx, change.Valid(changes))
}

func (b *bulk) update(ctx context.Context, tx pgx.Tx) error { return b.change(ctx, tx, "updated") }

func (b *bulk) delete(ctx context.Context, tx pgx.Tx) error { return b.change(ctx, tx, "deleted") }
