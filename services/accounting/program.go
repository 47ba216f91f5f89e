// Package accounting serves the ledger of tangible capital assets: fiscal years, classes, capital assets with the records that they
// stand for, and the transactions that state their cost. It closes fiscal years and reports the schedule and the journal. Package
// ledger calculates what a transaction does to a capital asset.
package accounting

import (
	"context"
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
var Program = service.Define("accounting", migrations, func(s *service.Service) (http.Handler, error) {
	api := transport.New(s.Signer, s.DB, s.Log)
	a := newAccounting(resource.NewRegistry(api, s.DB, reference.NewClient(s.Directory, s.Signer)), s.Log)
	s.PerCell("closes", func(ctx context.Context) { a.closeQueue().Run(ctx) })
	return api.Handler(), nil
})
