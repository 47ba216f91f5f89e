package edge

import (
	"context"
	"slices"
	"strings"

	"github.com/go-kit/kit/endpoint"

	"ams.internal/gateway/keys"
	"ams.internal/libs/fault"
)

// scope lets through what the key's scopes allow: reading needs <resource>:read, all else <resource>:write, and
// neither contains the other.
func scope(next endpoint.Endpoint) endpoint.Endpoint {
	return func(ctx context.Context, request any) (any, error) {
		c := request.(*call)
		if c.key == nil || c.route.scope == "" {
			return next(ctx, request)
		}
		needed := c.route.scope + ":write"
		if readsOnly(c.r.Method) {
			needed = c.route.scope + ":read"
		}
		if slices.Contains(c.key.Scopes, needed) || slices.Contains(c.key.Scopes, keys.Everything) {
			return next(ctx, request)
		}
		e := fault.Forbidden("scope_missing", "This needs the scope %s; the key has %s. Scopes never change: an Administrator can make a key that has it.",
			needed, strings.Join(c.key.Scopes, ", "))
		e.Required, e.Scopes = needed, c.key.Scopes
		return nil, e
	}
}
