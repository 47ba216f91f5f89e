// Command small calls a running stack as the people of a small town do, for all demonstration organizations, at a fixed rate. It
// prints the results of the requests and the memory of the programs, and fails when a request did.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/deploy/devstack"
	"ams.internal/deploy/test/resilience/load"
)

func main() {
	folder := flag.String("folder", ".run", "the folder of the stack")
	perSecond := flag.Float64("rate", 50, "requests a second")
	lasting := flag.Duration("for", 2*time.Minute, "how long")
	flag.Parse()
	if err := measure(*folder, *perSecond, *lasting); err != nil {
		fmt.Fprintln(os.Stderr, "Error:", err)
		os.Exit(1)
	}
}

func measure(folder string, perSecond float64, lasting time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), lasting+5*time.Minute)
	defer cancel()
	stack, err := devstack.Read(folder)
	if err != nil {
		return err
	}
	if err := printHeld(ctx, stack, "idle"); err != nil {
		return err
	}
	admin := load.NewAdmin(stack)
	var organizations []*load.Organization
	for _, d := range stack.Organizations {
		if d.Plan != "enterprise" {
			continue
		}
		o, err := admin.Demonstration(ctx, d, 2)
		if err != nil {
			return err
		}
		organizations = append(organizations, o)
	}
	calls := load.Start(load.NewBalancer(ctx, stack.Gateways), organizations, load.Everyday, perSecond)
	time.Sleep(lasting)
	all := calls.End()
	fmt.Printf("%d requests in %s: %s; half within %s, 99 of 100 within %s, all within %s\n", len(all), lasting, all.Count(),
		all.Quantile(0.5).Round(time.Millisecond), all.Quantile(0.99).Round(time.Millisecond), all.Max().Round(time.Millisecond))
	if err := printHeld(ctx, stack, "after it"); err != nil {
		return err
	}
	if failed := all.Failures(); len(failed) > 0 {
		return fmt.Errorf("%d requests failed: %s", len(failed), failed.Example())
	}
	return nil
}

// printHeld prints the memory of each process, and how many connections to PostgreSQL the programs have.
func printHeld(ctx context.Context, stack devstack.Description, when string) error {
	conn, err := pgx.Connect(ctx, stack.PostgresURL)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	var connections int
	if err := conn.QueryRow(ctx, "SELECT count(*) FROM pg_stat_activity WHERE usename LIKE 'ams%'").Scan(&connections); err != nil {
		return err
	}
	fmt.Printf("%s: %d connections to PostgreSQL", when, connections)
	for name, pid := range stack.PIDs {
		held, err := resident(pid)
		if err != nil {
			return err
		}
		fmt.Printf(", %s %s", name, held)
	}
	fmt.Println()
	return nil
}

// resident is what a process has in memory, as the kernel says it: "191234 kB".
func resident(pid int) (string, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(status)) {
		if value, found := strings.CutPrefix(line, "VmRSS:"); found {
			return strings.TrimSpace(value), nil
		}
	}
	return "", fmt.Errorf("the kernel does not say what process %d holds", pid)
}
