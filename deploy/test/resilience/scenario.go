package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"ams.internal/deploy/test/resilience/load"
)

// scenario is one thing that fails, and what is promised meanwhile.
type scenario struct {
	name     string
	promise  string
	refuses  bool                   // 503 is what is promised: slow ones are judged, too
	spared   func(load.Sample) bool // of a scenario that refuses some: whose requests succeed; may be nil
	inject   func(ctx context.Context, r *run) error
	during   func(ctx context.Context, r *run) error // what is tried while it is down, beside the load; may be nil
	restore  func(ctx context.Context, r *run) error
	evaluate func(r *run)
	after    func(ctx context.Context, r *run) error // what is looked at afterwards; may be nil
}

// run is one scenario as it was carried out.
type run struct {
	*fixture
	scenario  scenario
	load      *load.Generator
	samples   load.Samples
	injecting time.Time // when the fault was about to be injected
	down      time.Time // when it was
	restoring time.Time // when what was taken away was about to be restored
	restored  time.Time // when it was
	serving   time.Time // when requests succeeded again
	measured  []string
	broken    []string // promises that do not depend on the machine
	late      []string // bounds on times, which a busy machine may break
}

// maxRecovery is how long anything may go on being refused after all is restored, before that is a failure of its own.
const maxRecovery = 90 * time.Second

// carryOut puts load on the stack, injects the fault, restores, judges, and looks whether all that was acknowledged is there. An
// error means that the scenario could not be carried out.
func (f *fixture) carryOut(ctx context.Context, s scenario) (*run, error) {
	f.logf("%s …", s.name)
	r := &run{fixture: f, scenario: s, load: load.Start(f.balancer, f.organizations, load.Everyday, float64(f.profile.perSecond))}
	machine := watchMachine(f.databaseURL)
	err := r.underLoad(ctx)
	r.samples = r.load.End()
	spans := machine.end()
	if err != nil {
		return r, fmt.Errorf("%s: %w", s.name, err)
	}
	switch {
	case s.spared != nil:
		r.excuse(spans, s.spared)
	case !s.refuses:
		r.excuse(spans, func(load.Sample) bool { return true })
	}
	r.measureFailures()
	s.evaluate(r)
	if s.after != nil {
		if err := s.after(ctx, r); err != nil {
			return r, fmt.Errorf("%s: %w", s.name, err)
		}
	}
	wrong, err := f.verify(ctx)
	if err != nil {
		return r, fmt.Errorf("%s: %w", s.name, err)
	}
	r.broken = append(r.broken, wrong...)
	for _, text := range append(r.broken, r.late...) {
		f.logf("  %s", text)
	}
	return r, nil
}

// underLoad is what happens while the load goes on.
func (r *run) underLoad(ctx context.Context) error {
	warm, cancel := context.WithTimeout(ctx, maxRecovery)
	defer cancel()
	if _, err := r.load.AwaitStreak(warm, time.Now(), r.streak()); err != nil {
		return fmt.Errorf("the stack does not serve before a fault is injected: %s", r.load.LastFailure())
	}
	time.Sleep(r.profile.warm)
	r.injecting = time.Now()
	if err := r.scenario.inject(ctx, r); err != nil {
		return err
	}
	r.down = time.Now()
	if r.scenario.during != nil {
		if err := r.scenario.during(ctx, r); err != nil {
			return err
		}
	}
	time.Sleep(time.Until(r.down.Add(r.profile.down)))
	r.restoring = time.Now()
	if err := r.scenario.restore(ctx, r); err != nil {
		return err
	}
	r.restored = time.Now()
	limited, cancel := context.WithTimeout(ctx, maxRecovery)
	defer cancel()
	var err error
	if r.serving, err = r.load.AwaitStreak(limited, r.restoring, r.streak()); err != nil {
		return fmt.Errorf("the stack does not serve again, %s after all was restored: %s", maxRecovery, r.load.LastFailure())
	}
	time.Sleep(r.profile.after)
	return nil
}

// streak is how many successes in a row count as serving: half a second's.
func (r *run) streak() int { return max(r.profile.perSecond/2, 10) }

// measureFailures says when the requests were sent that failed.
func (r *run) measureFailures() {
	failed := r.samples.Failures()
	if len(failed) == 0 {
		return
	}
	first, last := failed[0].Begin, failed[0].Begin
	for _, s := range failed {
		if s.Begin.Before(first) {
			first = s.Begin
		}
		if s.Begin.After(last) {
			last = s.Begin
		}
	}
	r.measure("failures were sent from %+.1f s to %+.1f s", first.Sub(r.injecting).Seconds(), last.Sub(r.injecting).Seconds())
}

// measure keeps a measurement for the report.
func (r *run) measure(format string, args ...any) {
	r.measured = append(r.measured, fmt.Sprintf(format, args...))
}

// promise is broken unless kept holds.
func (r *run) promise(holds bool, format string, args ...any) {
	if !holds {
		r.broken = append(r.broken, fmt.Sprintf(format, args...))
	}
}

// bound is a promise about time.
func (r *run) bound(holds bool, format string, args ...any) {
	if !holds {
		r.late = append(r.late, fmt.Sprintf(format, args...))
	}
}

// noneFailed is the promise of most scenarios.
func (r *run) noneFailed(of load.Samples, what string) {
	failed := of.Failures()
	r.promise(len(failed) == 0, "%d of %d requests %s failed: %s; the first: %s",
		len(failed), len(of), what, failed.Count(), failed.Example())
}

// only503 says that failures are refusals in the API's own words, to be tried again.
func (r *run) only503(of load.Samples) {
	other := of.Failures().Where(func(s load.Sample) bool { return s.Status != 503 || s.Problem != "" })
	r.promise(len(other) == 0, "%d failures are not a 503: %s; the first: %s", len(other), other.Count(), other.Example())
}

// fewFailed is the promise where one of two is killed: at most 0.5 %.
func (r *run) fewFailed(of load.Samples) {
	share := 100 * float64(len(of.Failures())) / float64(max(len(of), 1))
	r.measure("%.2f %% failed", share)
	r.bound(share <= 0.5, "%.2f %% of the requests failed; at most 0.5 %% may", share)
}

// verdict is the last word on a scenario.
func (r *run) verdict(timed bool) string {
	switch {
	case len(r.broken) > 0, timed && len(r.late) > 0:
		return "BROKEN"
	case len(r.late) > 0:
		return "kept, late"
	}
	return "kept"
}

func (r *run) measurements() string { return strings.Join(r.measured, "; ") }
