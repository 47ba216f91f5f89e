package assets

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"ams.internal/libs/resource"
	"ams.internal/libs/resource/resourcetest"
)

func TestWhatGoesOutOfUseIsStamped(t *testing.T) {
	t.Parallel()
	client, today := serve(t), resource.Today(t.Context())
	site := client.Create(t, "/v1/sites", fields{"name": "Site"})["id"]
	for _, c := range []struct {
		path       string
		body       fields
		gone, back []string // states on the way
	}{
		{"/v1/sites", fields{}, []string{"disposed"}, []string{"active"}},
		{"/v1/buildings", fields{"site_id": site}, []string{"closed", "demolished"}, nil},
		{"/v1/systems", fields{}, []string{"decommissioned"}, []string{"in_service"}},
		{"/v1/assets", fields{}, []string{"decommissioned"}, []string{"in_service"}},
	} {
		t.Run(c.path, func(t *testing.T) {
			// move takes a record through states and gives its path.
			move := func(name string, last fields) string {
				body := fields{"name": name}
				for field, value := range c.body {
					body[field] = value
				}
				made := client.Create(t, c.path, body)
				resourcetest.Expect(t, made, fields{"out_of_use_on": nil})
				path := fmt.Sprint(c.path, "/", made["id"])
				for i, state := range c.gone {
					step := fields{"status": state}
					if i == len(c.gone)-1 {
						for field, value := range last {
							step[field] = value
						}
					}
					client.Must(t, http.StatusOK, "PATCH", path, step)
				}
				return path
			}
			get := func(path string) fields { return client.Must(t, http.StatusOK, "GET", path, nil).JSON }
			path := move("Un", nil)
			resourcetest.Expect(t, get(path), fields{"out_of_use_on": today})
			resourcetest.Expect(t, client.Must(t, http.StatusOK, "PATCH", path, fields{"out_of_use_on": "2026-03-01", "notes": "a"}).JSON,
				fields{"out_of_use_on": "2026-03-01"})
			resourcetest.Expect(t, client.Must(t, http.StatusOK, "PATCH", path, fields{"out_of_use_on": nil}).JSON, fields{"out_of_use_on": nil})
			resourcetest.Expect(t, client.Must(t, http.StatusOK, "PATCH", path, fields{"notes": "b"}).JSON, fields{"out_of_use_on": nil})
			path = move("Deux", fields{"out_of_use_on": "2026-03-01"})
			resourcetest.Expect(t, get(path), fields{"out_of_use_on": "2026-03-01"})
			for _, state := range c.back { // as a whole record that was read
				sent := get(path)
				sent["status"] = state
				resourcetest.Expect(t, client.Must(t, http.StatusOK, "PATCH", path, sent).JSON, fields{"out_of_use_on": nil})
			}
			body := fields{"name": "Trois", "status": c.gone[len(c.gone)-1]}
			for field, value := range c.body {
				body[field] = value
			}
			resourcetest.Expect(t, client.Create(t, c.path, body), fields{"out_of_use_on": nil}) // gone without a date
			delete(body, "status")
			body["name"], body["out_of_use_on"] = "Quatre", "2026-03-01"
			if answer := client.Must(t, http.StatusBadRequest, "POST", c.path, body); !slices.Equal(answer.Fields(), []string{"out_of_use_on"}) {
				t.Errorf("of what stands, refused %v", answer.Fields())
			}
		})
	}
}

func TestTheDaysOfAnEndAgree(t *testing.T) {
	t.Parallel()
	client := serve(t)
	tomorrow := time.Now().AddDate(0, 0, 2).Format(time.DateOnly)
	site := client.Create(t, "/v1/sites", fields{"name": "Site"})["id"]
	number := 0
	for _, c := range []struct {
		name, path string
		body       fields
		refused    []string
	}{
		{"out of use in the future", "/v1/assets", fields{"status": "decommissioned", "out_of_use_on": tomorrow}, []string{"out_of_use_on"}},
		{"out of use before it was installed", "/v1/assets",
			fields{"status": "decommissioned", "out_of_use_on": "2011-08-14", "install_date": "2011-08-15"},
			[]string{"install_date", "out_of_use_on"}},
		{"on the day", "/v1/assets", fields{"status": "decommissioned", "out_of_use_on": "2011-08-15", "install_date": "2011-08-15"}, nil},
		{"of a system, by the year", "/v1/systems", fields{"status": "decommissioned", "out_of_use_on": "2010-12-31", "install_year": 2011},
			[]string{"install_year", "out_of_use_on"}},
		{"of a building", "/v1/buildings", fields{"site_id": site, "status": "demolished", "out_of_use_on": "1963-12-31", "year_built": 1964},
			[]string{"out_of_use_on", "year_built"}},
		{"in the year it was built", "/v1/buildings",
			fields{"site_id": site, "status": "demolished", "out_of_use_on": "1964-01-01", "year_built": 1964}, nil},
		{"of a site", "/v1/sites", fields{"status": "disposed", "out_of_use_on": tomorrow}, []string{"out_of_use_on"}},
		{"out of use after disposal", "/v1/assets", fields{"status": "disposed", "disposed_on": "2020-05-01", "out_of_use_on": "2020-05-02"},
			[]string{"disposed_on", "out_of_use_on"}},
		{"disposed in the future", "/v1/assets", fields{"status": "disposed", "disposed_on": tomorrow}, []string{"disposed_on"}},
		{"disposed before acquisition", "/v1/assets", fields{"status": "disposed", "disposed_on": "2020-05-01", "acquisition_date": "2020-05-02"},
			[]string{"acquisition_date", "disposed_on"}},
		{"disposed before installation", "/v1/assets", fields{"status": "disposed", "disposed_on": "2020-05-01", "install_year": 2021},
			[]string{"disposed_on", "install_year"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			number++
			c.body["name"] = fmt.Sprint("No ", number)
			if c.refused == nil {
				client.Create(t, c.path, c.body)
				return
			}
			answer := client.Must(t, http.StatusBadRequest, "POST", c.path, c.body)
			if got := answer.Fields(); !slices.Equal(slices.Sorted(slices.Values(got)), c.refused) {
				t.Errorf("refused %v, want %v: %s", got, c.refused, answer.Body)
			}
		})
	}
	// Entered as disposed, and disposed of before today: the day is that of the disposal.
	resourcetest.Expect(t, client.Create(t, "/v1/assets", fields{"name": "A", "status": "disposed", "disposed_on": "2020-05-01"}),
		fields{"out_of_use_on": "2020-05-01"})
	planned := client.Create(t, "/v1/assets", fields{"name": "B", "status": "planned"})
	resourcetest.Expect(t, client.Must(t, http.StatusOK, "PATCH", fmt.Sprint("/v1/assets/", planned["id"]),
		fields{"status": "disposed", "disposed_on": "2020-05-01"}).JSON, fields{"out_of_use_on": "2020-05-01"})
	// What was never installed has no last day.
	later := client.Create(t, "/v1/systems", fields{"name": "C", "status": "planned", "install_year": time.Now().Year() + 9})
	resourcetest.Expect(t, client.Must(t, http.StatusOK, "PATCH", fmt.Sprint("/v1/systems/", later["id"]),
		fields{"status": "decommissioned"}).JSON, fields{"out_of_use_on": nil})
}
