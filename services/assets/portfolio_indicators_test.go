package assets

import (
	"fmt"
	"net/http"
	"testing"

	"ams.internal/libs/resource/resourcetest"
)

func portfolioIndicators(t testing.TB, client *resourcetest.Client, request fields) fields {
	t.Helper()
	if request["as_of"] == nil {
		request["as_of"] = "2026-07-01"
	}
	return client.Must(t, http.StatusOK, "POST", "/internal/assets/figures", request).JSON
}

func TestFiguresOfThePortfolioForLevelsOfService(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	unknown := fields{"avg_condition_rating": nil, "pct_good_or_better": nil, "pct_past_useful_life": nil, "fci_pct": nil}
	resourcetest.Expect(t, portfolioIndicators(t, f.Client, fields{}), unknown)
	for i, asset := range []fields{
		{"system_id": f.system[0], "condition_rating": 1, "replacement_cost": 400000, "deferred_maintenance_cost": 20000,
			"planned_renewal_year": 2031, "install_year": 1990, "expected_useful_life_years": 25},
		{"building_id": f.building[0], "condition_rating": 2, "replacement_cost": 150000, "deferred_maintenance_cost": 0,
			"planned_renewal_year": 2024, "install_year": 2020, "expected_useful_life_years": 25},
		{"site_id": f.site[0], "condition_rating": 5, "replacement_cost": 50000, "deferred_maintenance_cost": 5000, "install_year": 2020,
			"expected_useful_life_years": 25},
		{"building_id": f.building[1], "condition_rating": 4, "replacement_cost": 400000, "deferred_maintenance_cost": 0,
			"planned_renewal_year": 2028},
		{"building_id": f.building[1]},
	} {
		if asset["name"] = fmt.Sprint("Composant ", i); asset["condition_rating"] != nil {
			asset["condition_assessed_on"] = "2026-06-30"
		}
		f.Create(t, "/v1/assets", asset)
	}
	for name, c := range map[string]struct{ request, want fields }{
		"the whole organization is the worked case": {fields{},
			fields{"avg_condition_rating": 3, "pct_good_or_better": 50, "pct_past_useful_life": 33.33, "fci_pct": 17.5}},
		"within two years":  {fields{"horizon_years": 2}, fields{"fci_pct": 57.5}},
		"within five years": {fields{"horizon_years": 5}, fields{"fci_pct": 95.5}},
		"a site with its buildings": {fields{"site_ids": []any{f.site[0]}},
			fields{"avg_condition_rating": 2.67, "pct_good_or_better": 66.67, "pct_past_useful_life": 33.33, "fci_pct": 29.17}},
		"a building with its systems": {fields{"building_ids": []any{f.building[0]}},
			fields{"avg_condition_rating": 1.5, "pct_good_or_better": 100, "pct_past_useful_life": 50, "fci_pct": 30.91}},
		"what is named twice counts once": {fields{"site_ids": []any{f.site[0]}, "building_ids": []any{f.building[0]}},
			fields{"avg_condition_rating": 2.67, "fci_pct": 29.17}},
		"sites and buildings add up": {fields{"site_ids": []any{f.site[0]}, "building_ids": []any{f.building[1]}},
			fields{"avg_condition_rating": 3, "fci_pct": 17.5}},
		"what is not known is not guessed": {fields{"building_ids": []any{f.building[1]}},
			fields{"avg_condition_rating": 4, "pct_good_or_better": 0, "pct_past_useful_life": nil, "fci_pct": 0}},
		"places that hold nothing":             {fields{"site_ids": []any{user}}, unknown},
		"empty lists are the whole once more":  {fields{"site_ids": []any{}, "building_ids": []any{}}, fields{"fci_pct": 17.5}},
		"the life of assets is that of as_of":  {fields{"building_ids": []any{f.building[0]}}, fields{"pct_past_useful_life": 50}},
		"a horizon that reaches the renewals":  {fields{"building_ids": []any{f.building[1]}, "horizon_years": 2}, fields{"fci_pct": 100}},
		"a horizon that does not reach so far": {fields{"building_ids": []any{f.building[1]}, "horizon_years": 1}, fields{"fci_pct": 0}},
	} {
		t.Run(name, func(t *testing.T) {
			resourcetest.Expect(t, portfolioIndicators(t, f.Client, c.request), c.want)
		})
	}
	f.at(t, "2026-06-30T09:00:00-04:00", func() {
		f.Must(t, http.StatusOK, "PATCH", fmt.Sprint("/v1/buildings/", f.building[0]), fields{"replacement_cost": 1_700_000})
	})
	resourcetest.Expect(t, portfolioIndicators(t, f.Client, fields{"building_ids": []any{f.building[0]}}),
		fields{"fci_pct": 10}) // of the appraisal
	resourcetest.Expect(t, portfolioIndicators(t, f.Other(), fields{}), unknown)
	resourcetest.Expect(t, portfolioIndicators(t, f.Other(), fields{"site_ids": []any{f.site[0]}}), unknown)
	f.Must(t, http.StatusBadRequest, "POST", "/internal/assets/figures", fields{"horizon_years": 51})
	f.Must(t, http.StatusBadRequest, "POST", "/internal/assets/figures", fields{"as_of": "2026-02-30"})
}
