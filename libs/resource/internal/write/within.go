package write

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/resource/internal/change"
	"ams.internal/libs/resource/internal/table"
)

// Writes on behalf of a rule or a plain operation that go the whole way, as one that a caller sends: body, references, transitions, the
// resource's rules, history and events. They are part of a transaction that runs already.

// CreateWithin makes records from bodies, and gives their ids in the order of the bodies. at gives what stands before the names of a body's
// fields in errors. Where anything speaks against one of the bodies, the error names what speaks against all of them, and nothing may be
// committed.
func (c *Resource) CreateWithin(ctx context.Context, tx pgx.Tx, parent string, bodies []map[string]any,
	at func(i int) string) ([]string, error) {
	ids := make([]string, 0, len(bodies))
	for start := 0; start < len(bodies); start += table.MaxPerPage {
		changes := make([]*change.Change, 0, min(len(bodies)-start, table.MaxPerPage))
		for i := start; i < len(bodies) && len(changes) < table.MaxPerPage; i++ {
			it := change.New(c.Table, i, bodies[i], at(i))
			c.setParent(it, parent)
			changes = append(changes, it)
		}
		if valid := change.Valid(changes); len(valid) > 0 {
			if err := c.create(ctx, tx, valid); err != nil {
				return nil, c.Explain(err)
			}
		}
		if err := objections(changes); err != nil {
			return nil, err
		}
		for _, it := range changes {
			ids = append(ids, it.ID)
		}
	}
	return ids, nil
}

// objections is what speaks against any of the changes: all problems with fields, else the first that the present state does not allow.
func objections(changes []*change.Change) error {
	var fields []fault.Field
	var first *fault.Error
	for _, it := range changes {
		if err := it.Err(); err != nil {
			if err.Field != "" && it.Prefix != "" { // of a record within another one's body
				placed := *err
				placed.Field, err = it.Prefix+err.Field, &placed
			}
			if fields = append(fields, err.Fields...); first == nil || err.Fields == nil && first.Fields != nil {
				first = err
			}
		}
	}
	switch {
	case first == nil:
		return nil
	case first.Fields != nil:
		return fault.InvalidFields(fields...)
	}
	return first
}

// PatchWithin merges a body into a record. One that the organization does not have is a 404.
func (c *Resource) PatchWithin(ctx context.Context, tx pgx.Tx, id string, body map[string]any) error {
	return c.changeWithin(ctx, tx, id, func(it *change.Change) { it.Patch(body, "") })
}

// EditWithin changes a record by a function, which may set read-only fields as well.
func (c *Resource) EditWithin(ctx context.Context, tx pgx.Tx, id string, edit func(record any)) error {
	return c.changeWithin(ctx, tx, id, func(it *change.Change) {
		it.Copy()
		edit(it.After)
	})
}

// RemoveWithin deletes records, of a collection below another those of one parent, and gives what speaks against it, by id; then nothing
// may be committed. Ids that the organization does not have are left out.
func (c *Resource) RemoveWithin(ctx context.Context, tx pgx.Tx, parent string, ids []string) (refused map[string]*fault.Error, err error) {
	return c.removeWithin(ctx, tx, parent, ids, c.remove)
}

// EraseWithin deletes the rows of records, also where SoftDelete keeps them from DELETE, and gives what speaks against it, by id: those
// stay, and the others may be committed. Ids that the organization does not have are left out.
func (c *Resource) EraseWithin(ctx context.Context, tx pgx.Tx, ids []string) (refused map[string]*fault.Error, err error) {
	return c.removeWithin(ctx, tx, "", ids, c.removeForGood)
}

func (c *Resource) removeWithin(ctx context.Context, tx pgx.Tx, parent string, ids []string,
	remove func(context.Context, pgx.Tx, []*change.Change) error) (refused map[string]*fault.Error, err error) {
	refused = map[string]*fault.Error{}
	for some := range slices.Chunk(ids, table.MaxPerPage) {
		found, err := c.lock(ctx, tx, parent, some)
		if err != nil {
			return nil, err
		}
		var changes []*change.Change
		for _, id := range some {
			if found[id] == nil {
				continue
			}
			it, err := change.Existing(c.Table, 0, id, found[id])
			if err != nil {
				return nil, err
			}
			changes = append(changes, it)
		}
		if err := remove(ctx, tx, changes); err != nil {
			return nil, c.Explain(err)
		}
		for _, it := range changes {
			if err := it.Err(); err != nil {
				refused[it.ID] = err
			}
		}
	}
	return refused, nil
}

func (c *Resource) changeWithin(ctx context.Context, tx pgx.Tx, id string, edit func(it *change.Change)) error {
	if c.Parent != "" {
		return fmt.Errorf("change one of %s: records below others are changed by their own operations", c.Row.Name)
	}
	found, err := c.lock(ctx, tx, "", []string{id})
	if err != nil {
		return err
	}
	if found[id] == nil {
		return c.Missing(ctx, id)
	}
	it, err := change.Existing(c.Table, 0, id, found[id])
	if err != nil {
		return err
	}
	edit(it)
	if err := one(it, nil); err != nil {
		return err
	}
	return c.Explain(one(it, c.update(ctx, tx, []*change.Change{it})))
}
