package los

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"ams.internal/libs/resource/resourcetest"
)

type fields = map[string]any

// refused checks that a body is refused for a field, with a sentence that has hint, words of what to do instead.
func refused(t testing.TB, client *resourcetest.Client, method, path string, body fields, field, hint string) {
	t.Helper()
	response := client.Must(t, http.StatusBadRequest, method, path, body)
	if !slices.Contains(response.Fields(), field) || !strings.Contains(string(response.Body), hint) {
		t.Errorf("%v is refused with %s, want %s and %q", body, response.Body, field, hint)
	}
}

func newArea(t testing.TB, client *resourcetest.Client, name string, more fields) any {
	t.Helper()
	body := fields{"name": name}
	for field, value := range more {
		body[field] = value
	}
	return client.Create(t, pathOf(serviceAreas.Collection), body)["id"]
}

func newMeasure(t testing.TB, client *resourcetest.Client, area any, name string, more fields) any {
	t.Helper()
	body := fields{"service_area_id": area, "name": name, "measure_type": "technical"}
	for field, value := range more {
		body[field] = value
	}
	return client.Create(t, pathOf(measures.Collection), body)["id"]
}

func TestTheFirstFiveCategoriesAreCore(t *testing.T) {
	client := newFixture(t).Client
	for category, core := range map[any]bool{"roads": true, "bridges_culverts": true, "water": true, "wastewater": true,
		"stormwater": true, "facilities": false, "other": false, nil: false} {
		resourcetest.Expect(t, client.Create(t, pathOf(serviceAreas.Collection),
			fields{"name": fmt.Sprint("Secteur ", category), "category": category}), fields{"is_core": core, "status": "active"})
	}
	if core, _ := client.List(t, pathOf(serviceAreas.Collection)+"?is_core=true"); len(core) != 5 {
		t.Errorf("%d areas are core, want 5", len(core))
	}
}

func TestServiceAreaRules(t *testing.T) {
	client := newFixture(t).Client
	path := fmt.Sprint(pathOf(serviceAreas.Collection), "/", newArea(t, client, "Routes", nil))
	unknown := "019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e99"
	for _, field := range []string{"site_ids", "building_ids", "network_ids"} {
		missing := client.Must(t, http.StatusNotFound, "PATCH", path, fields{field: []string{unknown}})
		if !slices.Equal(missing.Fields(), []string{field}) {
			t.Errorf("%s: %s", field, missing.Body)
		}
		refused(t, client, "PATCH", path, fields{field: []string{site, site}}, field, "twice")
	}
	client.Must(t, http.StatusNotFound, "PATCH", path, fields{"owner_user_id": unknown})
	refused(t, client, "PATCH", path, fields{"category": "castles"}, "category", "roads")
	resourcetest.Expect(t, client.Must(t, http.StatusOK, "PATCH", path, fields{"status": "archived"}).JSON, fields{"status": "archived"})
	resourcetest.Expect(t, client.Must(t, http.StatusOK, "PATCH", path, fields{"status": "active"}).JSON, fields{"status": "active"})
	client.Must(t, http.StatusConflict, "POST", pathOf(serviceAreas.Collection), fields{"name": " ROUTES "})
}

