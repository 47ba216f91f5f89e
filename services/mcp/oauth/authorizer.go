// Package oauth checks who calls the MCP server, and lets people connect assistants that have no field for an API key: it is the OAuth
// server of such assistants, with the page on which somebody pastes the key.
//
// Keys are never stored. A connection is a row (grant.go) whose salt opens the codes and tokens that hold its key (seal.go); clearing the
// salt ends it. The tables are in the migrations of services/mcp.
package oauth

import (
	"log/slog"
	"net/http"

	"ams.internal/libs/external"
	"ams.internal/libs/postgres"
	"ams.internal/libs/principal"
	peers "ams.internal/libs/reference"
	"ams.internal/libs/service"
)

// Authorizer checks who calls. It accepts an API key, or an access token that was issued for one. The tools receive a
// Caller and never see codes or tokens.
type Authorizer struct {
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

// New returns an authorizer and adds its background work to the service.
func New(s *service.Service, config Config) *Authorizer {
	a := &Authorizer{
		issuer: config.Issuer(), resource: config.Issuer() + "/mcp",
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

// Mount adds the OAuth paths and the internal paths.
func (a *Authorizer) Mount(mux *http.ServeMux) {
	mux.Handle(protectedResourcePath, methods{http.MethodGet: a.describeResource})
	mux.Handle(protectedResourcePath+"/mcp", methods{http.MethodGet: a.describeResource})
	mux.Handle(authorizationServerPath, methods{http.MethodGet: a.describeServer})
	mux.Handle(authorizePath, methods{http.MethodGet: a.showConnect, http.MethodPost: a.connectAssistant})
	mux.Handle(tokenPath, methods{http.MethodPost: a.token})
	mux.Handle(registerPath, methods{http.MethodPost: a.register})
	mux.Handle(revokePath, methods{http.MethodPost: a.revoke})
	mux.Handle(pageAssets.Prefix, methods{http.MethodGet: pageAssets.ServeHTTP})
	mux.Handle(IconPath, methods{http.MethodGet: showIcon})
	mux.HandleFunc("/oauth/", unknownPath)
	mux.HandleFunc("/.well-known/", unknownPath)
	mux.Handle("/internal/", a.internalAPI())
}
