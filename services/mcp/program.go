// Package mcp serves the API to AI assistants by the Model Context Protocol, at /mcp through the gateway and with the same API key.
// It has tools, prompts and resources that are made for assistants. Each tool calls the REST API through the gateway with the
// caller's key, so an assistant can do what its key can do and nothing else.
//
// The service stores only the connections of assistants (grant.go). It has its own version: see CHANGELOG.md.
package mcp

import (
	"embed"
	"net/http"

	"ams.internal/libs/service"
)

// version is the version that clients see. CHANGELOG.md lists the changes.
const version = "3.3.0"

//go:embed migrations/*.sql
var migrations embed.FS

// Program is this service.
var Program = service.DefineWith("mcp", migrations, func(s *service.Service, config Config) ([]service.Listener, error) {
	authorizer := newAuthorizer(s, config)
	server := newServer(newREST(s.Directory, s.Signer), config.issuer(), s.Log)
	mux := http.NewServeMux()
	authorizer.mount(mux)
	mux.Handle("/mcp", server.handler(authorizer.admit))
	return []service.Listener{{Name: "mcp", Address: config.Listen, Advertise: config.Advertise, Handler: mux}}, nil
})
