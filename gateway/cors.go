package main

import (
	"context"
	"net/http"
	"slices"

	"github.com/go-kit/kit/endpoint"
)

const (
	corsMethods = "GET, HEAD, POST, PATCH, DELETE, OPTIONS"
	corsHeaders = "Authorization, Content-Type, Accept, Idempotency-Key, Import-Id, If-Match, If-None-Match, X-Region, X-Request-Id, Traceparent, Tracestate"
	corsExposed = "X-Request-Id, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After, X-Served-Region, ETag, Location, Link, Idempotency-Replayed, Content-Disposition"
)

// preflight answers a browser's question before the request itself, which has no key by design: it needs none here and
// is not counted. Services with callers of their own kind answer for themselves.
func (g *gateway) preflight(next endpoint.Endpoint) endpoint.Endpoint {
	return func(ctx context.Context, request any) (any, error) {
		c := request.(*call)
		if c.r.Method != http.MethodOptions || c.refusal != nil || c.route.open && c.route.service != "" {
			return next(ctx, request)
		}
		header := http.Header{"Allow": {corsMethods}}
		if c.originAllowed() != "" && c.r.Header.Get("Access-Control-Request-Method") != "" {
			header.Set("Access-Control-Allow-Methods", corsMethods)
			header.Set("Access-Control-Allow-Headers", corsHeaders)
			header.Set("Access-Control-Max-Age", "7200")
		}
		return &http.Response{StatusCode: http.StatusNoContent, Header: header, Body: http.NoBody}, nil
	}
}

// originAllowed gives what Access-Control-Allow-Origin says to this caller; empty where its origin is not configured.
func (c *call) originAllowed() string {
	origin := c.r.Header["Origin"]
	if len(origin) != 1 {
		return ""
	}
	if slices.Contains(c.gateway.config.Origins, "*") {
		return "*"
	}
	if slices.Contains(c.gateway.config.Origins, origin[0]) {
		return origin[0]
	}
	return ""
}

// allowOrigin lets pages of configured origins read the answer. Which pages those are is not the services' affair.
func (c *call) allowOrigin(header http.Header) {
	if len(c.gateway.config.Origins) == 0 || c.route != nil && c.route.open && c.route.service != "" {
		return
	}
	header.Add("Vary", "Origin")
	if allowed := c.originAllowed(); allowed != "" {
		header.Set("Access-Control-Allow-Origin", allowed)
		header.Set("Access-Control-Expose-Headers", corsExposed)
	}
}
