package external

import (
	"context"
	"fmt"
	"maps"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/net/idna"

	"ams.internal/libs/transaction"
)

// Rejection is the reason why a URL may not be called, as the end of a sentence that begins with the name of its field:
// "url" + " " + "must be an https URL …".
type Rejection struct{ reason string }

func (r *Rejection) Error() string { return r.reason }

func reject(format string, arguments ...any) *Rejection {
	return &Rejection{fmt.Sprintf(format, arguments...)}
}

// maxNames is how many different names LookUp asks for in one call.
const maxNames = 20

// Names are the addresses of host names, as LookUp found them. A name that does not resolve has none.
type Names map[string][]netip.Addr

// LookUp gives what CheckURL needs to know of the hosts of urls. It waits for name servers of other people: each name is asked for
// once, all of them side by side, and all together no longer than lookupTimeout. It must not be called in a transaction. The error
// is a *Rejection: too many different names.
func (c *Client) LookUp(ctx context.Context, urls []string) (Names, error) {
	transaction.MustNotRun(ctx, "look up a host name")
	names := Names{}
	for _, raw := range urls {
		if name, err := hostName(raw); err == nil && name != "" {
			names[name] = nil
		}
	}
	if len(names) > maxNames {
		return nil, reject("names %d different hosts in url: give %d at most in one call, and the others in further calls", len(names), maxNames)
	}
	ctx, cancel := context.WithTimeout(ctx, lookupTimeout)
	defer cancel()
	var mu sync.Mutex
	var lookups sync.WaitGroup
	for _, name := range slices.Collect(maps.Keys(names)) {
		lookups.Go(func() {
			addresses, err := c.lookup(ctx, name)
			if err != nil {
				return // perhaps it resolves tomorrow
			}
			mu.Lock()
			defer mu.Unlock()
			names[name] = addresses
		})
	}
	lookups.Wait()
	return names, nil
}

// hostName gives the host of a URL that must be looked up, as DNS spells it; "" where the host is an address.
func hostName(raw string) (string, error) {
	address, err := url.Parse(raw)
	if err != nil {
		return "", err
	}
	if err := checkForm(address); err != nil {
		return "", err
	}
	host, err := toASCII(address.Hostname())
	if _, notAnAddress := netip.ParseAddr(host); err != nil || notAnAddress == nil {
		return "", err
	}
	return host, nil
}

// CheckURL checks whether raw may be called: https, a host, no credentials, no fragment, port 443, 8443 or from 1024 on, and
// an address of the public internet. It knows addresses from names, which LookUp has found. A name that did not resolve passes; Do
// checks again when it is called. Addresses of Rules.Allow pass with any port, and also by plain http. The error is a *Rejection.
func (c *Client) CheckURL(raw string, names Names) error {
	address, err := url.Parse(raw)
	if err != nil {
		return reject("must be an https URL such as https://example.com/hooks")
	}
	if strings.Contains(raw, "#") {
		return reject("must not have a fragment: leave out the # and what follows it")
	}
	if err := checkForm(address); err != nil {
		return err
	}
	host, err := toASCII(address.Hostname())
	if err != nil {
		return err
	}
	addresses, known := names[host]
	if literal, err := netip.ParseAddr(host); err == nil {
		addresses = []netip.Addr{literal}
	} else if !known {
		return fmt.Errorf("the host %s was not looked up", host)
	}
	if len(addresses) > 0 && !slices.ContainsFunc(addresses, func(a netip.Addr) bool { return !c.allowed(a.Unmap()) }) {
		return nil
	}
	return c.checkPublic(address, host, addresses)
}

// checkPublic checks a URL whose addresses are not all of Rules.Allow.
func (c *Client) checkPublic(address *url.URL, host string, addresses []netip.Addr) error {
	if address.Scheme != "https" {
		return reject("must be an https URL such as https://example.com/hooks, not %s", address.Scheme)
	}
	port := portOf(address)
	if !portAllowed(port) {
		return reject("names port %d: use 443, 8443 or one from 1024 to 65535", port)
	}
	if _, err := netip.ParseAddr(host); err != nil && isPrivateName(host) {
		return reject("names the host %s, which only a private network knows: give a full name of the public internet", host)
	}
	for _, resolved := range addresses {
		if err := c.checkHTTPS(netip.AddrPortFrom(resolved, port)); err != nil {
			return err
		}
	}
	return nil
}

// checkForm checks the rules that need no resolver and hold for every URL.
func checkForm(address *url.URL) error {
	switch {
	case address.Scheme != "https" && address.Scheme != "http", address.Opaque != "":
		return reject("must be an https URL such as https://example.com/hooks")
	case address.User != nil:
		return reject("must not contain a user name or a password: send a header instead")
	case address.Hostname() == "":
		return reject("must name a host, as in https://example.com/hooks")
	case strings.HasSuffix(address.Host, ":"):
		return reject("must name a port after the colon, or leave the colon out")
	}
	if port := address.Port(); port != "" {
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			return reject("names port %s: use 443, 8443 or one from 1024 to 65535", port)
		}
	}
	return nil
}

// toASCII is host in the form of DNS: ⓛocalhost is localhost. It rejects spellings of an address that programs parse
// differently.
func toASCII(host string) (string, error) {
	if _, err := netip.ParseAddr(host); err == nil {
		return host, nil
	}
	name, err := idna.Lookup.ToASCII(host)
	if err != nil { // many names have an underscore, which IDNA rejects; letters beyond ASCII are rejected here too
		if name = strings.ToLower(host); strings.ContainsFunc(name, func(r rune) bool { return r > 127 }) {
			return "", reject("names the host %s, which is not a name of the public internet", host)
		}
	}
	if strings.HasSuffix(name, ".") {
		return "", reject("must name a host that does not end with a dot")
	}
	if _, err := netip.ParseAddr(name); err != nil && isNumericLabel(name[strings.LastIndex(name, ".")+1:]) {
		return "", reject("names the host %s, which is neither a name nor an IP address in its usual form, such as 203.0.113.7", host)
	}
	return name, nil
}

// isNumericLabel says whether some programs parse the last label of a host as a number of an IPv4 address: 1, 017, 0x7f, 0x.
func isNumericLabel(label string) bool {
	digits, hexadecimal := strings.CutPrefix(label, "0x")
	return strings.Trim(digits, "0123456789") == "" || hexadecimal && strings.Trim(digits, "0123456789abcdef") == ""
}

// privateDomains are domains that public DNS does not serve.
var privateDomains = []string{"localhost", "localdomain", "local", "internal", "intranet", "private", "corp", "home", "lan",
	"home.arpa", "svc", "consul"}

// isPrivateName says whether host is a name that resolves inside a private network only.
func isPrivateName(host string) bool {
	host = strings.ToLower(host)
	if !strings.Contains(host, ".") {
		return true
	}
	return slices.ContainsFunc(privateDomains, func(domain string) bool { return strings.HasSuffix(host, "."+domain) })
}

func portOf(address *url.URL) uint16 {
	if port, err := strconv.ParseUint(address.Port(), 10, 16); err == nil {
		return uint16(port)
	}
	if address.Scheme == "http" {
		return 80
	}
	return 443
}

func portAllowed(port uint16) bool { return port == 443 || port == 8443 || port >= 1024 }
