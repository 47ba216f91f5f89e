package meters

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"ams.internal/libs/resource/resourcetest"
)

// A meter with five digits goes from 99,950 to 120: it has run 170.
func TestACounterRollsOver(t *testing.T) {
	f := newFixture(t)
	meter := newMeter(t, f.Client, "Heures", fields{"rollover_at": 100000})
	read(t, f.Client, meter, "2026-01-01T12:00:00Z", 98050)
	read(t, f.Client, meter, "2026-06-01T12:00:00Z", 99950)
	resourcetest.Expect(t, shown(t, f.Client, meter), fields{"total_usage": 1900})
	rolled := read(t, f.Client, meter, "2026-07-01T12:00:00Z", 120)
	resourcetest.Expect(t, rolled, fields{"usage": 170, "value": 120, "unit": "h", "kind": "reading"})
	after := shown(t, f.Client, meter)
	resourcetest.Expect(t, after, fields{"total_usage": 2070, "version": 1})
	if latest := after["latest"].(fields); latest["value"] != 120.0 {
		t.Errorf("the latest reading is %v", latest)
	}
}

func TestACounterDoesNotFall(t *testing.T) {
	f := newFixture(t)
	for _, c := range []struct {
		name     string
		more     fields
		value    float64
		previous string
	}{
		{"more than half of the range would have been run", fields{"rollover_at": 100000}, 60000, "99950"},
		{"exactly half of it would have been", fields{"rollover_at": 100000}, 49950, "99950"},
		{"it does not roll over", nil, 120, "99950"},
	} {
		meter := newMeter(t, f.Client, c.name, c.more)
		read(t, f.Client, meter, "2026-06-01T12:00:00Z", 99950)
		refused := f.Must(t, http.StatusBadRequest, "POST", metersURL+"/"+meter+"/readings",
			fields{"read_at": "2026-07-01T12:00:00Z", "value": c.value})
		text := refused.JSON["error"].(string)
		if refused.JSON["code"] != "meter_falls" || !strings.Contains(text, c.previous) || !strings.Contains(text, "send a reset") ||
			fmt.Sprint(refused.Fields()) != "[value]" {
			t.Errorf("%s: %s", c.name, refused.Body)
		}
		reset := read(t, f.Client, meter, "2026-07-01T12:00:00Z", c.value, "kind", "reset")
		resourcetest.Expect(t, reset, fields{"usage": 0, "kind": "reset"})
		read(t, f.Client, meter, "2026-07-02T12:00:00Z", c.value+5)
		resourcetest.Expect(t, shown(t, f.Client, meter), fields{"total_usage": 5})
	}
}

func TestAValueInAnotherUnitIsConverted(t *testing.T) {
	f := newFixture(t)
	meter := newMeter(t, f.Client, "Odomètre", fields{"unit": "km"})
	resourcetest.Expect(t, read(t, f.Client, meter, "2026-06-01T12:00:00Z", 100, "unit", "mi"), fields{"value": 160.9344, "unit": "km"})
	refused := f.Must(t, http.StatusBadRequest, "POST", metersURL+"/"+meter+"/readings",
		fields{"read_at": "2026-06-02T12:00:00Z", "value": 3, "unit": "h"})
	if fmt.Sprint(refused.Fields()) != "[unit]" || !strings.Contains(refused.JSON["error"].(string), "km") {
		t.Errorf("hours on an odometer: %s", refused.Body)
	}
	heat := newMeter(t, f.Client, "Gaz", fields{"unit": "kWh"})
	resourcetest.Expect(t, read(t, f.Client, heat, "2026-06-01T12:00:00Z", 1, "unit", "GJ"), fields{"value": 277.777778})
}

