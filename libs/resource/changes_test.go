package resource_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"ams.internal/libs/principal"
	"ams.internal/libs/resource/resourcetest"
)

// asGateway is the client of the same organization through which the gateway asks for changes.
func asGateway(client *resourcetest.Client) *resourcetest.Client {
	service := *client
	service.Principal.Actor = principal.Actor{Type: "service", ID: "gateway", Name: "gateway"}
	return &service
}

func changes(t *testing.T, client *resourcetest.Client, query map[string]any) []map[string]any {
	t.Helper()
	answer := asGateway(client).Must(t, 200, "POST", "/internal/changes", query)
	var entries []map[string]any
	for _, entry := range answer.JSON["data"].([]any) {
		entries = append(entries, entry.(map[string]any))
	}
	return entries
}

func TestChangesSayWhoWroteWhatFromWhere(t *testing.T) {
	client, _ := serve(t)
	client.Principal.Address = "203.0.113.7"
	shelf := client.Create(t, "/v1/shelves", map[string]any{"name": "Oak"})
	path := "/v1/shelves/" + shelf["id"].(string)
	person := *client
	person.Principal.Actor = principal.Actor{Type: "user", ID: uuid.NewString(), Name: "Anne"}
	person.Principal.Address, person.Principal.RequestID = "198.51.100.9", "the-rename"
	person.Must(t, 200, "PATCH", path, map[string]any{"name": "Chêne"})
	client.Must(t, 204, "DELETE", path, nil)
	other := client.Create(t, "/v1/shelves", map[string]any{"name": "Pine"})

	got := changes(t, client, map[string]any{})
	var lines []string
	for _, e := range got {
		subject, actor := e["subject"].(map[string]any), e["actor"].(map[string]any)
		lines = append(lines,
			fmt.Sprint(e["action"], " ", subject["type"], " ", subject["name"], " by ", actor["type"], " ", actor["name"], " from ", e["address"]))
	}
	want := []string{
		"shelf.created shelf Pine by api_key conformance from 203.0.113.7",
		"shelf.deleted shelf Chêne by api_key conformance from 203.0.113.7",
		"shelf.updated shelf Chêne by user Anne from 198.51.100.9",
		"shelf.created shelf Chêne by api_key conformance from 203.0.113.7",
	}
	if strings.Join(lines, "\n") != strings.Join(want, "\n") {
		t.Errorf("changes are\n%s", strings.Join(lines, "\n"))
	}
	if rename := got[2]; rename["request_id"] != "the-rename" || fmt.Sprint(rename["changes"]) != "map[name:map[new:Chêne old:Oak]]" {
		t.Errorf("the rename is %v", rename)
	}

	at := got[2]["at"].(string)
	for name, test := range map[string]struct {
		query map[string]any
		want  int
	}{
		"by a person":              {map[string]any{"actor_id": person.Principal.Actor.ID}, 1},
		"by a key":                 {map[string]any{"actor_id": client.Principal.Actor.ID}, 3},
		"by nobody":                {map[string]any{"actor_id": uuid.NewString()}, 0},
		"of a record that is gone": {map[string]any{"record_id": shelf["id"]}, 3},
		"of another record":        {map[string]any{"record_id": other["id"]}, 1},
		"of a record nobody has":   {map[string]any{"record_id": uuid.NewString()}, 0},
		"from a time":              {map[string]any{"from": at}, 3},
		"before a time":            {map[string]any{"to": at}, 1},
		"by a person, of a record": {map[string]any{"actor_id": person.Principal.Actor.ID, "record_id": other["id"]}, 0},
	} {
		if found := changes(t, client, test.query); len(found) != test.want {
			t.Errorf("%s: %d, want %d", name, len(found), test.want)
		}
	}
}

func TestChangesArePagedWithoutGapsOrRepeats(t *testing.T) {
	client, _ := serve(t)
	var rows []any
	for n := range 25 {
		rows = append(rows, map[string]any{"name": fmt.Sprintf("Shelf %d", n)})
	}
	client.Must(t, 200, "POST", "/v1/shelves/bulk", map[string]any{"data": rows})
	query, seen := map[string]any{"limit": 4}, map[string]bool{}
	for {
		page := changes(t, client, query)
		for _, e := range page {
			if seen[e["id"].(string)] {
				t.Fatalf("%v came twice", e)
			}
			seen[e["id"].(string)] = true
		}
		if len(page) < 4 {
			break
		}
		last := page[len(page)-1]
		query["before"] = last["at"].(string) + "_" + last["id"].(string)
	}
	if len(seen) != 25 {
		t.Errorf("%d of 25 changes were seen", len(seen))
	}
	for _, wrong := range []string{"x", "2026-01-01_x", strings.Repeat("a", 64), "2026-99-01T00:00:00.000000Z_" + uuid.NewString()} {
		asGateway(client).Must(t, 400, "POST", "/internal/changes", map[string]any{"before": wrong})
	}
	asGateway(client).Must(t, 400, "POST", "/internal/changes", map[string]any{"limit": 1002})
	asGateway(client).Must(t, 400, "POST", "/internal/changes", map[string]any{"record_id": "x"})
}

func TestChangesAreForServicesAndOfOneOrganization(t *testing.T) {
	client, _ := serve(t)
	client.Create(t, "/v1/shelves", map[string]any{"name": "Oak"})
	client.Must(t, 403, "POST", "/internal/changes", map[string]any{})
	person := *client
	person.Principal.Actor.Type = "user"
	person.Must(t, 403, "POST", "/internal/changes", map[string]any{})
	if found := changes(t, client.Other(), map[string]any{}); len(found) != 0 {
		t.Errorf("another organization sees %v", found)
	}
}

// TestTheHistoryIsAppendOnly tries as the service's own role, past all of its code.
func TestTheHistoryIsAppendOnly(t *testing.T) {
	client, database := serve(t)
	client.Create(t, "/v1/shelves", map[string]any{"name": "Oak"})
	connection, err := pgx.Connect(t.Context(), database.Session)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = connection.Close(t.Context()) }()
	if _, err := connection.Exec(t.Context(), "SELECT set_config('ams.organization_id', $1, false)",
		client.Principal.OrganizationID); err != nil {
		t.Fatal(err)
	}
	var rows int
	if err := connection.QueryRow(t.Context(), "SELECT count(*) FROM history").Scan(&rows); err != nil || rows != 1 {
		t.Fatalf("%d rows, %v", rows, err)
	}
	for _, statement := range []string{
		"UPDATE history SET actor = '{}'", "UPDATE history SET at = now()", "DELETE FROM history", "TRUNCATE history",
		`INSERT INTO history SELECT * FROM history
			ON CONFLICT (organization_id, collection, record_id, version, id, at) DO UPDATE SET action = 'x'`,
		"ALTER TABLE history DISABLE ROW LEVEL SECURITY", "DROP TABLE history", "SET ROLE ams_owner",
	} {
		if _, err := connection.Exec(t.Context(), statement); err == nil || !strings.Contains(err.Error(), "permission denied") &&
			!strings.Contains(err.Error(), "must be owner") {
			t.Errorf("%s: %v", statement, err)
		}
	}
	if found := changes(t, client, map[string]any{}); len(found) != 1 {
		t.Errorf("%d changes are left", len(found))
	}
}
