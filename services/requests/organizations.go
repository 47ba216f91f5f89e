package requests

import (
	"context"
	"slices"
	"sync"
	"time"

	"ams.internal/libs/fault"
	"ams.internal/libs/principal"
	"ams.internal/libs/reference"
)

// maxNames is how many names of organizations are remembered.
const maxNames = 10_000

// organizations are those that strangers come to, as the gateway knows them.
type organizations struct {
	references *reference.Client
	known      *reference.OrganizationCache
	now        func() time.Time

	mu    sync.Mutex
	names map[string]knownName
}

type knownName struct {
	id string // of the organization
	at time.Time
}

func newOrganizations(references *reference.Client, now func() time.Time) *organizations {
	return &organizations{references: references, now: now, names: map[string]knownName{},
		known: reference.NewOrganizationCache(func(ctx context.Context, id string) (reference.Organization, error) {
			return references.Organization(ctx, "requests", id)
		}, now)}
}

// find gives an organization whose plan includes the public door. Any other one is a 404, as if it did not exist; a gateway that does not
// answer is a 503.
func (o *organizations) find(ctx context.Context, id string) (reference.Organization, error) {
	organization, err := o.known.Organization(ctx, id)
	if err != nil && fault.From(err).Kind != fault.KindNotFound {
		return organization, err
	}
	if err != nil || !slices.Contains(organization.Features, feature) {
		return reference.Organization{}, errNothingHere
	}
	return organization, nil
}

// open does something in a context on behalf of an organization that find gives. Where that has moved to another cell meanwhile, it is done
// once more: what is counted is counted before.
func (o *organizations) open(ctx context.Context, id string, do func(ctx context.Context) error) error {
	return o.known.Do(ctx, id, func() error {
		organization, err := o.find(ctx, id)
		if err != nil {
			return err
		}
		p := organization.Principal("requests")
		p.Actor.Name, p.Origin = "Public door", "api"
		p.RequestID = principal.From(ctx).RequestID // the address of strangers is kept nowhere
		return do(principal.Into(ctx, p))
	})
}

// named gives the id of the organization that Open311 apps know by a name, which is believed for as long as the organization itself; ""
// where nobody has the name.
func (o *organizations) named(ctx context.Context, name string) (id string, err error) {
	o.mu.Lock()
	known, found := o.names[name]
	o.mu.Unlock()
	if found && o.now().Sub(known.at) <= reference.OrganizationLife {
		return known.id, nil
	}
	if id, err = o.references.Jurisdiction(ctx, "requests", name); err != nil && fault.From(err).Kind != fault.KindNotFound {
		return "", err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.names) >= maxNames {
		clear(o.names)
	}
	o.names[name] = knownName{id, o.now()}
	return id, nil
}

// errNothingHere is the one answer for links, receipts and jurisdictions that are unknown, were replaced, have expired or lead to an
// organization whose plan has no public door.
var errNothingHere = fault.New(fault.KindNotFound, "not_found",
	"There is nothing at this address. It may have been replaced, or have expired.")
