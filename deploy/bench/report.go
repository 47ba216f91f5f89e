package main

import (
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
)

// report is everything that was measured, and how it compares with what was promised.
type report struct {
	Rows     int       `json:"rows"`
	CPUs     int       `json:"cpus"`
	Measures []metrics `json:"measures"`
	Targets  []target  `json:"targets"`
	Costs    []cost    `json:"costs"`
}

// target is one promise.
type target struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
	Unit  string  `json:"unit"`
	Bound float64 `json:"bound"`
	IsMin bool    `json:"at_least"` // the bound is the least, not the most
	Met   bool    `json:"met"`
}

func (r *report) add(f ...metrics) { r.Measures = append(r.Measures, f...) }

func (r *report) atLeast(name string, value float64, unit string, bound float64) {
	r.Targets = append(r.Targets, target{name, value, unit, bound, true, value >= bound})
}

func (r *report) atMost(name string, value float64, unit string, bound float64) {
	r.Targets = append(r.Targets, target{name, value, unit, bound, false, value <= bound})
}

func (r *report) cost(name string, value float64, unit string) {
	r.Costs = append(r.Costs, cost{name, value, unit})
}

// costs adds the processor time of several programs.
func (r *report) costs(name string, cpu map[string]float64, programs ...string) {
	for _, program := range programs {
		r.cost(name+"_"+program, cpu[program], "µs")
	}
}

// noFailures: a figure made of refusals is a promise that was missed, not a reason to stop measuring.
func (r *report) noFailures(f metrics) {
	if f.Failures > 0 {
		r.atMost("requests that failed, "+f.Name, float64(f.Failures), fmt.Sprintf("of %d", f.Requests), 0)
	}
}

func (r *report) print(out io.Writer) {
	r.CPUs = runtime.NumCPU()
	fmt.Fprintf(out, "\n%d assets in the large organization, %d in a hundred others, %d processors\n\n", r.Rows, r.Rows/1000*100, r.CPUs)
	table := tabwriter.NewWriter(out, 0, 4, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "measure\tcallers\tper second\tp50 ms\tp99 ms\tfailures\tCPU µs per request\t")
	for _, f := range r.Measures {
		var names []string
		for name := range f.CPU {
			names = append(names, name)
		}
		slices.Sort(names)
		for i, name := range names {
			names[i] = fmt.Sprintf("%s %.0f", name, f.CPU[name])
		}
		fmt.Fprintf(table, "%s\t%d\t%.1f\t%.2f\t%.2f\t%d\t%s\t\n", f.Name, f.Callers, f.PerSecond, f.P50, f.P99, f.Failures,
			strings.Join(names, ", "))
	}
	_ = table.Flush() // to a terminal or a file of our caller's
	fmt.Fprintln(out)
	table = tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	fmt.Fprintln(table, "promise\tmeasured\tbound\t\t")
	for _, t := range r.Targets {
		word, verdict := "at most", "met"
		if t.IsMin {
			word = "at least"
		}
		if !t.Met {
			verdict = "MISSED"
		}
		fmt.Fprintf(table, "%s\t%.2f %s\t%s %g\t%s\t\n", t.Name, t.Value, t.Unit, word, t.Bound, verdict)
	}
	_ = table.Flush()
	if len(r.Costs) == 0 {
		return
	}
	fmt.Fprintln(out)
	table = tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	fmt.Fprintln(table, "cost\tmeasured\t\t")
	for _, c := range r.Costs {
		fmt.Fprintf(table, "%s\t%.2f %s\t\n", c.Name, c.Value, c.Unit)
	}
	_ = table.Flush()
}
