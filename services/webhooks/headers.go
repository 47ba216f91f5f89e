package webhooks

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"ams.internal/libs/schema"
)

// Headers are an endpoint's own headers, which every call to it has. Their values may be credentials, so callers see masked in
// their place. A value that is sent as masked stays unchanged.
type Headers map[string]string

const (
	masked         = "••••" // in the place of a value
	maxHeaders     = 10
	maxHeaderValue = 500
)

// reservedHeaders are those that we or HTTP set.
var reservedHeaders = []string{"host", "connection", "transfer-encoding", "te", "trailer", "upgrade", "keep-alive", "expect", "cookie",
	"set-cookie",
	"user-agent", "traceparent", "tracestate", "baggage", "forwarded", "via", "date", "accept-encoding", "x-request-id"}

// reservedFamilies are prefixes of such headers.
var reservedFamilies = []string{"webhook-", "content-", "proxy-", "x-forwarded-", "x-ams-", "sec-"}

// Check implements schema.Checker.
func (Headers) Check(at string, value any, problems *schema.Problems) any {
	given, ok := value.(map[string]any)
	if !ok {
		problems.Add(at, "must be an object of names and texts, such as {\"Authorization\": \"Bearer …\"}")
		return value
	}
	if len(given) > maxHeaders {
		problems.Add(at, "must have at most %d entries", maxHeaders)
	}
	spelled := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		here := fmt.Sprintf("%s.%.100s", at, name)
		if message := checkHeader(name, given[name]); message != "" {
			problems.Add(here, "%s", message)
		}
		lower := strings.ToLower(name)
		if other := spelled[lower]; other != "" {
			problems.Add(here, "is the same header as %s; give it once", other)
		}
		spelled[lower] = name
	}
	return given
}

// The syntax of a header's name (RFC 9110, token) and value. Of values, we accept those that every receiver reads alike.
var (
	headerName  = regexp.MustCompile("^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$")
	headerValue = regexp.MustCompile(`^[!-~]([ -~]*[!-~])?$`)
)

// checkHeader says what is wrong with a header; "" when it is valid.
func checkHeader(name string, value any) string {
	text, isText := value.(string)
	lower := strings.ToLower(name)
	reserved := func(family string) bool { return strings.HasPrefix(lower, family) }
	switch {
	case !headerName.MatchString(name):
		return "must have a name of 1 to 100 letters, digits and hyphens"
	case slices.Contains(reservedHeaders, lower) || slices.ContainsFunc(reservedFamilies, reserved):
		return "is a reserved header: we set it, or nobody does; choose another name"
	case !isText || text == "":
		return "must be a text of 1 to 500 characters"
	case len(text) > maxHeaderValue:
		return fmt.Sprintf("must have at most %d characters", maxHeaderValue)
	case text != masked && !headerValue.MatchString(text):
		return "must be printable ASCII without spaces at the ends, as HTTP asks of a header"
	}
	return ""
}

// extractValues splits headers into what may be shown and stored in history, and the new values. before has the names that have
// a value already.
func (h Headers) extractValues(before Headers, fail func(field, format string, args ...any)) (shown Headers, values map[string]string) {
	shown, values = Headers{}, map[string]string{}
	for name, value := range h {
		shown[name] = masked
		if _, known := before[name]; value != masked {
			values[name] = value
		} else if !known {
			fail("headers."+name, "is given as %s, which is how values are shown; send the value itself", masked)
		}
	}
	return shown, values
}
