package meters

import (
	"context"
	"fmt"
	"net/http"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"ams.internal/libs/resource/resourcetest"
)

func TestAnotherOrganizationIsNotThere(t *testing.T) {
	f := newFixture(t)
	meter := newMeter(t, f.Client, "Heures", fields{"external_id": "PLC-1"})
	read(t, f.Client, meter, "2026-06-01T12:00:00Z", 5)
	read(t, f.Client, meter, "2026-06-02T12:00:00Z", 7)
	other := f.Other()
	reading := fields{"read_at": "2026-06-02T12:00:00Z", "value": 7}
	path := metersURL + "/" + meter
	other.Must(t, http.StatusNotFound, "GET", path, nil)
	other.Must(t, http.StatusNotFound, "PATCH", path, fields{"external_id": "x"})
	other.Must(t, http.StatusNotFound, "DELETE", path, nil)
	other.Must(t, http.StatusNotFound, "GET", path+"/readings", nil)
	other.Must(t, http.StatusNotFound, "POST", path+"/readings", reading)
	other.Must(t, http.StatusNotFound, "POST", path+"/readings/bulk", fields{"data": []any{reading}})
	for name, value := range map[string]string{"meter_id": meter, "meter_external_id": "PLC-1"} {
		row := fields{"read_at": "2026-06-03T12:00:00Z", "value": 7, name: value}
		refused := other.Must(t, http.StatusNotFound, "POST", metersURL+"/readings/bulk", fields{"data": []any{row}})
		if fmt.Sprint(refused.Fields()) != "[data[0]."+name+"]" {
			t.Errorf("%s: %s", name, refused.Body)
		}
	}
	if all := usageOf(t, other, "Heures", fields{"id": pump}); len(all) != 0 {
		t.Errorf("another organization's usage: %v", all)
	}
	stranger := *f
	stranger.Client = other
	stranger.send(t, false, uuid.NewString(), 1, "move_to_successor", fields{"meters_of": pump, "successor_id": plow})
	resourcetest.Expect(t, shown(t, f.Client, meter), fields{"total_usage": 2, "asset_id": pump})

	db, err := pgx.Connect(t.Context(), f.database.Session)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close(context.WithoutCancel(t.Context())) }()
	for _, table := range []string{"meter", "meter_reading", "meter_state", "meter_day", "history", "outbox", "ledger"} {
		for organization, want := range map[string]bool{"": false, other.Principal.OrganizationID: false, f.Principal.OrganizationID: true} {
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

// Every path and method of the service names the feature that the plan lacks, and needs the scope.
func TestWithoutTheFeatureNothingIsThere(t *testing.T) {
	f := newFixture(t)
	meter := newMeter(t, f.Client, "Heures", nil)
	without, reader := *f.Client, *f.Client
	without.Principal.Features = []string{"api_access", "los", "infrastructure", "projects"}
	reader.Principal.Scopes = []string{"meters:read"}
	path := metersURL + "/" + meter
	for _, request := range [][2]string{
		{"GET", metersURL}, {"POST", metersURL}, {"GET", path}, {"PATCH", path}, {"DELETE", path}, {"GET", path + "/readings"},
		{"POST", path + "/readings"}, {"POST", path + "/readings/bulk"}, {"POST", metersURL + "/readings/bulk"},
	} {
		var body any
		if request[0] != "GET" {
			body = fields{}
			refused := reader.Must(t, http.StatusForbidden, request[0], request[1], body)
			if refused.JSON["required_scope"] != "meters:write" {
				t.Errorf("%v with a key that may read: %s", request, refused.Body)
			}
		}
		refused := without.Must(t, http.StatusForbidden, request[0], request[1], body)
		if refused.JSON["code"] != "feature_not_in_plan" {
			t.Errorf("%v is refused with %s", request, refused.Body)
		}
	}
	resourcetest.Expect(t, shown(t, f.Client, meter), fields{"version": 1, "total_usage": 0})
}
