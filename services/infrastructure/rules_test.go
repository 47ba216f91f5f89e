package infrastructure

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"testing"
	"time"

	"ams.internal/libs/resource"
	"ams.internal/libs/resource/resourcetest"
)

func escape(text string) string { return url.QueryEscape(text) }

// ruleCase is a body and what becomes of it: the field that is refused, or fields of the record.
type ruleCase struct {
	name    string
	body    fields
	refused string
	want    fields
}

func checkRules(t *testing.T, f *fixture, path string, common fields, cases []ruleCase) {
	t.Helper()
	for i, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			body := fields{"name": fmt.Sprintf("%s %d", path, i)}
			for _, part := range []fields{common, c.body} {
				for name, value := range part {
					body[name] = value
				}
			}
			if c.refused != "" {
				if response := f.Refused(t, "POST", path, body); !slices.Contains(response.Fields(), c.refused) {
					t.Errorf("refused %v, want %s: %s", response.Fields(), c.refused, response.Body)
				}
				return
			}
			resourcetest.Expect(t, f.Create(t, path, body), c.want)
		})
	}
}

func TestSegmentRules(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	plain := newNetwork(t, f.Client, "road")
	line := fields{"type": "LineString", "coordinates": []any{[]any{-79.3832, 43.6532}, []any{-79.3832, 43.6632}}}
	checkRules(t, f, "/v1/infrastructure/segments", fields{"network_id": plain}, []ruleCase{
		{"a segment is in service unless said otherwise", fields{}, "", fields{"status": "in_service", "currency": "CAD", "length_m": nil}},
		{"the date fills the year", fields{"install_date": "1978-09-15"}, "", fields{"install_year": 1978}},
		{"a year against the date", fields{"install_date": "1978-09-15", "install_year": 1979}, "install_year", nil},
		{"relined before it was built", fields{"install_year": 1978, "relined_year": 1977}, "relined_year", nil},
		{"relined in the year it was built", fields{"install_year": 1978, "relined_year": 1978}, "", fields{"relined_year": 1978}},
		{"a road class of 7", fields{"road_class": 7}, "road_class", nil},
		{"a functional class that nobody knows", fields{"functional_class": "highway"}, "functional_class", nil},
		{"a negative length", fields{"length_m": -1}, "length_m", nil},
		{"a rating of 6", fields{"condition_rating": 6}, "condition_rating", nil},
		{"a site that nobody has", fields{"site_id": "019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e12"}, "site_id", nil},
		{"attributes hold plain values", fields{"attributes": fields{"a": []any{1}}}, "attributes.a", nil},
		{"the slope of a sewer", fields{"upstream_invert_m": 101.7, "downstream_invert_m": 100.5, "length_m": 80}, "", fields{"slope_pct": 1.5}},
		{"without a length there is no slope", fields{"upstream_invert_m": 101.7, "downstream_invert_m": 100.5}, "", fields{"slope_pct": nil}},
		{"the lanes of a road", fields{"lanes": 4, "length_m": 1500}, "", fields{"lane_km": 6}},
		{"length times cost per metre", fields{"length_m": 80, "replacement_unit_cost_per_m": 1850.55}, "",
			fields{"replacement_cost": 148044, "replacement_cost_computed": true}},
		{"of the computed length as well", fields{"geometry": line, "replacement_unit_cost_per_m": 100}, "",
			fields{"replacement_cost": 111106, "replacement_cost_computed": true}},
		{"a cost that is given stays", fields{"length_m": 80, "replacement_unit_cost_per_m": 100, "replacement_cost": 9000}, "",
			fields{"replacement_cost": 9000, "replacement_cost_computed": false}},
		{"a cost per metre without a length", fields{"replacement_unit_cost_per_m": 100}, "",
			fields{"replacement_cost": nil, "replacement_cost_computed": false}},
		{"more than all the money there is", fields{"length_m": 99_999_999, "replacement_unit_cost_per_m": 9_999_999_999},
			"replacement_unit_cost_per_m", nil},
	})
	ready := f.Create(t, "/v1/infrastructure/networks",
		fields{"name": "Aqueduc", "asset_class": "water_main", "default_useful_life_years": 80, "default_unit_cost_per_m": 1000})["id"]
	checkRules(t, f, "/v1/infrastructure/segments", fields{"network_id": ready, "length_m": 50}, []ruleCase{
		{"what the network says of all", fields{}, "",
			fields{"expected_useful_life_years": 80, "replacement_unit_cost_per_m": 1000, "replacement_cost": 50000}},
		{"what the segment says goes first", fields{"expected_useful_life_years": 60, "replacement_unit_cost_per_m": 900}, "",
			fields{"expected_useful_life_years": 60, "replacement_cost": 45000}},
		{"a cost needs no cost per metre", fields{"replacement_cost": 1}, "", fields{"replacement_unit_cost_per_m": nil, "replacement_cost": 1}},
	})
	segment := f.Create(t, "/v1/infrastructure/segments", fields{"network_id": ready, "name": "Conduite", "length_m": 50})
	path := fmt.Sprint("/v1/infrastructure/segments/", segment["id"])
	patch := func(body fields) fields { t.Helper(); return f.Must(t, http.StatusOK, "PATCH", path, body).JSON }
	resourcetest.Expect(t, patch(fields{"length_m": 60}), fields{"replacement_cost": 60000, "replacement_cost_computed": true})
	resourcetest.Expect(t, patch(fields{"replacement_cost": 7}), fields{"replacement_cost": 7, "replacement_cost_computed": false})
	resourcetest.Expect(t, patch(fields{"length_m": 70}), fields{"replacement_cost": 7})
	resourcetest.Expect(t, patch(fields{"replacement_cost": nil}), fields{"replacement_cost": 70000, "replacement_cost_computed": true})
	resourcetest.Expect(t, patch(fields{"expected_useful_life_years": nil}),
		fields{"expected_useful_life_years": nil}) // a default is for new ones
}

