package assets

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"ams.internal/libs/resource/resourcetest"
)

func TestWhatStandsIsInstalledAndNotDisposedOf(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	soon, year := time.Now().AddDate(9, 0, 0).Format(time.DateOnly), time.Now().Year()+9
	never, farYear := time.Now().AddDate(10, 0, 2).Format(time.DateOnly), time.Now().Year()+11
	later := time.Now().AddDate(0, 0, 2).Format(time.DateOnly)
	asset, system := "/v1/assets", "/v1/systems"
	for i, c := range []struct {
		path    string
		body    fields
		refused []string
	}{
		{asset, fields{"install_date": soon}, []string{"install_date", "status"}},
		{asset, fields{"install_date": later, "status": "out_of_service"}, []string{"install_date", "status"}},
		{asset, fields{"install_year": year}, []string{"install_year", "status"}},
		{asset, fields{"disposed_on": "2020-05-01"}, []string{"disposed_on", "status"}},
		{asset, fields{"disposed_on": "2020-05-01", "status": "planned"}, []string{"disposed_on", "status"}},
		{asset, fields{"install_date": soon, "status": "planned"}, nil},
		{asset, fields{"install_date": never, "status": "planned"}, []string{"install_date"}},
		{asset, fields{"install_year": farYear}, []string{"install_year"}},
		{system, fields{"install_date": "9999-12-31", "status": "planned"}, []string{"install_date"}},
		{"/v1/buildings", fields{"site_id": f.site[0], "year_built": farYear, "status": "planned"}, []string{"year_built"}},
		{asset, fields{"install_year": time.Now().Year()}, nil}, // a year alone may be any day of it
		{asset, fields{"disposed_on": "2020-05-01", "status": "disposed"}, nil},
		{asset, fields{"disposed_on": "2020-05-01", "status": "decommissioned"}, nil},
		{system, fields{"install_date": soon}, []string{"install_date", "status"}},
		{system, fields{"install_year": year}, []string{"install_year", "status"}},
		{system, fields{"install_year": year, "status": "planned"}, nil},
		{"/v1/buildings", fields{"site_id": f.site[0], "year_built": year}, []string{"status", "year_built"}},
		{"/v1/buildings", fields{"site_id": f.site[0], "year_built": year, "status": "planned"}, nil},
	} {
		c.body["name"] = fmt.Sprint("No ", i)
		if c.refused == nil {
			f.Create(t, c.path, c.body)
			continue
		}
		refused := f.Must(t, http.StatusBadRequest, "POST", c.path, c.body)
		if got := slices.Sorted(slices.Values(refused.Fields())); !slices.Equal(got, c.refused) {
			t.Errorf("%v: refused %v, want %v: %s", c.body, got, c.refused, refused.Body)
		}
		inBulk := f.Must(t, http.StatusBadRequest, "POST", c.path+"/bulk",
			fields{"data": []fields{{"name": "Sound", "site_id": f.site[0]}, c.body}})
		for j, field := range c.refused {
			if got := slices.Sorted(slices.Values(inBulk.Fields())); len(got) != len(c.refused) || got[j] != "data[1]."+field {
				t.Errorf("%v: in a bulk call refused %v", c.body, got)
			}
		}
		if way := maps.Clone(c.body); strings.Contains(string(refused.Body), "set status to planned") { // the step that the message names
			way["status"] = "planned"
			f.Create(t, c.path, way)
		}
	}
}

func TestWhatWasStoredAsToComeStaysEditable(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	planned := f.Create(t, "/v1/assets", fields{"name": "Future", "status": "planned",
		"install_date": time.Now().AddDate(5, 0, 0).Format(time.DateOnly)})
	path := fmt.Sprint("/v1/assets/", planned["id"])
	refused := f.Must(t, http.StatusBadRequest, "PATCH", path, fields{"status": "in_service"})
	if got := slices.Sorted(slices.Values(refused.Fields())); !slices.Equal(got, []string{"install_date", "status"}) {
		t.Errorf("refused %v", got)
	}
	// As releases before took it.
	if _, err := owner(t, f.database).Exec(t.Context(),
		`UPDATE asset SET status = 'in_service', disposed_on = '2020-05-01', install_date = '2090-01-01', install_year = 2090 WHERE id = $1`,
		planned["id"]); err != nil {
		t.Fatal(err)
	}
	f.Must(t, http.StatusOK, "PATCH", path, fields{"notes": "Still to come", "condition_rating": 2})
	for field, body := range map[string]fields{"install_date": {"install_date": time.Now().AddDate(6, 0, 0).Format(time.DateOnly)},
		"disposed_on": {"disposed_on": "2020-05-02"}} {
		refused := f.Must(t, http.StatusBadRequest, "PATCH", path, body)
		if !slices.Contains(refused.Fields(), field) || !slices.Contains(refused.Fields(), "status") ||
			strings.Contains(string(refused.Body), "set status to planned") { // no way leads back to planned
			t.Errorf("%v: %s", body, refused.Body)
		}
	}
	f.Must(t, http.StatusOK, "PATCH", path, fields{"install_date": "2019-04-01", "install_year": nil, "disposed_on": nil})
}

func TestAveragesOfAgeLeaveOutWhatIsToCome(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for i, asset := range []fields{{"install_date": "2006-07-01", "replacement_cost": 100}, {"replacement_cost": 900},
		{"status": "planned", "replacement_cost": 5000}} {
		asset["name"], asset["building_id"] = fmt.Sprint("Partie ", i), f.building[0]
		f.Create(t, "/v1/assets", asset)
	}
	// As releases before took it.
	if _, err := owner(t, f.database).Exec(t.Context(),
		`UPDATE asset SET status = 'in_service', install_date = '2090-07-01', install_year = 2090 WHERE name = 'Partie 2' AND building_id = $1`,
		f.building[0]); err != nil {
		t.Fatal(err)
	}
	want := fields{"average_age_years": 50, "weighted_age_years": 50}
	for day, want := range map[string]fields{"2056-07-01": want, "2090-07-01": {"average_age_years": 42, "weighted_age_years": 1.6}} {
		got := summary(t, f.Client, "/v1/buildings", f.building[0], "as_of="+day)
		resourcetest.Expect(t, got, want)
		resourcetest.Expect(t, got, fields{"counts.assets": 3, "data_quality.without_installation": 1})
		assetsOnly := *f.Client
		assetsOnly.Principal.Scopes = []string{"assets:read"}
		state := assetsOnly.Must(t, http.StatusOK, "GET", "/v1/reports/state-of-infrastructure?as_of="+day, nil).JSON["total"].(fields)
		resourcetest.Expect(t, state, want)
		resourcetest.Expect(t, state, fields{"data_gaps.without_installation": 1})
	}
}
