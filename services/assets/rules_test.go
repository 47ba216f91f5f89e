package assets

import (
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"testing"
	"time"

	"ams.internal/libs/resource"
	"ams.internal/libs/resource/resourcetest"
)

type fields = map[string]any

// ruleCase is a body and what becomes of it: the field that is refused, or fields of the record.
type ruleCase struct {
	name    string
	body    fields
	refused string
	want    fields
}

func checkRules(t *testing.T, client *resourcetest.Client, path string, cases []ruleCase) {
	t.Helper()
	for i, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			c.body["name"] = fmt.Sprintf("%s %d", path, i)
			if c.refused != "" {
				if response := client.Refused(t, "POST", path, c.body); !slices.Contains(response.Fields(), c.refused) {
					t.Errorf("refused %v, want %s: %s", response.Fields(), c.refused, response.Body)
				}
				return
			}
			resourcetest.Expect(t, client.Create(t, path, c.body), c.want)
		})
	}
}

func TestPlaceRules(t *testing.T) {
	t.Parallel()
	client := serve(t)
	checkRules(t, client, "/v1/sites", []ruleCase{
		{"a Canadian postal code is written in its usual form", fields{"postal_code": "g9a1v4"}, "",
			fields{"postal_code": "G9A 1V4", "country": "CA"}},
		{"a hyphen in a postal code is a space", fields{"postal_code": "K1A-0B1"}, "", fields{"postal_code": "K1A 0B1"}},
		{"a letter that Canada does not use", fields{"postal_code": "D1A 1A1"}, "postal_code", nil},
		{"another country's code in Canada", fields{"postal_code": "90210"}, "postal_code", nil},
		{"another country's code there", fields{"postal_code": "90210", "country": "US"}, "", fields{"postal_code": "90210"}},
		{"a country is two capitals", fields{"country": "Canada"}, "country", nil},
		{"latitude without longitude", fields{"latitude": 45.5}, "longitude", nil},
		{"longitude without latitude", fields{"longitude": -73.5}, "latitude", nil},
		{"north of the pole", fields{"latitude": 90.01, "longitude": 0}, "latitude", nil},
		{"the equator at Greenwich is a position", fields{"latitude": 0, "longitude": 0}, "", fields{"latitude": 0, "longitude": 0}},
		{"an unknown province", fields{"province": "XX"}, "province", nil},
		{"an unknown site type", fields{"site_type": "castle"}, "site_type", nil},
		{"a manager whom nobody knows", fields{"manager_user_id": "019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e12"}, "manager_user_id", nil},
		{"a site is active unless said otherwise", fields{}, "", fields{"status": "active", "country": "CA"}},
	})
	elsewhere := client.Create(t, "/v1/sites", fields{"name": "Vermont", "country": "US"})["id"]
	here := client.Create(t, "/v1/sites", fields{"name": "Québec"})["id"]
	checkRules(t, client, "/v1/buildings", []ruleCase{
		{"a building takes the site's country for its postal code", fields{"site_id": here, "postal_code": "05401"}, "postal_code", nil},
		{"abroad as well", fields{"site_id": elsewhere, "postal_code": "05401"}, "", fields{"postal_code": "05401"}},
		{"its own country goes first", fields{"site_id": elsewhere, "country": "CA", "postal_code": "h2x 1y6"}, "",
			fields{"postal_code": "H2X 1Y6"}},
		{"renovated before it was built", fields{"site_id": here, "year_built": 1964, "year_renovated": 1963}, "year_renovated", nil},
		{"renovated in the year it was built", fields{"site_id": here, "year_built": 1964, "year_renovated": 1964}, "",
			fields{"year_renovated": 1964}},
		{"a building needs a site", fields{}, "site_id", nil},
		{"a negative area", fields{"site_id": here, "gross_floor_area_m2": -1}, "gross_floor_area_m2", nil},
		{"three decimals of a dollar", fields{"site_id": here, "replacement_cost": 1.005}, "replacement_cost", nil},
	})
}

