package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/deploy/demo"
	"ams.internal/deploy/devstack"
	"ams.internal/deploy/test/resilience/consistency"
	"ams.internal/deploy/test/resilience/load"
)

// killing shows that no event is lost: writers of several organizations change records while the processes are killed that keep,
// publish and deliver the events, PostgreSQL too, and the writers themselves.
type killing struct {
	kills, count int // of processes, of organizations
	folder       string
	logf         func(format string, args ...any)

	stack         *devstack.Stack
	organizations []*load.Organization
	writers       []*load.Writer
}

// kill is the end of one process.
type kill struct {
	what string // "webhooks-2", "a writer"
	at   time.Time
}

// meanPause is between two kills.
const meanPause = 1500 * time.Millisecond

// measure prints what was found, and fails when a promise is broken.
func (k *killing) measure(ctx context.Context, out io.Writer) error {
	found, err := k.carryOut(ctx)
	if err != nil {
		return err
	}
	found.print(out)
	return found.verdict()
}

// carryOut starts the stack, lets the writers write and the processes die, waits until everything is delivered, and compares.
func (k *killing) carryOut(ctx context.Context) (*killsReport, error) {
	defer func() {
		if err := k.stop(); err != nil {
			k.logf("%v", err)
		}
	}()
	if err := k.start(ctx); err != nil {
		return nil, err
	}
	began, err := k.begin(ctx)
	if err != nil {
		return nil, err
	}
	if err := k.startWriters(); err != nil {
		return nil, err
	}
	kills, err := k.killAll(ctx)
	if err != nil {
		return nil, err
	}
	for _, w := range k.writers {
		if err := w.Finish(); err != nil {
			return nil, err
		}
	}
	return k.compare(ctx, began, kills)
}

// start starts the stack, and makes the organizations with two writers each and their endpoints.
func (k *killing) start(ctx context.Context) error {
	var err error
	if k.stack, err = startEmpty(ctx, devstack.Options{Folder: k.folder, Gateways: 2, Instances: 2, Discovery: "consul"}); err != nil {
		return err
	}
	d := k.stack.Description()
	admin := load.NewAdmin(d)
	for number := range k.count {
		o, err := admin.Unlimited(ctx, number, 3, "*", "work_order.*")
		if err != nil {
			return err
		}
		k.organizations = append(k.organizations, o)
		for i, key := range o.Keys[1:] { // each writer has a key of its own
			k.writers = append(k.writers, load.NewWriter(o, d.Gateways[i%len(d.Gateways)], key, i == 1))
		}
	}
	return nil
}

// begin gives the moment from which changes count, once what was done so far has been published.
func (k *killing) begin(ctx context.Context) (began time.Time, err error) {
	db, err := pgx.Connect(ctx, k.stack.Description().PostgresURL)
	if err != nil {
		return began, err
	}
	defer db.Close(context.WithoutCancel(ctx)) //nolint:errcheck // nothing is owed to anybody
	if _, err := consistency.AwaitDelivered(ctx, db, load.Subjects(k.organizations)); err != nil {
		return began, err
	}
	for _, o := range k.organizations {
		if err := o.Begin(ctx); err != nil {
			return began, err
		}
	}
	return consistency.Now(ctx, db)
}

// startWriters starts those that do not run.
func (k *killing) startWriters() error {
	for _, w := range k.writers {
		if err := w.Start(); err != nil {
			return err
		}
	}
	return nil
}

func (k *killing) stop() error {
	for _, w := range k.writers {
		w.Kill()
	}
	for _, o := range k.organizations {
		_ = o.Close() // nothing is owed to anybody
	}
	if k.stack == nil {
		return nil
	}
	k.stack.Stop()
	return devstack.Drop(k.folder)
}

