package edge

import (
	"ams.internal/gateway/keys"
	"ams.internal/libs/fault"
	"ams.internal/libs/transport"
)

// unknownPath is the 404 of a path that is nobody's; known are the paths that may have been meant.
func unknownPath(c *call, known ...string) error {
	return transport.UnknownPath(c.r.URL.Path, keys.Quote(c.r.URL.Path), known)
}

func regionUnavailable(c *call, cause error) error {
	return fault.Unavailable("region_unavailable",
		"No healthy instance behind %s can be reached in the region %s, which the request is pinned to; "+
			"try again in a moment, or without the pin.",
		c.route.prefix, c.region).WithCause(cause)
}
