// Package fairness tests that no organization takes the service from another. An attacker, within the limits of an organization,
// does what once delayed everybody, while a neighbour requests one record again and again. For each attack the product promises: the
// neighbour is never refused; its requests take no longer than 150 ms, or five times as long as before, at the 99th percentile;
// every process stays under the memory limit of its container; and the attacker's refusals say why.
package fairness

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"ams.internal/deploy/demo"
	"ams.internal/deploy/devstack"
	"ams.internal/deploy/test/resilience/load"
)

// Profile is how long the neighbour is watched, and how much the attacker has.
type Profile struct {
	Before, During, After time.Duration // During is the least: an attack may take longer
	Assets                int           // of the attacker, with 2 kB of text each
	Large                 int           // of the attacker's records of 100 kB
}

// Profiles of "make chaos" and of "make test".
var (
	Whole = Profile{Before: 10 * time.Second, During: 30 * time.Second, After: 5 * time.Second, Assets: 40_000, Large: 1000}
	Short = Profile{Before: time.Second, During: 3 * time.Second, After: 500 * time.Millisecond, Assets: 3000, Large: 200}
)

// Containers have this limit, and programs are told to collect before it (k8s/base/common.env).
const (
	memoryLimit = 512 << 20
	goMemLimit  = "GOMEMLIMIT=440MiB"
)

// Result is one attack as it was carried out.
type Result struct {
	Attack        string
	Before, After watch // the neighbour
	During        watch
	Cheap         watch    // the neighbour while many cheap reads are made, where its times are held against that
	OwnBefore     watch    // the attacker's other requests
	Own           watch    // and during
	Attacks       outcomes // what the attack itself was answered
	Peak          peak     // the process that took most memory
	Broken        []string
	Late          []string // promises about time, which a busy machine may break
}

// suite is the stack with the two organizations.
type suite struct {
	profile  Profile
	logf     func(format string, args ...any)
	stack    *devstack.Stack
	gateways []string
	admin    load.Admin
	attacker *load.Organization
	victim   *load.Organization
	record   map[*load.Organization]string // the path of one record
	filled   bool                          // with the attacker's assets
	at       string                        // what the neighbour asks for, where preparing an attack has made it
}

// Measure starts a stack in folder and carries out every attack whose name contains only. Where there is none, it starts nothing.
func Measure(ctx context.Context, folder, only string, profile Profile,
	logf func(format string, args ...any)) (results []Result, err error) {
	chosen := slices.DeleteFunc(attacks(), func(a attack) bool { return !strings.Contains(a.name, only) })
	if len(chosen) == 0 {
		return nil, nil
	}
	s := &suite{profile: profile, logf: logf, record: map[*load.Organization]string{}}
	defer func() { err = errors.Join(err, s.stop()) }()
	if err := s.start(ctx, folder); err != nil {
		return nil, err
	}
	for _, a := range chosen {
		logf("%s …", a.name)
		result, err := s.carryOut(ctx, a)
		if err != nil {
			return results, fmt.Errorf("%s: %w", a.name, err)
		}
		for _, text := range append(result.Broken, result.Late...) {
			logf("  %s", text)
		}
		results = append(results, result)
	}
	return results, nil
}

func (s *suite) start(ctx context.Context, folder string) error {
	binaries, err := devstack.BuildPrograms()
	if err != nil {
		return err
	}
	s.logf("Starting two gateways and two instances of every service …")
	if s.stack, err = devstack.Start(ctx, devstack.Options{
		Folder: filepath.Join(folder, "fairness"), Binaries: binaries, Gateways: 2, Instances: 2, Discovery: "consul",
		Prepared: true, Demo: demo.Organizations, Environment: environment,
	}); err != nil {
		return err
	}
	d := s.stack.Description()
	s.gateways, s.admin = d.Gateways, load.NewAdmin(d)
	if s.attacker, err = s.admin.Organization(ctx, 1, 10); err != nil {
		return err
	}
	if s.victim, err = s.admin.Organization(ctx, 2, 6); err != nil {
		return err
	}
	for _, o := range []*load.Organization{s.attacker, s.victim} {
		made, err := s.send(ctx, request{organization: o, method: "POST", path: "/v1/assets", body: map[string]any{"name": "One"}})
		if err != nil {
			return err
		}
		id, _, err := load.Written(made.body)
		if err != nil {
			return fmt.Errorf("%d %.300s: %w", made.status, made.body, err)
		}
		s.record[o] = "/v1/assets/" + id
	}
	return nil
}

func (s *suite) stop() error {
	if s.stack == nil {
		return nil
	}
	s.stack.Stop()
	return devstack.Drop(s.stack.Folder())
}

