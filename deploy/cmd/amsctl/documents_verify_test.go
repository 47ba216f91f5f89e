package main

import (
	"crypto/sha256"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/postgres/postgrestest"
	"ams.internal/services/documents/store"
)

const (
	cityA = "019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2a01"
	cityB = "019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2a02"
)

// installation is a database with the tables of documents and a store, which the environment names.
type installation struct {
	t        *testing.T
	database *pgx.Conn
	store    store.Store
	folder   string
}

func newInstallation(t *testing.T) *installation {
	t.Helper()
	database := postgrestest.New(t, "documents", os.DirFS("../../../services/documents"))
	connection, err := pgx.Connect(t.Context(), database.OwnerURL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = connection.Close(t.Context()) })
	i := &installation{t: t, database: connection, folder: t.TempDir()}
	if i.store, err = store.New(t.Context(), store.Config{Store: i.folder}); err != nil {
		t.Fatal(err)
	}
	t.Setenv("AMS_OWNER_DATABASE_URL", database.OwnerURL)
	t.Setenv("AMS_DOCUMENTS_STORE", i.folder)
	return i
}

// content makes the row of one.
func (i *installation) content(organization, id, state, bytes string) {
	i.t.Helper()
	sum := sha256.Sum256([]byte(bytes))
	if _, err := i.database.Exec(i.t.Context(), `INSERT INTO documents.blob (organization_id, id, state, created_by, size, sha256, media_type,
			scan_status, delete_after) VALUES ($1, $2, $3, '{}', $4, $5, 'text/plain', 'clean', CASE WHEN $3 = 'doomed' THEN now() END)`,
		organization, id, state, len(bytes), sum[:]); err != nil {
		i.t.Fatal(err)
	}
}

// object puts one into the store, as it was put there some hours ago.
func (i *installation) object(key, bytes string, hours int) {
	i.t.Helper()
	if err := i.store.Put(i.t.Context(), key, strings.NewReader(bytes), int64(len(bytes))); err != nil {
		i.t.Fatal(err)
	}
	at := time.Now().Add(-time.Duration(hours) * time.Hour)
	if err := os.Chtimes(filepath.Join(i.folder, "objects", key), at, at); err != nil {
		i.t.Fatal(err)
	}
}

func (i *installation) verify(flags ...string) (code int, found verification, errOut string) {
	i.t.Helper()
	code, out, errOut := amsctl(i.t.Context(), append([]string{"documents", "verify", "--output", "json"}, flags...)...)
	if err := json.Unmarshal([]byte(out), &found); err != nil {
		i.t.Fatalf("exit %d, %q is not JSON: %v: %s", code, out, err, errOut)
	}
	return code, found, errOut
}

func blob(last string) string { return "019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2" + last }

func TestContentsAndObjectsAreCompared(t *testing.T) {
	i := newInstallation(t)
	i.content(cityA, blob("001"), "ready", "one")
	i.object(cityA+"/"+blob("001"), "one", 0)
	i.object(cityA+"/"+blob("001")+".256", "small", 9)
	i.content(cityA, blob("002"), "writing", "two")
	i.object(cityA+"/"+blob("002")+".tail7", "tw", 9)
	i.content(cityA, blob("003"), "doomed", "three")
	i.object(cityA+"/"+blob("003"), "three", 9)
	i.content(cityB, blob("001"), "ready", "of another city")
	i.object(cityB+"/"+blob("001"), "of another city", 9)
	i.object(cityB+"/"+blob("009"), "just written", 0)
	code, found, errOut := i.verify("--deep")
	if code != 0 || found.Contents != 2 || found.Bytes != 18 || found.Objects != 6 || len(found.Missing) != 0 || len(found.Unknown) != 0 {
		t.Fatalf("of what is right: exit %d, %+v, %s", code, found, errOut)
	}

	i.content(cityA, blob("004"), "ready", "gone")
	i.content(cityA, blob("005"), "ready", "short")
	i.object(cityA+"/"+blob("005"), "shor", 9)
	i.content(cityA, blob("006"), "ready", "right")
	i.object(cityA+"/"+blob("006"), "wrong", 9)
	i.content(cityB, blob("fff"), "ready", "the last")
	i.object(cityA+"/"+blob("009"), "unknown", 2)
	i.object(cityB+"/"+blob("003"), "known in the other city alone", 2)
	i.object("lost/found", "somebody's", 2)
	code, found, errOut = i.verify()
	if got := missing(found); code != 1 || got != blob("004")+" is not there, "+blob("005")+" has 4 bytes, "+blob("fff")+" is not there" {
		t.Errorf("exit %d, missing %s", code, got)
	}
	if !strings.Contains(errOut, "3 contents are missing") {
		t.Errorf("says %s", errOut)
	}
	if len(found.Unknown) != 3 || found.Unknown[0].Key != cityA+"/"+blob("009") || found.Unknown[1].Key != cityB+"/"+blob("003") ||
		found.Unknown[2].Key != "lost/found" {
		t.Errorf("unknown %+v", found.Unknown)
	}
	code, found, _ = i.verify("--deep", "--delete-unknown")
	if got := missing(found); code != 1 || len(found.Missing) != 4 || !strings.Contains(got, blob("006")+" has the sha256 ") {
		t.Errorf("deep: exit %d, missing %s", code, got)
	}
	if len(found.Unknown) != 3 || !found.Unknown[0].Deleted || !found.Unknown[1].Deleted || found.Unknown[2].Deleted {
		t.Errorf("unknown %+v", found.Unknown)
	}
	_, found, _ = i.verify()
	if found.Objects != 9 || len(found.Unknown) != 1 {
		t.Errorf("after unknown ones were deleted: %+v", found)
	}
}

