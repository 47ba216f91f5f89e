package main

import (
	"context"
	"errors"
	"maps"
	"strings"
	"syscall"
	"time"

	"ams.internal/deploy/test/resilience/load"
)

// maxTakeover is how long requests may be refused while the standby takes over.
const maxTakeover = 20 * time.Second

// standbyScenarios are gone through on a primary and a standby under Patroni. Two of them are the runbooks of docs/operations.
func standbyScenarios() []scenario {
	return []scenario{primaryKilled(), switchover(), standbyReplaced(), consulUnderPatroni()}
}

// primaryKilled: the machine of the primary loses power, and comes back later.
func primaryKilled() scenario {
	var killed string
	return takeover(scenario{
		name: "the primary with its Patroni, kill -9; the standby takes over",
		inject: func(ctx context.Context, r *run) (err error) {
			if killed, err = r.infrastructure.Primary(ctx); err != nil {
				return err
			}
			return r.infrastructure.Halt(syscall.SIGKILL, killed)
		},
		restore: func(ctx context.Context, r *run) error {
			if err := r.infrastructure.Resume(ctx, killed); err != nil {
				return err
			}
			return r.isStandby(ctx, killed)
		},
	})
}

// switchover: docs/operations/fail-over.md, on purpose.
func switchover() scenario {
	var before string
	return takeover(scenario{
		name: "the standby takes over on purpose (runbook fail over)",
		inject: func(ctx context.Context, r *run) (err error) {
			if before, err = r.infrastructure.Primary(ctx); err != nil {
				return err
			}
			_, err = r.infrastructure.Patronictl(ctx, "switchover", "ams", "--force")
			return err
		},
		restore: func(ctx context.Context, r *run) error { return r.isStandby(ctx, before) },
	})
}

// isStandby waits until the pair is whole again, with that node as the standby.
func (r *run) isStandby(ctx context.Context, name string) error {
	if err := r.infrastructure.AwaitStandby(ctx); err != nil {
		return err
	}
	primary, err := r.infrastructure.Primary(ctx)
	r.promise(primary != name, "%s is the primary still, or again", name)
	return err
}

// takeover adds what is promised of each.
func takeover(of scenario) scenario {
	var programs map[string]int
	var serving time.Time
	inject := of.inject
	of.promise = "503 for at most 20 s, no program restarted; nothing acknowledged is lost, order and feed intact; " +
		"the old primary is the standby then"
	of.refuses = true
	of.inject = func(ctx context.Context, r *run) error {
		programs = r.stack.Description().PIDs
		return inject(ctx, r)
	}
	of.during = func(ctx context.Context, r *run) (err error) {
		limited, cancel := context.WithTimeout(ctx, maxRecovery)
		defer cancel()
		if serving, err = r.load.AwaitStreak(limited, r.injecting, r.streak()); err != nil {
			return errors.New("nobody takes over: " + r.load.LastFailure())
		}
		return nil
	}
	of.evaluate = func(r *run) {
		r.only503(r.samples)
		after := r.stack.Description().PIDs
		r.promise(maps.Equal(programs, after), "programs were started again: %v became %v", programs, after)
		failed := r.samples.Failures()
		var last time.Time
		for _, s := range failed {
			if s.End().After(last) {
				last = s.End()
			}
		}
		refused := max(last.Sub(r.injecting), 0)
		r.measure("503 for %s, each after %s, longest %s", refused.Round(100*time.Millisecond), failed.Quantile(0.5), failed.Max())
		r.bound(refused <= maxTakeover, "requests were refused until %s after it; %s were promised", refused, maxTakeover)
		back := r.samples.Where(func(s load.Sample) bool { return s.Begin.After(serving.Add(5 * time.Second)) })
		r.noneFailed(back, "while the old primary came back")
	}
	of.after = func(ctx context.Context, r *run) error { return r.everythingDelivered(ctx) }
	return of
}

// standbyReplaced: docs/operations/replace-a-standby.md. Its machine is lost with its data, and another one takes its place.
func standbyReplaced() scenario {
	var lost string
	return scenario{
		name:    "the standby lost with its data, and replaced (runbook replace a standby)",
		promise: "503 for at most 5 s, then one copy; nothing acknowledged is lost; a new standby is filled while requests go on",
		refuses: true,
		inject: func(ctx context.Context, r *run) error {
			primary, err := r.infrastructure.Primary(ctx)
			if err != nil {
				return err
			}
			lost = map[string]string{"patroni-1": "patroni-2", "patroni-2": "patroni-1"}[primary]
			if err := r.infrastructure.Halt(syscall.SIGKILL, lost); err != nil {
				return err
			}
			return r.infrastructure.DropNode(lost)
		},
		restore: func(ctx context.Context, r *run) error {
			if err := r.infrastructure.Resume(ctx, lost); err != nil {
				return err
			}
			if err := r.infrastructure.AwaitStandby(ctx); err != nil {
				return err
			}
			output, err := r.infrastructure.Patronictl(ctx, "list", "ams")
			r.promise(strings.Contains(output, "Sync Standby"), "patronictl list does not show a synchronous standby: %s", output)
			return err
		},
		evaluate: func(r *run) {
			r.only503(r.samples)
			late := r.samples.Failures().Where(func(s load.Sample) bool { return s.Begin.After(r.injecting.Add(5 * time.Second)) })
			r.bound(len(late) == 0, "%d requests were refused later than 5 s after it: %s; the first: %s", len(late), late.Count(), late.Example())
			r.measure("longest request %s", r.samples.Max())
		},
	}
}

// consulUnderPatroni: Patroni keeps a primary that reaches its standby (failsafe_mode).
func consulUnderPatroni() scenario {
	var before string
	return scenario{
		name:    "Consul, stopped, with a standby",
		promise: "nothing fails, and the primary stays the primary",
		inject: func(ctx context.Context, r *run) (err error) {
			if before, err = r.infrastructure.Primary(ctx); err != nil {
				return err
			}
			return r.infrastructure.Halt(syscall.SIGKILL, "consul")
		},
		restore: func(ctx context.Context, r *run) error {
			if err := r.infrastructure.Resume(ctx, "consul"); err != nil {
				return err
			}
			if err := r.infrastructure.AwaitStandby(ctx); err != nil {
				return err
			}
			after, err := r.infrastructure.Primary(ctx)
			r.promise(before == after, "the primary was %s and is %s", before, after)
			return err
		},
		evaluate: func(r *run) { r.noneFailed(r.samples, "") },
	}
}
