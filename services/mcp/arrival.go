package main

import (
	"context"
	"net/http"

	"ams.internal/libs/telemetry"
	"ams.internal/libs/transport"
)

// arrival is where a request came from, for the trail.
type arrival struct{ address, request string }

type arrivalKey struct{}

func arrivalFrom(ctx context.Context) arrival {
	a, _ := ctx.Value(arrivalKey{}).(arrival)
	return a
}

// arrive notes where a request came from.
func arrive(r *http.Request) *http.Request {
	id := r.Header.Get("X-Request-Id")
	ctx := telemetry.WithRequestID(r.Context(), id)
	return r.WithContext(context.WithValue(ctx, arrivalKey{}, arrival{transport.ClientAddress(r), id}))
}
