// Package gateway serves the product's only entry. Its public listener (edge) identifies the caller by its API key, checks limit,
// plan, scopes and region, and forwards the request to the service that owns the path. Its internal listener (accounts) serves
// organizations, keys, sign-in and the audit trail. Both share one process and one schema.
package gateway

import (
	"net"

	"ams.internal/gateway/accounts"
	"ams.internal/gateway/edge"
	"ams.internal/gateway/keys"
	"ams.internal/gateway/migrations"
	"ams.internal/gateway/openapi"
	"ams.internal/gateway/ratelimit"
	"ams.internal/gateway/site"
	"ams.internal/libs/service"
)

// Program is the gateway.
var Program = service.DefineWith("gateway", migrations.Files, func(s *service.Service, config Config) ([]service.Listener, error) {
	g, err := build(s, config)
	return g.listeners, err
})

// gateway is the process: its two programs and where they listen.
type gateway struct {
	edge      *edge.Server
	accounts  *accounts.Server
	listeners []service.Listener
}

// build puts the process together. It waits for nothing that may be unavailable.
func build(s *service.Service, config Config) (gateway, error) {
	if config.BaseURL == "" {
		config.BaseURL = "http://" + config.Listen
	}
	limiter, err := ratelimit.New(config.RedisAddr, config.RedisTimeout, config.KeyInFlight, s.Log)
	if err != nil {
		return gateway{}, err
	}
	lookup := keys.NewLookup(s.DB.Pool(), s.Log)
	document := openapi.NewDocument(
		openapi.Config{BaseURL: config.BaseURL, Region: config.Region, Services: edge.Documented(), Owner: edge.ServiceOf}, s.Directory, s.Log)
	g := gateway{
		edge:     edge.New(s, config.edge(), lookup, limiter, document, site.New(config.BaseURL, config.Downloads, document)),
		accounts: accounts.New(s, config.accounts(), lookup, limiter),
	}
	s.Require("list of services", g.edge.Ready)
	s.Background("edge", g.edge.Run)
	s.Background("accounts", g.accounts.Run)
	s.Background("document", document.Run)
	s.Sweep("key_day")
	g.listeners = []service.Listener{{
		Name: "gateway", Address: config.Listen, Advertise: config.Advertise,
		Handler: g.edge.Handler(), Configure: g.edge.Prepare, OnDrain: g.edge.Drain,
	}, {
		Name: "gateway-internal", Address: config.AdminListen, Advertise: hostOf(config.Advertise), Handler: g.accounts.Handler(),
	}}
	return g, nil
}

// hostOf is the host that others reach this process at: the internal listener has a port of its own there.
func hostOf(advertised string) string {
	if host, _, err := net.SplitHostPort(advertised); err == nil {
		return host
	}
	return advertised
}
