package edge

import (
	"net/http"
	"slices"

	"ams.internal/libs/transport"
)

const (
	corsMethods = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"
	corsHeaders = "Authorization, Content-Type, Accept, Idempotency-Key, Import-Id, If-Match, If-None-Match, X-Region, X-Request-Id, " +
		"Traceparent, Tracestate, Range, If-Range, Content-Disposition, Content-Digest, Tus-Resumable, Upload-Length, Upload-Offset, " +
		"Upload-Metadata, Upload-Checksum, Upload-Defer-Length"
	corsExposed = "X-Request-Id, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, RateLimit, RateLimit-Policy, Retry-After, " +
		"X-Served-Region, ETag, Location, Link, Idempotency-Replayed, Content-Disposition, Deprecation, Sunset, " +
		"Content-Length, Content-Range, Accept-Ranges, Repr-Digest, Tus-Resumable, Tus-Version, Tus-Extension, Tus-Max-Size, " +
		"Tus-Checksum-Algorithm, Upload-Length, Upload-Offset, Upload-Metadata, Upload-Expires, Document-Id"
)

// origins are those whose pages may call the API from a browser; * for all.
type origins []string

// allowed gives what Access-Control-Allow-Origin says to a caller; empty where its origin is not configured.
func (o origins) allowed(request http.Header) string {
	origin := request["Origin"]
	if len(origin) != 1 {
		return ""
	}
	if slices.Contains(o, "*") {
		return "*"
	}
	if slices.Contains(o, origin[0]) {
		return origin[0]
	}
	return ""
}

// allow lets pages of configured origins read a response.
func (o origins) allow(request, response http.Header) {
	if len(o) == 0 {
		return
	}
	transport.VaryBy(response, "Origin")
	if allowed := o.allowed(request); allowed != "" {
		response.Set("Access-Control-Allow-Origin", allowed)
		response.Set("Access-Control-Expose-Headers", corsExposed)
	}
}
