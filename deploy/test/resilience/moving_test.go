//go:build night

package main

import "testing"

func TestAnOrganizationMovesToAnotherCellWhileItWorks(t *testing.T) {
	m := moving{records: 3000, rate: 30, folder: t.TempDir() + "/stack", logf: t.Logf}
	if err := m.carryOut(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Logf("%+v; writes refused for %s", m.result, m.paused())
	if err := m.verdict(); err != nil {
		t.Error(err)
	}
	if m.result.From != "first" || m.result.To != "second" || m.result.Rows < 3000 || m.compared.Acknowledged < 20 || len(m.ofOthers) < 20 {
		t.Errorf("the test did not try what it should: %+v, %d changes, %d requests of others", m.result, m.compared.Acknowledged,
			len(m.ofOthers))
	}
}
