package documents

import (
	"maps"
	"net/http"
	"testing"

	"ams.internal/libs/resource/resourcetest"
)

func TestADocumentComesOutOfTheTrash(t *testing.T) {
	f := newFixture(t)
	path := upload(t, f.Client, http.StatusCreated, "a.txt", []byte("a"), fields{"is_primary": true}).Header.Get("Location")
	draft := "/v1/documents/" + f.Create(t, "/v1/documents",
		fields{"collection": "assets", "record_id": boiler, "title": "Plan"})["id"].(string)
	for document, status := range map[string]string{path: "active", draft: "draft"} {
		f.Must(t, http.StatusConflict, "POST", document+"/restore", nil)
		f.Must(t, http.StatusNoContent, "DELETE", document, nil)
		trashed := f.Must(t, http.StatusOK, "GET", document, nil)
		resourcetest.Expect(t, trashed.JSON, fields{"status": "trashed", "is_primary": false})
		if trashed.JSON["trashed_at"] == nil {
			t.Errorf("trashed: %s", trashed.Body)
		}
		for _, request := range [][2]string{{"PATCH", document}, {"DELETE", document}} {
			var body any
			if request[0] == "PATCH" {
				body = fields{"title": "B"}
			}
			resourcetest.Expect(t, f.Must(t, http.StatusConflict, request[0], request[1], body).JSON, fields{"code": "document_trashed"})
		}
		restored := f.Must(t, http.StatusOK, "POST", document+"/restore", nil)
		resourcetest.Expect(t, restored.JSON, fields{"status": status, "trashed_at": nil})
	}
	if got := f.Must(t, http.StatusOK, "GET", path+"/content", nil); string(got.Body) != "a" {
		t.Errorf("the content of a restored document is %q", got.Body)
	}
	f.Must(t, http.StatusNotFound, "POST", "/v1/documents/"+nobodys+"/restore", nil)
	f.Other().Must(t, http.StatusNotFound, "POST", path+"/restore", nil)
}

func TestADocumentIsNotRestoredToARecordThatIsGone(t *testing.T) {
	f := newFixture(t)
	path := upload(t, f.Client, http.StatusCreated, "a.txt", []byte("a"), nil).Header.Get("Location")
	f.Must(t, http.StatusNoContent, "DELETE", path, nil)
	f.Respond("/internal/references/assets", fields{"data": []any{}})
	resourcetest.Expect(t, f.Must(t, http.StatusConflict, "POST", path+"/restore", nil).JSON, fields{"code": "record_gone", "value": boiler})
	resourcetest.Expect(t, f.Must(t, http.StatusOK, "GET", path, nil).JSON, fields{"status": "trashed"})
	f.Refuse("/internal/references/assets")
	f.Must(t, http.StatusServiceUnavailable, "POST", path+"/restore", nil)
	f.Peers.Restore("/internal/references/assets")
	f.Must(t, http.StatusOK, "POST", path+"/restore", nil)
}

func TestAllDocumentsOfARecordGoToTheTrash(t *testing.T) {
	f := newFixture(t)
	a := upload(t, f.Client, http.StatusCreated, "a.txt", []byte("a"), nil).Header.Get("Location")
	b := upload(t, f.Client, http.StatusCreated, "b.txt", []byte("b"), nil).Header.Get("Location")
	elsewhere := upload(t, f.Client, http.StatusCreated, "c.txt", []byte("c"), fields{"record_id": pump}).Header.Get("Location")
	f.Create(t, elsewhere+"/links", fields{"collection": "assets", "record_id": boiler})
	f.Create(t, elsewhere+"/links", fields{"collection": "buildings", "record_id": building})
	all := "/v1/documents?collection=assets&record_id=" + boiler
	dependents := func() map[string]any {
		t.Helper()
		answer := f.Must(t, http.StatusOK, "POST", "/internal/dependents/assets", fields{"ids": []string{boiler}, "open": false})
		counts := map[string]any{}
		for _, of := range answer.JSON["data"].([]any) {
			maps.Copy(counts, of.(fields)["counts"].(fields))
		}
		return counts
	}
	resourcetest.Expect(t, dependents(), fields{"documents": 2, "document_links": 1})
	class := newClass(t, f.Client, "C", fields{"permanent": true})
	f.Must(t, http.StatusOK, "PATCH", b, fields{"retention_class_id": class})
	refused := f.Must(t, http.StatusConflict, "DELETE", all, nil)
	kept := refused.JSON["value"].([]any)
	if len(kept) != 1 {
		t.Fatalf("refused: %s", refused.Body)
	}
	resourcetest.Expect(t, refused.JSON, fields{"code": "documents_kept"})
	resourcetest.Expect(t, kept[0].(fields), fields{"id": b[len("/v1/documents/"):], "code": "retention_permanent"})
	resourcetest.Expect(t, f.Must(t, http.StatusOK, "GET", a, nil).JSON, fields{"status": "active", "version": 1})
	f.Must(t, http.StatusOK, "PATCH", b, fields{"retention_class_id": nil})
	hold := newHold(t, f.Client, "Boiler", fields{"collection": "assets", "record_id": boiler})
	if kept := f.Must(t, http.StatusConflict, "DELETE", all, nil).JSON["value"].([]any); len(kept) != 3 { // with the one that is linked
		t.Errorf("under a hold: %v", kept)
	}
	f.Must(t, http.StatusOK, "PATCH", holdsURL+"/"+hold, fields{"status": "released"})
	resourcetest.Expect(t, f.Must(t, http.StatusOK, "DELETE", all, nil).JSON, fields{"documents": 2, "links": 1})
	for path, status := range map[string]string{a: "trashed", b: "trashed", elsewhere: "active"} {
		resourcetest.Expect(t, f.Must(t, http.StatusOK, "GET", path, nil).JSON, fields{"status": status})
	}
	if left := dependents(); len(left) != 0 {
		t.Errorf("the record is still referred to: %v", left)
	}
	if links, _ := f.List(t, elsewhere+"/links"); len(links) != 1 {
		t.Errorf("links that are left: %v", links)
	}
	resourcetest.Expect(t, f.Must(t, http.StatusOK, "DELETE", all, nil).JSON, fields{"documents": 0, "links": 0})

	for query, field := range map[string]string{"": "collection", "?collection=assets": "record_id", "?collection=documents&record_id=" +
		boiler: "collection", "?collection=assets&record_id=x": "record_id", "?collection=assets&record_id=" + boiler + "&kind=photo": "kind"} {
		if got := f.Must(t, http.StatusBadRequest, "DELETE", "/v1/documents"+query, nil).Fields(); got[0] != field {
			t.Errorf("%s: %v", query, got)
		}
	}
	reader := *f.Client
	reader.Principal.Scopes = []string{"documents:write", "documents:read", "assets:read"}
	resourcetest.Expect(t, reader.Must(t, http.StatusForbidden, "DELETE", all, nil).JSON, fields{"required_scope": "assets:write"})
	resourcetest.Expect(t, f.Other().Must(t, http.StatusOK, "DELETE", "/v1/documents?collection=assets&record_id="+pump, nil).JSON,
		fields{"documents": 0})
	resourcetest.Expect(t, f.Must(t, http.StatusOK, "GET", elsewhere, nil).JSON, fields{"status": "active"})
}
