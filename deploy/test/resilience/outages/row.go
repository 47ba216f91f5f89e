package main

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// row is one thing that is taken away, and what is promised meanwhile.
type row struct {
	name    string
	promise string
	refuses bool // 503 is what is promised: slow ones are judged, too
	take    func(ctx context.Context, r *run) error
	during  func(ctx context.Context, r *run) error // what is tried while it is away, beside the load; may be nil
	back    func(ctx context.Context, r *run) error
	judge   func(r *run)
	then    func(ctx context.Context, r *run) error // what is looked at afterwards; may be nil
}

// run is one row as it was carried out.
type run struct {
	*world
	row      row
	load     *load
	samples  samples
	taken    time.Time // when it was about to be taken away
	gone     time.Time // when it was
	returned time.Time // when it was about to be given back
	whole    time.Time // when it was back
	serving  time.Time // when requests succeeded again
	measured []string
	broken   []string // promises that do not depend on the machine
	late     []string // bounds on times, which a busy machine may break
}

// longestAbsence is how long anything may go on being refused after all is back, before that is a failure of its own.
const longestAbsence = 90 * time.Second

// carryOut puts load on the stack, takes the thing away, gives it back, judges, and looks whether all that was acknowledged is
// there. An error means that the row could not be carried out.
func (w *world) carryOut(ctx context.Context, of row) (*run, error) {
	w.say("%s …", of.name)
	r := &run{world: w, row: of, load: begin(w.balancer, w.tenants, w.pace.perSecond)}
	machine := watchMachine(w.databaseURL)
	err := r.under(ctx)
	r.samples = r.load.end()
	spans := machine.end()
	if err != nil {
		return r, fmt.Errorf("%s: %w", of.name, err)
	}
	if !of.refuses {
		r.setAside(spans)
	}
	r.span()
	of.judge(r)
	if of.then != nil {
		if err := of.then(ctx, r); err != nil {
			return r, fmt.Errorf("%s: %w", of.name, err)
		}
	}
	wrong, err := w.verify(ctx)
	if err != nil {
		return r, fmt.Errorf("%s: %w", of.name, err)
	}
	r.broken = append(r.broken, wrong...)
	for _, text := range append(r.broken, r.late...) {
		w.say("  %s", text)
	}
	return r, nil
}

// under is what happens while the load goes on.
func (r *run) under(ctx context.Context) error {
	warm, cancel := context.WithTimeout(ctx, longestAbsence)
	defer cancel()
	if _, err := r.load.until(warm, time.Now(), r.streak()); err != nil {
		return fmt.Errorf("the stack does not serve before anything is taken away: %s", r.load.failure())
	}
	time.Sleep(r.pace.warm)
	r.taken = time.Now()
	if err := r.row.take(ctx, r); err != nil {
		return err
	}
	r.gone = time.Now()
	if r.row.during != nil {
		if err := r.row.during(ctx, r); err != nil {
			return err
		}
	}
	time.Sleep(time.Until(r.gone.Add(r.pace.away)))
	r.returned = time.Now()
	if err := r.row.back(ctx, r); err != nil {
		return err
	}
	r.whole = time.Now()
	limited, cancel := context.WithTimeout(ctx, longestAbsence)
	defer cancel()
	var err error
	if r.serving, err = r.load.until(limited, r.returned, r.streak()); err != nil {
		return fmt.Errorf("the stack does not serve again, %s after it was whole: %s", longestAbsence, r.load.failure())
	}
	time.Sleep(r.pace.after)
	return nil
}

// streak is how many successes in a row count as serving: half a second's.
func (r *run) streak() int { return max(r.pace.perSecond/2, 10) }

// failure is the last one.
func (l *load) failure() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	failed := l.samples.failures()
	if len(failed) == 0 {
		return "no answer came at all"
	}
	return failed[len(failed)-1:].example()
}

// span says when requests failed.
func (r *run) span() {
	failed := r.samples.failures()
	if len(failed) == 0 {
		return
	}
	first, last := failed[0].begin, failed[0].begin
	for _, s := range failed {
		if s.begin.Before(first) {
			first = s.begin
		}
		if s.begin.After(last) {
			last = s.begin
		}
	}
	r.measure("failures were sent from %+.1f s to %+.1f s", first.Sub(r.taken).Seconds(), last.Sub(r.taken).Seconds())
}

// measure keeps a figure for the table.
func (r *run) measure(format string, args ...any) {
	r.measured = append(r.measured, fmt.Sprintf(format, args...))
}

// promise is broken unless kept holds.
func (r *run) promise(kept bool, format string, args ...any) {
	if !kept {
		r.broken = append(r.broken, fmt.Sprintf(format, args...))
	}
}

// bound is a promise about time.
func (r *run) bound(kept bool, format string, args ...any) {
	if !kept {
		r.late = append(r.late, fmt.Sprintf(format, args...))
	}
}

// noneFailed is the promise of most rows.
func (r *run) noneFailed(of samples, what string) {
	failed := of.failures()
	r.promise(len(failed) == 0, "%d of %d requests %s failed: %s; the first: %s", len(failed), len(of), what, failed.count(), failed.example())
}

// only503 says that failures are refusals in the API's own words, to be tried again.
func (r *run) only503(of samples) {
	other := of.failures().where(func(s sample) bool { return s.status != 503 || s.problem != "" })
	r.promise(len(other) == 0, "%d failures are not a 503: %s; the first: %s", len(other), other.count(), other.example())
}

// few is the most that may fail when one of two is killed: 0.5 %.
func (r *run) few(of samples) {
	share := 100 * float64(len(of.failures())) / float64(max(len(of), 1))
	r.measure("%.2f %% failed", share)
	r.bound(share <= 0.5, "%.2f %% of the requests failed; at most 0.5 %% may", share)
}

// verdict is the last word of a row.
func (r *run) verdict(timed bool) string {
	switch {
	case len(r.broken) > 0, timed && len(r.late) > 0:
		return "BROKEN"
	case len(r.late) > 0:
		return "kept, late"
	}
	return "kept"
}

func (r *run) figures() string { return strings.Join(r.measured, "; ") }
