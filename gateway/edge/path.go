package edge

import (
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"ams.internal/libs/apikey"
	"ams.internal/libs/transport"
)

// regionParameter pins the region where headers cannot be set. It is for the gateway and goes no further.
const regionParameter = "forceFunctionRegion"

// isClean says no to every path that two programs could read in two ways: what it lets through means the same here, where
// it is checked, and in the service that it is forwarded to.
//
// The external id of a record is the one segment in which anything may be encoded: it is the last, no route depends on it, and every
// program takes it from the encoded path.
func isClean(u *url.URL) bool {
	if before, id, keyed := strings.Cut(u.EscapedPath(), transport.ByExternalID); keyed {
		collection, err := url.ParseRequestURI(before)
		return err == nil && isClean(collection) && isCleanSegment(id)
	}
	path := u.Path
	if path == "" || path[0] != '/' || u.Opaque != "" {
		return false
	}
	if strings.Contains(path, "//") || strings.ContainsAny(path, "\\%") || !utf8.ValidString(path) {
		return false
	}
	for i := range len(path) {
		if path[i] < ' ' || path[i] == 0x7f {
			return false
		}
	}
	if strings.Contains(path, "/.") {
		for segment := range strings.SplitSeq(path, "/") {
			if segment == "." || segment == ".." {
				return false
			}
		}
	}
	if u.RawPath != "" { // set only where the encoding is unusual
		if raw := strings.ToLower(u.RawPath); strings.Contains(raw, "%2f") || strings.Contains(raw, "%5c") {
			return false
		}
	}
	return true
}

// isCleanSegment says whether an encoded segment is a text that is no step in a path.
func isCleanSegment(encoded string) bool {
	text, err := url.PathUnescape(encoded)
	return err == nil && text != "" && text != "." && text != ".." && !strings.Contains(encoded, "/") && utf8.ValidString(text) &&
		!strings.ContainsFunc(text, unicode.IsControl)
}

// splitQuery takes the region's parameter out of a query. Given more than once, the first counts.
func splitQuery(query string) (rest, region string) {
	if !strings.Contains(query, regionParameter) && !strings.Contains(query, "%") {
		return query, ""
	}
	var others []string
	found := false
	for pair := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(pair, "=")
		if decoded, err := url.QueryUnescape(name); err != nil || decoded != regionParameter {
			others = append(others, pair)
			continue
		}
		if found {
			continue
		}
		found = true
		if region, _ = url.QueryUnescape(value); region == "" {
			region = "(empty)" // given, and no region's name
		}
	}
	return strings.Join(others, "&"), region
}

// holdsKey says whether a query has an API key in it, whatever its parameter is called.
func holdsKey(query string) bool {
	if apikey.In(query) {
		return true
	}
	if !strings.Contains(query, "%") {
		return false
	}
	decoded, err := url.QueryUnescape(query)
	return err == nil && apikey.In(decoded)
}
