package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	ams "ams.internal/clients/go"
	"ams.internal/deploy/devstack"
	"ams.internal/deploy/test/resilience/consistency"
	"ams.internal/deploy/test/resilience/load"
)

// exactlyOnce shows that what maintenance does by itself is done once. Plans fall due, one after the other, and work orders close
// deficiencies, while the processes are killed that plan and send (workorders) and that own assets and deficiencies (assets), and in the
// middle the database.
type exactlyOnce struct {
	kills, instances int // of processes; of each service
	plans, targets   int // plans that fall due meanwhile, and assets that each of them is for
	folder           string
	logf             func(format string, args ...any)

	stack        *devstack.Stack
	organization *load.Organization
	site         any
	due          []string // ids of the plans
	assets       []string // ids of their targets
}

// onceReport is what was found afterwards.
type onceReport struct {
	Kills       map[string]int // by program
	Completed   int            // work orders that close a deficiency
	Occurrences int            // of plans, generated
	Cut         int            // kills between the first and the last work order of a plan
	Waited      time.Duration  // after the last kill, until all was there
	Wrong       []string
}

// onceTime is how long after the last kill all must be there.
const onceTime = time.Minute

func (o *exactlyOnce) measure(ctx context.Context, out io.Writer) error {
	found, err := o.carryOut(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "Exactly once: %d occurrences of %d plans made, "+
		"%d work orders with an effect completed, killed %v, %d of them within a plan; all was there %s "+
		"after the last kill\n", found.Occurrences, o.plans, found.Completed, found.Kills, found.Cut, found.Waited.Round(10*time.Millisecond))
	return found.verdict()
}

// verdict is the promise.
func (r *onceReport) verdict() error { return promised(r.Wrong) }

func (o *exactlyOnce) carryOut(ctx context.Context) (found *onceReport, err error) {
	defer func() {
		if o.stack != nil {
			o.stack.Stop()
			err = errors.Join(err, devstack.Drop(o.folder))
		}
	}()
	if err := o.start(ctx); err != nil {
		return nil, err
	}
	found = &onceReport{Kills: map[string]int{}}
	working, done := context.WithCancel(ctx)
	defer done()
	var beside sync.WaitGroup
	var kills []kill
	var late error
	next := make(chan string, o.plans)
	beside.Go(func() {
		defer done()
		kills = o.killAll(ctx, next)
	})
	beside.Go(func() { late = o.fallDue(ctx, next) })
	found.Completed, err = o.workUntil(ctx, working)
	beside.Wait()
	if err := errors.Join(err, late, ctx.Err()); err != nil {
		return nil, err
	}
	for _, k := range kills {
		found.Kills[strings.TrimRight(k.what, "-0123456789")]++
	}
	return found, o.compare(ctx, found, kills)
}

// start starts the stack, and makes the organization with what its plans are for.
func (o *exactlyOnce) start(ctx context.Context) error {
	var err error
	if o.stack, err = startEmpty(ctx,
		devstack.Options{Folder: o.folder, Gateways: 1, Instances: o.instances, Discovery: "consul"}); err != nil {
		return err
	}
	if o.organization, err = load.NewAdmin(o.stack.Description()).Unlimited(ctx, 0, 5); err != nil {
		return err
	}
	site, err := o.organization.Client().Collection("/v1/sites").Create(ctx, ams.Record{"name": "Aréna"})
	if err != nil {
		return err
	}
	o.site = (*site)["id"]
	return o.makePlans(ctx)
}

// killAll kills instances of the two services in turn, and the database in the middle. Spread over the kills, each
// plan is given to next once.
func (o *exactlyOnce) killAll(ctx context.Context, next chan<- string) (all []kill) {
	defer close(next)
	given := 0
	for len(all) < o.kills {
		for ; given < len(o.due) && given*o.kills <= len(all)*len(o.due); given++ {
			next <- o.due[given]
		}
		if !pauseBetweenKills(ctx) {
			return all
		}
		victim := []string{"workorders-", "assets-"}[len(all)%2]
		if len(all) == o.kills/2 {
			victim = "postgres"
		}
		if name := killOneOf(o.stack, victim); name != "" {
			all = append(all, kill{name, time.Now()})
			o.logf("%3d of %d: killed %s", len(all), o.kills, name)
		}
	}
	return all
}

// compare waits until nothing is missing any more, and counts what was done.
func (o *exactlyOnce) compare(ctx context.Context, found *onceReport, kills []kill) error {
	last := kills[len(kills)-1].at
	db, err := awaitDatabase(ctx, o.stack.Description().PostgresURL)
	if err != nil {
		return err
	}
	defer db.Close(context.WithoutCancel(ctx)) //nolint:errcheck // nothing is owed to anybody
	for {
		var waiting, made int
		if err := db.QueryRow(ctx, `SELECT (SELECT count(*) FROM workorders.effect_instruction),
			(SELECT count(*) FROM workorders.pm_occurrence WHERE work_order_id IS NOT NULL)`).Scan(&waiting, &made); err != nil {
			return err
		}
		found.Waited = time.Since(last)
		if waiting == 0 && made >= o.plans*o.targets {
			break
		}
		if found.Waited > onceTime {
			found.Wrong = append(found.Wrong, fmt.Sprintf("%s after the last kill %d instructions wait, and %d of %d occurrences are made", onceTime,
				waiting, made, o.plans*o.targets))
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	if err := consistency.AwaitPublished(ctx, db); err != nil {
		return err
	}
	partial, err := consistency.PartialWrites(ctx, db)
	if err != nil {
		return err
	}
	found.Wrong = append(found.Wrong, partial...)
	if err := o.compareEffects(ctx, db, found); err != nil {
		return err
	}
	return o.compareOccurrences(ctx, db, found, kills)
}

// count notes what there is more or less of than there should be.
func (r *onceReport) count(what string, got, want int) {
	if got != want {
		r.Wrong = append(r.Wrong, fmt.Sprintf("%d %s, %d expected", got, what, want))
	}
}

// unique gives the number of different texts.
func unique(all []string) int {
	return len(slices.Compact(slices.Sorted(slices.Values(all))))
}
