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

func TestTheLatestInspectionDrivesTheSegment(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	network := newNetwork(t, f.Client, "road")
	id := f.Create(t, "/v1/infrastructure/segments", fields{"network_id": network, "name": "Rue"})["id"]
	path := fmt.Sprint("/v1/infrastructure/segments/", id)
	segment := func() fields { return f.Must(t, http.StatusOK, "GET", path, nil).JSON }
	inspect := func(body fields) any {
		t.Helper()
		body["segment_id"] = id
		return f.Create(t, "/v1/infrastructure/inspections", body)["id"]
	}
	at := func(inspection any) string { return fmt.Sprint("/v1/infrastructure/inspections/", inspection) }

	first := inspect(fields{"inspected_on": "2020-05-01", "condition_rating": 2})
	resourcetest.Expect(t, segment(), fields{"condition_rating": 2, "condition_assessed_on": "2020-05-01", "condition_grade": "good",
		"version": 2})
	latest := inspect(fields{"inspected_on": "2024-05-01", "index_type": "pci", "index_value": 41})
	resourcetest.Expect(t, segment(), fields{"condition_rating": 4, "condition_assessed_on": "2024-05-01"})
	inspect(fields{"inspected_on": "2022-05-01", "condition_rating": 5})
	resourcetest.Expect(t, segment(), fields{"condition_rating": 4, "version": 3})
	sameDay := inspect(fields{"inspected_on": "2024-05-01", "condition_rating": 3})
	resourcetest.Expect(t, segment(), fields{"condition_rating": 3})
	inspect(fields{"inspected_on": "2025-05-01", "index_type": "iri", "index_value": 2.1}) // has no rating
	resourcetest.Expect(t, segment(), fields{"condition_rating": 3, "condition_assessed_on": "2024-05-01"})
	f.Must(t, http.StatusNoContent, "DELETE", at(sameDay), nil)
	resourcetest.Expect(t, segment(), fields{"condition_rating": 4})
	f.Must(t, http.StatusOK, "PATCH", at(latest), fields{"inspected_on": "2019-01-01"})
	resourcetest.Expect(t, segment(), fields{"condition_rating": 5, "condition_assessed_on": "2022-05-01"})

	// An inspection that is moved to another segment counts for that one only.
	other := f.Create(t, "/v1/infrastructure/segments", fields{"network_id": network, "name": "Ruelle"})["id"]
	f.Must(t, http.StatusOK, "PATCH", at(first), fields{"inspected_on": "2026-01-01"})
	resourcetest.Expect(t, segment(), fields{"condition_rating": 2, "condition_assessed_on": "2026-01-01"})
	f.Must(t, http.StatusOK, "PATCH", at(first), fields{"segment_id": other})
	resourcetest.Expect(t, segment(), fields{"condition_rating": 5, "condition_assessed_on": "2022-05-01"})
	resourcetest.Expect(t, f.Must(t, http.StatusOK, "GET", fmt.Sprint("/v1/infrastructure/segments/", other), nil).JSON,
		fields{"condition_rating": 2})

	refused := f.Must(t, http.StatusConflict, "DELETE", path, nil).JSON
	if !reflect.DeepEqual(refused["dependents"], fields{"inspections": 3.0}) {
		t.Errorf("refused with %v", refused)
	}
	found, _ := f.List(t, fmt.Sprint("/v1/infrastructure/inspections?segment_id=", id))
	rows := []fields{}
	for _, record := range found {
		rows = append(rows, fields{"id": record["id"]})
	}
	f.Must(t, http.StatusOK, "DELETE", "/v1/infrastructure/inspections/bulk", fields{"data": rows})
	resourcetest.Expect(t, segment(), fields{"condition_rating": nil, "condition_assessed_on": nil, "condition_grade": nil})
	if history, _ := f.List(t, path+"/history?per_page=100"); float64(len(history)) != segment()["version"].(float64) {
		t.Errorf("%d entries of history for version %v", len(history), segment()["version"])
	}
	f.Must(t, http.StatusNoContent, "DELETE", path, nil)
	if found, _ := f.List(t, fmt.Sprint("/v1/infrastructure/inspections?network_id=", network)); len(found) != 1 {
		t.Errorf("inspections of the network: %v", found)
	}
}

func TestARatingSetOnTheSegmentCountsFromThatDay(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	segment := f.Create(t, "/v1/infrastructure/segments",
		fields{"network_id": newNetwork(t, f.Client, "road"), "name": "Rue", "condition_rating": 3})
	path := fmt.Sprint("/v1/infrastructure/segments/", segment["id"])
	read := func() fields { return f.Must(t, http.StatusOK, "GET", path, nil).JSON }
	resourcetest.Expect(t, segment,
		fields{"condition_rating": 3, "condition_assessed_on": resource.Today(t.Context()), "reported_condition_rating": 3})
	old := f.Create(t, "/v1/infrastructure/inspections",
		fields{"segment_id": segment["id"], "inspected_on": "2020-05-01", "condition_rating": 5})["id"]
	resourcetest.Expect(t, read(), fields{"condition_rating": 3, "version": 1})
	now := f.Create(t, "/v1/infrastructure/inspections",
		fields{"segment_id": segment["id"], "inspected_on": resource.Today(t.Context()), "condition_rating": 1})["id"]
	resourcetest.Expect(t, read(), fields{"condition_rating": 1, "reported_condition_rating": 3})
	f.Must(t, http.StatusNoContent, "DELETE", fmt.Sprint("/v1/infrastructure/inspections/", now), nil)
	resourcetest.Expect(t, read(), fields{"condition_rating": 3, "condition_assessed_on": resource.Today(t.Context())})
	f.Must(t, http.StatusOK, "PATCH", path, fields{"condition_rating": nil})
	f.Must(t, http.StatusOK, "PATCH", fmt.Sprint("/v1/infrastructure/inspections/", old), fields{"condition_rating": 4})
	resourcetest.Expect(t, read(), fields{"condition_rating": 4, "condition_assessed_on": "2020-05-01", "reported_condition_rating": nil})
}

