package infrastructure

import (
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"testing"
	"time"

	"ams.internal/libs/resource"
	"ams.internal/libs/resource/resourcetest"
)

// ratings are the statements that a segment's own table has, oldest first, as "day rating method".
func (f *fixture) ratings(t testing.TB, segment any) []string {
	t.Helper()
	return f.texts(t,
		`SELECT concat_ws(' ', stated_on, condition_rating, method) FROM segment_rating WHERE segment_id = $1 ORDER BY position`, segment)
}

// path is where a segment is.
func pathOf(segment fields) string { return fmt.Sprint("/v1/infrastructure/segments/", segment["id"]) }

// days is a day so many years and days from today.
func daysFrom(t testing.TB, years, days int) string {
	today, err := time.Parse(time.DateOnly, resource.Today(t.Context()))
	if err != nil {
		t.Fatal(err)
	}
	return today.AddDate(years, 0, days).Format(time.DateOnly)
}

// An inspection drives whether it is entered before or after a rating that came with the segment.
func TestAnInspectionOutweighsARatingThatCameWithTheSegment(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	network, today := newNetwork(t, f.Client, "bridge"), resource.Today(t.Context())
	inspected := daysFrom(t, 0, -52)
	segment := f.Create(t, "/v1/infrastructure/segments", fields{"network_id": network, "name": "Pont", "external_id": "pont",
		"condition_rating": 2})
	resourcetest.Expect(t, segment, fields{"condition_rating": 2, "condition_assessed_on": today, "condition_method": "reported",
		"condition_source_id": nil, "reported_condition_rating": 2})
	inspection := f.Create(t, "/v1/infrastructure/inspections", fields{"segment_id": segment["id"], "inspected_on": inspected,
		"method":     "osim",
		"index_type": "bci", "index_value": 20})
	read := func() fields { return f.Must(t, http.StatusOK, "GET", pathOf(segment), nil).JSON }
	want := fields{"condition_rating": 5, "condition_assessed_on": inspected, "condition_method": "osim",
		"condition_source_id":       inspection["id"],
		"reported_condition_rating": 2, "version": 2}
	resourcetest.Expect(t, read(), want)

	// A nightly load says the same every night.
	for range 3 {
		for _, row := range []fields{{"condition_rating": 2}, {"condition_rating": 2, "condition_assessed_on": today}} {
			row["external_id"], row["name"], row["network_id"] = "pont", "Pont", network
			f.Must(t, http.StatusOK, "POST", "/v1/infrastructure/segments/bulk?on_conflict=update", fields{"data": []fields{row}})
		}
	}
	resourcetest.Expect(t, read(), want)
	if got := f.ratings(t, segment["id"]); !slices.Equal(got, []string{today + " 2 reported"}) {
		t.Errorf("statements are %v", got)
	}
	// Another one that is outranked is kept, and shown as what was reported last.
	resourcetest.Expect(t, f.Must(t, http.StatusOK, "PATCH", pathOf(segment), fields{"condition_rating": 3}).JSON,
		fields{"condition_rating": 5, "condition_source_id": inspection["id"], "reported_condition_rating": 3, "version": 3})
	f.Must(t, http.StatusNoContent, "DELETE", fmt.Sprint("/v1/infrastructure/inspections/", inspection["id"]), nil)
	resourcetest.Expect(t, read(), fields{"condition_rating": 3, "condition_assessed_on": today, "condition_method": "reported",
		"condition_source_id": nil})
}

// Five years to the day an inspection drives against what is reported, a day more and it does not; what is said last does not matter.
func TestStrongStatementsDriveForFiveYears(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	network := newNetwork(t, f.Client, "road")
	today := resource.Today(t.Context())
	for _, c := range []struct {
		inspected, reported string
		want                int
	}{
		{"2018-09-30", "2023-09-30", 5}, {"2018-09-30", "2023-10-01", 2},
		{"2016-02-29", "2021-02-28", 5}, {"2016-02-29", "2021-03-01", 2},
		{daysFrom(t, -5, 0), today, 5}, {daysFrom(t, -5, -1), today, 2}, {"2012-01-01", "2011-12-31", 5},
	} {
		for _, first := range []string{"inspection", "report"} {
			segment := f.Create(t, "/v1/infrastructure/segments", fields{"network_id": network, "name": "Rue"})
			steps := []func(){
				func() {
					f.Create(t, "/v1/infrastructure/inspections", fields{"segment_id": segment["id"], "inspected_on": c.inspected, "condition_rating": 5})
				},
				func() {
					f.Must(t, http.StatusOK, "PATCH", pathOf(segment), fields{"condition_rating": 2, "condition_assessed_on": c.reported})
				},
			}
			if first == "report" {
				slices.Reverse(steps)
			}
			for _, step := range steps {
				step()
			}
			day := map[int]string{5: c.inspected, 2: c.reported}[c.want]
			t.Run(fmt.Sprint(c.inspected, " and ", c.reported, ", first the ", first), func(t *testing.T) {
				resourcetest.Expect(t, f.Must(t, http.StatusOK, "GET", pathOf(segment), nil).JSON,
					fields{"condition_rating": c.want, "condition_assessed_on": day, "reported_condition_rating": 2})
			})
		}
	}
}

