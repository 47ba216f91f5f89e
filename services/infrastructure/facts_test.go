package infrastructure

import (
	"net/http"
	"slices"
	"testing"

	"ams.internal/libs/resource"
	"ams.internal/libs/resource/resourcetest"
)

func TestWhatFollowsUnlessItIsGiven(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	network := newNetwork(t, f.Client, "road")
	today := resource.Today(t.Context())
	checkRules(t, f, "/v1/infrastructure/segments", fields{"network_id": network}, []ruleCase{
		{"asphalt is paved", fields{"surface_type": "asphalt"}, "", fields{"paved": true, "paved_computed": true}},
		{"however it is written", fields{"surface_type": " Surface_Treated "}, "", fields{"paved": true, "paved_computed": true}},
		{"gravel is not", fields{"surface_type": "gravel"}, "", fields{"paved": false, "paved_computed": true}},
		{"of other words nobody knows", fields{"surface_type": "enrobé"}, "", fields{"paved": nil}}, //nolint:misspell // French
		{"what is given goes first", fields{"surface_type": "gravel", "paved": true}, "", fields{"paved": true, "paved_computed": false}},
		{"limits of a bridge", fields{"clearance_limit_m": 3.9, "width_limit_m": 2.5}, "", fields{"clearance_limit_m": 3.9,
			"width_limit_m": 2.5}},
		{"a negative limit", fields{"clearance_limit_m": -1}, "clearance_limit_m", nil},
		{"a liner without a year", fields{"relined_useful_life_years": 50}, "relined_useful_life_years", nil},
		{"1.005 m at 1.00", fields{"length_m": 1.005, "replacement_unit_cost_per_m": 1}, "", fields{"replacement_cost": 1.01}},
		{"0 m", fields{"length_m": 0, "replacement_unit_cost_per_m": 1850.55}, "", fields{"replacement_cost": 0,
			"replacement_cost_computed": true}},

		{"costs without a day", fields{"replacement_cost": 5, "deferred_maintenance_cost": 1}, "",
			fields{"replacement_cost_as_of": nil, "deferred_maintenance_as_of": nil, "replacement_cost_year": nil}},
		{"costs of a year", fields{"replacement_cost": 5, "deferred_maintenance_cost": 1, "replacement_cost_year": 2025}, "",
			fields{"replacement_cost_as_of": "2025-01-01", "deferred_maintenance_as_of": "2025-01-01"}},
		{"a year without costs", fields{"replacement_cost_year": 2025}, "", fields{"replacement_cost_as_of": nil,
			"deferred_maintenance_as_of": nil}},
		{"prices of next year are of today", fields{"replacement_cost": 5, "replacement_cost_year": 2199}, "",
			fields{"replacement_cost_as_of": today}},
		{"a day that is given", fields{"replacement_cost": 5, "replacement_cost_year": 2025, "replacement_cost_as_of": "2024-12-31"}, "",
			fields{"replacement_cost_as_of": "2024-12-31"}},
		{"a cost of tomorrow", fields{"replacement_cost": 5, "replacement_cost_as_of": daysFrom(t, 0, 1)}, "replacement_cost_as_of", nil},
		{"maintenance of tomorrow", fields{"deferred_maintenance_cost": 5, "deferred_maintenance_as_of": daysFrom(t, 0, 1)},
			"deferred_maintenance_as_of", nil},

		{"gone, and nobody knows when", fields{"status": "removed"}, "", fields{"out_of_use_on": nil}},
		{"gone on a day", fields{"status": "abandoned", "out_of_use_on": "2020-03-01"}, "", fields{"out_of_use_on": "2020-03-01"}},
		{"gone tomorrow", fields{"status": "abandoned", "out_of_use_on": daysFrom(t, 0, 1)}, "out_of_use_on", nil},
		{"gone before it came", fields{"status": "abandoned", "out_of_use_on": "2020-03-01", "install_date": "2020-03-02"}, "out_of_use_on", nil},
		{"gone on the day it came", fields{"status": "abandoned", "out_of_use_on": "2020-03-01", "install_date": "2020-03-01"}, "",
			fields{"out_of_use_on": "2020-03-01"}},
		{"gone in a year before it came", fields{"status": "abandoned", "out_of_use_on": "2020-03-01", "install_year": 2021}, "out_of_use_on",
			nil},
		{"gone and in service", fields{"out_of_use_on": "2020-03-01"}, "out_of_use_on", nil},
	})
	for query, want := range map[string]int{"paved=true": 3, "paved=false": 1, "surface_type=gravel&paved=false": 1,
		"out_of_use_on_to=2020-12-31": 2,
		"clearance_limit_m_min=3":     1, "replacement_cost_year=2025": 3} {
		if found, _ := f.List(t, "/v1/infrastructure/segments?"+query); len(found) != want {
			t.Errorf("%s finds %d, want %d", query, len(found), want)
		}
	}
	segment := f.Create(t, "/v1/infrastructure/segments", fields{"network_id": network, "name": "Rue", "surface_type": "asphalt"})
	patch := func(body fields) fields {
		t.Helper()
		return f.Must(t, http.StatusOK, "PATCH", pathOf(segment), body).JSON
	}
	read := patch(fields{"surface_type": "concrete"})
	read["surface_type"] = "gravel" // what was read, with another surface
	resourcetest.Expect(t, patch(read), fields{"paved": false, "paved_computed": true})
	resourcetest.Expect(t, patch(fields{"paved": true}), fields{"paved": true, "paved_computed": false})
	resourcetest.Expect(t, patch(fields{"surface_type": "earth"}), fields{"paved": true, "paved_computed": false})
	resourcetest.Expect(t, patch(fields{"paved": nil}), fields{"paved": false, "paved_computed": true})
}

