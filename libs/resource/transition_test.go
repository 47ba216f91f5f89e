package resource_test

import (
	"net/http"
	"reflect"
	"slices"
	"testing"
)

func TestATransitionIsThePatchThatItStandsFor(t *testing.T) {
	client, _ := serve(t)
	newBook := func() string {
		return "/v1/books/" + client.Create(t, "/v1/books", map[string]any{"title": "Kamouraska"})["id"].(string)
	}
	for _, c := range []struct {
		name    string
		body    map[string]any
		status  int
		refused string // field of a 400
		allowed []any  // of a 409
	}{
		{"allowed", map[string]any{"to": "lent"}, http.StatusOK, "", nil},
		{"with what goes beside it", map[string]any{"to": "lent", "genre": "novel"}, http.StatusOK, "", nil},
		{"a tenant is ignored", map[string]any{"to": "lent", "tenant_id": "x"}, http.StatusOK, "", nil},
		{"staying is none", map[string]any{"to": "new"}, http.StatusConflict, "", []any{"lent", "lost"}},
		{"nowhere", map[string]any{}, http.StatusBadRequest, "to", nil},
		{"to null", map[string]any{"to": nil}, http.StatusBadRequest, "to", nil},
		{"to no state", map[string]any{"to": "burnt"}, http.StatusBadRequest, "to", nil},
		{"with something else", map[string]any{"to": "lent", "title": "x"}, http.StatusBadRequest, "title", nil},
		{"with a wrong value", map[string]any{"to": "lent", "genre": "x"}, http.StatusBadRequest, "genre", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := newBook()
			answer := client.Must(t, c.status, "POST", path+"/transition", c.body)
			if c.refused != "" && !slices.Contains(answer.Fields(), c.refused) {
				t.Errorf("refused %v, want %s", answer.Fields(), c.refused)
			}
			if c.allowed != nil && !reflect.DeepEqual(answer.JSON["allowed"], c.allowed) {
				t.Errorf("allowed %v, want %v", answer.JSON["allowed"], c.allowed)
			}
			book := client.Must(t, http.StatusOK, "GET", path, nil).JSON
			if moved := book["state"] == "lent"; moved != (c.status == http.StatusOK) {
				t.Errorf("answered %d, and the book is %v", c.status, book["state"])
			}
			if c.status == http.StatusOK && !reflect.DeepEqual(answer.JSON, book) {
				t.Errorf("answered %v, the book is %v", answer.JSON, book)
			}
		})
	}
	path := newBook()
	client.Must(t, http.StatusOK, "POST", path+"/transition", map[string]any{"to": "lost"})
	if final := client.Must(t, http.StatusConflict, "POST", path+"/transition",
		map[string]any{"to": "new"}).JSON; !reflect.DeepEqual(final["allowed"], []any{}) {
		t.Errorf("from a final state %v is allowed", final["allowed"])
	}
	client.Must(t, http.StatusNotFound, "POST", "/v1/shelves/019a3c5e-0000-7000-8000-000000000001/transition", map[string]any{"to": "lent"})
}