// carryOut watches the neighbour before, during and after an attack.
func (s *suite) carryOut(ctx context.Context, a attack) (Result, error) {
	result := Result{Attack: a.name}
	s.at = ""
	if a.prepare != nil {
		if err := a.prepare(ctx, s); err != nil {
			return result, fmt.Errorf("prepare: %w", err)
		}
	}
	at := cmp.Or(s.at, a.at, s.record[s.victim])
	before, begin := context.WithTimeout(ctx, s.profile.Before)
	neighbour, own := s.watch(before, s.victim, at), s.watch(before, s.attacker, s.record[s.attacker])
	result.Before, result.OwnBefore = <-neighbour, <-own
	begin()
	if a.cheap > 0 {
		result.Cheap = s.whileCheap(ctx, at)
	}
	memory, err := watchMemory(s.stack.Description().PIDs)
	if err != nil {
		return result, err
	}
	during, over := context.WithCancel(ctx)
	neighbour, own = s.watch(during, s.victim, at), s.watch(during, s.attacker, s.record[s.attacker])
	minimum := time.After(s.profile.During)
	a.carryOut(ctx, s, &result.Attacks)
	<-minimum
	over()
	result.During, result.Own = <-neighbour, <-own
	if result.Peak, err = memory.peak(); err != nil {
		return result, err
	}
	result.After = s.watchFor(ctx, s.victim, at, s.profile.After)
	result.evaluate(a)
	if a.after != nil {
		return result, a.after(ctx, s, &result)
	}
	return result, nil
}

// unnoticed is how long a request may take whatever it took before: the strangers of a test share the processors with what they ask.
const unnoticed = 10 * time.Millisecond

// evaluate compares what was measured with what is promised.
func (r *Result) evaluate(a attack) {
	for when, w := range map[string]watch{"before": r.Before, "during": r.During, "after": r.After} {
		if len(w.times) == 0 || len(w.refused) > 0 {
			r.Broken = append(r.Broken, fmt.Sprintf("the neighbour was refused %s: %d answers, and %s", when, len(w.times), w.refused))
		}
	}
	if limit := max(5*r.Before.quantile(99), 150*time.Millisecond); r.During.quantile(99) > limit {
		r.Late = append(r.Late, fmt.Sprintf("the neighbour's p99 was %s, at most %s is promised", r.During.quantile(99), limit))
	}
	for _, each := range []struct {
		who            string
		before, during watch
	}{{"the neighbour", r.Before, r.During}, {"the organization itself", r.OwnBefore, r.Own}} {
		before, during := each.before.quantile(95), each.during.quantile(95)
		if limit := max(time.Duration(a.p95*float64(before)), unnoticed); a.p95 > 0 && during > limit {
			r.Late = append(r.Late, fmt.Sprintf("the p95 of %s was %s, at most %s is promised", each.who, round(during), round(limit)))
		}
	}
	if limit := max(time.Duration(a.cheap*float64(r.Cheap.quantile(95))), unnoticed); a.cheap > 0 && r.During.quantile(95) > limit {
		r.Late = append(r.Late, fmt.Sprintf("the neighbour's p95 was %s, at most %s is promised: %g times what it was beside cheap reads",
			round(r.During.quantile(95)), round(limit), a.cheap))
	}
	if r.Peak.bytes > memoryLimit {
		r.Broken = append(r.Broken, fmt.Sprintf("%s took %d MB, its container has %d", r.Peak.process, r.Peak.bytes>>20, memoryLimit>>20))
	}
	if r.Peak.ended != "" {
		r.Broken = append(r.Broken, r.Peak.ended+" has ended")
	}
	for _, each := range []outcomes{r.Attacks, r.Own.refused} {
		for outcome, count := range each {
			if outcome.status >= 500 || outcome.status >= 400 && outcome.code == "" || outcome.status == 0 {
				r.Broken = append(r.Broken, fmt.Sprintf("the attacker was told %s %d times: no reason that it can act on", outcome, count))
			}
		}
	}
	if a.refused != "" && r.Attacks.of(a.refused) == 0 {
		r.Broken = append(r.Broken, fmt.Sprintf("nothing of the attack was refused as %s: %s", a.refused, r.Attacks))
	}
}

// Report writes a table of results.
func Report(out io.Writer, results []Result) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "the attacker\tis answered\tneighbour refused\tp99 before\tduring\tafter\tp95 before\tduring\tbeside cheap reads\t"+
		"own p95 before\tduring\tmost memory")
	for _, r := range results {
		fmt.Fprintf(table, "%s\t%s\t%d of %d\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%d MB (%s)\n", r.Attack, r.Attacks, r.During.refused.total(),
			len(r.During.times)+r.During.refused.total(), round(r.Before.quantile(99)), round(r.During.quantile(99)), round(r.After.quantile(99)),
			round(r.Before.quantile(95)), round(r.During.quantile(95)), round(r.Cheap.quantile(95)),
			round(r.OwnBefore.quantile(95)), round(r.Own.quantile(95)),
			r.Peak.bytes>>20, r.Peak.process)
	}
	return table.Flush()
}

func round(d time.Duration) time.Duration { return d.Round(100 * time.Microsecond) }