// killAll ends one process after the other: who delivers, who keeps and publishes, who writes, and in the middle the database.
func (k *killing) killAll(ctx context.Context) (all []kill, err error) {
	for len(all) < k.kills {
		if !pauseBetweenKills(ctx) {
			return nil, ctx.Err()
		}
		if what := k.killOne(len(all) == k.kills/2); what != "" {
			all = append(all, kill{what, time.Now()})
			k.logf("%3d of %d: killed %s", len(all), k.kills, what)
		}
		if err := k.startWriters(); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// killOne says what it killed; nothing, when the process did not run.
func (k *killing) killOne(database bool) string {
	if database {
		return killOneOf(k.stack, "postgres")
	}
	var name string
	switch chance := rand.IntN(100); {
	case chance < 45:
		name = "webhooks-"
	case chance < 65:
		name = "assets-"
	case chance < 80:
		name = "workorders-"
	default:
		if k.writers[rand.IntN(len(k.writers))].Kill() {
			return aWriter
		}
		return ""
	}
	return killOneOf(k.stack, name)
}

// pauseBetweenKills waits for a while; false when ctx has ended.
func pauseBetweenKills(ctx context.Context) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(meanPause/2 + rand.N(meanPause)):
		return true
	}
}

// killOneOf kills one of the processes whose names begin so, and gives its name; nothing, when it did not run.
func killOneOf(s *devstack.Stack, beginning string) string {
	pids := s.Description().PIDs
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(pids)), func(n string) bool { return !strings.HasPrefix(n, beginning) })
	name := names[rand.IntN(len(names))]
	if syscall.Kill(pids[name], syscall.SIGKILL) != nil {
		return "" // it is dead already and not yet started again
	}
	return name
}

const aWriter = "a writer"

// compare waits until everything is delivered, and compares what was acknowledged with the history, that with the feed, and the feed
// with what arrived.
func (k *killing) compare(ctx context.Context, began time.Time, kills []kill) (*killsReport, error) {
	db, err := awaitDatabase(ctx, k.stack.Description().PostgresURL)
	if err != nil {
		return nil, err
	}
	defer db.Close(context.WithoutCancel(ctx)) //nolint:errcheck // nothing is owed to anybody
	subjects := load.Subjects(k.organizations)
	if _, err := consistency.AwaitDelivered(ctx, db, subjects); err != nil {
		if ctx.Err() != nil {
			return nil, err
		}
		k.logf("%v", err) // the comparison says what is missing
	}
	found, err := consistency.Verifier{DB: db, Since: began}.Events(ctx, subjects)
	if err != nil {
		return nil, err
	}
	partial, err := consistency.PartialWrites(ctx, db)
	if err != nil {
		return nil, err
	}
	totals, err := consistency.WrongTotals(ctx, db, subjects)
	if err != nil {
		return nil, err
	}
	return newKillsReport(found, partial, totals, kills, k.takeovers(kills)), nil
}

// startEmpty starts a stack without demonstration data, whose programs log errors alone.
func startEmpty(ctx context.Context, options devstack.Options) (_ *devstack.Stack, err error) {
	if options.Binaries, err = devstack.BuildPrograms(); err != nil {
		return nil, err
	}
	options.Demo, options.Prepared = demo.Nothing, true
	options.Environment = append(options.Environment, "AMS_LOG_LEVEL=error")
	return devstack.Start(ctx, options)
}

// awaitDatabase gives a connection to a database that may have been killed a moment ago.
func awaitDatabase(ctx context.Context, address string) (*pgx.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, maxRecovery)
	defer cancel()
	for {
		db, err := pgx.Connect(ctx, address)
		if err == nil {
			return db, nil
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("the database does not recover: %w", err)
		case <-time.After(500 * time.Millisecond):
		}
	}
}

// takeovers are, for each kill of a webhooks process, the time until each endpoint was sent something that was committed after
// it: of the endpoint that waited longest. Writers may have paused meanwhile, and others have died.
func (k *killing) takeovers(kills []kill) (all []time.Duration) {
	for _, killed := range kills {
		if !strings.HasPrefix(killed.what, "webhooks") {
			continue
		}
		longest := time.Duration(0)
		for _, o := range k.organizations {
			for _, r := range o.Receivers {
				arrivals := r.Arrivals()
				i := slices.IndexFunc(arrivals, func(a consistency.Arrival) bool { return a.Timestamp.After(killed.at) })
				if i >= 0 {
					longest = max(longest, arrivals[i].At.Sub(killed.at))
				}
			}
		}
		all = append(all, longest)
	}
	slices.Sort(all)
	return all
}
