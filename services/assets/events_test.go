package assets

import (
	"fmt"
	"slices"
	"testing"

	"ams.internal/libs/resource"
	"ams.internal/libs/resource/resourcetest"
)

// A change of an asset's condition has one event, however it is made. A change that leaves the condition has none.
func TestAConditionThatChangesIsAnEventOfItsOwn(t *testing.T) {
	t.Parallel()
	client, database := serveOn(t)
	asset := client.Create(t, "/v1/assets", fields{"name": "Toiture", "condition_rating": 2})
	path := fmt.Sprint("/v1/assets/", asset["id"])
	var assessment any
	assess := func(day string, rating int) func() {
		return func() {
			assessment = client.Create(t, path+"/condition-assessments", fields{"assessed_on": day, "condition_rating": rating})["id"]
		}
	}
	patch := func(body fields) func() { return func() { client.Must(t, 200, "PATCH", path, body) } }
	for _, step := range []struct {
		name string
		do   func()
		want []string
	}{
		{"another name", patch(fields{"name": "Toit"}), []string{"asset.updated"}},
		{"another condition by hand", patch(fields{"condition_rating": 3}), []string{"asset.updated", "asset.condition_changed"}},
		{"the same condition by hand", patch(fields{"condition_rating": 3, "notes": "vu"}), []string{"asset.updated"}},
		{"an older assessment", assess("2020-05-01", 5), []string{}},
		{"an assessment of today", assess(resource.Today(t.Context()), 4), []string{"asset.updated", "asset.condition_changed"}},
		{"the assessment taken back", func() {
			client.Must(t, 204, "DELETE", fmt.Sprint(path, "/condition-assessments/", assessment), nil)
		}, []string{"asset.updated", "asset.condition_changed"}},
		{"no condition any more", patch(fields{"condition_rating": nil}), []string{"asset.updated", "asset.condition_changed"}},
	} {
		before := len(client.Events(t, database))
		step.do()
		events := client.Events(t, database)[before:]
		if got := resourcetest.EventTypes(events, asset["id"]); !slices.Equal(got, step.want) {
			t.Errorf("%s has the events %v, want %v", step.name, got, step.want)
		}
		for _, f := range events {
			if f.Type == "asset.condition_changed" && (!slices.Contains(f.Changed, "condition_rating") ||
				f.Object["condition_rating"] == f.Previous["condition_rating"]) {
				t.Errorf("%s: %v, before %v", step.name, f.Object["condition_rating"], f.Previous)
			}
		}
	}
	if got := resourcetest.EventTypes(client.Events(t, database), asset["id"])[0]; got != "asset.created" {
		t.Errorf("the first event is %s", got)
	}
}
