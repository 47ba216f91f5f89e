package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"ams.internal/deploy/test/resilience/consistency"
)

// killsReport is what was found after the kills.
type killsReport struct {
	*consistency.Comparison
	partial   []string       // writes of which a part is missing
	totals    []string       // of lists, that are wrong
	kills     map[string]int // by program
	takeovers []time.Duration
}

func newKillsReport(found *consistency.Comparison, partial, totals []string, kills []kill, takeovers []time.Duration) *killsReport {
	r := &killsReport{found, partial, totals, map[string]int{}, takeovers}
	for _, k := range kills {
		r.kills[strings.TrimRight(k.what, "-0123456789")]++
	}
	return r
}

func (r *killsReport) print(out io.Writer) {
	total, names := 0, []string{}
	for _, name := range []string{"webhooks", "assets", "workorders", aWriter, "postgres"} {
		total += r.kills[name]
		names = append(names, fmt.Sprintf("%s %d", name, r.kills[name]))
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	line := func(what string, format string, args ...any) {
		fmt.Fprintf(table, "%s\t%s\n", what, fmt.Sprintf(format, args...))
	}
	line("killed", "%d (%s)", total, strings.Join(names, ", "))
	line("changes acknowledged", "%d", r.Acknowledged)
	line("changes committed", "%d (the database's history: also those whose response was cut off)", r.Committed)
	line("events in the feeds", "%d", r.Events)
	line("deliveries expected", "%d", r.Expected)
	line("deliveries received", "%d", r.Received)
	line("lost", "%d", r.Lost)
	line("emitted without a change", "%d", r.Surplus)
	line("duplicates", "%d of %d calls, %.2f %% (bound: less than 1 %%)", r.Duplicates, r.Calls, r.duplicated())
	line("inversions within a record", "%d", r.Inversions)
	line("gaps in the sequence", "%d", r.Gaps)
	line("calls that did not verify", "%d", r.Forged)
	line("partial writes", "%d", len(r.partial))
	line("wrong totals of lists", "%d", len(r.totals))
	quantile := consistency.Quantile
	line("commit to received", "p50 %s, p95 %s, p99 %s, max %s", quantile(r.Latencies, 0.5), quantile(r.Latencies, 0.95),
		quantile(r.Latencies, 0.99), quantile(r.Latencies, 1))
	line("takeover after a kill of webhooks", "p50 %s, max %s", quantile(r.takeovers, 0.5), quantile(r.takeovers, 1))
	if err := table.Flush(); err != nil {
		fmt.Fprintln(out, err)
	}
	for _, example := range slices.Concat(r.Examples, r.partial, r.totals) {
		fmt.Fprintln(out, "  "+example)
	}
}

func (r *killsReport) duplicated() float64 {
	return 100 * float64(r.Duplicates) / float64(max(r.Calls, 1))
}

// verdict is the promise.
func (r *killsReport) verdict() error {
	if !r.Consistent() || len(r.partial)+len(r.totals) > 0 || r.Committed == 0 || r.Received == 0 {
		return errors.New("events were lost, arrived in the wrong order or have gaps, or something is not whole: see the table")
	}
	return nil
}
