package postgres

import (
	"context"
	"testing"
)

// Whether the database is away decides between a 503 and a 429 for those who wait.
func TestACallerWhoGivesUpDoesNotSayThatTheDatabaseIsBack(t *testing.T) {
	t.Parallel()
	db, err := Open(t.Context(), "postgres://somebody:password@127.0.0.1:1/ams")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	givenUp, cancel := context.WithCancel(t.Context())
	cancel()
	if err := db.Ping(givenUp); err == nil || db.first.unavailable.Load() {
		t.Errorf("%v; given up is taken for away", err)
	}
	if err := db.Ping(t.Context()); err == nil || !db.first.unavailable.Load() {
		t.Errorf("%v; the database is away", err)
	}
	if err := db.Ping(givenUp); err == nil || !db.first.unavailable.Load() {
		t.Errorf("%v; the database is still away", err)
	}
}
