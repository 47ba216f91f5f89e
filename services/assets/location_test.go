package assets

import (
	"fmt"
	"net/http"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/postgres/postgrestest"
	"ams.internal/libs/resource/resourcetest"
)

// fixture is two sites with a building each, a system in each building, one on the first site, and one of nowhere.
type fixture struct {
	*resourcetest.Client
	database *postgrestest.Database

	site, building, system [2]any
	ofSite, nowhere        any
}

func newFixture(t testing.TB) fixture {
	var f fixture
	f.Client, f.database = serveOn(t)
	for i := range 2 {
		f.site[i] = f.Create(t, "/v1/sites", fields{"name": fmt.Sprint("Site ", i)})["id"]
		f.building[i] = f.Create(t, "/v1/buildings", fields{"name": fmt.Sprint("Pavillon ", i), "site_id": f.site[i]})["id"]
		f.system[i] = f.Create(t, "/v1/systems", fields{"name": fmt.Sprint("Chauffage ", i), "building_id": f.building[i]})["id"]
	}
	f.ofSite = f.Create(t, "/v1/systems", fields{"name": "Éclairage", "site_id": f.site[0]})["id"]
	f.nowhere = f.Create(t, "/v1/systems", fields{"name": "Téléphonie"})["id"]
	return f
}

func TestTheSpecificFillsTheGeneral(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for _, c := range []struct {
		name    string
		body    fields
		refused string
		want    fields
	}{
		{"a system gives building and site", fields{"system_id": f.system[0]}, "", fields{"building_id": f.building[0], "site_id": f.site[0]}},
		{"a building gives the site", fields{"building_id": f.building[1]}, "", fields{"site_id": f.site[1]}},
		{"a site's system gives the site", fields{"system_id": f.ofSite}, "", fields{"building_id": nil, "site_id": f.site[0]}},
		{"in a building of that site", fields{"system_id": f.ofSite, "building_id": f.building[0]}, "",
			fields{"building_id": f.building[0], "site_id": f.site[0]}},
		{"a system of nowhere gives nothing", fields{"system_id": f.nowhere}, "", fields{"building_id": nil, "site_id": nil}},
		{"a system of nowhere is in any building", fields{"system_id": f.nowhere, "building_id": f.building[1]}, "",
			fields{"site_id": f.site[1]}},
		{"all three agree", fields{"system_id": f.system[0], "building_id": f.building[0], "site_id": f.site[0]}, "",
			fields{"site_id": f.site[0]}},
		{"nowhere at all", fields{}, "", fields{"system_id": nil, "building_id": nil, "site_id": nil}},
		{"the building is on another site", fields{"building_id": f.building[0], "site_id": f.site[1]}, "site_id", nil},
		{"the system is in another building", fields{"system_id": f.system[0], "building_id": f.building[1]}, "building_id", nil},
		{"the system is on another site", fields{"system_id": f.system[0], "site_id": f.site[1]}, "site_id", nil},
		{"a site's system with a building elsewhere", fields{"system_id": f.ofSite, "building_id": f.building[1]}, "building_id", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.body["name"] = "Pompe"
			if c.refused == "" {
				resourcetest.Expect(t, f.Create(t, "/v1/assets", c.body), c.want)
			} else if response := f.Must(t, http.StatusBadRequest, "POST", "/v1/assets", c.body); !slices.Contains(response.Fields(), c.refused) {
				t.Errorf("refused %v, want %s", response.Fields(), c.refused)
			}
		})
	}
	f.Must(t, http.StatusBadRequest, "POST", "/v1/systems", fields{"name": "X", "building_id": f.building[0], "site_id": f.site[1]})
}

