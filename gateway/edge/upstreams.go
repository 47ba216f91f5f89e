package edge

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"sync/atomic"
	"time"

	"github.com/go-kit/kit/endpoint"
	"github.com/go-kit/kit/sd"
	"github.com/sony/gobreaker/v2"

	"ams.internal/libs/discovery"
)

const (
	dialTimeout = 400 * time.Millisecond // a few instances that are down must not add up to a second
	// headerTimeout is how long a service may take before its response begins. The longest poll of the event feed
	// lasts 30 seconds.
	headerTimeout = 35 * time.Second
	// continueTimeout is how long a service may take before it reads an upload or refuses it; then it is sent all the same.
	continueTimeout = 5 * time.Second
	// storedTimeout is how long a service may take to answer an upload that it has whole: it is stored by then.
	storedTimeout  = 2 * time.Minute
	pingAfter      = 250 * time.Millisecond // without a sign of life, until an instance is pinged
	breakerTimeout = time.Second            // how long an instance that failed is left alone
	maxFailures    = 3                      // in a row, before it is
)

// upstreams has the instances of every service in every region. They are looked up in the background; a request
// uses a table that is swapped as a whole.
type upstreams struct {
	directory *discovery.Directory
	region    string   // our own
	pinnable  []string // regions that exist whether the directory knows them or not
	log       *slog.Logger
	table     atomic.Pointer[upstreamTable]
	started   time.Time
}

type upstreamTable struct {
	regions []string // near to far, the own one first
	found   map[upstreamName]*upstream
}

type upstreamName struct{ service, region string }

// upstream is the instances of one service in one region, each behind a breaker of its own. They take turns.
type upstream struct {
	endpointer sd.Endpointer
	turns      atomic.Uint64
	latencies  latencies
	budget     *budget
}

// instances are those that are known.
func (u *upstream) instances() []endpoint.Endpoint {
	all, err := u.endpointer.Endpoints()
	if err != nil {
		return nil
	}
	return all
}

func newUpstreams(directory *discovery.Directory, region string, pinnable []string, log *slog.Logger) *upstreams {
	u := &upstreams{directory: directory, region: region, pinnable: pinnable, log: log, started: time.Now()}
	u.table.Store(&upstreamTable{found: map[upstreamName]*upstream{}})
	u.refresh()
	return u
}

// run keeps the table of regions current until ctx ends.
func (u *upstreams) run(ctx context.Context) {
	ticker := time.NewTicker(500 * time.Millisecond)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			u.refresh()
		}
	}
}

// readyTimeout is how long a gateway that starts waits for the lists of all services in all regions. What it has no list of by
// then is unavailable, and must not keep it from serving the rest.
const readyTimeout = 10 * time.Second

// ready is an error while a gateway that has just started does not know where a service is, in its own region or in those that
// help it out.
func (u *upstreams) ready() error {
	if time.Since(u.started) > readyTimeout {
		return nil
	}
	for _, region := range append([]string{u.region}, u.pinnable...) {
		for _, service := range services() {
			if !u.directory.HasSynced(service, region) {
				return fmt.Errorf("it is not known yet where %s is in %s", service, region)
			}
		}
	}
	return nil
}

// refresh begins to watch regions that are new. The instances of a region that the directory lost stay: their breakers
// know better than a list whether they can be reached.
func (u *upstreams) refresh() {
	old, near := u.table.Load(), u.directory.Datacenters()
	if slices.Equal(old.regions, near) {
		return
	}
	table := &upstreamTable{regions: near, found: maps.Clone(old.found)}
	for _, region := range near {
		for _, service := range append(services(), gatewayService) { // gateways too: see route.servedBy
			if name := (upstreamName{service, region}); table.found[name] == nil {
				table.found[name] = u.watch(name)
			}
		}
	}
	u.table.Store(table)
}

// nearest are the regions in which to look for an instance: the pinned one, or all, near to far.
func (u *upstreams) nearest(pinned string) []string {
	if pinned != "" {
		return []string{pinned}
	}
	return u.table.Load().regions
}

// find gives the instances of a service in a region; nil where neither is known.
func (u *upstreams) find(service, region string) *upstream {
	return u.table.Load().found[upstreamName{service, region}]
}

func (u *upstreams) watch(name upstreamName) *upstream {
	endpointer := sd.NewEndpointer(u.directory.Instancer(name.service, name.region), u.connect, kitLog{u.log, name})
	return &upstream{endpointer: endpointer, latencies: latencies{all: map[readKind]*latency{}}, budget: newBudget()}
}

// connect is the factory of go-kit's Endpointer: it makes the endpoint of one instance, which takes attempts.
func (u *upstreams) connect(address string) (endpoint.Endpoint, io.Closer, error) {
	transport := &http.Transport{
		DialContext:           dialer(acknowledgeTimeout),
		MaxIdleConnsPerHost:   128,
		IdleConnTimeout:       30 * time.Second, // shorter than the services', so that we close first
		ResponseHeaderTimeout: headerTimeout,
		DisableCompression:    true, // the caller chooses the encoding
		ReadBufferSize:        16 << 10,
		WriteBufferSize:       8 << 10,
	}
	uploads := transport.Clone()
	uploads.DialContext, uploads.ResponseHeaderTimeout, uploads.ExpectContinueTimeout = dialer(acceptTimeout), storedTimeout, continueTimeout
	breaker := gobreaker.NewCircuitBreaker[any](gobreaker.Settings{
		Name: address, Timeout: breakerTimeout,
		ReadyToTrip:  func(c gobreaker.Counts) bool { return c.ConsecutiveFailures >= maxFailures },
		IsSuccessful: func(err error) bool { return err == nil || !instanceFailed(err) },
	})
	send := func(ctx context.Context, request any) (any, error) {
		a, transport := request.(*attempt), transport
		if a.out.upload {
			transport = uploads
		}
		response, err := u.directory.RoundTrip(transport, a.out.to(ctx, address), pingAfter)
		if err != nil {
			if instanceFailed(err) {
				transport.CloseIdleConnections() // each would keep another request waiting for the same failure
			}
			return nil, err
		}
		return response, nil
	}
	return func(ctx context.Context, request any) (any, error) {
		a := request.(*attempt)
		a.address = address
		if u.directory.Hung(address) || a.spare && u.directory.Silent(address) {
			return nil, discovery.ErrLeftAlone // the breaker has nothing to learn from it
		}
		return breaker.Execute(func() (any, error) { return send(ctx, request) })
	}, idleCloser{transport, uploads}, nil
}

// regions are all that a caller may pin: those that Consul knows, and those that exist whether it knows them or not.
func (u *upstreams) regions() []string {
	known := slices.Clone(u.table.Load().regions)
	for _, region := range u.pinnable {
		if !slices.Contains(known, region) {
			known = append(known, region)
		}
	}
	return known
}

// idleCloser closes the connections of an instance that has left.
type idleCloser [2]*http.Transport

// Close implements io.Closer.
func (c idleCloser) Close() error {
	for _, transport := range c {
		transport.CloseIdleConnections()
	}
	return nil
}

// kitLog is go-kit's logger.
type kitLog struct {
	log      *slog.Logger
	upstream upstreamName
}

// Log implements log.Logger.
func (k kitLog) Log(pairs ...any) error {
	k.log.Warn("instances", append([]any{"about_service", k.upstream.service, "region", k.upstream.region}, pairs...)...)
	return nil
}
