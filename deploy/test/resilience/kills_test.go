//go:build night

package main

import (
	"bytes"
	"os"
	"testing"

	"ams.internal/deploy/test/resilience/load"
)

func TestMain(m *testing.M) {
	if load.RunWriter() { // this program once more, as a writer
		return
	}
	os.Exit(m.Run())
}

func TestNothingIsLostWhileTwentyProcessesAreKilled(t *testing.T) {
	k := killing{kills: 20, count: 2, folder: t.TempDir() + "/stack", logf: t.Logf}
	r, err := k.carryOut(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var table bytes.Buffer
	r.print(&table)
	t.Logf("\n%s", table.String())
	if err := r.verdict(); err != nil {
		t.Error(err)
	}
	if r.kills["postgres"] != 1 || r.Committed < 200 {
		t.Errorf("the test did not try what it should: %v, %d changes", r.kills, r.Committed)
	}
}
