package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/deploy/test/resilience/consistency"
)

// figures are what a run found.
type figures struct {
	consistency.Comparison
	kills     map[string]int
	takeovers []time.Duration
}

// compare holds what was acknowledged against what is in the history, that against the feed, and the feed against what came.
func (p *plan) compare(ctx context.Context, db *pgx.Conn, began time.Time, kills []kill) (*figures, error) {
	f := &figures{kills: map[string]int{}}
	for _, k := range kills {
		f.kills[strings.TrimRight(k.what, "-0123456789")]++
	}
	for _, o := range p.who {
		committed, err := consistency.History(ctx, db, o.id, began)
		if err != nil {
			return nil, err
		}
		for _, w := range o.writers {
			w.mu.Lock()
			f.Acknowledgements(w.said, committed)
			w.mu.Unlock()
		}
		events, err := consistency.Feed(ctx, o.client(p.stack.Description().BaseURL), o.base)
		if err != nil {
			return nil, err
		}
		f.Feed(o.base, committed, events)
		for _, r := range o.receivers {
			f.Deliveries(r, o.base, events)
		}
	}
	f.takeovers = p.takeovers(kills)
	slices.Sort(f.Latencies)
	slices.Sort(f.takeovers)
	return f, nil
}

// takeovers are, for each kill of a webhooks process, the time until each endpoint was sent something that was committed after
// it: of the endpoint that waited longest. Writers may have paused meanwhile, and others have died.
func (p *plan) takeovers(kills []kill) (all []time.Duration) {
	for _, k := range kills {
		if !strings.HasPrefix(k.what, "webhooks") {
			continue
		}
		longest := time.Duration(0)
		for _, o := range p.who {
			for _, r := range o.receivers {
				arrivals := r.Arrivals()
				i := slices.IndexFunc(arrivals, func(a consistency.Arrival) bool { return a.Timestamp.After(k.at) })
				if i >= 0 {
					longest = max(longest, arrivals[i].At.Sub(k.at))
				}
			}
		}
		all = append(all, longest)
	}
	return all
}

func (f *figures) print(out io.Writer) {
	total, names := 0, []string{}
	for _, name := range []string{"webhooks", "assets", "workorders", "a writer", "postgres"} {
		total += f.kills[name]
		names = append(names, fmt.Sprintf("%s %d", name, f.kills[name]))
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	line := func(what string, format string, args ...any) {
		fmt.Fprintf(table, "%s\t%s\n", what, fmt.Sprintf(format, args...))
	}
	line("killed", "%d (%s)", total, strings.Join(names, ", "))
	line("changes acknowledged", "%d", f.Acknowledged)
	line("changes committed", "%d (the database's history: also those whose answer was cut off)", f.Committed)
	line("events in the feeds", "%d", f.Events)
	line("deliveries expected", "%d", f.Expected)
	line("deliveries received", "%d", f.Received)
	line("lost", "%d", f.Lost)
	line("told without a change", "%d", f.Surplus)
	line("duplicates", "%d of %d calls, %.2f %% (bound: less than 1 %%)", f.Duplicates, f.Calls, f.duplicated())
	line("inversions within a record", "%d", f.Inversions)
	line("gaps in the sequence", "%d", f.Gaps)
	line("calls that did not verify", "%d", f.Forged)
	line("commit to received", "p50 %s, p95 %s, p99 %s, longest %s", consistency.Quantile(f.Latencies, 0.5), consistency.Quantile(f.Latencies, 0.95), consistency.Quantile(f.Latencies, 0.99), consistency.Quantile(f.Latencies, 1))
	line("takeover after a kill of webhooks", "p50 %s, longest %s", consistency.Quantile(f.takeovers, 0.5), consistency.Quantile(f.takeovers, 1))
	if err := table.Flush(); err != nil {
		fmt.Fprintln(out, err)
	}
	for _, example := range f.Examples {
		fmt.Fprintln(out, "  "+example)
	}
}

func (f *figures) duplicated() float64 {
	return 100 * float64(f.Duplicates) / float64(max(f.Calls, 1))
}

// verdict is the promise.
func (f *figures) verdict() error {
	if !f.Whole() || f.Committed == 0 || f.Received == 0 {
		return errVerdict
	}
	return nil
}
