package main

import (
	"context"
	"errors"
	"fmt"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/deploy/demo"
	"ams.internal/deploy/devstack"
	"ams.internal/deploy/test/resilience/consistency"
	"ams.internal/deploy/test/resilience/load"
	"ams.internal/libs/s3test"
)

// fixture is the real stack, with proxies to its infrastructure that can be cut, and organizations that put load on it.
type fixture struct {
	group   group
	folder  string
	profile profile
	logf    func(format string, args ...any)

	infrastructure *devstack.Stack // PostgreSQL and Redis
	stack          *devstack.Stack // Consul and our programs, which reach the infrastructure through the proxies

	postgres, redis, collector proxy
	databaseURL                string     // past the proxy
	further                    []database // of the cells behind the first
	sink                       *httptest.Server
	repeats                    repeats
	store                      *s3test.Server // of documents

	balancer      *load.Balancer
	organizations []*load.Organization
	fast          *load.Organization // has keys for as many requests as can be made
	began         time.Time          // of the first change that counts, by the database's clock
}

// profile is how much load there is, and how long.
type profile struct {
	perSecond           int           // requests
	warm, down, after   time.Duration // how long before the fault, during it, and after it
	organizations, keys int
	rounds              int           // of a measurement of throughput
	round               time.Duration // how long one of them is
	everyInstance       bool          // a rolling restart takes every instance of every service, not one of each
}

var (
	whole = profile{perSecond: 200, warm: 3 * time.Second, down: 10 * time.Second, after: 5 * time.Second,
		organizations: 8, keys: 6, rounds: 7, round: 3 * time.Second, everyInstance: true}
	short = profile{perSecond: 40, warm: 300 * time.Millisecond, down: 2 * time.Second, after: 500 * time.Millisecond,
		organizations: 4, keys: 6, rounds: 1, round: 500 * time.Millisecond}
)

// start starts everything.
func (f *fixture) start(ctx context.Context) (err error) {
	binaries, err := devstack.BuildPrograms()
	if err != nil {
		return err
	}
	g := f.group
	f.logf("Starting the %s: %d gateways and %d instances of every service …", g.name, g.gateways, g.instances)
	discovery := "static"
	if g.standby { // Patroni's Consul is that of the services
		discovery = "consul"
	}
	if f.infrastructure, err = devstack.Start(ctx, devstack.Options{
		Folder: filepath.Join(f.folder, g.name+"-infrastructure"), Binaries: binaries,
		Gateways: g.gateways, Instances: g.instances, Cells: g.cells, Discovery: discovery, Standby: g.standby, InfrastructureOnly: true,
		Prepared: !g.standby, // Patroni makes its own
	}); err != nil {
		return err
	}
	if err := f.startProxies(); err != nil {
		return err
	}
	if f.store, err = s3test.Open(filepath.Join(f.folder, g.name+"-store"), devstack.Region); err != nil {
		return err
	}
	database, err := url.Parse(f.databaseURL)
	if err != nil {
		return err
	}
	consul := ""
	if g.standby {
		consul = f.infrastructure.Description().ConsulAddr
		database.RawQuery += "&replica_hosts=" + strings.Join(f.infrastructure.Description().ReplicaHosts, ",")
	} else {
		database.Host = f.postgres.address()
	}
	if f.stack, err = devstack.Start(ctx, devstack.Options{
		Folder: filepath.Join(f.folder, g.name), Binaries: binaries,
		Regions: g.regions, Gateways: g.gateways, Instances: g.instances, Cells: g.cells, Discovery: "consul",
		ConsulAddr: consul, DatabaseURL: database.String(), FurtherCells: f.throughProxies(), RedisAddr: f.redis.address(),
		Demo: demo.Organizations, Pooler: g.pooler,
		Environment: append(f.store.Environment(), "AMS_OTLP_ENDPOINT=http://"+f.collector.address(), "AMS_TRACE_RATIO=0.1",
			fmt.Sprintf("OTEL_METRIC_EXPORT_INTERVAL=%d", reportInterval.Milliseconds())),
	}); err != nil {
		return err
	}
	f.balancer = load.NewBalancer(ctx, f.stack.Description().Gateways)
	return f.populate(ctx)
}

// startProxies starts those to PostgreSQL, Redis and a collector that takes everything.
func (f *fixture) startProxies() (err error) {
	d := f.infrastructure.Description()
	f.repeats.reported = map[string]float64{}
	f.sink = httptest.NewServer(&f.repeats)
	f.databaseURL = d.PostgresURL
	database, err := url.Parse(d.PostgresURL)
	if err != nil {
		return err
	}
	first, _, _ := strings.Cut(database.Host, ",") // a group with a standby goes past its proxy
	for _, each := range []struct {
		proxy        *proxy
		name, target string
	}{
		{&f.postgres, "postgres", first}, {&f.redis, "redis", d.RedisAddr},
		{&f.collector, "collector", strings.TrimPrefix(f.sink.URL, "http://")},
	} {
		if *each.proxy, err = newProxy(each.name, each.target); err != nil {
			return err
		}
	}
	return f.startFurther(d)
}

// populate makes the organizations and some records of theirs.
func (f *fixture) populate(ctx context.Context) error {
	db, err := pgx.Connect(ctx, f.databaseURL)
	if err != nil {
		return err
	}
	defer db.Close(context.WithoutCancel(ctx)) //nolint:errcheck // nothing is owed to anybody
	admin := load.NewAdmin(f.stack.Description())
	for i := range f.profile.organizations {
		var patterns []string
		if i < 2 {
			patterns = []string{"*"}
		}
		o, err := admin.Unlimited(ctx, i, f.profile.keys, patterns...)
		if err != nil {
			return err
		}
		f.organizations = append(f.organizations, o)
	}
	if f.fast, err = admin.Unlimited(ctx, len(f.organizations), 20*f.profile.rounds); err != nil {
		return err
	}
	for _, each := range f.databases() { // what was done so far comes before the first change that counts
		if err := each.connected(ctx, func(db *pgx.Conn) error { return consistency.AwaitPublished(ctx, db) }); err != nil {
			return err
		}
	}
	for _, o := range f.organizations {
		if err := o.Begin(ctx); err != nil {
			return err
		}
	}
	if f.began, err = consistency.Now(ctx, db); err != nil {
		return err
	}
	for _, o := range append(f.organizations, f.fast) {
		for of, c := range load.Collections {
			if !c.Written() {
				continue
			}
			request := o.BulkCreate(of, 10)
			response := f.balancer.Do(ctx, request.Call)
			if response.Err != nil || response.Status >= 300 {
				return fmt.Errorf("%s: %d %s %w", request.Path, response.Status, response.Body, response.Err)
			}
			if err := request.Done(response.Body); err != nil {
				return err
			}
		}
	}
	return nil
}

// stop takes everything down and drops its data.
func (f *fixture) stop() error {
	var errs []error
	for _, s := range []*devstack.Stack{f.stack, f.infrastructure} {
		if s != nil {
			s.Stop()
			errs = append(errs, devstack.Drop(s.Folder()))
		}
	}
	if f.store != nil {
		f.store.Stop()
	}
	for _, o := range f.organizations {
		errs = append(errs, o.Close())
	}
	if f.sink != nil {
		f.sink.Close()
	}
	return errors.Join(errs...)
}