func TestPatchingWhereAnAssetIs(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for _, c := range []struct {
		name          string
		before, patch fields
		refused       string
		want          fields
	}{
		{"another system takes the asset along", fields{"system_id": f.system[0]}, fields{"system_id": f.system[1]}, "",
			fields{"building_id": f.building[1], "site_id": f.site[1]}},
		{"another building takes it along", fields{"building_id": f.building[0]}, fields{"building_id": f.building[1]}, "",
			fields{"site_id": f.site[1]}},
		{"another building, against the system that stays", fields{"system_id": f.system[0]}, fields{"building_id": f.building[1]},
			"building_id", nil},
		{"another building, out of the system", fields{"system_id": f.system[0]}, fields{"building_id": f.building[1], "system_id": nil},
			"", fields{"system_id": nil, "site_id": f.site[1]}},
		{"another site, against the building that stays", fields{"building_id": f.building[0]}, fields{"site_id": f.site[1]}, "site_id", nil},
		{"another site, out of the building", fields{"building_id": f.building[0]}, fields{"site_id": f.site[1], "building_id": nil}, "",
			fields{"building_id": nil, "site_id": f.site[1]}},
		{"out of the system it stays in the building", fields{"system_id": f.system[0]}, fields{"system_id": nil}, "",
			fields{"building_id": f.building[0], "site_id": f.site[0]}},
		{"a site's system elsewhere takes it out of its building", fields{"building_id": f.building[1]}, fields{"system_id": f.ofSite},
			"", fields{"building_id": nil, "site_id": f.site[0]}},
		{"the whole record with another system", fields{"system_id": f.system[0]},
			fields{"system_id": f.system[1], "building_id": f.building[0], "site_id": f.site[0]}, "",
			fields{"building_id": f.building[1], "site_id": f.site[1]}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.before["name"] = "Pompe"
			path := fmt.Sprint("/v1/assets/", f.Create(t, "/v1/assets", c.before)["id"])
			if c.refused == "" {
				resourcetest.Expect(t, f.Must(t, http.StatusOK, "PATCH", path, c.patch).JSON, c.want)
			} else if response := f.Must(t, http.StatusBadRequest, "PATCH", path, c.patch); !slices.Contains(response.Fields(), c.refused) {
				t.Errorf("refused %v, want %s", response.Fields(), c.refused)
			}
		})
	}
}

func TestBulkRowsAreResolvedOneByOne(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	response := f.Must(t, http.StatusOK, "POST", "/v1/assets/bulk?atomic=false", fields{"data": []fields{
		{"name": "1", "system_id": f.system[0]},
		{"name": "2", "system_id": f.system[1], "building_id": f.building[0]},
		{"name": "3", "building_id": f.building[1]},
	}})
	var status []string
	for _, result := range response.JSON["results"].([]any) {
		status = append(status, result.(fields)["status"].(string))
	}
	if !slices.Equal(status, []string{"created", "failed", "created"}) {
		t.Errorf("rows are %v: %s", status, response.Body)
	}
	if found, _ := f.List(t, fmt.Sprint("/v1/assets?site_id=", f.site[1])); len(found) != 1 || found[0]["name"] != "3" {
		t.Errorf("on the second site: %v", found)
	}
}

// countEvents counts the events of the organization in the service's outbox.
func countEvents(t testing.TB, f fixture) int {
	t.Helper()
	db, err := pgx.Connect(t.Context(), f.database.OwnerURL)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close(t.Context())
	var count int
	err = db.QueryRow(t.Context(), "SELECT count(*) FROM outbox WHERE organization_id = $1", f.Principal.OrganizationID).Scan(&count)
	if err != nil {
		t.Fatal(err)
	}
	return count
}

// Places of one name stand apart by their sites.
func TestGroupsByPlaceNameTheirSite(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for i := range f.building {
		f.Must(t, http.StatusOK, "PATCH", fmt.Sprint("/v1/buildings/", f.building[i]), fields{"name": "Pavillon"})
		f.Create(t, "/v1/assets", fields{"name": "Pompe", "system_id": f.system[i], "replacement_cost": 100 * (i + 1)})
	}
	f.Create(t, "/v1/assets", fields{"name": "Pompe", "system_id": f.nowhere})
	for groupBy, want := range map[string][3]fields{
		"building_id": {{"name": "Pavillon", "site_name": "Site 0", "site_id": f.site[0]},
			{"name": "Pavillon", "site_name": "Site 1"}, {"name": "No building"}},
		"system_id": {{"name": "Chauffage 0", "site_name": "Site 0"}, {"name": "Chauffage 1", "site_name": "Site 1"}, {"name": "Téléphonie"}},
		"site_id":   {{"name": "Site 0"}, {"name": "Site 1"}, {"name": "No site"}},
	} {
		list := f.Must(t, http.StatusOK, "GET", "/v1/assets?totals=true&per_page=1&group_by="+groupBy, nil).JSON
		shown := list["totals"].(fields)["groups"].([]any)
		if len(shown) != len(want) {
			t.Fatalf("%s: %v", groupBy, shown)
		}
		for _, group := range shown {
			group := group.(fields)
			i := map[any]int{100.0: 0, 200.0: 1, 0.0: 2}[group["replacement_cost"]]
			resourcetest.Expect(t, group, want[i])
			if want[i]["site_name"] == nil && group["site_name"] != nil {
				t.Errorf("%s: %v", groupBy, group)
			}
		}
	}
}
