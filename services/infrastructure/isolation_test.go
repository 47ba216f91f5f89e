package infrastructure

import (
	"fmt"
	"net/http"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/resource/resourcetest"
)

// createOneOfEach makes a network, a segment in it and an inspection of that.
func createOneOfEach(t testing.TB, f *fixture) (network, segment, inspection any) {
	t.Helper()
	network = newNetwork(t, f.Client, "road")
	segment = f.Create(t, "/v1/infrastructure/segments",
		fields{"network_id": network, "name": "Rue", "external_id": "rue", "length_m": 10, "replacement_cost": 100, "condition_rating": 3,
			"geometry": fields{"type": "Point", "coordinates": []any{-79.38, 43.65}}})["id"]
	inspection = f.Create(t, "/v1/infrastructure/inspections",
		fields{"segment_id": segment, "inspected_on": "2024-05-01", "condition_rating": 2})["id"]
	f.find(t, segment, fields{"category": "functional"})
	return network, segment, inspection
}

func TestAnotherOrganizationIsNotThere(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	network, segment, inspection := createOneOfEach(t, f)
	other := f.Other()
	mine := newNetwork(t, other, "road")

	for _, record := range []string{fmt.Sprint("networks/", network), fmt.Sprint("segments/", segment),
		fmt.Sprint("inspections/", inspection)} {
		path := "/v1/infrastructure/" + record
		other.Must(t, http.StatusNotFound, "GET", path, nil)
		other.Must(t, http.StatusNotFound, "PATCH", path, fields{"external_id": "x"})
		other.Must(t, http.StatusNotFound, "DELETE", path, nil)
		other.Must(t, http.StatusNotFound, "GET", path+"/history", nil)
	}
	other.Must(t, http.StatusNotFound, "GET", fmt.Sprintf("/v1/infrastructure/networks/%v/summary", network), nil)
	for path, body := range map[string]fields{
		"/v1/infrastructure/segments":    {"name": "X", "network_id": network},
		"/v1/infrastructure/inspections": {"inspected_on": "2024-05-01", "segment_id": segment},
	} {
		refused := other.Must(t, http.StatusNotFound, "POST", path, body)
		if fields := refused.Fields(); !slices.Contains(fields, "network_id") && !slices.Contains(fields, "segment_id") {
			t.Errorf("POST %s refused %v", path, fields)
		}
		other.Must(t, http.StatusNotFound, "POST", path+"/bulk", fields{"data": []fields{body}})
	}
	other.Must(t, http.StatusNotFound, "POST", "/v1/infrastructure/inspections/bulk",
		fields{"data": []fields{{"inspected_on": "2024-05-01", "segment_external_id": "rue"}}})
	other.Must(t, http.StatusOK, "POST", "/v1/infrastructure/segments/bulk?on_conflict=update",
		fields{"data": []fields{{"external_id": "rue", "name": "La mienne", "network_id": mine}}})
	for _, query := range []string{fmt.Sprint("segments?network_id=", network), fmt.Sprint("segments?ids=", segment),
		"segments?bbox=-80,43,-79,44", fmt.Sprint("inspections?segment_id=", segment),
		fmt.Sprint("inspections?network_id=", network), fmt.Sprint("networks?ids=", network)} {
		if found, _ := other.List(t, "/v1/infrastructure/"+query); len(found) != 0 {
			t.Errorf("%s finds %v", query, found)
		}
	}
	resourcetest.Expect(t, other.Must(t, http.StatusOK, "GET", fmt.Sprint("/v1/infrastructure/networks/", mine), nil).JSON,
		fields{"segment_count": 1, "length_km": 0, "replacement_cost": 0})
	resourcetest.Expect(t, f.Must(t, http.StatusOK, "GET", fmt.Sprint("/v1/infrastructure/segments/", segment), nil).JSON,
		fields{"name": "Rue", "external_id": "rue", "condition_rating": 2})
}

// The service's database role sees nothing without an organization, and one organization only with it.
func TestAForgottenWhereShowsNobodyElse(t *testing.T) {
	f := newFixtureAlone(t)
	_, segment, _ := createOneOfEach(t, f)
	db, err := pgx.Connect(t.Context(), f.database.Session)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close(t.Context())
	be := func(organization string) {
		t.Helper()
		if _, err := db.Exec(t.Context(), "SELECT set_config('ams.organization_id', $1, false)", organization); err != nil {
			t.Fatal(err)
		}
	}
	for _, table := range []string{"network", "network_total", "segment", "segment_rating", "inspection", "deficiency", "history", "outbox",
		"ledger", "counter"} {
		for organization, want := range map[string]bool{"": false, f.Other().Principal.OrganizationID: false, f.Principal.OrganizationID: true} {
			be(organization)
			var count int
			if err := db.QueryRow(t.Context(), "SELECT count(*) FROM "+table).Scan(&count); err != nil {
				t.Fatalf("%s: %v", table, err)
			}
			if (count > 0) != want {
				t.Errorf("%s shows %d rows to organization %q", table, count, organization)
			}
		}
	}
	be(f.Other().Principal.OrganizationID)
	for _, statement := range []string{"UPDATE segment SET name = 'volé'", "DELETE FROM inspection"} {
		if done, err := db.Exec(t.Context(), statement); err != nil || done.RowsAffected() != 0 {
			t.Errorf("%s: %v %v", statement, done, err)
		}
	}
	resourcetest.Expect(t, f.Must(t, http.StatusOK, "GET", fmt.Sprint("/v1/infrastructure/segments/", segment), nil).JSON,
		fields{"name": "Rue"})
}
