package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	ams "ams.internal/clients/go"
	"ams.internal/deploy/devstack"
	"ams.internal/libs/localport"
)

// startGateway starts a gateway of the benchmark's own in front of a fixed service.
func (b *bench) startGateway(name, database, redis, service string) (base string, p *program, err error) {
	address, _, err := localport.Reserve("127.0.0.1")
	if err != nil {
		return "", nil, err
	}
	adminAddress, _, err := localport.Reserve("127.0.0.1")
	if err != nil {
		return "", nil, err
	}
	environment := append(b.environment("ams_gateway", database, address, "assets="+service+";users="+service),
		"AMS_OPERATOR_LISTEN="+adminAddress, "AMS_OPERATOR_TOKEN="+b.description.AdminToken, "AMS_REDIS_ADDR="+redis)
	p, err = launch(filepath.Join(b.folder, name+".log"), environment, "http://"+address+"/readyz",
		filepath.Join(b.options.Binaries, "ams"), "serve", "gateway")
	if err != nil {
		return "", nil, err
	}
	b.programs = append(b.programs, p)
	return "http://" + address, p, nil
}

// startService starts an assets service of the benchmark's own, to be called without a gateway.
func (b *bench) startService(name, database string) (base string, p *program, err error) {
	address, _, err := localport.Reserve("127.0.0.1")
	if err != nil {
		return "", nil, err
	}
	webhooks, err := b.addressOf("webhooks") // it may come to publish the events of the stack's own assets service
	if err != nil {
		return "", nil, err
	}
	p, err = launch(filepath.Join(b.folder, name+".log"), b.environment("ams_assets", database, address, "webhooks="+webhooks),
		"http://"+address+"/readyz", filepath.Join(b.options.Binaries, "ams"), "serve", "assets")
	if err != nil {
		return "", nil, err
	}
	b.programs = append(b.programs, p)
	return "http://" + address, p, nil
}

// startStraight starts the one service that several measurements call without a gateway.
func (b *bench) startStraight() (err error) {
	if b.service == nil {
		b.straight, b.service, err = b.startService("straight-assets", b.postgresAddress)
	}
	return err
}

func (b *bench) straightProcessors() map[string]group {
	all := b.processors()
	all["assets"] = group{pid: b.service.pid()}
	delete(all, "gateway")
	delete(all, "redis")
	return all
}

func (b *bench) environment(role, database, listen, services string) []string {
	return append([]string{"AMS_REGION=" + devstack.Region, "AMS_DATABASE_URL=" + b.roleURL(role, database),
		"AMS_PRINCIPAL_SECRETS=" + b.secrets.Principal,
		"AMS_DISCOVERY=static", "AMS_STATIC_SERVICES=" + services, "AMS_LISTEN=" + listen}, b.options.Environment...)
}

// startOwn starts this very program again, as the upstream or the bare proxy.
func (b *bench) startOwn(role, target string) (base string, p *program, err error) {
	address, _, err := localport.Reserve("127.0.0.1")
	if err != nil {
		return "", nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return "", nil, err
	}
	p, err = launch(filepath.Join(b.folder, role+".log"), nil, "http://"+address+"/readyz", self, "-serve", role, "-address", address,
		"-target", target)
	if err != nil {
		return "", nil, err
	}
	b.programs = append(b.programs, p)
	return "http://" + address, p, nil
}

// measureGateway measures what the gateway itself costs: against a bare proxy in front of the same fixed response, and
// against going straight to the service.
func (b *bench) measureGateway(context.Context) error {
	upstream, _, err := b.startOwn("upstream", "")
	if err != nil {
		return err
	}
	bare, proxy, err := b.startOwn("proxy", upstream)
	if err != nil {
		return err
	}
	gateway, p, err := b.startGateway("fixed-gateway", b.postgresAddress, b.description.RedisAddr, strings.TrimPrefix(upstream, "http://"))
	if err != nil {
		return err
	}
	through := b.keyed(request{method: "GET", path: "/v1/assets/019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"})
	others := b.processors()
	loads := func(callers int, seconds int) []load {
		return []load{
			{name: "gateway, fixed 8 KB", url: gateway, requests: through, callers: callers, seconds: seconds,
				cpu: map[string]group{"proxy": {pid: p.pid()}, "postgres": others["postgres"], "redis": others["redis"]}},
			{name: "bare proxy, fixed 8 KB", url: bare, requests: through, callers: callers, seconds: seconds,
				cpu: map[string]group{"proxy": {pid: proxy.pid()}}},
			{name: "the fixed 8 KB itself", url: upstream, requests: through, callers: callers, seconds: seconds},
		}
	}
	if _, err := best(b.folder, 1, loads(32, 1)...); err != nil { // connections and caches warm
		return err
	}
	loaded, err := best(b.folder, b.rounds, loads(32, b.seconds)...)
	if err != nil {
		return err
	}
	alone, err := best(b.folder, b.rounds, loads(1, max(1, b.seconds/2))...)
	if err != nil {
		return err
	}
	b.report.add(loaded...)
	b.report.add(alone...)
	for _, f := range append(loaded, alone...) {
		b.report.noFailures(f)
	}
	b.report.atLeast("throughput, gateway ÷ bare proxy, 32 connections", loaded[0].PerSecond/loaded[1].PerSecond, "times", 0.5)
	b.report.atMost("CPU a request, gateway ÷ bare proxy", loaded[0].CPU["proxy"]/loaded[1].CPU["proxy"], "times", 2)
	b.report.atMost("added by the gateway, p50 unloaded", alone[0].P50-alone[2].P50, "ms", 1)
	return b.measureStraight()
}

