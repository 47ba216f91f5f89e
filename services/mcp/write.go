package main

import (
	"context"
)

// create makes a record. What comes back is whole, but names what it refers to by id alone: a second question for the
// names would cost more than they are worth right after a write.
func (u *use) create(ctx context.Context, c *collection, path string, arguments any, r repetition) (any, error) {
	body, err := bodyOf(u.tool.arguments, arguments)
	if err != nil {
		return nil, err
	}
	var made record
	replayed, err := u.post(ctx, path, body, u.idempotencyKey(r.IdempotencyKey), &made)
	if err != nil {
		return nil, err
	}
	shown := c.tidy(made)
	if replayed {
		shown["more"] = "The same call was made a moment ago: this is its answer, and nothing was written again. If it is meant a second time, call with an idempotency_key of your own."
	}
	return shown, nil
}

// update changes a record.
func (u *use) update(ctx context.Context, c *collection, id string, arguments any, r revision) (any, error) {
	body, err := bodyOf(u.tool.arguments, arguments, r.Clear...)
	if err != nil {
		return nil, err
	}
	if len(body) == 0 {
		return nil, problemf("Nothing is to be changed: give at least one field, or name the fields to empty in clear.")
	}
	var changed record
	if err := u.patch(ctx, c.path+"/"+id, body, r.Version, &changed); err != nil {
		return nil, err
	}
	return c.tidy(changed), nil
}
