// The infrastructure service stores linear assets: networks of roads, pipes, bridges and wires, the segments that they consist of with
// their geometry, and the inspections of segments. It computes indicators from them.
package main

import (
	"embed"
	"net/http"

	"ams.internal/libs/reference"
	"ams.internal/libs/resource"
	"ams.internal/libs/service"
	"ams.internal/libs/transport"
)

//go:embed migrations/*.sql
var migrations embed.FS

func main() {
	service.Main("infrastructure", migrations, func(s *service.Service) (http.Handler, error) {
		api := transport.New(s.Signer, s.DB, s.Log)
		family{resource.NewRegistry(api, s.DB, reference.NewClient(s.Directory, s.Signer))}.mount()
		return api.Handler(), nil
	})
}

// family is the resources of this service. They change each other's records by way of the registry.
type family struct{ registry *resource.Registry }

func (f family) mount() {
	resource.Mount(f.registry, networks)
	resource.Mount(f.registry, f.segments())
	resource.Mount(f.registry, f.inspections())
	f.mountSummary()
	f.mountNetworkIndicators()
}

const (
	scope   = "infrastructure" // of all three collections
	feature = "infrastructure" // of the plan
)