func TestMeasureRules(t *testing.T) {
	client := newFixture(t).Client
	area, other := newArea(t, client, "Routes", nil), newArea(t, client, "Ponts", nil)
	body := func(more fields) fields {
		merged := fields{"service_area_id": area, "name": "Indice", "measure_type": "technical"}
		for name, value := range more {
			merged[name] = value
		}
		return merged
	}
	for _, c := range []struct {
		body        fields
		field, hint string
	}{
		{fields{"data_source": "computed"}, "computed_metric", "avg_pci"},
		{fields{"data_source": "manual", "computed_metric": "avg_pci"}, "data_source", "computed_metric to null"},
		{fields{"computed_metric": "avg_pci", "value_kind": "narrative"}, "value_kind", "choose number"},
		{fields{"computed_metric": "avg_pci", "value_kind": "count"}, "value_kind", "choose number"},
		{fields{"computed_metric": "avg_pci", "value_kind": "money"}, "value_kind", "choose number"},
		{fields{"computed_metric": "avg_colour"}, "computed_metric", "lane_km"},
		{fields{"measure_type": "political"}, "measure_type", "community"},
		{fields{"tolerance_pct": 101}, "tolerance_pct", "100"},
		{fields{"tolerance_pct": -1}, "tolerance_pct", "0"},
		{fields{"weight": -0.5}, "weight", "0"},
	} {
		refused(t, client, "POST", pathOf(measures.Collection), body(c.body), c.field, c.hint)
	}
	first := client.Create(t, pathOf(measures.Collection), body(nil))
	resourcetest.Expect(t, first, fields{"value_kind": "number", "direction": "higher_is_better", "frequency": "annual",
		"data_source": "manual", "tolerance_pct": 5, "weight": 1,
		"latest": nil, "attainment": "no_data", "trend": nil, "is_stale": nil})
	computed := client.Create(t, pathOf(measures.Collection), body(fields{"name": "Autre", "computed_metric": "avg_pci"}))
	resourcetest.Expect(t, computed, fields{"data_source": "computed"})
	path := fmt.Sprint(pathOf(measures.Collection), "/", computed["id"])
	refused(t, client, "PATCH", path, fields{"data_source": "manual"}, "data_source", "computed_metric to null")
	refused(t, client, "PATCH", path, fields{"value_kind": "narrative"}, "value_kind", "avg_pci is a number")
	resourcetest.Expect(t, client.Must(t, http.StatusOK, "PATCH", path, fields{"computed_metric": nil}).JSON, fields{"data_source": "manual"})
	resourcetest.Expect(t, client.Create(t, pathOf(measures.Collection), body(fields{"service_area_id": other})), fields{"name": "Indice"})
	clash := client.Must(t, http.StatusConflict, "POST", pathOf(measures.Collection), body(fields{"name": " INDICE"})).JSON
	resourcetest.Expect(t, clash, fields{"field": "name", "value": "INDICE", "existing_id": first["id"]})

	conflict := client.Must(t, http.StatusConflict, "DELETE", fmt.Sprint(pathOf(serviceAreas.Collection), "/", area), nil).JSON
	resourcetest.Expect(t, conflict, fields{"dependents": fields{"los_measures": 2.0}})
}

func TestAMeasureKeepsItsKindOfValues(t *testing.T) {
	client := newFixture(t).Client
	measure := newMeasure(t, client, newArea(t, client, "Routes", nil), "Indice", nil)
	path := fmt.Sprint(pathOf(measures.Collection), "/", measure)
	client.Must(t, http.StatusOK, "PATCH", path, fields{"value_kind": "percentage"})
	target := client.Create(t, pathOf(targets.Collection), fields{"measure_id": measure, "year": 2026, "target_value": 80})["id"]
	value := client.Create(t, pathOf(measurements.Collection),
		fields{"measure_id": measure, "period_start": "2025-01-01", "period_end": "2025-12-31", "value": 79})["id"]
	conflict := client.Must(t, http.StatusConflict, "PATCH", path, fields{"value_kind": "narrative"}).JSON
	resourcetest.Expect(t, conflict, fields{"field": "value_kind", "value": "narrative",
		"dependents": fields{"los_targets": 1.0, "los_measurements": 1.0}})
	client.Must(t, http.StatusOK, "PATCH", path, fields{"name": "Indice moyen"})
	resourcetest.Expect(t, client.Must(t, http.StatusConflict, "DELETE", path, nil).JSON,
		fields{"dependents": fields{"los_targets": 1.0, "los_measurements": 1.0}})
	client.Must(t, http.StatusNoContent, "DELETE", fmt.Sprint(pathOf(targets.Collection), "/", target), nil)
	client.Must(t, http.StatusConflict, "PATCH", path, fields{"value_kind": "narrative"})
	client.Must(t, http.StatusNoContent, "DELETE", fmt.Sprint(pathOf(measurements.Collection), "/", value), nil)
	client.Must(t, http.StatusOK, "PATCH", path, fields{"value_kind": "narrative"})
	client.Must(t, http.StatusNoContent, "DELETE", path, nil)
}

// Whichever request is first, no measure has values of another kind than its own in the end.
func TestAKindIsNotChangedUnderAValue(t *testing.T) {
	client := newFixture(t).Client
	area := newArea(t, client, "Routes", nil)
	for round := range 8 {
		measure := newMeasure(t, client, area, fmt.Sprint("Indice ", round), nil)
		var changed, recorded resourcetest.Response
		var group sync.WaitGroup
		group.Go(func() {
			changed = client.Do(t, "PATCH", fmt.Sprint(pathOf(measures.Collection), "/", measure), fields{"value_kind": "narrative"})
		})
		group.Go(func() {
			recorded = client.Do(t, "POST", pathOf(measurements.Collection),
				fields{"measure_id": measure, "period_start": "2025-01-01", "period_end": "2025-12-31", "value": 1})
		})
		group.Wait()
		if statuses := [2]int{changed.Status, recorded.Status}; statuses != [2]int{200, 400} && statuses != [2]int{409, 201} {
			t.Errorf("changing the kind gives %d and recording a number %d", changed.Status, recorded.Status)
		}
	}
}

