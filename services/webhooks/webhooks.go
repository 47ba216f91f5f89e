package webhooks

import (
	"context"
	"net/http"
	"time"

	"ams.internal/libs/external"
	"ams.internal/libs/outbox"
	"ams.internal/libs/principal"
	"ams.internal/libs/reference"
	"ams.internal/libs/resource"
	"ams.internal/libs/service"
	"ams.internal/libs/transport"
)

// webhooks is the service: its API, the inbox, and its background work.
type webhooks struct {
	api         http.Handler
	inbox       *inbox
	feedWaiters *feedWaiters
	dispatcher  *dispatcher
	replayer    *replayer
	purger      *purger
}

// ServeHTTP implements http.Handler.
func (w *webhooks) ServeHTTP(response http.ResponseWriter, r *http.Request) {
	if r.URL.Path == outbox.InboxPath {
		r.Pattern = outbox.InboxPath
		w.inbox.ServeHTTP(response, r)
		return
	}
	w.api.ServeHTTP(response, r)
}

// build makes the service. known is what receivers may know its calls by. now is the clock of retries, breakers and retention.
func build(
	s *service.Service, roots []string, client *external.Client, known Sender, references *reference.Client, now func() time.Time,
) (*webhooks, error) {
	sealer, err := newSealer(roots)
	if err != nil {
		return nil, err
	}
	plans := newPlans(references, s.Log)
	metrics, err := newMetrics(s.DB, now)
	if err != nil {
		return nil, err
	}
	w := &webhooks{feedWaiters: newFeedWaiters()}
	api := transport.New(s.Signer, s.DB, s.Log)
	registry, sender := resource.NewRegistry(api, s.DB, references), newSender(client, now)
	registry.EmptySandboxes(resource.Emptying{Retained: []string{"feed"}, Before: forgetFeed})
	public{registry: registry, db: s.DB, sealer: sealer, external: client, sender: sender, feedWaiters: w.feedWaiters, known: known,
		now: now}.mount()
	w.api = api.Handler()
	w.dispatcher = &dispatcher{
		db: s.DB, log: s.Log, sender: sender, sealer: sealer, plans: plans, registry: registry, metrics: metrics,
		now: now, cells: map[string]*turnsOfCell{},
	}
	for _, cell := range s.DB.Cells() {
		w.dispatcher.cells[cell] = &turnsOfCell{notified: make(chan struct{}, 1)}
	}
	afterCommit := func(ctx context.Context, touched []endpointKey, organizations []string) {
		w.dispatcher.notify(ctx, touched)
		for _, organization := range organizations {
			w.feedWaiters.notify(organization)
		}
	}
	w.inbox = &inbox{db: s.DB, signer: s.Signer, log: s.Log, plans: plans, now: now, afterCommit: afterCommit}
	w.replayer = &replayer{db: s.DB, log: s.Log, plans: plans, now: now, afterCommit: afterCommit}
	w.purger = &purger{db: s.DB, log: s.Log, now: now}
	return w, nil
}

// asService gives a context in which the service itself is the actor in an organization.
func asService(ctx context.Context, organizationID string) context.Context {
	return principal.Into(ctx, principal.Principal{
		OrganizationID: organizationID, Actor: principal.Actor{Type: "service", ID: "webhooks", Name: "Webhooks"},
	})
}
