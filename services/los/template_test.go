package los

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"ams.internal/libs/resource/resourcetest"
)

func apply(t testing.TB, client *resourcetest.Client, area any, body fields) fields {
	t.Helper()
	return client.Must(t, http.StatusOK, "POST", fmt.Sprintf("%s/%v/apply-template", pathOf(serviceAreas.Collection), area), body).JSON
}

// The number of levels of service in Tables 1 to 5 of O. Reg. 588/17, by column. The lane-kilometres of three
// classes of roads are three measures.
func TestTemplatesAreTheTablesOfTheRegulation(t *testing.T) {
	client := newFixture(t).Client
	listed, pagination := client.List(t, "/v1/los/templates")
	resourcetest.Expect(t, pagination, fields{"total": 5, "total_pages": 1})
	type tally struct{ community, technical int }
	want := map[string]tally{"water": {3, 4}, "wastewater": {6, 4}, "stormwater": {1, 2}, "roads": {2, 5}, "bridges_culverts": {3, 3}}
	references := map[any]bool{}
	for i, template := range listed {
		var got tally
		if template["regulation_ref"] != fmt.Sprintf("O. Reg. 588/17, Table %d", i+1) || template["name_fr"] == "" {
			t.Errorf("template %d is of %v", i, template["regulation_ref"])
		}
		for _, entry := range template["measures"].([]any) {
			measure := entry.(fields)
			if measure["measure_type"] == "community" {
				got.community++
				resourcetest.Expect(t, measure, fields{"value_kind": "narrative", "unit": nil})
			} else {
				got.technical++
			}
			for _, field := range []string{"name", "name_fr", "description", "description_fr"} {
				if text := measure[field].(string); text == "" || strings.TrimSpace(text) != text || field == "name" && len(text) > 80 {
					t.Errorf("%v: %s is %q", measure["name"], field, text)
				}
			}
			if reference := measure["regulation_ref"].(string); references[reference] ||
				!strings.HasPrefix(reference, template["regulation_ref"].(string)+", ") {
				t.Errorf("%v stands in %q, which another has or which is another table", measure["name"], reference)
			}
			references[measure["regulation_ref"]] = true
			if measure["description"] == measure["description_fr"] || measure["name"] == measure["name_fr"] {
				t.Errorf("%v is in one language", measure["name"])
			}
		}
		if got != want[template["template"].(string)] {
			t.Errorf("%v has %+v", template["template"], got)
		}
	}
	if page, _ := client.List(t, "/v1/los/templates?page=2&per_page=3"); len(page) != 2 || page[0]["template"] != "roads" {
		t.Errorf("the second page is %v", page)
	}
	if page, _ := client.List(t, "/v1/los/templates?page=2000000000"); len(page) != 0 {
		t.Errorf("a page past the end is %v", page)
	}
}

func TestATemplateIsAppliedOnce(t *testing.T) {
	client := newFixture(t).Client
	for _, template := range templates {
		area := newArea(t, client, template.NameFR, fields{"category": template.Template})
		first := apply(t, client, area, fields{"language": "fr"})
		resourcetest.Expect(t, first, fields{"service_area_id": area, "template": template.Template, "created": len(template.Measures),
			"skipped": 0, "skipped_measures": []any{}})
		for i, entry := range first["data"].([]any) {
			made := entry.(fields)
			resourcetest.Expect(t, made, fields{"name": template.Measures[i].NameFR, "regulation_ref": template.Measures[i].RegulationRef,
				"version": 1, "attainment": "no_data", "service_area_id": area})
			if stored := get(t, client, pathOf(measures.Collection), made["id"]); fmt.Sprint(stored) != fmt.Sprint(made) {
				t.Errorf("the response shows %v, the measure is %v", made, stored)
			}
			if history, _ := client.List(t, fmt.Sprintf("%s/%v/history", pathOf(measures.Collection), made["id"])); len(history) != 1 {
				t.Errorf("%v has the history %v", made["name"], history)
			}
			client.Must(t, http.StatusOK, "PATCH", fmt.Sprint(pathOf(measures.Collection), "/", made["id"]),
				made) // the rules accept what the template makes
		}
		for _, language := range []string{"fr", "en"} {
			again := apply(t, client, area, fields{"language": language})
			resourcetest.Expect(t, again, fields{"created": 0, "skipped": len(template.Measures), "data": []any{}})
		}
		if _, pagination := client.List(t, fmt.Sprintf("%s?service_area_id=%v", pathOf(measures.Collection),
			area)); pagination["total"] != float64(len(template.Measures)) {
			t.Errorf("%s has %v measures", template.Template, pagination["total"])
		}
	}
	roads, _ := client.List(t, pathOf(measures.Collection)+"?regulation_ref=O.%20Reg.%20588/17,%20Table%204&computed_metric=avg_pci")
	if len(roads) != 1 || roads[0]["data_source"] != "computed" {
		t.Errorf("the pavement condition index is %v", roads)
	}
}

