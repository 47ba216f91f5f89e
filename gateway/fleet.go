package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"sync/atomic"
	"time"

	"github.com/go-kit/kit/circuitbreaker"
	"github.com/go-kit/kit/endpoint"
	"github.com/go-kit/kit/sd"
	"github.com/go-kit/kit/sd/lb"
	"github.com/sony/gobreaker"

	"ams.internal/libs/discovery"
)

const (
	dialTimeout = 400 * time.Millisecond // a few instances that are gone must not add up to a second
	// headerTimeout is how long a service may think before its answer begins. The longest poll of the event feed
	// lasts 30 seconds.
	headerTimeout = 35 * time.Second
	breakerPause  = time.Second // how long an instance that failed is left alone
	breakerTrips  = 3           // failures in a row
)

// fleet has the instances of every service in every region. It learns of them in the background; a request finds a
// table that is swapped as a whole.
type fleet struct {
	directory *discovery.Directory
	config    *Config
	log       *slog.Logger
	table     atomic.Pointer[fleetTable]
	begun     time.Time
}

type fleetTable struct {
	regions []string // near to far, the own one first
	pools   map[poolName]*pool
}

type poolName struct{ service, region string }

// pool is the instances of one service in one region: each behind a breaker of its own, in turn.
type pool struct {
	endpointer *sd.DefaultEndpointer
	balancer   lb.Balancer
}

func newFleet(directory *discovery.Directory, config *Config, log *slog.Logger) *fleet {
	f := &fleet{directory: directory, config: config, log: log, begun: time.Now()}
	f.table.Store(&fleetTable{pools: map[poolName]*pool{}})
	f.refresh()
	return f
}

// follow keeps the table of regions current until ctx ends.
func (f *fleet) follow(ctx context.Context) {
	ticker := time.NewTicker(500 * time.Millisecond)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			f.refresh()
		}
	}
}

// patience is how long a gateway that starts waits to be told of all services in all regions. What nothing is told of then is
// away, and must not keep the rest.
const patience = 10 * time.Second

// known is a condition of readiness: a gateway that starts does not take requests before it knows where to, in its own region
// or in those that help it out.
func (f *fleet) known(context.Context) error {
	if time.Since(f.begun) > patience {
		return nil
	}
	for _, region := range append([]string{f.config.Region}, f.config.Regions...) {
		for _, service := range services() {
			if !f.directory.Knows(service, region) {
				return fmt.Errorf("it is not known yet where %s is in %s", service, region)
			}
		}
	}
	return nil
}

// refresh begins to watch regions that are new. A region that has gone keeps its last instances: their breakers
// know better than a list whether they can be reached.
func (f *fleet) refresh() {
	old, near := f.table.Load(), f.directory.Datacenters()
	if slices.Equal(old.regions, near) {
		return
	}
	table := &fleetTable{regions: near, pools: map[poolName]*pool{}}
	for name, p := range old.pools {
		table.pools[name] = p
	}
	for _, region := range near {
		for _, service := range append(services(), gatewayService) { // gateways too: see route.answeredBy
			if name := (poolName{service, region}); table.pools[name] == nil {
				table.pools[name] = f.watch(name)
			}
		}
	}
	f.table.Store(table)
}

func (f *fleet) watch(name poolName) *pool {
	endpointer := sd.NewEndpointer(f.directory.Instancer(name.service, name.region), f.connect, kitLog{f.log, name})
	return &pool{endpointer: endpointer, balancer: lb.NewRoundRobin(endpointer)}
}

// connect is the factory of go-kit's Endpointer: it makes the endpoint of one instance.
func (f *fleet) connect(address string) (endpoint.Endpoint, io.Closer, error) {
	transport := &http.Transport{
		DialContext:           (&net.Dialer{Timeout: dialTimeout, KeepAlive: 15 * time.Second, Control: giveUp}).DialContext,
		MaxIdleConnsPerHost:   128,
		IdleConnTimeout:       30 * time.Second, // shorter than the services', so that we close first
		ResponseHeaderTimeout: headerTimeout,
		DisableCompression:    true, // what the caller asked for passes through
		ReadBufferSize:        16 << 10,
		WriteBufferSize:       8 << 10,
	}
	breaker := gobreaker.NewCircuitBreaker(gobreaker.Settings{
		Name: address, Timeout: breakerPause,
		ReadyToTrip:  func(c gobreaker.Counts) bool { return c.ConsecutiveFailures >= breakerTrips },
		IsSuccessful: func(err error) bool { return err == nil || !instanceFailed(err) },
	})
	ask := func(_ context.Context, request any) (any, error) {
		response, err := transport.RoundTrip(request.(*outbound).to(address))
		if err != nil {
			if instanceFailed(err) {
				transport.CloseIdleConnections() // each would keep another request waiting for what the first has found out
			}
			return nil, err
		}
		return response, nil
	}
	return circuitbreaker.Gobreaker(breaker)(ask), idleCloser{transport}, nil
}

// instanceFailed says whether an error speaks against the instance, and not about the caller who hung up or sent
// half a body.
func instanceFailed(err error) bool {
	var body *bodyError
	return !errors.Is(err, context.Canceled) && !errors.As(err, &body)
}

// regions are all that a caller may pin: those that Consul knows, and those that exist whether it knows them or not.
func (f *fleet) regions() []string {
	known := slices.Clone(f.table.Load().regions)
	for _, region := range f.config.Regions {
		if !slices.Contains(known, region) {
			known = append(known, region)
		}
	}
	return known
}

// idleCloser closes the connections of an instance that has left.
type idleCloser struct{ transport *http.Transport }

// Close implements io.Closer.
func (c idleCloser) Close() error {
	c.transport.CloseIdleConnections()
	return nil
}

// kitLog is go-kit's logger.
type kitLog struct {
	log  *slog.Logger
	pool poolName
}

// Log implements log.Logger.
func (k kitLog) Log(pairs ...any) error {
	k.log.Warn("instances", append([]any{"service", k.pool.service, "region", k.pool.region}, pairs...)...)
	return nil
}
