package edge

import (
	"context"
	"net/http"
)

// preflight responds to a browser's OPTIONS before the request itself. That has no key by design: it needs none here and
// is not counted. Open services respond to their own callers.
func preflight(origins origins) step {
	return func(next handler) handler {
		return func(ctx context.Context, c *call) (*http.Response, error) {
			if c.r.Method != http.MethodOptions || c.refusal != nil || c.openService() {
				return next(ctx, c)
			}
			header := http.Header{"Allow": {corsMethods}}
			if origins.allowed(c.r.Header) != "" && c.r.Header.Get("Access-Control-Request-Method") != "" {
				header.Set("Access-Control-Allow-Methods", corsMethods)
				header.Set("Access-Control-Allow-Headers", corsHeaders)
				header.Set("Access-Control-Max-Age", "7200")
			}
			return &http.Response{StatusCode: http.StatusNoContent, Header: header, Body: http.NoBody}, nil
		}
	}
}
