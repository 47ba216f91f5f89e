package assets

import (
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"

	"ams.internal/libs/resource/resourcetest"
)

func TestPriceIndexesAreNumberedAndTheirValuesAreOfAYear(t *testing.T) {
	t.Parallel()
	client := serve(t)
	index := client.Create(t, "/v1/price-indexes", fields{"name": "Construction"})
	resourcetest.Expect(t, index, fields{"code": "IDX-01", "is_default": false, "service_categories": []any{}, "source": nil})
	values := fmt.Sprintf("/v1/price-indexes/%v/values", index["id"])
	first := client.Create(t, values, fields{"year": 2026, "value": 168.4})
	resourcetest.Expect(t, client.Must(t, http.StatusConflict, "POST", values, fields{"year": 2026, "value": 1}).JSON,
		fields{"code": "already_exists", "field": "year", "existing_id": first["id"]})
	for name, body := range map[string]fields{
		"year":  {"year": 1899, "value": 1},
		"value": {"year": 2027, "value": 0},
	} {
		if refused := client.Must(t, http.StatusBadRequest, "POST", values, body); !slices.Equal(refused.Fields(), []string{name}) {
			t.Errorf("%v refused %v", body, refused.Fields())
		}
	}
	for _, value := range []any{-1, 0.00001, 100000000, 52.12345} {
		refused := client.Must(t, http.StatusBadRequest, "POST", values, fields{"year": 2027, "value": value})
		if !slices.Equal(refused.Fields(), []string{"value"}) {
			t.Errorf("%v refused %v", value, refused.Fields())
		}
	}
	for _, body := range []fields{{"year": 2027}, {"value": 1}} {
		client.Must(t, http.StatusBadRequest, "POST", values, body)
	}
	client.Must(t, http.StatusBadRequest, "POST", "/v1/price-indexes", fields{"name": "X", "service_categories": []string{"houses"}})
	for year, value := range map[int]float64{1900: 0.0001, 2200: 99999999.9999, 2027: 52.1234} {
		resourcetest.Expect(t, client.Create(t, values, fields{"year": year, "value": value}), fields{"year": year, "value": value})
	}
	client.Must(t, http.StatusNoContent, "DELETE", fmt.Sprint("/v1/price-indexes/", index["id"]), nil)
	client.Must(t, http.StatusNotFound, "GET", values, nil)
}

func TestAServiceCategoryIsInOneIndexAndOneIndexIsTheDefault(t *testing.T) {
	t.Parallel()
	client := serve(t)
	const path = "/v1/price-indexes"
	buildings := client.Create(t, path, fields{"name": "Buildings", "is_default": true,
		"service_categories": []string{"facilities", "education"}})
	roads := client.Create(t, path, fields{"name": "Roads", "service_categories": []string{"roads"}})
	at := func(index fields) string { return fmt.Sprint(path, "/", index["id"]) }
	for _, c := range []struct {
		method, path string
		body         fields
		field        string
		value        any
		holder       any
	}{
		{"POST", path, fields{"name": "X", "service_categories": []string{"water", "education"}}, "service_categories", "education",
			buildings["id"]},
		{"POST", path, fields{"name": "X", "is_default": true}, "is_default", true, buildings["id"]},
		{"PATCH", at(roads), fields{"is_default": true}, "is_default", true, buildings["id"]},
		{"PATCH", at(buildings), fields{"service_categories": []string{"roads"}}, "service_categories", "roads", roads["id"]},
	} {
		resourcetest.Expect(t, client.Must(t, http.StatusConflict, c.method, c.path, c.body).JSON,
			fields{"code": "already_exists", "field": c.field, "value": c.value, "existing_id": c.holder})
	}
	if all, _ := client.List(t, path); len(all) != 2 {
		t.Errorf("%d indexes, want 2", len(all))
	}
	resourcetest.Expect(t, client.Must(t, http.StatusOK, "GET", at(roads), nil).JSON, fields{"version": 1, "is_default": false})

	// Its own are no obstacle, and what one gives away in a call another may take behind it.
	client.Must(t, http.StatusOK, "PATCH", at(buildings), fields{"service_categories": []string{"education", "library"}, "is_default": true})
	client.Must(t, http.StatusOK, "PATCH", path+"/bulk", fields{"data": []fields{
		{"id": buildings["id"], "is_default": false, "service_categories": []string{}},
		{"id": roads["id"], "is_default": true, "service_categories": []string{"education"}}}})
	rows := client.Must(t, http.StatusOK, "POST", path+"/bulk?atomic=false", fields{"data": []fields{
		{"name": "A", "service_categories": []string{"fire"}}, {"name": "B", "service_categories": []string{"fire"}},
		{"name": "C", "service_categories": []string{"transit"}}}}).JSON
	resourcetest.Expect(t, rows["summary"].(fields), fields{"created": 2, "failed": 1})
	client.Must(t, http.StatusConflict, "POST", path+"/bulk", fields{"data": []fields{{"name": "D", "is_default": true}, {"name": "E"}}})
	client.Must(t, http.StatusNoContent, "DELETE", at(roads), nil)
	client.Create(t, path, fields{"name": "D", "service_categories": []string{"education"}, "is_default": true})
	client.Other().Create(t, path, fields{"name": "D", "service_categories": []string{"education"}, "is_default": true})
}

func TestOfConcurrentWritersOneGetsTheCategory(t *testing.T) {
	t.Parallel()
	client := serve(t)
	const writers = 8
	responses := make([]resourcetest.Response, writers)
	var group sync.WaitGroup
	for i := range writers {
		group.Go(func() {
			responses[i] = client.Do(t, "POST", "/v1/price-indexes", fields{"name": fmt.Sprint("Indice ", i), "is_default": i%2 == 0,
				"service_categories": []string{"water"}})
		})
	}
	group.Wait()
	all, _ := client.List(t, "/v1/price-indexes")
	if len(all) != 1 {
		t.Fatalf("%d indexes have the category", len(all))
	}
	for _, response := range responses {
		if response.Status == http.StatusCreated {
			continue
		}
		if response.Status != http.StatusConflict || response.JSON["existing_id"] != all[0]["id"] {
			t.Errorf("%d %s", response.Status, response.Body)
		}
	}
}
