package postgres

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// replicaHosts is our own parameter of an address: hosts, as in host:5432,host:5432, of standbys that may answer what reads much
// (FromReplica). Their user, password and database are those of the address.
const replicaHosts = "replica_hosts"

// takeParameter gives an address without one of our own parameters, which pgx would send to the server, and what it was. It looks at the
// query alone: an address may have several hosts, which url.Parse does not take in every form.
func takeParameter(address, name string) (rest, value string, err error) {
	before, query, found := strings.Cut(address, "?")
	if !found {
		return address, "", nil
	}
	values, err := url.ParseQuery(query)
	if err != nil { // its text has the query, and the password may stand there
		return "", "", fmt.Errorf("what follows the ? of the database address is no list of name=value")
	}
	value = values.Get(name)
	if !values.Has(name) {
		return address, "", nil
	}
	values.Del(name)
	if len(values) == 0 {
		return before, value, nil
	}
	return before + "?" + values.Encode(), value, nil
}

// withHosts gives an address with other hosts.
func withHosts(address, hosts string) (string, error) {
	scheme, rest, found := strings.Cut(address, "://")
	if !found {
		return "", errors.New("it must begin with postgres://")
	}
	authority, path := rest, ""
	if end := strings.IndexAny(rest, "/?"); end >= 0 {
		authority, path = rest[:end], rest[end:]
	}
	user := authority[:strings.LastIndex(authority, "@")+1]
	path, _, err := takeParameter(path, "host") // hosts may stand in the query too
	if err != nil {
		return "", err
	}
	if path, _, err = takeParameter(path, "port"); err != nil {
		return "", err
	}
	return scheme + "://" + user + hosts + path, nil
}

// withParameter gives an address with a parameter set.
func withParameter(address, name, value string) (string, error) {
	rest, _, err := takeParameter(address, name)
	if err != nil {
		return "", err
	}
	separator := "?"
	if strings.Contains(rest, "?") {
		separator = "&"
	}
	return rest + separator + name + "=" + url.QueryEscape(value), nil
}

// sessionConfig is how somebody connects who holds a session, or needs the primary itself: past the pooler, if address names one.
func sessionConfig(address string) (*pgx.ConnConfig, error) {
	address, _, err := takeParameter(address, replicaHosts)
	if err != nil {
		return nil, err
	}
	_, session, err := pastPooler(address)
	if err != nil {
		return nil, err
	}
	config, err := pgxpool.ParseConfig(session) // which knows pool_max_conns
	if err != nil {
		return nil, err
	}
	followPrimary(config.ConnConfig)
	return config.ConnConfig, nil
}

// readAddress gives the address of the pool, and how those connect who hold a session.
func readAddress(address string) (pool string, session *pgx.ConnConfig, err error) {
	if pool, _, err = pastPooler(address); err != nil {
		return "", nil, err
	}
	session, err = sessionConfig(address)
	return pool, session, err
}

// shortestDial is what a host is given to take a connection, however many there are.
const shortestDial = 500 * time.Millisecond

// followPrimary prepares connections for a primary that may become a standby, and for an address of several hosts: each gets its share of
// the time to take a connection, so that a machine that is silent leaves time for the next. Whoever has taken it has all the time to log
// in: after a takeover every process does so at once.
func followPrimary(config *pgx.ConnConfig) {
	hosts := map[string]bool{fmt.Sprint(config.Host, ":", config.Port): true}
	for _, f := range config.Fallbacks {
		hosts[fmt.Sprint(f.Host, ":", f.Port)] = true
	}
	dialTimeout := connectTimeout
	config.ConnectTimeout = loginTimeout
	if len(hosts) > 1 { // one that hangs must leave time for the next
		dialTimeout = max(connectTimeout/time.Duration(len(hosts)), shortestDial)
		config.ConnectTimeout = connectTimeout
	}
	dial := config.DialFunc
	config.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		ctx, cancel := context.WithTimeout(ctx, dialTimeout)
		defer cancel()
		return dial(ctx, network, address)
	}
	closes := config.OnPgError
	config.OnPgError = func(conn *pgconn.PgConn, err *pgconn.PgError) bool {
		return !isDemoted(err) && (closes == nil || closes(conn, err)) // false closes the connection: the next one finds the primary
	}
	config.OnNotice = noteUnreplicated
}

// isDemoted says whether a server refused to write: it is a standby, or became one behind a pooler that keeps our connections.
func isDemoted(err *pgconn.PgError) bool {
	return err.Code == ReadOnlySQLTransaction || err.Code == FeatureNotSupported && err.Routine == refusesSetting
}

// refusesSetting is the function of PostgreSQL that reports what a setting that is on or off must not be, such as that a transaction on a
// standby writes. Its SQLSTATE alone says less, and its message is in the language of the server.
const refusesSetting = "call_bool_check_hook"

// unreplicated is set in a connection whose commit was not waited for until the synchronous standby had it.
const unreplicated = "ams.unreplicated"

// noteUnreplicated notes the warning of a commit that was cancelled (by statement_timeout, or an administrator) while it waited for the
// synchronous standby. PostgreSQL calls that a success, but if the primary is lost now, so is what was committed.
func noteUnreplicated(conn *pgconn.PgConn, notice *pgconn.Notice) {
	if notice.Routine == "SyncRepWaitForLSN" {
		conn.CustomData()[unreplicated] = true
	}
}

// wasUnreplicated says whether the last commit of a connection was so, and closes the connection: the next commit would wait as well.
func wasUnreplicated(conn *pgx.Conn) bool {
	_, noted := conn.PgConn().CustomData()[unreplicated]
	if noted {
		Disconnect(conn)
	}
	return noted
}
