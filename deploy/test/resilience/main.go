// Command resilience tests the product's promises while its parts fail. It kills processes while organizations write, and compares
// what was acknowledged, stored, published and delivered; and again while plans create work orders and these change records of other
// services. Then it stops each part that the product can do without: an instance, a service, Consul, Redis, PostgreSQL, the webhooks
// service, the collector, a region. It replaces every process by SIGTERM, and stops a primary of PostgreSQL, its standby, and the
// Consul of both. It starts stacks of its own, prints what was promised and measured, and fails when a promise is broken.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"ams.internal/deploy/test/resilience/fairness"
	"ams.internal/deploy/test/resilience/load"
)

func main() {
	if load.RunWriter() {
		return
	}
	var k killing
	flag.IntVar(&k.kills, "kills", 120, "how many processes are killed, PostgreSQL once among them")
	flag.IntVar(&k.count, "organizations", 3, "how many organizations write while processes are killed")
	only := flag.String("only", "", `only the scenarios whose name contains this; "kills" is the one that kills processes, `+
		`"fairness" those in which an organization attacks another, each of which has a name as well, "exactly" the one in which plans make `+
		`work, and work has effects, meanwhile; "documents" the one in which documents are uploaded, revised and deleted; "planning" the one `+
		`in which inventories are frozen, calculated and promoted; "accounting" the one in which fiscal years are closed; "moving" the one in `+
		`which an organization moves to another cell`)
	records := flag.Int("records", 200_000, "how many records the organization has that moves")
	folder := flag.String("folder", "", "folder for the stacks (default: a new one in TMPDIR, removed at the end)")
	flag.Parse()
	if err := measure(k, *records, *only, *folder); err != nil {
		fmt.Fprintln(os.Stderr, "Error:", err)
		os.Exit(1)
	}
}

func measure(k killing, records int, only, folder string) (err error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if folder == "" {
		if folder, err = os.MkdirTemp("", "ams-resilience-"); err != nil {
			return err
		}
		defer os.RemoveAll(folder) //nolint:errcheck // it is in the folder for temporary files
	}
	logf := func(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }
	if strings.Contains("kills", only) {
		k.folder, k.logf = filepath.Join(folder, "kills"), logf
		if err := k.measure(ctx, os.Stdout); err != nil {
			return err
		}
	}
	if strings.Contains("exactly once", only) {
		o := exactlyOnce{kills: k.kills, instances: 3, plans: 10, targets: 1000, folder: filepath.Join(folder, "once"), logf: logf}
		if err := o.measure(ctx, os.Stdout); err != nil {
			return err
		}
	}
	if strings.Contains("documents", only) {
		f := fileKilling{kills: k.kills, count: 2, writers: 3, wait: true, folder: filepath.Join(folder, "documents"), logf: logf}
		if err := f.measure(ctx, os.Stdout); err != nil {
			return err
		}
	}
	if strings.Contains("planning", only) {
		p := planningKilling{kills: k.kills, assets: 1000, replications: 50, folder: filepath.Join(folder, "planning"), logf: logf}
		if err := p.measure(ctx, os.Stdout); err != nil {
			return err
		}
	}
	if strings.Contains("accounting", only) {
		c := closeKilling{kills: k.kills, assets: 10_000, folder: filepath.Join(folder, "accounting"), logf: logf}
		if err := c.measure(ctx, os.Stdout); err != nil {
			return err
		}
	}
	if strings.Contains("moving", only) {
		m := moving{records: records, rate: 50, folder: filepath.Join(folder, "moving"), logf: logf}
		if err := m.measure(ctx, os.Stdout); err != nil {
			return err
		}
	}
	if err := measureFairness(ctx, folder, only, logf); err != nil {
		return err
	}
	var runs []*run
	for _, g := range groups() {
		f := &fixture{group: g, folder: folder, profile: whole, logf: logf}
		done, err := f.carryOutAll(ctx, chosen(g.scenarios, only))
		if runs = append(runs, done...); err != nil {
			return errors.Join(err, report(os.Stdout, runs, true))
		}
	}
	if len(runs) == 0 {
		return nil
	}
	if err := report(os.Stdout, runs, true); err != nil {
		return err
	}
	return verdict(runs)
}

// measureFairness prints what an organization can do to another, and fails when a promise is broken.
func measureFairness(ctx context.Context, folder, only string, logf func(format string, args ...any)) error {
	if strings.Contains("fairness", only) {
		only = ""
	}
	results, err := fairness.Measure(ctx, folder, only, fairness.Whole, logf)
	if len(results) == 0 {
		return err
	}
	if err := errors.Join(err, fairness.Report(os.Stdout, results)); err != nil {
		return err
	}
	for _, r := range results {
		if len(r.Broken)+len(r.Late) > 0 {
			return fmt.Errorf("%s: %s", r.Attack, strings.Join(append(r.Broken, r.Late...), "; "))
		}
	}
	return nil
}

func chosen(all []scenario, only string) (some []scenario) {
	for _, s := range all {
		if strings.Contains(s.name, only) {
			some = append(some, s)
		}
	}
	return some
}

// carryOutAll starts the fixture for some scenarios, and stops it.
func (f *fixture) carryOutAll(ctx context.Context, all []scenario) (runs []*run, err error) {
	if len(all) == 0 {
		return nil, nil
	}
	defer func() { err = errors.Join(err, f.stop()) }()
	if err := f.start(ctx); err != nil {
		return nil, err
	}
	for _, s := range all {
		r, err := f.carryOut(ctx, s)
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
