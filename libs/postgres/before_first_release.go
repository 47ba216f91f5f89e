package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// ErrBeforeFirstRelease is of a database that a program of before the first release has made.
var ErrBeforeFirstRelease = errors.New("this database was made before 0.1, whose data are not carried over; nothing was changed. " +
	"On this machine, make clean-run removes it, with its data; elsewhere, give the product a new database")

// RefuseBeforeFirstRelease fails with ErrBeforeFirstRelease where the database has a schema whose migrations are those of before 0.1. Their
// numbers begin at 1 as those of today do, so it is known by a function that each such schema has, and none of today.
func RefuseBeforeFirstRelease(ctx context.Context, ownerURL string) error {
	config, err := sessionConfig(ownerURL)
	if err != nil {
		return fmt.Errorf("postgres: the owner's database address cannot be used: %w", err)
	}
	config.ConnectTimeout = migrateConnectTimeout
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return fmt.Errorf("postgres: look at the age of the database: %w", err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	var before bool
	const known = "SELECT EXISTS (SELECT FROM pg_proc WHERE proname = 'outbox_done' AND pronargs = 1)"
	if err := conn.QueryRow(ctx, known).Scan(&before); err != nil {
		return fmt.Errorf("postgres: look at the age of the database: %w", err)
	}
	if before {
		return ErrBeforeFirstRelease
	}
	return nil
}
