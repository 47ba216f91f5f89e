//go:build night

package main

import (
	"bytes"
	"testing"
)

// All scenarios with a lighter load. Times are printed and not judged: how long something takes depends on the machine.
func TestEverythingThatIsTakenAwayIsMissedAsPromised(t *testing.T) {
	for _, g := range groups() {
		// They take minutes, and are commands of their own: go run ./deploy/test/resilience -only standby, -only pooler. deploy/devstack tries a
		// takeover, libs/postgres a pooler that hangs.
		if g.standby || g.pooler {
			continue
		}
		t.Run(g.name, func(t *testing.T) { goThrough(t, g) })
	}
}

func goThrough(t *testing.T, g group) {
	f := &fixture{group: g, folder: t.TempDir(), profile: short, logf: t.Logf}
	t.Cleanup(func() {
		if err := f.stop(); err != nil {
			t.Error(err)
		}
	})
	if err := f.start(t.Context()); err != nil {
		t.Fatal(err)
	}
	var runs []*run
	for _, s := range g.scenarios {
		t.Run(s.name, func(t *testing.T) {
			r, err := f.carryOut(t.Context(), s)
			if err != nil {
				t.Fatal(err)
			}
			runs = append(runs, r)
			for _, text := range r.broken {
				t.Error(text)
			}
		})
	}
	var table bytes.Buffer
	if err := report(&table, runs, false); err != nil {
		t.Fatal(err)
	}
	t.Logf("\n%s", table.String())
	if g.cells > 1 { // what is compared is one database
		return
	}
	t.Run("the comparison notices every mistake", func(t *testing.T) { noticesEveryMistake(t, f) })
}