func TestPatchedResultIsChecked(t *testing.T) {
	t.Parallel()
	client := serve(t)
	site := client.Create(t, "/v1/sites", fields{"name": "Site", "latitude": 45.5, "longitude": -73.5})
	building := client.Create(t, "/v1/buildings", fields{"name": "B", "site_id": site["id"], "year_built": 1990, "year_renovated": 2000})
	asset := client.Create(t, "/v1/assets", fields{"name": "A", "acquisition_cost": 100, "residual_value": 50})
	for path, c := range map[string]struct {
		body    fields
		refused string
	}{
		fmt.Sprint("/v1/sites/", site["id"]):         {fields{"latitude": nil}, "latitude"},
		fmt.Sprint("/v1/buildings/", building["id"]): {fields{"year_built": 2001}, "year_renovated"},
		fmt.Sprint("/v1/assets/", asset["id"]):       {fields{"acquisition_cost": 49.99}, "residual_value"},
	} {
		if response := client.Must(t, http.StatusBadRequest, "PATCH", path, c.body); !slices.Contains(response.Fields(), c.refused) {
			t.Errorf("PATCH %s: refused %v, want %s", path, response.Fields(), c.refused)
		}
	}
}

func TestLifecycleRules(t *testing.T) {
	t.Parallel()
	client := serve(t)
	for _, path := range []string{"/v1/systems", "/v1/assets"} {
		checkRules(t, client, path, []ruleCase{
			{"the date fills the year", fields{"install_date": "2011-08-15"}, "", fields{"install_year": 2011}},
			{"a year against the date", fields{"install_date": "2011-08-15", "install_year": 2012}, "install_year", nil},
			{"a date that does not exist", fields{"install_date": "2023-02-29"}, "install_date", nil},
			{"the category follows from the group of D", fields{"uniformat_code": "D2010"}, "", fields{"category": "plumbing"}},
			{"and from the letter elsewhere", fields{"uniformat_code": "B3010"}, "", fields{"category": "shell"}},
			{"D alone says too little", fields{"uniformat_code": "D"}, "", fields{"category": nil}},
			{"a category that is given stays", fields{"uniformat_code": "D3020", "category": "controls"}, "", fields{"category": "controls"}},
			{"three digits are no UNIFORMAT II code", fields{"uniformat_code": "D302"}, "uniformat_code", nil},
			{"neither is a letter after G", fields{"uniformat_code": "H10"}, "uniformat_code", nil},
			{"a rating of 6", fields{"condition_rating": 6}, "condition_rating", nil},
			{"a life of no years", fields{"expected_useful_life_years": 0}, "expected_useful_life_years", nil},
		})
	}
	asset := client.Create(t, "/v1/assets", fields{"name": "Pompe", "install_date": "2011-08-15"})
	path := fmt.Sprint("/v1/assets/", asset["id"])
	asset["install_date"] = "2012-01-01"
	resourcetest.Expect(t, client.Must(t, http.StatusOK, "PATCH", path, asset).JSON, fields{"install_year": 2012})
	client.Must(t, http.StatusBadRequest, "PATCH", path, fields{"install_year": 2013})
	resourcetest.Expect(t, client.Must(t, http.StatusOK, "PATCH", path, fields{"install_date": nil, "install_year": 2013}).JSON,
		fields{"install_year": 2013, "install_date": nil})
}

