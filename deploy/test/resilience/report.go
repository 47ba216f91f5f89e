package main

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// report writes a table of the scenarios that were carried out, and below it which promises were broken.
func report(out io.Writer, runs []*run, timed bool) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "down\trequests\tfailed\tpromised\tmeasured\tverdict")
	for _, r := range runs {
		fmt.Fprintf(table, "%s\t%d\t%s\t%s\t%s\t%s\n",
			r.scenario.name, len(r.samples), r.samples.Failures().Count(), r.scenario.promise, r.measurements(), r.verdict(timed))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for _, r := range runs {
		for _, text := range append(r.broken, r.late...) {
			fmt.Fprintf(out, "%s: %s\n", r.scenario.name, text)
		}
	}
	return nil
}

// promised is the error of what is wrong, of which nothing may be.
func promised(wrong []string) error {
	if len(wrong) == 0 {
		return nil
	}
	return errors.New(strings.Join(wrong, "; "))
}
