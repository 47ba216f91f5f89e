package los

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"ams.internal/libs/resource/resourcetest"
)

func createTarget(t testing.TB, client *resourcetest.Client, measure any, year int, value float64, more fields) {
	t.Helper()
	body := fields{"measure_id": measure, "year": year, "target_value": value}
	for name, v := range more {
		body[name] = v
	}
	client.Create(t, pathOf(targets.Collection), body)
}

// record records a value of a calendar year.
func record(t testing.TB, client *resourcetest.Client, measure any, year int, value any) fields {
	t.Helper()
	body := fields{"measure_id": measure, "period_start": fmt.Sprintf("%d-01-01", year), "period_end": fmt.Sprintf("%d-12-31", year),
		"value": value}
	if text, ok := value.(string); ok {
		body["value"], body["value_text"] = nil, text
	}
	return client.Create(t, pathOf(measurements.Collection), body)
}

func get(t testing.TB, client *resourcetest.Client, path string, id any) fields {
	t.Helper()
	return client.Must(t, http.StatusOK, "GET", fmt.Sprint(path, "/", id), nil).JSON
}

// The rule that the target of a measurement is the current one of the year in which its period ends, else of the latest
// year before.
func TestTheTargetThatCounts(t *testing.T) {
	client := newFixture(t).Client
	measure := newMeasure(t, client, newArea(t, client, "Routes", nil), "Indice", nil)
	createTarget(t, client, measure, 2020, 50, nil)
	createTarget(t, client, measure, 2022, 70, nil)
	createTarget(t, client, measure, 2023, 10, fields{"kind": "proposed"})
	createTarget(t, client, measure, 2025, 90, nil)
	for year, want := range map[int]fields{
		2019: {"attainment": "no_target", "variance": nil},
		2020: {"attainment": "met", "variance": 18},
		2021: {"attainment": "met", "variance": 18},
		2022: {"attainment": "near", "variance": -2},
		2024: {"attainment": "near", "variance": -2},
		2025: {"attainment": "missed", "variance": -22},
		2031: {"attainment": "missed", "variance": -22},
	} {
		made := record(t, client, measure, year, 68)
		resourcetest.Expect(t, made, want)
		resourcetest.Expect(t, get(t, client, pathOf(measurements.Collection), made["id"]), want)
	}
	fiscal := client.Create(t, pathOf(measurements.Collection),
		fields{"measure_id": measure, "period_start": "2024-04-01", "period_end": "2025-03-31", "value": 68})
	resourcetest.Expect(t, fiscal, fields{"attainment": "missed"}) // its period ends in 2025
	for attainment, want := range map[string]float64{"no_target": 1, "met": 2, "near": 2, "missed": 3} {
		if _, pagination := client.List(t, fmt.Sprintf("%s?measure_id=%v&attainment=%s", pathOf(measurements.Collection), measure,
			attainment)); pagination["total"] != want {
			t.Errorf("%v measurements are %s, want %v", pagination["total"], attainment, want)
		}
	}
	// A changed target changes the attainment of measurements that exist.
	found, _ := client.List(t, fmt.Sprintf("%s?measure_id=%v&year=2025", pathOf(targets.Collection), measure))
	client.Must(t, http.StatusOK, "PATCH", fmt.Sprint(pathOf(targets.Collection), "/", found[0]["id"]), fields{"target_value": 60})
	resourcetest.Expect(t, get(t, client, pathOf(measurements.Collection), fiscal["id"]), fields{"attainment": "met", "variance": 8})
}

func TestAMeasureShowsItsLatest(t *testing.T) {
	client := newFixture(t).Client
	area := newArea(t, client, "Routes", nil)
	now := time.Now().UTC().Year()
	measure := newMeasure(t, client, area, "Indice", fields{"direction": "lower_is_better", "tolerance_pct": 10})
	shown := func() fields { return get(t, client, pathOf(measures.Collection), measure) }
	record(t, client, measure, now-2, 50)
	resourcetest.Expect(t, shown(), fields{"attainment": "no_target", "trend": nil, "is_stale": false})
	last := record(t, client, measure, now-1, 52)
	resourcetest.Expect(t, shown(), fields{"attainment": "no_target", "trend": "declining", "is_stale": false,
		"latest": fields{"id": last["id"], "period_start": last["period_start"], "period_end": last["period_end"], "value": 52.0,
			"value_text": nil}})
	createTarget(t, client, measure, now-3, 48, nil)
	resourcetest.Expect(t, shown(), fields{"attainment": "near"})
	record(t, client, measure, now-4, 10) // recorded later, of an earlier period
	resourcetest.Expect(t, shown(), fields{"attainment": "near", "trend": "declining"})
	half := client.Create(t, pathOf(measurements.Collection),
		fields{"measure_id": measure, "period_start": fmt.Sprintf("%d-07-01", now-1), "period_end": fmt.Sprintf("%d-12-31", now-1), "value": 40})
	resourcetest.Expect(t, shown(), fields{"attainment": "met", "trend": "improving"}) // ends on the same day and began later
	client.Must(t, http.StatusNoContent, "DELETE", fmt.Sprint(pathOf(measurements.Collection), "/", half["id"]), nil)
	resourcetest.Expect(t, shown(), fields{"attainment": "near", "trend": "declining"})

	old := newMeasure(t, client, area, "Vieux", nil)
	record(t, client, old, now-4, 10)
	resourcetest.Expect(t, get(t, client, pathOf(measures.Collection), old), fields{"is_stale": true, "attainment": "no_target"})
	best := newMeasure(t, client, area, "Juste", fields{"direction": "target_is_best"})
	record(t, client, best, now-2, 80)
	record(t, client, best, now-1, 60)
	resourcetest.Expect(t, get(t, client, pathOf(measures.Collection), best), fields{"trend": nil})
	createTarget(t, client, best, now-2, 71, nil)
	resourcetest.Expect(t, get(t, client, pathOf(measures.Collection), best), fields{"trend": "declining", "attainment": "missed"})
	text := newMeasure(t, client, area, "Récit", fields{"value_kind": "narrative"})
	client.Create(t, pathOf(targets.Collection), fields{"measure_id": text, "year": now - 1, "target_text": "Toutes les routes"})
	record(t, client, text, now-1, "Toutes les routes")
	resourcetest.Expect(t, get(t, client, pathOf(measures.Collection), text), fields{"trend": nil, "attainment": "no_target"})

	for filter, want := range map[string]float64{
		"attainment=near": 1, "attainment=missed": 1, "attainment=no_target": 2, "attainment=near,missed": 2, "trend=declining": 2,
		"trend=null":    2,
		"is_stale=true": 1, "is_stale=false": 3, "attainment=no_data": 0,
	} {
		if _, pagination := client.List(t, pathOf(measures.Collection)+"?"+filter); pagination["total"] != want {
			t.Errorf("%s finds %v measures, want %v", filter, pagination["total"], want)
		}
	}
}