func TestSegmentFigures(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	network := newNetwork(t, f.Client, "sanitary_sewer")
	tenYearsAgo := time.Now().UTC().AddDate(-10, 0, 0).Format(time.DateOnly)
	segment := f.Create(t, "/v1/infrastructure/segments",
		fields{"network_id": network, "name": "Conduite", "install_date": tenYearsAgo, "expected_useful_life_years": 25,
			"condition_rating": 4, "consequence_of_failure": 3})
	resourcetest.Expect(t, segment, fields{"age_years": 10, "remaining_life_years": 15, "past_useful_life": false,
		"condition_grade": "poor", "condition_assessed_on": resource.Today(t.Context()),
		"risk_score": 12, "risk_level": "high", "segment_code": "SEG-000001"})
	path := fmt.Sprint("/v1/infrastructure/segments/", segment["id"])
	resourcetest.Expect(t, f.Must(t, http.StatusOK, "PATCH", path, fields{"probability_of_failure": 5, "expected_useful_life_years": 9}).JSON,
		fields{"risk_score": 15, "risk_level": "very_high", "past_useful_life": true, "remaining_life_years": -1})
	resourcetest.Expect(t, f.Create(t, "/v1/infrastructure/segments", fields{"network_id": network, "name": "Inconnue"}),
		fields{"age_years": nil, "remaining_life_years": nil, "past_useful_life": nil, "condition_grade": nil, "risk_score": nil,
			"risk_level": nil, "lane_km": nil, "slope_pct": nil})
	for query, want := range map[string]int{"past_useful_life=true": 1, "past_useful_life=false": 0, "risk_score_min=15": 1,
		"risk_score_min=16":          0,
		"asset_class=sanitary_sewer": 2, "asset_class=road": 0, "network_id=" + network.(string): 2, "condition_rating_min=4": 1} {
		if found, _ := f.List(t, "/v1/infrastructure/segments?"+query); len(found) != want {
			t.Errorf("%s finds %d, want %d", query, len(found), want)
		}
	}
	f.Must(t, http.StatusBadRequest, "GET", "/v1/infrastructure/segments?asset_class=canal", nil)
}

