// Package los serves levels of service: the areas in which an organization serves people, the measures of each area, their targets
// and their measurements, as O. Reg. 588/17 requires of Ontario's municipalities.
package los

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

// Program is this service.
var Program = service.Define("los", migrations, func(s *service.Service) (http.Handler, error) {
	api := transport.New(s.Signer, s.DB, s.Log)
	family{resource.NewRegistry(api, s.DB, reference.NewClient(s.Directory, s.Signer))}.mount()
	return api.Handler(), nil
})

// feature is what an organization's plan must include for all of this.
const feature = "los"

// family is the resources of this service, and the operations on them.
type family struct{ registry *resource.Registry }

func (f family) mount() {
	resource.Mount(f.registry, serviceAreas)
	resource.Mount(f.registry, measures)
	resource.Mount(f.registry, targets)
	resource.Mount(f.registry, measurements)
	f.mountScorecard()
	f.mountTemplates()
	f.mountCompute()
	f.mountApproaches()
}
