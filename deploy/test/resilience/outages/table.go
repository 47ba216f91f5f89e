package main

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// print writes the table of the rows that were carried out, and below it what was broken.
func print(out io.Writer, runs []*run, timed bool) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "away\trequests\tfailed\tpromised\tmeasured\tverdict")
	for _, r := range runs {
		fmt.Fprintf(table, "%s\t%d\t%s\t%s\t%s\t%s\n", r.row.name, len(r.samples), r.samples.failures().count(), r.row.promise, r.figures(), r.verdict(timed))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for _, r := range runs {
		for _, text := range append(r.broken, r.late...) {
			fmt.Fprintf(out, "%s: %s\n", r.row.name, text)
		}
	}
	return nil
}
