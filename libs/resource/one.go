package resource

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/principal"
	"ams.internal/libs/schema"
	"ams.internal/libs/transport"
)

// newChange reads the body of a record that is to be made.
func (c *collection[T]) newChange(index int, body map[string]any, prefix string) *Change[T] {
	change := &Change[T]{of: c, Index: index, prefix: prefix, After: new(T), given: map[string]bool{}}
	record := reflect.ValueOf(change.After).Elem()
	c.schema.Defaults(record)
	c.mergeObjects(body, record)
	change.problems = append(c.schema.Read(body, prefix, record, change.given), c.schema.Missing(body, prefix)...)
	return change
}

// existing makes a change of a record that is there.
func (c *collection[T]) existing(index int, id string, before row) (*Change[T], error) {
	change := &Change[T]{of: c, Index: index, id: id, before: before, Before: new(T), given: map[string]bool{}}
	if err := json.Unmarshal(appendRecord(nil, c.columns, before), change.Before); err != nil {
		return nil, fmt.Errorf("read %s %s: %w", c.singular, id, err)
	}
	return change, nil
}

// patch merges a body into a change of a record that is there.
func (c *collection[T]) patch(change *Change[T], body map[string]any, prefix string) {
	change.prefix = prefix
	if change.After == nil {
		after := *change.Before
		change.After = &after
	}
	record := reflect.ValueOf(change.After).Elem()
	c.mergeObjects(body, record)
	change.problems = append(change.problems, c.schema.Read(body, prefix, record, change.given)...)
}

// mergeObjects makes the members of objects what they are after a JSON merge patch: null takes a member away,
// those left out stay.
func (c *collection[T]) mergeObjects(body map[string]any, record reflect.Value) {
	for _, f := range c.schema.Fields {
		given, ok := body[f.Name].(map[string]any)
		if !ok || f.Kind != schema.Object || f.ReadOnly {
			continue
		}
		merged := f.Members(record)
		for name, value := range given {
			if value == nil {
				delete(merged, name)
			} else {
				merged[name] = value
			}
		}
		body[f.Name] = merged
	}
}

// lock reads records for a change in this transaction, in a fixed order so that two calls do not wait for each other.
func (c *collection[T]) lock(ctx context.Context, tx pgx.Tx, parent string, ids []string) (map[string]row, error) {
	sql, args := "", []any{principal.From(ctx).OrganizationID, ids}
	if c.parent != "" {
		sql, args = " AND t."+c.parent+" = $3", append(args, parent)
	}
	rows, err := tx.Query(ctx, "SELECT "+selection(c.columns)+" FROM "+c.name+" t WHERE t.organization_id = $1 AND t.id = ANY($2::uuid[])"+sql+
		" ORDER BY t.id FOR NO KEY UPDATE OF t", args...)
	if err != nil {
		return nil, c.explain(err)
	}
	defer rows.Close()
	found := map[string]row{}
	for rows.Next() {
		values := copyRow(rows.RawValues())
		found[c.text(values, "id")] = values
	}
	return found, c.explain(rows.Err())
}

func (c *collection[T]) setParent(change *Change[T], parent string) {
	if c.parent != "" {
		c.schema.Field(c.parent).Set(reflect.ValueOf(change.After).Elem(), parent)
	}
}

func noQuery(string) bool { return false }

// createOne answers POST on the collection.
func (c *collection[T]) createOne(ctx context.Context, r *transport.Request) (*transport.Response, error) {
	if err := r.CheckQuery(noQuery); err != nil {
		return nil, err
	}
	parent, err := c.parentOf(ctx, r)
	if err != nil {
		return nil, err
	}
	body, err := r.Object()
	if err != nil {
		return nil, err
	}
	change := c.newChange(0, body, "")
	if err := change.err(); err != nil {
		return nil, err
	}
	c.setParent(change, parent)
	err = c.registry.DB.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		return one(change, c.create(ctx, tx, []*Change[T]{change}))
	})
	if err != nil {
		return nil, c.explain(err)
	}
	response := c.answer(change, http.StatusCreated)
	response.SetHeader("Location", r.URL.Path+"/"+change.id)
	return response, nil
}

// one gives what went wrong with the only change of a call.
func one[T any](change *Change[T], err error) error {
	if err != nil {
		return err
	}
	if refused := change.err(); refused != nil {
		return refused
	}
	return nil
}

func (c *collection[T]) answer(change *Change[T], status int) *transport.Response {
	response := &transport.Response{Status: status, Body: appendRecord(nil, c.columns, change.after)}
	response.SetHeader("ETag", `"`+c.text(change.after, "version")+`"`)
	return response
}

// changeOne runs a change of the record in the path.
func (c *collection[T]) changeOne(ctx context.Context, r *transport.Request, do func(context.Context, pgx.Tx, *Change[T]) error) (*Change[T], error) {
	id, err := r.ID("id")
	if err != nil {
		return nil, err
	}
	if err := r.CheckQuery(noQuery); err != nil {
		return nil, err
	}
	parent := ""
	if c.parent != "" {
		if parent, err = r.ID(c.parent); err != nil {
			return nil, err
		}
	}
	var change *Change[T]
	err = c.registry.DB.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		found, err := c.lock(ctx, tx, parent, []string{id})
		if err != nil {
			return err
		}
		if found[id] == nil {
			return c.notFound(id)
		}
		if version := c.text(found[id], "version"); r.Header.Get("If-Match") != "" && !matches(r.Header.Get("If-Match"), version) {
			return fault.Conflict("version_mismatch", "version", version, "The record is at version %s, not at %s; read it again and apply your change to that.", version, r.Header.Get("If-Match"))
		}
		if change, err = c.existing(0, id, found[id]); err != nil {
			return err
		}
		return one(change, do(ctx, tx, change))
	})
	return change, c.explain(err)
}

// patchOne answers PATCH on a record.
func (c *collection[T]) patchOne(ctx context.Context, r *transport.Request) (*transport.Response, error) {
	body, err := r.Object()
	if err != nil {
		return nil, err
	}
	change, err := c.changeOne(ctx, r, func(ctx context.Context, tx pgx.Tx, change *Change[T]) error {
		c.patch(change, body, "")
		if err := change.err(); err != nil {
			return err
		}
		return c.update(ctx, tx, []*Change[T]{change})
	})
	if err != nil {
		return nil, err
	}
	return c.answer(change, http.StatusOK), nil
}

// deleteOne answers DELETE on a record.
func (c *collection[T]) deleteOne(ctx context.Context, r *transport.Request) (*transport.Response, error) {
	if _, err := c.changeOne(ctx, r, func(ctx context.Context, tx pgx.Tx, change *Change[T]) error {
		return c.remove(ctx, tx, []*Change[T]{change})
	}); err != nil {
		return nil, err
	}
	return &transport.Response{Status: http.StatusNoContent}, nil
}
