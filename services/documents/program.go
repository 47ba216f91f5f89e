// Package documents serves the files of an organization's records: photos, manuals, drawings, warranties. Its schema describes
// documents; their contents are objects of a store.
package documents

import (
	"context"
	"embed"
	"log/slog"
	"time"

	"ams.internal/libs/domain/catalogue"
	"ams.internal/libs/domain/indicators"
	"ams.internal/libs/effects"
	"ams.internal/libs/reference"
	"ams.internal/libs/resource"
	"ams.internal/libs/service"
	"ams.internal/libs/transport"
	"ams.internal/libs/work"
	"ams.internal/services/documents/scan"
	"ams.internal/services/documents/store"
)

//go:embed migrations/*.sql
var migrations embed.FS

// StoreConfig is the part of the configuration that says where the bytes are.
type StoreConfig = store.Config

// Config is the configuration of the service.
type Config struct {
	service.Config
	StoreConfig
	Scanner     string `env:"AMS_DOCUMENTS_SCANNER" example:"tcp://127.0.0.1:3310" doc:"The clamd that looks for malware: tcp://host:port or unix:///path. Without it documents are not scanned."`
	KeepDays    int    `env:"AMS_DOCUMENTS_KEEP_DAYS" envDefault:"35" minimum:"0" maximum:"3650" doc:"Days for which bytes are kept after the last document that had them is gone: not less than backups of the database are."`
	Unscannable string `env:"AMS_DOCUMENTS_UNSCANNABLE" envDefault:"serve" allowed:"serve,hold" doc:"What is done with content that could not be looked through for malware, because it is encrypted or over the scanner's limits. serve: it can be read, and says so. hold: it cannot be read."`
}

// Program is this service.
var Program = service.DefineWith("documents", migrations, func(s *service.Service, c Config) ([]service.Listener, error) {
	d, err := build(s, c)
	if err != nil {
		return nil, err
	}
	s.PerCell("worker", func(ctx context.Context) { d.newWorker().run(ctx) })
	return []service.Listener{{Name: s.Name, Address: c.Listen, Advertise: c.Advertise, Handler: d.registry.API.Handler()}}, nil
})

// documents is the resources of this service, and the operations beside them.
type documents struct {
	registry *resource.Registry
	store    store.Store
	scanner  *scan.Scanner // nil where there is none
	keep     time.Duration // of bytes that nobody has any more
	due      *work.Signal
	occupied *occupied // by the workers of all cells

	uploads, downloads *transfers

	holdUnscannable bool // what could not be scanned cannot be read
	log             *slog.Logger
}

func build(s *service.Service, c Config) (*documents, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	bytes, err := store.New(ctx, c.StoreConfig)
	if err != nil {
		return nil, err
	}
	var scanner *scan.Scanner
	if c.Scanner != "" {
		scanner = scan.New(c.Scanner)
	}
	registry := resource.NewRegistry(transport.New(s.Signer, s.DB, s.Log), s.DB, reference.NewClient(s.Directory, s.Signer))
	d := newDocuments(registry, bytes, scanner, time.Duration(c.KeepDays)*24*time.Hour, s.Log)
	d.holdUnscannable = c.Unscannable == "hold"
	return d, nil
}

func newDocuments(registry *resource.Registry, bytes store.Store, scanner *scan.Scanner, keep time.Duration, log *slog.Logger) *documents {
	d := &documents{registry: registry, store: countedStore{bytes}, scanner: scanner, keep: keep, due: &work.Signal{},
		occupied: &occupied{taken: map[string]int{}}, uploads: newUploads(), downloads: newDownloads(), log: log}
	d.mount()
	return d
}

// wake tells the worker of this instance, in the cell of ctx, that there is something to do when the transaction of ctx has committed.
func (d *documents) wake(ctx context.Context) { d.due.AfterCommit(ctx) }

func (d *documents) mount() {
	resource.Mount(d.registry, d.retentionClasses())
	resource.Mount(d.registry, d.documents())
	resource.Mount(d.registry, d.links())
	resource.Mount(d.registry, d.legalHolds())
	d.mountCreate()
	d.mountRevisions()
	d.mountContent()
	d.mountRescan()
	d.mountTrash()
	d.mountUploads()
	d.mountRetentionPresets()
	d.mountRetentionReport()
	d.mountStorage()
	d.mountArchive()
	effects.Serve(d.registry.API, map[string]effects.Applier{catalogue.DocumentsOfRequest: {Apply: d.linkToWork}})
	d.registry.EmptySandboxes(d.emptying())
}

// today is the organization's day, in SQL.
const today = indicators.Today

// scanPendingRetry is when to ask again for a content that is being scanned.
const scanPendingRetry = 2 * time.Second
