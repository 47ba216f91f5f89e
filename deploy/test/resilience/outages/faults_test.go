package main

import (
	"bytes"
	"testing"
)

// The whole table at a gentler pace. Times are printed and not judged: how long something takes is the machine's affair.
func TestEverythingThatIsTakenAwayIsMissedAsPromised(t *testing.T) {
	for _, g := range groups() {
		t.Run(g.name, func(t *testing.T) { goThrough(t, g) })
	}
}

func goThrough(t *testing.T, g group) {
	w := g.world(t.TempDir(), short, t.Logf)
	t.Cleanup(func() {
		if err := w.stop(); err != nil {
			t.Error(err)
		}
	})
	if err := w.start(t.Context()); err != nil {
		t.Fatal(err)
	}
	var runs []*run
	for _, row := range g.rows {
		t.Run(row.name, func(t *testing.T) {
			r, err := w.carryOut(t.Context(), row)
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
	if err := print(&table, runs, false); err != nil {
		t.Fatal(err)
	}
	t.Logf("\n%s", table.String())
	t.Run("the comparison notices every mistake", func(t *testing.T) { noticesEveryMistake(t, w) })
}
