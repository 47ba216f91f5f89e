package documents

import (
	"context"
	"net/http"
	"testing"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/principal"
	"ams.internal/libs/resource/resourcetest"
	"ams.internal/services/documents/store"
)

// Emptying a sandbox leaves of its documents what the sweeper needs to delete their bytes, and nothing else; nobody else loses anything.
func TestEmptyingASandboxDoomsItsContents(t *testing.T) {
	f := newFixture(t)
	sandbox := f.Sandbox()
	for _, client := range []*resourcetest.Client{f.Client, sandbox} {
		for _, content := range []string{"premier", "deuxième"} {
			body, contentType := form(t, fields{"collection": "assets", "record_id": boiler}, "a.txt", "text/plain", []byte(content))
			client.Must(t, http.StatusCreated, "POST", "/v1/documents", body, "Content-Type", contentType)
		}
	}
	if sandbox.Empty(t) == 0 {
		t.Error("nothing was deleted")
	}
	type kept struct{ documents, revisions, ready, doomed, used int }
	count := func(client *resourcetest.Client) (found kept) {
		t.Helper()
		if err := f.registry.DB.Write(principal.Into(t.Context(), client.Principal), func(ctx context.Context, tx pgx.Tx) error {
			return tx.QueryRow(ctx, `SELECT (SELECT count(*) FROM document), (SELECT count(*) FROM document_revision),
				(SELECT count(*) FROM blob WHERE state = 'ready'), (SELECT count(*) FROM blob WHERE state = 'doomed'), (SELECT used FROM storage)`).
				Scan(&found.documents, &found.revisions, &found.ready, &found.doomed, &found.used)
		}); err != nil {
			t.Fatal(err)
		}
		return found
	}
	const bytes = len("premier") + len("deuxième")
	if got := count(sandbox); got != (kept{doomed: 2}) {
		t.Errorf("the sandbox has %+v", got)
	}
	if got := count(f.Client); got != (kept{documents: 2, revisions: 2, ready: 2, used: bytes}) {
		t.Errorf("the organization has %+v", got)
	}
	objects := 0
	if err := f.store.List(t.Context(), sandbox.Principal.OrganizationID+"/", func(store.Object) error {
		objects++
		return nil
	}); err != nil || objects != 2 {
		t.Errorf("of the contents that the sandbox had, the store has %d, %v", objects, err)
	}
	if n := sandbox.Empty(t); n != 0 {
		t.Errorf("%d rows were left for another call", n)
	}
	body, contentType := form(t, fields{"collection": "assets", "record_id": boiler}, "a.txt", "text/plain", []byte("premier"))
	sandbox.Must(t, http.StatusCreated, "POST", "/v1/documents", body, "Content-Type", contentType)
	if got := count(sandbox); got != (kept{documents: 1, revisions: 1, ready: 1, doomed: 2, used: len("premier")}) {
		t.Errorf("with the same bytes anew, the sandbox has %+v", got)
	}
}
