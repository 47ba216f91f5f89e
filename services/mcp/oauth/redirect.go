package oauth

import (
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// cursorCallback is the one address with an own scheme that access may be sent to.
const cursorCallback = "cursor://anysphere.cursor-mcp/oauth/callback"

// maxRedirect is the longest redirect address.
const maxRedirect = 1000

// redirectRules are the addresses that access may be sent to, whatever a client registers: configured ones over https, programs on
// the person's own machine, and Cursor.
type redirectRules struct{ addresses []string } // host and path; a last part of * is any one

func newRedirectRules(addresses []string) redirectRules {
	var rules redirectRules
	for _, address := range addresses {
		host, path, _ := strings.Cut(strings.TrimSpace(address), "/")
		rules.addresses = append(rules.addresses, strings.TrimSuffix(strings.ToLower(host), ":443")+"/"+path)
	}
	return rules
}

// has reports whether an address is one of the configured ones, by its whole path: whoever may put a page somewhere else on an assistant's
// host must not receive access.
func (rules redirectRules) has(host, path string) bool {
	return slices.ContainsFunc(rules.addresses, func(address string) bool {
		if before, any := strings.CutSuffix(address, "/*"); any {
			last, is := strings.CutPrefix(host+path, before+"/")
			return is && last != "" && !strings.Contains(last, "/")
		}
		return address == host+path
	})
}

// allow returns the host that would receive the access, to be shown to people. It returns false for an address that is
// not allowed.
func (rules redirectRules) allow(raw string) (host string, allowed bool) {
	if raw == cursorCallback {
		return "Cursor", true
	}
	target, ok := parseRedirect(raw)
	if !ok {
		return "", false
	}
	switch target.Scheme {
	case "https":
		host = strings.TrimSuffix(target.Host, ":443")
		return host, target.RawQuery == "" && rules.has(host, target.EscapedPath())
	case "http":
		return target.Hostname(), IsLoopback(target.Hostname())
	}
	return "", false
}

// parseRedirect reads an address in canonical form only, so that browsers cannot read it differently, and so that two addresses
// are equal only where they are written in the same way.
func parseRedirect(raw string) (*url.URL, bool) {
	if len(raw) > maxRedirect || strings.ContainsAny(raw, "\\#") ||
		strings.ContainsFunc(raw, func(c rune) bool { return c <= ' ' || c >= 0x7f }) {
		return nil, false
	}
	target, err := url.Parse(raw)
	if err != nil || target.User != nil || target.Host == "" || target.Host != strings.ToLower(target.Host) ||
		target.String() != raw || strings.Contains(target.Path, "/..") {
		return nil, false
	}
	if _, port, err := net.SplitHostPort(target.Host); err == nil {
		if number, err := strconv.ParseUint(port, 10, 16); err != nil || number == 0 {
			return nil, false
		}
	}
	return target, true
}

// matchesAny reports whether an address is one of the registered ones. Scheme, host, path and query must be equal, letter by
// letter; only a program on the person's own machine may use any port (RFC 8252, section 7.3).
func matchesAny(given []string, raw string) bool {
	return slices.ContainsFunc(given, func(each string) bool {
		return each == raw || withoutPort(each) != "" && withoutPort(each) == withoutPort(raw)
	})
}

// withoutPort is a loopback address without its port. It is empty for any other address.
func withoutPort(raw string) string {
	target, ok := parseRedirect(raw)
	if !ok || target.Scheme != "http" || !IsLoopback(target.Hostname()) {
		return ""
	}
	without := *target
	if without.Host = target.Hostname(); strings.Contains(without.Host, ":") {
		without.Host = "[" + without.Host + "]"
	}
	return without.String()
}

// withQuery adds parameters to a redirect address.
func withQuery(redirect string, parameters url.Values) string {
	separator := "?"
	if strings.Contains(redirect, "?") {
		separator = "&"
	}
	return redirect + separator + parameters.Encode()
}
