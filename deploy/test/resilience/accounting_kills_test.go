//go:build night

package main

import "testing"

func TestACloseIsWholeOrAbsentWhileProcessesAreKilled(t *testing.T) {
	c := closeKilling{kills: 8, assets: 2000, folder: t.TempDir() + "/stack", logf: t.Logf}
	found, err := c.carryOut(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%+v", found)
	if err := found.verdict(); err != nil {
		t.Error(err)
	}
	if found.Interrupted == 0 {
		t.Errorf("no close was interrupted: %+v", found)
	}
}
