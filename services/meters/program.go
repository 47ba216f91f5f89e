// Package meters serves the meters of places and assets with their readings. It stores each meter's usage in total and by day, so
// that neither is summed again when somebody asks.
package meters

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
var Program = service.Define("meters", migrations, func(s *service.Service) (http.Handler, error) {
	api := transport.New(s.Signer, s.DB, s.Log)
	metering{resource.NewRegistry(api, s.DB, reference.NewClient(s.Directory, s.Signer))}.mount()
	return api.Handler(), nil
})

// feature is what an organization's plan must include for all of this.
const feature = "maintenance"

// scope is what keys need for meters and their readings.
const scope = "meters"

// metering is the resource of this service, and the operations beside it.
type metering struct{ registry *resource.Registry }

func (m metering) mount() {
	resource.Mount(m.registry, m.meters())
	m.mountReadings()
	m.mountUsage()
	m.mountGauges()
	m.mountEffects()
}
