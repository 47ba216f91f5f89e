package projects

import (
	"fmt"
	"net/http"
	"slices"
	"testing"

	"ams.internal/libs/resource/resourcetest"
)

func TestLinksReachEveryKindOfRecord(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	path := f.project(t, fields{}) + "/links"
	targets := map[string]string{
		"asset": f.asset, "segment": f.addRecord("segments", "Rue Laviolette", nil), "building": f.building,
		"system": f.addRecord("systems", "Chauffage", nil),
		"site":   f.site, "work_order": f.workOrder,
	}
	for kind, id := range targets {
		t.Run(kind, func(t *testing.T) {
			link := f.Create(t, path, fields{"target_type": kind, "target_id": id})
			resourcetest.Expect(t, link, fields{"target_type": kind, "target_id": id})
			resourcetest.Expect(t, f.Must(t, http.StatusConflict, "POST", path, fields{"target_type": kind, "target_id": id}).JSON,
				fields{"field": "target_id", "value": id, "existing_id": link["id"]})
			for other := range targets { // an id is of one kind only; another organization's is of none
				if other == kind {
					continue
				}
				if refused := f.Must(t, http.StatusNotFound, "POST", path,
					fields{"target_type": other, "target_id": id}); !slices.Equal(refused.Fields(), []string{"target_id"}) {
					t.Errorf("as %s refused %v", other, refused.Fields())
				}
				f.Must(t, http.StatusNotFound, "PATCH", fmt.Sprint(path, "/", link["id"]), fields{"target_type": other})
			}
			if found, _ := f.List(t, "/v1/projects?linked_to="+id); len(found) != 1 {
				t.Errorf("linked_to finds %d projects", len(found))
			}
			if found, _ := f.List(t, fmt.Sprintf("%s?target_type=%s&target_id=%s", path, kind, id)); len(found) != 1 {
				t.Errorf("the filters find %d links", len(found))
			}
			// The owner calls this before it deletes the record.
			response := f.Must(t, http.StatusOK, "POST", "/internal/dependents/"+kind+"s",
				fields{"ids": []string{id}, "open": false}).JSON["data"].([]any)
			if len(response) != 1 || response[0].(fields)["id"] != id {
				t.Fatalf("the owner gets %v", response)
			}
			resourcetest.Expect(t, response[0].(fields)["counts"].(fields), fields{"project_links": 1})
			response = f.Other().Must(t, http.StatusOK, "POST", "/internal/dependents/"+kind+"s",
				fields{"ids": []string{id}, "open": false}).JSON["data"].([]any)
			if len(response) != 0 {
				t.Errorf("in another organization the owner gets %v", response)
			}
		})
	}
	f.Must(t, http.StatusBadRequest, "POST", path, fields{"target_type": "user", "target_id": f.user})
	f.Must(t, http.StatusBadRequest, "POST", path, fields{"target_type": "asset"})
	f.Must(t, http.StatusBadRequest, "POST", path, fields{"target_id": f.asset})
	f.Must(t, http.StatusBadRequest, "POST", path, fields{"target_type": "asset", "target_id": "pompe"})
	f.Create(t, f.project(t, fields{})+"/links", fields{"target_type": "asset", "target_id": f.asset})
}

func TestABulkOfLinksAsksEachOwnerOnce(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	path := f.project(t, fields{}) + "/links"
	var rows []fields
	for range 50 {
		rows = append(rows, fields{"target_type": "asset", "target_id": f.addRecord("assets", "Pompe", nil)},
			fields{"target_type": "work_order", "target_id": f.addRecord("work_orders", "WO", nil)})
	}
	f.Must(t, http.StatusOK, "POST", path+"/bulk", fields{"data": rows})
	for _, owned := range []string{"/internal/references/assets", "/internal/references/work_orders"} {
		if n := f.peers.Requests(owned); n != 1 {
			t.Errorf("%s was called %d times", owned, n)
		}
	}
}

func TestReferencesOfProjectsAreCounted(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.project(t, fields{"building_id": f.building, "network_id": f.network, "manager_user_id": f.user})
	for collection, id := range map[string]string{"sites": f.site, "buildings": f.building, "networks": f.network, "users": f.user} {
		response := f.Must(t, http.StatusOK, "POST", "/internal/dependents/"+collection,
			fields{"ids": []string{id}, "open": false}).JSON["data"].([]any)
		if len(response) != 1 {
			t.Fatalf("the owner of %s gets %v", collection, response)
		}
		resourcetest.Expect(t, response[0].(fields)["counts"].(fields), fields{"projects": 1})
	}
}

func TestDeletingAProject(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	path := f.project(t, fields{})
	id := f.get(t, path)["id"].(string)
	f.Create(t, path+"/phases", fields{"name": "Conception"})
	f.Create(t, path+"/funding-sources", fields{"source_type": "levy", "amount": 5})
	f.Create(t, path+"/budget-lines", fields{"fiscal_year": 2027, "category": "design"})
	f.Create(t, path+"/links", fields{"target_type": "asset", "target_id": f.asset})
	f.peers.Depend(id, "work_orders", 2)
	refused := f.Must(t, http.StatusConflict, "DELETE", path, nil).JSON
	resourcetest.Expect(t, refused["dependents"].(fields), fields{"work_orders": 2})
	f.get(t, path)

	free := f.project(t, fields{})
	f.Create(t, free+"/phases", fields{"name": "Conception"})
	f.Create(t, free+"/links", fields{"target_type": "asset", "target_id": f.asset})
	f.Must(t, http.StatusNoContent, "DELETE", free, nil) // its parts are deleted with it
	f.Must(t, http.StatusNotFound, "GET", free+"/phases", nil)
	response := f.Must(t, http.StatusOK, "POST", "/internal/dependents/assets",
		fields{"ids": []string{f.asset}, "open": false}).JSON["data"].([]any)
	resourcetest.Expect(t, response[0].(fields)["counts"].(fields), fields{"project_links": 1})
}

func TestUnavailableOwners(t *testing.T) {
	f := newFixtureAlone(t)
	path := f.project(t, fields{"building_id": f.building})
	f.peers.Leave()
	for _, c := range []struct {
		method, path string
		body         any
	}{
		{"POST", "/v1/projects", fields{"name": "X", "site_id": f.site}},
		{"POST", path + "/links", fields{"target_type": "asset", "target_id": f.asset}},
		{"DELETE", path, nil},
		{"GET", path + "?expand=site", nil},
		{"GET", "/v1/projects/plan?group_by=site", nil},
	} {
		response := f.Must(t, http.StatusServiceUnavailable, c.method, c.path, c.body)
		if response.Header.Get("Retry-After") == "" {
			t.Errorf("%s %s: no Retry-After", c.method, c.path)
		}
	}
	f.Must(t, http.StatusOK, "PATCH", path, fields{"name": "Autre nom"}) // a change without new references calls no service
	if list, _ := f.List(t, "/v1/projects"); len(list) != 1 {
		t.Errorf("refused requests left %d projects", len(list))
	}
}
