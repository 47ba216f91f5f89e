package edge

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"ams.internal/gateway/keys"
	"ams.internal/libs/fault"
)

// region finds out where the request is to be processed. A caller may pin it, by the x-region header or, where headers
// cannot be set, by the forceFunctionRegion parameter; the header wins.
func region(upstreams *upstreams) step {
	return func(next handler) handler {
		return func(ctx context.Context, c *call) (*http.Response, error) {
			pinned := c.forced
			if given := c.r.Header["X-Region"]; len(given) > 0 {
				pinned = strings.TrimSpace(given[0])
				if pinned == "" {
					pinned = "(empty)"
				}
			}
			if pinned != "" {
				if known := upstreams.regions(); !slices.Contains(known, pinned) {
					return nil, fault.InvalidFields(fault.Field{Field: "x-region",
						Message: "there is no region " + keys.Quote(pinned) + "; the regions are " + strings.Join(known, ", ")})
				}
			}
			c.region = pinned
			return next(ctx, c)
		}
	}
}
