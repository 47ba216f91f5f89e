package indicators_test

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/postgres/postgrestest"
)

// connect gives a connection to a real server; the figures need no tables.
func connect(t *testing.T) *pgx.Conn {
	t.Helper()
	db, err := pgx.Connect(t.Context(), postgrestest.New(t, "figures", nil).Session)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close(context.WithoutCancel(t.Context())) })
	return db
}
