// Package workorders serves the work on an organization's assets: work orders with their comments, tasks, targets, costs and
// effects, vendors, service levels, and maintenance plans, whose work orders it creates. It computes counts and indicators of work
// orders for other services.
package workorders

import (
	"context"
	"embed"
	"net/http"
	"strings"
	"time"

	"ams.internal/libs/contacts"
	"ams.internal/libs/effects"
	"ams.internal/libs/reference"
	"ams.internal/libs/resource"
	"ams.internal/libs/service"
	"ams.internal/libs/transport"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Program is this service.
var Program = service.Define("workorders", migrations, func(s *service.Service) (http.Handler, error) {
	api := transport.New(s.Signer, s.DB, s.Log)
	references := reference.NewClient(s.Directory, s.Signer)
	o := orders{resource.NewRegistry(api, s.DB, references)}
	s.PerCell("effects", func(ctx context.Context) {
		effects.NewSender(s.Name, s.DB, references, s.Log, o.effects().Record).Run(ctx)
	})
	s.PerCell("planner", func(ctx context.Context) { o.newPlanner(s.Log).queue.Run(ctx) })
	s.PerCell("service levels", func(ctx context.Context) { o.serviceLevelQueue().Run(ctx) })
	s.Every(time.Hour, "erase contact data", o.contacts(time.Now).Erase)
	s.PerCell("time_events", o.watch(references.Principals("workorders")).Run)
	return o.handler(), nil
})

// orders is the resources of this service, and the internal operations on them.
type orders struct{ registry *resource.Registry }

// contacts is who asked for work: as of requests, it is erased some time after the end.
func (o orders) contacts(now func() time.Time) contacts.Data {
	return contacts.Data{Registry: o.registry, Service: "workorders", Actor: "Work orders", Collection: workOrdersCollection,
		Table: "work_order", Fields: []string{"requester_name", "requester_email"},
		EndedAt: "work_ended_at(r.status, r.closed_at, r.completed_at, r.updated_at)", Now: now}
}

// handler serves everything.
func (o orders) handler() http.Handler {
	o.contacts(time.Now).Mount()
	resource.Mount(o.registry, vendors)
	resource.Mount(o.registry, calendars)
	resource.Mount(o.registry, slaPolicies)
	resource.Mount(o.registry, jobPlans)
	resource.Mount(o.registry, o.pmPlans())
	resource.Mount(o.registry, o.withPlans(o.workOrders()))
	resource.Mount(o.registry, comments)
	resource.Mount(o.registry, tasks)
	resource.Mount(o.registry, o.costs())
	resource.Mount(o.registry, o.targets())
	o.mountAllocation()
	o.mountEffects()
	o.mountCounts()
	o.mountIndicators()
	o.mountBreaks()
	o.mountConnections()
	o.mountOccurrences()
	o.mountOccurrenceActions()
	o.mountPresets()
	o.mountForecast()
	o.mountCompliance()
	o.mountMaintenanceFigures()
	o.mountServiceLevels()
	return otherSpelling(o.registry.API.Handler())
}

// otherSpelling serves /v1/work_orders as /v1/work-orders. The scope is spelled with an underscore, and people guess the path from
// it.
func otherSpelling(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rest, found := strings.CutPrefix(r.URL.Path, "/v1/work_orders")
		if found && (rest == "" || rest[0] == '/') {
			address := *r.URL
			address.Path, address.RawPath = "/v1/work-orders"+rest, ""
			r = r.Clone(r.Context())
			r.URL = &address
		}
		next.ServeHTTP(w, r)
	})
}