func TestAssetRules(t *testing.T) {
	t.Parallel()
	client := serve(t)
	checkRules(t, client, "/v1/assets", []ruleCase{
		{"a disposed asset has a day of disposal", fields{"status": "disposed"}, "disposed_on", nil},
		{"with one it can be loaded as disposed", fields{"status": "disposed", "disposed_on": "2020-05-01"}, "", fields{"status": "disposed"}},
		{"the residual value exceeds the cost", fields{"acquisition_cost": 100, "residual_value": 100.01}, "residual_value", nil},
		{"the residual value is the cost", fields{"acquisition_cost": 100, "residual_value": 100}, "", fields{"residual_value": 100}},
		{"tags are numbered", fields{}, "", fields{"status": "in_service", "amortization_method": "straight_line"}},
		{"an unknown responsible user", fields{"responsible_user_id": "019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e12"}, "responsible_user_id", nil},
		{"a negative cost", fields{"replacement_cost": -0.01}, "replacement_cost", nil},
		{"more money than there is", fields{"replacement_cost": 10_000_000_000_000}, "replacement_cost", nil},
		{"all the money there is", fields{"replacement_cost": 9_999_999_999_999.99}, "", fields{"replacement_cost": 9_999_999_999_999.99}},
	})
}

func TestCodesAreNumbered(t *testing.T) {
	t.Parallel()
	client := serve(t)
	site := client.Create(t, "/v1/sites", fields{"name": "Site"})
	resourcetest.Expect(t, site, fields{"code": "SITE-0001"})
	resourcetest.Expect(t, client.Create(t, "/v1/buildings", fields{"name": "B", "site_id": site["id"]}), fields{"code": "BLD-0001"})
	resourcetest.Expect(t, client.Create(t, "/v1/systems", fields{"name": "S"}), fields{"code": "SYS-0001"})
	resourcetest.Expect(t, client.Create(t, "/v1/assets", fields{"name": "A"}), fields{"asset_tag": "A-000001"})
	resourcetest.Expect(t, client.Create(t, "/v1/assets", fields{"name": "A"}), fields{"asset_tag": "A-000002"})
}

func TestNamesAreUniqueWhereTheyAreUsed(t *testing.T) {
	t.Parallel()
	client := serve(t)
	one, two := client.Create(t, "/v1/sites", fields{"name": "Un"})["id"], client.Create(t, "/v1/sites", fields{"name": "Deux"})["id"]
	client.Must(t, http.StatusConflict, "POST", "/v1/sites", fields{"name": " UN "})
	building := client.Create(t, "/v1/buildings", fields{"name": "Aréna", "site_id": one})
	other := client.Create(t, "/v1/buildings", fields{"name": "Aréna", "site_id": two})
	clash := client.Must(t, http.StatusConflict, "POST", "/v1/buildings", fields{"name": "ARÉNA", "site_id": one}).JSON
	resourcetest.Expect(t, clash, fields{"field": "name", "value": "ARÉNA", "existing_id": building["id"]})
	client.Must(t, http.StatusConflict, "PATCH", fmt.Sprint("/v1/buildings/", other["id"]), fields{"site_id": one})

	for name, place := range map[string]fields{
		"in a building":       {"name": "Toit", "building_id": building["id"]},
		"in another building": {"name": "Toit", "building_id": other["id"]},
		"on a site":           {"name": "Toit", "site_id": one},
		"in the organization": {"name": "Toit"},
	} {
		t.Run(name, func(t *testing.T) {
			system := client.Create(t, "/v1/systems", place)
			place["name"] = "TOIT"
			resourcetest.Expect(t, client.Must(t, http.StatusConflict, "POST", "/v1/systems", place).JSON,
				fields{"field": "name", "existing_id": system["id"]})
		})
	}
}

