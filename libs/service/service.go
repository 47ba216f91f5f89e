// Package service runs a process of the product: it reads the configuration, connects, listens, reports readiness, serves, and
// drains on SIGTERM: running requests finish before the process ends.
package service

import (
	"context"
	"io/fs"
	"log/slog"
	"os"
	"runtime/debug"
	"time"

	"ams.internal/libs/discovery"
	"ams.internal/libs/outbox"
	"ams.internal/libs/postgres"
	"ams.internal/libs/principal"
	"ams.internal/libs/telemetry"
)

// Service is a process with its database, directory, signer and log.
type Service struct {
	Name      string // its Consul name and its schema: "assets"
	Version   string // the commit it was built from
	Config    Config
	Log       *slog.Logger
	DB        *postgres.DB // nil where the process stores nothing (it has no migrations)
	Directory *discovery.Directory
	Signer    *principal.Signer
	Garbage   int // by how much the heap grows between two collections, in percent of the live heap; 0: by what suits a small one

	conditions []*condition
	background []task

	stopTelemetry func()
}

type task struct {
	name string
	run  func(ctx context.Context)
}

// New makes the parts of a process that runs one program. It waits neither for the database nor for Consul. migrations is nil where the
// process stores nothing. The caller closes the service.
func New(ctx context.Context, name string, c Config, migrations fs.FS) (*Service, error) {
	stopTelemetry, err := startTelemetry(ctx, name, c)
	if err != nil {
		return nil, err
	}
	s, err := open(ctx, name, c, migrations, nil)
	if err != nil {
		return nil, err
	}
	s.stopTelemetry = stopTelemetry
	return s, nil
}

// open makes the parts of a program. catalogue has the programs of this process, where there are others.
func open(ctx context.Context, name string, c Config, migrations fs.FS, catalogue *discovery.Catalogue) (*Service, error) {
	if migrations != nil && c.DatabaseURL == "" {
		return nil, &ConfigError{[]Problem{{"AMS_DATABASE_URL",
			"is not set: give postgres://user:password@host:port/database, or a file that holds it in AMS_DATABASE_URL_FILE"}}}
	}
	s := &Service{Name: name, Version: version(), Config: c, stopTelemetry: func() {}}
	s.Log = telemetry.Logger(os.Stdout, c.level()).With("service", name)
	var err error
	if s.Signer, err = principal.NewSigner(c.PrincipalSecrets...); err != nil {
		return nil, err
	}
	static, err := discovery.ParseStatic(c.StaticServices)
	if err != nil {
		return nil, err
	}
	if s.Directory, err = discovery.Open(discovery.Config{
		Mode: discovery.Mode(c.Discovery), ConsulAddr: c.ConsulAddr, Token: c.ConsulToken, Static: static, Catalogue: catalogue,
		Region: c.Region, Log: s.Log,
	}); err != nil {
		return nil, err
	}
	if migrations == nil {
		return s, nil
	}
	if s.DB, err = c.open(ctx, name); err != nil {
		s.Directory.Close()
		return nil, err
	}
	if telemetry.Exporting() {
		if err := s.DB.ExportPoolMetrics(name); err != nil {
			s.DB.Close()
			s.Directory.Close()
			return nil, err
		}
	}
	s.conditions = databases(s.DB)
	s.PerCell("relay", func(ctx context.Context) { outbox.NewRelay(name, s.DB, s.Directory, s.Signer, s.Log).Run(ctx) })
	s.Every(backfillCheck, "backfill", s.DB.Backfill)
	s.Sweep("idempotency")
	s.PerCell("partitions", s.keepPartitions)
	return s, nil
}

// backfillCheck is how often a process looks for what migrations have left to be filled in.
const backfillCheck = time.Minute

// startTelemetry starts the telemetry of this process, and makes its log that of everything that has none of its own. stop flushes it.
func startTelemetry(ctx context.Context, name string, c Config) (stop func(), err error) {
	log := telemetry.Logger(os.Stdout, c.level()).With("service", name)
	slog.SetDefault(log)
	shutdown, err := telemetry.Start(ctx, telemetry.Config{
		Service: name, Version: version(), Region: c.Region, Endpoint: c.OTLPEndpoint, Ratio: c.TraceRatio,
	})
	if err != nil {
		return nil, err
	}
	return func() {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		defer cancel()
		if err := shutdown(ctx); err != nil {
			log.Warn("the last telemetry did not get through", "error", err)
		}
	}, nil
}

// Close closes what New opened, and flushes the telemetry.
func (s *Service) Close() {
	s.stopTelemetry() // first: the last metrics are read from what is closed below
	s.Directory.Close()
	if s.DB != nil {
		s.DB.Close()
	}
}

// Require adds a condition of readiness; /readyz shows its name while it fails. The check runs in the background, once a
// second at most, and must return when ctx ends. Call it before Serve.
func (s *Service) Require(name string, check func(ctx context.Context) error) {
	s.conditions = append(s.conditions, &condition{name: name, check: check})
}

// Background adds work that runs from Serve until the last request has finished; then its ctx ends. Work that panics is logged
// and restarted a second later. Call it before Serve.
func (s *Service) Background(name string, run func(ctx context.Context)) {
	s.background = append(s.background, task{name, run})
}

// PerCell is Background for work on the data of organizations: it runs once in each cell of the database, side by side, in a context of
// that cell. What it keeps in memory is made in run.
func (s *Service) PerCell(name string, run func(ctx context.Context)) {
	if s.DB == nil {
		s.Background(name, run)
		return
	}
	for _, cell := range s.DB.Cells() {
		s.Background(name, func(ctx context.Context) { run(postgres.InCell(ctx, cell)) })
	}
}

// Every adds background work that is repeated, in each cell where the process has a database, the first time after one interval. A failure
// is logged, and the work is tried again after the next interval.
func (s *Service) Every(interval time.Duration, name string, do func(ctx context.Context) error) {
	s.PerCell(name, func(ctx context.Context) {
		ticker := time.NewTicker(interval)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
				_ = telemetry.Work(ctx, name, func(ctx context.Context) error {
					err := do(ctx)
					if err != nil {
						s.Log.WarnContext(ctx, "background work failed; it is tried again after its interval", "work", name, "interval",
							interval.String(), "error", err)
					}
					return err
				})
			}
		}
	})
}

// Sweep removes the rows of a table whose time is over, hourly, by its function sweep_<table>.
func (s *Service) Sweep(table string) {
	s.PerCell("count of rows of "+table, func(ctx context.Context) { postgres.CountSwept(ctx, s.Name, table, 0) })
	s.Every(time.Hour, "sweep "+table, func(ctx context.Context) error { return s.DB.Sweep(ctx, s.Name, table) })
}

// release is set by the build of an image, which has no repository: -ldflags "-X ams.internal/libs/service.release=1.2.3".
var release string

// version is the release, or else the commit, that the program was built from.
func version() string {
	if release != "" {
		return release
	}
	info, found := debug.ReadBuildInfo()
	if !found {
		return "development"
	}
	revision, changed := "", ""
	for _, setting := range info.Settings {
		switch setting.Key {
		case "vcs.revision":
			revision = setting.Value[:min(12, len(setting.Value))]
		case "vcs.modified":
			if setting.Value == "true" {
				changed = "+changes"
			}
		}
	}
	if revision == "" {
		return "development"
	}
	return revision + changed
}