func TestWhatWasFoundIsKeptForEachOrganization(t *testing.T) {
	i := newInstallation(t)
	if _, err := i.database.Exec(t.Context(), "INSERT INTO documents.storage (organization_id) VALUES ($1), ($2)", cityA, cityB); err != nil {
		t.Fatal(err)
	}
	recorded := func() (all []string) {
		t.Helper()
		rows, err := i.database.Query(t.Context(), `SELECT concat_ws(' ', coalesce(verified_at > now() - interval '1 minute', false),
			verified_deep, verified_missing, verified_unknown) FROM documents.storage ORDER BY organization_id`)
		if err == nil {
			all, err = pgx.CollectRows(rows, pgx.RowTo[string])
		}
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	i.content(cityA, blob("001"), "ready", "gone")
	i.content(cityA, blob("002"), "ready", "gone too")
	i.content(cityB, blob("001"), "ready", "there")
	i.object(cityB+"/"+blob("001"), "there", 9)
	i.object(cityB+"/"+blob("009"), "unknown", 9)
	i.object("lost/found", "somebody's", 9)
	i.verify()
	if got := strings.Join(recorded(), ", "); got != "t f 2 0, t f 0 1" {
		t.Errorf("of each organization is kept: %s", got)
	}
	i.verify("--deep", "--delete-unknown")
	if got := strings.Join(recorded(), ", "); got != "t t 2 0, t t 0 0" {
		t.Errorf("when what was unknown was deleted: %s", got)
	}
}

func missing(found verification) string {
	var all []string
	for _, m := range found.Missing {
		all = append(all, m.Key[37:]+" "+m.Problem)
	}
	return strings.Join(all, ", ")
}

// A store may have objects of organizations of another cell, whose database is another.
func TestObjectsOfAnotherCellAreLeftAlone(t *testing.T) {
	i := newInstallation(t)
	i.content(cityA, blob("001"), "ready", "there")
	i.object(cityA+"/"+blob("001"), "there", 9)
	i.object(cityB+"/"+blob("001"), "of another cell", 9)
	for range 2 {
		if code, found, errOut := i.verify("--delete-unknown"); code != 0 || found.Objects != 2 || found.Elsewhere != 1 ||
			len(found.Unknown) != 0 {
			t.Errorf("exit %d: %+v %s", code, found, errOut)
		}
	}
}

func TestAStoreOfAnotherInstallationIsNotEmptied(t *testing.T) {
	i := newInstallation(t)
	i.object(cityA+"/"+blob("001"), "of another installation", 9)
	if _, err := i.database.Exec(t.Context(), "INSERT INTO documents.storage (organization_id) VALUES ($1)", cityA); err != nil {
		t.Fatal(err)
	}
	code, out, errOut := amsctl(t.Context(), "documents", "verify", "--delete-unknown")
	if code != 1 || out != "" || !strings.Contains(errOut, "nothing is deleted") {
		t.Errorf("exit %d: %s%s", code, out, errOut)
	}
	if _, found, _ := i.verify(); found.Objects != 1 || len(found.Unknown) != 1 {
		t.Errorf("%+v", found)
	}
}

func TestVerifyNamesWhatItNeeds(t *testing.T) {
	t.Setenv("AMS_OWNER_DATABASE_URL", "")
	code, _, errOut := amsctl(t.Context(), "documents", "verify")
	if code != 1 || !strings.Contains(errOut, "AMS_OWNER_DATABASE_URL is not set") ||
		!strings.Contains(errOut, "AMS_DOCUMENTS_STORE is not set") {
		t.Errorf("exit %d: %s", code, errOut)
	}
}
