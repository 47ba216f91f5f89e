package main

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/deploy/test/resilience/consistency"
)

// webhooksAway: changes go on, their events wait, and are delivered in order when somebody can take them.
func webhooksAway() row {
	instances := []string{"webhooks-1", "webhooks-2"}
	var signedIn *person
	return row{
		name:    "all instances of webhooks",
		promise: "writes go on; no event is lost, order per record is kept; the settings screen says so; its paths 503 within 1 s",
		take: func(ctx context.Context, r *run) (err error) {
			if signedIn, err = r.administrator(ctx); err != nil {
				return err
			}
			return r.stack.Halt(syscall.SIGKILL, instances...)
		},
		during: func(ctx context.Context, r *run) error {
			began := time.Now()
			a := r.balancer.do(ctx, call{method: http.MethodGet, path: "/v1/events?wait=30", key: r.tenants[0].key()})
			took := time.Since(began)
			r.promise(a.status == http.StatusServiceUnavailable, "the feed answers %d: %.300s", a.status, a.body)
			r.measure("503 after %s", took.Round(time.Millisecond))
			r.bound(took < time.Second, "a 503 took %s; it may take 1 s", took)
			return signedIn.screenSaysSo(ctx, r)
		},
		back:  func(ctx context.Context, r *run) error { return r.stack.Resume(ctx, instances...) },
		judge: func(r *run) { r.noneFailed(r.samples, "") },
		then:  func(ctx context.Context, r *run) error { return r.everythingTold(ctx) },
	}
}

// administrator signs in at the settings screens.
func (r *run) administrator(ctx context.Context) (*person, error) {
	p, err := newPerson(r.stack.Description().BaseURL)
	if err != nil {
		return nil, err
	}
	of := r.tenants[0].administrator
	status, text, err := p.signIn(ctx, of.Email, of.Password)
	if err == nil && status != http.StatusSeeOther {
		err = unexpected("the sign-in", status, text)
	}
	return p, err
}

// everythingTold waits until all is delivered, and compares history, feed and deliveries since the beginning of it all.
func (r *run) everythingTold(ctx context.Context) error {
	db, err := pgx.Connect(ctx, r.databaseURL)
	if err != nil {
		return err
	}
	defer db.Close(context.WithoutCancel(ctx)) //nolint:errcheck // nothing is owed to anybody
	if err := r.delivered(ctx, db); err != nil {
		return err
	}
	r.measure("all delivered %s after it was back", time.Since(r.whole).Round(time.Second))
	var told consistency.Comparison
	for _, t := range r.tenants {
		committed, err := consistency.History(ctx, db, t.id, r.began)
		if err != nil {
			return err
		}
		events, err := consistency.Feed(ctx, t.client(r.stack.Description().BaseURL), t.base)
		if err != nil {
			return err
		}
		told.Feed(t.base, committed, events)
		if t.receiver != nil {
			told.Deliveries(t.receiver, t.base, events)
		}
	}
	slices.Sort(told.Latencies)
	r.measure("%d events in the feeds, %d delivered, %d lost, %d out of order, %d gaps", told.Events, told.Received, told.Lost, told.Inversions, told.Gaps)
	r.promise(told.Whole() && told.Received > 0, "the stories differ: %+v", told.Examples)
	return nil
}

// delivered waits until nothing is in an outbox or to be delivered.
func (w *world) delivered(ctx context.Context, db *pgx.Conn) error {
	ctx, cancel := context.WithTimeout(ctx, settling)
	defer cancel()
	for {
		outboxes, deliveries, err := consistency.Waiting(ctx, db)
		if err == nil && outboxes+deliveries == 0 {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("after %s there are still %d events in the outboxes and %d deliveries to be made (%w)", settling, outboxes, deliveries, ctx.Err())
		case <-time.After(200 * time.Millisecond):
		}
	}
}
