// Package planning serves lifecycle planning: how classes of assets deteriorate, how they are treated, and scenarios of what an
// organization's assets will need. It freezes inventories, runs scenarios over them (package engine) and reports the results.
package planning

import (
	"context"
	"embed"
	"log/slog"
	"net/http"

	"ams.internal/libs/fairqueue"
	"ams.internal/libs/reference"
	"ams.internal/libs/resource"
	"ams.internal/libs/service"
	"ams.internal/libs/transport"
	"ams.internal/libs/work"
)

//go:embed migrations/*.sql
var migrations embed.FS

// garbage is by how much the heap grows between two collections, in percent. An inventory is large and lives for seconds: what is none any
// more would take as much memory again.
const garbage = 25

// Program is this service.
var Program = service.Define("planning", migrations, func(s *service.Service) (http.Handler, error) {
	s.Garbage = garbage
	api := transport.New(s.Signer, s.DB, s.Log)
	p := newPlanning(resource.NewRegistry(api, s.DB, reference.NewClient(s.Directory, s.Signer)), s.Log)
	s.PerCell("jobs", func(ctx context.Context) { p.jobQueue().Run(ctx) })
	return api.Handler(), nil
})

// planning is the resources of this service, and the operations beside them.
type planning struct {
	registry *resource.Registry
	log      *slog.Logger
	queued   *work.Signal
	turns    *turns
	recent   *recent

	questions, verifications *fairqueue.Queue
}

func newPlanning(registry *resource.Registry, log *slog.Logger) *planning {
	p := &planning{registry: registry, log: log, queued: &work.Signal{}, turns: newTurns(), recent: &recent{},
		questions: fairqueue.New(questionPlaces), verifications: fairqueue.New(1)}
	resource.Mount(registry, deteriorationModels)
	resource.Mount(registry, assetClasses)
	resource.Mount(registry, treatments)
	resource.Mount(registry, strategies)
	resource.Mount(registry, p.scenarios())
	resource.Mount(registry, p.inventories())
	resource.Mount(registry, p.runs())
	p.mountElements()
	p.mountRunActions()
	p.mountResults()
	p.mountEstimate()
	p.mountStrategyComparison()
	return p
}
