package meters

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"ams.internal/libs/principal"
	"ams.internal/libs/resource/resourcetest"
)

func (f *fixture) withdraw(t testing.TB, status int, meter, at string) resourcetest.Response {
	t.Helper()
	return f.Must(t, status, "POST", metersURL+"/"+meter+"/readings/withdraw", fields{"read_at": at, "reason": "Relevé d’un autre compteur"})
}

// A reading that should not be there is withdrawn: the meter is as if it had never been recorded, and what it forbade is possible.
func TestAReadingThatShouldNotBeThereIsWithdrawn(t *testing.T) {
	f := newFixture(t)
	meter := newMeter(t, f.Client, "Heures", nil)
	day := func(ago int) string { return time.Now().AddDate(0, 0, -ago).UTC().Format("2006-01-02") + "T16:00:00Z" }
	read(t, f.Client, meter, day(30), 100)
	read(t, f.Client, meter, day(20), 190)
	before := shown(t, f.Client, meter)
	wrong := read(t, f.Client, meter, day(10), 91000)
	next := fields{"read_at": day(5), "value": 280}
	refused := f.Must(t, http.StatusBadRequest, "POST", metersURL+"/"+meter+"/readings", next)
	if !strings.Contains(refused.JSON["error"].(string), "or withdraw the other if that should not be there") {
		t.Errorf("%s", refused.Body)
	}
	gone := f.withdraw(t, http.StatusOK, meter, day(10)).JSON // what the refusal recommends
	resourcetest.Expect(t, gone, fields{"id": wrong["id"], "value": 91000, "usage": 90810})
	after := shown(t, f.Client, meter)
	for _, name := range []string{"total_usage", "latest", "daily_usage_90", "version"} {
		if fmt.Sprint(after[name]) != fmt.Sprint(before[name]) {
			t.Errorf("%s is %v, was %v", name, after[name], before[name])
		}
	}
	if list, _ := f.List(t, metersURL+"/"+meter+"/readings"); len(list) != 2 {
		t.Errorf("%d readings", len(list))
	}
	f.Must(t, http.StatusCreated, "POST", metersURL+"/"+meter+"/readings", next)
	resourcetest.Expect(t, shown(t, f.Client, meter), fields{"total_usage": 180, "daily_usage_90": 2})
	if names := f.withdraw(t, http.StatusBadRequest, meter, day(10)).Fields(); !slices.Equal(names, []string{"read_at"}) {
		t.Errorf("withdrawn twice: %v", names)
	}
	gateway := *f.Client
	gateway.Principal.Actor = principal.Actor{Type: "service", ID: "gateway"}
	trail := string(gateway.Must(t, 200, "POST", "/internal/changes", fields{"record_id": meter}).Body)
	for _, said := range []string{"reading_withdrawn", "Relevé d’un autre compteur", "91000"} {
		if !strings.Contains(trail, said) {
			t.Errorf("the audit trail does not say %q: %s", said, trail)
		}
	}
	events := eventsOf(t, f, "meter.reading_withdrawn")
	if len(events) != 1 {
		t.Errorf("%d events", len(events))
	}
	checkSums(t, f)
}

