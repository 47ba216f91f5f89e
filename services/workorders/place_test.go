package workorders

import (
	"fmt"
	"net/http"
	"slices"
	"testing"

	"ams.internal/libs/resource/resourcetest"
)

func TestTheSpecificFillsTheGeneral(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for _, c := range []struct {
		name    string
		body    fields
		refused string
		want    fields
	}{
		{"an asset gives system, building and site", fields{"asset_id": assetIDs[0]}, "",
			fields{"system_id": systemIDs[0], "building_id": buildingIDs[0], "site_id": siteIDs[0]}},
		{"an asset outside of buildings gives the site", fields{"asset_id": fence}, "",
			fields{"system_id": nil, "building_id": nil, "site_id": siteIDs[0]}},
		{"in a building of that site", fields{"asset_id": fence, "building_id": buildingIDs[0]}, "",
			fields{"building_id": buildingIDs[0], "site_id": siteIDs[0]}},
		{"an asset of nowhere gives nothing", fields{"asset_id": tablet}, "", fields{"system_id": nil, "building_id": nil, "site_id": nil}},
		{"an asset of nowhere can be anywhere", fields{"asset_id": tablet, "building_id": buildingIDs[1]}, "", fields{"site_id": siteIDs[1]}},
		{"a system gives building and site", fields{"system_id": systemIDs[1]}, "", fields{"building_id": buildingIDs[1], "site_id": siteIDs[1]}},
		{"a building gives the site", fields{"building_id": buildingIDs[1]}, "", fields{"site_id": siteIDs[1]}},
		{"a segment gives the site", fields{"segment_id": segment}, "", fields{"site_id": siteIDs[0], "building_id": nil}},
		{"a segment beside an asset of its site", fields{"segment_id": segment, "asset_id": assetIDs[0]}, "", fields{"site_id": siteIDs[0]}},
		{"a project says nothing about the place", fields{"project_id": project, "site_id": siteIDs[0]}, "", fields{"site_id": siteIDs[0]}},
		{"all agree", fields{"asset_id": assetIDs[1], "system_id": systemIDs[1], "building_id": buildingIDs[1], "site_id": siteIDs[1]},
			"", fields{"site_id": siteIDs[1]}},
		{"the asset is in another system", fields{"asset_id": assetIDs[0], "system_id": systemIDs[1]}, "system_id", nil},
		{"the asset is in another building", fields{"asset_id": assetIDs[0], "building_id": buildingIDs[1]}, "building_id", nil},
		{"the asset is on another site", fields{"asset_id": assetIDs[0], "site_id": siteIDs[1]}, "site_id", nil},
		{"the asset is on another site than the building", fields{"asset_id": fence, "building_id": buildingIDs[1]}, "building_id", nil},
		{"the asset is on another site than the system", fields{"asset_id": fence, "system_id": systemIDs[1]}, "system_id", nil},
		{"the system is in another building", fields{"system_id": systemIDs[0], "building_id": buildingIDs[1]}, "building_id", nil},
		{"the building is on another site", fields{"building_id": buildingIDs[0], "site_id": siteIDs[1]}, "site_id", nil},
		{"the segment is on another site", fields{"segment_id": segment, "site_id": siteIDs[1]}, "site_id", nil},
		{"the segment is on another site than the asset", fields{"segment_id": segment, "asset_id": assetIDs[1]}, "segment_id", nil},
		{"nobody's asset", fields{"asset_id": nobody}, "asset_id", nil},
		{"nobody's segment", fields{"segment_id": nobody}, "segment_id", nil},
		{"nobody's project", fields{"project_id": nobody}, "project_id", nil},
		{"an active assignee", fields{"assignee_id": user}, "", fields{"assignee_id": user}},
		{"a suspended one", fields{"assignee_id": suspended}, "assignee_id", nil},
		{"an unknown one", fields{"assignee_id": nobody}, "assignee_id", nil},
		{"an active team", fields{"team_id": team}, "", fields{"team_id": team}},
		{"an inactive one", fields{"team_id": disbanded}, "team_id", nil},
		{"an unknown vendor", fields{"vendor_id": nobody}, "vendor_id", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.body["title"] = c.name
			if c.refused == "" {
				resourcetest.Expect(t, f.Create(t, "/v1/work-orders", c.body), c.want)
			} else if response := f.Refused(t, "POST", "/v1/work-orders", c.body); !slices.Contains(response.Fields(),
				c.refused) {
				t.Errorf("refused %v, want %s: %s", response.Fields(), c.refused, response.Body)
			}
		})
	}
}

