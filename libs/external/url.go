package external

import (
	"context"
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/idna"
)

// Refusal says why an address may not be called, as the end of a sentence that begins with what holds the address:
// "url" + " " + "must be an https URL …".
type Refusal struct{ reason string }

func (r *Refusal) Error() string { return r.reason }

func refuse(format string, arguments ...any) *Refusal {
	return &Refusal{fmt.Sprintf(format, arguments...)}
}

// CheckURL says whether raw may be called as things are: https, a host, no credentials, no fragment, port 443, 8443 or
// from 1024 on, and an address of the public internet. A name that no resolver knows today passes; Do decides when it is
// called. What the rules allow passes whatever its port, and also by plain http. The error is a *Refusal.
func (c *Client) CheckURL(raw string) error {
	address, err := url.Parse(raw)
	if err != nil {
		return refuse("must be an https URL such as https://example.com/hooks")
	}
	if strings.Contains(raw, "#") {
		return refuse("must not have a fragment: leave out the # and what follows it")
	}
	if err := checkForm(address); err != nil {
		return err
	}
	host, err := asciiName(address.Hostname())
	if err != nil {
		return err
	}
	answers := c.answers(host)
	if len(answers) > 0 && !slices.ContainsFunc(answers, func(a netip.Addr) bool { return !c.allowed(a.Unmap()) }) {
		return nil
	}
	return c.checkPublic(address, host, answers)
}

// answers are the addresses that host means today; none when nobody knows.
func (c *Client) answers(host string) []netip.Addr {
	ctx, cancel := context.WithTimeout(context.Background(), lookupPatience)
	defer cancel()
	answers, err := c.lookup(ctx, host)
	if err != nil {
		return nil
	}
	return answers
}

// checkPublic holds what is not allowed by prefix against the rules for everybody.
func (c *Client) checkPublic(address *url.URL, host string, answers []netip.Addr) error {
	if address.Scheme != "https" {
		return refuse("must be an https URL such as https://example.com/hooks, not %s", address.Scheme)
	}
	port := port(address)
	if !portFits(port) {
		return refuse("names port %d: use 443, 8443 or one from 1024 to 65535", port)
	}
	if _, err := netip.ParseAddr(host); err != nil && private(host) {
		return refuse("names the host %s, which only a private network knows: give a full name of the public internet", host)
	}
	for _, answer := range answers {
		if err := c.mayReach(netip.AddrPortFrom(answer, port)); err != nil {
			return err
		}
	}
	return nil
}

// checkForm looks at what needs no resolver and holds for every URL, allowed or not.
func checkForm(address *url.URL) error {
	switch {
	case address.Scheme != "https" && address.Scheme != "http", address.Opaque != "":
		return refuse("must be an https URL such as https://example.com/hooks")
	case address.User != nil:
		return refuse("must not contain a user name or a password: send a header instead")
	case address.Hostname() == "":
		return refuse("must name a host, as in https://example.com/hooks")
	case strings.HasSuffix(address.Host, ":"):
		return refuse("must name a port after the colon, or leave the colon out")
	}
	if number := address.Port(); number != "" {
		if n, err := strconv.ParseUint(number, 10, 16); err != nil || n == 0 {
			return refuse("names port %s: use 443, 8443 or one from 1024 to 65535", number)
		}
	}
	return nil
}

// asciiName is host as the name system writes it: ⓛocalhost is localhost. It refuses the ways of writing an address that
// different programs read differently.
func asciiName(host string) (string, error) {
	if _, err := netip.ParseAddr(host); err == nil {
		return host, nil
	}
	name, err := idna.Lookup.ToASCII(host)
	if err != nil { // an underscore is in many names all the same; a foreign letter is not
		if name = strings.ToLower(host); strings.ContainsFunc(name, func(r rune) bool { return r > 127 }) {
			return "", refuse("names the host %s, which is not a name of the public internet", host)
		}
	}
	if strings.HasSuffix(name, ".") {
		return "", refuse("must name a host that does not end with a dot")
	}
	if _, err := netip.ParseAddr(name); err != nil && number(name[strings.LastIndex(name, ".")+1:]) {
		return "", refuse("names the host %s, which is neither a name nor an IP address in its usual form, such as 203.0.113.7", host)
	}
	return name, nil
}

// number says whether the last label is one that some programs take for the last number of an IPv4 address: 1, 017, 0x7f, 0x.
func number(label string) bool {
	digits, hexadecimal := strings.CutPrefix(label, "0x")
	return strings.Trim(digits, "0123456789") == "" || hexadecimal && strings.Trim(digits, "0123456789abcdef") == ""
}

// privateDomains are those that the public name system does not serve.
var privateDomains = []string{"localhost", "localdomain", "local", "internal", "intranet", "private", "corp", "home", "lan", "home.arpa", "svc", "consul"}

// private says whether host is a name that means something inside a network only.
func private(host string) bool {
	host = strings.ToLower(host)
	if !strings.Contains(host, ".") {
		return true
	}
	return slices.ContainsFunc(privateDomains, func(domain string) bool { return strings.HasSuffix(host, "."+domain) })
}

func port(address *url.URL) uint16 {
	if number, err := strconv.ParseUint(address.Port(), 10, 16); err == nil {
		return uint16(number)
	}
	if address.Scheme == "http" {
		return 80
	}
	return 443
}

func portFits(port uint16) bool { return port == 443 || port == 8443 || port >= 1024 }
