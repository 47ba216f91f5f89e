package main

import (
	"bytes"
	"os"
	"testing"
)

func TestMain(m *testing.M) {
	if work, is := writerOf(os.Environ()); is { // this program once more, as a writer
		work.run()
		return
	}
	os.Exit(m.Run())
}

func TestNothingIsLostWhileTwentyProcessesAreKilled(t *testing.T) {
	p := plan{kills: 20, organizations: 2, folder: t.TempDir() + "/stack", say: t.Logf}
	f, err := p.carryOut(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var table bytes.Buffer
	f.print(&table)
	t.Logf("\n%s", table.String())
	if err := f.verdict(); err != nil {
		t.Error(err)
	}
	if f.kills["postgres"] != 1 || f.Committed < 200 {
		t.Errorf("the test did not try what it should: %v, %d changes", f.kills, f.Committed)
	}
}
