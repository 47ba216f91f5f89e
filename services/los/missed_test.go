package los

import (
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"

	"ams.internal/libs/resource/resourcetest"
)

// misses gives the measurements by which targets were missed, in the order of their events.
func misses(t *testing.T, f *fixture) (ids []any) {
	t.Helper()
	for _, e := range resourcetest.Events(t, f.database) {
		if e.Type == "los.target_missed" {
			if e.Object["attainment"] != "missed" || e.Collection != "los_measurements" || e.Object["id"] != e.RecordID {
				t.Errorf("a miss of %v", e)
			}
			ids = append(ids, e.RecordID)
		}
	}
	return ids
}

// A target is missed by its latest measurement. There is one event when it becomes missed, and none while it stays missed.
func TestATargetThatBecomesMissedIsOneEvent(t *testing.T) {
	f := newFixture(t)
	measure := newMeasure(t, f.Client, newArea(t, f.Client, "Routes", nil), "Indice", nil)
	createTarget(t, f.Client, measure, 2020, 80, nil)
	createTarget(t, f.Client, measure, 2024, 60, nil)
	createTarget(t, f.Client, measure, 2021, 10, fields{"kind": "proposed"}) // never counts
	var last any
	recorded := func(year int, value any) func() {
		return func() { last = record(t, f.Client, measure, year, value)["id"] }
	}
	changed := func(body fields) func() {
		return func() {
			f.Must(t, http.StatusOK, "PATCH", fmt.Sprint(pathOf(measurements.Collection), "/", last), body)
		}
	}
	for _, step := range []struct {
		name string
		do   func()
		want bool
	}{
		{"before any target", recorded(2019, 1), false},
		{"met", recorded(2020, 85), false},
		{"missed in the year after", recorded(2021, 20), true},
		{"still missed, by another number", changed(fields{"value": 21}), false},
		{"still missed a year later", recorded(2022, 22), false},
		{"met again", changed(fields{"value": 90}), false},
		{"missed again", changed(fields{"value": 30}), true},
		{"a note", changed(fields{"note": "vérifié"}), false},
		{"near, which is not missed", recorded(2023, 78), false},
		{"the next target met", recorded(2024, 70), false},
		{"the next target missed", recorded(2025, 10), true},
		{"the next target still missed", recorded(2026, 10), false},
		{"an earlier period of the former target", changed(fields{"period_start": "2020-01-01", "period_end": "2020-06-30"}), false},
	} {
		before := misses(t, f)
		step.do()
		emitted := misses(t, f)[len(before):]
		if want := step.want; (len(emitted) > 0) != want || len(emitted) > 1 || want && emitted[0] != last {
			t.Errorf("%s: missed by %v, recorded %v", step.name, emitted, last)
		}
	}
	types := resourcetest.EventTypes(resourcetest.Events(t, f.database), misses(t, f)[0])
	if want := []string{"los_measurement.created", "los.target_missed", "los_measurement.updated"}; !slices.Equal(types, want) {
		t.Errorf("the first miss has the events %v, want %v", types, want)
	}
}

func TestOneCallHasOneEventPerMissedTarget(t *testing.T) {
	f := newFixture(t)
	area := newArea(t, f.Client, "Routes", nil)
	first, second := newMeasure(t, f.Client, area, "Indice", nil),
		newMeasure(t, f.Client, area, "Bris", fields{"direction": "lower_is_better"})
	createTarget(t, f.Client, first, 2020, 80, nil)
	createTarget(t, f.Client, second, 2020, 5, nil)
	var rows []fields
	for year := 2020; year < 2026; year++ {
		for _, measure := range []any{first, second} {
			rows = append(rows, fields{"measure_id": measure, "period_start": fmt.Sprintf("%d-01-01", year),
				"period_end": fmt.Sprintf("%d-12-31", year), "value": 20})
		}
	}
	made := f.Must(t, http.StatusOK, "POST", pathOf(measurements.Collection)+"/bulk", fields{"data": rows}).JSON["data"].([]any)
	if got, want := misses(t, f), []any{made[10].(fields)["id"], made[11].(fields)["id"]}; !slices.Equal(got, want) {
		t.Errorf("missed by %v, want %v", got, want)
	}
}

func TestConcurrentMissesOfATargetAreOneEvent(t *testing.T) {
	f := newFixture(t)
	measure := newMeasure(t, f.Client, newArea(t, f.Client, "Routes", nil), "Indice", nil)
	createTarget(t, f.Client, measure, 2020, 80, nil)
	record(t, f.Client, measure, 2020, 90)
	var all sync.WaitGroup
	for year := 2021; year < 2027; year++ {
		all.Go(func() { record(t, f.Client, measure, year, 20) })
	}
	all.Wait()
	if emitted := misses(t, f); len(emitted) != 1 {
		t.Errorf("the target is missed by %d events", len(emitted))
	}
}
