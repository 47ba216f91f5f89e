package main

import (
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-kit/kit/endpoint"
	"github.com/go-kit/kit/transport"
	kithttp "github.com/go-kit/kit/transport/http"

	"ams.internal/libs/discovery"
	"ams.internal/libs/fault"
	"ams.internal/libs/postgres"
	"ams.internal/libs/principal"
)

// statusHungUp stands in the access log for a caller who hung up before the answer.
const statusHungUp = 499

// gateway is what the steps of the chain share.
type gateway struct {
	config  *Config
	trusted []netip.Prefix
	log     *slog.Logger
	meters  *meters
	db      *postgres.DB
	signer  *principal.Signer
	lookup  *lookup
	// lastComplaint is when the log last said that keys cannot be looked up.
	lastComplaint atomic.Int64

	limiter  *limiter
	fleet    *fleet
	document *document
	usage    *usage

	ending context.Context // ends when the process begins to drain
	end    context.CancelFunc
}

// newGateway puts the gateway together. It waits for nothing that may be away.
func newGateway(config *Config, db *postgres.DB, directory *discovery.Directory, signer *principal.Signer, log *slog.Logger) (*gateway, error) {
	if config.BaseURL == "" {
		config.BaseURL = "http://" + config.Listen
	}
	redis, err := openRedis(config.RedisAddr, config.RedisTimeout)
	if err != nil {
		return nil, err
	}
	meters := newMeters()
	ending, end := context.WithCancel(context.Background()) // #nosec G118 -- called when the process ends: see prepare
	return &gateway{
		ending: ending, end: end,
		config: config, trusted: config.trustedProxies(), log: log, meters: meters, db: db, signer: signer,
		lookup:   newLookup(db.Pool(), log, meters),
		limiter:  newLimiter(redis, config.KeyInFlight, config.RedisTimeout, log),
		fleet:    newFleet(directory, config, log),
		document: newDocument(directory, config, log),
		usage:    newUsage(db.Pool(), log),
	}, nil
}

// public is the handler of the public listener: every request is one go-kit endpoint, under one chain.
func (g *gateway) public() http.Handler {
	chain := endpoint.Chain(g.preflight, g.authenticate, g.limit, g.plan, g.scope, g.region)
	server := kithttp.NewServer(
		chain(g.forward),
		func(ctx context.Context, _ *http.Request) (any, error) { return callFrom(ctx), nil },
		g.respond,
		kithttp.ServerErrorEncoder(g.refuse),
		kithttp.ServerErrorHandler(transport.ErrorHandlerFunc(func(context.Context, error) {})), // the access log has it
	)
	return &edge{gateway: g, next: server, log: g.log}
}

// follow does what happens in the background, until ctx ends and the last of it is written.
func (g *gateway) follow(ctx context.Context) {
	var tasks sync.WaitGroup
	tasks.Go(func() { g.fleet.follow(ctx) })
	tasks.Go(func() { g.document.follow(ctx) })
	tasks.Go(func() { g.usage.follow(ctx) })
	tasks.Go(func() { g.forget(ctx) })
	tasks.Wait()
}

// refuse is how every error of the chain is answered.
func (g *gateway) refuse(ctx context.Context, err error, _ http.ResponseWriter) {
	c := callFrom(ctx)
	refusal := fault.From(err)
	if ctx.Err() != nil && refusal.Kind != fault.KindInvalid && c.status == 0 { // who sent half a body may still be there
		c.status = statusHungUp
		return
	}
	if refusal.Status() >= http.StatusInternalServerError {
		g.log.WarnContext(c.named(ctx), "request failed", "error", redact(refusal.Error()))
	}
	c.refuse(err)
}

// lookupFailed says once a second at most that keys cannot be looked up: it may concern every request.
func (g *gateway) lookupFailed(ctx context.Context, err error) {
	now, last := time.Now().Unix(), g.lastComplaint.Load()
	if now > last && g.lastComplaint.CompareAndSwap(last, now) {
		g.log.WarnContext(ctx, "keys cannot be looked up; callers get 503", "error", err)
	}
}
