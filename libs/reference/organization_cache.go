package reference

import (
	"context"
	"sync"
	"time"

	"ams.internal/libs/fault"
	"ams.internal/libs/postgres"
)

const (
	// OrganizationLife is how long what the gateway said of an organization is believed: a plan that has lapsed is noticed that soon.
	OrganizationLife = 30 * time.Second
	// maxOrganizations is how many organizations are remembered.
	maxOrganizations = 10_000
)

// OrganizationCache remembers organizations, for a service that comes to them by itself or by a stranger, and not with
// the principal of a request.
type OrganizationCache struct {
	find func(ctx context.Context, id string) (Organization, error)
	now  func() time.Time

	mu  sync.Mutex
	all map[string]known
}

// known is the gateway's response for an organization. Of one that does not exist it is the 404.
type known struct {
	organization Organization
	missing      error
	at           time.Time
}

// NewOrganizationCache returns an empty one. find is Client.Organization of a service.
func NewOrganizationCache(find func(ctx context.Context, id string) (Organization, error), now func() time.Time) *OrganizationCache {
	return &OrganizationCache{find: find, now: now, all: map[string]known{}}
}

// Organization gives an organization as it was within OrganizationLife. One that does not exist is a 404, a gateway
// that is unavailable a 503.
func (c *OrganizationCache) Organization(ctx context.Context, id string) (Organization, error) {
	c.mu.Lock()
	of, found := c.all[id]
	c.mu.Unlock()
	if found && c.now().Sub(of.at) <= OrganizationLife {
		return of.organization, of.missing
	}
	organization, err := c.find(ctx, id)
	if err != nil && fault.From(err).Kind != fault.KindNotFound {
		return organization, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.all) >= maxOrganizations {
		clear(c.all)
	}
	c.all[id] = known{organization, err, c.now()}
	return organization, err
}

// Forget has the gateway asked about an organization the next time.
func (c *OrganizationCache) Forget(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.all, id)
}

// Do does something for an organization, which do looks up itself (Organization). Where a database refuses it because the
// organization is on the move, perhaps to another cell than the remembered one, that is forgotten and it is done once more, from
// the beginning; what fails then is the error.
func (c *OrganizationCache) Do(ctx context.Context, id string, do func() error) error {
	err := do()
	if !postgres.IsMoving(err) || ctx.Err() != nil {
		return err
	}
	c.Forget(id)
	if err = do(); postgres.IsMoving(err) {
		c.Forget(id)
	}
	return err
}
