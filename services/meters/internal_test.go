package meters

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"

	"ams.internal/libs/principal"
	"ams.internal/libs/resource/resourcetest"
)

func TestAGaugeGoesOutsideOnceUntilItIsCleared(t *testing.T) {
	f := newFixture(t)
	gauge := newMeter(t, f.Client, "Pression", fields{"kind": "gauge", "unit": "kPa"})
	for i, value := range []float64{700, 810, 790, 820, 690, 801, 805} {
		read(t, f.Client, gauge, fmt.Sprintf("2026-06-0%dT12:00:00Z", i+1), value)
	}
	ask := func(body fields) fields {
		t.Helper()
		body["name"] = "pression"
		return f.Must(t, http.StatusOK, "POST", "/internal/meters/gauges", body).JSON["data"].([]any)[0].(fields)
	}
	for _, c := range []struct {
		name    string
		body    fields
		values  string
		outside bool
	}{
		{"from the beginning", fields{"gt": 800, "clear_value": 700, "records": []any{fields{"id": pump}}}, "[810 801]", true},
		{"without a value that clears", fields{"gt": 800, "records": []any{fields{"id": pump}}}, "[810 820 801]", true},
		{"since it went outside", fields{"gt": 800, "clear_value": 700,
			"records": []any{fields{"id": pump, "since": "2026-06-02T12:00:00Z", "outside": true}}}, "[801]", true},
		{"with nothing new",
			fields{"gt": 800, "records": []any{fields{"id": pump, "since": "2026-06-07T12:00:00Z", "outside": true}}}, "[]", true},
		{"below", fields{"lt": 700, "clear_value": 800, "records": []any{fields{"id": pump}}}, "[690]", false},
	} {
		got := ask(c.body)
		values := []any{}
		for _, e := range got["excursions"].([]any) {
			values = append(values, e.(fields)["value"])
		}
		if fmt.Sprint(values) != c.values || got["outside"] != c.outside || got["meter_id"] != gauge {
			t.Errorf("%s: %v, want %s", c.name, got, c.values)
		}
	}
	for _, wrong := range []fields{{"name": "x"}, {"name": "x", "gt": 1, "lt": 2}, {"name": "x", "gt": 1, "clear_value": 2}} {
		f.Must(t, http.StatusBadRequest, "POST", "/internal/meters/gauges", wrong)
	}
}

// The meters of a replaced asset go on at its successor; where that has one of the same name, the old one stays.
func TestMetersGoOnAtTheSuccessor(t *testing.T) {
	f := newFixture(t)
	hours, cycles := newMeter(t, f.Client, "Heures", nil), newMeter(t, f.Client, "Démarrages", fields{"unit": "cycles"})
	newMeter(t, f.Client, "DÉMARRAGES", fields{"unit": "cycles", "asset_id": plow})
	read(t, f.Client, hours, "2026-06-01T12:00:00Z", 5)
	id := uuid.NewString()
	for range 2 { // sent again, it changes nothing
		resourcetest.Expect(t, f.send(t, false, id, 1, "move_to_successor", fields{"meters_of": pump, "successor_id": plow}),
			fields{"outcome": "applied"})
		resourcetest.Expect(t, shown(t, f.Client, hours), fields{"asset_id": plow, "version": 2})
	}
	resourcetest.Expect(t, shown(t, f.Client, cycles), fields{"asset_id": pump, "version": 1})
	if all := usageOf(t, f.Client, "HEURES", fields{"id": pump}, fields{"id": plow}); len(all) != 1 || all[0]["record_id"] != plow {
		t.Errorf("usage: %v", all)
	}
	refused := f.send(t, false, uuid.NewString(), 2, "move_to_successor", fields{"meters_of": pump})
	resourcetest.Expect(t, refused, fields{"outcome": "refused", "field": "successor_id"})
}

// send sends an instruction as another service does, and gives the answer.
func (f *fixture) send(t *testing.T, check bool, id string, sequence int, kind string, payload fields) fields {
	t.Helper()
	sender := *f.Client
	sender.Principal.Actor, sender.Principal.Scopes = principal.Actor{Type: "service", ID: "workorders", Name: "workorders"}, nil
	answers := sender.Must(t, http.StatusOK, "POST", "/internal/effects", fields{"check": check, "effects": []any{fields{
		"id": id, "sequence": sequence, "kind": kind, "stage": "completed", "payload": payload, "on": "2026-06-20",
		"cause": fields{"collection": "work_orders", "id": uuid.NewString()},
		"actor": fields{"type": "user", "id": uuid.NewString(), "name": "Yvon"},
	}}}).JSON["answers"].([]any)
	return answers[0].(fields)
}

// Work that is completed elsewhere reads a meter: once, however often it says so.
func TestWorkReadsAMeter(t *testing.T) {
	f := newFixture(t)
	meter := newMeter(t, f.Client, "Odomètre", fields{"unit": "km"})
	read(t, f.Client, meter, "2026-06-01T12:00:00Z", 100)
	send := func(check bool, id string, sequence int, payload fields) fields {
		t.Helper()
		return f.send(t, check, id, sequence, "read_meter", payload)
	}
	id := uuid.NewString()
	resourcetest.Expect(t, send(true, id, 1, fields{"meter_id": meter, "value": 100, "unit": "mi"}), fields{"outcome": "applied"})
	resourcetest.Expect(t, shown(t, f.Client, meter), fields{"total_usage": 0})
	for range 3 {
		resourcetest.Expect(t, send(false, id, 1, fields{"meter_id": meter, "value": 100, "unit": "mi"}), fields{"outcome": "applied"})
	}
	resourcetest.Expect(t, shown(t, f.Client, meter), fields{"total_usage": 60.9344})
	data, _ := f.List(t, metersURL+"/"+meter+"/readings")
	if day, err := time.Parse(time.RFC3339, data[0]["read_at"].(string)); len(data) != 2 || err != nil ||
		day.Format(time.DateTime) != "2026-06-21 03:59:59" || data[0]["recorded_by"].(fields)["name"] != "Yvon" {
		t.Errorf("the reading of a day that is over: %v", data[0])
	}
	for what, c := range map[string]struct {
		payload fields
		field   string
	}{
		"a lower value":    {fields{"meter_id": meter, "value": 3, "read_at": "2026-06-22T12:00:00Z"}, "value"},
		"an unknown meter": {fields{"meter_id": nobodys, "value": 3}, ""},
		"another unit":     {fields{"meter_id": meter, "value": 300, "unit": "h"}, "unit"},
		"no value":         {fields{"meter_id": meter}, "value"},
	} {
		got := send(false, uuid.NewString(), 2, c.payload)
		if got["outcome"] != "refused" || c.field != "" && got["field"] != c.field {
			t.Errorf("%s: %v", what, got)
		}
	}
}
