// Package external calls URLs that callers of the product have given, and prevents calls to our own network. It rejects addresses
// that are not public when the URL is given (LookUp, CheckURL), and again when the connection is dialled (Do), because a name may
// resolve to another address by then. It refuses to run in a database transaction.
package external

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"sync"
	"syscall"
	"time"

	"code.dny.dev/ssrf"

	"ams.internal/libs/transaction"
)

const (
	connectTimeout     = 5 * time.Second // for resolving the name and connecting, and again for the TLS handshake
	lookupTimeout      = 3 * time.Second // for LookUp to resolve all names of a call
	idleTimeout        = 30 * time.Second
	maxIdleConnections = 16 // per host
	maxHeaderBytes     = 64 << 10
)

// Rules are what the configuration allows beyond the public internet.
type Rules struct {
	// Allow are prefixes that may be called although they are not public, on any port and also by plain http.
	Allow []netip.Prefix
	// Certificate, where given, is shown to servers that ask for one.
	Certificate *tls.Certificate
	// Resolver, where given, resolves names instead of the system's.
	Resolver *net.Resolver
}

// Client calls external URLs. It follows no redirects, uses no proxy of the environment, stores no cookies, requires TLS 1.2
// and allows five seconds for a connection. The request's context limits the time of the response.
type Client struct {
	allow    []netip.Prefix
	guardian *ssrf.Guardian
	resolver *net.Resolver
	shown    *tls.Certificate
	http     *http.Client // for https: public addresses, and those of Rules.Allow
	plain    *http.Client // for http: only those of Rules.Allow

	mu       sync.Mutex
	trusting map[string]*http.Client // for https, by the authorities that are trusted in place of the system's
}

// maxTrusting is how many sets of authorities are remembered, with the connections that they let be made.
const maxTrusting = 100

// New makes a client with rules.
func New(rules Rules) *Client {
	c := &Client{allow: rules.Allow, guardian: ssrf.New(ssrf.WithAnyPort()), resolver: rules.Resolver, shown: rules.Certificate,
		trusting: map[string]*http.Client{}}
	if c.resolver == nil {
		c.resolver = net.DefaultResolver
	}
	c.http, c.plain = c.client(c.checkHTTPS, nil), c.client(c.checkPlainHTTP, nil)
	return c
}

// client makes a client for addresses that pass a check. roots are trusted in place of the system's; nil: the system's.
func (c *Client) client(check func(netip.AddrPort) error, roots *x509.CertPool) *http.Client {
	secured := &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: roots}
	if c.shown != nil { // whichever authorities the server names: who trusts this one certificate need not name its authority
		secured.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return c.shown, nil }
	}
	dialer := &net.Dialer{
		Timeout:  connectTimeout,
		Resolver: c.resolver,
		// The final check: it gets the address that is passed to the kernel.
		Control: func(_, address string, _ syscall.RawConn) error {
			target, err := netip.ParseAddrPort(address)
			if err != nil {
				return reject("cannot be reached: %q is not an address", address)
			}
			return check(target)
		},
	}
	dial := func(ctx context.Context, network, address string) (net.Conn, error) {
		ctx, cancel := context.WithTimeout(ctx, connectTimeout)
		defer cancel()
		if err := c.checkAddresses(ctx, address, check); err != nil {
			return nil, err
		}
		return dialer.DialContext(ctx, network, address)
	}
	return &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			Proxy:                  nil, // neither HTTP_PROXY nor HTTPS_PROXY: a proxy could dial addresses that are rejected here
			DialContext:            dial,
			TLSClientConfig:        secured,
			TLSHandshakeTimeout:    connectTimeout,
			ForceAttemptHTTP2:      true,
			DisableCompression:     true, // a response is stored as it was sent, and a small one cannot grow in memory
			MaxIdleConnsPerHost:    maxIdleConnections,
			IdleConnTimeout:        idleTimeout,
			MaxResponseHeaderBytes: maxHeaderBytes,
		},
	}
}

// checkAddresses checks every address that a name resolves to. One that is not allowed rejects the name: a mixture of public
// and private addresses is an attack.
func (c *Client) checkAddresses(ctx context.Context, address string, check func(netip.AddrPort) error) error {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return err
	}
	number, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return reject("has no port that can be called: %q", port)
	}
	addresses, err := c.lookup(ctx, host)
	if err != nil {
		return err
	}
	for _, resolved := range addresses {
		if err := check(netip.AddrPortFrom(resolved, uint16(number))); err != nil {
			return err
		}
	}
	return nil
}

// Do sends one request. It must not be called in a transaction. A redirect is a response like any other. The error is a *Rejection
// when the address may not be called.
func (c *Client) Do(request *http.Request) (*http.Response, error) { return c.do(request, c.http) }

// DoTrusting is Do, with the server's certificate verified by authorities in place of the system's. They are certificates in PEM.
func (c *Client) DoTrusting(request *http.Request, authorities string) (*http.Response, error) {
	c.mu.Lock()
	client := c.trusting[authorities]
	if client == nil {
		roots := x509.NewCertPool()
		if !roots.AppendCertsFromPEM([]byte(authorities)) {
			c.mu.Unlock()
			return nil, errors.New("the authorities that the server is to be verified by hold no certificate")
		}
		if len(c.trusting) == maxTrusting {
			for _, former := range c.trusting {
				former.CloseIdleConnections()
			}
			clear(c.trusting)
		}
		client = c.client(c.checkHTTPS, roots)
		c.trusting[authorities] = client
	}
	c.mu.Unlock()
	return c.do(request, client)
}

func (c *Client) do(request *http.Request, client *http.Client) (*http.Response, error) {
	transaction.MustNotRun(request.Context(), "call a URL")
	if err := checkForm(request.URL); err != nil {
		return nil, err
	}
	if request.URL.Scheme == "http" {
		client = c.plain
	}
	response, err :=
		client.Do(request) //nolint:bodyclose,gosec // the caller closes what it is given; the address is checked when it is dialed
	if err == nil {
		return response, nil
	}
	var rejection *Rejection
	if errors.As(err, &rejection) {
		return nil, rejection
	}
	var urlError *url.Error // it repeats the URL, which may contain a secret
	if errors.As(err, &urlError) {
		err = urlError.Err
	}
	return nil, err
}

// checkHTTPS checks whether the address may be called by https.
func (c *Client) checkHTTPS(target netip.AddrPort) error {
	address := target.Addr().Unmap()
	if c.allowed(address) {
		return nil
	}
	if !portAllowed(target.Port()) {
		return reject("names port %d: use 443, 8443 or one from 1024 to 65535", target.Port())
	}
	if err := c.guardian.SafeAddr(address.WithZone("")); err != nil {
		return reject("leads to %s, which is not an address of the public internet", address)
	}
	return nil
}

// checkPlainHTTP checks whether the address may be called by http without TLS.
func (c *Client) checkPlainHTTP(target netip.AddrPort) error {
	if address := target.Addr().Unmap(); !c.allowed(address) {
		return reject("leads to %s by plain http: use https", address)
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

// lookup gives the addresses of host: itself, or those from the resolver. There is at least one.
func (c *Client) lookup(ctx context.Context, host string) ([]netip.Addr, error) {
	if address, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{address}, nil
	}
	addresses, err := c.resolver.LookupNetIP(ctx, "ip", host)
	if err != nil {
		return nil, err
	}
	if len(addresses) == 0 {
		return nil, fmt.Errorf("the name %s has no address", host)
	}
	return addresses, nil
}
