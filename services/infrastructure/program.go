// Package infrastructure serves linear assets: networks of roads, pipes, bridges and wires, their segments with geometry, and the
// inspections and deficiencies of segments. It computes indicators from them.
package infrastructure

import (
	"embed"
	"net/http"

	"ams.internal/libs/domain/inventory"
	"ams.internal/libs/months"
	"ams.internal/libs/reference"
	"ams.internal/libs/resource"
	"ams.internal/libs/service"
	"ams.internal/libs/transport"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Program is this service.
var Program = service.Define("infrastructure", migrations, func(s *service.Service) (http.Handler, error) {
	api := transport.New(s.Signer, s.DB, s.Log)
	references := reference.NewClient(s.Directory, s.Signer)
	f := family{resource.NewRegistry(api, s.DB, references)}
	f.mount()
	organizations := withFeature(references)
	s.PerCell("months", f.keeper(organizations).Run)
	s.PerCell("deferred", f.newYear(organizations).Run)
	s.PerCell("lengths", f.remeasureAll(organizations).Run)
	return api.Handler(), nil
})

// family is the resources of this service. They change each other's records by way of the registry.
type family struct{ registry *resource.Registry }

func (f family) mount() {
	resource.Mount(f.registry, networks)
	resource.Mount(f.registry, f.segments())
	resource.Mount(f.registry, f.inspections())
	resource.Mount(f.registry, f.deficiencies())
	f.registry.EmptySandboxes(resource.Emptying{Before: months.BeforeEmptying})
	f.serveEffects()
	f.mountSummary()
	f.mountNetworkIndicators()
	f.mountState()
	f.mountTrend()
	f.mountConnections()
	inventory.Serve(f.registry.API, f.registry.DB, inventorySQL, nil, inspectionsSQL)
}

const (
	scope   = "infrastructure" // of all collections
	feature = "infrastructure" // of the plan
)
