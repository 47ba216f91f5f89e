package main

import (
	"context"
	"strings"
)

// create creates a record. The result has the ids of references without their names: another call would cost too much
// after a write.
func (call *toolCall) create(ctx context.Context, c *collection, path string, arguments any, r idempotencyArgument) (any, error) {
	body, err := encodeBody(call.tool.arguments, arguments)
	if err != nil {
		return nil, err
	}
	var made record
	replayed, err := call.post(ctx, path, body, call.idempotencyKey(r.IdempotencyKey), &made)
	if err != nil {
		return nil, err
	}
	call.link(c, made)
	shown := c.present(made)
	if replayed {
		shown["more"] = "The same call was made a moment ago: this is its answer, and nothing was written again. If it is meant a second " +
			"time, call with an idempotency_key of your own."
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
	call.link(c, changed)
	return c.present(changed), nil
}
