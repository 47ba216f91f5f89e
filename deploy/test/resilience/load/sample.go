package load

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"ams.internal/deploy/test/resilience/consistency"
)

// Sample is one request and what became of it.
type Sample struct {
	Begin   time.Time
	Took    time.Duration
	Service string
	Cell    string // of the organization
	Kind    string // get, list, create, update, delete, bulk, export, poll
	Gateway int    // which of them responded, or broke
	Status  int    // 0: no whole response came
	Served  string // the region that says it processed the request
	Code    string // the machine word of a refusal
	Problem string // what the connection, or the response, had wrong
}

// End is when the response had come.
func (s Sample) End() time.Time { return s.Begin.Add(s.Took) }

// Failed says that it is no success.
func (s Sample) Failed() bool { return s.Status < 200 || s.Status > 299 || s.Problem != "" }

// outcome is how a failure is counted in the report.
func (s Sample) outcome() string {
	if s.Status == 0 {
		return "no response"
	}
	return strings.TrimSpace(fmt.Sprintf("%d %s", s.Status, s.Code))
}

// Samples are those of a run, in the order in which they ended.
type Samples []Sample

// Where gives those for which the condition holds.
func (all Samples) Where(holds func(Sample) bool) Samples {
	return slices.Collect(func(yield func(Sample) bool) {
		for _, s := range all {
			if holds(s) && !yield(s) {
				return
			}
		}
	})
}

// Failures gives those that failed.
func (all Samples) Failures() Samples { return all.Where(Sample.Failed) }

// Between gives those that began in a span of time.
func (all Samples) Between(from, to time.Time) Samples {
	return all.Where(func(s Sample) bool { return !s.Begin.Before(from) && s.Begin.Before(to) })
}

// Of gives those for one service.
func (all Samples) Of(service string) Samples {
	return all.Where(func(s Sample) bool { return s.Service == service })
}

// NotOf gives those for the other services.
func (all Samples) NotOf(service string) Samples {
	return all.Where(func(s Sample) bool { return s.Service != service })
}

// Count says how many there are of each outcome: "3 × 503 service_unavailable".
func (all Samples) Count() string {
	counts := map[string]int{}
	for _, s := range all {
		counts[s.outcome()]++
	}
	var parts []string
	for _, outcome := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, fmt.Sprintf("%d × %s", counts[outcome], outcome))
	}
	if len(parts) == 0 {
		return "none"
	}
	return strings.Join(parts, ", ")
}

// Example describes the first of them, for whoever has to find out why.
func (all Samples) Example() string {
	if len(all) == 0 {
		return ""
	}
	s := all[0]
	where := strings.TrimSpace(fmt.Sprintf("%s (gateway-%d)", s.Served, s.Gateway+1))
	return fmt.Sprintf("%s %s of %s at %s after %s: %s %s",
		s.Kind, s.outcome(), s.Service, s.Begin.UTC().Format("15:04:05.000"), s.Took.Round(time.Millisecond), s.Problem, where)
}

// Quantile is of how long they took.
func (all Samples) Quantile(share float64) time.Duration {
	times := make([]time.Duration, len(all))
	for i, s := range all {
		times[i] = s.Took
	}
	slices.Sort(times)
	return consistency.Quantile(times, share)
}

// Max is how long the slowest took.
func (all Samples) Max() time.Duration { return all.Quantile(1) }
