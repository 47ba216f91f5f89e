package edge

import (
	"context"
	"net/http"

	"github.com/go-kit/kit/endpoint"
)

// preflight responds to a browser's OPTIONS before the request itself. That has no key by design: it needs none here and
// is not counted. Open services respond to their own callers.
func preflight(origins origins) endpoint.Middleware {
	return func(next endpoint.Endpoint) endpoint.Endpoint {
		return func(ctx context.Context, request any) (any, error) {
			c := request.(*call)
			if c.r.Method != http.MethodOptions || c.refusal != nil || c.openService() {
				return next(ctx, request)
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
