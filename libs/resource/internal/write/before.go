package write

import (
	"context"

	"ams.internal/libs/transport"
)

// BeforeOne calls BeforeTransaction for a request that writes one record.
func (c *Resource) BeforeOne(ctx context.Context, r *transport.Request) (context.Context, error) {
	body, err := r.Object()
	if err != nil {
		return ctx, nil //nolint:nilerr // the operation refuses it
	}
	return c.BeforeTransaction(ctx, []map[string]any{body})
}

// BeforeBulk calls BeforeTransaction for a bulk call, with the rows that are objects.
func (c *Resource) BeforeBulk(ctx context.Context, r *transport.Request) (context.Context, error) {
	body, err := r.Object()
	if err != nil {
		return ctx, nil //nolint:nilerr // the operation refuses it
	}
	rows, _ := body["data"].([]any)
	var bodies []map[string]any
	for _, row := range rows {
		if one, ok := row.(map[string]any); ok {
			bodies = append(bodies, one)
		}
	}
	return c.BeforeTransaction(ctx, bodies)
}
