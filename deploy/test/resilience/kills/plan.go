package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/deploy/cmd/amsctl/api"
	"ams.internal/deploy/demo"
	"ams.internal/deploy/devstack"
	"ams.internal/deploy/test/resilience/consistency"
)

// plan is one run.
type plan struct {
	kills, organizations int
	folder               string
	say                  func(format string, args ...any)

	stack *devstack.Stack
	who   []*organization
}

// organization is one that writes and is told of it.
type organization struct {
	id, key   string
	writers   []*writerProcess
	receivers []*consistency.Receiver
	base      int64 // the sequence before the first change that counts
}

// kill is the end of one process.
type kill struct {
	what string // "webhooks-2", "a writer"
	at   time.Time
}

const (
	pause    = 1500 * time.Millisecond // between two kills, on average
	settling = 4 * time.Minute         // for everything to arrive after the last kill
)

// carryOut starts the stack, lets the writers write and the processes die, waits until everything has settled, and compares.
func (p *plan) carryOut(ctx context.Context) (*figures, error) {
	binaries, err := devstack.BuildPrograms()
	if err != nil {
		return nil, err
	}
	p.stack, err = devstack.Start(ctx, devstack.Options{
		Folder: p.folder, Binaries: binaries, Gateways: 2, Instances: 2, Discovery: "consul", Demo: demo.Nothing, Environment: []string{"AMS_LOG_LEVEL=error"},
	})
	if err != nil {
		return nil, err
	}
	defer func() {
		p.stack.Stop()
		if err := devstack.Drop(p.folder); err != nil {
			p.say("%v", err)
		}
	}()
	db, err := pgx.Connect(ctx, p.stack.Description().PostgresURL)
	if err != nil {
		return nil, err
	}
	defer func() { db.Close(context.Background()) }()
	for i := range p.organizations {
		o, err := p.found(ctx, i)
		if err != nil {
			return nil, err
		}
		p.who = append(p.who, o)
		defer o.close()
	}
	began, err := consistency.Now(ctx, db)
	if err != nil {
		return nil, err
	}
	for _, o := range p.who {
		for i := range 2 {
			if err := o.write(p.stack.Description().Gateways, i); err != nil {
				return nil, err
			}
		}
	}
	kills, err := p.killing(ctx)
	if err != nil {
		return nil, err
	}
	for _, o := range p.who {
		if err := o.rest(); err != nil {
			return nil, err
		}
	}
	if db, err = p.settle(ctx, db); err != nil {
		return nil, err
	}
	return p.compare(ctx, db, began, kills)
}

// found makes an organization with its endpoints, as an operator and an Administrator do.
func (p *plan) found(ctx context.Context, number int) (*organization, error) {
	d := p.stack.Description()
	administrator, err := consistency.NewFounder(d).Found(ctx, fmt.Sprintf("Chaos %d", number), fmt.Sprintf("chaos-%d@example.ca", number))
	if err != nil {
		return nil, err
	}
	keys, err := administrator.Keys(ctx, 3, 1000) // a key may be used a thousand times a minute: each writer has its own
	if err != nil {
		return nil, err
	}
	o := &organization{id: administrator.Organization, key: keys[0]}
	for _, key := range keys[1:] {
		o.writers = append(o.writers, &writerProcess{key: key})
	}
	for _, pattern := range []string{"*", "work_order.*"} {
		r, err := consistency.Subscribe(ctx, o.client(d.BaseURL), pattern)
		if err != nil {
			return nil, err
		}
		o.receivers = append(o.receivers, r)
	}
	// What was done so far arrives before the first change that counts.
	time.Sleep(3 * time.Second)
	events, err := consistency.Feed(ctx, o.client(d.BaseURL), 0)
	if len(events) > 0 {
		o.base = events[len(events)-1].Sequence
	}
	return o, err
}

func (o *organization) client(base string) *api.Client { return &api.Client{Base: base, Bearer: o.key} }

func (o *organization) close() {
	for _, w := range o.writers {
		w.kill()
	}
	for _, r := range o.receivers {
		_ = r.Close() // nothing is owed to anybody
	}
}

// killing ends one process after the other: who delivers, who keeps and hands on, who writes, and in the middle the database.
func (p *plan) killing(ctx context.Context) ([]kill, error) {
	var kills []kill
	for len(kills) < p.kills {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(pause/2 + rand.N(pause)):
		}
		if what := p.killOne(len(kills) == p.kills/2); what != "" {
			kills = append(kills, kill{what, time.Now()})
			p.say("%3d of %d: killed %s", len(kills), p.kills, what)
		}
		if err := p.reviveWriters(); err != nil {
			return nil, err
		}
	}
	return kills, nil
}

// killOne says what it killed; nothing, when there was nobody.
func (p *plan) killOne(database bool) string {
	pids := p.stack.Description().PIDs
	name := "postgres"
	if !database {
		who := p.who[rand.IntN(len(p.who))]
		switch chance := rand.IntN(100); {
		case chance < 45:
			name = "webhooks-"
		case chance < 65:
			name = "assets-"
		case chance < 80:
			name = "workorders-"
		default:
			return who.writers[rand.IntN(len(who.writers))].kill()
		}
		names := slices.DeleteFunc(slices.Sorted(maps.Keys(pids)), func(n string) bool { return !strings.HasPrefix(n, name) })
		name = names[rand.IntN(len(names))]
	}
	if syscall.Kill(pids[name], syscall.SIGKILL) != nil {
		return "" // it is dead already and not yet started again
	}
	return name
}

func (p *plan) reviveWriters() error {
	for _, o := range p.who {
		for i := range o.writers {
			if err := o.write(p.stack.Description().Gateways, i); err != nil {
				return err
			}
		}
	}
	return nil
}

// settle waits until nothing is under way any more, and gives a connection to the database, which may have been killed.
func (p *plan) settle(ctx context.Context, db *pgx.Conn) (*pgx.Conn, error) {
	deadline := time.Now().Add(settling)
	quiet := 0
	for received := -1; quiet < 4; time.Sleep(500 * time.Millisecond) {
		if time.Now().After(deadline) {
			p.say("Something is still under way after %s", settling)
			break
		}
		outboxes, deliveries, err := consistency.Waiting(ctx, db)
		if err != nil {
			if ctx.Err() != nil {
				return db, ctx.Err()
			}
			db.Close(ctx)
			again, err := pgx.Connect(ctx, p.stack.Description().PostgresURL)
			if err != nil {
				p.say("The database does not answer yet: %v", err)
				continue
			}
			db = again
			continue
		}
		now := 0
		for _, o := range p.who {
			for _, r := range o.receivers {
				now += r.Count()
			}
		}
		if quiet++; outboxes+deliveries > 0 || now != received {
			quiet, received = 0, now
		}
	}
	return db, nil
}

var errVerdict = errors.New("events were lost, came in the wrong order or have gaps: see the table")
