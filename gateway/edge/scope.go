package edge

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"ams.internal/gateway/keys"
	"ams.internal/libs/fault"
)

// scope lets through what the key's scopes allow: reading needs <resource>:read, all else <resource>:write, and neither contains the
// other. To ask how far an upload is belongs to writing.
func scope(next handler) handler {
	return func(ctx context.Context, c *call) (*http.Response, error) {
		if c.key == nil || c.route.scope == "" {
			return next(ctx, c)
		}
		needed := c.route.scope + ":write"
		if readsOnly(c.r.Method) && !c.route.writes {
			needed = c.route.scope + ":read"
		}
		if slices.Contains(c.key.Scopes, needed) || slices.Contains(c.key.Scopes, keys.Everything) {
			return next(ctx, c)
		}
		e := fault.Forbidden("scope_missing",
			"This needs the scope %s; the key has %s. Scopes never change: an Administrator can make a key that has it.",
			needed, strings.Join(c.key.Scopes, ", "))
		e.Required, e.Scopes = needed, c.key.Scopes
		return nil, e
	}
}
