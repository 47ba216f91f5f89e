// Package postgres opens a service's database. It has a pool whose transactions carry the caller's organization (row-level
// security shows nothing without it), the errors that callers see, migrations by the owning role, and the roles themselves.
package postgres

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"

	"ams.internal/libs/fairqueue"
	"ams.internal/libs/principal"
)

const (
	// connectTimeout and acquireTimeout are short so that a database that is down is a 503 within two seconds.
	connectTimeout = 1500 * time.Millisecond
	acquireTimeout = 1900 * time.Millisecond
	// pingTimeout bounds the liveness check of a connection that was idle for more than a second.
	pingTimeout = time.Second
	// defaultConnections is the size of the pool where the URL has no pool_max_conns.
	defaultConnections = 8
)

// sessionSettings are those of every connection. Queries of services are short; the just-in-time compiler costs such queries
// more than it saves. An export has 5 minutes (SET LOCAL statement_timeout).
var sessionSettings = map[string]string{
	"timezone":          "UTC",
	"datestyle":         "ISO, YMD", // dates are read as text and written to JSON unchanged
	"statement_timeout": "10000",
	// Rows belong to an organization, so whoever waits for one waits for the organization's own requests.
	"lock_timeout": "5000",
	"jit":          "off",
	// A process that hangs in a transaction must not block others at the rows that it has locked.
	"idle_in_transaction_session_timeout": "15000",
}

// DB is a pool of connections to one service's database.
type DB struct {
	pool     *pgxpool.Pool
	turns    *fairqueue.Queue // for its connections
	liveness *livenessCheck
	away     atomic.Bool // the last attempt to get a connection from the pool failed; given up ones apart
}

// Open makes a pool for address, a postgres:// URL; pool_max_conns in its query sets the size (default 8), and
// application_name the name that the server shows. It does not wait for the server, and recovers by itself when the server
// does. An error means that the address is invalid.
//
// Numbers, booleans, dates, times and UUIDs arrive in Postgres' text form, so that a list can be written as JSON
// from rows.RawValues without decoding; Scan works as usual.
func Open(ctx context.Context, address string) (*DB, error) {
	config, err := pgxpool.ParseConfig(address)
	if err != nil {
		return nil, fmt.Errorf("postgres: the database address cannot be used: %w", err)
	}
	if !strings.Contains(address, "pool_max_conns") {
		config.MaxConns = defaultConnections
	}
	config.PingTimeout = pingTimeout
	config.ConnConfig.ConnectTimeout = connectTimeout
	config.ConnConfig.Tracer = newTracer()
	for name, value := range sessionSettings {
		config.ConnConfig.RuntimeParams[name] = value
	}
	if config.ConnConfig.RuntimeParams["application_name"] == "" {
		config.ConnConfig.RuntimeParams["application_name"] = config.ConnConfig.User
	}
	config.AfterConnect = func(_ context.Context, conn *pgx.Conn) error {
		useTextFormat(conn.TypeMap())
		return nil
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("postgres: open pool: %w", err)
	}
	return &DB{pool: pool, turns: fairqueue.New(int(config.MaxConns)), liveness: newLivenessCheck(pool.Config().ConnConfig)}, nil
}

// Close closes the pool. It waits for the connections that are in use.
func (db *DB) Close() {
	db.pool.Close()
	db.liveness.close()
}

// Pool gives the pool itself, for data of no organization. Its queries see no row of an isolated table.
func (db *DB) Pool() *pgxpool.Pool { return db.pool }

// Connect opens a connection outside the pool, for a session lock. The server notices within seconds that the client's machine
// has stopped. The caller ends it with Disconnect.
func (db *DB) Connect(ctx context.Context) (*pgx.Conn, error) {
	config := db.pool.Config().ConnConfig
	config.Tracer = nil // its statements belong to no request
	for name, value := range map[string]string{"tcp_keepalives_idle": "3", "tcp_keepalives_interval": "2", "tcp_keepalives_count": "3"} {
		config.RuntimeParams[name] = value
	}
	conn, err := pgx.ConnectConfig(ctx, config)
	return conn, unavailable(err)
}

// Disconnect closes a connection of Connect. The server releases its locks either way.
func Disconnect(conn *pgx.Conn) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = conn.Close(ctx)
}

// Ping checks whether the database responds; its error is a 503.
func (db *DB) Ping(ctx context.Context) error {
	conn, release, err := db.acquire(ctx)
	if err != nil {
		return err
	}
	defer release()
	return unavailable(conn.Ping(ctx))
}

// WithSchema gives address with its search path set to schema, for tools that connect as the owning role.
func WithSchema(address, schema string) (string, error) {
	parsed, err := url.Parse(address)
	if err != nil {
		return "", fmt.Errorf("postgres: the database address cannot be used: %w", err)
	}
	query := parsed.Query()
	query.Set("search_path", searchPath(schema))
	parsed.RawQuery = query.Encode()
	return parsed.String(), nil
}

// acquire takes a connection from the pool when it is the turn of the caller's organization, within acquireTimeout. An organization
// whose own requests keep it waiting gets a 429, everybody else a 503. release gives the connection back.
func (db *DB) acquire(ctx context.Context) (conn *pgxpool.Conn, release func(), err error) {
	waiting, cancel := context.WithTimeout(ctx, acquireTimeout)
	defer cancel()
	begin, organization := time.Now(), principal.From(ctx).OrganizationID
	ownExcess, err := db.turns.Enter(waiting, organization)
	if err != nil {
		if ownExcess && ctx.Err() == nil && !db.away.Load() {
			return nil, nil, fairqueue.TooManyInFlight(ctx).WithCause(err)
		}
		recordAcquireFailure(ctx, begin, err)
		return nil, nil, unavailable(fmt.Errorf("wait for a connection: %w", err))
	}
	conn, err = db.pool.Acquire(waiting)
	if away := err != nil; db.away.Load() != away && ctx.Err() == nil { // who gives up says nothing about the database
		db.away.Store(away)
	}
	if err != nil {
		db.turns.Leave(organization)
		recordAcquireFailure(ctx, begin, err)
		return nil, nil, unavailable(fmt.Errorf("acquire a connection: %w", err))
	}
	return conn, func() {
		conn.Release()
		db.turns.Leave(organization)
	}, nil
}

// useTextFormat reads those types as text whose text form is valid in JSON or nearly so.
func useTextFormat(types *pgtype.Map) {
	for _, oid := range []uint32{
		pgtype.BoolOID, pgtype.Int2OID, pgtype.Int4OID, pgtype.Int8OID, pgtype.Float8OID, pgtype.NumericOID,
		pgtype.DateOID, pgtype.TimestamptzOID, pgtype.UUIDOID,
	} {
		known, found := types.TypeForOID(oid)
		if !found {
			panic(fmt.Sprintf("postgres: pgx does not know type %d", oid))
		}
		types.RegisterType(&pgtype.Type{Name: known.Name, OID: oid, Codec: &pgtype.TextFormatOnlyCodec{Codec: known.Codec}})
	}
}
