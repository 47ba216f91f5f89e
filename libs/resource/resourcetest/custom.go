package resourcetest

import (
	"testing"
	"time"

	"ams.internal/libs/schema"
	"ams.internal/libs/testwait"
)

// Declare declares the type of a custom field by its path, and gives the declaration when its values are built. That waits for whoever is
// writing in the same Postgres, tests of other packages too, so that one answer may still say pending.
func (c *Client) Declare(t testing.TB, path, kind string) (field map[string]any) {
	t.Helper()
	testwait.For(t, time.Minute, path+" is ready", func() bool {
		field = c.Must(t, 200, "PUT", path, map[string]any{"type": kind}).JSON
		return field["state"] == "ready"
	})
	return field
}

// customFields declares a custom field beside records that are there, and expects lists to know of each write afterwards. A table without
// the trigger of keep_custom_fields fails it.
func (s Suite[T]) customFields(t *testing.T, _ *schema.Schema) {
	with := func(n int, value any) string {
		body := s.Make(t, s.Client, n)
		body["custom_fields"] = map[string]any{"floor": value}
		return s.Client.Create(t, s.Path, body)["id"].(string)
	}
	path := s.Path + "/custom-fields?key=floor"
	if s.Definition.Parent != "" { // such lists are filtered by their parent
		s.Client.Must(t, 400, "GET", s.Path+"?custom_fields.floor=3", nil)
		s.Client.Must(t, 400, "PUT", path, map[string]any{"type": "number"})
		return
	}
	first := with(1700, 3)
	s.Client.Must(t, 400, "GET", s.Path+"?custom_fields.floor=3", nil)
	if field := s.Client.Declare(t, path, "number"); field["values"] != 1.0 {
		t.Fatalf("declared is %v", field)
	}
	second := with(1701, 4)
	finds := func(query string, want ...string) {
		t.Helper()
		data, pagination := s.Client.List(t, s.Path+"?per_page=1000&"+query)
		if pagination["total"] != float64(len(data)) || len(data) < len(want) {
			t.Errorf("%s: %d records of %v, want %d", query, len(data), pagination["total"], len(want))
			return
		}
		for i, id := range want {
			if data[i]["id"] != id {
				t.Errorf("%s: %v stands at %d, want %s", query, data[i]["id"], i, id)
			}
		}
	}
	finds("custom_fields.floor=3", first)
	finds("custom_fields.floor_min=4", second)
	finds("sort=-custom_fields.floor", second, first)
	s.Client.Must(t, 200, "PATCH", s.Path+"/"+first, map[string]any{"custom_fields": map[string]any{"floor": 5}})
	finds("sort=-custom_fields.floor", first, second)
	if !s.SoftDelete {
		s.Client.Must(t, 204, "DELETE", s.Path+"/"+first, nil)
		finds("sort=-custom_fields.floor", second)
	}
	s.Client.Must(t, 204, "DELETE", path, nil)
	s.Client.Must(t, 400, "GET", s.Path+"?sort=custom_fields.floor", nil)
}
