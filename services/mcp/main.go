// Command mcp is the API for AI assistants: a server of the Model Context Protocol, reached at /mcp through the gateway
// with the same API key. It has tools, prompts and resources made for assistants; each of them asks the REST API, through
// the gateway and with the caller's key, so an assistant can do what its key can do and nothing else.
//
// It keeps no data but who connected which assistant (grant.go). Its version is its own: see CHANGELOG.md.
package main

import (
	"embed"
	"net/http"

	"ams.internal/libs/service"
)

// version is what clients are told; CHANGELOG.md says what changed.
const version = "2.14.0"

//go:embed migrations/*.sql
var migrations embed.FS

func main() {
	service.Run("mcp", migrations, func(s *service.Service, config Config) ([]service.Listener, error) {
		door := newAuthorizer(s, config)
		server := newServer(newREST(s.Directory, s.Signer), config.issuer(), s.Log)
		mux := http.NewServeMux()
		door.mount(mux)
		mux.Handle("/mcp", server.handler(door.requireBearer))
		return []service.Listener{{Name: "mcp", Address: config.Listen, Advertise: config.Advertise, Handler: mux}}, nil
	})
}
