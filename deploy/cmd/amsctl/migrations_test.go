package main

import (
	"encoding/json"
	"io"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/postgres"
	"ams.internal/libs/postgres/postgrestest"
)

func TestTheStatusOfMigrationsShowsWhatWaits(t *testing.T) {
	files := fstest.MapFS{"0001_thing.sql": {Data: []byte("-- +goose Up\nCREATE TABLE thing (id integer PRIMARY KEY, grams integer);")}}
	database := postgrestest.New(t, "things", files)
	owner, err := pgx.Connect(t.Context(), database.OwnerURL)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = owner.Close(t.Context()) }()
	for _, statement := range []string{"INSERT INTO thing VALUES (1), (1000000)", "ANALYZE thing",
		"CREATE INDEX thing_grams ON thing (grams)"} {
		if _, err := owner.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	files["backfill_weight.sql"] = &fstest.MapFile{Data: []byte("-- backfill of thing\nUPDATE thing SET grams = 1 FROM batch WHERE " +
		"thing.id = batch.id AND grams IS NULL")}
	files["0002_required.sql"] = &fstest.MapFile{Data: []byte("-- contract since 0.2.0 after backfill_weight.sql\n-- +goose Up\nALTER " +
		"TABLE thing DROP COLUMN grams;")}
	if err := postgres.Migrate(t.Context(), database.OwnerURL, "things", files, io.Discard); err != nil {
		t.Fatal(err)
	}
	admin, err := pgx.Connect(t.Context(), database.AdminURL)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = admin.Close(t.Context()) }()
	// As a run leaves it that ends while it makes one.
	if _, err := admin.Exec(t.Context(), "UPDATE pg_index SET indisvalid = false WHERE indexrelid = "+
		"'things.thing_grams'::regclass"); err != nil {
		t.Fatal(err)
	}
	t.Setenv("AMS_OWNER_DATABASE_URL", database.OwnerURL)
	code, out, errOut := amsctl(t.Context(), "migrations", "status")
	for _, want := range []string{"things ", "0002_required.sql (contract): it waits for backfill_weight.sql, since 20",
		"weight: 0 of about 2 rows of thing in pass 1, since 20",
		"thing_grams"} {
		if code != 0 || !strings.Contains(out, want) {
			t.Errorf("%d, %q, %q has no %q", code, out, errOut, want)
		}
	}
	code, out, errOut = amsctl(t.Context(), "migrations", "status", "--output", "json")
	var status struct{ Data []postgres.SchemaStatus }
	if err := json.Unmarshal([]byte(out), &status); code != 0 || err != nil || len(status.Data) != 1 || status.Data[0].Schema != "things" ||
		status.Data[0].Version != 1 ||
		status.Data[0].Backfills[0].RowsAbout != 2 || status.Data[0].UnfinishedIndexes[0] != "thing_grams" {
		t.Errorf("%d, %v, %q, %q", code, err, out, errOut)
	}
	t.Setenv("AMS_OWNER_DATABASE_URL", "")
	if code, _, errOut := amsctl(t.Context(), "migrations", "status"); code == 0 || !strings.Contains(errOut, "set AMS_OWNER_DATABASE_URL") {
		t.Errorf("without an address: %d, %q", code, errOut)
	}
}
