package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/deploy/test/resilience/consistency"
	"ams.internal/deploy/test/resilience/load"
	"ams.internal/libs/localport"
)

// What hangs takes connections and says nothing: a process is stopped by SIGSTOP and goes on afterwards, or its responses are lost on
// the way. hungTime is longer than a registration and a session of a worker last without a sign of life, as only then all of it is seen.
const hungTime = 8 * time.Second

// maxHungRead is how long a read may take where one instance responds and another hangs.
const maxHungRead = 2 * time.Second

func hungScenarios() []scenario {
	return []scenario{instanceHung(), everyInstanceHung("projects"), networkHalfOpen(), gatewayHung(), consulHung(), workerHung()}
}

// signal sends a signal to processes of the stack.
func (r *run) signal(signal syscall.Signal, names ...string) (err error) {
	for _, name := range names {
		process := r.stack.Description().PIDs[name]
		if process == 0 {
			return fmt.Errorf("there is no process %s", name)
		}
		err = errors.Join(err, syscall.Kill(process, signal))
	}
	return err
}

// stop and proceed are what hangs a process, and what lets it go on.
func stop(names ...string) func(context.Context, *run) error {
	return func(_ context.Context, r *run) error { return r.signal(syscall.SIGSTOP, names...) }
}

func proceed(names ...string) func(context.Context, *run) error {
	return func(_ context.Context, r *run) error { return r.signal(syscall.SIGCONT, names...) }
}

// longEnough has a fault last for hungTime.
func longEnough(_ context.Context, r *run) error {
	time.Sleep(time.Until(r.down.Add(hungTime)))
	return nil
}

const besideAHungOne = "no read takes more than 2 s or fails; at most 0.5 % fail, all 503; at most 10 % are sent to one more instance"

// instanceHung: the other instance goes on; reads move to it, and writes that were under way are told.
func instanceHung() scenario {
	before := 0.0
	return scenario{
		name:    "one of two instances, hung",
		promise: besideAHungOne,
		inject: func(ctx context.Context, r *run) error {
			before = r.repeats.total()
			return stop("assets-1")(ctx, r)
		},
		during:   longEnough,
		restore:  proceed("assets-1"),
		evaluate: func(r *run) { r.evaluateBesideAHungOne(before) },
		after:    func(ctx context.Context, r *run) error { return r.listed(ctx, "assets", 2) },
	}
}

func (r *run) evaluateBesideAHungOne(repeatsBefore float64) {
	r.only503(r.samples)
	r.fewFailed(r.samples)
	reads := r.samples.Where(func(s load.Sample) bool { return s.Kind == "get" || s.Kind == "list" })
	r.noneFailed(reads, "to read")
	r.measure("longest read %s", reads.Max().Round(10*time.Millisecond))
	r.bound(reads.Max() <= maxHungRead, "a read took %s; it may take %s", reads.Max(), maxHungRead)
	time.Sleep(2 * reportInterval) // until the gateways have reported
	repeats := r.repeats.total() - repeatsBefore
	share := 100 * repeats / float64(max(len(r.samples), 1))
	r.measure("%.0f reads, %.1f %%, were sent to one more instance", repeats, share)
	r.promise(share <= 10, "%.1f %% of the requests were sent to one more instance; at most 10 %% may", share)
}

// everyInstanceHung: who needs the service is told soon; nobody else notices, and it is used again when it goes on.
func everyInstanceHung(service string) scenario {
	instances := []string{service + "-1", service + "-2"}
	return scenario{
		name:    "all instances of " + service + ", hung",
		promise: "503 within 6 s, within 1 s once it is known; nothing else fails; back without a restart",
		inject:  stop(instances...),
		during:  longEnough,
		restore: proceed(instances...),
		evaluate: func(r *run) {
			r.only503(r.samples)
			r.noneFailed(r.samples.NotOf(service), "of other services")
			hung := r.samples.Of(service).Between(r.down, r.restoring).Failures()
			r.promise(len(hung) > 0, "nobody was told that a service hangs")
			known := hung.Where(func(s load.Sample) bool { return s.Begin.After(r.down.Add(hungTime - 2*time.Second)) })
			r.measure("503 after %s at most, after %s once it is known", hung.Max().Round(10*time.Millisecond), known.Max().Round(time.Millisecond))
			r.bound(hung.Max() < 6*time.Second, "a 503 took %s; it may take 6 s", hung.Max())
			r.bound(known.Max() < time.Second, "a 503 of a service that is known to hang took %s; it may take 1 s", known.Max())
			r.measureReturn()
		},
	}
}