// measureStraight compares a get through the gateway with a get straight at the service.
func (b *bench) measureStraight() error {
	if b.Asset == "" {
		return nil
	}
	get := request{method: "GET", path: "/v1/assets/" + b.Asset}
	signed, err := b.signed(get)
	if err != nil {
		return err
	}
	if err := b.startStraight(); err != nil {
		return err
	}
	both, err := best(b.folder, b.rounds,
		load{name: "get, through the gateway", url: b.description.BaseURL, requests: b.keyed(get), callers: 32, seconds: b.seconds,
			cpu: b.processors()},
		load{name: "get, straight to the service", url: b.straight, requests: signed, callers: 32, seconds: b.seconds,
			cpu: b.straightProcessors()})
	if err != nil {
		return err
	}
	b.report.add(both...)
	return nil
}

// measureRoundTrips counts what one get costs the database and Redis, and what 64 callers at once cost the key look-up.
func (b *bench) measureRoundTrips(ctx context.Context) error {
	var counters [3]*counter
	for i, target := range []string{b.postgresAddress, b.description.RedisAddr, b.postgresAddress} {
		var err error
		if counters[i], err = newCounter(target); err != nil {
			return err
		}
	}
	lookups, limits, queries := counters[0], counters[1], counters[2]
	service, _, err := b.startService("counted-assets", queries.address())
	if err != nil {
		return err
	}
	gateway, _, err := b.startGateway("counted-gateway", lookups.address(), limits.address(), strings.TrimPrefix(service, "http://"))
	if err != nil {
		return err
	}
	get := load{name: "get, counted", url: gateway, requests: b.keyed(request{method: "GET", path: "/v1/assets/" + b.Asset}), callers: 1,
		seconds: 2}
	if _, err := get.run(b.folder); err != nil { // statements are prepared by now
		return err
	}
	before := [3]int64{lookups.trips.Load(), limits.trips.Load(), queries.trips.Load()}
	get.seconds = b.seconds
	f, err := get.run(b.folder)
	if err != nil {
		return err
	}
	each := func(i int, c *counter) float64 { return float64(c.trips.Load()-before[i]) / float64(f.Requests) }
	b.report.add(f)
	b.logf("round trips of a get: look-up %.2f, limit %.2f, service %.2f", each(0, lookups), each(1, limits), each(2, queries))
	// the rest is the programs' own housekeeping
	b.report.atMost("round trips of a get, gateway and service", each(0, lookups)+each(1, limits)+each(2, queries), "", 4.05)

	get.callers, get.name = 64, "get, 64 callers"
	start := lookups.trips.Load()
	if f, err = get.run(b.folder); err != nil {
		return err
	}
	b.report.add(f)
	b.report.atMost("key look-ups a request, 64 callers", float64(lookups.trips.Load()-start)/float64(f.Requests), "", 0.999)
	return b.checkRevocation(ctx, gateway)
}

// checkRevocation: grouped look-ups must not outlive a revocation.
func (b *bench) checkRevocation(ctx context.Context, gateway string) error {
	id, value, err := b.makeKey(ctx, "to be revoked")
	if err != nil {
		return err
	}
	client := ams.NewClient(gateway, value)
	read := ams.Request{Method: http.MethodGet, Path: "/v1/assets/" + b.Asset}
	if err := client.Request(ctx, read, nil); err != nil {
		return err
	}
	err = b.administrator().Request(ctx, ams.Request{Method: http.MethodPost,
		Path: "/internal/organizations/" + b.Organization + "/keys/" + id + "/revoke", Body: map[string]any{}}, nil)
	if err != nil {
		return err
	}
	var refusal *ams.Error
	if err := client.Request(ctx, read, nil); err == nil {
		return errors.New("the request after a revocation was answered")
	} else if !errors.As(err, &refusal) || refusal.Status != http.StatusUnauthorized {
		return fmt.Errorf("the request after a revocation: %w", err)
	}
	return nil
}

// measureIdle: what the programs take without requests.
func (b *bench) measureIdle(context.Context) error {
	time.Sleep(2 * time.Second)
	for _, name := range []string{"gateway-1", "assets-1", "users-1"} {
		b.report.atMost("idle memory of "+name, memory(b.description.PIDs[name], "VmRSS"), "MB", 60)
	}
	return nil
}

// measureWarmStart stops the whole stack, with all its data, and starts it again.
func (b *bench) measureWarmStart(ctx context.Context) error {
	b.stack.Stop()
	began := time.Now()
	var err error
	if b.stack, err = devstack.Start(ctx, b.options); err != nil {
		return err
	}
	b.report.atMost("start of the whole stack, warm", time.Since(began).Seconds(), "s", 15)
	return nil
}

func (b *bench) count(ctx context.Context) (n int, err error) {
	db, err := pgx.Connect(ctx, b.description.PostgresURL)
	if err != nil {
		return 0, err
	}
	err = db.QueryRow(ctx, "SELECT count(*) FROM assets.asset WHERE organization_id = $1", b.Organization).Scan(&n)
	return n, errors.Join(err, db.Close(ctx))
}
