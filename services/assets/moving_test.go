package assets

import (
	"fmt"
	"net/http"
	"sync"
	"testing"

	"ams.internal/libs/resource/resourcetest"
)

func TestMovingABuildingMovesWhatIsInside(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	inSystem := f.Create(t, "/v1/assets", fields{"name": "Pompe", "system_id": f.system[0]})
	inBuilding := f.Create(t, "/v1/assets", fields{"name": "Porte", "building_id": f.building[0]})
	onSite := f.Create(t, "/v1/assets", fields{"name": "Clôture", "site_id": f.site[0]})
	f.Must(t, http.StatusOK, "PATCH", fmt.Sprint("/v1/buildings/", f.building[0]), fields{"site_id": f.site[1]})

	moved := fields{"site_id": f.site[1], "building_id": f.building[0], "version": 2}
	resourcetest.Expect(t, f.Must(t, http.StatusOK, "GET", fmt.Sprint("/v1/systems/", f.system[0]), nil).JSON, moved)
	for _, asset := range []fields{inSystem, inBuilding} {
		path := fmt.Sprint("/v1/assets/", asset["id"])
		resourcetest.Expect(t, f.Must(t, http.StatusOK, "GET", path, nil).JSON, moved)
		history, _ := f.List(t, path+"/history")
		if len(history) != 2 {
			t.Fatalf("history of %v: %v", asset["name"], history)
		}
		change := history[0]["changes"].(fields)["site_id"]
		if history[0]["version"] == 1.0 {
			change = history[1]["changes"].(fields)["site_id"]
		}
		if want := fmt.Sprint(fields{"old": f.site[0], "new": f.site[1]}); fmt.Sprint(change) != want {
			t.Errorf("history says %v, want %s", change, want)
		}
	}
	resourcetest.Expect(t, f.Must(t, http.StatusOK, "GET", fmt.Sprint("/v1/assets/", onSite["id"]), nil).JSON,
		fields{"site_id": f.site[0], "version": 1})
}

func TestMovingWritesAnEventPerRecord(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for i := range 3 {
		f.Create(t, "/v1/assets", fields{"name": fmt.Sprint("Pompe ", i), "building_id": f.building[0]})
	}
	before := countEvents(t, f)
	f.Must(t, http.StatusOK, "PATCH", fmt.Sprint("/v1/buildings/", f.building[0]), fields{"site_id": f.site[1]})
	if written := countEvents(t, f) - before; written != 5 { // the building, its system, three assets
		t.Errorf("%d events, want 5", written)
	}
}

func TestABuildingWithAssetsInSystemsOfItsSiteStays(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	asset := f.Create(t, "/v1/assets", fields{"name": "Lampadaire", "system_id": f.ofSite, "building_id": f.building[0]})
	conflict := f.Must(t, http.StatusConflict, "PATCH", fmt.Sprint("/v1/buildings/", f.building[0]), fields{"site_id": f.site[1]}).JSON
	resourcetest.Expect(t, conflict, fields{"field": "site_id", "code": "assets_in_site_system"})
	f.Must(t, http.StatusOK, "PATCH", fmt.Sprint("/v1/assets/", asset["id"]), fields{"system_id": nil})
	f.Must(t, http.StatusOK, "PATCH", fmt.Sprint("/v1/buildings/", f.building[0]), fields{"site_id": f.site[1]})
}

func TestMovingASystemMovesItsAssets(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for _, c := range []struct {
		name        string
		from        fields // of the system, before and after
		to          fields
		asset, want fields
	}{
		{"to another building", fields{"building_id": f.building[0]}, fields{"building_id": f.building[1]}, nil,
			fields{"building_id": f.building[1], "site_id": f.site[1]}},
		{"out of its building, on the same site", fields{"building_id": f.building[0]}, fields{"building_id": nil}, nil,
			fields{"building_id": f.building[0], "site_id": f.site[0]}},
		{"to another site, away from the buildings of the old one", fields{"site_id": f.site[0]}, fields{"site_id": f.site[1]},
			fields{"building_id": f.building[0]}, fields{"building_id": nil, "site_id": f.site[1]}},
		{"to no place", fields{"site_id": f.site[0]}, fields{"site_id": nil}, nil, fields{"site_id": f.site[0]}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.from["name"] = c.name
			system := f.Create(t, "/v1/systems", c.from)["id"]
			body := fields{"name": "Pompe", "system_id": system}
			for name, value := range c.asset {
				body[name] = value
			}
			asset := f.Create(t, "/v1/assets", body)["id"]
			f.Must(t, http.StatusOK, "PATCH", fmt.Sprint("/v1/systems/", system), c.to)
			resourcetest.Expect(t, f.Must(t, http.StatusOK, "GET", fmt.Sprint("/v1/assets/", asset), nil).JSON, c.want)
		})
	}
}

func TestManyAssetsMove(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for range 3 {
		rows := make([]fields, 800)
		for i := range rows {
			rows[i] = fields{"name": "Pompe", "system_id": f.system[0]}
		}
		f.Must(t, http.StatusOK, "POST", "/v1/assets/bulk", fields{"data": rows})
	}
	f.Must(t, http.StatusOK, "PATCH", fmt.Sprint("/v1/buildings/", f.building[0]), fields{"site_id": f.site[1]})
	if _, pagination := f.List(t, fmt.Sprint("/v1/assets?site_id=", f.site[1])); pagination["total"] != 2400.0 {
		t.Errorf("%v of 2400 assets moved", pagination["total"])
	}
}

// Assets that are put into a building while it moves end on the site where the building ends.
func TestNothingIsLeftBehindByAMove(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	var work sync.WaitGroup
	for i := range 4 {
		work.Go(func() {
			for range 15 {
				place := fields{"name": "Porte", "building_id": f.building[0]}
				if i%2 == 0 {
					place = fields{"name": "Pompe", "system_id": f.system[0]}
				}
				if response := f.Do(t, "POST", "/v1/assets", place); response.Status != http.StatusCreated {
					t.Errorf("put into a moving building: %d %s", response.Status, response.Body)
				}
			}
		})
	}
	for i := range 20 {
		f.Must(t, http.StatusOK, "PATCH", fmt.Sprint("/v1/buildings/", f.building[0]), fields{"site_id": f.site[(i+1)%2]})
	}
	work.Wait()
	site := f.Must(t, http.StatusOK, "GET", fmt.Sprint("/v1/buildings/", f.building[0]), nil).JSON["site_id"]
	assets, pagination := f.List(t, fmt.Sprintf("/v1/assets?building_id=%v&per_page=1000", f.building[0]))
	if pagination["total"] != 60.0 {
		t.Errorf("%v assets, want 60", pagination["total"])
	}
	for _, asset := range assets {
		if asset["site_id"] != site {
			t.Errorf("asset %v is on %v, its building on %v", asset["asset_tag"], asset["site_id"], site)
		}
	}
}
