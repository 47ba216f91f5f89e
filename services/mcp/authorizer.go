package mcp

import (
	"log/slog"
	"net/http"

	"ams.internal/libs/external"
	"ams.internal/libs/postgres"
	"ams.internal/libs/principal"
	peers "ams.internal/libs/reference"
	"ams.internal/libs/service"
)

// authorizer checks who calls. It accepts an API key, or an access token that was issued for one. The tools receive a
// caller and never see keys, codes or tokens.
type authorizer struct {
	issuer    string // the public base URL
	resource  string // what access tokens are valid for: the MCP endpoint
	db        *postgres.DB
	log       *slog.Logger
	signer    *principal.Signer
	services  *peers.Client
	sealer    sealer
	redirects redirectRules
	documents *documents
	lastUses  *lastUses
}

// newAuthorizer returns an authorizer and adds its background work to the service.
func newAuthorizer(s *service.Service, config Config) *authorizer {
	a := &authorizer{
		issuer: config.issuer(), resource: config.issuer() + "/mcp",
		db: s.DB, log: redacted(s.Log), signer: s.Signer, services: peers.NewClient(s.Directory, s.Signer),
		redirects: newRedirectRules(config.Redirects),
	}
	a.sealer = newSealer(config.Secrets, a.resource)
	a.documents = newDocuments(external.New(external.Rules{Allow: config.clientNetworks()}), a.log)
	a.lastUses = newLastUses(s.DB.Pool(), a.log)
	s.Background("use of connections", a.lastUses.run)
	s.Sweep("mcp_grant")
	s.Sweep("attempt")
	return a
}

// mount adds the OAuth paths and the internal paths.
func (a *authorizer) mount(mux *http.ServeMux) {
	mux.Handle(protectedResourcePath, methods{http.MethodGet: a.describeResource})
	mux.Handle(protectedResourcePath+"/mcp", methods{http.MethodGet: a.describeResource})
	mux.Handle(authorizationServerPath, methods{http.MethodGet: a.describeServer})
	mux.Handle(authorizePath, methods{http.MethodGet: a.showConnect, http.MethodPost: a.connectAssistant})
	mux.Handle(tokenPath, methods{http.MethodPost: a.token})
	mux.Handle(registerPath, methods{http.MethodPost: a.register})
	mux.Handle(revokePath, methods{http.MethodPost: a.revoke})
	mux.Handle(pageAssets.Prefix, methods{http.MethodGet: pageAssets.ServeHTTP})
	mux.Handle(iconPath, methods{http.MethodGet: showIcon})
	mux.HandleFunc("/oauth/", unknownPath)
	mux.HandleFunc("/.well-known/", unknownPath)
	mux.Handle("/internal/", a.internalAPI())
}
