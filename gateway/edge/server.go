// Package edge serves the public listener of the gateway. It identifies the caller by its API key, checks limit, plan, scopes and
// region, and forwards the request to the service that owns the path.
//
// A request is one call. It passes the steps of one chain (server.go), each in a file: entry, stopped, preflight, authenticate, limit,
// plan, scope, region, forward. kit.go makes the chain a go-kit endpoint. routes.go is the map of the product.
package edge

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"sync"

	"ams.internal/gateway/caller"
	"ams.internal/gateway/edm"
	"ams.internal/gateway/keys"
	"ams.internal/gateway/openapi"
	"ams.internal/gateway/ratelimit"
	"ams.internal/gateway/site"
	"ams.internal/libs/service"
)

// Config is the configuration of the public listener.
type Config struct {
	BaseURL        string         // of the API, as people see it
	Regions        []string       // that callers may pin even while the directory does not know them
	AddressLimit   int            // requests a minute that are counted for one address without a valid key
	MaxBody        int64          // bytes
	Origins        []string       // whose pages may call the API from a browser; * for all
	TrustedProxies []netip.Prefix // whose X-Forwarded-For is believed
}

// Server is the public listener.
type Server struct {
	trusted   []netip.Prefix
	headers   *commonHeaders
	upstreams *upstreams
	usage     *usage
	limiter   *ratelimit.Limiter
	heldBack  *heldBack
	stopped   *stopped
	handler   http.Handler

	draining context.Context // ends when the process begins to drain
	drain    context.CancelFunc
}

// New puts the public listener together. It waits for nothing that may be unavailable.
func New(
	s *service.Service, config Config, lookup *keys.Lookup, limiter *ratelimit.Limiter, document *openapi.Document, pages *site.Site,
) *Server {
	draining, drain := context.WithCancel(context.Background()) // #nosec G118 -- called by Drain
	e := &Server{
		trusted:   config.TrustedProxies,
		headers:   &commonHeaders{limiter: limiter, addressLimit: config.AddressLimit, region: s.Config.Region, origins: config.Origins},
		upstreams: newUpstreams(s.Directory, s.Config.Region, config.Regions, s.Log),
		usage:     newUsage(s.DB.Pool(), s.Log),
		limiter:   limiter,
		heldBack:  newHeldBack(s.Log),
		stopped:   newStopped(),
		draining:  draining, drain: drain,
	}
	e.handler = e.build(s, config, lookup, limiter, document, pages)
	return e
}

func (e *Server) build(
	s *service.Service, config Config, lookup *keys.Lookup, limiter *ratelimit.Limiter, document *openapi.Document, pages *site.Site,
) http.Handler {
	metrics := newMetrics()
	sets := edm.New(document)
	end := &forwarder{
		region: s.Config.Region, maxBody: config.MaxBody, draining: e.draining,
		local: &local{region: s.Config.Region, document: document, site: pages, limiter: limiter, upstreams: e.upstreams, sets: sets},
		sender: &sender{
			upstreams: e.upstreams, requests: newRequestBuilder(s.Signer, config.BaseURL, config.MaxBody), metrics: metrics, log: s.Log,
		},
	}
	steps := chain(end.forward,
		e.stopped.step, preflight(config.Origins, document), authenticate(lookup, config.AddressLimit),
		limit(limiter, config.AddressLimit, metrics, e.heldBack), plan, scope, region(e.upstreams))
	return &entry{
		next: serve(steps, s.Log), headers: e.headers, limiter: limiter, usage: e.usage, log: s.Log, sets: sets, baseURL: config.BaseURL,
		addresses: addresses{signer: s.Signer, trusted: config.TrustedProxies},
	}
}

// Handler serves the requests of the public listener.
func (e *Server) Handler() http.Handler { return e.handler }

// Run does what happens in the background, until ctx ends and the last use of keys is written.
func (e *Server) Run(ctx context.Context) {
	var tasks sync.WaitGroup
	tasks.Go(func() { e.upstreams.run(ctx) })
	tasks.Go(func() { e.usage.run(ctx) })
	tasks.Go(func() { e.limiter.Run(ctx) })
	tasks.Go(func() { e.heldBack.run(ctx) })
	tasks.Go(func() { e.stopped.run(ctx) })
	tasks.Wait()
}

// Ready is a condition of readiness: a gateway that starts takes no requests before it knows where to send them.
func (e *Server) Ready(context.Context) error { return e.upstreams.ready() }

// Drain tells callers who wait for something to happen that the process ends: they get what there is by now.
func (e *Server) Drain() { e.drain() }

// WriteUsage writes the use of keys that was counted since it was last written. Run does it in intervals.
func (e *Server) WriteUsage(ctx context.Context) { e.usage.write(ctx) }

// CheckHeldBack logs which organizations ran into their ceilings often since the last check. Run does it every minute.
func (e *Server) CheckHeldBack(ctx context.Context) { e.heldBack.check(ctx) }

// Prepare makes the listener keep the API's promises also where the handler is not called: for what is not HTTP, for OPTIONS *,
// and for /livez and /readyz.
func (e *Server) Prepare(server *http.Server, socket net.Listener) net.Listener {
	server.DisableGeneralOptionsHandler = true
	server.ConnContext = withConn
	changed := server.ConnState
	server.ConnState = func(accepted net.Conn, state http.ConnState) {
		stateChanged(accepted, state)
		changed(accepted, state)
	}
	probes := server.Handler
	server.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		begin(r.Context())
		if r.URL.Path == "/livez" || r.URL.Path == "/readyz" {
			e.headers.uncounted(w.Header(), caller.RequestID(r.Header), caller.Address(r.RemoteAddr, r.Header, e.trusted))
			if ambiguous(r.Context()) {
				w.Header().Set("Connection", "close")
			}
		}
		probes.ServeHTTP(w, r)
	})
	return &listener{Listener: socket, headers: e.headers, trusted: e.trusted}
}
