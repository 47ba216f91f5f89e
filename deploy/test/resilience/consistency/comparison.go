package consistency

import (
	"fmt"
	"slices"
	"time"
)

// Comparison is what was found when acknowledgements, history, feed and deliveries were compared.
type Comparison struct {
	Acknowledged, Committed, Events         int
	Expected, Received, Calls, Duplicates   int // deliveries: that must arrive, that arrived, how often, how often once more
	Lost, Surplus, Inversions, Gaps, Forged int
	Latencies                               []time.Duration // from the change to its arrival
	Examples                                []string        // of what is wrong, the first ten
}

// Consistent says that nothing is lost, nothing is invented, all is in order, and no number is missing.
func (f *Comparison) Consistent() bool {
	return f.Lost+f.Surplus+f.Inversions+f.Gaps+f.Forged == 0
}

// acknowledgements checks that what was acknowledged is in the history.
func (f *Comparison) acknowledgements(acknowledged []Change, committed map[Change]bool) {
	deleted := map[string]bool{}
	for c := range committed {
		if c.Action == "deleted" {
			deleted[c.Record] = true
		}
	}
	for _, c := range acknowledged {
		f.Acknowledged++
		if stored := committed[c] || c.Action == "deleted" && deleted[c.Record]; !stored { // the response to a delete has no version
			f.Lost++
			f.example("acknowledged, and not in the history: %+v", c)
		}
	}
}

// feed checks that every committed change is in the feed, once, and that no sequence after base is missing.
func (f *Comparison) feed(base int64, committed map[Change]bool, events []Event) {
	f.Committed += len(committed)
	f.Events += len(events)
	emitted := map[Change]bool{}
	for i, e := range events {
		if e.Sequence != base+int64(i)+1 {
			f.Gaps++
			f.example("sequence %d is at place %d of the feed after %d", e.Sequence, i+1, base)
		}
		c := e.change()
		switch {
		case committed[c] && emitted[c]:
			f.Surplus++
			f.example("emitted twice: %s %+v", e.Type, c)
		case !committed[c] && slices.Contains([]string{"created", "updated", "deleted"}, c.Action):
			f.Surplus++
			f.example("emitted, and not in the history: %s %+v", e.Type, c)
		}
		emitted[c] = true
	}
	for c := range committed {
		if !emitted[c] {
			f.Lost++
			f.example("committed, and not in the feed: %+v", c)
		}
	}
}

// deliveries checks that what is in the feed after base has arrived, in the order of each record, and nothing else has.
func (f *Comparison) deliveries(r *Receiver, base int64, events []Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	f.Forged += r.unsigned
	expected := map[string]bool{}
	for _, e := range events {
		if r.wants(e.Type) {
			expected[e.ID] = true
		}
	}
	f.Expected += len(expected)
	seen, last := map[string]bool{}, map[string]int64{}
	for _, a := range r.arrivals {
		if a.Sequence <= base {
			continue
		}
		f.Calls++
		if a.Sequence < last[a.Data.Object.ID] {
			f.Inversions++
			f.example("%s of %s arrived with sequence %d after %d", a.Type, a.Data.Object.ID, a.Sequence, last[a.Data.Object.ID])
		}
		last[a.Data.Object.ID] = max(a.Sequence, last[a.Data.Object.ID])
		switch {
		case seen[a.ID]:
			f.Duplicates++
			continue
		case !expected[a.ID]:
			f.Surplus++
			f.example("arrived, and is not in the feed: %s %d", a.Type, a.Sequence)
		}
		seen[a.ID] = true
		f.Received++
		f.Latencies = append(f.Latencies, a.At.Sub(a.Timestamp))
	}
	for id := range expected {
		if !seen[id] {
			f.Lost++
			f.example("in the feed, and never arrived at %s: %s", r.Pattern, id)
		}
	}
}

func (f *Comparison) example(format string, args ...any) {
	if len(f.Examples) < 10 {
		f.Examples = append(f.Examples, fmt.Sprintf(format, args...))
	}
}

// Quantile of sorted durations.
func Quantile(sorted []time.Duration, share float64) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[min(len(sorted)-1, int(share*float64(len(sorted))))].Round(time.Millisecond)
}
