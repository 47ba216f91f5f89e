package resourcetest

import (
	"net/url"
	"strings"
	"testing"

	"ams.internal/libs/schema"
)

// suggestions: a parameter, a field, a key or a value that is nearly right is refused with the one that was meant.
func (s Suite[T]) suggestions(t *testing.T, declared *schema.Schema) {
	expect := func(response Response, field, meant string) {
		t.Helper()
		fields, _ := response.JSON["fields"].([]any)
		for _, entry := range fields {
			problem := entry.(map[string]any)
			if problem["field"] == field && strings.HasSuffix(problem["message"].(string), "; did you mean "+meant+"?") {
				return
			}
		}
		t.Errorf("of %s, %s is not suggested: %s", field, meant, response.Body)
	}
	list := func(parameter, value, field, meant string) {
		t.Helper()
		expect(s.Client.Must(t, 400, "GET", s.Path+"?"+parameter+"="+url.QueryEscape(value), nil), field, meant)
	}
	body := func(name string, value any, field, meant string) {
		t.Helper()
		sent := s.Make(t, s.Client, 750)
		sent[name] = value
		expect(s.Client.Must(t, 400, "POST", s.Path, sent), field, meant)
	}
	list("limit", "10", "limit", "per_page")
	list("pageSize", "10", "pageSize", "per_page")
	list("order_by", "id", "order_by", "sort")
	list("modified_since", "2026-01-01", "modified_since", "updated_since")
	list("external_idd", "x", "external_idd", "external_id")
	list("sort", "-craeted_at", "sort", "created_at")
	list("fields", "id,verzion", "fields", "version")
	body("external-id", "x", "external-id", "external_id")
	body("custom_field", map[string]any{}, "custom_field", "custom_fields")
	for _, f := range declared.Fields {
		if name, isID := strings.CutSuffix(f.Name, "_id"); isID && f.References != "" && !strings.HasPrefix(f.References, "@") {
			list("expand", strings.ToUpper(name), "expand", name)
		}
		if f.Enum == nil || f.ReadOnly || len(f.Enum[0]) < 4 || strings.ContainsAny(f.Enum[0], " .,") || f.Kind != schema.Text {
			continue
		}
		misspelled := f.Enum[0][:2] + f.Enum[0][3:] // a letter is missing
		body(f.Name, misspelled, f.Name, f.Enum[0])
		if f.Filter == "equals" {
			list(f.Name, misspelled, f.Name, f.Enum[0])
		}
	}
}