func TestTheDayOfACostIsThatOfItsChange(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	network, today := newNetwork(t, f.Client, "road"), resource.Today(t.Context())
	create := func(body fields) (fields, func(fields) fields) {
		body["network_id"], body["name"] = network, "Rue"
		segment := f.Create(t, "/v1/infrastructure/segments", body)
		return segment, func(body fields) fields {
			t.Helper()
			return f.Must(t, http.StatusOK, "PATCH", pathOf(segment), body).JSON
		}
	}
	_, patch := create(fields{"replacement_cost": 100, "replacement_cost_year": 2020, "deferred_maintenance_cost": 7})
	resourcetest.Expect(t, patch(fields{"name": "Avenue", "replacement_cost": 100}), fields{"replacement_cost_as_of": "2020-01-01",
		"deferred_maintenance_as_of": "2020-01-01", "replacement_cost_year": 2020})
	resourcetest.Expect(t, patch(fields{"replacement_cost": 130}), fields{"replacement_cost_as_of": today, "replacement_cost_year": nil,
		"deferred_maintenance_as_of": "2020-01-01"})
	resourcetest.Expect(t, patch(fields{"replacement_cost": 140, "replacement_cost_year": 2023, "replacement_cost_as_of": "2023-06-30"}),
		fields{"replacement_cost_as_of": "2023-06-30", "replacement_cost_year": 2023})
	resourcetest.Expect(t, patch(fields{"deferred_maintenance_cost": nil}), fields{"deferred_maintenance_cost": nil,
		"deferred_maintenance_as_of": today, "replacement_cost_as_of": "2023-06-30"}) // not known since today
	resourcetest.Expect(t, patch(fields{"deferred_maintenance_cost": 3, "deferred_maintenance_as_of": "2024-01-02"}),
		fields{"deferred_maintenance_as_of": "2024-01-02"})
	if refused := f.Must(t, http.StatusBadRequest, "PATCH", pathOf(patch(fields{})), fields{"replacement_cost": 1,
		"replacement_cost_as_of": daysFrom(t, 0, 1)}); !slices.Equal(refused.Fields(), []string{"replacement_cost_as_of"}) {
		t.Errorf("refused %v", refused.Fields())
	}

	// A computed cost is as old as the cost per metre: another length does not make it newer.
	_, patch = create(fields{"length_m": 10, "replacement_unit_cost_per_m": 100, "replacement_cost_year": 2020})
	resourcetest.Expect(t, patch(fields{"length_m": 20}), fields{"replacement_cost": 2000, "replacement_cost_as_of": "2020-01-01",
		"replacement_cost_year": 2020})
	resourcetest.Expect(t, patch(fields{"replacement_unit_cost_per_m": 110}), fields{"replacement_cost": 2200, "replacement_cost_as_of": today,
		"replacement_cost_year": nil})
}

