package projects

import (
	"slices"
	"strings"
	"testing"

	"ams.internal/libs/resource/resourcetest"
)

func TestEveryMoveFromStatusToStatusIsAnEventOfItsOwn(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	path := f.project(t, fields{"status": "approved", "budget_amount": 100})
	id := path[strings.LastIndex(path, "/")+1:]
	for _, change := range []struct {
		body fields
		want []string
	}{
		{fields{"name": "Autre nom", "status": "approved"}, []string{"project.updated"}},
		{fields{"status": "in_progress"}, []string{"project.updated", "project.status_changed"}},
		{fields{"percent_complete": 50}, []string{"project.updated"}},
		{fields{"status": "cancelled"}, []string{"project.updated", "project.status_changed"}},
	} {
		before := len(f.Events(t, f.database))
		f.Must(t, 200, "PATCH", path, change.body)
		events := f.Events(t, f.database)[before:]
		if got := resourcetest.EventTypes(events, id); !slices.Equal(got, change.want) {
			t.Errorf("%v has the events %v, want %v", change.body, got, change.want)
		}
		if last := events[len(events)-1]; last.Type == "project.status_changed" &&
			(last.Object["status"] != change.body["status"] || last.Previous["status"] == nil) {
			t.Errorf("%v: %v, before %v", change.body, last.Object["status"], last.Previous)
		}
	}
	if got := resourcetest.EventTypes(f.Events(t, f.database), id)[0:2]; !slices.Equal(got,
		[]string{"project.created", "project.updated"}) {
		t.Errorf("a project that is made in a status has the events %v", got)
	}
}
