// Package assets serves what an organization owns and maintains: sites, buildings, systems and assets, their condition assessments
// and deficiencies, and the price indexes that compare costs of different years. It computes indicators from them.
package assets

import (
	"context"
	"embed"
	"net/http"

	"ams.internal/libs/domain/inventory"
	"ams.internal/libs/effects"
	"ams.internal/libs/months"
	"ams.internal/libs/reference"
	"ams.internal/libs/resource"
	"ams.internal/libs/service"
	"ams.internal/libs/transport"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Program is this service.
var Program = service.Define("assets", migrations, func(s *service.Service) (http.Handler, error) {
	api := transport.New(s.Signer, s.DB, s.Log)
	references := reference.NewClient(s.Directory, s.Signer)
	f := family{resource.NewRegistry(api, s.DB, references)}
	f.mount()
	s.PerCell("effects", func(ctx context.Context) {
		effects.NewSender("assets", s.DB, references, s.Log, f.logRefused).Run(ctx)
	})
	s.PerCell("months", f.keeper(references).Run)
	s.PerCell("turn of the year", func(ctx context.Context) { f.newYear(references.Principals("assets")).Run(ctx) })
	s.PerCell("time_events", f.watch(references.Principals("assets")).Run)
	return api.Handler(), nil
})

// family is the resources of this service. They change each other's records by way of the registry.
type family struct{ registry *resource.Registry }

func (f family) mount() {
	resource.Mount(f.registry, sites)
	resource.Mount(f.registry, f.buildings())
	resource.Mount(f.registry, f.systems())
	resource.Mount(f.registry, f.assets())
	resource.Mount(f.registry, f.conditionAssessments())
	resource.Mount(f.registry, f.deficiencies())
	resource.Mount(f.registry, priceIndexes)
	resource.Mount(f.registry, priceIndexValues)
	f.registry.EmptySandboxes(resource.Emptying{Before: months.BeforeEmptying})
	f.serveEffects()
	f.mountSummaries()
	f.mountStateOfAssets()
	f.mountStateOfInfrastructure()
	f.mountTrend()
	f.mountDeficiencyReport()
	f.mountPortfolioIndicators()
	f.mountPrices()
	inventory.Serve(f.registry.API, f.registry.DB, inventorySQL, f.reported, assessmentsSQL)
}
