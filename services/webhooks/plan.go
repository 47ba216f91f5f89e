package main

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
	// planAge is how long an answer about a plan counts. A plan that lapses is noticed within it, and one that is back within
	// twice of it.
	planAge = 15 * time.Second
	// planPatience is how long the first question about an organization may keep its deliveries waiting.
	planPatience = 2 * time.Second
)

// plans knows which organizations' plans include webhooks. It asks the gateway, and where that does not answer, what it
// said last counts.
type plans struct {
	client *reference.Client
	log    *slog.Logger

	mu    sync.Mutex
	known map[string]*plan
}

type plan struct {
	includes bool
	asked    time.Time     // when the answer was asked for last
	answered chan struct{} // closed by the first answer
}

func newPlans(client *reference.Client, log *slog.Logger) *plans {
	return &plans{client: client, log: log, known: map[string]*plan{}}
}

// include says whether the organization's plan includes webhooks. Only the first question about it waits for the answer.
func (p *plans) include(ctx context.Context, organizationID string, now time.Time) bool {
	p.mu.Lock()
	known := p.known[organizationID]
	if known == nil {
		known = &plan{includes: true, answered: make(chan struct{})} // nobody who has paid waits for a gateway that is away
		p.known[organizationID] = known
	}
	if now.Sub(known.asked) >= planAge || now.Before(known.asked) {
		known.asked = now
		go p.ask(asService(context.WithoutCancel(ctx), organizationID), organizationID, known)
	}
	answered := known.answered
	p.mu.Unlock()

	waited := time.NewTimer(planPatience)
	defer waited.Stop()
	select {
	case <-answered:
	case <-waited.C:
	case <-ctx.Done():
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return known.includes
}

// ask asks the gateway. An organization that is not there any more has no plan.
func (p *plans) ask(ctx context.Context, organizationID string, known *plan) {
	var answer struct {
		Features []string `json:"features"`
	}
	err := p.client.Call(ctx, "gateway-internal", http.MethodGet, "/internal/organizations/"+organizationID, nil, &answer)
	var refusal *fault.Error
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-known.answered:
	default:
		close(known.answered)
	}
	switch {
	case err == nil:
		known.includes = slices.Contains(answer.Features, feature)
	case errors.As(err, &refusal) && refusal.Kind == fault.KindNotFound:
		known.includes = false
	default:
		p.log.WarnContext(ctx, "the gateway does not say what the plan includes; what it said last counts", "organization", organizationID, "error", err)
	}
}
