// The planning service stores how classes of assets deteriorate and what can be done about it, and the scenarios in which an organization
// asks what its assets will need. It freezes inventories, calculates scenarios over them (package engine) and shows the results.
package main

import (
	"context"
	"embed"
	"log/slog"
	"net/http"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"ams.internal/libs/fairqueue"
	"ams.internal/libs/reference"
	"ams.internal/libs/resource"
	"ams.internal/libs/service"
	"ams.internal/libs/transport"
)

//go:embed migrations/*.sql
var migrations embed.FS

// garbage is how much of it there may be beside what is used, in percent. An inventory is large and lives for seconds: with Go's 100, calculating
// 70,000 elements takes 520 MB of memory, with 50 about 400.
const garbage = 50

func main() {
	debug.SetGCPercent(garbage)
	service.Main("planning", migrations, func(s *service.Service) (http.Handler, error) {
		api := transport.New(s.Signer, s.DB, s.Log)
		p := newPlanning(resource.NewRegistry(api, s.DB, reference.NewClient(s.Directory, s.Signer)), s.Log)
		s.PerCell("jobs", func(ctx context.Context) { p.newWorker().run(ctx) })
		return api.Handler(), nil
	})
}

// planning is the resources of this service, and the operations beside them.
type planning struct {
	registry *resource.Registry
	log      *slog.Logger
	work     *sync.Map // of wake, by cell: chan struct{}
	places   chan struct{}
	// turnLength is after how long an organization's run stands back for others that wait.
	turnLength time.Duration
	refused    *atomic.Int64 // when somebody's job found no place, in Unix nanoseconds
	recent     *recent

	questions, verifications *fairqueue.Queue
}

// jobPlaces is how many jobs an instance works on at once, of several organizations: as many as it has processors as a rule.
const jobPlaces = 2

func newPlanning(registry *resource.Registry, log *slog.Logger) *planning {
	p := &planning{registry: registry, log: log, work: &sync.Map{}, places: make(chan struct{}, jobPlaces), refused: &atomic.Int64{}, turnLength: 10 * time.Second, recent: &recent{},
		questions: fairqueue.New(questionPlaces), verifications: fairqueue.New(1)}
	resource.Mount(registry, deteriorationModels)
	resource.Mount(registry, assetClasses)
	resource.Mount(registry, treatments)
	resource.Mount(registry, strategies)
	resource.Mount(registry, scenarios)
	resource.Mount(registry, p.inventories())
	resource.Mount(registry, p.runs())
	p.mountElements()
	p.mountRunActions()
	p.mountResults()
	p.mountEstimate()
	p.mountStrategyComparison()
	return p
}
