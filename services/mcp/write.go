package mcp

import (
	"context"
	"net/url"
	"strings"
)

// create creates a record. The result has the names of what it refers to, so that the user is told about people and places, not ids.
func (call *toolCall) create(ctx context.Context, c *collection, path string, arguments any, r idempotencyArgument) (any, error) {
	body, err := encodeBody(call.tool.arguments, arguments)
	if err != nil {
		return nil, err
	}
	made, replayed, err := call.postOnce(ctx, path, body, r.IdempotencyKey)
	if err != nil {
		return nil, err
	}
	shown := call.written(ctx, c, path, made)
	if replayed {
		shown["more"] = repetition
	}
	return shown, nil
}

// update changes a record.
func (call *toolCall) update(ctx context.Context, c *collection, id string, arguments any, r revisionArguments) (any, error) {
	body, err := encodeBody(call.tool.arguments, arguments, r.Clear...)
	if err != nil {
		return nil, err
	}
	if len(body) == 0 {
		return nil, problemf("Nothing is to be changed: give at least one field, or name the fields to empty in clear.")
	}
	if len(r.Clear) > 0 {
		if err := call.confirm(ctx, c, id, "Empty "+strings.Join(r.Clear, ", ")+" of"); err != nil {
			return nil, err
		}
	}
	var changed record
	if err := call.patch(ctx, c.path+"/"+id, body, r.Version, &changed); err != nil {
		return nil, err
	}
	return call.written(ctx, c, c.path, changed), nil
}

// written is a record that was written: with the names of what it refers to, as far as the caller may read them, and a link to what the
// settings say of it. The names are one request more; where that fails, the ids stay, because the write did not. A record of a
// sub-collection is at the path that it was sent to.
func (call *toolCall) written(ctx context.Context, c *collection, path string, made record) record {
	id := textOf(made, "id")
	var columns, expand []string
	for _, n := range c.references {
		if !n.list && made[n.column()] != nil && permitted(call.caller, n.scope, n.feature) {
			columns, expand = append(columns, n.column()), append(expand, n.field)
		}
	}
	if c.path != "" {
		path = c.path
	}
	if expand != nil && id != "" {
		var named record
		query := url.Values{"fields": {"id," + strings.Join(columns, ",")}, "expand": {strings.Join(expand, ",")}}
		if err := call.get(ctx, path+"/"+id, query, &named); err == nil {
			for i, field := range expand {
				if named[columns[i]] == made[columns[i]] { // nobody has changed it meanwhile
					made[field] = named[field]
				}
			}
		}
	}
	call.link(c, made)
	shown := c.present(made)
	if id != "" {
		shown["link"] = call.base + "/settings/audit?record=" + id
	}
	return shown
}
