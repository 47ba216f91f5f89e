package edge

import (
	"context"
	"net/http"
	"slices"

	"ams.internal/gateway/keys"
	"ams.internal/libs/domain/catalogue"
)

// plan lets through what the organization's plan includes. The plan was read together with the key, so a change is in
// force at the next request.
func plan(next handler) handler {
	return func(ctx context.Context, c *call) (*http.Response, error) {
		if c.key == nil {
			return next(ctx, c)
		}
		for _, feature := range [...]string{catalogue.APIAccess, c.route.feature} {
			if feature != "" && !slices.Contains(c.key.Features, feature) {
				return nil, keys.NotInPlan(feature, c.key.Plan)
			}
		}
		return next(ctx, c)
	}
}
