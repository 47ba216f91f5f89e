package accounting

import (
	"context"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fairqueue"
	"ams.internal/libs/principal"
	"ams.internal/libs/resource"
	"ams.internal/libs/work"
)

// accounting is the resources of this service, and the operations beside them.
type accounting struct {
	registry *resource.Registry
	log      *slog.Logger
	ordered  *work.Signal     // closes
	large    *fairqueue.Queue // of what goes over all capital assets
}

const (
	largePlaces = 2                // that an instance works on at once
	largeWait   = 20 * time.Second // for a place
)

func newAccounting(registry *resource.Registry, log *slog.Logger) *accounting {
	a := &accounting{registry: registry, log: log, ordered: &work.Signal{}, large: fairqueue.New(largePlaces)}
	resource.Mount(registry, a.fiscalYears())
	resource.Mount(registry, classes)
	resource.Mount(registry, a.capitalAssets())
	resource.Mount(registry, links)
	resource.Mount(registry, a.transactions())
	resource.Mount(registry, a.obligations())
	a.mountCloses()
	a.mountReversal()
	a.mountSchedule()
	a.mountJournal()
	a.mountProjection()
	a.mountObligations()
	a.mountObligationSchedule()
	a.mountOfRecords()
	a.mountReconciliation()
	return a
}

// inTurn does what goes over all capital assets when it is the turn of the caller's organization, before it takes a connection.
func (a *accounting) inTurn(ctx context.Context, work func() error) error {
	return a.large.InTurn(ctx, principal.From(ctx).OrganizationID, largeWait,
		"Too many reports of ledgers are being made; send this again in some seconds.", work)
}

// readInTurn reads over all capital assets, in that turn.
func (a *accounting) readInTurn(ctx context.Context, read func(ctx context.Context, tx pgx.Tx) error) error {
	return a.inTurn(ctx, func() error { return a.registry.DB.Read(ctx, read) })
}
