// Package requests serves the requests of an organization's residents and staff, the services that they can ask for, and the public
// links for people without a key: a page, JSON and Open311.
package requests

import (
	"context"
	"embed"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/effects"
	"ams.internal/libs/reference"
	"ams.internal/libs/resource"
	"ams.internal/libs/service"
	"ams.internal/libs/transport"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Program is this service.
var Program = service.DefineWith("requests", migrations, func(s *service.Service, config Config) ([]service.Listener, error) {
	references := reference.NewClient(s.Directory, s.Signer)
	counter, err := newCounter(config.RedisAddr, config.RedisTimeout, s.Log)
	if err != nil {
		return nil, err
	}
	d := desk{
		registry: resource.NewRegistry(transport.New(s.Signer, s.DB, s.Log), s.DB, references),
		baseURL:  strings.TrimRight(config.BaseURL, "/"), log: s.Log, now: time.Now,
	}
	s.PerCell("effects", func(ctx context.Context) {
		effects.NewSender("requests", s.DB, references, s.Log, d.recordOutcomes).Run(ctx)
	})
	s.Every(time.Hour, "erase contact data", d.eraseContacts)
	handler := d.handler(newDoor(d, counter, config.limits()))
	return []service.Listener{{Name: "requests", Address: config.Listen, Advertise: config.Advertise, Handler: handler}}, nil
})

// desk is the resources of this service, and the operations on them.
type desk struct {
	registry *resource.Registry
	baseURL  string // of the API, as people see it
	log      *slog.Logger
	now      func() time.Time
}

// handler serves the API, and the public door beside it.
func (d desk) handler(door *publicDoor) http.Handler {
	definition := requests
	definition.BeforeTransaction = d.beforeRequests
	definition.AfterWrite = func(ctx context.Context, tx pgx.Tx, changes []*resource.Change[Request]) error {
		if err := d.shareEnds(ctx, tx, changes); err != nil {
			return err
		}
		return sendAcceptances(ctx, tx, changes)
	}
	resource.Mount(d.registry, definition)
	resource.Mount(d.registry, requestServices)
	resource.Mount(d.registry, d.links())
	d.contacts().Mount()
	d.mountLinkActions()
	d.mountMoves()
	d.mountSimilar()
	d.serveEffects()
	api, open := d.registry.API.Handler(), door.handler()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if isOpen(r.URL.Path) {
			open.ServeHTTP(w, r)
			return
		}
		api.ServeHTTP(w, r)
	})
}

// isOpen says whether a path is one of the public door.
func isOpen(path string) bool {
	for _, prefix := range []string{"/r/", "/public/", "/open311/"} {
		if strings.HasPrefix(path, prefix) {
			return true
		}
	}
	return path == "/r" || path == "/public" || path == "/open311"
}