// Total 2,070, next step at 2,250, 540 run in 90 days: 6 a day, so 30 days are left.
func TestDailyUsageIsThatOfNinetyDays(t *testing.T) {
	f := newFixture(t)
	meter := newMeter(t, f.Client, "Heures", nil)
	zone, err := time.LoadLocation("America/Toronto")
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now().In(zone)
	noon := func(daysAgo int) string {
		return time.Date(now.Year(), now.Month(), now.Day()-daysAgo, 0, 0, 1, 0, zone).UTC().Format(time.RFC3339)
	}
	read(t, f.Client, meter, noon(200), 1000)
	read(t, f.Client, meter, noon(90), 2530) // the 91st day with today: it does not count
	read(t, f.Client, meter, noon(89), 2600)
	read(t, f.Client, meter, noon(30), 3000)
	read(t, f.Client, meter, noon(0), 3070)
	resourcetest.Expect(t, shown(t, f.Client, meter), fields{"total_usage": 2070, "daily_usage_90": 6})

	idle := newMeter(t, f.Client, "Démarrages", fields{"unit": "cycles"})
	resourcetest.Expect(t, shown(t, f.Client, idle), fields{"total_usage": 0, "daily_usage_90": 0, "latest": nil})
	asked := usageOf(t, f.Client, "heures", fields{"id": pump, "at": noon(30)}, fields{"id": plow})
	if len(asked) != 1 {
		t.Fatalf("usage of two records, of which one has the meter: %v", asked)
	}
	resourcetest.Expect(t, asked[0], fields{"record_id": pump, "meter_id": meter, "kind": "counter", "unit": "h", "total_usage": 2070,
		"usage_at": 2000, "daily_usage_90": 6})
	left := (2250 - asked[0]["total_usage"].(float64)) / asked[0]["daily_usage_90"].(float64)
	if left != 30 {
		t.Errorf("%v days are left, want 30", left)
	}
}

func usageOf(t testing.TB, client *resourcetest.Client, name string, records ...fields) (all []fields) {
	t.Helper()
	answer := client.Must(t, http.StatusOK, "POST", "/internal/meters/usage", fields{"name": name, "records": records}).JSON
	for _, entry := range answer["data"].([]any) {
		all = append(all, entry.(fields))
	}
	return all
}

// What is run between two readings is split by a late one; a late one that the sum rises by changes total and days.
func TestLateReadingsChangeSums(t *testing.T) {
	f := newFixture(t)
	meter := newMeter(t, f.Client, "Heures", nil)
	read(t, f.Client, meter, "2026-06-10T12:00:00Z", 100)
	read(t, f.Client, meter, "2026-06-20T12:00:00Z", 300)
	read(t, f.Client, meter, "2026-06-15T12:00:00Z", 250)
	resourcetest.Expect(t, shown(t, f.Client, meter), fields{"total_usage": 200})
	read(t, f.Client, meter, "2026-06-01T12:00:00Z", 40) // before the first
	resourcetest.Expect(t, shown(t, f.Client, meter), fields{"total_usage": 260})
	for _, c := range []struct {
		value float64
		place string
	}{{90, "the reading before"}, {260, "the reading after"}} {
		refused := f.Must(t, http.StatusBadRequest, "POST", metersURL+"/"+meter+"/readings",
			fields{"read_at": "2026-06-12T12:00:00Z", "value": c.value})
		if !strings.Contains(refused.JSON["error"].(string), c.place) {
			t.Errorf("%v on 12 June: %s", c.value, refused.Body)
		}
	}
	data, pagination := f.List(t, metersURL+"/"+meter+"/readings?sort=read_at")
	var usages []any
	for _, r := range data {
		usages = append(usages, r["usage"])
	}
	if fmt.Sprint(usages) != "[0 60 150 50]" || pagination["total"] != 4.0 {
		t.Errorf("the readings ran %v, %v", usages, pagination)
	}
	checkSums(t, f)
}

func TestTheSameReadingAgainChangesNothing(t *testing.T) {
	f := newFixture(t)
	meter := newMeter(t, f.Client, "Heures", nil)
	path := metersURL + "/" + meter + "/readings"
	first := read(t, f.Client, meter, "2026-06-10T12:00:00Z", 100)
	read(t, f.Client, meter, "2026-06-20T12:00:00Z", 300)
	again := f.Must(t, http.StatusOK, "POST", path, fields{"read_at": "2026-06-10T12:00:00.000Z", "value": 100}).JSON
	resourcetest.Expect(t, again, first)
	other := fields{"read_at": "2026-06-10T12:00:00Z", "value": 130}
	refused := f.Must(t, http.StatusConflict, "POST", path, other)
	if refused.JSON["field"] != "read_at" || refused.JSON["existing_id"] != first["id"] {
		t.Errorf("another value: %s", refused.Body)
	}
	f.Must(t, http.StatusOK, "POST", path+"?on_conflict=skip", other)
	resourcetest.Expect(t, shown(t, f.Client, meter), fields{"total_usage": 200})
	corrected := f.Must(t, http.StatusOK, "POST", path+"?on_conflict=update", other).JSON
	resourcetest.Expect(t, corrected, fields{"id": first["id"], "value": 130})
	resourcetest.Expect(t, shown(t, f.Client, meter), fields{"total_usage": 170})
	latest := f.Must(t, http.StatusOK, "POST", path+"?on_conflict=update", fields{"read_at": "2026-06-20T12:00:00Z", "value": 310}).JSON
	resourcetest.Expect(t, latest, fields{"usage": 180})
	if now := shown(t, f.Client, meter)["latest"].(fields); now["value"] != 310.0 {
		t.Errorf("the latest is %v", now)
	}
	checkSums(t, f)
}

