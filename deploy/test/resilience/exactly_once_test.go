//go:build night

package main

import "testing"

func TestPlansAndEffectsHappenOnceWhileProcessesAreKilled(t *testing.T) {
	o := exactlyOnce{kills: 10, instances: 2, plans: 2, targets: 600, folder: t.TempDir() + "/stack", logf: t.Logf}
	found, err := o.carryOut(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%+v", found)
	if err := found.verdict(); err != nil {
		t.Error(err)
	}
	if found.Kills["workorders"] == 0 || found.Kills["assets"] == 0 || found.Kills["postgres"] != 1 || found.Completed < 20 ||
		found.Occurrences != 1200 {
		t.Errorf("the test did not try what it should: %+v", found)
	}
}
