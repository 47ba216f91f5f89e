package leader_test

import (
	"testing"
	"testing/fstest"

	"ams.internal/libs/leader"
	"ams.internal/libs/postgres"
	"ams.internal/libs/postgres/postgrestest"
)

// A lock is held while the session that took it lives, whoever asks, and no other name is.
func TestALockIsHeldUntilItsSessionEnds(t *testing.T) {
	db := postgrestest.New(t, "leader", fstest.MapFS{"migrations/0001_nothing.sql": {Data: []byte("-- +goose Up\nSELECT 1;\n")}}).Open(t)
	ctx := postgres.InCell(t.Context(), db.Cells()[0])
	asks, err := db.Connect(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer postgres.Disconnect(asks)
	held := func(name string) (is bool) {
		t.Helper()
		if err := asks.QueryRow(ctx, "SELECT "+leader.Held("$1::text"), name).Scan(&is); err != nil {
			t.Fatal(err)
		}
		return is
	}
	for _, name := range []string{"work of 1", "work of 2", "work of 3", "work of 4"} { // keys of both signs
		if held(name) {
			t.Errorf("%q is held by nobody", name)
		}
		holds, err := db.Connect(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if leads, err := leader.Try(ctx, holds, name); err != nil || !leads {
			t.Fatalf("%v, %v", leads, err)
		}
		if !held(name) || held(name+" and more") {
			t.Errorf("%q is held: %v; another: %v", name, held(name), held(name+" and more"))
		}
		postgres.Disconnect(holds)
	}
}
