package edge

import (
	"ams.internal/gateway/keys"
	"ams.internal/libs/fault"
)

func unknownPath(c *call) error {
	return fault.New(fault.KindNotFound, "unknown_path", "There is no %s in this API; /openapi.json lists the paths.",
		keys.Quote(c.r.URL.Path))
}

func regionUnavailable(c *call, cause error) error {
	return fault.Unavailable("region_unavailable",
		"No healthy instance behind %s can be reached in the region %s, which the request is pinned to; "+
			"try again in a moment, or without the pin.",
		c.route.prefix, c.region).WithCause(cause)
}
