package edge

import (
	"net/http"
	"net/netip"
	"strconv"

	"ams.internal/gateway/caller"
	"ams.internal/gateway/ratelimit"
)

// commonHeaders sets the headers that every response has.
type commonHeaders struct {
	limiter      *ratelimit.Limiter
	addressLimit int
	region       string
	origins      origins
}

// peek is the window of an address, without counting.
func (h *commonHeaders) peek(client netip.Addr) ratelimit.Window {
	return h.limiter.Peek(caller.Identity(client), h.addressLimit)
}

// uncounted sets the headers of a response to a request that no limit counts.
func (h *commonHeaders) uncounted(header http.Header, id string, client netip.Addr) {
	new(headerValues).set(header, id, h.peek(client), h.region)
}

// headerValues are the values of the common headers, in one place so that they need no allocation each.
type headerValues [5]string

func (v *headerValues) set(header http.Header, id string, w ratelimit.Window, region string) {
	*v = headerValues{id, strconv.Itoa(w.Limit), strconv.Itoa(w.Remaining()), strconv.FormatInt(w.Reset, 10), region}
	header["X-Request-Id"] = v[0:1:1]
	header["X-RateLimit-Limit"] = v[1:2:2] // spelled as documented, which is not Go's canonical form
	header["X-RateLimit-Remaining"] = v[2:3:3]
	header["X-RateLimit-Reset"] = v[3:4:4]
	header["X-Served-Region"] = v[4:5:5]
}
