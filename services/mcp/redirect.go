package main

import (
	"net/url"
	"slices"
	"strings"
)

// cursorCallback is the one address of a program's own that access may be sent to.
const cursorCallback = "cursor://anysphere.cursor-mcp/oauth/callback"

// maxRedirect is how long an address that access is sent to may be.
const maxRedirect = 1000

// redirectRules say which addresses access may ever be sent to, whatever a client says of itself: https on hosts of the
// configuration, programs on the person's own machine, and Cursor.
type redirectRules struct{ hosts []string }

func newRedirectRules(hosts []string) redirectRules {
	var rules redirectRules
	for _, host := range hosts {
		rules.hosts = append(rules.hosts, strings.TrimSuffix(strings.ToLower(strings.TrimSpace(host)), ":443"))
	}
	return rules
}

// allow gives the host that would receive access at an address, for people; false where none may be sent there.
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
		return host, slices.Contains(rules.hosts, host)
	case "http":
		return target.Hostname(), isLoopback(target.Hostname())
	}
	return "", false
}

// parseRedirect reads an address in its plain form: browsers and we must not read it differently.
func parseRedirect(raw string) (*url.URL, bool) {
	if len(raw) > maxRedirect || strings.ContainsAny(raw, "\\#") || strings.ContainsFunc(raw, func(c rune) bool { return c <= ' ' || c >= 0x7f }) {
		return nil, false
	}
	target, err := url.Parse(raw)
	if err != nil || target.User != nil || target.Host == "" || target.Host != strings.ToLower(target.Host) || strings.Contains(target.Path, "/..") {
		return nil, false
	}
	return target, true
}

// matchesAny says whether an address is one of those that a client has given: the same to the letter, except that a program on the
// person's own machine takes whichever port is free (RFC 8252, section 7.3).
func matchesAny(given []string, raw string) bool {
	return slices.ContainsFunc(given, func(each string) bool {
		return each == raw || withoutPort(each) != "" && withoutPort(each) == withoutPort(raw)
	})
}

// withoutPort is an address on this machine without its port; empty for any other.
func withoutPort(raw string) string {
	target, ok := parseRedirect(raw)
	if !ok || target.Scheme != "http" || !isLoopback(target.Hostname()) {
		return ""
	}
	without := *target
	if without.Host = target.Hostname(); strings.Contains(without.Host, ":") {
		without.Host = "[" + without.Host + "]"
	}
	return without.String()
}

// withQuery is the address with what is to be said there.
func withQuery(redirect string, parameters url.Values) string {
	separator := "?"
	if strings.Contains(redirect, "?") {
		separator = "&"
	}
	return redirect + separator + parameters.Encode()
}
