package figures_test

import (
	"context"
	"os"
	"testing"

	"github.com/jackc/pgx/v5"
)

func connect(t *testing.T) *pgx.Conn {
	t.Helper()
	db, err := pgx.Connect(context.Background(), os.Getenv("AMS_TEST_DATABASE_URL"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close(context.Background()) })
	return db
}
