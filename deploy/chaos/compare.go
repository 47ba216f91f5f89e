package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/deploy/amsctl/api"
)

// figures are what a run found.
type figures struct {
	kills                                   map[string]int
	acknowledged, committed, events         int
	expected, received, calls, duplicates   int // deliveries: that must have come, that came, how often, how often once more
	lost, surplus, inversions, gaps, forged int
	latencies, takeovers                    []time.Duration
	examples                                []string
}

// compare holds what was acknowledged against what is in the history, that against the feed, and the feed against what came.
func (p *plan) compare(ctx context.Context, db *pgx.Conn, began time.Time, kills []kill) (*figures, error) {
	f := &figures{kills: map[string]int{}}
	for _, k := range kills {
		f.kills[strings.TrimRight(k.what, "-0123456789")]++
	}
	for _, o := range p.who {
		committed, err := history(ctx, db, o.id, began)
		if err != nil {
			return nil, err
		}
		f.committed += len(committed)
		f.acknowledgements(o, committed)
		events, err := o.feed(ctx, p.stack.Description().BaseURL)
		if err != nil {
			return nil, err
		}
		events = slices.DeleteFunc(events, func(e event) bool { return e.Sequence <= o.base })
		f.events += len(events)
		f.compareFeed(o, committed, events)
		for _, r := range o.receivers {
			f.compareReceived(r, o.base, events)
		}
	}
	f.takeovers = p.takeovers(kills)
	slices.Sort(f.latencies)
	slices.Sort(f.takeovers)
	return f, nil
}

// history gives what an organization has committed since then, once each: the word of the database.
func history(ctx context.Context, db *pgx.Conn, organization string, since time.Time) (map[change]bool, error) {
	committed := map[change]bool{}
	for _, schema := range keepers {
		rows, err := db.Query(ctx, "SELECT record_id::text, action, version FROM "+schema+".history WHERE organization_id = $1 AND at > $2", organization, since)
		if err != nil {
			return nil, err
		}
		var c change
		if _, err := pgx.ForEachRow(rows, []any{&c.Record, &c.Action, &c.Version}, func() error {
			committed[c] = true
			return nil
		}); err != nil {
			return nil, err
		}
	}
	return committed, nil
}

// feed reads the whole feed by its cursor, as a subscriber does.
func (o *organization) feed(ctx context.Context, base string) (events []event, err error) {
	client, after := o.client(base), ""
	for {
		var page struct {
			Data    []event `json:"data"`
			Next    string  `json:"next"`
			HasMore bool    `json:"has_more"`
		}
		query := url.Values{"limit": {"1000"}}
		if after != "" {
			query.Set("after", after)
		}
		if err := client.JSON(ctx, api.Request{Method: http.MethodGet, Path: "/v1/events", Query: query}, &page); err != nil {
			return nil, err
		}
		events = append(events, page.Data...)
		if after = page.Next; !page.HasMore {
			return events, nil
		}
	}
}

// acknowledgements are kept, whatever died since.
func (f *figures) acknowledgements(o *organization, committed map[change]bool) {
	deleted := map[string]bool{}
	for c := range committed {
		if c.Action == "deleted" {
			deleted[c.Record] = true
		}
	}
	for _, w := range o.writers {
		w.mu.Lock()
		for _, c := range w.said {
			f.acknowledged++
			if known := committed[c] || c.Action == "deleted" && deleted[c.Record]; !known { // the answer to a delete names no version
				f.lost++
				f.example("acknowledged, and not in the history: %+v", c)
			}
		}
		w.mu.Unlock()
	}
}

// compareFeed: every committed change is in the feed, once, and no sequence is missing.
func (f *figures) compareFeed(o *organization, committed map[change]bool, events []event) {
	told := map[change]bool{}
	for i, e := range events {
		if e.Sequence != o.base+int64(i)+1 {
			f.gaps++
			f.example("sequence %d is at place %d of the feed after %d", e.Sequence, i+1, o.base)
		}
		c := e.change()
		switch {
		case committed[c] && told[c]:
			f.surplus++
			f.example("told twice: %s %+v", e.Type, c)
		case !committed[c] && slices.Contains([]string{"created", "updated", "deleted"}, c.Action):
			f.surplus++
			f.example("told and not in the history: %s %+v", e.Type, c)
		}
		told[c] = true
	}
	for c := range committed {
		if !told[c] {
			f.lost++
			f.example("committed, and not in the feed: %+v", c)
		}
	}
}

