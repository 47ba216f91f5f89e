package main

import (
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"ams.internal/deploy/test/resilience/consistency"
	"ams.internal/deploy/test/resilience/load"
)

// noticesEveryMistake spoils what the scenarios have written, in each way that is looked for. The verifier finds all of it.
func noticesEveryMistake(t *testing.T, f *fixture) {
	db, err := pgx.Connect(t.Context(), f.databaseURL)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close(t.Context())
	if wrong, err := f.verify(t.Context()); err != nil || len(wrong) > 0 {
		t.Fatalf("before anything is spoilt: %v %v", wrong, err)
	}
	of := f.organizations[0]
	var assets []string
	for _, r := range of.Records() {
		if load.Collections[r.Collection].Path == "/v1/assets" && r.Version == 1 {
			assets = append(assets, r.ID)
		}
	}
	spoil := func(statement, id string) {
		t.Helper()
		if tag, err := db.Exec(t.Context(), statement, of.ID, id); err != nil || tag.RowsAffected() != 1 {
			t.Fatalf("%s: %v %v", statement, tag, err)
		}
	}
	of.Acknowledge(0, consistency.Change{Record: uuid.NewString(), Action: "created", Version: 1})
	spoil("DELETE FROM assets.history WHERE organization_id = $1 AND record_id = $2", assets[0])
	spoil("DELETE FROM assets.asset WHERE organization_id = $1 AND id = $2", assets[1])
	spoil("DELETE FROM webhooks.event WHERE organization_id = $1 AND record_id = $2", assets[2])
	spoil("UPDATE assets.asset SET version = 2 WHERE organization_id = $1 AND id = $2", assets[3])
	wrong, err := f.verify(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	found := strings.Join(wrong, "\n")
	for what, words := range map[string][]string{
		"a change that was never made": {"acknowledged, and not in the history", "acknowledged, and not to be read: /v1/assets"},
		"a history row that is missing": {"a record whose versions are not those of its history: " + assets[0],
			"an event without its history row: " + assets[0]},
		"a record that is missing":        {"a history whose record is not there: " + assets[1]},
		"an event that is missing":        {"a history row without its one event: " + assets[2]},
		"a version that nobody wrote":     {"a record whose versions are not those of its history: " + assets[3]},
		"a record that cannot be read so": {"acknowledged, and not to be read: /v1/assets/" + assets[1]},
	} {
		for _, each := range words {
			if !strings.Contains(found, each) {
				t.Errorf("%s is not noticed (%q):\n%s", what, each, found)
			}
		}
	}
}
