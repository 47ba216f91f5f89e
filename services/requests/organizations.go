package main

import (
	"context"
	"slices"
	"sync"
	"time"

	"ams.internal/libs/fault"
	"ams.internal/libs/principal"
	"ams.internal/libs/reference"
)

// organizationLife is how long what the gateway said of an organization is believed: a plan that has lapsed closes the door that soon.
const organizationLife = 30 * time.Second

// maxOrganizations is how many organizations are remembered.
const maxOrganizations = 10_000

// organizations are those that strangers come to, as the gateway knows them.
type organizations struct {
	references *reference.Client
	now        func() time.Time

	mu    sync.Mutex
	known map[string]knownOrganization
}

type knownOrganization struct {
	organization reference.Organization
	exists       bool
	at           time.Time
}

// open gives a context on behalf of an organization whose plan includes the public door. Any other one is a 404, as if it did not exist;
// a gateway that does not answer is a 503.
func (o *organizations) open(ctx context.Context, id string) (context.Context, error) {
	o.mu.Lock()
	known, found := o.known[id]
	o.mu.Unlock()
	if !found || o.now().Sub(known.at) > organizationLife {
		organization, err := o.references.Organization(ctx, "requests", id)
		if err != nil && fault.From(err).Kind != fault.KindNotFound {
			return nil, err
		}
		known = knownOrganization{organization, err == nil, o.now()}
		o.mu.Lock()
		if len(o.known) >= maxOrganizations {
			clear(o.known)
		}
		o.known[id] = known
		o.mu.Unlock()
	}
	if !known.exists || !slices.Contains(known.organization.Features, feature) {
		return nil, errNothingHere
	}
	p := known.organization.Principal("requests")
	p.Actor.Name, p.Origin = "Public door", "api"
	p.RequestID = principal.From(ctx).RequestID // the address of strangers is kept nowhere
	return principal.Into(ctx, p), nil
}

// errNothingHere is the one answer for links, receipts and jurisdictions that are unknown, were replaced, have expired or lead to an
// organization whose plan has no public door.
var errNothingHere = fault.New(fault.KindNotFound, "not_found", "There is nothing at this address. It may have been replaced, or have expired.")
