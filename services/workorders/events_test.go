package workorders

import (
	"slices"
	"testing"

	"ams.internal/libs/reference"
	"ams.internal/libs/resource/resourcetest"
)

func TestAssigningAndCompletingAreEventsOfTheirOwn(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	other := "019a3c5e-0000-7000-8000-000000000079"
	active := "active"
	f.peers.Keep("users", reference.Entry{ID: other, Name: "Luc Tremblay", Status: &active})
	path, record := f.create(t, fields{})
	for _, change := range []struct {
		body fields
		want []string
	}{
		{fields{"title": "Autre titre"}, nil},
		{fields{"assignee_id": user}, []string{"work_order.assigned"}},
		{fields{"assignee_id": user, "priority": "high"}, nil}, // the same as before
		{fields{"assignee_id": other, "status": "in_progress"}, []string{"work_order.assigned"}},
		{fields{"assignee_id": nil}, nil},
		{fields{"status": "completed", "assignee_id": user}, []string{"work_order.assigned", "work_order.completed"}},
		{fields{"completion_notes": "Fait"}, nil},
		{fields{"status": "in_progress"}, nil},
		{fields{"status": "completed"}, []string{"work_order.completed"}},
		{fields{"status": "closed"}, nil},
	} {
		before := len(f.Events(t, f.database))
		f.Must(t, 200, "PATCH", path, change.body)
		events := f.Events(t, f.database)[before:]
		if got, want := resourcetest.EventTypes(events, record["id"]),
			append([]string{"work_order.updated"}, change.want...); !slices.Equal(got, want) {
			t.Errorf("%v has the events %v, want %v", change.body, got, want)
		}
		for _, e := range events { // all describe the same change
			if e.Version != events[0].Version || !slices.Equal(e.Changed, events[0].Changed) || e.Object["version"] != float64(e.Version) {
				t.Errorf("%s differs from %s: %v", e.Type, events[0].Type, e)
			}
		}
	}
}

func TestWorkRecordedAsAssignedAndCompletedHasBothEvents(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	rows := f.Must(t, 200, "POST", "/v1/work-orders/bulk", fields{"data": []fields{
		{"title": "Fait", "status": "completed", "assignee_id": user}, {"title": "À faire"},
	}}).JSON["data"].([]any)
	events := f.Events(t, f.database)
	for i, want := range [][]string{{"work_order.created", "work_order.assigned", "work_order.completed"}, {"work_order.created"}} {
		if got := resourcetest.EventTypes(events, rows[i].(fields)["id"]); !slices.Equal(got, want) {
			t.Errorf("row %d has the events %v, want %v", i, got, want)
		}
	}
	path, record := f.create(t, fields{"assignee_id": user})
	f.Must(t, 200, "POST", path+"/transition", fields{"to": "completed"})
	f.Create(t, path+"/costs", fields{"kind": "labour", "hours": 2, "unit_cost": 10})
	got := resourcetest.EventTypes(f.Events(t, f.database), record["id"])
	if want := []string{"work_order.created", "work_order.assigned", "work_order.updated", "work_order.completed",
		"work_order.updated"}; !slices.Equal(got, want) {
		t.Errorf("the events are %v, want %v", got, want)
	}
}
