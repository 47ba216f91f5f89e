package edge

import (
	"net/url"
	"strings"
	"unicode/utf8"

	"ams.internal/gateway/keys"
)

// regionParameter pins the region where headers cannot be set. It is for the gateway and goes no further.
const regionParameter = "forceFunctionRegion"

// isClean says no to every path that two programs could read in two ways: what it lets through means the same here, where
// it is checked, and in the service that it is forwarded to.
func isClean(u *url.URL) bool {
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
	if strings.Contains(query, keys.Prefix) {
		return true
	}
	if !strings.Contains(query, "%") {
		return false
	}
	decoded, err := url.QueryUnescape(query)
	return err == nil && strings.Contains(decoded, keys.Prefix)
}
