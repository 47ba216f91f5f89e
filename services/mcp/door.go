package main

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"ams.internal/libs/external"
	"ams.internal/libs/postgres"
	"ams.internal/libs/principal"
	peers "ams.internal/libs/reference"
	"ams.internal/libs/service"
)

// door is who may come in, and how: with the API key itself, or with a token that a connector was given for one. Behind it
// are the tools, which know a caller and nothing of keys, codes and tokens.
type door struct {
	issuer    string // the public base URL
	resource  string // what tokens are good for: the MCP endpoint
	db        *postgres.DB
	log       *slog.Logger
	signer    *principal.Signer
	services  *peers.Client
	sealer    sealer
	redirects redirectRules
	documents *documents
	uses      *uses
}

// newDoor makes the door and adds its background work to the service.
func newDoor(s *service.Service, config Config) *door {
	d := &door{
		issuer: config.issuer(), resource: config.issuer() + "/mcp",
		db: s.DB, log: redacted(s.Log), signer: s.Signer, services: peers.NewClient(s.Directory, s.Signer),
		redirects: newRedirectRules(config.RedirectHosts),
	}
	d.sealer = newSealer(config.Secrets, d.resource)
	d.documents = newDocuments(external.New(external.Rules{Allow: config.clientNetworks()}), d.log)
	d.uses = newUses(s.DB.Pool(), d.log)
	s.Background("use of connections", d.uses.follow)
	s.Every(time.Hour, "sweep old connections", d.sweep)
	return d
}

// mount adds the paths of the connectors' authorization, and what the settings screens ask for.
func (d *door) mount(mux *http.ServeMux) {
	mux.Handle(protectedResourcePath, methods{http.MethodGet: d.describeResource})
	mux.Handle(protectedResourcePath+"/mcp", methods{http.MethodGet: d.describeResource})
	mux.Handle(authorizationServerPath, methods{http.MethodGet: d.describeServer})
	mux.Handle(authorizePath, methods{http.MethodGet: d.showConnect, http.MethodPost: d.connectAssistant})
	mux.Handle(tokenPath, methods{http.MethodPost: d.token})
	mux.Handle(registerPath, methods{http.MethodPost: d.register})
	mux.Handle(revokePath, methods{http.MethodPost: d.revoke})
	mux.Handle(pageAssets.Prefix, methods{http.MethodGet: pageAssets.ServeHTTP})
	mux.HandleFunc("/oauth/", unknownPath)
	mux.HandleFunc("/.well-known/", unknownPath)
	mux.Handle("/internal/", d.inside())
}

// sweep forgets old connections and attempts.
func (d *door) sweep(ctx context.Context) error {
	_, err := d.db.Pool().Exec(ctx, "SELECT sweep()")
	return err
}
