package oauth

import (
	"context"
	"net/http"

	"ams.internal/libs/telemetry"
	"ams.internal/libs/transport"
)

// requestSource is the client address and the id of a request, for the audit trail.
type requestSource struct{ address, requestID string }

type requestSourceKey struct{}

func requestSourceFrom(ctx context.Context) requestSource {
	a, _ := ctx.Value(requestSourceKey{}).(requestSource)
	return a
}

// withRequestSource puts the source of a request into its context.
func withRequestSource(r *http.Request) *http.Request {
	id := r.Header.Get("X-Request-Id")
	ctx := telemetry.WithRequestID(r.Context(), id)
	return r.WithContext(context.WithValue(ctx, requestSourceKey{}, requestSource{transport.ClientAddress(r), id}))
}
