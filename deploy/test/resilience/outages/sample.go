package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"ams.internal/deploy/test/resilience/consistency"
)

// sample is one request and what became of it.
type sample struct {
	begin   time.Time
	took    time.Duration
	service string
	kind    string // get, list, create, update, bulk, export, poll
	gateway int    // who answered, or broke
	status  int    // 0: no whole answer came
	served  string // the region that says it processed the request
	code    string // the machine word of a refusal
	problem string // what the connection, or the answer, had wrong
}

func (s sample) end() time.Time { return s.begin.Add(s.took) }
func (s sample) failed() bool   { return s.status < 200 || s.status > 299 || s.problem != "" }

// name is how a failure is counted in the table.
func (s sample) name() string {
	if s.status == 0 {
		return "no answer"
	}
	return strings.TrimSpace(fmt.Sprintf("%d %s", s.status, s.code))
}

type samples []sample

// where gives those that hold.
func (all samples) where(holds func(sample) bool) samples {
	return slices.Collect(func(yield func(sample) bool) {
		for _, s := range all {
			if holds(s) && !yield(s) {
				return
			}
		}
	})
}

func (all samples) failures() samples { return all.where(sample.failed) }

// between gives those that began in a span of time.
func (all samples) between(from, to time.Time) samples {
	return all.where(func(s sample) bool { return !s.begin.Before(from) && s.begin.Before(to) })
}

func (all samples) of(service string) samples {
	return all.where(func(s sample) bool { return s.service == service })
}

func (all samples) notOf(service string) samples {
	return all.where(func(s sample) bool { return s.service != service })
}

// count says how many there are of each outcome: "3 × 503 service_unavailable".
func (all samples) count() string {
	counts := map[string]int{}
	for _, s := range all {
		counts[s.name()]++
	}
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, fmt.Sprintf("%d × %s", counts[name], name))
	}
	if len(parts) == 0 {
		return "none"
	}
	return strings.Join(parts, ", ")
}

// example shows one of them, for whoever has to find out why.
func (all samples) example() string {
	if len(all) == 0 {
		return ""
	}
	s := all[0]
	return fmt.Sprintf("%s %s of %s at %s after %s: %s %s", s.kind, s.name(), s.service, s.begin.UTC().Format("15:04:05.000"), s.took.Round(time.Millisecond), s.problem, strings.TrimSpace(s.served+" "+where(s.gateway)))
}

func where(gateway int) string { return fmt.Sprintf("(gateway-%d)", gateway+1) }

// quantile is of how long they took.
func (all samples) quantile(share float64) time.Duration {
	times := make([]time.Duration, len(all))
	for i, s := range all {
		times[i] = s.took
	}
	slices.Sort(times)
	return consistency.Quantile(times, share)
}

func (all samples) longest() time.Duration { return all.quantile(1) }
