package main

import (
	"context"
	"errors"
	"maps"
	"net/url"
	"slices"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/deploy/devstack"
	"ams.internal/deploy/test/resilience/load"
	"ams.internal/libs/principal"
)

// database is the PostgreSQL of a cell.
type database struct {
	cell, url string // past the proxy
	proxy     proxy
}

// databases are those of all cells.
func (f *fixture) databases() []database {
	return append([]database{{principal.First, f.databaseURL, f.postgres}}, f.further...)
}

// connected calls fn with a connection of the administrating role.
func (d database) connected(ctx context.Context, fn func(db *pgx.Conn) error) error {
	db, err := pgx.Connect(ctx, d.url)
	if err != nil {
		return err
	}
	defer db.Close(context.WithoutCancel(ctx)) //nolint:errcheck // nothing is owed to anybody
	return fn(db)
}

// startFurther starts the proxies to the databases of the cells behind the first.
func (f *fixture) startFurther(d devstack.Description) error {
	for _, name := range slices.Sorted(maps.Keys(d.Cells)) {
		if name == principal.First {
			continue
		}
		address, err := url.Parse(d.Cells[name].PostgresURL)
		if err != nil {
			return err
		}
		p, err := newProxy("postgres-"+name, address.Host)
		if err != nil {
			return err
		}
		f.further = append(f.further, database{name, d.Cells[name].PostgresURL, p})
	}
	return nil
}

// throughProxies is how our programs reach the databases of the cells behind the first.
func (f *fixture) throughProxies() (all []string) {
	for _, each := range f.further {
		address, err := url.Parse(each.url)
		if err != nil { // it was parsed before
			panic(err)
		}
		address.Host = each.proxy.address()
		all = append(all, address.String())
	}
	return all
}

const second = "second"

// cellStopped: the PostgreSQL of a cell is killed, and refuses connections meanwhile.
func cellStopped() scenario {
	return cellScenario(scenario{
		name: "a cell, kill -9, and back",
		inject: func(_ context.Context, r *run) error {
			r.further[0].proxy.cut()
			return r.infrastructure.Halt(syscall.SIGKILL, "postgres-"+second)
		},
		restore: func(ctx context.Context, r *run) error {
			return errors.Join(r.infrastructure.Resume(ctx, "postgres-"+second), r.further[0].proxy.mend())
		},
	})
}

// cellStalled: connections to a cell stand, and no response comes.
func cellStalled() scenario {
	return cellScenario(scenario{
		name:   "a cell, stalled",
		inject: func(_ context.Context, r *run) error { return r.further[0].proxy.stall() },
		restore: func(ctx context.Context, r *run) error {
			r.further[0].proxy.clear(ctx)
			return nil
		},
	})
}

// cellScenario adds what is promised of both.
func cellScenario(of scenario) scenario {
	var before map[string]int
	inject := of.inject
	of.promise, of.refuses = "its organizations 503 within 2 s, serving within 5 s after it is back; not one request of the others fails", true
	of.spared = func(s load.Sample) bool { return s.Cell != second }
	of.inject = func(ctx context.Context, r *run) error {
		before = r.stack.Description().PIDs
		return inject(ctx, r)
	}
	of.evaluate = func(r *run) {
		unavailable := r.samples.Where(func(s load.Sample) bool { return s.Cell == second })
		others := r.samples.Where(of.spared)
		r.promise(len(others) > 0 && len(unavailable) > 0, "%d requests were of the cell and %d of others", len(unavailable), len(others))
		r.noneFailed(others, "of other cells")
		r.only503(unavailable)
		down := unavailable.Where(func(s load.Sample) bool { return s.Begin.After(r.down) && s.End().Before(r.restoring) })
		r.promise(len(down) > 0 && len(down.Failures()) == len(down), "%d of %d requests were answered without their cell",
			len(down)-len(down.Failures()), len(down))
		r.promise(maps.Equal(before, r.stack.Description().PIDs), "programs were started again")
		meanwhile := others.Where(func(s load.Sample) bool { return s.Begin.After(r.down) && s.Begin.Before(r.restoring) })
		normal := others.Where(func(s load.Sample) bool { return s.Begin.Before(r.injecting) })
		r.measure("503 after %s, longest %s; the others' median %s, before %s", unavailable.Failures().Quantile(0.5),
			unavailable.Failures().Max(),
			meanwhile.Quantile(0.5), normal.Quantile(0.5))
		r.bound(unavailable.Failures().Max() < 2*time.Second+grace, "a 503 took %s; it may take 2 s", unavailable.Failures().Max())
		r.measureReturn()
		r.bound(r.serving.Sub(r.restored) < 5*time.Second, "it served %s after the cell was back; 5 s were promised", r.serving.Sub(r.restored))
	}
	return of
}
