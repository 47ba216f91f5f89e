package assets

import (
	"fmt"
	"net/http"
	"testing"

	"ams.internal/libs/principal"
	"ams.internal/libs/resource/resourcetest"
)

// byLives is a client of the same organization, whose renewals are due by lives from a day on.
func byLives(f fixture, since ...string) *resourcetest.Client {
	client := *f.Client
	client.Principal.Scopes = []string{"assets:read", "buildings:read", "sites:read", "systems:read"}
	client.Principal.RenewalBasis, client.Principal.RenewalBasisChangedOn = principal.RenewalTypedOrLife, since
	return &client
}

func TestAPortfolioThatNobodyPlannedIsNotHealthy(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for _, year := range []int{2000, 2020} {
		f.Create(t, "/v1/assets", fields{"name": fmt.Sprint("Unit of ", year), "building_id": f.building[0], "replacement_cost": 100000,
			"install_year": year, "expected_useful_life_years": 20})
	}
	lives := byLives(f)
	check := func(client *resourcetest.Client, day string, basis string, want fields) {
		t.Helper()
		state := client.Must(t, http.StatusOK, "GET", "/v1/reports/state-of-assets?group_by=site&as_of="+day, nil).JSON
		infrastructure := client.Must(t, http.StatusOK, "GET", "/v1/reports/state-of-infrastructure?as_of="+day, nil).JSON
		place := summary(t, client, "/v1/buildings", f.building[0], "as_of="+day)
		for _, got := range []fields{state["total"].(fields), infrastructure["total"].(fields), place} {
			resourcetest.Expect(t, got, want)
		}
		for _, report := range []fields{state, infrastructure, place} {
			resourcetest.Expect(t, report, fields{"renewal_basis": basis})
		}
		figures := client.Must(t, http.StatusOK, "POST", "/internal/assets/figures", fields{"as_of": day}).JSON
		resourcetest.Expect(t, figures, fields{"fci_pct": want["fci_pct"]})
	}
	const day = "2026-12-31"
	typed := *f.Client
	typed.Principal.Scopes = lives.Principal.Scopes
	check(&typed, day, "typed", fields{"need": 0, "fci_pct": 0, "fci_grade": "good", "fci_grade_reason": nil, "life_known_pct": 100,
		"need_basis.useful_lives": 0})
	check(lives, day, "typed_or_life", fields{"need": 100000, "fci_pct": 50, "fci_grade": "critical", "fci_grade_reason": nil,
		"life_known_pct": 100, "need_basis.useful_lives": 100000, "need_basis.planned_renewal_years": 0, "need_basis.deferred_maintenance": 0})

	check(lives, "2026-11-01", "typed_or_life", fields{"need": 100000, "fci_pct": 50}) // a day that is over
	// A setting that changed is that of the day.
	check(byLives(f, "2027-01-01"), day, "typed", fields{"need": 0, "fci_pct": 0, "fci_grade": "good"})
	check(byLives(f, "2027-01-01"), "2027-01-01", "typed_or_life", fields{"need": 100000, "fci_pct": 50})

	// A third whose life nobody knows: 200,000 of 500,000 are known.
	third := f.Create(t, "/v1/assets", fields{"name": "Unknown", "building_id": f.building[0], "replacement_cost": 300000,
		"deferred_maintenance_cost": 5000})
	check(lives, day, "typed_or_life", fields{"need": 105000, "fci_pct": 21, "life_known_pct": 40, "fci_grade": nil,
		"fci_grade_reason":        "lives_unknown",
		"need_basis.useful_lives": 100000, "need_basis.deferred_maintenance": 5000})
	check(&typed, day, "typed", fields{"need": 5000, "fci_pct": 1, "life_known_pct": 40, "fci_grade": "good"})
	f.Must(t, http.StatusOK, "PATCH", fmt.Sprint("/v1/assets/", third["id"]),
		fields{"planned_renewal_year": 2026}) // one of the ways that the reason names
	check(lives, day, "typed_or_life", fields{"need": 400000, "fci_pct": 80, "life_known_pct": 100, "fci_grade": "critical",
		"need_basis.useful_lives": 100000, "need_basis.planned_renewal_years": 300000, "need_basis.deferred_maintenance": 0})
	lives.Principal.FCIBands = []float64{10, 20, 80}
	check(lives, day, "typed_or_life", fields{"fci_pct": 80, "fci_grade": "poor"})
}

func TestLivesOfSystemsAndAppraisals(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	lives := byLives(f)
	asset := func(year any) {
		f.Create(t, "/v1/assets", fields{"name": fmt.Sprint("Unit of ", year), "system_id": f.system[0], "replacement_cost": 100000,
			"install_year": year, "expected_useful_life_years": 20})
	}
	asset(2000)
	asset(nil)
	for _, c := range []struct {
		path string
		body fields
		want fields
	}{
		// A value without a life of its own is known as far as that of its parts is.
		{fmt.Sprint("/v1/systems/", f.system[0]), fields{"replacement_cost": 500000}, fields{"need": 100000, "fci_pct": 20, "life_known_pct": 50,
			"fci_grade": "poor", "need_basis.useful_lives": 100000}},
		{fmt.Sprint("/v1/systems/", f.system[0]), fields{"install_year": 2020, "expected_useful_life_years": 30}, fields{"need": 100000,
			"life_known_pct": 100}},
		{fmt.Sprint("/v1/systems/", f.system[0]), fields{"expected_useful_life_years": 6}, fields{"need": 500000, "fci_pct": 100,
			"need_basis.useful_lives": 500000}},
		{fmt.Sprint("/v1/systems/", f.system[0]), fields{"planned_renewal_year": 2026}, fields{"need": 500000,
			"need_basis.planned_renewal_years": 500000, "need_basis.useful_lives": 0}},
		{fmt.Sprint("/v1/systems/", f.system[0]), fields{"planned_renewal_year": 2040, "replacement_cost": nil,
			"deferred_maintenance_cost": 30000},
			fields{"need": 130000, "need_basis.useful_lives": 100000, "need_basis.deferred_maintenance": 30000, "life_known_pct": 50}},
		{fmt.Sprint("/v1/buildings/", f.building[0]), fields{"replacement_cost": 1000000},
			fields{"need": 130000, "fci_pct": 13, "life_known_pct": 50}},
	} {
		f.Must(t, http.StatusOK, "PATCH", c.path, c.body)
		for _, prices := range []string{"", "&prices_of=2026"} {
			resourcetest.Expect(t, summary(t, lives, "/v1/buildings", f.building[0], "as_of=2026-12-31"+prices), c.want)
			state := lives.Must(t, http.StatusOK, "GET", "/v1/reports/state-of-infrastructure?as_of=2026-12-31"+prices, nil).JSON
			resourcetest.Expect(t, state["total"].(fields), c.want)
		}
	}
}
