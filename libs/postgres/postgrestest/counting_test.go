package postgrestest_test

import (
	"testing"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/postgres/postgrestest"
)

func TestEveryStatementIsCounted(t *testing.T) {
	t.Parallel()
	address, run := postgrestest.CountStatements(t, postgrestest.New(t, "counted", nil).Session)
	db, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close(t.Context())
	run.Store(0)
	for _, want := range []int64{1, 2} { // the second time, the statement is known already
		if _, err := db.Exec(t.Context(), "SELECT $1::int", 1); err != nil || run.Load() != want {
			t.Errorf("%d statements were counted, want %d: %v", run.Load(), want, err)
		}
	}
	batch := &pgx.Batch{}
	for range 3 {
		batch.Queue("SELECT $1::int", 1)
	}
	if err := db.SendBatch(t.Context(), batch).Close(); err != nil || run.Load() != 5 {
		t.Errorf("%d statements were counted, want 5: %v", run.Load(), err)
	}
	if _, err := db.Exec(t.Context(), "SELECT 1"); err != nil || run.Load() != 6 {
		t.Errorf("%d statements were counted, want 6: %v", run.Load(), err)
	}
	if err := db.Ping(t.Context()); err != nil || run.Load() != 6 {
		t.Errorf("a ping was counted: %d statements, %v", run.Load(), err)
	}
}
