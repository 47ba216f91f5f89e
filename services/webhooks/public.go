package webhooks

import (
	"context"
	"time"

	"ams.internal/libs/external"
	"ams.internal/libs/postgres"
	"ams.internal/libs/resource"
	"ams.internal/libs/transport"
)

// scope is what a key needs for anything of this service, with :read or :write.
const scope = "webhooks"

// public has the operations of the API: endpoints, their deliveries and replays, the feed, and the types of events.
type public struct {
	registry    *resource.Registry
	db          *postgres.DB
	sealer      *sealer
	external    *external.Client
	sender      *sender
	feedWaiters *feedWaiters
	known       Sender
	now         func() time.Time
}

func (p public) mount() {
	resource.Mount(p.registry, p.endpoints())
	p.mountActions()
	p.mountSender()
	p.mountReplays()
	p.mountDeliveries()
	p.mountFeed()
	p.mountEventTypes()
	p.declareWebhooks()
}

// page is the page of a list that a caller requests.
type page struct {
	Page    int `query:"page" default:"1" minimum:"1" doc:"From 1."`
	PerPage int `query:"per_page" default:"25" minimum:"1" maximum:"1000" doc:"Records per page."`
}

func (p page) offset() int64 { return int64(p.Page-1) * int64(p.PerPage) }

func (p page) of(total int64) transport.Pagination {
	return transport.PaginationOf(p.Page, p.PerPage, total)
}

// detached gives a context that goes on when the caller hangs up: what was sent must be recorded.
func detached(ctx context.Context) context.Context { return context.WithoutCancel(ctx) }
