package los

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/resource/resourcetest"
)

func TestAnotherOrganizationIsNotThere(t *testing.T) {
	f := newFixture(t)
	area := newArea(t, f.Client, "Routes", fields{"category": "roads", "external_id": "routes"})
	measure := newMeasure(t, f.Client, area, "Indice", nil)
	createTarget(t, f.Client, measure, 2024, 80, nil)
	recorded := record(t, f.Client, measure, 2024, 79)["id"]
	other := f.Other()
	mine := newMeasure(t, other, newArea(t, other, "À moi", nil), "À moi", nil)
	for path, id := range map[string]any{pathOf(serviceAreas.Collection): area, pathOf(measures.Collection): measure,
		pathOf(measurements.Collection): recorded} {
		path = fmt.Sprint(path, "/", id)
		other.Must(t, http.StatusNotFound, "GET", path, nil)
		other.Must(t, http.StatusNotFound, "PATCH", path, fields{"external_id": "x"})
		other.Must(t, http.StatusNotFound, "DELETE", path, nil)
	}
	for path, body := range map[string]fields{
		pathOf(measures.Collection):     {"service_area_id": area, "name": "X", "measure_type": "technical"},
		pathOf(targets.Collection):      {"measure_id": measure, "year": 2030, "target_value": 1},
		pathOf(measurements.Collection): {"measure_id": measure, "period_start": "2030-01-01", "period_end": "2030-12-31", "value": 1},
	} {
		response := other.Must(t, http.StatusNotFound, "POST", path, body)
		if names := response.Fields(); !slices.Contains(names, "measure_id") && !slices.Contains(names, "service_area_id") {
			t.Errorf("%s refused %v", path, names)
		}
	}
	resourcetest.Expect(t, get(t, other, pathOf(measures.Collection), mine), fields{"attainment": "no_data"})

	db, err := pgx.Connect(t.Context(), f.database.Session)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close(context.WithoutCancel(t.Context())) }()
	for _, table := range []string{"service_area", "measure", "target", "measurement", "history", "outbox", "ledger"} {
		for organization, want := range map[string]bool{"": false, f.Other().Principal.OrganizationID: false, f.Principal.OrganizationID: true} {
			if _, err := db.Exec(t.Context(), "SELECT set_config('ams.organization_id', $1, false)", organization); err != nil {
				t.Fatal(err)
			}
			var count int
			if err := db.QueryRow(t.Context(), "SELECT count(*) FROM "+table).Scan(&count); err != nil {
				t.Fatalf("%s: %v", table, err)
			}
			if (count > 0) != want {
				t.Errorf("%s shows %d rows to organization %q", table, count, organization)
			}
		}
	}
}

// Every path and method of the service names the feature that the plan lacks.
func TestWithoutTheFeatureNothingIsThere(t *testing.T) {
	f := newFixture(t)
	area := newArea(t, f.Client, "Routes", nil)
	without := *f.Client
	without.Principal.Features = []string{"api_access", "infrastructure", "projects"}
	requests := [][2]string{
		{"GET", "/v1/los/templates"}, {"GET", fmt.Sprintf("%s/%v/scorecard", pathOf(serviceAreas.Collection), area)},
		{"POST", fmt.Sprintf("%s/%v/apply-template", pathOf(serviceAreas.Collection), area)}, {"POST", computePath(user)},
	}
	for _, path := range []string{pathOf(serviceAreas.Collection), pathOf(measures.Collection), pathOf(targets.Collection),
		pathOf(measurements.Collection)} {
		requests = append(requests, [2]string{"GET", path}, [2]string{"POST", path}, [2]string{"POST", path + "/bulk"},
			[2]string{"PATCH", path + "/bulk"}, [2]string{"DELETE", path + "/bulk"},
			[2]string{"GET", path + "/" + user}, [2]string{"PATCH", path + "/" + user}, [2]string{"DELETE", path + "/" + user},
			[2]string{"GET", path + "/" + user + "/history"})
	}
	for _, request := range requests {
		var body any
		if request[0] != "GET" {
			body = fields{}
		}
		response := without.Must(t, http.StatusForbidden, request[0], request[1], body)
		if response.JSON["code"] != "feature_not_in_plan" {
			t.Errorf("%v is refused with %s", request, response.Body)
		}
	}
	resourcetest.Expect(t, get(t, f.Client, pathOf(serviceAreas.Collection), area), fields{"version": 1})
}

// The ids of other services' records are counted for their owners, in lists as well.
func TestReferencesToRecordsOfOtherServicesAreCounted(t *testing.T) {
	f := newFixture(t)
	newArea(t, f.Client, "Un", fields{"site_ids": []string{site}, "network_ids": []string{network}})
	newArea(t, f.Client, "Deux", fields{"site_ids": []string{site}, "building_ids": []string{building}})
	for collection, c := range map[string]struct {
		id    string
		count int
	}{"sites": {site, 2}, "buildings": {building, 1}, "networks": {network, 1}} {
		response := f.Must(t, http.StatusOK, "POST", "/internal/dependents/"+collection, fields{"ids": []string{c.id}}).JSON
		counted := response["data"].([]any)
		if len(counted) != 1 || fmt.Sprint(counted[0].(fields)["counts"]) != fmt.Sprintf("map[los_service_areas:%d]", c.count) {
			t.Errorf("%s: %v", collection, response)
		}
		if others := f.Other().Must(t, http.StatusOK, "POST", "/internal/dependents/"+collection,
			fields{"ids": []string{c.id}}).JSON; len(others["data"].([]any)) != 0 {
			t.Errorf("%s of another organization: %v", collection, others)
		}
	}
	for _, collection := range []string{"los_targets", "los_measurements"} { // labels that are no texts
		f.Must(t, http.StatusOK, "POST", "/internal/references/"+collection, fields{"ids": []string{user}})
	}
}
