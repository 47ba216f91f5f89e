package main

import (
	"context"
	"slices"
	"strings"

	"github.com/go-kit/kit/endpoint"

	"ams.internal/libs/fault"
)

// region finds out where the request is to be processed. A caller may pin it, by the x-region header or, where headers
// cannot be set, by the forceFunctionRegion parameter; the header wins.
func (g *gateway) region(next endpoint.Endpoint) endpoint.Endpoint {
	return func(ctx context.Context, request any) (any, error) {
		c := request.(*call)
		c.region = c.forced
		if given := c.r.Header["X-Region"]; len(given) > 0 {
			c.region = strings.TrimSpace(given[0])
			if c.region == "" {
				c.region = "(empty)"
			}
		}
		if known := g.fleet.regions(); c.region != "" && !slices.Contains(known, c.region) {
			return nil, fault.InvalidFields(fault.Field{Field: "x-region",
				Message: "there is no region " + quote(c.region) + "; the regions are " + strings.Join(known, ", ")})
		}
		return next(ctx, request)
	}
}

// quote makes a short text of a caller's safe to repeat to the caller.
func quote(text string) string {
	if runes := []rune(text); len(runes) > 40 {
		text = string(runes[:40]) + "…"
	}
	return `"` + strings.ToValidUTF8(redact(text), "�") + `"`
}
