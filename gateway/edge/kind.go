package edge

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"ams.internal/gateway/ratelimit"
	"ams.internal/libs/transport"
)

// kindOf says what a request is for the ceilings of its organization.
func kindOf(c *call) ratelimit.Kind {
	switch {
	case c.body != nil:
		return ratelimit.Upload
	case c.transfer == download && c.r.Method == http.MethodGet:
		return ratelimit.Download
	case c.route.waits && waits(c.query):
		return ratelimit.LongPoll
	case c.r.Method == http.MethodGet && c.odata != nil && c.odata.stream:
		return ratelimit.Stream
	case c.r.Method == http.MethodGet && transport.Negotiate(c.r.Header["Accept"], transport.StreamTypes...) != transport.ApplicationJSON:
		return ratelimit.Stream
	}
	return ratelimit.Plain
}

// waits says whether a query asks to wait. The service refuses what is no number of seconds.
func waits(query string) bool {
	if !strings.Contains(query, waitParameter) && !strings.Contains(query, "%") {
		return false
	}
	for pair := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(pair, "=")
		if decoded, err := url.QueryUnescape(name); err != nil || decoded != waitParameter {
			continue
		}
		decoded, err := url.QueryUnescape(value)
		if seconds, wrong := strconv.Atoi(decoded); err == nil && wrong == nil && seconds > 0 {
			return true
		}
	}
	return false
}
