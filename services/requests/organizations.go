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
	names map[string]knownName
}

type knownOrganization struct {
	organization reference.Organization
	exists       bool
	at           time.Time
}

type knownName struct {
	id string // of the organization
	at time.Time
}

// find gives an organization whose plan includes the public door. Any other one is a 404, as if it did not exist; a gateway that does not
// answer is a 503.
func (o *organizations) find(ctx context.Context, id string) (reference.Organization, error) {
	o.mu.Lock()
	known, found := o.known[id]
	o.mu.Unlock()
	if !found || o.now().Sub(known.at) > organizationLife {
		organization, err := o.references.Organization(ctx, "requests", id)
		if err != nil && fault.From(err).Kind != fault.KindNotFound {
			return organization, err
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
		return reference.Organization{}, errNothingHere
	}
	return known.organization, nil
}

// open is find, and gives a context on behalf of the organization.
func (o *organizations) open(ctx context.Context, id string) (context.Context, error) {
	organization, err := o.find(ctx, id)
	if err != nil {
		return nil, err
	}
	p := organization.Principal("requests")
	p.Actor.Name, p.Origin = "Public door", "api"
	p.RequestID = principal.From(ctx).RequestID // the address of strangers is kept nowhere
	return principal.Into(ctx, p), nil
}

// named gives the id of the organization that Open311 apps know by a name, which is believed for as long as the organization itself; "" where
// nobody has the name.
func (o *organizations) named(ctx context.Context, name string) (id string, err error) {
	o.mu.Lock()
	known, found := o.names[name]
	o.mu.Unlock()
	if found && o.now().Sub(known.at) <= organizationLife {
		return known.id, nil
	}
	if id, err = o.references.Jurisdiction(ctx, "requests", name); err != nil && fault.From(err).Kind != fault.KindNotFound {
		return "", err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.names) >= maxOrganizations {
		clear(o.names)
	}
	o.names[name] = knownName{id, o.now()}
	return id, nil
}

// errNothingHere is the one answer for links, receipts and jurisdictions that are unknown, were replaced, have expired or lead to an
// organization whose plan has no public door.
var errNothingHere = fault.New(fault.KindNotFound, "not_found", "There is nothing at this address. It may have been replaced, or have expired.")
