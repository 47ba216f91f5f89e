package main

import "testing"

func TestEffectsHappenOnceWhileSendersAndOwnersAreKilled(t *testing.T) {
	e := effectsKilled{kills: 10, folder: t.TempDir() + "/stack", say: t.Logf}
	found, err := e.carryOut(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%+v", found)
	if err := found.verdict(); err != nil {
		t.Error(err)
	}
	if found.Kills["workorders"] == 0 || found.Kills["assets"] == 0 || found.Completed < 20 {
		t.Errorf("the test did not try what it should: %+v", found)
	}
}
