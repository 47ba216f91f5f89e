package main

import (
	"log/slog"

	"ams.internal/libs/resource"
)

// accounting is the resources of this service, and the operations beside them.
type accounting struct {
	registry *resource.Registry
	log      *slog.Logger
}

func newAccounting(registry *resource.Registry, log *slog.Logger) *accounting {
	a := &accounting{registry: registry, log: log}
	resource.Mount(registry, a.fiscalYears())
	resource.Mount(registry, classes)
	resource.Mount(registry, a.capitalAssets())
	resource.Mount(registry, links)
	resource.Mount(registry, a.transactions())
	a.mountCloses()
	a.mountReversal()
	a.mountSchedule()
	a.mountJournal()
	a.mountProjection()
	return a
}
