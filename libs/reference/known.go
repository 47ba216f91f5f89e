package reference

import (
	"context"
	"sync"
	"time"

	"ams.internal/libs/fault"
	"ams.internal/libs/postgres"
)

const (
	// KnownFor is how long what the gateway said of an organization is believed: a plan that has lapsed is noticed that soon.
	KnownFor = 30 * time.Second
	// maxKnown is how many organizations are remembered.
	maxKnown = 10_000
)

// Known remembers organizations, for a service that comes to them by itself or by a stranger, and not with the principal of a request.
type Known struct {
	ask func(ctx context.Context, id string) (Organization, error)
	now func() time.Time

	mu  sync.Mutex
	all map[string]known
}

// known is what the gateway said of an organization. Of one that does not exist it is the 404.
type known struct {
	organization Organization
	missing      error
	at           time.Time
}

// NewKnown gives a Known that has nothing yet. ask is Client.Organization of a service.
func NewKnown(ask func(ctx context.Context, id string) (Organization, error), now func() time.Time) *Known {
	return &Known{ask: ask, now: now, all: map[string]known{}}
}

// Organization gives an organization as it was within KnownFor. One that does not exist is a 404, a gateway that is unavailable a 503.
func (k *Known) Organization(ctx context.Context, id string) (Organization, error) {
	k.mu.Lock()
	of, found := k.all[id]
	k.mu.Unlock()
	if found && k.now().Sub(of.at) <= KnownFor {
		return of.organization, of.missing
	}
	organization, err := k.ask(ctx, id)
	if err != nil && fault.From(err).Kind != fault.KindNotFound {
		return organization, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.all) >= maxKnown {
		clear(k.all)
	}
	k.all[id] = known{organization, err, k.now()}
	return organization, err
}

// Forget has the gateway asked about an organization the next time.
func (k *Known) Forget(id string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.all, id)
}

// Do does something for an organization, which do looks up itself (Organization). Where a database refuses it because the organization is on the
// move, perhaps to another cell than the remembered one, that is forgotten and it is done once more, from the beginning; what fails then is the
// error.
func (k *Known) Do(ctx context.Context, id string, do func() error) error {
	err := do()
	if !postgres.IsMoving(err) || ctx.Err() != nil {
		return err
	}
	k.Forget(id)
	if err = do(); postgres.IsMoving(err) {
		k.Forget(id)
	}
	return err
}
