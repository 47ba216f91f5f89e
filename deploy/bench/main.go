// Command bench measures the product on this machine: it starts a stack of its own, fills it with a million assets, and compares the
// API with PostgreSQL for the same rows and with a bare proxy for the same responses, in the same run. It checks ratios and bounds,
// never absolute speed, and fails only when it cannot measure.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"
)

func main() {
	serve := flag.String("serve", "", "used by the benchmark itself: upstream, proxy, files or client")
	address := flag.String("address", "", "used by the benchmark itself")
	target := flag.String("target", "", "used by the benchmark itself")
	quick := flag.Bool("quick", false, "50,000 rows and short runs: shows that the benchmark works, not how fast anything is")
	rows := flag.Int("rows", 1_000_000, "assets in the large organization; a hundred others have a thousandth each")
	seconds := flag.Int("seconds", 8, "length of one run")
	rounds := flag.Int("rounds", 3, "rounds of each comparison; the median counts")
	output := flag.String("json", "", "file for the figures (default deploy/bench/results/TIME.json)")
	folder := flag.String("folder", "", "folder for the stack (default: a new one in TMPDIR, removed at the end)")
	keep := flag.Bool("keep", false, "keep the stack's data in -folder and use it again the next time: writing the rows takes longest")
	only := flag.String("only", "", "parts to run, of api, filters, search, export, odata, clients, segments, reports, meters, maintenance, "+
		"planning, accounting, outbox, webhooks, documents, gateway, roundtrips, assistants, costs, cells, organizations, memory (default all)")
	flag.Parse()

	var err error
	switch *serve {
	case "upstream":
		err = serveUpstream(*address)
	case "proxy":
		err = serveProxy(*address, *target)
	case "files":
		err = serveFiles(*address, *target)
	case "client":
		err = readAll(*target)
	default:
		if *quick {
			*rows, *seconds, *rounds = 50_000, 2, 1
		}
		err = measure(&bench{rows: *rows, seconds: *seconds, rounds: *rounds, folder: *folder, only: *only, keep: *keep}, *output)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "Error:", err)
		os.Exit(1)
	}
}

func measure(b *bench, output string) (err error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if _, err := exec.LookPath("wrk"); err != nil {
		return errors.New("wrk sends the requests and is missing: install the Debian package wrk")
	}
	if b.keep && b.folder == "" {
		return errors.New("-keep needs -folder: where shall it be kept?")
	}
	if b.folder == "" {
		if b.folder, err = os.MkdirTemp("", "ams-bench-"); err != nil {
			return err
		}
		defer os.RemoveAll(b.folder)
	}
	if b.folder, err = filepath.Abs(b.folder); err != nil {
		return err
	}
	defer b.stop()
	if err := b.start(ctx); err != nil {
		return err
	}
	for _, part := range []struct {
		name string
		run  func(context.Context) error
	}{
		{"memory", b.measureIdle}, {"api", b.measureAPI}, {"filters", b.measureFilters}, {"search", b.measureSearch}, {"export", b.measureExport},
		{"odata", b.measureOData}, {"clients", b.measureClients}, {"segments", b.measureSegments}, {"reports", b.measureReports},
		{"meters", b.measureMeters}, {"maintenance", b.measureMaintenance}, {"planning", b.measurePlanning}, {"accounting", b.measureAccounting},
		{"outbox", b.measureOutbox}, {"webhooks", b.measureWebhooks}, {"documents", b.measureDocuments}, {"roundtrips", b.measureRoundTrips},
		{"gateway", b.measureGateway}, {"assistants", b.measureAssistants}, {"costs", b.measureCosts}, {"cells", b.measureCells},
		{"organizations", b.measureOrganizations}, {"memory", b.measureWarmStart},
	} {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if b.wants(part.name) {
			if err := b.signIn(ctx); err != nil { // sessions last 15 minutes
				return err
			}
			if err := part.run(ctx); err != nil {
				return err
			}
		}
	}
	b.report.print(os.Stdout)
	if output == "" {
		output = filepath.Join("deploy", "bench", "results", time.Now().UTC().Format("20060102T150405Z")+".json")
	}
	if err := os.MkdirAll(filepath.Dir(output), 0o755); err != nil {
		return err
	}
	text, err := json.MarshalIndent(b.report, "", "  ")
	if err != nil {
		return err
	}
	fmt.Println("\nAll figures:", output)
	return os.WriteFile(output, append(text, '\n'), 0o600)
}
