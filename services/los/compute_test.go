package los

import (
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"ams.internal/libs/resource"
	"ams.internal/libs/resource/resourcetest"
)

// setIndicators sets the responses of the services that have the indicators.
func setIndicators(f *fixture) {
	f.Respond("/internal/assets/figures", fields{"avg_condition_rating": 2.67, "pct_good_or_better": 66.67,
		"pct_past_useful_life": 12.5, "fci_pct": 17.5})
	f.Respond("/internal/work-orders/service-levels", fields{"met": 177, "missed": 23, "met_pct": 88.5})
	f.Respond("/internal/maintenance/figures", fields{"pm_compliance_pct": 85.0})
	f.Respond("/internal/work-orders/figures", fields{"completed": 40, "completed_on_time_pct": 92.5, "median_response_hours": 3.25})
	f.Respond("/internal/networks/figures", fields{"avg_pci": 71.4, "avg_bci": 74.25, "avg_condition_rating": 2.1, "lane_km": 412.75,
		"length_km": 208.1, "breaks_per_100km": 4.5})
}

func computePath(measure any) string {
	return fmt.Sprintf("%s/%v/compute", pathOf(measures.Collection), measure)
}

func TestEachMetricComesFromItsOwner(t *testing.T) {
	f := newFixture(t)
	setIndicators(f)
	everywhere := newArea(t, f.Client, "Tout", nil)
	here := newArea(t, f.Client, "Ici", fields{"site_ids": []string{site}, "building_ids": []string{building},
		"network_ids": []string{network}})
	linear := newArea(t, f.Client, "Réseau", fields{"network_ids": []string{network}})
	none, sites, buildings, networks := []any{}, []any{site}, []any{building}, []any{network}
	places := fields{"site_ids": sites, "building_ids": buildings}
	for _, c := range []struct {
		metric  string
		area    any
		value   float64
		path    string
		request fields
		note    string
	}{
		{"avg_condition_rating", everywhere, 2.67, "/internal/assets/figures",
			fields{"site_ids": none, "building_ids": none, "as_of": "2026-06-30", "horizon_years": 0.0}, "the whole organization"},
		{"pct_good_or_better", here, 66.67, "/internal/assets/figures", places, "1 site, 1 building, 1 network"},
		{"pct_past_useful_life", here, 12.5, "/internal/assets/figures", places, "1 site"},
		{"fci_pct", here, 17.5, "/internal/assets/figures", places, "as of 2026-06-30"},
		{"avg_condition_rating", here, 2.67, "/internal/assets/figures", places, "1 site"},
		{"avg_condition_rating", linear, 2.1, "/internal/networks/figures", fields{"network_ids": networks}, "1 network"},
		{"avg_pci", linear, 71.4, "/internal/networks/figures",
			fields{"network_ids": networks, "period_start": "2026-01-01", "period_end": "2026-06-30"}, "avg_pci"},
		{"avg_bci", everywhere, 74.25, "/internal/networks/figures", fields{"network_ids": none}, "the whole organization"},
		{"lane_km", here, 412.75, "/internal/networks/figures", fields{"network_ids": networks}, "1 network"},
		{"breaks_per_100km", linear, 4.5, "/internal/networks/figures", fields{"network_ids": networks}, "1 network"},
		{"wo_completed_on_time_pct", here, 92.5, "/internal/work-orders/figures",
			fields{"site_ids": sites, "building_ids": buildings, "period_start": "2026-01-01", "period_end": "2026-06-30"}, "1 building"},
		{"wo_median_response_hours", everywhere, 3.25, "/internal/work-orders/figures", fields{"site_ids": none, "building_ids": none},
			"the whole organization"},
		{"wo_sla_met_pct", here, 88.5, "/internal/work-orders/service-levels",
			fields{"site_ids": sites, "building_ids": buildings, "period_start": "2026-01-01", "period_end": "2026-06-30"}, "1 building"},
		{"pm_compliance_pct", everywhere, 85, "/internal/maintenance/figures", fields{"site_ids": none, "building_ids": none},
			"the whole organization"},
	} {
		t.Run(c.metric, func(t *testing.T) {
			measure := newMeasure(t, f.Client, c.area, "Mesure "+c.metric, fields{"computed_metric": c.metric})
			before := f.Requests(c.path)
			response := f.Must(t, http.StatusCreated, "POST", computePath(measure), fields{"period_end": "2026-06-30"})
			resourcetest.Expect(t, response.JSON, fields{"measure_id": measure, "value": c.value, "period_start": "2026-01-01",
				"period_end": "2026-06-30", "version": 1, "attainment": "no_target"})
			if !strings.Contains(response.JSON["note"].(string), c.note) {
				t.Errorf("the note is %v", response.JSON["note"])
			}
			location := response.Header.Get("Location")
			if stored := f.Must(t, http.StatusOK, "GET", location, nil); !reflect.DeepEqual(stored.JSON, response.JSON) ||
				response.Header.Get("ETag") != `"1"` || !strings.HasPrefix(stored.Header.Get("ETag"), `"1-`) {
				t.Errorf("computed is %v, recorded %v", response.JSON, stored.JSON)
			}
			if f.Requests(c.path) != before+1 {
				t.Errorf("%s was called %d times", c.path, f.Requests(c.path)-before)
			}
			resourcetest.Expect(t, f.lastRequest(c.path), c.request)
			resourcetest.Expect(t, get(t, f.Client, pathOf(measures.Collection), measure)["latest"].(fields), fields{"value": c.value})
			if history, _ := f.List(t, location+"/history"); len(history) != 1 || history[0]["action"] != "created" {
				t.Errorf("its history is %v", history)
			}
		})
	}
}

