package main

import (
	"context"
	"net/http"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/deploy/test/resilience/consistency"
	"ams.internal/deploy/test/resilience/load"
)

// webhooksDown: changes go on, their events wait, and are delivered in order when somebody can take them.
func webhooksDown() scenario {
	instances := []string{"webhooks-1", "webhooks-2"}
	var signedIn *load.Person
	return scenario{
		name:    "all instances of webhooks",
		promise: "writes go on; no event is lost, order per record is kept; the settings screen says so; its paths 503 within 1 s",
		inject: func(ctx context.Context, r *run) (err error) {
			if signedIn, err = r.administrator(ctx); err != nil {
				return err
			}
			return r.stack.Halt(syscall.SIGKILL, instances...)
		},
		during: func(ctx context.Context, r *run) error {
			began := time.Now()
			a := r.balancer.Do(ctx, load.Call{Method: http.MethodGet, Path: "/v1/events?wait=30", Key: r.organizations[0].Key()})
			took := time.Since(began)
			r.promise(a.Status == http.StatusServiceUnavailable, "the feed answers %d: %.300s", a.Status, a.Body)
			r.measure("503 after %s", took.Round(time.Millisecond))
			r.bound(took < time.Second, "a 503 took %s; it may take 1 s", took)
			return screenReportsOutage(ctx, signedIn, r)
		},
		restore:  func(ctx context.Context, r *run) error { return r.stack.Resume(ctx, instances...) },
		evaluate: func(r *run) { r.noneFailed(r.samples, "") },
		after:    func(ctx context.Context, r *run) error { return r.everythingDelivered(ctx) },
	}
}

// administrator signs in at the settings screens.
func (r *run) administrator(ctx context.Context) (*load.Person, error) {
	p, err := load.NewPerson(r.stack.Description().BaseURL)
	if err != nil {
		return nil, err
	}
	of := r.organizations[0]
	status, text, err := p.SignIn(ctx, of.Email, of.Password)
	if err == nil && status != http.StatusSeeOther {
		err = unexpected("the sign-in", status, text)
	}
	return p, err
}

// everythingDelivered waits until all is delivered, and compares acknowledgements, history, feed and deliveries since the beginning.
func (r *run) everythingDelivered(ctx context.Context) error {
	db, err := pgx.Connect(ctx, r.databaseURL)
	if err != nil {
		return err
	}
	defer db.Close(context.WithoutCancel(ctx)) //nolint:errcheck // nothing is owed to anybody
	subjects := load.Subjects(r.organizations)
	since, err := consistency.AwaitDelivered(ctx, db, subjects)
	if err != nil {
		return err
	}
	r.measure("all delivered %s after it was back", max(since.Sub(r.restored), 0).Round(time.Second))
	found, err := consistency.Verifier{DB: db, Since: r.began}.Events(ctx, subjects)
	if err != nil {
		return err
	}
	r.measure("%d events in the feeds, %d delivered, %d lost, %d out of order, %d gaps",
		found.Events, found.Received, found.Lost, found.Inversions, found.Gaps)
	r.promise(found.Consistent() && found.Received > 0, "acknowledgements, history, feed and deliveries differ: %+v", found.Examples)
	return nil
}
