package resourcetest

import (
	"strings"
	"testing"

	"ams.internal/libs/schema"
)

// visibility looks at records without the scopes of Suite.Reads, where the definition has Visible: they are not there. Of what is
// below another record, that one is not there.
func (s Suite[T]) visibility(t *testing.T, _ *schema.Schema) {
	if s.Definition.Visible == nil || s.Definition.Parent != "" {
		return
	}
	blind, scope := *s.Client, s.row().Scope
	blind.Principal.Scopes = []string{scope + ":read", scope + ":write"}
	if s.Reads == nil || s.Definition.Visible(blind.Principal) == "" {
		t.Fatal("without the scopes of Reads, the records of Make must not be seen")
	}
	created := s.create(t, 850)
	id := created["id"].(string)
	path := s.Path + "/" + id
	for _, query := range []string{"", "?ids=" + id, "?sort=-updated_at", "?per_page=1&page=2"} {
		if records, pagination := blind.List(t, s.Path+query); len(records) != 0 || pagination["total"] != 0.0 {
			t.Errorf("%s shows %d records, and says %v", query, len(records), pagination)
		}
	}
	for accept, lines := range map[string]int{"text/csv": 1, "application/x-ndjson": 0} {
		if response := blind.Must(t, 200, "GET", s.Path, nil, "Accept", accept); strings.Count(string(response.Body), "\n") != lines {
			t.Errorf("as %s: %s", accept, response.Body)
		}
	}
	patch := map[string]any{"external_id": "stolen"}
	for _, request := range []struct {
		method, path string
		body         any
	}{
		{"GET", path, nil}, {"HEAD", path, nil}, {"GET", path + "/history", nil}, {"PATCH", path, patch}, {"DELETE", path, nil},
	} {
		if status := blind.Do(t, request.method, request.path, request.body).Status; status != 404 && status != 403 { // 403 names what is missing
			t.Errorf("%s %s: %d", request.method, request.path, status)
		}
	}
	if external, _ := created["external_id"].(string); external != "" {
		blind.Must(t, 404, "GET", s.Path+"/by-external-id/"+external, nil)
	}
	for _, method := range []string{"PATCH", "DELETE"} {
		row := map[string]any{"id": id}
		response := blind.Must(t, 200, method, s.Path+"/bulk?atomic=false", map[string]any{"data": []any{row}})
		if !strings.Contains(string(response.Body), `"code":"not_found"`) {
			t.Errorf("%s in bulk: %s", method, response.Body)
		}
	}
	if got := s.Client.Must(t, 200, "GET", path, nil).JSON; got["version"] != created["version"] {
		t.Errorf("it was changed: %v", got)
	}
}