func TestDerivedFigures(t *testing.T) {
	t.Parallel()
	client := serve(t)
	tenYearsAgo := time.Now().UTC().AddDate(-10, 0, 0).Format(time.DateOnly)
	asset := client.Create(t, "/v1/assets", fields{
		"name": "Chaudière", "install_date": tenYearsAgo, "expected_useful_life_years": 25, "acquisition_cost": 120000,
		"acquisition_date": tenYearsAgo,
		"condition_rating": 4, "consequence_of_failure": 3,
	})
	resourcetest.Expect(t, asset, fields{
		"age_years": 10, "remaining_life_years": 15, "past_useful_life": false, "condition_grade": "poor",
		"condition_assessed_on": resource.Today(t.Context()),
		"risk_score":            12, "risk_level": "high", "currency": "CAD",
		"net_book_value": nil, // book values are the ledger's
	})
	path := fmt.Sprint("/v1/assets/", asset["id"])
	resourcetest.Expect(t, client.Must(t, http.StatusOK, "PATCH", path,
		fields{"probability_of_failure": 5, "expected_useful_life_years": 9}).JSON,
		fields{"risk_score": 15, "risk_level": "very_high", "past_useful_life": true, "remaining_life_years": -1})
	resourcetest.Expect(t, client.Create(t, "/v1/assets", fields{"name": "Inconnu"}), fields{
		"age_years": nil, "remaining_life_years": nil, "past_useful_life": nil, "condition_grade": nil, "risk_score": nil,
		"risk_level": nil, "net_book_value": nil,
	})
	for query, want := range map[string]int{"past_useful_life=true": 1, "past_useful_life=false": 0, "risk_score_min=15": 1,
		"risk_score_min=16": 0, "uniformat_code=D": 0} {
		if found, _ := client.List(t, "/v1/assets?"+query); len(found) != want {
			t.Errorf("%s finds %d, want %d", query, len(found), want)
		}
	}
}

func TestProblemsAreNamedInPlainWords(t *testing.T) {
	t.Parallel()
	client := serve(t)
	response := client.Must(t, http.StatusBadRequest, "POST", "/v1/assets",
		fields{"uniformat_code": "H10", "category": "roof", "condition_rating": 2.5})
	want := map[string]string{
		"name":           "is required",
		"uniformat_code": "must be a UNIFORMAT II code such as D, D30, D3020 or D302001",
		"category": "must be one of substructure, shell, interiors, plumbing, hvac, fire_protection, electrical, conveying, " +
			"controls, equipment_furnishings, special_construction, sitework, other",
		"condition_rating": "must be a whole number",
	}
	for _, entry := range response.JSON["fields"].([]any) {
		problem := entry.(fields)
		if field := problem["field"].(string); problem["message"] != want[field] {
			t.Errorf("%s: %q, want %q", field, problem["message"], want[field])
		}
		delete(want, problem["field"].(string))
	}
	if len(want) > 0 {
		t.Errorf("not named: %v", want)
	}
}

func TestWhatIsInUseIsNotDeleted(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	asset := f.Create(t, "/v1/assets", fields{"name": "Pompe", "system_id": f.system[0], "condition_rating": 3})["id"]
	part := f.Create(t, "/v1/assets", fields{"name": "Moteur", "parent_asset_id": asset})["id"]
	for path, want := range map[string]fields{
		fmt.Sprint("/v1/sites/", f.site[0]):         {"buildings": 1.0, "systems": 2.0, "assets": 1.0},
		fmt.Sprint("/v1/buildings/", f.building[0]): {"systems": 1.0, "assets": 1.0},
		fmt.Sprint("/v1/systems/", f.system[0]):     {"assets": 1.0},
		fmt.Sprint("/v1/assets/", asset):            {"assets": 1.0},
	} {
		if conflict := f.Must(t, http.StatusConflict, "DELETE", path, nil).JSON; !reflect.DeepEqual(conflict["dependents"], want) {
			t.Errorf("DELETE %s: dependents %v, want %v", path, conflict["dependents"], want)
		}
	}
	// The parts of a call may go together, and an asset's assessments go with it.
	f.Must(t, http.StatusOK, "DELETE", "/v1/assets/bulk", fields{"data": []fields{{"id": asset}, {"id": part}}})
	f.Must(t, http.StatusNoContent, "DELETE", fmt.Sprint("/v1/systems/", f.system[0]), nil)
}