func TestThePeriodOfAComputedMeasure(t *testing.T) {
	f := newFixture(t)
	setIndicators(f)
	area := newArea(t, f.Client, "Tout", nil)
	day := resource.Today(t.Context())
	for _, c := range []struct {
		frequency string
		body      fields
		want      fields
		asOf      string
	}{
		{"annual", fields{}, fields{"period_start": day[:4] + "-01-01", "period_end": day}, day},
		{"annual", fields{"as_of": "2025-12-31"}, fields{"period_start": "2025-01-01", "period_end": "2025-12-31"}, "2025-12-31"},
		{"semi_annual", fields{"period_end": "2025-12-31"}, fields{"period_start": "2025-07-01"}, "2025-12-31"},
		{"semi_annual", fields{"period_end": "2025-06-30"}, fields{"period_start": "2025-01-01"}, "2025-06-30"},
		{"quarterly", fields{"period_end": "2025-03-31"}, fields{"period_start": "2025-01-01"}, "2025-03-31"},
		{"quarterly", fields{"period_end": "2025-11-30"}, fields{"period_start": "2025-10-01"}, "2025-11-30"},
		{"monthly", fields{"period_end": "2024-02-29"}, fields{"period_start": "2024-02-01"}, "2024-02-29"},
		{"annual", fields{"period_start": "2024-04-01", "period_end": "2025-03-31", "as_of": "2025-06-30"},
			fields{"period_start": "2024-04-01", "period_end": "2025-03-31"}, "2025-06-30"},
	} {
		measure := newMeasure(t, f.Client, area, fmt.Sprint(c.frequency, c.body), fields{"computed_metric": "fci_pct", "frequency": c.frequency})
		resourcetest.Expect(t, f.Must(t, http.StatusCreated, "POST", computePath(measure), c.body).JSON, c.want)
		resourcetest.Expect(t, f.lastRequest("/internal/assets/figures"), fields{"as_of": c.asOf})
	}
	measure := newMeasure(t, f.Client, area, "Futur", fields{"computed_metric": "fci_pct"})
	tomorrow := time.Now().UTC().AddDate(0, 0, 2).Format(time.DateOnly)
	refused(t, f.Client, "POST", computePath(measure), fields{"period_end": tomorrow}, "period_end", "future")
	refused(t, f.Client, "POST", computePath(measure), fields{"as_of": tomorrow, "period_end": "2025-12-31"}, "as_of", "future")
	refused(t, f.Client, "POST", computePath(measure), fields{"period_start": "2026-01-02", "period_end": "2026-01-01"},
		"period_start", "2026-01-01")
	refused(t, f.Client, "POST", computePath(measure), fields{"period_end": "2025-02-30"}, "period_end", "exists")
	refused(t, f.Client, "POST", computePath(measure), fields{"value": 3}, "value", "field")
	if recorded, _ := f.List(t, fmt.Sprintf("%s?measure_id=%v", pathOf(measurements.Collection), measure)); len(recorded) != 0 {
		t.Errorf("refused computations recorded %v", recorded)
	}
}

