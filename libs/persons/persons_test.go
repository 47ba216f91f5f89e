package persons_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"ams.internal/libs/persons"
	"ams.internal/libs/postgres"
	"ams.internal/libs/postgres/postgrestest"
	"ams.internal/libs/principal"
)

// schema is a small migration in the form of a service's: a collection, events as the webhooks service has them, and sessions.
var schema = fstest.MapFS{"migrations/0001_site.sql": {Data: []byte(`
-- +goose Up
CREATE TABLE site (
    organization_id uuid  NOT NULL,
    id              uuid  NOT NULL,
    name            text  COLLATE "C" NOT NULL,
    created_by      jsonb NOT NULL,
    updated_by      jsonb NOT NULL,
    PRIMARY KEY (organization_id, id)
);
SELECT isolate('site');
CREATE TABLE event (
    organization_id uuid NOT NULL,
    id              uuid NOT NULL,
    collection      text COLLATE "C" NOT NULL,
    record_id       uuid NOT NULL,
    payload         json NOT NULL,
    PRIMARY KEY (organization_id, id)
);
SELECT isolate('event');
CREATE TABLE session (
    organization_id uuid NOT NULL,
    id              uuid NOT NULL,
    user_id         uuid NOT NULL,
    user_name       text COLLATE "C" NOT NULL,
    PRIMARY KEY (organization_id, id)
);
SELECT isolate('session');
`)}}

// all is every table that has a person, in the order of their names.
var all = []string{"event", "history", "session", "site"}

type fixture struct {
	*postgrestest.Database
	db         *postgres.DB
	anne, ben  string
	mine, then string // organizations
}

func newFixture(t *testing.T) fixture {
	t.Helper()
	f := fixture{Database: postgrestest.New(t, "persons", schema), anne: uuid.NewString(), ben: uuid.NewString(), mine: uuid.NewString(),
		then: uuid.NewString()}
	f.db = f.Open(t)
	return f
}

func in(t testing.TB, organization string) context.Context {
	return principal.Into(t.Context(), principal.Principal{OrganizationID: organization, Currency: "CAD"})
}

