package documents

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/google/uuid"

	"ams.internal/libs/postgres/postgrestest"
	"ams.internal/libs/reference"
	"ams.internal/libs/resource/resourcetest"
)

func TestConformance(t *testing.T) {
	t.Run("documents", func(t *testing.T) {
		f := newFixture(t)
		resourcetest.Run(t, resourcetest.Suite[Document]{Definition: f.documents.documents(), Client: f.Client, Path: "/v1/documents",
			Make: makeDocument, SoftDelete: true, Reads: []string{"assets:read"}})
	})
	t.Run("document links", func(t *testing.T) {
		f := newFixture(t)
		on := f.Create(t, "/v1/documents", fields{"collection": "assets", "record_id": boiler, "title": "Manuel"})
		resourcetest.Run(t, resourcetest.Suite[DocumentLink]{Definition: f.links(), Client: f.Client, Path: "/v1/documents/" + on["id"].(string) +
			"/links", Make: func(_ testing.TB, _ *resourcetest.Client, n int) map[string]any {
			id := uuid.NewSHA1(uuid.NameSpaceOID, fmt.Append(nil, n)).String()
			f.Keep("buildings", reference.Entry{ID: id, Name: fmt.Sprint("Bâtiment ", n)})
			return fields{"collection": "buildings", "record_id": id, "external_id": fmt.Sprint("link-", n), "tags": []string{"a"},
				"custom_fields": fields{"lot": 3.0}}
		}, Reads: []string{"assets:read", "buildings:read"}})
	})
	t.Run("retention classes", func(t *testing.T) {
		f := newFixture(t)
		resourcetest.Run(t, resourcetest.Suite[RetentionClass]{Definition: f.retentionClasses(), Client: f.Client, Path: "/v1/retention-classes",
			Make: func(_ testing.TB, _ *resourcetest.Client, n int) map[string]any {
				return fields{"code": fmt.Sprint("C-", n), "name": fmt.Sprint("Entretien ", n), "name_fr": "Entretien", "description": "Des bâtiments",
					"trigger": "issued", "years": 5, "action": "trash", "active": true, "external_id": fmt.Sprint("class-", n), "tags": []string{"a"},
					"custom_fields": fields{"lot": 3.0}}
			}, Keep: []string{"years"}})
	})
	t.Run("legal holds", func(t *testing.T) { // released ones, which can be deleted
		f := newFixture(t)
		resourcetest.Run(t, resourcetest.Suite[LegalHold]{Definition: f.legalHolds(), Client: f.Client, Path: holdsURL,
			Make: func(_ testing.TB, _ *resourcetest.Client, n int) map[string]any {
				return fields{"name": fmt.Sprint("Smith v. Ville ", n), "reason": "Claim of 2026-05-04", "collection": "assets", "record_id": boiler,
					"status": "released", "external_id": fmt.Sprint("hold-", n), "tags": []string{"a"}, "custom_fields": fields{"lot": 3.0}}
			}, Keep: []string{"collection", "record_id"}})
	})
}

func makeDocument(t testing.TB, client *resourcetest.Client, n int) map[string]any {
	class := client.Do(t, "PUT", "/v1/retention-classes/by-external-id/C", fields{"code": "C", "name": "C", "trigger": "issued", "years": 0})
	if class.JSON["id"] == nil {
		t.Fatalf("a class: %s", class.Body)
	}
	return fields{
		"collection": "assets", "record_id": boiler, "kind": "manual", "title": fmt.Sprintf("Manuel %d", n), "caption_en": "Boiler plate",
		"caption_fr": "Plaque", "language": "fr",
		"document_number": fmt.Sprintf("BLD01-%d", n), "issued_on": "2024-02-29", "expires_on": "2029-02-28",
		"sort_order": n, "is_primary": false, "retention_class_id": class.JSON["id"], "retention_base_date": "2024-06-30",
		"external_id": fmt.Sprintf("document-%d", n), "tags": []string{"a"}, "custom_fields": fields{"lot": 3.0},
	}
}

// The collections of the catalogue that may have documents are those of which the fields say so.
func TestTheFieldsNameTheOwners(t *testing.T) {
	var names []string
	for _, row := range owners() {
		names = append(names, row.Name)
	}
	for _, of := range []reflect.Type{reflect.TypeFor[Document](), reflect.TypeFor[DocumentLink](), reflect.TypeFor[LegalHold]()} {
		field, _ := of.FieldByName("Collection")
		if listed := field.Tag.Get("enum"); listed != strings.Join(names, ",") {
			t.Errorf("%s lists %s, and the owners are %s", of.Name(), listed, strings.Join(names, ","))
		}
	}
}

func TestGoldenOpenAPI(t *testing.T) {
	resourcetest.Golden(t, newFixture(t).Handler, "testdata/openapi.json")
}

func TestSortsWithAnIndexAreReadFromIt(t *testing.T) {
	registry := resourcetest.NewRegistry(t, postgrestest.New(t, "documents", migrations).Open(t))
	(&documents{registry: registry}).mount()
	resourcetest.SortsByIndex(t, registry, "documents.updated_at", "retention_classes.updated_at", "legal_holds.updated_at")
}
