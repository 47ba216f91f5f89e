//go:build night

package fairness

import (
	"bytes"
	"testing"
)

// Every attack, for seconds. Statuses and memory are judged; times are printed and not judged: how long something takes depends on the
// machine.
func TestNoOrganizationTakesTheServiceFromAnother(t *testing.T) {
	results, err := Measure(t.Context(), t.TempDir(), "", Short, t.Logf)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range results {
		for _, text := range r.Broken {
			t.Errorf("%s: %s", r.Attack, text)
		}
	}
	var table bytes.Buffer
	if err := Report(&table, results); err != nil {
		t.Fatal(err)
	}
	t.Logf("\n%s", table.String())
}
