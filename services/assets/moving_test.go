package main

import (
	"fmt"
	"net/http"
	"sync"
	"testing"

	"ams.internal/libs/resource/resourcetest"
)

func TestMovingABuildingMovesWhatIsInside(t *testing.T) {
	e := newFixture(t)
	inSystem := e.Create(t, "/v1/assets", fields{"name": "Pompe", "system_id": e.system[0]})
	inBuilding := e.Create(t, "/v1/assets", fields{"name": "Porte", "building_id": e.building[0]})
	onSite := e.Create(t, "/v1/assets", fields{"name": "Clôture", "site_id": e.site[0]})
	e.Must(t, http.StatusOK, "PATCH", fmt.Sprint("/v1/buildings/", e.building[0]), fields{"site_id": e.site[1]})

	moved := fields{"site_id": e.site[1], "building_id": e.building[0], "version": 2}
	resourcetest.Expect(t, e.Must(t, http.StatusOK, "GET", fmt.Sprint("/v1/systems/", e.system[0]), nil).JSON, moved)
	for _, asset := range []fields{inSystem, inBuilding} {
		path := fmt.Sprint("/v1/assets/", asset["id"])
		resourcetest.Expect(t, e.Must(t, http.StatusOK, "GET", path, nil).JSON, moved)
		history, _ := e.List(t, path+"/history")
		if len(history) != 2 {
			t.Fatalf("history of %v: %v", asset["name"], history)
		}
		change := history[0]["changes"].(fields)["site_id"]
		if history[0]["version"] == 1.0 {
			change = history[1]["changes"].(fields)["site_id"]
		}
		if want := fmt.Sprint(fields{"old": e.site[0], "new": e.site[1]}); fmt.Sprint(change) != want {
			t.Errorf("history says %v, want %s", change, want)
		}
	}
	resourcetest.Expect(t, e.Must(t, http.StatusOK, "GET", fmt.Sprint("/v1/assets/", onSite["id"]), nil).JSON, fields{"site_id": e.site[0], "version": 1})
}

func TestMovingWritesAnEventPerRecord(t *testing.T) {
	e := newFixture(t)
	for i := range 3 {
		e.Create(t, "/v1/assets", fields{"name": fmt.Sprint("Pompe ", i), "building_id": e.building[0]})
	}
	before := countEvents(t, e)
	e.Must(t, http.StatusOK, "PATCH", fmt.Sprint("/v1/buildings/", e.building[0]), fields{"site_id": e.site[1]})
	if written := countEvents(t, e) - before; written != 5 { // the building, its system, three assets
		t.Errorf("%d events, want 5", written)
	}
}

func TestABuildingWithAssetsInSystemsOfItsSiteStays(t *testing.T) {
	e := newFixture(t)
	asset := e.Create(t, "/v1/assets", fields{"name": "Lampadaire", "system_id": e.ofSite, "building_id": e.building[0]})
	refusal := e.Must(t, http.StatusConflict, "PATCH", fmt.Sprint("/v1/buildings/", e.building[0]), fields{"site_id": e.site[1]}).JSON
	resourcetest.Expect(t, refusal, fields{"field": "site_id", "code": "assets_in_site_system"})
	e.Must(t, http.StatusOK, "PATCH", fmt.Sprint("/v1/assets/", asset["id"]), fields{"system_id": nil})
	e.Must(t, http.StatusOK, "PATCH", fmt.Sprint("/v1/buildings/", e.building[0]), fields{"site_id": e.site[1]})
}

func TestMovingASystemMovesItsAssets(t *testing.T) {
	e := newFixture(t)
	for _, c := range []struct {
		name        string
		from        fields // of the system, before and after
		to          fields
		asset, want fields
	}{
		{"to another building", fields{"building_id": e.building[0]}, fields{"building_id": e.building[1]}, nil, fields{"building_id": e.building[1], "site_id": e.site[1]}},
		{"out of its building, on the same site", fields{"building_id": e.building[0]}, fields{"building_id": nil}, nil, fields{"building_id": e.building[0], "site_id": e.site[0]}},
		{"to another site, away from the buildings of the old one", fields{"site_id": e.site[0]}, fields{"site_id": e.site[1]}, fields{"building_id": e.building[0]}, fields{"building_id": nil, "site_id": e.site[1]}},
		{"to no place", fields{"site_id": e.site[0]}, fields{"site_id": nil}, nil, fields{"site_id": e.site[0]}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.from["name"] = c.name
			system := e.Create(t, "/v1/systems", c.from)["id"]
			body := fields{"name": "Pompe", "system_id": system}
			for name, value := range c.asset {
				body[name] = value
			}
			asset := e.Create(t, "/v1/assets", body)["id"]
			e.Must(t, http.StatusOK, "PATCH", fmt.Sprint("/v1/systems/", system), c.to)
			resourcetest.Expect(t, e.Must(t, http.StatusOK, "GET", fmt.Sprint("/v1/assets/", asset), nil).JSON, c.want)
		})
	}
}

func TestManyAssetsMove(t *testing.T) {
	e := newFixture(t)
	for range 3 {
		rows := make([]fields, 800)
		for i := range rows {
			rows[i] = fields{"name": "Pompe", "system_id": e.system[0]}
		}
		e.Must(t, http.StatusOK, "POST", "/v1/assets/bulk", fields{"data": rows})
	}
	e.Must(t, http.StatusOK, "PATCH", fmt.Sprint("/v1/buildings/", e.building[0]), fields{"site_id": e.site[1]})
	if _, pagination := e.List(t, fmt.Sprint("/v1/assets?site_id=", e.site[1])); pagination["total"] != 2400.0 {
		t.Errorf("%v of 2400 assets moved", pagination["total"])
	}
}

// Assets that are put into a building while it moves end on the site where the building ends.
func TestNothingIsLeftBehindByAMove(t *testing.T) {
	e := newFixture(t)
	var work sync.WaitGroup
	for i := range 4 {
		work.Go(func() {
			for range 15 {
				place := fields{"name": "Porte", "building_id": e.building[0]}
				if i%2 == 0 {
					place = fields{"name": "Pompe", "system_id": e.system[0]}
				}
				if answer := e.Do(t, "POST", "/v1/assets", place); answer.Status != http.StatusCreated {
					t.Errorf("put into a moving building: %d %s", answer.Status, answer.Body)
				}
			}
		})
	}
	for i := range 20 {
		e.Must(t, http.StatusOK, "PATCH", fmt.Sprint("/v1/buildings/", e.building[0]), fields{"site_id": e.site[(i+1)%2]})
	}
	work.Wait()
	site := e.Must(t, http.StatusOK, "GET", fmt.Sprint("/v1/buildings/", e.building[0]), nil).JSON["site_id"]
	assets, pagination := e.List(t, fmt.Sprintf("/v1/assets?building_id=%v&per_page=1000", e.building[0]))
	if pagination["total"] != 60.0 {
		t.Errorf("%v assets, want 60", pagination["total"])
	}
	for _, asset := range assets {
		if asset["site_id"] != site {
			t.Errorf("asset %v is on %v, its building on %v", asset["asset_tag"], asset["site_id"], site)
		}
	}
}