// Of a reading between others the next one takes the usage over; of the first there is none before; of the only one nothing is left.
func TestWhatIsLeftOfAMeterWithoutAReading(t *testing.T) {
	f := newFixture(t)
	meter := newMeter(t, f.Client, "Heures", nil)
	usages := func(want ...any) {
		t.Helper()
		var got []any
		list, _ := f.List(t, metersURL+"/"+meter+"/readings?sort=read_at")
		for _, r := range list {
			got = append(got, r["usage"])
		}
		if fmt.Sprintf("%v", got) != fmt.Sprintf("%v", want) {
			t.Errorf("usages %v, want %v", got, want)
		}
	}
	for i, value := range []float64{100, 250, 300, 310} {
		read(t, f.Client, meter, fmt.Sprintf("2026-0%d-01T12:00:00Z", i+1), value)
	}
	f.withdraw(t, 200, meter, "2026-02-01T12:00:00Z")
	usages(0, 200, 10)
	resourcetest.Expect(t, shown(t, f.Client, meter), fields{"total_usage": 210})
	f.withdraw(t, 200, meter, "2026-01-01T12:00:00Z")
	usages(0, 10)
	resourcetest.Expect(t, shown(t, f.Client, meter), fields{"total_usage": 10})
	f.withdraw(t, 200, meter, "2026-04-01T12:00:00Z")
	usages(0)
	f.withdraw(t, 200, meter, "2026-03-01T12:00:00Z")
	resourcetest.Expect(t, shown(t, f.Client, meter), fields{"total_usage": 0, "latest": nil})
	read(t, f.Client, meter, "2026-05-01T12:00:00Z", 7)
	usages(0)
	checkSums(t, f)
	other := f.Other()
	other.Must(t, http.StatusNotFound, "POST", metersURL+"/"+meter+"/readings/withdraw", fields{"read_at": "2026-05-01T12:00:00Z",
		"reason": "x"})
}

// A reset without which the counter would fall is withdrawn by either way that the refusal names.
func TestAResetIsWithdrawnByTheWaysThatTheRefusalNames(t *testing.T) {
	f := newFixture(t)
	for _, way := range []string{"the latest first", "as a reset"} {
		meter := newMeter(t, f.Client, way, nil)
		read(t, f.Client, meter, "2026-01-01T12:00:00Z", 500)
		read(t, f.Client, meter, "2026-02-01T12:00:00Z", 0, "kind", "reset")
		read(t, f.Client, meter, "2026-03-01T12:00:00Z", 40)
		refused := f.withdraw(t, http.StatusConflict, meter, "2026-02-01T12:00:00Z").JSON
		if refused["code"] != "meter_falls" || !strings.Contains(refused["error"].(string), way) {
			t.Errorf("%v", refused)
		}
		if way == "the latest first" {
			f.withdraw(t, 200, meter, "2026-03-01T12:00:00Z")
		} else {
			f.Must(t, 200, "POST", metersURL+"/"+meter+"/readings?on_conflict=update", fields{"read_at": "2026-03-01T12:00:00Z", "value": 40,
				"kind": "reset"})
		}
		f.withdraw(t, 200, meter, "2026-02-01T12:00:00Z")
		resourcetest.Expect(t, shown(t, f.Client, meter), fields{"total_usage": 0})
	}
}

// A gauge that was beyond a limit by a reading that is withdrawn is not beyond it any more: a plan hears of it when it is so in truth.
func TestAWithdrawnReadingOfAGaugePassedNoLimit(t *testing.T) {
	f := newFixture(t)
	meter := newMeter(t, f.Client, "Pression", fields{"kind": "gauge", "unit": "kPa"})
	read(t, f.Client, meter, "2026-01-01T12:00:00Z", 500)
	read(t, f.Client, meter, "2026-02-01T12:00:00Z", 9000)
	ask := func(since string) fields {
		return f.Must(t, 200, "POST", "/internal/meters/gauges", fields{"name": "Pression", "gt": 800, "clear_value": 700, "records": []fields{
			{"id": shown(t, f.Client, meter)["asset_id"], "since": since,
				"outside": since != "2026-01-15T12:00:00Z"}}}).JSON["data"].([]any)[0].(fields)
	}
	if first := ask("2026-01-15T12:00:00Z"); first["outside"] != true || len(first["excursions"].([]any)) != 1 {
		t.Errorf("%v", first)
	}
	if kept := ask("2026-02-01T12:00:00Z"); kept["outside"] != true {
		t.Errorf("%v", kept)
	}
	f.withdraw(t, 200, meter, "2026-02-01T12:00:00Z")
	if now := ask("2026-02-01T12:00:00Z"); now["outside"] != false {
		t.Errorf("%v", now)
	}
	read(t, f.Client, meter, "2026-03-01T12:00:00Z", 810)
	if again := ask("2026-02-01T12:00:00Z"); len(again["excursions"].([]any)) != 1 {
		t.Errorf("%v", again)
	}
}
