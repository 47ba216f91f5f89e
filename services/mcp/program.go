// Package mcp serves the API to AI assistants by the Model Context Protocol, at /mcp through the gateway and with the same API key.
// It has tools, prompts and resources that are made for assistants. Each tool calls the REST API through the gateway with the
// caller's key, so an assistant can do what its key can do and nothing else.
//
// Package oauth below it checks who calls, and connects assistants without a field for a key. Their connections are all that the service
// stores. The service has its own version: see CHANGELOG.md.
package mcp

import (
	"embed"
	"net/http"

	"ams.internal/libs/service"
	"ams.internal/services/mcp/oauth"
)

// version is the version that clients see. CHANGELOG.md lists the changes.
const version = "3.3.0"

//go:embed migrations/*.sql
var migrations embed.FS

// Program is this service.
var Program = service.DefineWith("mcp", migrations, func(s *service.Service, config oauth.Config) ([]service.Listener, error) {
	authorizer := oauth.New(s, config)
	server := newServer(newREST(s.Directory, s.Signer), config.Issuer(), s.Log)
	mux := http.NewServeMux()
	authorizer.Mount(mux)
	mux.Handle("/mcp", server.handler(admit(authorizer)))
	return []service.Listener{{Name: "mcp", Address: config.Listen, Advertise: config.Advertise, Handler: mux}}, nil
})