// fill writes rows of both persons, of which one has a name with everything that JSON escapes.
func (f fixture) fill(t testing.TB, organization string, rows int) {
	t.Helper()
	actor := func(id, name string) string {
		encoded, err := json.Marshal(principal.Actor{Type: "user", ID: id, Name: name})
		if err != nil {
			t.Fatal(err)
		}
		return string(encoded)
	}
	anne, ben := actor(f.anne, `Anne "la \ douce" Tremblay`), actor(f.ben, "Ben Anne Tremblay")
	err := f.db.Write(in(t, organization), func(ctx context.Context, tx pgx.Tx) error {
		for i := range rows {
			site := uuid.NewString()
			changes := fmt.Sprintf(`{"name":{"old":null,"new":"Anne Tremblay Park"},"note":{"old":"\"id\":\"%s\",\"name\":\"x\"","new":null},
				"by":{"old":%s,"new":%s}}`,
				f.anne, anne, ben)
			payload := fmt.Sprintf(`{"data":{"object":{"id":"%s","created_by":%s,"updated_by":%s,"name":"Park"},
				"changed":["name"],"previous":{"updated_by":%[2]s}},"actor":%[2]s,"origin":null}`,
				site, anne, ben)
			of := fmt.Sprintf(`{"data":{"object":{"id":"%s","email":"anne@example.ca","name":"Anne Tremblay","role":"viewer",
				"phone":null,"created_by":%s},"changed":["name"],"previous":{"name":"Anne Roy"}},"actor":%[2]s,"origin":null}`,
				f.anne, ben)
			for _, s := range []struct {
				sql  string
				args []any
			}{
				{`INSERT INTO site VALUES (current_organization(), $1, 'Park', $2, $3)`, []any{site, anne, ben}},
				{`INSERT INTO site VALUES (current_organization(), $1, 'Park', $2, $3)`, []any{uuid.NewString(), ben, anne}},
				{`INSERT INTO session VALUES (current_organization(), $1, $2, 'Anne Tremblay')`, []any{uuid.NewString(), f.anne}},
				{`INSERT INTO session VALUES (current_organization(), $1, $2, 'Ben')`, []any{uuid.NewString(), f.ben}},
				{`INSERT INTO event VALUES (current_organization(), $1, 'sites', $2, $3)`, []any{uuid.NewString(), site, payload}},
				{`INSERT INTO event VALUES (current_organization(), $1, 'users', $2, $3)`, []any{uuid.NewString(), f.anne, of}},
				{history, []any{"sites", site, i, "updated", changes, anne, f.anne, uuid.NewString()}},
				{history, []any{"users", f.anne, i, "updated", `{"name":{"old":"Anne Roy","new":"Anne Tremblay"},
					"email":{"old":null,"new":"anne@example.ca"},"role":{"old":"viewer","new":"manager"}}`,
					ben, f.ben, uuid.NewString()}},
			} {
				if _, err := tx.Exec(ctx, s.sql, s.args...); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

const history = `INSERT INTO history (organization_id, collection, record_id, version, action, changes, actor, actor_id, address, at, id)
	VALUES (current_organization(), $1, $2, $3, $4, $5, $6, $7, '', now(), $8)`

// contents are all rows of the organization, as text.
func (f fixture) contents(t testing.TB, organization string) (text string) {
	t.Helper()
	err := f.db.Read(in(t, organization), func(ctx context.Context, tx pgx.Tx) error {
		for _, table := range all {
			var rows string
			if err := tx.QueryRow(ctx, `SELECT coalesce(string_agg(t::text, E'\n' ORDER BY t::text), '') FROM `+table+
				` t WHERE t.organization_id = current_organization()`).Scan(&rows); err != nil {
				return err
			}
			text += rows + "\n"
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestAPersonsNamesAreErasedAndNothingElse(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.fill(t, f.mine, 3)
	f.fill(t, f.then, 1)
	before, others := f.contents(t, f.mine), f.contents(t, f.then)
	part, err := persons.Erase(in(t, f.mine), f.db, persons.Query{ID: f.anne})
	if err != nil || part.Next != "" {
		t.Fatal(part, err)
	}
	if got := fmt.Sprint(part.Rows); got != "map[event:6 history:6 session:3 site:6]" {
		t.Errorf("erased %s", got)
	}
	if f.contents(t, f.then) != others {
		t.Error("the same person of another organization was touched")
	}
	after := f.contents(t, f.mine)
	for _, name := range []string{"la ", "Anne Roy", "anne@example.ca", `""Anne Tremblay""`} {
		if strings.Contains(after, name) {
			t.Errorf("%q is left: %s", name, after)
		}
	}
	for _, stays := range []string{f.anne, "Ben Anne Tremblay", "Anne Tremblay Park", "manager", "viewer", `\""name\"":\""x\""`} {
		if strings.Count(after, stays) != strings.Count(before, stays) {
			t.Errorf("%q is %d times, and was %d times: %s", stays, strings.Count(after, stays), strings.Count(before, stays), after)
		}
	}
	again, err := persons.Erase(in(t, f.mine), f.db, persons.Query{ID: f.anne})
	if err != nil || len(again.Rows) > 0 || f.contents(t, f.mine) != after {
		t.Errorf("done again, it changes something: %v %v", again, err)
	}
}

// Whoever was killed in the middle goes on: what was erased stays so, and the rest follows, whatever the size of the steps.
func TestErasingGoesOnWhereItWas(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.fill(t, f.mine, 4)
	total := int64(0)
	for _, table := range all {
		var after []string
		for rows := int64(3); rows == 3; {
			err := f.db.Write(in(t, f.mine), func(ctx context.Context, tx pgx.Tx) error {
				var erased int64
				err := tx.QueryRow(ctx, `SELECT reached, rows_read, erased FROM erase_person($1, $2, $3, 3)`, f.anne, table, after).
					Scan(&after, &rows, &erased)
				total += erased
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	if total != 8+8+4+8 {
		t.Errorf("%d rows were erased", total)
	}
	if after := f.contents(t, f.mine); strings.Contains(after, "la ") || strings.Contains(after, "Roy") {
		t.Error(after)
	}
}

func TestTheServiceCanErasePersonsAndNothingElseOfHistory(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.fill(t, f.mine, 1)
	for sql, wants := range map[string]string{
		`UPDATE history SET actor = '{}'`: "42501",
		`DELETE FROM history`:             "42501",
		`SELECT erase_person('` + f.anne + `', 'organization_move', NULL, 10)`:      "P0001", // no column of persons
		`SELECT erase_person('` + f.anne + `', 'ledger', NULL, 10)`:                 "P0001",
		`SELECT erase_person('` + f.anne + `', 'pg_catalog.pg_class', NULL, 10)`:    "P0001",
		`SELECT erase_person(NULL, 'history', NULL, 10)`:                            "P0001",
		`SELECT erase_person('" , "name": "', 'history', NULL, 10)`:                 "22P02",
		`SELECT erase_person('` + f.anne + `', 'site; DROP TABLE site', NULL, 10)`:  "P0001",
		`SELECT erase_person('` + f.anne + `', 'history', ARRAY['x) OR true'], 10)`: "",
	} {
		err := f.db.Write(in(t, f.mine), func(ctx context.Context, tx pgx.Tx) error {
			_, err := tx.Exec(ctx, sql)
			return err
		})
		refusal := new(pgconn.PgError)
		if !errors.As(err, &refusal) || wants != "" && refusal.Code != wants {
			t.Errorf("%s: %v", sql, err)
		}
	}
	service, err := pgx.Connect(t.Context(), f.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer service.Close(context.Background())
	if _, err := service.Exec(t.Context(), `SELECT erase_person($1, 'history', NULL, 10)`, f.anne); err == nil {
		t.Error("without an organization it works")
	}
}

func TestWhatIsStoredAboutAPersonIsExported(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.fill(t, f.mine, 1)
	f.fill(t, f.then, 2)
	part, err := persons.Export(in(t, f.mine), f.db, persons.Query{ID: f.anne})
	if err != nil || part.Next != "" || fmt.Sprint(part.Rows) != "map[event:2 history:2 session:1 site:2]" {
		t.Fatalf("%v %v", part.Rows, err)
	}
	var site struct {
		ID        string
		CreatedBy *principal.Actor `json:"created_by"`
		UpdatedBy *principal.Actor `json:"updated_by"`
	}
	for _, record := range part.Records["site"] {
		if err := json.Unmarshal(record, &site); err != nil || (site.CreatedBy == nil) == (site.UpdatedBy == nil) {
			t.Errorf("%s: %v", record, err)
		}
	}
	if !strings.Contains(string(part.Records["session"][0]), "Anne Tremblay") {
		t.Errorf("%s", part.Records["session"])
	}
	if _, err := persons.Export(in(t, f.mine), f.db, persons.Query{ID: f.anne, After: "x"}); err == nil {
		t.Error("a cursor that is none is taken")
	}
}