func TestWhatCannotBeComputedIsAConflict(t *testing.T) {
	f := newFixture(t)
	setIndicators(f)
	area := newArea(t, f.Client, "Tout", nil)
	linear := newArea(t, f.Client, "Réseau", fields{"network_ids": []string{network}})
	built := newArea(t, f.Client, "Bâtiments", fields{"building_ids": []string{building}})
	manual := newMeasure(t, f.Client, area, "À la main", nil)
	computed := newMeasure(t, f.Client, area, "Calculée", fields{"computed_metric": "fci_pct"})
	conflict := func(measure any, code, words string) fields {
		t.Helper()
		response := f.Must(t, http.StatusConflict, "POST", computePath(measure), fields{})
		if response.JSON["code"] != code || !strings.Contains(response.JSON["error"].(string), words) {
			t.Errorf("refused with %s, want %s and %q", response.Body, code, words)
		}
		return response.JSON
	}
	resourcetest.Expect(t, conflict(manual, "not_computed", "/v1/los/measurements"), fields{"field": "data_source", "value": "manual"})
	conflict(newMeasure(t, f.Client, linear, "Délais", fields{"computed_metric": "wo_median_response_hours"}), "nothing_to_compute",
		"site_ids")
	conflict(newMeasure(t, f.Client, built, "Chaussées", fields{"computed_metric": "avg_pci"}), "nothing_to_compute", "network_ids")

	first := f.Must(t, http.StatusCreated, "POST", computePath(computed), fields{}).JSON
	resourcetest.Expect(t, conflict(computed, "already_exists", "delete that"), fields{"field": "period_start", "existing_id": first["id"]})
	f.Must(t, http.StatusCreated, "POST", computePath(computed), fields{"period_end": "2020-12-31"})

	f.Respond("/internal/assets/figures", fields{"avg_condition_rating": nil, "fci_pct": nil})
	conflict(newMeasure(t, f.Client, area, "Vide", fields{"computed_metric": "fci_pct"}), "nothing_to_compute", "replacement cost")

	f.Must(t, http.StatusNotFound, "POST", computePath(user), fields{})
	f.Other().Must(t, http.StatusNotFound, "POST", computePath(computed), fields{})
	f.Must(t, http.StatusBadRequest, "POST", pathOf(measures.Collection)+"/x/compute", fields{})
	reader := *f.Client
	reader.Principal.Scopes = []string{"los:read"}
	reader.Must(t, http.StatusForbidden, "POST", computePath(computed), fields{})
}

func TestAComputedMeasureIsRecordedOnceForAnIdempotencyKey(t *testing.T) {
	f := newFixture(t)
	setIndicators(f)
	measure := newMeasure(t, f.Client, newArea(t, f.Client, "Tout", nil), "Indice", fields{"computed_metric": "fci_pct"})
	first := f.Must(t, http.StatusCreated, "POST", computePath(measure), fields{}, "Idempotency-Key", "k")
	again := f.Must(t, http.StatusCreated, "POST", computePath(measure), fields{}, "Idempotency-Key", "k")
	if string(first.Body) != string(again.Body) || again.Header.Get("Idempotency-Replayed") != "true" {
		t.Errorf("again: %s", again.Body)
	}
}

func TestAPeriodIsComputedOnceHoweverManyAsk(t *testing.T) {
	f := newFixture(t)
	setIndicators(f)
	measure := newMeasure(t, f.Client, newArea(t, f.Client, "Tout", nil), "Indice", fields{"computed_metric": "fci_pct"})
	var group sync.WaitGroup
	statuses := make([]int, 6)
	for i := range statuses {
		group.Go(func() { statuses[i] = f.Do(t, "POST", computePath(measure), fields{}).Status })
	}
	group.Wait()
	slices.Sort(statuses)
	if !slices.Equal(statuses, []int{201, 409, 409, 409, 409, 409}) {
		t.Errorf("the statuses are %v", statuses)
	}
}

func TestAnUnavailableOwnerIsA503AndNothingIsRecorded(t *testing.T) {
	f := newFixture(t)
	measure := newMeasure(t, f.Client, newArea(t, f.Client, "Tout", nil), "Indice", fields{"computed_metric": "fci_pct"})
	f.leave()
	response := f.Must(t, http.StatusServiceUnavailable, "POST", computePath(measure), fields{})
	if !strings.Contains(response.JSON["error"].(string), "assets") || response.Header.Get("Retry-After") == "" {
		t.Errorf("refused with %s", response.Body)
	}
	f.Must(t, http.StatusServiceUnavailable, "POST", pathOf(serviceAreas.Collection), fields{"name": "Eau", "site_ids": []string{site}})
	for path, want := range map[string]float64{pathOf(measurements.Collection): 0, pathOf(serviceAreas.Collection): 1} {
		if _, pagination := f.List(t, path); pagination["total"] != want {
			t.Errorf("%s has %v records, want %v", path, pagination["total"], want)
		}
	}
}
