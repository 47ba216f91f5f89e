package webhooks

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/principal"
)

// inTransaction runs fn in a transaction of the organization.
func (f *fixture) inTransaction(t testing.TB, fn func(ctx context.Context, tx pgx.Tx) error) {
	t.Helper()
	if err := f.service.db.Write(principal.Into(t.Context(), f.Principal), fn); err != nil {
		t.Fatal(err)
	}
}

// ownerConn gives a connection that sees every organization.
func (f *fixture) ownerConn(t testing.TB) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), f.database.OwnerURL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

// queryOne gives a value of the database.
func queryOne[T any](t testing.TB, f *fixture, sql string, args ...any) T {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), f.database.OwnerURL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	var value T
	if err := conn.QueryRow(t.Context(), sql, args...).Scan(&value); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return value
}

// emitted gives the types of the events about endpoints that wait in this service's own outbox, in order.
func (f *fixture) emitted(t testing.TB) string {
	t.Helper()
	return queryOne[string](t, f, `SELECT coalesce(string_agg(type, ' ' ORDER BY position), '') FROM outbox
		WHERE type NOT LIKE '%.created' AND type NOT LIKE '%.updated'`)
}

// fieldHistory gives the values of an endpoint's field in its history, in order.
func (f *fixture) fieldHistory(t testing.TB, id, field string) string {
	t.Helper()
	return queryOne[string](t, f, `SELECT coalesce(string_agg(changes->$2->>'new', ' ' ORDER BY version), '') FROM history
		WHERE record_id = $1 AND changes::jsonb ? $2`, id, field)
}

// terminateSessions ends the sessions of the test's database that fulfil a condition.
func (f *fixture) terminateSessions(t testing.TB, condition string, args ...any) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), f.database.AdminURL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	var ended int
	if err := conn.QueryRow(t.Context(), `SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
		WHERE datname = current_database() AND pid <> pg_backend_pid() AND `+condition, args...).Scan(&ended); err != nil || ended == 0 {
		t.Fatalf("%d sessions were ended: %v", ended, err)
	}
}