func TestReadingsOutsideOfTheLimitsAreFlagged(t *testing.T) {
	f := newFixture(t)
	gauge := newMeter(t, f.Client, "Pression", fields{"kind": "gauge", "unit": "kPa", "minimum": 200, "maximum": 800.5})
	for at, value := range map[string]float64{"2026-06-01T12:00:00Z": 199.9, "2026-06-02T12:00:00Z": 200, "2026-06-03T12:00:00Z": 800.5,
		"2026-06-04T12:00:00Z": 801} {
		r := read(t, f.Client, gauge, at, value)
		resourcetest.Expect(t, r, fields{"flagged": value < 200 || value > 800.5, "usage": nil})
	}
	flagged, _ := f.List(t, metersURL+"/"+gauge+"/readings?flagged=true")
	if len(flagged) != 2 {
		t.Errorf("%d readings are flagged, want 2", len(flagged))
	}
	after := shown(t, f.Client, gauge)
	resourcetest.Expect(t, after, fields{"total_usage": nil, "daily_usage_90": nil})
	if after["latest"].(fields)["flagged"] != true {
		t.Errorf("the latest is %v", after["latest"])
	}
}

func TestBadReadingsAreRefused(t *testing.T) {
	f := newFixture(t)
	counter := newMeter(t, f.Client, "Heures", fields{"rollover_at": 100000})
	gauge := newMeter(t, f.Client, "Pression", fields{"kind": "gauge", "unit": "kPa"})
	for _, c := range []struct {
		name, meter string
		body        any
		field       string
	}{
		{"NaN", counter, `{"read_at": "2026-06-01T12:00:00Z", "value": NaN}`, ""},
		{"NaN as a text", counter, fields{"read_at": "2026-06-01T12:00:00Z", "value": "NaN"}, "value"},
		{"of 2099", counter, fields{"read_at": "2099-06-01T12:00:00Z", "value": 1}, "read_at"},
		{"of in six minutes", counter, fields{"read_at": time.Now().Add(6 * time.Minute).Format(time.RFC3339), "value": 1}, "read_at"},
		{"without a time", counter, fields{"value": 1}, "read_at"},
		{"without a value", counter, fields{"read_at": "2026-06-01T12:00:00Z"}, "value"},
		{"below zero", counter, fields{"read_at": "2026-06-01T12:00:00Z", "value": -1}, "value"},
		{"beyond the rollover", counter, fields{"read_at": "2026-06-01T12:00:00Z", "value": 100001}, "value"},
		{"too large", gauge, fields{"read_at": "2026-06-01T12:00:00Z", "value": 1e12}, "value"},
		{"an unknown unit", counter, fields{"read_at": "2026-06-01T12:00:00Z", "value": 1, "unit": "furlong"}, "unit"},
		{"an unknown kind", counter, fields{"read_at": "2026-06-01T12:00:00Z", "value": 1, "kind": "guess"}, "kind"},
		{"an unknown field", counter, fields{"read_at": "2026-06-01T12:00:00Z", "value": 1, "valeur": 1}, "valeur"},
		{"a reset of a gauge", gauge, fields{"read_at": "2026-06-01T12:00:00Z", "value": 1, "kind": "reset"}, "kind"},
	} {
		refused := f.Must(t, http.StatusBadRequest, "POST", metersURL+"/"+c.meter+"/readings", c.body)
		if c.field != "" && fmt.Sprint(refused.Fields()) != "["+c.field+"]" {
			t.Errorf("%s: %s", c.name, refused.Body)
		}
		rows := fields{"data": []any{c.body}}
		if _, is := c.body.(fields); is {
			refused = f.Must(t, http.StatusBadRequest, "POST", metersURL+"/"+c.meter+"/readings/bulk", rows)
			if fmt.Sprint(refused.Fields()) != "[data[0]."+c.field+"]" {
				t.Errorf("%s in a bulk call: %s", c.name, refused.Body)
			}
		}
	}
	read(t, f.Client, counter, time.Now().Add(4*time.Minute).Format(time.RFC3339), 1)
	f.Must(t, http.StatusNotFound, "POST", metersURL+"/"+nobodys+"/readings", fields{"read_at": "2026-06-01T12:00:00Z", "value": 1})
	f.Must(t, http.StatusNotFound, "GET", metersURL+"/"+nobodys+"/readings", nil)
	f.Must(t, http.StatusBadRequest, "POST", metersURL+"/readings/bulk", fields{"data": []any{}})
}