func TestSegmentTransitions(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	network := newNetwork(t, f.Client, "road")
	all := []string{"planned", "in_service", "out_of_service", "abandoned", "removed"}
	allowed := map[string][]string{"planned": {"in_service", "removed"}, "in_service": {"out_of_service", "abandoned"},
		"out_of_service": {"in_service", "abandoned"}, "abandoned": {"removed", "in_service"}, "removed": {}}
	for _, from := range all {
		for _, to := range all {
			path := fmt.Sprint("/v1/infrastructure/segments/",
				f.Create(t, "/v1/infrastructure/segments", fields{"network_id": network, "name": "Rue", "status": from})["id"])
			response := f.Do(t, "PATCH", path, fields{"status": to})
			switch good := from == to || slices.Contains(allowed[from], to); {
			case good && response.Status != http.StatusOK:
				t.Errorf("%s → %s: %d %s", from, to, response.Status, response.Body)
			case !good && (response.Status != http.StatusConflict || fmt.Sprint(response.JSON["allowed"]) != fmt.Sprint(allowed[from]) ||
				response.JSON["value"] != to):
				t.Errorf("%s → %s: %d %s", from, to, response.Status, response.Body)
			}
		}
	}
}

func TestASegmentWithOpenWorkOrdersIsNotRetired(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	segment := f.Create(t, "/v1/infrastructure/segments", fields{"network_id": newNetwork(t, f.Client, "road"), "name": "Rue"})["id"].(string)
	path := "/v1/infrastructure/segments/" + segment
	f.refer[segment] = 2
	refused := f.Must(t, http.StatusConflict, "PATCH", path, fields{"status": "abandoned"}).JSON
	if fmt.Sprint(refused["dependents"]) != "map[work_orders:2]" {
		t.Errorf("refused with %v", refused)
	}
	if refused = f.Must(t, http.StatusConflict, "DELETE", path, nil).JSON; fmt.Sprint(refused["dependents"]) != "map[work_orders:2]" {
		t.Errorf("refused with %v", refused)
	}
	f.Must(t, http.StatusOK, "PATCH", path, fields{"status": "out_of_service"})
	f.unavailable.Store(true)
	delete(f.refer, segment)
	f.Must(t, http.StatusServiceUnavailable, "PATCH", path, fields{"status": "abandoned"})
	f.Must(t, http.StatusServiceUnavailable, "DELETE", path, nil)
	f.unavailable.Store(false)
	f.Must(t, http.StatusOK, "PATCH", path, fields{"status": "abandoned"})
	f.Must(t, http.StatusNoContent, "DELETE", path, nil)
}

func TestAssetClassIsFixedOnceThereAreSegments(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	network := newNetwork(t, f.Client, "road")
	path := fmt.Sprint("/v1/infrastructure/networks/", network)
	resourcetest.Expect(t, f.Must(t, http.StatusOK, "PATCH", path, fields{"asset_class": "trail"}).JSON, fields{"asset_class": "trail"})
	segment := f.Create(t, "/v1/infrastructure/segments", fields{"network_id": network, "name": "Sentier", "status": "planned"})["id"]
	refused := f.Must(t, http.StatusConflict, "PATCH", path, fields{"asset_class": "road"}).JSON
	resourcetest.Expect(t, refused, fields{"field": "asset_class", "value": "road", "code": "network_has_segments"})
	if fmt.Sprint(refused["dependents"]) != "map[segments:1]" {
		t.Errorf("refused with %v", refused)
	}
	f.Must(t, http.StatusOK, "PATCH", path, fields{"asset_class": "trail", "criticality": "low"})
	f.Must(t, http.StatusConflict, "DELETE", path, nil)
	f.Must(t, http.StatusNoContent, "DELETE", fmt.Sprint("/v1/infrastructure/segments/", segment), nil)
	f.Must(t, http.StatusOK, "PATCH", path, fields{"asset_class": "road"})
	f.Must(t, http.StatusNoContent, "DELETE", path, nil)
}

func TestAddOnIsNeededEverywhere(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	network := newNetwork(t, f.Client, "road")
	without := *f.Client
	without.Principal.Features = []string{"api_access"}
	for _, path := range []string{"networks", "segments", "inspections", fmt.Sprint("networks/", network),
		fmt.Sprintf("networks/%v/summary", network), fmt.Sprintf("networks/%v/history", network)} {
		refused := without.Must(t, http.StatusForbidden, "GET", "/v1/infrastructure/"+path, nil).JSON
		resourcetest.Expect(t, refused, fields{"code": "feature_not_in_plan"})
	}
	without.Must(t, http.StatusForbidden, "POST", "/v1/infrastructure/networks", fields{"name": "R", "asset_class": "road"})
	without.Must(t, http.StatusForbidden, "DELETE", fmt.Sprint("/v1/infrastructure/networks/", network), nil)
}
