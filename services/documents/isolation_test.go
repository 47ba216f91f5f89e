package documents

import (
	"context"
	"net/http"
	"testing"

	"github.com/jackc/pgx/v5"
)

func TestAnotherOrganizationIsNotThere(t *testing.T) {
	f := newFixture(t)
	path := upload(t, f.Client, http.StatusCreated, "a.txt", []byte("bonjour"), fields{"external_id": "A"}).Header.Get("Location")
	link := path + "/links/" + f.Create(t, path+"/links", fields{"collection": "assets", "record_id": pump})["id"].(string)
	class := "/v1/retention-classes/" + newClass(t, f.Client, "C", fields{"years": 5})
	hold := holdsURL + "/" + newHold(t, f.Client, "A", fields{"document_ids": []string{path[len("/v1/documents/"):]}})
	other := f.Other()
	for _, request := range [][2]string{
		{"GET", path}, {"PATCH", path}, {"DELETE", path}, {"GET", path + "/history"}, {"GET", path + "/content"}, {"GET", path + "/thumbnail"},
		{"GET", path + "/revisions"},
		{"POST", path + "/revisions"}, {"GET", path + "/revisions/1/content"}, {"POST", path + "/revisions/1/restore"},
		{"POST", path + "/restore"}, {"GET", path + "/links"}, {"POST", path + "/links"}, {"GET", link}, {"PATCH", link}, {"DELETE", link},
		{"GET", "/v1/documents/by-external-id/A"}, {"GET", class}, {"PATCH", class}, {"DELETE", class}, {"GET", class + "/history"},
		{"GET", hold}, {"PATCH", hold}, {"DELETE", hold}, {"GET", hold + "/history"},
	} {
		var body any
		switch request {
		case [2]string{"POST", path + "/links"}:
			body = fields{"collection": "assets", "record_id": boiler}
		case [2]string{"PATCH", path}, [2]string{"PATCH", link}, [2]string{"PATCH", class}, [2]string{"PATCH", hold}:
			body = fields{"external_id": "x"}
		case [2]string{"POST", path + "/revisions"}:
			other.Must(t, http.StatusNotFound, "POST", path+"/revisions", "stolen", "Content-Type", "text/plain")
			continue
		}
		other.Must(t, http.StatusNotFound, request[0], request[1], body)
	}
	if all, _ := other.List(t, "/v1/documents?status=draft,active,trashed"); len(all) != 0 {
		t.Errorf("another organization lists %v", all)
	}
	if got := f.Must(t, http.StatusOK, "GET", path+"/content", nil); string(got.Body) != "bonjour" {
		t.Errorf("the content is %q", got.Body)
	}

	db, err := pgx.Connect(t.Context(), f.database.Session)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close(context.WithoutCancel(t.Context())) }()
	if _, err := db.Exec(t.Context(), "SELECT set_config('ams.organization_id', $1, false)", f.Principal.OrganizationID); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(t.Context(), `WITH u AS (INSERT INTO upload (organization_id, id, blob_id, actor_id, length, metadata, file_name,
		digest, expires_at)
			SELECT organization_id, gen_random_uuid(), id, 'k', 1, '{}', 'a', '', now() FROM blob LIMIT 1 RETURNING organization_id, id)
		INSERT INTO upload_part (organization_id, upload_id, number, size, tag) SELECT organization_id, id, 1, 1, 'x' FROM u`); err != nil {
		t.Fatal(err)
	}
	for _, table := range []string{"document", "document_link", "document_revision", "blob", "storage", "upload", "upload_part",
		"retention_class", "legal_hold", "legal_hold_document", "history", "outbox", "ledger"} {
		for organization, want := range map[string]bool{"": false, other.Principal.OrganizationID: false, f.Principal.OrganizationID: true} {
			if _, err := db.Exec(t.Context(), "SELECT set_config('ams.organization_id', $1, false)", organization); err != nil {
				t.Fatal(err)
			}
			var count int
			if err := db.QueryRow(t.Context(), "SELECT count(*) FROM "+table).Scan(&count); err != nil {
				t.Fatalf("%s: %v", table, err)
			}
			if (count > 0) != want {
				t.Errorf("%s shows %d rows to organization %q", table, count, organization)
			}
		}
	}
}
