package webhooks

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"time"

	"ams.internal/libs/domain/catalogue"
	"ams.internal/libs/fault"
	"ams.internal/libs/reference"
)

const (
	// feature is what an organization's plan must include for deliveries to be made.
	feature = catalogue.APIAccess
	// planTTL is how long a cached plan is valid. A plan that lapses is noticed within it, a renewed one within twice of it.
	planTTL = 15 * time.Second
	// planTimeout is how long deliveries of an organization wait for the first response about its plan.
	planTimeout = 2 * time.Second
)

// plans caches what organizations' plans include. While the gateway is unavailable, its last response stays valid.
type plans struct {
	client *reference.Client
	log    *slog.Logger

	mu    sync.Mutex
	cache map[string]*plan // by organization
}

type plan struct {
	features    features
	requestedAt time.Time     // of the last request
	loaded      chan struct{} // closed by the first response
}

// features are what a plan includes.
type features struct {
	unknown bool // nobody has said it yet: a gateway that is down stops nobody's deliveries
	names   []string
}

// have says whether the plan includes all of some features.
func (f features) have(names ...string) bool {
	return f.unknown || !slices.ContainsFunc(names, func(name string) bool { return !slices.Contains(f.names, name) })
}

func newPlans(client *reference.Client, log *slog.Logger) *plans {
	return &plans{client: client, log: log, cache: map[string]*plan{}}
}

// include says whether the organization's plan includes webhooks.
func (p *plans) include(ctx context.Context, organizationID string, now time.Time) bool {
	return p.of(ctx, organizationID, now).have(feature)
}

// of gives what the organization's plan includes. Only the first call for an organization waits for the gateway.
func (p *plans) of(ctx context.Context, organizationID string, now time.Time) features {
	p.mu.Lock()
	cached := p.cache[organizationID]
	if cached == nil {
		cached = &plan{features: features{unknown: true}, loaded: make(chan struct{})}
		p.cache[organizationID] = cached
	}
	if now.Sub(cached.requestedAt) >= planTTL || now.Before(cached.requestedAt) {
		cached.requestedAt = now
		go p.refresh(asService(context.WithoutCancel(ctx), organizationID), organizationID, cached)
	}
	loaded := cached.loaded
	p.mu.Unlock()

	timeout := time.NewTimer(planTimeout)
	defer timeout.Stop()
	select {
	case <-loaded:
	case <-timeout.C:
	case <-ctx.Done():
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return cached.features
}

// refresh requests the plan from the gateway. An organization that no longer exists has no plan.
func (p *plans) refresh(ctx context.Context, organizationID string, cached *plan) {
	var organization struct {
		Features []string `json:"features"`
	}
	err := p.client.Call(ctx, "gateway-internal", http.MethodGet, reference.OrganizationPath(organizationID), nil, &organization)
	var refusal *fault.Error
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-cached.loaded:
	default:
		close(cached.loaded)
	}
	switch {
	case err == nil:
		cached.features = features{names: organization.Features}
	case errors.As(err, &refusal) && refusal.Kind == fault.KindNotFound:
		cached.features = features{}
	default:
		p.log.WarnContext(ctx, "an organization's plan could not be read from the gateway; the last response stays valid",
			"organization", organizationID, "error", err)
	}
}
