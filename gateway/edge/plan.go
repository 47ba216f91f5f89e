package edge

import (
	"context"
	"slices"

	"github.com/go-kit/kit/endpoint"

	"ams.internal/gateway/keys"
)

// plan lets through what the organization's plan includes. The plan was read together with the key, so a change is in
// force at the next request.
func plan(next endpoint.Endpoint) endpoint.Endpoint {
	return func(ctx context.Context, request any) (any, error) {
		c := request.(*call)
		if c.key == nil {
			return next(ctx, request)
		}
		for _, feature := range [...]string{keys.APIAccess, c.route.feature} {
			if feature != "" && !slices.Contains(c.key.Features, feature) {
				return nil, keys.NotInPlan(feature, c.key.Plan)
			}
		}
		return next(ctx, request)
	}
}
