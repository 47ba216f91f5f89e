package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// lockOfRelay is the lock that the relay of the schema on the search path works under.
const lockOfRelay = "hashtextextended(current_schema() || ' outbox relay', 0)"

// measureOutbox measures what a write pays for its events: against the same service whose outbox swallows them, nobody taking
// them from there in either case; and then with the relay and the webhooks service at work as well. What is compared is the time
// that a call takes while the machine is busy with nothing else; processor times are given too, less what the idle stack uses.
func (b *bench) measureOutbox(ctx context.Context) error {
	if err := b.startStraight(); err != nil {
		return err
	}
	o, err := b.openOutbox(ctx)
	if err != nil {
		return err
	}
	asset := `{"name":"Pompe de circulation","category":"hvac","status":"in_service","install_year":2011,"replacement_cost":48500.00}`
	thousand := `{"data":[` + strings.Repeat(asset+",", 999) + asset + `]}`
	for _, c := range []struct {
		name, path, body string
		callers          int
		bound            float64
	}{{"create", "/v1/assets", asset, 8, 30}, {"create 1000 in bulk", "/v1/assets/bulk", thousand, 2, 60}} {
		requests, err := b.signed(request{method: http.MethodPost, path: c.path, body: c.body})
		if err != nil {
			return errors.Join(err, o.close(ctx))
		}
		var measures []func() (metrics, error)
		for _, mode := range []struct {
			name    string
			prepare func(context.Context) error
		}{{"events swallowed", o.swallow}, {"events kept", o.keep}, {"events handed on", o.publish}} {
			measures = append(measures, func() (metrics, error) {
				if err := mode.prepare(ctx); err != nil {
					return metrics{}, fmt.Errorf("%s: %w", mode.name, err)
				}
				return b.aboveIdle(load{name: c.name + ", " + mode.name, url: b.straight, requests: requests, callers: c.callers, seconds: b.seconds,
					cpu: b.writers()})
			})
		}
		if _, err := measures[0](); err != nil { // connects, and prepares the statements
			return errors.Join(err, o.close(ctx))
		}
		results, err := medians(b.rounds, measures...)
		if err != nil {
			return errors.Join(err, o.close(ctx))
		}
		b.report.add(results...)
		b.report.noFailures(results[1])
		more := 100 * (results[0].PerSecond/results[1].PerSecond - 1)
		b.report.atMost("cost of the outbox, "+c.name, more, "% more time", c.bound)
		b.logf("%s: %.0f a second with events swallowed, %.0f kept (%.0f %% more time), %.0f handed on",
			c.name, results[0].PerSecond, results[1].PerSecond, more, results[2].PerSecond)
	}
	return o.close(ctx)
}

// outbox is that of the assets service, under the benchmark's control.
type outbox struct {
	db, killer *pgx.Conn
	held       bool // we have the relay's lock, so no relay works
}

func (b *bench) openOutbox(ctx context.Context) (*outbox, error) {
	o := &outbox{}
	for _, conn := range []**pgx.Conn{&o.db, &o.killer} {
		var err error
		if *conn, err = pgx.Connect(ctx, b.description.PostgresURL); err != nil {
			return nil, err
		}
		if _, err := (*conn).Exec(ctx, "SET search_path = assets; SET statement_timeout = 0"); err != nil {
			return nil, err
		}
	}
	return o, nil
}

// writers names whose time is taken: the service and PostgreSQL; and, to see what handing on costs, the relay (which works in one
// of two processes) and the webhooks service.
func (b *bench) writers() map[string]group {
	all := b.straightProcessors()
	all["relay"], all["webhooks"] = group{pid: b.description.PIDs["assets-1"]}, group{pid: b.description.PIDs["webhooks-1"]}
	return all
}

// aboveIdle runs a load and takes what each program uses without it from its processor time.
func (b *bench) aboveIdle(l load) (metrics, error) {
	idle, began := map[string]time.Duration{}, time.Now()
	for name, pids := range l.cpu {
		idle[name] = -pids.cpu()
	}
	time.Sleep(time.Duration(b.seconds) * time.Second / 2)
	for name, pids := range l.cpu {
		idle[name] += pids.cpu()
	}
	waited := time.Since(began)
	f, err := l.run(b.folder)
	for name := range f.CPU {
		perSecond := float64(idle[name].Microseconds()) / waited.Seconds()
		f.CPU[name] = max(0, f.CPU[name]-perSecond/f.PerSecond)
	}
	return f, err
}

// swallow makes the table take every event for written and keep none.
func (o *outbox) swallow(ctx context.Context) error {
	if err := o.stopRelays(ctx); err != nil {
		return err
	}
	_, err := o.db.Exec(ctx, "TRUNCATE outbox; CREATE OR REPLACE RULE swallow AS ON INSERT TO outbox DO INSTEAD NOTHING")
	return err
}

// keep leaves events where they are written.
func (o *outbox) keep(ctx context.Context) error {
	if err := o.stopRelays(ctx); err != nil {
		return err
	}
	_, err := o.db.Exec(ctx, "DROP RULE IF EXISTS swallow ON outbox; TRUNCATE outbox")
	return err
}

// publish lets the relay take them, as it does in the product.
func (o *outbox) publish(ctx context.Context) error {
	if _, err := o.db.Exec(ctx, "DROP RULE IF EXISTS swallow ON outbox; TRUNCATE outbox"); err != nil || !o.held {
		return err
	}
	o.held = false
	_, err := o.db.Exec(ctx, "SELECT pg_advisory_unlock("+lockOfRelay+")")
	return err
}

// stopRelays takes the lock from the relay that has it.
func (o *outbox) stopRelays(ctx context.Context) error {
	if o.held {
		return nil
	}
	locked := make(chan error, 1)
	go func() {
		_, err := o.db.Exec(ctx, "SELECT pg_advisory_lock("+lockOfRelay+")")
		locked <- err
	}()
	for {
		// Until we wait for the lock, another relay could have it next.
		if _, err := o.killer.Exec(ctx, `SELECT pg_terminate_backend(l.pid) FROM pg_locks l, (SELECT `+lockOfRelay+` AS key) k
			WHERE l.locktype = 'advisory' AND l.objsubid = 1 AND l.granted AND l.pid <> $1
				AND l.classid::bigint = (k.key >> 32) & 4294967295 AND l.objid::bigint = k.key & 4294967295`, o.db.PgConn().PID()); err != nil {
			return errors.Join(err, ctx.Err())
		}
		select {
		case err := <-locked:
			o.held = err == nil
			return err
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// close leaves the outbox as the product has it.
func (o *outbox) close(ctx context.Context) error {
	return errors.Join(o.publish(ctx), o.db.Close(ctx), o.killer.Close(ctx))
}

// addressOf is where a service of the stack is, for a service of ours that does not use Consul.
func (b *bench) addressOf(service string) (string, error) {
	client := &http.Client{Timeout: 5 * time.Second}
	response, err := client.Get("http://" + b.description.ConsulAddr + "/v1/health/service/" + service + "?passing=true")
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	var entries []struct {
		Service struct {
			Address string
			Port    int
		}
	}
	if err := json.NewDecoder(response.Body).Decode(&entries); err != nil {
		return "", fmt.Errorf("Consul's answer about %s: %w", service, err)
	}
	if len(entries) == 0 {
		return "", fmt.Errorf("Consul knows no %s service", service)
	}
	return fmt.Sprintf("%s:%d", entries[0].Service.Address, entries[0].Service.Port), nil
}
