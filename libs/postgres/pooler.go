package postgres

import (
	"context"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

const (
	// sessionHosts is the parameter of an address whose own host is a pooler in transaction mode (PgBouncer). It names the servers behind
	// it, host:port with commas: whoever holds a session goes there, with the same user, password and database.
	sessionHosts = "session_hosts"

	// pooledTurnTimeout is how long a transaction waits for its turn where it waits twice: here for a connection of the process, then for one
	// of the pooler's. That has query_wait_timeout, 0.7 s (libs/pgbouncer), which it looks at every third of a second. The liveness check of
	// an idle connection has as much: it may wait for the pooler too.
	pooledTurnTimeout = 900 * time.Millisecond
)

// pastPooler gives the address of the pool and the one for those who hold a session: the same where no pooler is named.
func pastPooler(address string) (pool, session string, err error) {
	rest, hosts, err := takeParameter(address, sessionHosts)
	if err != nil {
		return "", "", fmt.Errorf("postgres: the database address cannot be used: %w", err)
	}
	if rest == address {
		return address, address, nil
	}
	if err := checkHosts(hosts); err != nil {
		return "", "", err
	}
	session, mode, err := takeParameter(rest, executionMode)
	if err == nil {
		session, err = withHosts(session, hosts)
	}
	if mode == "" {
		// Statements that are prepared belong to one connection of the server, and a pooler before 1.21 gives any. So the descriptions
		// alone are kept, which costs no further round trip: the server plans the statement each time.
		mode = "cache_describe"
	}
	if err == nil {
		pool, err = withParameter(rest, executionMode, mode)
	}
	if err != nil {
		return "", "", fmt.Errorf("postgres: the database address cannot be used: %w", err)
	}
	return pool, session, nil
}

// executionMode is pgx's parameter of how it sends statements.
const executionMode = "default_query_exec_mode"

func checkHosts(list string) error {
	for one := range strings.SplitSeq(list, ",") {
		if host, port, err := net.SplitHostPort(strings.TrimSpace(one)); err != nil || host == "" || port == "" {
			return fmt.Errorf("postgres: %s names %q; it must be host:port, several with commas between them", sessionHosts, one)
		}
	}
	return nil
}

// checkSettings refuses a connection whose role has not the settings of Bootstrap. The server tells two of them to everybody who connects,
// and a pooler hands that on; the others are made in the same moment.
func checkSettings(conn *pgconn.PgConn) error {
	for name, reported := range map[string]string{"timezone": "TimeZone", "datestyle": "DateStyle"} {
		if got := conn.ParameterStatus(reported); got != roleSettings[name] {
			return lasting(fmt.Errorf("the role has %s %q and not %q: run \"amsctl database prepare\", which sets the defaults of all roles, "+
				"and have a pooler connect anew (RECONNECT)", name, got, roleSettings[name]))
		}
	}
	return nil
}

// poolerResponds is nil when the pooler at the first address of config answers. It is asked whether it speaks TLS, which it answers
// without a password and without a connection to the server: those may all be in use.
func poolerResponds(ctx context.Context, config *pgx.ConnConfig) error {
	network, address := pgconn.NetworkAddress(config.Host, config.Port)
	conn, err := config.DialFunc(ctx, network, address)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	if deadline, has := ctx.Deadline(); has {
		if err := conn.SetDeadline(deadline); err != nil {
			return err
		}
	}
	if _, err := conn.Write([]byte{0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f}); err != nil { // SSLRequest
		return err
	}
	_, err = conn.Read(make([]byte, 1))
	return err
}
