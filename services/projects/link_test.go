package main

import (
	"fmt"
	"net/http"
	"slices"
	"testing"

	"ams.internal/libs/resource/resourcetest"
)

func TestLinksReachEveryKindOfRecord(t *testing.T) {
	p := newFixture(t)
	path := p.project(t, fields{}) + "/links"
	targets := map[string]string{
		"asset": p.asset, "segment": p.know("segments", "Rue Laviolette", nil), "building": p.building, "system": p.know("systems", "Chauffage", nil),
		"site": p.site, "work_order": p.workOrder,
	}
	for kind, id := range targets {
		t.Run(kind, func(t *testing.T) {
			link := p.Create(t, path, fields{"target_type": kind, "target_id": id})
			resourcetest.Expect(t, link, fields{"target_type": kind, "target_id": id})
			resourcetest.Expect(t, p.Must(t, http.StatusConflict, "POST", path, fields{"target_type": kind, "target_id": id}).JSON, fields{"field": "target_id", "value": id, "existing_id": link["id"]})
			for other := range targets { // an id is of one kind only; another organization's is of none
				if other == kind {
					continue
				}
				if refused := p.Must(t, http.StatusBadRequest, "POST", path, fields{"target_type": other, "target_id": id}); !slices.Equal(refused.Fields(), []string{"target_id"}) {
					t.Errorf("as %s refused %v", other, refused.Fields())
				}
				p.Must(t, http.StatusBadRequest, "PATCH", fmt.Sprint(path, "/", link["id"]), fields{"target_type": other})
			}
			if found, _ := p.List(t, "/v1/projects?linked_to="+id); len(found) != 1 {
				t.Errorf("linked_to finds %d projects", len(found))
			}
			if found, _ := p.List(t, fmt.Sprintf("%s?target_type=%s&target_id=%s", path, kind, id)); len(found) != 1 {
				t.Errorf("the filters find %d links", len(found))
			}
			// The owner asks this before it deletes the record.
			answer := p.Must(t, http.StatusOK, "POST", "/internal/dependents/"+kind+"s", fields{"ids": []string{id}, "open": false}).JSON["data"].([]any)
			if len(answer) != 1 || answer[0].(fields)["id"] != id {
				t.Fatalf("the owner is told %v", answer)
			}
			resourcetest.Expect(t, answer[0].(fields)["counts"].(fields), fields{"project_links": 1})
			answer = p.Other().Must(t, http.StatusOK, "POST", "/internal/dependents/"+kind+"s", fields{"ids": []string{id}, "open": false}).JSON["data"].([]any)
			if len(answer) != 0 {
				t.Errorf("in another organization the owner is told %v", answer)
			}
		})
	}
	p.Must(t, http.StatusBadRequest, "POST", path, fields{"target_type": "user", "target_id": p.user})
	p.Must(t, http.StatusBadRequest, "POST", path, fields{"target_type": "asset"})
	p.Must(t, http.StatusBadRequest, "POST", path, fields{"target_id": p.asset})
	p.Must(t, http.StatusBadRequest, "POST", path, fields{"target_type": "asset", "target_id": "pompe"})
	p.Create(t, p.project(t, fields{})+"/links", fields{"target_type": "asset", "target_id": p.asset})
}

func TestABulkOfLinksAsksEachOwnerOnce(t *testing.T) {
	p := newFixture(t)
	path := p.project(t, fields{}) + "/links"
	var rows []fields
	for range 50 {
		rows = append(rows, fields{"target_type": "asset", "target_id": p.know("assets", "Pompe", nil)}, fields{"target_type": "work_order", "target_id": p.know("work_orders", "WO", nil)})
	}
	p.Must(t, http.StatusOK, "POST", path+"/bulk", fields{"data": rows})
	for _, owned := range []string{"/internal/references/assets", "/internal/references/work_orders"} {
		if n := p.peers.Asked(owned); n != 1 {
			t.Errorf("%s was asked %d times", owned, n)
		}
	}
}

func TestReferencesOfProjectsAreCounted(t *testing.T) {
	p := newFixture(t)
	p.project(t, fields{"building_id": p.building, "network_id": p.network, "manager_user_id": p.user})
	for collection, id := range map[string]string{"sites": p.site, "buildings": p.building, "networks": p.network, "users": p.user} {
		answer := p.Must(t, http.StatusOK, "POST", "/internal/dependents/"+collection, fields{"ids": []string{id}, "open": false}).JSON["data"].([]any)
		if len(answer) != 1 {
			t.Fatalf("the owner of %s is told %v", collection, answer)
		}
		resourcetest.Expect(t, answer[0].(fields)["counts"].(fields), fields{"projects": 1})
	}
}

func TestDeletingAProject(t *testing.T) {
	p := newFixture(t)
	path := p.project(t, fields{})
	id := p.get(t, path)["id"].(string)
	p.Create(t, path+"/phases", fields{"name": "Conception"})
	p.Create(t, path+"/funding-sources", fields{"source_type": "levy", "amount": 5})
	p.Create(t, path+"/budget-lines", fields{"fiscal_year": 2027, "category": "design"})
	p.Create(t, path+"/links", fields{"target_type": "asset", "target_id": p.asset})
	p.peers.Depend(id, "work_orders", 2)
	refused := p.Must(t, http.StatusConflict, "DELETE", path, nil).JSON
	resourcetest.Expect(t, refused["dependents"].(fields), fields{"work_orders": 2})
	p.get(t, path)

	free := p.project(t, fields{})
	p.Create(t, free+"/phases", fields{"name": "Conception"})
	p.Create(t, free+"/links", fields{"target_type": "asset", "target_id": p.asset})
	p.Must(t, http.StatusNoContent, "DELETE", free, nil) // what is part of it goes with it
	p.Must(t, http.StatusNotFound, "GET", free+"/phases", nil)
	answer := p.Must(t, http.StatusOK, "POST", "/internal/dependents/assets", fields{"ids": []string{p.asset}, "open": false}).JSON["data"].([]any)
	resourcetest.Expect(t, answer[0].(fields)["counts"].(fields), fields{"project_links": 1})
}

func TestOwnersAway(t *testing.T) {
	p := newFixture(t)
	path := p.project(t, fields{"building_id": p.building})
	p.peers.Leave()
	for _, c := range []struct {
		method, path string
		body         any
	}{
		{"POST", "/v1/projects", fields{"name": "X", "site_id": p.site}},
		{"POST", path + "/links", fields{"target_type": "asset", "target_id": p.asset}},
		{"DELETE", path, nil},
		{"GET", path + "?expand=site", nil},
		{"GET", "/v1/projects/plan?group_by=site", nil},
	} {
		answer := p.Must(t, http.StatusServiceUnavailable, c.method, c.path, c.body)
		if answer.Header.Get("Retry-After") == "" {
			t.Errorf("%s %s: no Retry-After", c.method, c.path)
		}
	}
	p.Must(t, http.StatusOK, "PATCH", path, fields{"name": "Autre nom"}) // what refers to nothing new asks nobody
	if list, _ := p.List(t, "/v1/projects"); len(list) != 1 {
		t.Errorf("refused requests left %d projects", len(list))
	}
}