func TestValuesAreOfTheKindOfTheirMeasure(t *testing.T) {
	client := newFixture(t).Client
	area := newArea(t, client, "Routes", nil)
	measure := map[string]any{}
	for _, kind := range []string{"number", "percentage", "ratio", "count", "money", "hours", "rating", "narrative"} {
		measure[kind] = newMeasure(t, client, area, kind, fields{"value_kind": kind})
	}
	for i, c := range []struct {
		kind        string
		value, text any
		field       string // that is refused, "" for none; "value" or "value_text"
		hint        string
	}{
		{"number", 7.25, nil, "", ""}, {"number", -3, nil, "", ""}, {"number", nil, "sept", "value_text", "put the number into"},
		{"number", nil, nil, "value", "numbers"},
		{"percentage", 104.5, nil, "", ""}, {"percentage", 90, "élevé", "value_text", "percentage"}, {"ratio", 0.4, nil, "", ""},
		{"ratio", nil, "un sur deux", "value", "ratio"},
		{"count", 12, nil, "", ""}, {"count", 12.5, nil, "value", "whole number"}, {"count", -1, nil, "value", "whole number"},
		{"money", 12.25, nil, "", ""}, {"money", 12.255, nil, "value", "2 decimals"}, {"money", 9876543210.01, nil, "", ""},
		{"hours", 1.5, nil, "", ""}, {"hours", -1, nil, "value", "0 or more"},
		{"rating", 4, nil, "", ""}, {"rating", nil, "bon", "", ""}, {"rating", 4, "bon", "", ""}, {"rating", nil, nil, "value", "value_text"},
		{"narrative", nil, "Toute la ville, sauf l'île", "", ""}, {"narrative", 12, nil, "value", "put the text into"},
		{"narrative", 12, "douze", "value", "leave value out"}, {"narrative", nil, nil, "value_text", "texts"},
	} {
		year := 2001 + i
		recorded := fields{"measure_id": measure[c.kind], "period_start": fmt.Sprintf("%d-01-01", year),
			"period_end": fmt.Sprintf("%d-12-31", year), "value": c.value, "value_text": c.text}
		aimed := fields{"measure_id": measure[c.kind], "year": year, "target_value": c.value, "target_text": c.text}
		if c.field == "" {
			resourcetest.Expect(t, client.Create(t, pathOf(measurements.Collection), recorded), fields{"value": c.value, "value_text": c.text})
			resourcetest.Expect(t, client.Create(t, pathOf(targets.Collection), aimed), fields{"target_value": c.value, "target_text": c.text})
			continue
		}
		refused(t, client, "POST", pathOf(measurements.Collection), recorded, c.field, c.hint)
		refused(t, client, "POST", pathOf(targets.Collection), aimed,
			strings.Replace(strings.Replace(c.field, "value_text", "target_text", 1), "value", "target_value", 1),
			strings.ReplaceAll(strings.ReplaceAll(c.hint, "value_text", "target_text"), "leave value", "leave target_value"))
	}
	refused(t, client, "POST", pathOf(targets.Collection),
		fields{"measure_id": measure["narrative"], "year": 2050, "target_text": "tout", "minimum_value": 1, "stretch_value": 2},
		"minimum_value", "narrative")
	refused(t, client, "POST", pathOf(targets.Collection),
		fields{"measure_id": measure["count"], "year": 2050, "target_value": 1, "stretch_value": 2.5}, "stretch_value", "whole number")
}