func TestInspectionRules(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	segment := f.Create(t, "/v1/infrastructure/segments", fields{"network_id": newNetwork(t, f.Client, "bridge"), "name": "Pont"})["id"]
	for _, c := range []struct {
		name    string
		body    fields
		refused string
		rating  any
	}{
		{"pci 85 is very good", fields{"index_type": "pci", "index_value": 85}, "", 1.0},
		{"pci 84.9 is good", fields{"index_type": "pci", "index_value": 84.9}, "", 2.0},
		{"bci 70 is good", fields{"index_type": "bci", "index_value": 70}, "", 2.0},
		{"bci 60 is fair", fields{"index_type": "bci", "index_value": 60}, "", 3.0},
		{"bci 59.99 is poor", fields{"index_type": "bci", "index_value": 59.99}, "", 4.0},
		{"bci 58 is poor", fields{"index_type": "bci", "index_value": 58}, "", 4.0},
		{"pci 55 is fair", fields{"index_type": "pci", "index_value": 55}, "", 3.0},
		{"pci 40 is poor", fields{"index_type": "pci", "index_value": 40}, "", 4.0},
		{"bci 39.9 is very poor", fields{"index_type": "bci", "index_value": 39.9}, "", 5.0},
		{"pacp is a rating", fields{"index_type": "pacp_5", "index_value": 4}, "", 4.0},
		{"iri derives none", fields{"index_type": "iri", "index_value": 2.1}, "", nil},
		{"a rating that is given goes first", fields{"index_type": "pci", "index_value": 95, "condition_rating": 4}, "", 4.0},
		{"nothing measured", fields{"method": "visual"}, "", nil},
		{"an index without a value", fields{"index_type": "pci"}, "index_value", nil},
		{"a value without an index", fields{"index_value": 5}, "index_type", nil},
		{"beyond the scale", fields{"index_type": "bci", "index_value": 100.1}, "index_value", nil},
		{"in the future", fields{"inspected_on": time.Now().UTC().AddDate(0, 0, 2).Format(time.DateOnly)}, "inspected_on", nil},
		{"today", fields{"inspected_on": resource.Today(t.Context())}, "", nil},
		{"due again before it was", fields{"inspected_on": "2024-05-01", "next_due_on": "2024-04-30"}, "next_due_on", nil},
		{"a method that nobody knows", fields{"method": "divination"}, "method", nil},
		{"a segment that nobody has", fields{"segment_id": "019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e12"}, "segment_id", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			body := fields{"segment_id": segment, "inspected_on": "2024-05-01"}
			for name, value := range c.body {
				body[name] = value
			}
			if c.refused != "" {
				if response := f.Refused(t, "POST", "/v1/infrastructure/inspections", body); !slices.Contains(response.Fields(), c.refused) {
					t.Errorf("refused %v, want %s: %s", response.Fields(), c.refused, response.Body)
				}
				return
			}
			resourcetest.Expect(t, f.Create(t, "/v1/infrastructure/inspections", body), fields{"condition_rating": c.rating})
		})
	}
	made := f.Create(t, "/v1/infrastructure/inspections",
		fields{"segment_id": segment, "inspected_on": "2024-05-01", "index_type": "pci", "index_value": 90})
	path := fmt.Sprint("/v1/infrastructure/inspections/", made["id"])
	resourcetest.Expect(t, f.Must(t, http.StatusOK, "PATCH", path, fields{"index_value": 50}).JSON, fields{"condition_rating": 4})
	resourcetest.Expect(t, f.Must(t, http.StatusOK, "PATCH", path, fields{"index_type": "iri", "index_value": 3}).JSON,
		fields{"condition_rating": nil})
}

func TestConcurrentInspectionsAgreeOnTheLatest(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	segment := f.Create(t, "/v1/infrastructure/segments", fields{"network_id": newNetwork(t, f.Client, "road"), "name": "Rue"})["id"]
	done := make(chan int)
	for i := range 20 {
		go func() {
			done <- f.Do(t, "POST", "/v1/infrastructure/inspections",
				fields{"segment_id": segment, "inspected_on": fmt.Sprintf("2024-01-%02d", 20-i), "condition_rating": 1 + i%5}).Status
		}()
	}
	for range 20 {
		if status := <-done; status != http.StatusCreated {
			t.Errorf("an inspection beside others: %d", status)
		}
	}
	resourcetest.Expect(t, f.Must(t, http.StatusOK, "GET", fmt.Sprint("/v1/infrastructure/segments/", segment), nil).JSON,
		fields{"condition_rating": 1, "condition_assessed_on": "2024-01-20"})
}
