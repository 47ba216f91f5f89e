package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	awaitFor      = time.Minute // a pod's network opens within seconds of its start, a database that starts again within a minute
	awaitPause    = time.Second // between two tries
	awaitNotice   = 10 * time.Second
	awaitOneTry   = 5 * time.Second // an address that nobody answers at
	awaitShutdown = time.Second     // to say goodbye
)

// Await returns as soon as the database at address lets somebody in, and gives it a minute: what comes before the programs (migrations,
// the making of roles) may be started before the database is, or before its own network is open. Every ten seconds it says on out what it
// waits for. A login that is refused, a database that is not there and an address that cannot be read do not pass by themselves; these are
// returned at once.
func Await(ctx context.Context, address string, out io.Writer) error {
	return await(ctx, address, out, awaitFor)
}

func await(ctx context.Context, address string, out io.Writer, timeout time.Duration) error {
	config, err := sessionConfig(address)
	if err != nil {
		return fmt.Errorf("postgres: the database's address cannot be used: %w", err)
	}
	config.ConnectTimeout = awaitOneTry
	where := fmt.Sprintf("%s:%d", config.Host, config.Port)
	started := time.Now()
	lastNotice := started
	for {
		conn, err := pgx.ConnectConfig(ctx, config.Copy())
		if err == nil {
			closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), awaitShutdown)
			defer cancel()
			_ = conn.Close(closing)
			return nil
		}
		switch {
		case ctx.Err() != nil:
			return errors.Join(ctx.Err(), err)
		case doesNotPass(err):
			return fmt.Errorf("postgres: the database at %s lets nobody in, which does not pass by itself: %w", where, err)
		case time.Since(started) >= timeout:
			return fmt.Errorf("postgres: the database at %s cannot be reached, tried for %s; see that its address is right and that it runs: %w",
				where, timeout, err)
		}
		if time.Since(lastNotice) >= awaitNotice {
			lastNotice = time.Now()
			fmt.Fprintf(out, "waiting for the database at %s: %v\n", where, err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(awaitPause):
		}
	}
}