// networkHalfOpen: requests arrive at an instance, and its responses are lost; what it tells Consul is not, so that its registration stays.
func networkHalfOpen() scenario {
	var far *exec.Cmd
	var line proxy
	before := 0.0
	return scenario{
		name:    "the network to one of three instances, half open (hung)",
		promise: besideAHungOne,
		inject: func(ctx context.Context, r *run) error {
			address, _, err := localport.Reserve("127.0.0.1")
			if err != nil {
				return err
			}
			if line, err = newProxy("assets", address); err != nil {
				return err
			}
			if far, err = r.another("assets", "AMS_LISTEN="+address, "AMS_ADVERTISE="+line.address()); err != nil {
				return err
			}
			if err := r.listed(ctx, "assets", 3); err != nil {
				return err
			}
			time.Sleep(r.profile.warm)
			before = r.repeats.total()
			return line.stall()
		},
		during: longEnough,
		restore: func(ctx context.Context, r *run) error {
			line.clear(ctx)
			time.Sleep(time.Second)
			end(far)
			line.cut()
			return r.listed(ctx, "assets", 2)
		},
		evaluate: func(r *run) { r.evaluateBesideAHungOne(before) },
	}
}

// gatewayHung: who is connected to it waits until a balancer takes it out. The other one goes on, and so do our own programs, which call
// gateways too.
func gatewayHung() scenario {
	return scenario{
		name: "one of two gateways, hung",
		promise: "nothing fails at the other gateway; assistants and settings screens go on; what waited at it is answered when it goes on, " +
			"or 503, or 429 because it comes all at once",
		inject: stop("gateway-2"),
		during: func(ctx context.Context, r *run) error {
			for range 4 { // each gateway in turn
				began := time.Now()
				text, err := r.tool(ctx, "search_assets", map[string]any{})
				if err != nil {
					return err
				}
				took := time.Since(began)
				r.promise(!strings.Contains(text, "does not answer") && !strings.Contains(text, "cannot be reached"), "a tool says %.300s", text)
				r.bound(took < 2*maxHungRead, "a tool took %s", took)
			}
			_, err := r.administrator(ctx)
			return err
		},
		restore: proceed("gateway-2"),
		evaluate: func(r *run) {
			r.noneFailed(r.samples.Where(func(s load.Sample) bool { return s.Gateway == 0 }), "at the other gateway")
			r.only503(r.samples.Where(func(s load.Sample) bool { return s.Gateway == 0 || s.Status != http.StatusTooManyRequests }))
		},
	}
}

// consulHung: what was last known stays in use. When it goes on, every registration has lapsed at once, which says nothing about the
// instances.
func consulHung() scenario {
	return scenario{
		name:    "Consul, hung",
		promise: "nothing fails, also when it goes on and all registrations have lapsed",
		inject:  stop("consul"),
		during:  longEnough,
		restore: func(ctx context.Context, r *run) error {
			if err := proceed("consul")(ctx, r); err != nil {
				return err
			}
			return r.listed(ctx, "assets", 2)
		},
		evaluate: func(r *run) { r.noneFailed(r.samples, "") },
	}
}

// workerHung: the other process takes over what it delivers, and what is published goes to the other inbox.
func workerHung() scenario {
	return scenario{
		name:    "one of two processes of webhooks, hung",
		promise: "writes go on; the other delivers meanwhile; no event is lost, none is out of order when it goes on",
		inject:  stop("webhooks-1"),
		during: func(ctx context.Context, r *run) error {
			if err := longEnough(ctx, r); err != nil {
				return err
			}
			return r.deliveredMeanwhile(ctx)
		},
		restore: proceed("webhooks-1"),
		evaluate: func(r *run) {
			r.only503(r.samples)
			r.fewFailed(r.samples)
		},
		after: func(ctx context.Context, r *run) error { return r.everythingDelivered(ctx) },
	}
}

// deliveredMeanwhile makes a change, and waits until its event was delivered while a process hangs.
func (r *run) deliveredMeanwhile(ctx context.Context) error {
	db, err := pgx.Connect(ctx, r.databaseURL)
	if err != nil {
		return err
	}
	defer db.Close(context.WithoutCancel(ctx)) //nolint:errcheck // nothing is owed to anybody
	now, err := consistency.Now(ctx, db)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, maxRecovery)
	defer cancel()
	began := time.Now()
	for {
		var delivered int
		if err := db.QueryRow(ctx, `SELECT count(*) FROM webhooks.delivery WHERE state = 'delivered' AND created_at > $1`, now).
			Scan(&delivered); err != nil {
			return err
		}
		if delivered > 0 {
			r.measure("delivered by the other one %s after the change", time.Since(began).Round(10*time.Millisecond))
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("nothing is delivered while a process hangs: %w", ctx.Err())
		case <-time.After(50 * time.Millisecond):
		}
	}
}
