package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/deploy/demo"
	"ams.internal/deploy/devstack"
	"ams.internal/deploy/test/resilience/consistency"
)

// world is the real stack, with lines to what it stands on that can be cut, and organizations that put load on it.
type world struct {
	group  group
	folder string
	pace   pace
	say    func(format string, args ...any)

	ground *devstack.Stack // PostgreSQL and Redis
	stack  *devstack.Stack // Consul and our programs, which reach the ground through the lines

	postgres, redis, collector line
	databaseURL                string // past the line
	sink                       *httptest.Server

	balancer *balancer
	tenants  []*tenant
	fast     *tenant   // has keys for as many requests as can be made
	began    time.Time // of the first change that counts, by the database's clock
}

// pace is how much and how long.
type pace struct {
	perSecond         int           // requests
	warm, away, after time.Duration // how long before something is taken away, while it is, and after it serves again
	tenants, keys     int
	rounds            int           // of a measurement of throughput
	round             time.Duration // how long one of them is
	everyInstance     bool          // a rolling restart takes every instance of every service, not one of each
}

var (
	whole = pace{perSecond: 200, warm: 3 * time.Second, away: 10 * time.Second, after: 5 * time.Second, tenants: 8, keys: 6, rounds: 7, round: 3 * time.Second, everyInstance: true}
	short = pace{perSecond: 40, warm: 300 * time.Millisecond, away: 2 * time.Second, after: 500 * time.Millisecond, tenants: 4, keys: 6, rounds: 1, round: 500 * time.Millisecond}
)

// start starts everything.
func (w *world) start(ctx context.Context) (err error) {
	binaries, err := devstack.BuildPrograms()
	if err != nil {
		return err
	}
	g := w.group
	w.say("Starting the %s: %d gateways and %d instances of every service …", g.name, g.gateways, g.instances)
	if w.ground, err = devstack.Start(ctx, devstack.Options{
		Folder: filepath.Join(w.folder, g.name+"-ground"), Binaries: binaries, Gateways: g.gateways, Instances: g.instances, Discovery: "static", InfrastructureOnly: true,
	}); err != nil {
		return err
	}
	if err := w.lay(); err != nil {
		return err
	}
	through, err := w.through(w.ground.Description().PostgresURL)
	if err != nil {
		return err
	}
	if w.stack, err = devstack.Start(ctx, devstack.Options{
		Folder: filepath.Join(w.folder, g.name), Binaries: binaries, Regions: g.regions, Gateways: g.gateways, Instances: g.instances, Discovery: "consul",
		DatabaseURL: through, RedisAddr: w.redis.address(), Demo: demo.Organizations,
		Environment: []string{"AMS_OTLP_ENDPOINT=http://" + w.collector.address(), "AMS_TRACE_RATIO=0.1"},
	}); err != nil {
		return err
	}
	w.balancer = newBalancer(ctx, w.stack.Description().Gateways)
	return w.populate(ctx)
}

// lay lays the lines to PostgreSQL, Redis and a collector that takes everything.
func (w *world) lay() (err error) {
	d := w.ground.Description()
	w.sink = httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	w.databaseURL = d.PostgresURL
	database, err := url.Parse(d.PostgresURL)
	if err != nil {
		return err
	}
	for _, each := range []struct {
		line         *line
		name, target string
	}{{&w.postgres, "postgres", database.Host}, {&w.redis, "redis", d.RedisAddr}, {&w.collector, "collector", strings.TrimPrefix(w.sink.URL, "http://")}} {
		if *each.line, err = newLine(each.name, each.target); err != nil {
			return err
		}
	}
	return nil
}

// through is a database's address by way of the line.
func (w *world) through(address string) (string, error) {
	u, err := url.Parse(address)
	if err != nil {
		return "", err
	}
	u.Host = w.postgres.address()
	return u.String(), nil
}

// populate makes the organizations and some records of theirs.
func (w *world) populate(ctx context.Context) error {
	db, err := pgx.Connect(ctx, w.databaseURL)
	if err != nil {
		return err
	}
	defer db.Close(context.WithoutCancel(ctx)) //nolint:errcheck // nothing is owed to anybody
	d := w.stack.Description()
	founder := consistency.NewFounder(d)
	for i := range w.pace.tenants {
		t, err := found(ctx, founder, d.BaseURL, i, w.pace.keys, i < 2)
		if err != nil {
			return err
		}
		w.tenants = append(w.tenants, t)
	}
	if w.fast, err = found(ctx, founder, d.BaseURL, len(w.tenants), 20*w.pace.rounds, false); err != nil {
		return err
	}
	if err := w.settle(ctx, db); err != nil { // what was done so far arrives before the first change that counts
		return err
	}
	for _, t := range w.tenants {
		events, err := consistency.Feed(ctx, t.client(d.BaseURL), 0)
		if err != nil {
			return err
		}
		t.base = events[len(events)-1].Sequence
	}
	if w.began, err = consistency.Now(ctx, db); err != nil {
		return err
	}
	for _, t := range append(w.tenants, w.fast) {
		for of := range collections {
			r := t.bulk(of)
			a := w.balancer.do(ctx, r.call)
			if a.err != nil || a.status >= 300 {
				return fmt.Errorf("%s: %d %s %w", r.path, a.status, a.body, a.err)
			}
			if err := r.done(a.body); err != nil {
				return err
			}
		}
	}
	return nil
}

// stop takes everything down and drops its data.
func (w *world) stop() error {
	var errs []error
	for _, s := range []*devstack.Stack{w.stack, w.ground} {
		if s != nil {
			s.Stop()
			errs = append(errs, devstack.Drop(s.Folder()))
		}
	}
	for _, t := range w.tenants {
		if t.receiver != nil {
			errs = append(errs, t.receiver.Close())
		}
	}
	if w.sink != nil {
		w.sink.Close()
	}
	return errors.Join(errs...)
}
