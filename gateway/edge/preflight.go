package edge

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"ams.internal/gateway/openapi"
	"ams.internal/libs/transport"
)

// preflight responds to a browser's OPTIONS before the request itself. That has no key by design: it needs none here and
// is not counted. Open services respond to their own callers.
// Allow has the methods of the path, as far as the services have said which those are.
func preflight(origins origins, document *openapi.Document) step {
	return func(next handler) handler {
		return func(ctx context.Context, c *call) (*http.Response, error) {
			if c.r.Method != http.MethodOptions || c.refusal != nil || c.openService() {
				return next(ctx, c)
			}
			header := http.Header{"Allow": {corsMethods}}
			if methods := document.Methods(c.r.URL.Path); methods != nil {
				header.Set("Allow", strings.Join(methods, ", "))
				if slices.Contains(methods, http.MethodPatch) {
					header.Set("Accept-Patch", transport.AcceptPatch)
				}
			}
			if c.route.prefix == uploadsPath {
				describeTus(header)
			}
			if origins.allowed(c.r.Header) != "" && c.r.Header.Get("Access-Control-Request-Method") != "" {
				header.Set("Access-Control-Allow-Methods", corsMethods)
				header.Set("Access-Control-Allow-Headers", corsHeaders)
				header.Set("Access-Control-Max-Age", "7200")
			}
			return &http.Response{StatusCode: http.StatusNoContent, Header: header, Body: http.NoBody}, nil
		}
	}
}
