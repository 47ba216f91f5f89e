package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"ams.internal/deploy/cmd/amsctl/adoption"
)

func accountingCommands(s *session) *cobra.Command {
	group := &cobra.Command{Use: "accounting", Short: "Accounting for capital assets: begin a ledger with the register's assets"}
	group.AddCommand(adoptCommand(s))
	return group
}

func adoptCommand(s *session) *cobra.Command {
	var job adoption.Job
	var classMap, encoding, leftOut string
	cmd := &cobra.Command{Use: "adopt", Short: "Make capital assets with opening entries of the register's assets that have a cost",
		Args: cobra.NoArgs}
	cmd.Long = `Make capital assets with opening entries of the register's assets that have a cost, with the key in AMS_API_KEY.

The class map is a CSV file that says which assets are of which accounting class: columns category, service_category and
uniformat_code (the beginning of it) are held against the asset, class is the code of the class. The first row that fits counts.
What is left out goes to a file, with the reason. A second run changes nothing. docs/accounting.md says more.

  amsctl accounting adopt --class-map classes.csv --fiscal-year 2025 --dry-run

With --dry-run nothing is written to the service.

Exit status: 0 all is done, 3 the service refused some (the file says why), 1 it stopped.`
	flags := cmd.Flags()
	flags.StringVar(&classMap, "class-map", "", "CSV file that says which assets are of which accounting class")
	flags.IntVar(&job.FiscalYear, "fiscal-year", 0, "the first fiscal year of the ledger, which must be open: entries are of its first day")
	flags.StringVar(&leftOut, "left-out", "", "where what is left out goes (default CLASS-MAP.left-out.csv)")
	flags.StringVar(&encoding, "encoding", "", "the class map's encoding, where it is not UTF-8; from Excel it may be windows-1252")
	flags.BoolVar(&job.DryRun, "dry-run", false, "write nothing to the service: say what would be adopted and what left out")
	require(cmd, "class-map", "fiscal-year")
	cmd.RunE = func(cmd *cobra.Command, _ []string) (err error) {
		client, err := s.public()
		if err != nil {
			return err
		}
		if job.Rules, err = adoption.ReadClassMap(classMap, encoding); err != nil {
			return err
		}
		if leftOut == "" {
			leftOut = strings.TrimSuffix(classMap, ".csv") + ".left-out.csv"
		}
		file, err := os.OpenFile(leftOut, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
		if err != nil {
			return fmt.Errorf("write what is left out (choose another place with --left-out): %w", err)
		}
		list := csv.NewWriter(file)
		_ = list.Write(adoption.Header) // Error says it
		job.LeftOut = func(asset *adoption.Asset, reason string) error { return list.Write(adoption.Row(asset, reason)) }
		view := newCounter(s.err, "assets")
		client.Notice = view.note
		job.Progress = view.advance
		result, err := adoption.Run(cmd.Context(), client, job)
		view.finish()
		list.Flush()
		if err = errors.Join(err, list.Error(), file.Close()); err != nil && result.Begun {
			return fmt.Errorf("%w\nIt stopped after %d assets; %d have an entry so far. The same command goes on: what is there stays as it is", err,
				result.Assets, result.Existing+result.Opened+result.Construction)
		}
		if err != nil {
			return err
		}
		if err := s.showAdoption(result, leftOut); err != nil {
			return err
		}
		if result.Rejected > 0 {
			return errRejects
		}
		return nil
	}
	return cmd
}

func (s *session) showAdoption(result adoption.Result, leftOut string) error {
	if s.output == "json" {
		return s.encode(struct {
			adoption.Result
			File string `json:"left_out_file"`
		}{result, leftOut})
	}
	if len(result.Classes) > 0 {
		table := tabwriter.NewWriter(s.out, 0, 4, 2, ' ', tabwriter.AlignRight)
		fmt.Fprintln(table, "CLASS\tCAPITAL ASSETS\tCOST\tACCUMULATED AMORTIZATION\tWORK IN PROGRESS\t")
		for _, k := range result.Classes {
			fmt.Fprintf(table, "%s\t%d\t%.2f\t%.2f\t%.2f\t\n", plain(k.Code), k.CapitalAssets, k.Cost, k.AccumulatedAmortization, k.WorkInProgress)
		}
		if err := table.Flush(); err != nil {
			return err
		}
	}
	would := ""
	if result.DryRun {
		would = "Nothing was written. It would come to this: "
	}
	_, err := fmt.Fprintf(s.out, "%s%d assets; %d with an opening entry, "+
		"%d with work in progress, %d there already, %d left out, %d refused\nWhat was left out, and why: %s\n",
		would, result.Assets, result.Opened, result.Construction, result.Existing, result.LeftOut, result.Rejected, leftOut)
	return err
}

// counter shows how many of some things are done: a bar for a person, a line now and then for a log.
type counter struct {
	mu        sync.Mutex
	out       io.Writer
	name      string
	bar       *progressbar.ProgressBar // nil when nobody watches
	printedAt time.Time
	lastNote  string // the last note: calls that are made at once wait for the same
}

func newCounter(out io.Writer, name string) *counter {
	c := &counter{out: out, name: name, printedAt: time.Now()}
	if _, watched := terminal(out); watched {
		c.bar = progressbar.NewOptions(1, progressbar.OptionSetWriter(out), progressbar.OptionSetDescription(name), progressbar.OptionFullWidth(),
			progressbar.OptionShowCount(), progressbar.OptionSetElapsedTime(true), progressbar.OptionSetPredictTime(true),
			progressbar.OptionClearOnFinish())
	}
	return c
}

func (c *counter) advance(done, total int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.bar != nil:
		c.bar.ChangeMax(max(1, total))
		_ = c.bar.Set(done) // what cannot be drawn must not stop anything
	case time.Since(c.printedAt) >= 5*time.Second:
		c.printedAt = time.Now()
		fmt.Fprintf(c.out, "%s: %d of %d\n", c.name, done, total)
	}
}

// note says something without breaking the bar.
func (c *counter) note(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if text == c.lastNote {
		return
	}
	c.lastNote = text
	if c.bar != nil {
		_ = c.bar.Clear()
	}
	fmt.Fprintln(c.out, plain(text))
}

func (c *counter) finish() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.bar != nil {
		_ = c.bar.Clear()
	}
}