func TestTheEndOfUseIsStampedAndCleared(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	network, today := newNetwork(t, f.Client, "road"), resource.Today(t.Context())
	segment := f.Create(t, "/v1/infrastructure/segments", fields{"network_id": network, "name": "Rue", "install_date": "1990-01-01"})
	patch := func(body fields) fields {
		t.Helper()
		return f.Must(t, http.StatusOK, "PATCH", pathOf(segment), body).JSON
	}
	resourcetest.Expect(t, patch(fields{"status": "out_of_service"}), fields{"out_of_use_on": nil})
	resourcetest.Expect(t, patch(fields{"status": "abandoned"}), fields{"out_of_use_on": today})
	read := patch(fields{"out_of_use_on": "2026-03-01"})
	resourcetest.Expect(t, read, fields{"out_of_use_on": "2026-03-01"})
	read["status"] = "in_service" // what was read, with another status
	resourcetest.Expect(t, patch(read), fields{"out_of_use_on": nil})
	resourcetest.Expect(t, patch(fields{"status": "abandoned", "out_of_use_on": "2025-12-31"}), fields{"out_of_use_on": "2025-12-31"})
	resourcetest.Expect(t, patch(fields{"status": "removed"}), fields{"out_of_use_on": "2025-12-31"})
	resourcetest.Expect(t, patch(fields{"out_of_use_on": nil}), fields{"out_of_use_on": nil}) // nobody knows when
	planned := f.Create(t, "/v1/infrastructure/segments", fields{"network_id": network, "name": "Rue", "status": "planned"})
	resourcetest.Expect(t, f.Must(t, http.StatusOK, "PATCH", pathOf(planned), fields{"status": "removed"}).JSON,
		fields{"out_of_use_on": today})
}

func TestALinerLengthensTheLifeOfASegment(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	network := newNetwork(t, f.Client, "sanitary_sewer")
	// 76 years old in 2026, with a life of 70: over, but for its liner, whose 500 years outlast this test.
	body := fields{"network_id": network, "name": "Conduite", "install_year": 1950, "expected_useful_life_years": 70}
	segment := f.Create(t, "/v1/infrastructure/segments", body)
	resourcetest.Expect(t, segment, fields{"past_useful_life": true})
	lined := f.Must(t, http.StatusOK, "PATCH", pathOf(segment), fields{"relined_year": 2010, "relined_useful_life_years": 500}).JSON
	resourcetest.Expect(t, lined, fields{"past_useful_life": false, "age_years": segment["age_years"]})
	if lined["remaining_life_years"].(float64) < 100 {
		t.Errorf("%v years remain", lined["remaining_life_years"])
	}
	if found, _ := f.List(t, "/v1/infrastructure/segments?past_useful_life=true"); len(found) != 0 {
		t.Errorf("%d are past their life", len(found))
	}
}

func TestANetworkSaysToWhichServiceItBelongs(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	network := f.Create(t, "/v1/infrastructure/networks", fields{"name": "Piste", "asset_class": "trail"})
	resourcetest.Expect(t, network, fields{"service_category": nil})
	f.Create(t, "/v1/infrastructure/networks", fields{"name": "Chemin", "asset_class": "road", "service_category": "parks_recreation"})
	if found, _ := f.List(t,
		"/v1/infrastructure/networks?service_category=parks_recreation"); len(found) != 1 || found[0]["name"] != "Chemin" {
		t.Errorf("found %v", found)
	}
}
