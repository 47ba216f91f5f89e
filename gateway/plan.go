package main

import (
	"context"
	"slices"

	"github.com/go-kit/kit/endpoint"

	"ams.internal/libs/domain/catalogue"
	"ams.internal/libs/fault"
)

// plan lets through what the organization's plan includes. The plan was read together with the key, so a change is in
// force at the next request.
func (g *gateway) plan(next endpoint.Endpoint) endpoint.Endpoint {
	return func(ctx context.Context, request any) (any, error) {
		c := request.(*call)
		if c.key == nil {
			return next(ctx, request)
		}
		for _, feature := range [...]string{catalogue.APIAccess, c.route.feature} {
			if feature != "" && !slices.Contains(c.key.features, feature) {
				return nil, notInPlan(feature, c.key.plan)
			}
		}
		return next(ctx, request)
	}
}

func notInPlan(feature, plan string) error {
	name := catalogue.Product().FeatureName(feature)
	e := fault.Forbidden("feature_not_in_plan", "%s is not included in the organization's plan (%s). Another plan or an add-on includes it; trying again does not help.", name, plan)
	e.Feature = name
	return e
}
