package resource_test

import (
	"context"
	"fmt"
	"io/fs"
	"log/slog"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"ams.internal/libs/postgres"
	"ams.internal/libs/postgres/postgrestest"
	"ams.internal/libs/resource"
	"ams.internal/libs/resource/resourcetest"
	"ams.internal/libs/transport"
)

// safe is a shelf with a secret, which only the answer to its creation tells.
type safe struct {
	resource.Record
	Name   string  `json:"name" required:"true" maxLength:"100" unique:"true" sort:"true" search:"name" filter:"equals"`
	Secret *string `json:"secret" readOnly:"true"`
}

// combination is the secret of a safe. It is not kept anywhere.
func combination(id string) string { return "combination of \"" + id + "\"" }

var safes = resource.Definition[safe]{
	Collection: "safes", Table: "shelf", NaturalKey: "name", Computed: map[string]string{"secret": "NULL::text"},
	RevealOnce: &resource.RevealOnce{Field: "secret", Find: func(_ context.Context, _ pgx.Tx, ids []string) (map[string]string, error) {
		found := map[string]string{}
		for _, id := range ids {
			found[id] = combination(id)
		}
		return found, nil
	}},
}

func serveSafes(t *testing.T) (*resourcetest.Client, *postgrestest.Database) {
	t.Helper()
	files, err := fs.Sub(migrations, "testdata")
	if err != nil {
		t.Fatal(err)
	}
	database := postgrestest.New(t, "library", files)
	for name, change := range map[string]string{"inserted": "INSERT ON shelf REFERENCING NEW", "updated": "UPDATE ON shelf REFERENCING NEW",
		"deleted": "DELETE ON shelf REFERENCING OLD"} {
		owner(t, database, "CREATE TRIGGER safes_noted_"+name+" AFTER "+change+
			" TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION note_facets('safes')")
	}
	db, err := postgres.Open(t.Context(), database.URL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	signer := resourcetest.NewSigner(t)
	api := transport.New(signer, db, resourcetest.Log(t))
	resource.Mount(newRegistry(api, db), safes)
	return resourcetest.NewClient(api.Handler(), signer), database
}

func TestConformanceOfWhatIsShownOnce(t *testing.T) {
	client, _ := serveSafes(t)
	resourcetest.Run(t, resourcetest.Suite[safe]{Definition: safes, Catalogue: rows(), Client: client, Path: "/v1/safes",
		Once: []string{"secret"}, Make: func(_ testing.TB, _ *resourcetest.Client, n int) map[string]any {
			return map[string]any{"name": fmt.Sprintf("Coffre %d", n), "external_id": fmt.Sprintf("safe-%d", n), "tags": []string{"fer"},
				"custom_fields": map[string]any{"kg": 400}}
		}})
}

func TestWhatIsShownOnceIsInTheAnswerToACreateAndNowhereElse(t *testing.T) {
	client, database := serveSafes(t)
	// A caller's own texts that look like the field are left as they are.
	body := map[string]any{"name": `"secret":null}`, "custom_fields": map[string]any{"secret": "mine"}}
	first := client.Must(t, 201, "POST", "/v1/safes", body, "Idempotency-Key", "once")
	id := first.JSON["id"].(string)
	if first.JSON["secret"] != combination(id) || first.JSON["name"] != `"secret":null}` ||
		first.JSON["custom_fields"].(map[string]any)["secret"] != "mine" {
		t.Errorf("created: %s", first.Body)
	}
	again := client.Must(t, 201, "POST", "/v1/safes", body, "Idempotency-Key", "once")
	if again.Header.Get("Idempotency-Replayed") != "true" || string(again.Body) != string(first.Body) {
		t.Errorf("the same key again: %s", again.Body)
	}
	rows := []any{map[string]any{"name": "new", "external_id": "b"}, map[string]any{"name": "there", "external_id": "a"}}
	client.Create(t, "/v1/safes", map[string]any{"name": "there", "external_id": "a"})
	for range 2 { // the second is given again
		bulk := client.Must(t, 200, "POST", "/v1/safes/bulk?on_conflict=update", map[string]any{"data": rows}, "Idempotency-Key", "bulk")
		made, known := bulk.JSON["data"].([]any)[0].(map[string]any), bulk.JSON["data"].([]any)[1].(map[string]any)
		if made["secret"] != combination(made["id"].(string)) || known["secret"] != nil {
			t.Errorf("a bulk call shows %v of the new one and %v of the one that was there", made["secret"], known["secret"])
		}
		if len(bulk.JSON["results"].([]any)) != 2 || bulk.JSON["summary"].(map[string]any)["created"] != 1.0 {
			t.Errorf("a bulk call: %s", bulk.Body)
		}
	}
	for _, answer := range []resourcetest.Response{
		client.Must(t, 200, "GET", "/v1/safes/"+id, nil),
		client.Must(t, 200, "PATCH", "/v1/safes/"+id, map[string]any{"external_id": uuid.NewString()}),
		client.Must(t, 200, "GET", "/v1/safes", nil), client.Must(t, 200, "GET", "/v1/safes/"+id+"/history", nil),
		client.Must(t, 200, "GET", "/v1/safes", nil, "Accept", "text/csv"),
	} {
		if strings.Contains(string(answer.Body), "combination of") {
			t.Errorf("shown again: %s", answer.Body)
		}
	}
	owner, err := pgx.Connect(t.Context(), database.OwnerURL)
	if err != nil {
		t.Fatal(err)
	}
	defer owner.Close(context.Background())
	for _, table := range []string{"shelf", "history", "outbox"} {
		var kept int
		if err := owner.QueryRow(t.Context(), "SELECT count(*) FROM "+table+" t WHERE t::text LIKE '%combination of%'").Scan(&kept); err != nil ||
			kept != 0 {
			t.Errorf("%s keeps it %d times, %v", table, kept, err)
		}
	}
	var answers, kept int
	if err := owner.QueryRow(t.Context(), "SELECT count(*), count(*) FILTER (WHERE convert_from(body, 'UTF8') LIKE '%combination of%') "+
		"FROM idempotency").Scan(&answers, &kept); err != nil || answers != 2 || kept != 0 {
		t.Errorf("of %d answers that are kept, %d have it, %v", answers, kept, err)
	}
}

func TestWhatIsShownOnceMustBeTheLastFieldAndDerived(t *testing.T) {
	for name, change := range map[string]func(*resource.Definition[safe]){
		"kept in a column": func(d *resource.Definition[safe]) { d.Computed = nil },
		"another field":    func(d *resource.Definition[safe]) { d.RevealOnce = &resource.RevealOnce{Field: "name"} },
	} {
		definition := safes
		change(&definition)
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: it can be mounted", name)
				}
			}()
			api := transport.New(resourcetest.NewSigner(t), nil, slog.New(slog.DiscardHandler))
			resource.Mount(newRegistry(api, nil), definition)
		}()
	}
}