// A counter that rolls over again and again comes to an end, not to a sum that is wrong.
func TestTheTotalOfAMeterIsNeverMoreThanCanBeSaid(t *testing.T) {
	f := newFixture(t)
	meter := newMeter(t, f.Client, "Heures", fields{"rollover_at": 999999999999})
	rows := []any{}
	for i := range 30 { // each runs a third of its range
		rows = append(rows, fields{"read_at": fmt.Sprintf("2026-06-01T12:%02d:00Z", i), "value": i % 3 * 333333333333})
	}
	refused := f.Must(t, http.StatusBadRequest, "POST", metersURL+"/"+meter+"/readings/bulk", fields{"data": rows})
	if text := refused.JSON["error"].(string); !strings.Contains(text, "total_usage") || !strings.Contains(text, "9000000000000") {
		t.Errorf("ten times around: %s", refused.Body)
	}
	resourcetest.Expect(t, shown(t, f.Client, meter), fields{"total_usage": 0, "latest": nil})
	f.Must(t, http.StatusOK, "POST", metersURL+"/"+meter+"/readings/bulk", fields{"data": rows[:27]})
	resourcetest.Expect(t, shown(t, f.Client, meter), fields{"total_usage": 8666666666658.0})
	refused = f.Must(t, http.StatusBadRequest, "POST", metersURL+"/"+meter+"/readings",
		fields{"read_at": "2026-06-01T13:00:00Z", "value": 333333333333})
	if fmt.Sprint(refused.Fields()) != "[value]" {
		t.Errorf("once more: %s", refused.Body)
	}
	gauge := newMeter(t, f.Client, "Énergie", fields{"kind": "gauge", "unit": "kWh"})
	refused = f.Must(t, http.StatusBadRequest, "POST", metersURL+"/"+gauge+"/readings",
		fields{"read_at": "2026-06-01T12:00:00Z", "value": 999999999999, "unit": "GJ"})
	if fmt.Sprint(refused.Fields()) != "[value]" {
		t.Errorf("more than a meter shows, once converted: %s", refused.Body)
	}
	checkSums(t, f)
}

// A meter is of one record, and keeps kind and unit once it was read.
func TestAMeterIsOfOneRecord(t *testing.T) {
	f := newFixture(t)
	for name, c := range map[string]struct {
		body  fields
		field string
	}{
		"of none":                 {fields{"name": "X", "kind": "counter", "unit": "h"}, "asset_id"},
		"of two":                  {fields{"name": "X", "kind": "counter", "unit": "h", "asset_id": pump, "site_id": site}, "asset_id"},
		"a gauge that rolls over": {fields{"name": "X", "kind": "gauge", "unit": "kPa", "asset_id": pump, "rollover_at": 10}, "rollover_at"},
		"of limits that none can keep": {fields{"name": "X", "kind": "gauge", "unit": "kPa", "asset_id": pump, "minimum": 2, "maximum": 1},
			"maximum"},
	} {
		if refused := f.Must(t, http.StatusBadRequest, "POST", metersURL, c.body); fmt.Sprint(refused.Fields()) != "["+c.field+"]" {
			t.Errorf("%s: %s", name, refused.Body)
		}
	}
	for field, id := range map[string]string{"site_id": site, "building_id": building, "system_id": system, "asset_id": plow,
		"segment_id": main1} {
		f.Create(t, metersURL, fields{"name": "Compteur", "kind": "counter", "unit": "h", field: id})
	}
	meter := newMeter(t, f.Client, "Heures", nil)
	f.Must(t, http.StatusOK, "PATCH", metersURL+"/"+meter, fields{"unit": "min"})
	read(t, f.Client, meter, "2026-06-01T12:00:00Z", 1)
	for _, body := range []fields{{"unit": "h"}, {"kind": "gauge"}} {
		f.Must(t, http.StatusConflict, "PATCH", metersURL+"/"+meter, body)
	}
	f.Must(t, http.StatusNoContent, "DELETE", metersURL+"/"+meter, nil)
	checkSums(t, f)
}
