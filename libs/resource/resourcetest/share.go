package resourcetest

import (
	"maps"
	"slices"
	"testing"

	"ams.internal/libs/postgres/postgrestest"
	"ams.internal/libs/reference"
)

// Shared is a service that the tests of a package share (testshare.Once), each with organizations of its own.
type Shared struct {
	Client   *Client
	Peers    *Peers // what they are told before the first Share, they say to every test
	Database *postgrestest.Database
}

// Share gives a test a client of a new organization, and the other services as this organization sees them: what the test tells them,
// they say to this organization only, to its sandbox, and to the Other ones of the client.
func (s *Shared) Share(t testing.TB) (*Client, *Peers) {
	t.Helper()
	client, peers := *s.Client, s.Peers.share(t)
	client.joined = func(organization string) { s.Peers.assign(t, organization, peers) }
	return client.Other(), peers
}

// join gives a client of an organization that is new in its test.
func (c *Client) join() *Client {
	if c.joined != nil {
		c.joined(c.Principal.OrganizationID)
	}
	return c
}

// share gives the other services of a test.
func (p *Peers) share(t testing.TB) *Peers {
	p.mu.Lock()
	defer p.mu.Unlock()
	own := &Peers{References: p.References, t: t, signer: p.signer, shared: p, records: map[string][]reference.Entry{},
		dependents: maps.Clone(p.dependents), responses: maps.Clone(p.responses), handlers: maps.Clone(p.handlers),
		requests: map[string]int{}, bodies: map[string][]byte{}}
	for collection, entries := range p.records {
		own.records[collection] = slices.Clone(entries)
	}
	return own
}

// assign makes an organization one of a test, until that ends: what works on all organizations may ask about it a moment longer, and is
// told that it is not there.
func (p *Peers) assign(t testing.TB, organization string, own *Peers) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.tests == nil {
		p.tests = map[string]*Peers{}
	}
	p.tests[organization] = own
	t.Cleanup(func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.tests[organization] = nil
	})
}

// of gives the other services as an organization sees them; nil for one whose test has ended.
func (p *Peers) of(organization string) *Peers {
	p.mu.Lock()
	defer p.mu.Unlock()
	if own, is := p.tests[organization]; is {
		return own
	}
	return p
}
