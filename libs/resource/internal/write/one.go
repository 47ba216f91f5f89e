package write

import (
	"context"
	"net/http"
	"strings"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/principal"
	"ams.internal/libs/resource/internal/change"
	"ams.internal/libs/resource/internal/read"
	"ams.internal/libs/resource/internal/table"
	"ams.internal/libs/transport"
)

// lock reads records for a change in this transaction, those that the caller may see, in a fixed order so that two calls do not wait for
// each other.
func (c *Resource) lock(ctx context.Context, tx pgx.Tx, parent string, ids []string) (map[string]table.Values, error) {
	sql, args := "", []any{principal.From(ctx).OrganizationID, ids}
	if c.Parent != "" {
		sql, args = " AND t."+c.Parent+" = $3", append(args, parent)
	}
	rows, err := tx.Query(ctx, "SELECT "+table.Selection(c.Columns)+" FROM "+c.Name+
		" t WHERE t.organization_id = $1 AND t.id = ANY($2::uuid[])"+sql+c.AndVisible(ctx)+" ORDER BY t.id FOR NO KEY UPDATE OF t", args...)
	if err != nil {
		return nil, c.Explain(err)
	}
	defer rows.Close()
	found := map[string]table.Values{}
	for rows.Next() {
		values := table.Copy(rows.RawValues())
		found[c.Text(values, "id")] = values
	}
	return found, c.Explain(rows.Err())
}

func (c *Resource) setParent(it *change.Change, parent string) {
	if c.Parent != "" {
		c.Schema.Field(c.Parent).Set(change.Record(it.After), parent)
	}
}

// CreateOne serves POST on the collection.
func (c *Resource) CreateOne(ctx context.Context, r *transport.Request) (*transport.Response, error) {
	if err := r.CheckQuery(); err != nil {
		return nil, err
	}
	parent, err := read.ParentOf(ctx, c.Table, r)
	if err != nil {
		return nil, err
	}
	it, err := c.createOne(unguarded(ctx), r, parent)
	if clash(err) != nil { // once more, to name what clashes, or to take the next number
		it, err = c.createOne(ctx, r, parent)
	}
	if err != nil {
		return nil, c.Explain(err)
	}
	response := c.response(ctx, it, http.StatusCreated)
	response.SetHeader("Location", r.URL.Path+"/"+it.ID)
	return response, nil
}

func (c *Resource) createOne(ctx context.Context, r *transport.Request, parent string) (*change.Change, error) {
	body, err := r.Object()
	if err != nil {
		return nil, err
	}
	it := change.New(c.Table, 0, body, "")
	if err := it.Err(); err != nil {
		return nil, err
	}
	c.setParent(it, parent)
	return it, c.DB.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		return one(it, c.create(ctx, tx, []*change.Change{it}))
	})
}

// one gives what went wrong with the only change of a call.
func one(it *change.Change, err error) error {
	if err != nil {
		return err
	}
	if err := it.Err(); err != nil {
		return err
	}
	return nil
}

func (c *Resource) response(ctx context.Context, it *change.Change, status int) *transport.Response {
	response := &transport.Response{Status: status, Body: table.AppendRecord(nil, c.For(ctx).Columns, it.Written)}
	response.SetHeader("ETag", `"`+c.Text(it.Written, "version")+`"`)
	return response
}

// changeOne runs a change of the record in the path.
func (c *Resource) changeOne(ctx context.Context, r *transport.Request,
	do func(context.Context, pgx.Tx, *change.Change) error) (*change.Change, error) {
	id, err := r.ID("id")
	if err != nil {
		return nil, err
	}
	if err := r.CheckQuery(); err != nil {
		return nil, err
	}
	parent := ""
	if c.Parent != "" {
		if parent, err = r.ID(c.Parent); err != nil {
			return nil, err
		}
	}
	var it *change.Change
	err = c.DB.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		found, err := c.lock(ctx, tx, parent, []string{id})
		if err != nil {
			return err
		}
		if found[id] == nil {
			return c.Missing(ctx, id)
		}
		meant := strings.Join(r.Header["If-Match"], ",")
		if version := c.Text(found[id], "version"); meant != "" && !read.MatchesVersion(meant, version) {
			return versionMismatch(version, meant)
		}
		if it, err = change.Existing(c.Table, 0, id, found[id]); err != nil {
			return err
		}
		return one(it, do(ctx, tx, it))
	})
	return it, c.Explain(err)
}

func versionMismatch(version, wanted string) error {
	return fault.Conflict("version_mismatch", "version", version,
		"The record is at version %s, not at %s; read it again and apply your change to that.", version, wanted)
}

// PatchOne serves PATCH on a record.
func (c *Resource) PatchOne(ctx context.Context, r *transport.Request) (*transport.Response, error) {
	body, err := r.Object()
	if err != nil {
		return nil, err
	}
	it, err := c.changeOne(ctx, r, func(ctx context.Context, tx pgx.Tx, it *change.Change) error {
		it.Patch(body, "")
		if err := it.Err(); err != nil {
			return err
		}
		return c.update(ctx, tx, []*change.Change{it})
	})
	if err != nil {
		return nil, err
	}
	return c.response(ctx, it, http.StatusOK), nil
}

// DeleteOne serves DELETE on a record.
func (c *Resource) DeleteOne(ctx context.Context, r *transport.Request) (*transport.Response, error) {
	if _, err := c.changeOne(ctx, r, func(ctx context.Context, tx pgx.Tx, it *change.Change) error {
		return c.remove(ctx, tx, []*change.Change{it})
	}); err != nil {
		return nil, err
	}
	return &transport.Response{Status: http.StatusNoContent}, nil
}
