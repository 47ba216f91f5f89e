// Package external calls addresses that callers of the product have given us, and no address that is ours: it refuses
// whatever is not public when the address is given (CheckURL) and again when the connection is dialled (Do), because
// between the two a name may come to mean something else.
package external

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"syscall"
	"time"

	"code.dny.dev/ssrf"
)

const (
	connectPatience = 5 * time.Second // for finding the address and connecting to it, and again for the TLS handshake
	lookupPatience  = 3 * time.Second // for CheckURL to learn what a name means today
	idlePatience    = 30 * time.Second
	connections     = 16 // to one host that may lie idle
	longestHeader   = 64 << 10
)

// Rules are what an operator allows beyond the public internet.
type Rules struct {
	// Allow are exact prefixes that may be called although they are not public, on any port and also by plain http.
	Allow []netip.Prefix
}

// Client calls external addresses. It follows no redirect, knows no proxy of the environment, keeps no cookies, speaks
// TLS 1.2 at least and gives a connection five seconds. How long an answer may take is the request's context's matter.
type Client struct {
	allow    []netip.Prefix
	guardian *ssrf.Guardian
	resolver *net.Resolver
	http     *http.Client // scheme https: what is public or allowed
	plain    *http.Client // scheme http: only what is allowed
}

// New makes a client that keeps to rules.
func New(rules Rules) *Client { return newClient(rules, net.DefaultResolver) }

// newClient takes the resolver that tests let lie.
func newClient(rules Rules, resolver *net.Resolver) *Client {
	c := &Client{allow: rules.Allow, guardian: ssrf.New(ssrf.WithAnyPort()), resolver: resolver}
	c.http, c.plain = c.client(c.mayReach), c.client(c.mayReachPlainly)
	return c
}

func (c *Client) client(may func(netip.AddrPort) error) *http.Client {
	dialer := &net.Dialer{
		Timeout:  connectPatience,
		Resolver: c.resolver,
		// The last word: this sees the very address that the kernel is about to be asked for.
		Control: func(_, address string, _ syscall.RawConn) error {
			target, err := netip.ParseAddrPort(address)
			if err != nil {
				return refuse("cannot be reached: %q is not an address", address)
			}
			return may(target)
		},
	}
	dial := func(ctx context.Context, network, address string) (net.Conn, error) {
		ctx, cancel := context.WithTimeout(ctx, connectPatience)
		defer cancel()
		if err := c.checkAnswers(ctx, address, may); err != nil {
			return nil, err
		}
		return dialer.DialContext(ctx, network, address)
	}
	return &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			Proxy:                  nil, // nor HTTP_PROXY nor HTTPS_PROXY: a proxy would dial where we may not
			DialContext:            dial,
			TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12},
			TLSHandshakeTimeout:    connectPatience,
			ForceAttemptHTTP2:      true,
			DisableCompression:     true, // an answer is kept as it came, and none grows in our memory
			MaxIdleConnsPerHost:    connections,
			IdleConnTimeout:        idlePatience,
			MaxResponseHeaderBytes: longestHeader,
		},
	}
}

// checkAnswers refuses a name all of whose addresses are not allowed: a mixed answer is somebody's try.
func (c *Client) checkAnswers(ctx context.Context, address string, may func(netip.AddrPort) error) error {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return err
	}
	number, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return refuse("has no port that can be called: %q", port)
	}
	answers, err := c.lookup(ctx, host)
	if err != nil {
		return err
	}
	for _, answer := range answers {
		if err := may(netip.AddrPortFrom(answer, uint16(number))); err != nil {
			return err
		}
	}
	return nil
}

// Do sends one request. A redirect is an answer like any other. The error is a *Refusal when the address may not be called.
func (c *Client) Do(request *http.Request) (*http.Response, error) {
	if err := checkForm(request.URL); err != nil {
		return nil, err
	}
	client := c.http
	if request.URL.Scheme == "http" {
		client = c.plain
	}
	response, err := client.Do(request) //nolint:bodyclose // the caller closes what it is given
	if err == nil {
		return response, nil
	}
	var refusal *Refusal
	if errors.As(err, &refusal) {
		return nil, refusal
	}
	var where *url.Error // says method and URL, which the caller knows, and a URL may hold what is secret
	if errors.As(err, &where) {
		err = where.Err
	}
	return nil, err
}

// mayReach says whether https may be spoken with the address.
func (c *Client) mayReach(target netip.AddrPort) error {
	address := target.Addr().Unmap()
	if c.allowed(address) {
		return nil
	}
	if !portFits(target.Port()) {
		return refuse("names port %d: use 443, 8443 or one from 1024 to 65535", target.Port())
	}
	if err := c.guardian.SafeAddr(address.WithZone("")); err != nil {
		return refuse("leads to %s, which is not an address of the public internet", address)
	}
	return nil
}

// mayReachPlainly says whether http without TLS may be spoken with the address.
func (c *Client) mayReachPlainly(target netip.AddrPort) error {
	if address := target.Addr().Unmap(); !c.allowed(address) {
		return refuse("leads to %s by plain http: use https", address)
	}
	return nil
}

func (c *Client) allowed(address netip.Addr) bool {
	for _, prefix := range c.allow {
		if prefix.Contains(address) {
			return true
		}
	}
	return false
}

// lookup gives the addresses that host means: itself, or what the resolver answers. There is one at least.
func (c *Client) lookup(ctx context.Context, host string) ([]netip.Addr, error) {
	if address, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{address}, nil
	}
	answers, err := c.resolver.LookupNetIP(ctx, "ip", host)
	if err != nil {
		return nil, err
	}
	if len(answers) == 0 {
		return nil, fmt.Errorf("the name %s has no address", host)
	}
	return answers, nil
}