func TestMeasurementRules(t *testing.T) {
	client := newFixture(t).Client
	area := newArea(t, client, "Routes", nil)
	one, two := newMeasure(t, client, area, "Un", nil), newMeasure(t, client, area, "Deux", fields{"value_kind": "narrative"})
	first := client.Create(t, pathOf(measurements.Collection),
		fields{"measure_id": one, "period_start": "2025-01-01", "period_end": "2025-12-31", "value": 71})
	refused(t, client, "POST", pathOf(measurements.Collection),
		fields{"measure_id": one, "period_start": "2025-01-02", "period_end": "2025-01-01", "value": 1}, "period_end", "2025-01-02")
	client.Create(t, pathOf(measurements.Collection),
		fields{"measure_id": one, "period_start": "2025-01-01", "period_end": "2025-01-01", "value": 1})
	refused(t, client, "POST", pathOf(measurements.Collection),
		fields{"measure_id": one, "period_start": "2025-02-01", "period_end": "2025-02-30", "value": 1}, "period_end", "exists")
	refused(t, client, "POST", pathOf(measurements.Collection),
		fields{"measure_id": one, "period_start": "2024-01-01", "period_end": "2024-12-31", "value": 1,
			"evidence_url": "javascript:alert(1)"}, "evidence_url", "https://")

	twice := client.Must(t, http.StatusConflict, "POST", pathOf(measurements.Collection),
		fields{"measure_id": one, "period_start": "2025-01-01", "period_end": "2025-12-31", "value": 72}).JSON
	resourcetest.Expect(t, twice, fields{"field": "period_start", "value": "2025-01-01", "existing_id": first["id"]})
	client.Create(t, pathOf(measurements.Collection),
		fields{"measure_id": two, "period_start": "2025-01-01", "period_end": "2025-12-31", "value_text": "Toutes"})
	client.Create(t, pathOf(measurements.Collection),
		fields{"measure_id": one, "period_start": "2025-07-01", "period_end": "2025-12-31", "value": 72})

	path := fmt.Sprint(pathOf(measurements.Collection), "/", first["id"])
	refused(t, client, "PATCH", path, fields{"period_end": "2024-12-31"}, "period_end", "2025-01-01")
	refused(t, client, "PATCH", path, fields{"value": nil}, "value", "numbers")
	refused(t, client, "PATCH", path, fields{"measure_id": two}, "value", "narrative") // of the other kind
	resourcetest.Expect(t, client.Must(t, http.StatusOK, "PATCH", path,
		fields{"measure_id": two, "value": nil, "value_text": "Le quartier", "period_start": "2025-02-01"}).JSON, fields{"measure_id": two})
}

func TestTargetsOfAYearAreThereOnce(t *testing.T) {
	client := newFixture(t).Client
	measure := newMeasure(t, client, newArea(t, client, "Routes", nil), "Indice", nil)
	first := client.Create(t, pathOf(targets.Collection),
		fields{"measure_id": measure, "year": 2027, "target_value": 80, "expected_annual_cost": 1250000})
	resourcetest.Expect(t, first, fields{"kind": "current", "currency": "CAD"})
	clash := client.Must(t, http.StatusConflict, "POST", pathOf(targets.Collection),
		fields{"measure_id": measure, "year": 2027, "target_value": 85}).JSON
	resourcetest.Expect(t, clash, fields{"field": "year", "value": 2027, "existing_id": first["id"]})
	if !strings.Contains(clash["error"].(string), "2027") {
		t.Errorf("the sentence is %v", clash["error"])
	}
	proposed := client.Create(t, pathOf(targets.Collection),
		fields{"measure_id": measure, "year": 2027, "kind": "proposed", "target_value": 85})
	client.Create(t, pathOf(targets.Collection), fields{"measure_id": measure, "year": 2028, "target_value": 85})
	resourcetest.Expect(t, client.Must(t, http.StatusConflict, "PATCH", fmt.Sprint(pathOf(targets.Collection), "/", proposed["id"]),
		fields{"kind": "current"}).JSON, fields{"field": "year", "value": 2027})
	if found, _ := client.List(t, fmt.Sprintf("%s?measure_id=%v&year=2027&kind=current", pathOf(targets.Collection),
		measure)); len(found) != 1 {
		t.Errorf("the list finds %v", found)
	}
	bulk := client.Must(t, http.StatusConflict, "POST", pathOf(targets.Collection)+"/bulk", fields{"data": []fields{
		{"measure_id": measure, "year": 2030, "target_value": 1}, {"measure_id": measure, "year": 2027, "target_value": 1},
		{"measure_id": measure, "year": 2030, "target_value": 2},
	}}).JSON
	for i, want := range []fields{{"index": 1, "field": "year", "value": 2027}, {"index": 2, "field": "year", "value": 2030}} {
		resourcetest.Expect(t, bulk["results"].([]any)[i].(fields), want)
	}
	for field, year := range map[string]any{"too early": 1899, "too late": 2201, "not whole": 2027.5} {
		if response := client.Must(t, http.StatusBadRequest, "POST", pathOf(targets.Collection),
			fields{"measure_id": measure, "year": year, "target_value": 1}); !slices.Contains(response.Fields(), "year") {
			t.Errorf("%s: %s", field, response.Body)
		}
	}
}