func TestATemplateLeavesWhatIsThere(t *testing.T) {
	client := newFixture(t).Client
	area := newArea(t, client, "Stormwater", fields{"category": "stormwater"})
	named := newMeasure(t, client, area, "properties RESILIENT to a 100-year storm", nil)
	referred := newMeasure(t, client, area, "Our own words",
		fields{"regulation_ref": "O. Reg. 588/17, Table 3, scope, community", "measure_type": "community", "value_kind": "narrative"})
	applied := apply(t, client, area, fields{})
	resourcetest.Expect(t, applied, fields{"created": 1, "skipped": 2})
	var there []any
	for _, entry := range applied["skipped_measures"].([]any) {
		there = append(there, entry.(fields)["id"])
	}
	if fmt.Sprint(there) != fmt.Sprint([]any{referred, named}) {
		t.Errorf("skipped are %v, want %v and %v", there, referred, named)
	}
	resourcetest.Expect(t, get(t, client, pathOf(measures.Collection), named), fields{"version": 1, "regulation_ref": nil})
}

func TestTheTemplateIsThatOfTheArea(t *testing.T) {
	client := newFixture(t).Client
	open, parks := newArea(t, client, "Sans catégorie", nil), newArea(t, client, "Parcs", fields{"category": "parks_recreation"})
	path := func(area any) string {
		return fmt.Sprintf("%s/%v/apply-template", pathOf(serviceAreas.Collection), area)
	}
	refused(t, client, "POST", path(open), fields{}, "template", "stormwater")
	refused(t, client, "POST", path(parks), fields{}, "template", "parks_recreation")
	refused(t, client, "POST", path(parks), fields{"template": "roads"}, "template", "parks_recreation")
	refused(t, client, "POST", path(open), fields{"template": "castles"}, "template", "roads")
	refused(t, client, "POST", path(open), fields{"template": "roads", "language": "de"}, "language", "fr")
	refused(t, client, "POST", path(open), fields{"colour": "red"}, "colour", "field")
	client.Must(t, http.StatusNotFound, "POST", path(user), fields{})
	client.Other().Must(t, http.StatusNotFound, "POST", path(open), fields{"template": "roads"})
	resourcetest.Expect(t, apply(t, client, open, fields{"template": "stormwater"}), fields{"template": "stormwater", "created": 3})
}

func TestTemplatesAppliedAtTheSameTimeMakeEachMeasureOnce(t *testing.T) {
	client := newFixture(t).Client
	area := newArea(t, client, "Routes", fields{"category": "roads"})
	var group sync.WaitGroup
	created := make([]float64, 6)
	for i := range created {
		group.Go(func() { created[i] = apply(t, client, area, fields{})["created"].(float64) })
	}
	group.Wait()
	sum := 0.0
	for _, n := range created {
		sum += n
	}
	if _, pagination := client.List(t, pathOf(measures.Collection)); sum != 7 || pagination["total"] != 7.0 {
		t.Errorf("%v made %v measures, want 7", created, pagination["total"])
	}
}