func TestPatchingWhereTheWorkIs(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for _, c := range []struct {
		name          string
		before, patch fields
		refused       string
		want          fields
	}{
		{"another asset takes the place along", fields{"asset_id": assetIDs[0]}, fields{"asset_id": assetIDs[1]}, "",
			fields{"system_id": systemIDs[1], "building_id": buildingIDs[1], "site_id": siteIDs[1]}},
		{"an asset outside leaves the building of another site", fields{"asset_id": assetIDs[1]}, fields{"asset_id": fence}, "",
			fields{"system_id": nil, "building_id": nil, "site_id": siteIDs[0]}},
		{"without its asset it stays where it was", fields{"asset_id": assetIDs[0]}, fields{"asset_id": nil}, "",
			fields{"system_id": systemIDs[0], "site_id": siteIDs[0]}},
		{"another building, against the asset that stays", fields{"asset_id": assetIDs[0]}, fields{"building_id": buildingIDs[1]},
			"building_id", nil},
		{"another asset, against the segment that stays", fields{"segment_id": segment}, fields{"asset_id": assetIDs[1]}, "asset_id", nil},
		{"a segment, against the asset that stays", fields{"asset_id": assetIDs[1]}, fields{"segment_id": segment}, "segment_id", nil},
		{"a segment where the site stayed behind", fields{"site_id": siteIDs[1]}, fields{"segment_id": segment}, "",
			fields{"site_id": siteIDs[0]}},
		{"the whole record with another asset", fields{"asset_id": assetIDs[0]},
			fields{"asset_id": assetIDs[1], "system_id": systemIDs[0], "building_id": buildingIDs[0], "site_id": siteIDs[0]}, "",
			fields{"site_id": siteIDs[1]}},
		{"out of the site by hand", fields{"site_id": siteIDs[0]}, fields{"site_id": nil}, "", fields{"site_id": nil}},
	} {
		t.Run(c.name, func(t *testing.T) {
			path, _ := f.create(t, c.before)
			if c.refused == "" {
				resourcetest.Expect(t, f.Must(t, http.StatusOK, "PATCH", path, c.patch).JSON, c.want)
			} else if response := f.Must(t, http.StatusBadRequest, "PATCH", path, c.patch); !slices.Contains(response.Fields(), c.refused) {
				t.Errorf("refused %v, want %s: %s", response.Fields(), c.refused, response.Body)
			}
		})
	}
}

func TestSegmentsAndProjectsNeedTheirFeature(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	path, record := f.create(t, fields{"segment_id": segment, "project_id": project})
	plain := *f.Client
	plain.Principal.Features = []string{"api_access"}
	for field, c := range map[string]struct{ id, feature string }{"segment_id": {segment, "Infrastructure"},
		"project_id": {project, "Projects"}} {
		other, _ := f.create(t, fields{})
		for _, id := range []string{c.id, nobody} { // whether there is such a record is not disclosed
			for _, response := range []fields{
				plain.Must(t, http.StatusForbidden, "POST", "/v1/work-orders", fields{"title": "x", field: id}).JSON,
				plain.Must(t, http.StatusForbidden, "PATCH", other, fields{field: id}).JSON,
				plain.Must(t, http.StatusForbidden, "POST", "/v1/work-orders/bulk", fields{"data": []fields{{"title": "x", field: id}}}).JSON,
			} {
				if response["code"] == "feature_not_in_plan" {
					resourcetest.Expect(t, response, fields{"feature": c.feature})
				} else if results, _ := response["results"].([]any); len(results) != 1 || results[0].(fields)["code"] != "feature_not_in_plan" {
					t.Errorf("%s: %v", field, response)
				}
			}
		}
		with := plain
		with.Principal.Features = []string{"api_access", map[string]string{"segment_id": "infrastructure", "project_id": "projects"}[field]}
		with.Must(t, http.StatusCreated, "POST", "/v1/work-orders", fields{"title": "x", field: c.id})
	}
	// A smaller plan takes nothing away: what is there can be read, sent back, changed elsewhere and cleared.
	plain.Must(t, http.StatusOK, "PATCH", path, record)
	plain.Must(t, http.StatusOK, "PATCH", path, fields{"title": "Autre", "segment_id": nil})
	plain.Must(t, http.StatusForbidden, "PATCH", path, fields{"segment_id": segment})
	plain.Must(t, http.StatusOK, "GET", path+"?expand=assignee", nil)
	resourcetest.Expect(t, plain.Must(t, http.StatusForbidden, "GET", path+"?expand=project", nil).JSON,
		fields{"code": "feature_not_in_plan", "feature": "Projects"})
}

func TestReferencesAreAskedForOncePerCall(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	rows := []fields{}
	for i := range 200 {
		rows = append(rows, fields{"title": fmt.Sprint(i), "asset_id": assetIDs[i%2], "assignee_id": user})
	}
	made := f.Must(t, http.StatusOK, "POST", "/v1/work-orders/bulk", fields{"data": rows}).JSON["data"].([]any)
	resourcetest.Expect(t, made[199].(fields), fields{"site_id": siteIDs[1], "assignee_id": user})
	for path, limit := range map[string]int{"assets": 1, "users": 1, "systems": 1, "buildings": 1, "sites": 1} {
		if requests := f.peers.Requests("/internal/references/" + path); requests > limit {
			t.Errorf("%s were looked up %d times", path, requests)
		}
	}
	f.List(t, "/v1/work-orders?per_page=200&expand=asset,assignee")
	if requests := f.peers.Requests("/internal/references/assets"); requests != 2 {
		t.Errorf("assets were looked up %d times, want once more for the names", requests)
	}
}

func TestUnavailableOwnersAreA503AndNothingIsWritten(t *testing.T) {
	f := newFixtureAlone(t)
	path, _ := f.create(t, fields{})
	f.peers.Leave()
	if response := f.Must(t, http.StatusServiceUnavailable, "POST", "/v1/work-orders",
		fields{"title": "x", "asset_id": assetIDs[0]}); response.Header.Get("Retry-After") == "" {
		t.Error("a 503 without Retry-After")
	}
	f.Must(t, http.StatusServiceUnavailable, "PATCH", path, fields{"assignee_id": user})
	f.Must(t, http.StatusServiceUnavailable, "DELETE", path, nil)
	f.Must(t, http.StatusServiceUnavailable, "POST", path+"/costs", fields{"kind": "other", "user_id": user})
	f.Must(t, http.StatusOK, "PATCH", path, fields{"title": "Autre"}) // what refers to no other service is written
	if _, pagination := f.List(t, "/v1/work-orders"); pagination["total"] != 1.0 {
		t.Errorf("there are %v work orders, want 1", pagination["total"])
	}
}
