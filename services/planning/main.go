// The planning service stores how classes of assets deteriorate and what can be done about it, and the scenarios in which an organization
// asks what its assets will need. The calculation is in engine.
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
	service.Main("planning", migrations, func(s *service.Service) (http.Handler, error) {
		api := transport.New(s.Signer, s.DB, s.Log)
		family{resource.NewRegistry(api, s.DB, reference.NewClient(s.Directory, s.Signer))}.mount()
		return api.Handler(), nil
	})
}

// family is the resources of this service.
type family struct{ registry *resource.Registry }

func (f family) mount() {
	resource.Mount(f.registry, deteriorationModels)
	resource.Mount(f.registry, assetClasses)
	resource.Mount(f.registry, treatments)
	resource.Mount(f.registry, strategies)
	resource.Mount(f.registry, scenarios)
}
