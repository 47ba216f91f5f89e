// Package projects serves an organization's capital plan: projects with their phases, funding sources, budget lines, effects and
// links to what they work on. It computes the cash flow of the coming years from them.
package projects

import (
	"context"
	"embed"
	"net/http"

	"ams.internal/libs/effects"
	"ams.internal/libs/reference"
	"ams.internal/libs/resource"
	"ams.internal/libs/service"
	"ams.internal/libs/transport"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Program is this service.
var Program = service.Define("projects", migrations, func(s *service.Service) (http.Handler, error) {
	api := transport.New(s.Signer, s.DB, s.Log)
	references := reference.NewClient(s.Directory, s.Signer)
	f := family{resource.NewRegistry(api, s.DB, references)}
	s.PerCell("effects", func(ctx context.Context) {
		effects.NewSender(s.Name, s.DB, references, s.Log, f.effects().Record).Run(ctx)
	})
	f.mount()
	return api.Handler(), nil
})

// feature is what an organization's plan must include for anything of this service.
const feature = "projects"

// family is the resources of this service. They change each other's records by way of the registry.
type family struct{ registry *resource.Registry }

func (f family) mount() {
	resource.Mount(f.registry, f.projects())
	resource.Mount(f.registry, phases)
	resource.Mount(f.registry, f.fundingSources())
	resource.Mount(f.registry, f.budgetLines())
	resource.Mount(f.registry, links)
	f.mountEffects()
	f.mountPlan()
	f.mountPromotions()
}
