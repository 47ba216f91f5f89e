package write

import (
	"context"

	"ams.internal/libs/transport"
)

type pathKey struct{}

// PathValue is what stands in the path of the request that BeforeTransaction is called for, and its rules: "id", "external_id" or a
// parent's id. It is empty where the path has no such place.
func PathValue(ctx context.Context, name string) string {
	r, _ := ctx.Value(pathKey{}).(*transport.Request)
	if r == nil {
		return ""
	}
	return r.Path(name)
}

// BeforeOne calls BeforeTransaction for a request that writes one record.
func (c *Resource) BeforeOne(ctx context.Context, r *transport.Request) (context.Context, error) {
	body, err := r.Object()
	if err != nil {
		return ctx, nil //nolint:nilerr // the operation refuses it
	}
	return c.BeforeTransaction(context.WithValue(ctx, pathKey{}, r), []map[string]any{body})
}

// BeforeBulk calls BeforeTransaction for a bulk call, with all rows: nil for one that is no object.
func (c *Resource) BeforeBulk(ctx context.Context, r *transport.Request) (context.Context, error) {
	body, err := r.Object()
	if err != nil {
		return ctx, nil //nolint:nilerr // the operation refuses it
	}
	rows, _ := body["data"].([]any)
	var bodies []map[string]any
	for _, row := range rows {
		one, _ := row.(map[string]any)
		bodies = append(bodies, one)
	}
	return c.BeforeTransaction(context.WithValue(ctx, pathKey{}, r), bodies)
}
