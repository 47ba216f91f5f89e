package edge

import (
	"net/http"
	"net/netip"
	"strconv"
	"time"

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
	w := h.peek(client)
	new(headerValues).set(header, id, limited{w, byAddress, w.Left}, h.region)
}

// What a limit is of, in RateLimit and RateLimit-Policy.
const (
	byAddress      = "address"
	byKey          = "key"
	byOrganization = "organization"
)

// limited is a window of requests, as a response tells of it.
type limited struct {
	ratelimit.Window
	by   string
	left time.Duration // until it ends, at this moment
}

// headerValues are the values of the common headers, in one place so that they need no allocation each.
type headerValues [7]string

// set sets the headers. All numbers are parts of one text.
func (v *headerValues) set(header http.Header, id string, w limited, region string) {
	var buffer [160]byte
	text := buffer[:0]
	var ends [5]int
	end := func(i int) { ends[i] = len(text) }
	text = strconv.AppendInt(text, int64(w.Limit), 10)
	end(0)
	text = strconv.AppendInt(text, int64(w.Remaining()), 10)
	end(1)
	text = strconv.AppendInt(text, w.Reset, 10)
	end(2)
	// draft-ietf-httpapi-ratelimit-headers-10: r of the quota q are left, which is t seconds until the window of w seconds ends.
	text = append(append(append(text, '"'), w.by...), `";r=`...)
	text = strconv.AppendInt(text, int64(w.Remaining()), 10)
	text = append(text, ";t="...)
	text = strconv.AppendInt(text, int64(max(0, w.left+time.Second-1)/time.Second), 10)
	end(3)
	text = append(append(append(text, '"'), w.by...), `";q=`...)
	text = strconv.AppendInt(text, int64(w.Limit), 10)
	text = append(text, ";w="...)
	text = strconv.AppendInt(text, int64(ratelimit.WindowLength/time.Second), 10)
	end(4)
	all, begin := string(text), 0
	for i, end := range ends {
		v[i], begin = all[begin:end], end
	}
	v[5], v[6] = id, region
	header["X-RateLimit-Limit"] = v[0:1:1] // spelled as documented, which is not Go's canonical form
	header["X-RateLimit-Remaining"] = v[1:2:2]
	header["X-RateLimit-Reset"] = v[2:3:3]
	header["RateLimit"] = v[3:4:4]
	header["RateLimit-Policy"] = v[4:5:5]
	header["X-Request-Id"] = v[5:6:6]
	header["X-Served-Region"] = v[6:7:7]
}