// compareReceived: what is in the feed has come, in the order of each record, and nothing else has.
func (f *figures) compareReceived(r *receiver, base int64, events []event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	f.forged += r.unsigned
	expected := map[string]bool{}
	for _, e := range events {
		if r.wants(e.Type) {
			expected[e.ID] = true
		}
	}
	f.expected += len(expected)
	seen, last := map[string]bool{}, map[string]int64{}
	for _, a := range r.arrivals {
		if a.Sequence <= base {
			continue
		}
		f.calls++
		if a.Sequence < last[a.Data.Object.ID] {
			f.inversions++
			f.example("%s of %s came with sequence %d after %d", a.Type, a.Data.Object.ID, a.Sequence, last[a.Data.Object.ID])
		}
		last[a.Data.Object.ID] = max(a.Sequence, last[a.Data.Object.ID])
		switch {
		case seen[a.ID]:
			f.duplicates++
			continue
		case !expected[a.ID]:
			f.surplus++
			f.example("came, and is not in the feed: %s %d", a.Type, a.Sequence)
		}
		seen[a.ID] = true
		f.received++
		f.latencies = append(f.latencies, a.at.Sub(a.Timestamp))
	}
	for id := range expected {
		if !seen[id] {
			f.lost++
			f.example("in the feed, and never came to %s: %s", r.pattern, id)
		}
	}
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
				i := slices.IndexFunc(r.arrivals, func(a arrival) bool { return a.Timestamp.After(k.at) })
				if i >= 0 {
					longest = max(longest, r.arrivals[i].at.Sub(k.at))
				}
			}
		}
		all = append(all, longest)
	}
	return all
}

func (f *figures) example(format string, args ...any) {
	if len(f.examples) < 10 {
		f.examples = append(f.examples, fmt.Sprintf(format, args...))
	}
}

// at gives a quantile of sorted durations.
func at(sorted []time.Duration, share float64) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[min(len(sorted)-1, int(share*float64(len(sorted))))].Round(time.Millisecond)
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
	line("changes acknowledged", "%d", f.acknowledged)
	line("changes committed", "%d (the database's history: also those whose answer was cut off)", f.committed)
	line("events in the feeds", "%d", f.events)
	line("deliveries expected", "%d", f.expected)
	line("deliveries received", "%d", f.received)
	line("lost", "%d", f.lost)
	line("told without a change", "%d", f.surplus)
	line("duplicates", "%d of %d calls, %.2f %% (bound: less than 1 %%)", f.duplicates, f.calls, f.duplicated())
	line("inversions within a record", "%d", f.inversions)
	line("gaps in the sequence", "%d", f.gaps)
	line("calls that did not verify", "%d", f.forged)
	line("commit to received", "p50 %s, p95 %s, p99 %s, longest %s", at(f.latencies, 0.5), at(f.latencies, 0.95), at(f.latencies, 0.99), at(f.latencies, 1))
	line("takeover after a kill of webhooks", "p50 %s, longest %s", at(f.takeovers, 0.5), at(f.takeovers, 1))
	if err := table.Flush(); err != nil {
		fmt.Fprintln(out, err)
	}
	for _, example := range f.examples {
		fmt.Fprintln(out, "  "+example)
	}
}

func (f *figures) duplicated() float64 {
	return 100 * float64(f.duplicates) / float64(max(f.calls, 1))
}

// verdict is the promise: nothing lost, nothing invented, in order, without gaps.
func (f *figures) verdict() error {
	if f.lost+f.surplus+f.inversions+f.gaps+f.forged > 0 || f.committed == 0 || f.received == 0 {
		return errVerdict
	}
	return nil
}
