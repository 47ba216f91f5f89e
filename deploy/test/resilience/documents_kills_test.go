//go:build night

package main

import "testing"

// Ten kills. What is left over is swept at once: its leases are ended, where the long form waits for them.
func TestNoFileIsLostWhileProcessesAreKilled(t *testing.T) {
	f := fileKilling{kills: 10, count: 2, writers: 3, folder: t.TempDir() + "/stack", logf: t.Logf}
	found, err := f.carryOut(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%+v", found)
	if err := found.verdict(); err != nil {
		t.Error(err)
	}
	for _, program := range []string{"documents", "gateway", "postgres", "store"} {
		if found.Kills[program] == 0 {
			t.Errorf("no %s was killed: %v", program, found.Kills)
		}
	}
	if found.Uploads < 20 || found.Revisions == 0 || found.Deletes == 0 || found.Purged == 0 || len(found.Interrupted) == 0 {
		t.Errorf("the test did not try what it should: %+v", found)
	}
}
