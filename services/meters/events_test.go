package meters

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	"github.com/jackc/pgx/v5"
)

// One call is one event for each of its meters, with the meter as it is afterwards.
func TestACallHasOneEventForEachMeter(t *testing.T) {
	f := newFixture(t)
	hours, cycles := newMeter(t, f.Client, "Heures", nil), newMeter(t, f.Client, "Démarrages", fields{"unit": "cycles"})
	var rows []any
	for day := range 9 {
		for n, meter := range []string{hours, cycles} {
			rows = append(rows, fields{"meter_id": meter, "read_at": fmt.Sprintf("2026-06-0%dT12:00:00Z", day+1), "value": (n + 1) * day})
		}
	}
	f.Must(t, http.StatusOK, "POST", metersURL+"/readings/bulk", fields{"data": rows})
	f.Must(t, http.StatusOK, "POST", metersURL+"/readings/bulk", fields{"data": rows}) // changes nothing, and tells nothing
	events := eventsOf(t, f, "meter.reading_recorded")
	if len(events) != 2 {
		t.Fatalf("%d events, want 2", len(events))
	}
	for _, event := range events {
		data := event["data"].(fields)
		object := data["object"].(fields)
		want := map[any]float64{hours: 8, cycles: 16}[object["id"]]
		if object["total_usage"] != want || object["latest"].(fields)["value"] != want || fmt.Sprint(data["changed"]) != "[latest total_usage]" ||
			fmt.Sprint(data["previous"]) != "map[latest:<nil> total_usage:0]" || event["bulk_id"] == nil {
			t.Errorf("the event of %v is %v", object["name"], event)
		}
	}
	read(t, f.Client, hours, "2026-07-01T12:00:00Z", 20)
	events = eventsOf(t, f, "meter.reading_recorded")
	previous := events[2]["data"].(fields)["previous"].(fields)
	if len(events) != 3 || previous["total_usage"] != 8.0 || previous["latest"].(fields)["value"] != 8.0 || events[2]["bulk_id"] != nil {
		t.Errorf("the event of one reading is %v", events[2])
	}
}

func eventsOf(t *testing.T, f *fixture, eventType string) (events []fields) {
	t.Helper()
	db, err := pgx.Connect(t.Context(), f.database.Session)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close(context.WithoutCancel(t.Context())) }()
	if _, err := db.Exec(t.Context(), "SELECT set_config('ams.organization_id', $1, false)", f.Principal.OrganizationID); err != nil {
		t.Fatal(err)
	}
	rows, err := db.Query(t.Context(), "SELECT payload::text FROM outbox WHERE type = $1 ORDER BY position", eventType)
	if err != nil {
		t.Fatal(err)
	}
	var text string
	if _, err := pgx.ForEachRow(rows, []any{&text}, func() error {
		var event fields
		events = append(events, event)
		return json.Unmarshal([]byte(text), &events[len(events)-1])
	}); err != nil {
		t.Fatal(err)
	}
	return events
}