func TestARatingIsDatedAndQualified(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	network, today := newNetwork(t, f.Client, "road"), resource.Today(t.Context())
	segment := f.Create(t, "/v1/infrastructure/segments", fields{"network_id": network, "name": "Rue", "condition_rating": 4,
		"condition_assessed_on": "2024-05-01", "condition_method": "detailed"})
	resourcetest.Expect(t, segment, fields{"condition_rating": 4, "condition_assessed_on": "2024-05-01", "condition_method": "detailed",
		"reported_condition_rating": nil, "condition_reported_at": nil, "version": 1})
	patch := func(body fields) fields {
		t.Helper()
		return f.Must(t, http.StatusOK, "PATCH", pathOf(segment), body).JSON
	}

	// Outranked, and kept.
	resourcetest.Expect(t, patch(fields{"condition_rating": 1}), fields{"condition_rating": 4, "condition_assessed_on": "2024-05-01",
		"reported_condition_rating": 1})
	// Sent back as it was read, nothing is said.
	whole := f.Must(t, http.StatusOK, "GET", pathOf(segment), nil).JSON
	resourcetest.Expect(t, patch(whole), fields{"version": whole["version"]})
	// Sent back with another rating: today, reported, though day and method came along; 1 was reported last, so that says nothing.
	whole["condition_rating"] = 1
	resourcetest.Expect(t, patch(whole), fields{"condition_rating": 4, "version": whole["version"]})
	// The same rating of a later day confirms it, here by the same method.
	resourcetest.Expect(t, patch(fields{"condition_assessed_on": "2025-05-01", "condition_method": "detailed"}),
		fields{"condition_rating": 4, "condition_assessed_on": "2025-05-01", "condition_method": "detailed"})
	// A method alone says how the present rating was found out.
	resourcetest.Expect(t, patch(fields{"condition_method": "instrument"}), fields{"condition_assessed_on": "2025-05-01",
		"condition_method": "instrument"})
	// A strong one counts from its day.
	resourcetest.Expect(t, patch(fields{"condition_rating": 5, "condition_method": "visual"}),
		fields{"condition_rating": 5, "condition_assessed_on": today, "condition_method": "visual", "reported_condition_rating": 1})
	want := []string{"2024-05-01 4 detailed", today + " 1 reported", "2025-05-01 4 detailed", "2025-05-01 4 instrument", today + " 5 visual"}
	if got := f.ratings(t, segment["id"]); !reflect.DeepEqual(got, want) {
		t.Errorf("statements are %v, want %v", got, want)
	}
	// On one day what was said last counts, also where it was said before.
	back := f.Create(t, "/v1/infrastructure/segments", fields{"network_id": network, "name": "Ruelle", "condition_rating": 2})
	for _, value := range []int{3, 2, 3} {
		resourcetest.Expect(t, f.Must(t, http.StatusOK, "PATCH", pathOf(back), fields{"condition_rating": value}).JSON,
			fields{"condition_rating": value, "reported_condition_rating": value})
	}
	// Null takes back what was set on the segment.
	resourcetest.Expect(t, patch(fields{"condition_rating": nil}), fields{"condition_rating": nil, "condition_assessed_on": nil,
		"condition_method": nil, "reported_condition_rating": nil, "condition_reported_at": nil})
	if got := f.ratings(t, segment["id"]); len(got) != 0 {
		t.Errorf("statements are %v", got)
	}
	f.Must(t, http.StatusNoContent, "DELETE", pathOf(back), nil)
	if got := f.ratings(t, back["id"]); len(got) != 0 {
		t.Errorf("statements of nobody are %v", got)
	}
	for field, body := range map[string]fields{
		"condition_assessed_on": {"condition_rating": 3, "condition_assessed_on": daysFrom(t, 0, 1)},
		"condition_method":      {"condition_method": "visual"},
	} {
		for method, path := range map[string]string{"POST": "/v1/infrastructure/segments", "PATCH": pathOf(segment)} {
			sent := fields{"network_id": network, "name": "Avenue"}
			for name, value := range body {
				sent[name] = value
			}
			if refused := f.Must(t, http.StatusBadRequest, method, path, sent); !slices.Equal(refused.Fields(), []string{field}) {
				t.Errorf("%s %v: %s", method, body, refused.Body)
			}
		}
	}
	if refused := f.Must(t, http.StatusBadRequest, "PATCH", pathOf(segment), fields{"condition_assessed_on": "2024-01-01"}); !slices.Equal(
		refused.Fields(), []string{"condition_assessed_on"}) {
		t.Errorf("a day alone: %s", refused.Body)
	}
}
