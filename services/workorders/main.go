// The workorders service stores the work on an organization's assets: work orders with their comments, tasks and costs. It computes
// counts and indicators of them for other services.
package main

import (
	"embed"
	"net/http"
	"strings"

	"ams.internal/libs/reference"
	"ams.internal/libs/resource"
	"ams.internal/libs/service"
	"ams.internal/libs/transport"
)

//go:embed migrations/*.sql
var migrations embed.FS

func main() {
	service.Main("workorders", migrations, func(s *service.Service) (http.Handler, error) {
		api := transport.New(s.Signer, s.DB, s.Log)
		return orders{resource.NewRegistry(api, s.DB, reference.NewClient(s.Directory, s.Signer))}.handler(), nil
	})
}

// orders is the resources of this service, and the internal operations on them.
type orders struct{ registry *resource.Registry }

// handler serves everything.
func (o orders) handler() http.Handler {
	resource.Mount(o.registry, workOrders)
	resource.Mount(o.registry, comments)
	resource.Mount(o.registry, tasks)
	resource.Mount(o.registry, o.costs())
	o.mountCounts()
	o.mountIndicators()
	o.mountBreaks()
	o.mountConnections()
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
