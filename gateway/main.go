// Command gateway is the one way in: it knows the caller by its API key, holds every request against the limit, the plan,
// the scopes and the region, and forwards it to the service that owns the path.
//
// A request is one go-kit endpoint under one chain (gateway.go); each step of the chain is a file: edge, authenticate,
// limit, plan, scope, region, forward. routes.go is the map of the product.
package main

import (
	"embed"
	"io/fs"
	"net"
	"net/http"

	"ams.internal/libs/service"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

func migrations() fs.FS {
	files, err := fs.Sub(migrationFiles, "migrations")
	if err != nil { // the folder is embedded above
		panic(err)
	}
	return files
}

func main() {
	service.Run("gateway", migrations(), func(s *service.Service, config Config) ([]service.Listener, error) {
		built, err := build(s, config)
		return built.all, err
	})
}

// listeners are the gateway's two doors.
type listeners struct {
	gateway *gateway
	all     []service.Listener
}

// build puts the process together.
func build(s *service.Service, config Config) (listeners, error) {
	g, err := newGateway(&config, s.DB, s.Directory, s.Signer, s.Log)
	if err != nil {
		return listeners{}, err
	}
	s.Require("list of services", g.fleet.known)
	s.Background("followers", g.follow)
	return listeners{g, []service.Listener{
		{Name: "gateway", Address: config.Listen, Advertise: config.Advertise, Handler: g.public(), Prepare: g.prepare, Ending: g.end},
		{Name: "gateway-internal", Address: config.OperatorListen, Advertise: hostOf(config.Advertise), Handler: g.internal()},
	}}, nil
}

// hostOf is the host that others reach this process at: the internal listener has a port of its own there.
func hostOf(advertised string) string {
	if host, _, err := net.SplitHostPort(advertised); err == nil {
		return host
	}
	return advertised
}

// prepare makes the public listener keep the API's promises also where no handler of ours is asked: for what is not HTTP,
// for OPTIONS *, and for the supervisors' questions.
func (g *gateway) prepare(server *http.Server, socket net.Listener) net.Listener {
	server.DisableGeneralOptionsHandler = true
	probes := server.Handler
	server.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/livez" || r.URL.Path == "/readyz" {
			g.uncounted(w.Header(), r)
		}
		probes.ServeHTTP(w, r)
	})
	return &listener{Listener: socket, gateway: g}
}
