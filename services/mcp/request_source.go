package main

import (
	"context"
	"net/http"

	"ams.internal/libs/telemetry"
	"ams.internal/libs/transport"
)

// requestSource is where a request came from, for the trail.
type requestSource struct{ address, requestID string }

type requestSourceKey struct{}

func requestSourceFrom(ctx context.Context) requestSource {
	a, _ := ctx.Value(requestSourceKey{}).(requestSource)
	return a
}

// withRequestSource notes where a request came from.
func withRequestSource(r *http.Request) *http.Request {
	id := r.Header.Get("X-Request-Id")
	ctx := telemetry.WithRequestID(r.Context(), id)
	return r.WithContext(context.WithValue(ctx, requestSourceKey{}, requestSource{transport.ClientAddress(r), id}))
}
