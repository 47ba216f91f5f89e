//go:build night

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

func TestTheBenchmarkRunsFromStartToEnd(t *testing.T) {
	output := filepath.Join(t.TempDir(), "figures.json")
	if err := measure(&bench{rows: 3000, seconds: 1, rounds: 1, folder: t.TempDir()}, output); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(output)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"list 25", "create 1000 in bulk", "record 1000 readings in bulk",
		"state of all assets, with deficiencies ÷ without", "look of the planner", "one element of a scenario",
		"another organization's p95 during a close",
		"forecast of ten years", "applied after the commit", "after their owner is back", "two instances ÷ bulk create",
		"pgbench: get", "round trips of a get", "gateway ÷ bare proxy",
		"cost of the outbox, create 1000 in bulk", "commit → received", "a bulk of 1000 all delivered", "waiting on a dead endpoint",
		"killed worker", "start of the whole stack", "state of infrastructure, in prices of one year, past day",
		"summary of a network, past day less", "memory of documents-1, more than idle", "first byte of a download at 4 GiB",
		"throughput, upload of", "throughput, download of", "sent again", "two cells ÷ one"} {
		if !bytes.Contains(text, []byte(want)) {
			t.Errorf("the figures do not have %q", want)
		}
	}
	for _, row := range rowsOfThePlan(t) { // docs/scale.md
		if row.measured && !bytes.Contains(text, []byte(`"name": "`+row.name+`"`)) {
			t.Errorf("docs/scale.md says that %s is measured; it is not", row.name)
		}
	}
}
