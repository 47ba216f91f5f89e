//go:build night

package main

import "testing"

func TestPlanningComesToTheSameWhileProcessesAreKilled(t *testing.T) {
	p := planningKilling{kills: 8, assets: 500, replications: 20, folder: t.TempDir() + "/stack", logf: t.Logf}
	found, err := p.carryOut(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%+v", found)
	if err := found.verdict(); err != nil {
		t.Error(err)
	}
	if found.Rounds < 2 || found.Projects == 0 || found.Kills["calculates"] == 0 {
		t.Errorf("the test did not try what it should: %+v", found)
	}
}
