// Command faults takes away, one after the other, everything that the product says it can do without, while requests go on: an
// instance, a service, Consul, Redis, PostgreSQL, the webhooks service, the collector; and it replaces every process by SIGTERM.
// It starts a stack of its own, prints what was promised and what was measured, and fails when a promise is broken.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
)

func main() {
	only := flag.String("only", "", "only the rows whose name contains this")
	folder := flag.String("folder", "", "folder for the stack (default: a new one in TMPDIR, removed at the end)")
	flag.Parse()
	if err := measure(*only, *folder); err != nil {
		fmt.Fprintln(os.Stderr, "Error:", err)
		os.Exit(1)
	}
}

func measure(only, folder string) (err error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if folder == "" {
		if folder, err = os.MkdirTemp("", "ams-faults-"); err != nil {
			return err
		}
		defer os.RemoveAll(folder) //nolint:errcheck // it is in the folder for temporary files
	}
	var runs []*run
	for _, g := range groups() {
		w := g.world(folder, whole, func(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) })
		done, err := w.carryOutAll(ctx, chosen(g.rows, only))
		if runs = append(runs, done...); err != nil {
			return errors.Join(err, print(os.Stdout, runs, true))
		}
	}
	if err := print(os.Stdout, runs, true); err != nil {
		return err
	}
	return verdict(runs)
}

func chosen(all []row, only string) (some []row) {
	for _, row := range all {
		if strings.Contains(row.name, only) {
			some = append(some, row)
		}
	}
	return some
}

// carryOutAll starts the world for some rows, and stops it.
func (w *world) carryOutAll(ctx context.Context, all []row) (runs []*run, err error) {
	if len(all) == 0 {
		return nil, nil
	}
	defer func() { err = errors.Join(err, w.stop()) }()
	if err := w.start(ctx); err != nil {
		return nil, err
	}
	for _, row := range all {
		r, err := w.carryOut(ctx, row)
		if err != nil {
			return runs, err
		}
		runs = append(runs, r)
	}
	return runs, nil
}

// verdict is an error when any promise was broken.
func verdict(runs []*run) error {
	for _, r := range runs {
		if r.verdict(true) == "BROKEN" {
			return errors.New("a promise was broken: see the table")
		}
	}
	return nil
}
