package infrastructure

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/resource/resourcetest"
)

func TestASegmentThatLiesThereIsInstalled(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	network := newNetwork(t, f.Client, "water_main")
	const path = "/v1/infrastructure/segments"
	soon, year := time.Now().AddDate(9, 0, 0).Format(time.DateOnly), time.Now().Year()+9
	f.Must(t, http.StatusBadRequest, "POST", path, fields{"name": "Never", "network_id": network, "install_year": year + 2,
		"status": "planned"})
	for i, c := range []struct {
		body    fields
		refused []string
	}{
		{fields{"install_date": soon}, []string{"install_date", "status"}},
		{fields{"install_year": year, "status": "out_of_service"}, []string{"install_year", "status"}},
		{fields{"install_year": year, "status": "planned"}, nil},
	} {
		c.body["name"], c.body["network_id"] = fmt.Sprint("No ", i), network
		if c.refused == nil {
			f.Create(t, path, c.body)
			continue
		}
		refused := f.Must(t, http.StatusBadRequest, "POST", path, c.body)
		if got := slices.Sorted(slices.Values(refused.Fields())); !slices.Equal(got, c.refused) {
			t.Errorf("%v: refused %v, want %v: %s", c.body, got, c.refused, refused.Body)
		}
		inBulk := f.Must(t, http.StatusBadRequest, "POST", path+"/bulk",
			fields{"data": []fields{{"name": "Sound", "network_id": network}, c.body}})
		if got := inBulk.Fields(); !slices.Contains(got, "data[1]."+c.refused[0]) || !slices.Contains(got, "data[1].status") {
			t.Errorf("%v: in a bulk call refused %v", c.body, got)
		}
		if !strings.Contains(string(refused.Body), "set status to planned") {
			t.Errorf("%v: %s", c.body, refused.Body)
		}
		way := maps.Clone(c.body)
		way["status"] = "planned"
		f.Create(t, path, way)
	}
}

func TestWhatIsToComeStaysEditableAndHasNoAge(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	network := newNetwork(t, f.Client, "water_main")
	var last string
	for i, segment := range []fields{{"install_date": "2006-07-01", "replacement_cost": 100, "length_m": 10}, {"replacement_cost": 0},
		{"status": "planned", "replacement_cost": 5000, "length_m": 990}} {
		segment["name"], segment["network_id"] = fmt.Sprint("Tronçon ", i), network
		last = f.Create(t, "/v1/infrastructure/segments", segment)["id"].(string)
	}
	owner, err := pgx.Connect(t.Context(), f.database.OwnerURL)
	if err != nil {
		t.Fatal(err)
	}
	defer owner.Close(t.Context()) //nolint:errcheck // a test's connection

	if _, err := owner.Exec(t.Context(),
		// As before.
		"UPDATE segment SET status = 'in_service', install_date = '2090-07-01', install_year = 2090 WHERE id = $1", last); err != nil {
		t.Fatal(err)
	}
	for day, want := range map[string]fields{"2056-07-01": {"average_age_years": 50, "weighted_age_years": 50},
		"2090-07-01": {"average_age_years": 42, "weighted_age_years": 0.8}} {
		got := f.summary(t, network, "as_of="+day)
		resourcetest.Expect(t, got, want)
		resourcetest.Expect(t, got, fields{"counts.segments": 3, "data_quality.without_installation": 1, "data_quality.zero_replacement_cost": 1})
	}
	path := "/v1/infrastructure/segments/" + last
	f.Must(t, http.StatusOK, "PATCH", path, fields{"notes": "Still to come"})
	refused := f.Must(t, http.StatusBadRequest, "PATCH", path, fields{"install_date": time.Now().AddDate(6, 0, 0).Format(time.DateOnly)})
	if strings.Contains(string(refused.Body), "set status to planned") { // no way leads back to planned
		t.Errorf("%s", refused.Body)
	}
	f.Must(t, http.StatusOK, "PATCH", path, fields{"install_date": "2019-04-01"})
}
