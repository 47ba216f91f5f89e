package infrastructure

import (
	"fmt"
	"testing"

	"ams.internal/libs/principal"
	"ams.internal/libs/resource/resourcetest"
)

func TestANetworkThatNobodyPlannedIsNotHealthy(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	network := newNetwork(t, f.Client, "water_main")
	add := func(name string, segment fields) {
		segment["name"], segment["network_id"], segment["length_m"] = name, network, 100
		f.Create(t, "/v1/infrastructure/segments", segment)
	}
	check := func(basis string, want fields) {
		t.Helper()
		client := *f.Client
		client.Principal.RenewalBasis = basis
		lives := *f
		lives.Client = &client
		for _, day := range []string{"2026-12-31", "2026-11-01"} { // to come, and over
			got := lives.summary(t, network, "as_of="+day)
			resourcetest.Expect(t, got, fields{"renewal_basis": basis})
			resourcetest.Expect(t, got, want)
		}
	}
	for _, year := range []int{2000, 2020} {
		add(fmt.Sprint("Main of ", year), fields{"replacement_cost": 100000, "install_year": year, "expected_useful_life_years": 20})
	}
	check(principal.RenewalTyped, fields{"need": 0, "fci_pct": 0, "fci_grade": "good", "life_known_pct": 100})
	check(principal.RenewalTypedOrLife, fields{"need": 100000, "fci_pct": 50, "fci_grade": "critical", "life_known_pct": 100,
		"need_basis.useful_lives": 100000, "need_basis.planned_renewal_years": 0, "need_basis.deferred_maintenance": 0})
	add("Unknown", fields{"replacement_cost": 300000})
	check(principal.RenewalTypedOrLife, fields{"need": 100000, "fci_pct": 20, "life_known_pct": 40, "fci_grade": nil,
		"fci_grade_reason": "lives_unknown"})
	check(principal.RenewalTyped, fields{"need": 0, "fci_grade": "good", "fci_grade_reason": nil})
	// A liner gives a pipe another life.
	add("Relined", fields{"replacement_cost": 500000, "install_year": 1950, "expected_useful_life_years": 50, "relined_year": 2010,
		"relined_useful_life_years": 40})
	check(principal.RenewalTypedOrLife, fields{"need": 100000, "fci_pct": 10, "life_known_pct": 70, "fci_grade": "fair"})
}
