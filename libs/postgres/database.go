// Package postgres connects services to PostgreSQL. It opens a pool whose transactions carry the caller's organization (row-level
// security shows nothing without it), translates errors for callers, runs migrations as the owning role, and creates the roles.
package postgres

import (
	"context"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"
	"go.opentelemetry.io/otel/metric"

	"ams.internal/libs/fairqueue"
	"ams.internal/libs/principal"
)

const (
	// connectTimeout and acquireTimeout are short so that a database that is down is a 503 within two seconds.
	connectTimeout = 1500 * time.Millisecond
	acquireTimeout = 1900 * time.Millisecond
	// loginTimeout is how long a connection to a single server may take to log in, once the server has taken it. A request does not wait for
	// it longer than acquireTimeout; the pool has the connection when it is there. Given up earlier, all of the work would be lost, and done
	// again at once by everybody: a server that many connect to at the same time would never come to an end.
	loginTimeout = 10 * time.Second
	// pingTimeout bounds the liveness check of a connection that was idle for more than a second.
	pingTimeout = time.Second
	// pingPollTimeout is how long Ping waits for who polls.
	pingPollTimeout = 250 * time.Millisecond
	// defaultConnections is the size of the pool where the URL has no pool_max_conns.
	defaultConnections = 8
	// idleTimeout is how long a connection of the pool stays that nobody uses, and idleCheckInterval how often the pool looks. It turns the
	// order of those that are idle round when it looks: with an interval that is not longer than the timeout, who polls would use two of them
	// in turn, and keep both.
	idleTimeout       = 20 * time.Second
	idleCheckInterval = 30 * time.Second
	// statementTimeout is how long a statement of a service may take.
	statementTimeout = 10 * time.Second
)

// roleSettings are those of every connection of a service. Bootstrap makes them defaults of its role: a pooler in transaction mode knows
// nothing of what a client asks for when it connects. Queries of services are short; the just-in-time compiler costs such queries
// more than it saves. An export has 5 minutes (SET LOCAL statement_timeout).
var roleSettings = map[string]string{
	"timezone":          "UTC",
	"datestyle":         "ISO, YMD", // dates are read as text and written to JSON unchanged
	"statement_timeout": strconv.FormatInt(statementTimeout.Milliseconds(), 10),
	// Rows belong to an organization, so whoever waits for one waits for the organization's own requests.
	"lock_timeout": "5000",
	"jit":          "off",
	// A process that hangs in a transaction must not block others at the rows that it has locked.
	"idle_in_transaction_session_timeout": "15000",
}

// DB is one service's database, in every cell: a pool of connections to each. A query goes to the cell of the context, which is
// that of the principal. A cell that is unavailable is a 503; no other is queried instead.
type DB struct {
	first *cell
	cells map[string]*cell // by name, the first one too
	every bool             // the first cell is that of all organizations
	reads metric.Int64Counter
}

// Cell is a further cell of a database.
type Cell struct{ Name, Address string }

// cell is a pool of connections to a database in one cell. Cells have nothing in common: one that is unavailable keeps no other waiting.
type cell struct {
	name        string
	pool        *pgxpool.Pool
	session     *pgx.ConnConfig  // of connections outside the pool
	turns       *fairqueue.Queue // for its connections
	polling     chan struct{}    // held by who polls
	liveness    *livenessCheck
	turnTimeout time.Duration // for the turn
	unavailable atomic.Bool   // the last attempt to get a connection from the pool failed; given up ones apart
	replica     *replica      // where FromReplica reads; nil without replica_hosts
}

// Open makes a pool for address, a postgres:// URL, which is the first cell, and one for each further cell. pool_max_conns in the query of
// an address sets the size (default 8), and application_name the name that the server shows. Where the address is a pooler's, session_hosts
// names the servers behind it. Several hosts with target_session_attrs=read-write follow the primary of a cluster, wherever it is;
// replica_hosts are standbys for what FromReplica reads. Open does not wait for the servers, and recovers by itself when they do. An error
// means that an address is invalid.
//
// Numbers, booleans, dates, times and UUIDs arrive in Postgres' text form, so that a list can be written as JSON
// from rows.RawValues without decoding; Scan works as usual.
func Open(ctx context.Context, address string, further ...Cell) (*DB, error) {
	db := &DB{cells: map[string]*cell{}, reads: newReads()}
	for _, each := range append([]Cell{{principal.First, address}}, further...) {
		opened, err := openCell(ctx, each)
		if err != nil {
			db.Close()
			return nil, err
		}
		db.cells[each.Name] = opened
	}
	db.first = db.cells[principal.First]
	return db, nil
}

// OpenForAll is Open for a program whose rows of all organizations are in one database, whatever cell has their other data.
func OpenForAll(ctx context.Context, address string) (*DB, error) {
	db, err := Open(ctx, address)
	if err == nil {
		db.every = true
	}
	return db, err
}

func openCell(ctx context.Context, c Cell) (*cell, error) {
	address, hosts, err := takeParameter(c.Address, replicaHosts)
	if err != nil {
		return nil, fmt.Errorf("postgres: the database address of the cell %s cannot be used: %w", c.Name, err)
	}
	opened, err := openPool(ctx, c.Name, address, nil)
	if err != nil || hosts == "" {
		return opened, err
	}
	if opened.replica, err = openReplica(ctx, c.Name, address, hosts); err != nil {
		opened.close()
		return nil, err
	}
	return opened, nil
}

// openPool makes the pool; prepare says whether an idle connection may be used, where that is not always so.
func openPool(ctx context.Context, name, address string, prepare func(context.Context, *pgx.Conn) (bool, error)) (*cell, error) {
	pooled, session, err := readAddress(address)
	if err != nil {
		return nil, fmt.Errorf("postgres: the database address of the cell %s cannot be used: %w", name, err)
	}
	config, err := pgxpool.ParseConfig(pooled)
	if err != nil {
		return nil, fmt.Errorf("postgres: the database address of the cell %s cannot be used: %w", name, err)
	}
	if !strings.Contains(address, "pool_max_conns") {
		config.MaxConns = defaultConnections
	}
	if !strings.Contains(address, "pool_max_conn_idle_time") {
		config.MaxConnIdleTime = idleTimeout
	}
	if !strings.Contains(address, "pool_health_check_period") {
		config.HealthCheckPeriod = idleCheckInterval
	}
	config.PingTimeout = pingTimeout
	turnTimeout := acquireTimeout
	if pooled != address {
		config.PingTimeout, turnTimeout = pooledTurnTimeout, pooledTurnTimeout
	}
	config.PrepareConn = prepare
	followPrimary(config.ConnConfig)
	config.ConnConfig.Tracer = newTracer()
	for _, each := range []*pgx.ConnConfig{config.ConnConfig, session} {
		if each.RuntimeParams["application_name"] == "" {
			each.RuntimeParams["application_name"] = each.User
		}
	}
	config.AfterConnect = func(_ context.Context, conn *pgx.Conn) error {
		useTextFormat(conn.TypeMap())
		return checkSettings(conn.PgConn())
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("postgres: open pool: %w", err)
	}
	opened := &cell{name: name, pool: pool, session: session, turns: fairqueue.New(int(config.MaxConns)), polling: make(chan struct{}, 1),
		liveness: newLivenessCheck(session), turnTimeout: turnTimeout}
	if pooled != address {
		opened.liveness.pooler = config.ConnConfig
	}
	return opened, nil
}

// Close closes the pools. It waits for the connections that are in use.
func (db *DB) Close() {
	for _, each := range db.cells {
		each.close()
	}
}

func (c *cell) close() {
	if c.replica != nil {
		c.replica.standby.close()
	}
	c.pool.Close()
	c.liveness.close()
}

// Connect opens a connection outside the pool and past a pooler, for a session lock. The server notices within seconds that the client's
// machine has stopped. The caller ends it with Disconnect.
func (db *DB) Connect(ctx context.Context) (*pgx.Conn, error) {
	c, err := db.in(ctx)
	if err != nil {
		return nil, err
	}
	config := c.session.Copy()
	for name, value := range map[string]string{"tcp_keepalives_idle": "3", "tcp_keepalives_interval": "2", "tcp_keepalives_count": "3"} {
		config.RuntimeParams[name] = value
	}
	conn, err := pgx.ConnectConfig(ctx, config)
	return conn, unavailable(err)
}

// SessionAddress names the servers and the database that Connect reaches, without the role: what programs of one cell have in common.
func (db *DB) SessionAddress(ctx context.Context) (string, error) {
	c, err := db.in(ctx)
	if err != nil {
		return "", err
	}
	hosts := []string{net.JoinHostPort(c.session.Host, strconv.Itoa(int(c.session.Port)))}
	for _, f := range c.session.Fallbacks { // a host has two, with TLS and without, where that is preferred
		hosts = append(hosts, net.JoinHostPort(f.Host, strconv.Itoa(int(f.Port))))
	}
	slices.Sort(hosts)
	return strings.Join(slices.Compact(hosts), ",") + "/" + c.session.Database, nil
}

// Disconnect closes a connection of Connect. The server releases its locks either way.
func Disconnect(conn *pgx.Conn) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = conn.Close(ctx)
}

// Ping checks whether the database responds; its error is a 503.
func (db *DB) Ping(ctx context.Context) error {
	c, err := db.in(ctx)
	if err != nil {
		return err
	}
	select { // readiness pings again and again, and needs no connection of its own beside one that polls
	case c.polling <- struct{}{}:
		defer func() { <-c.polling }()
	case <-time.After(pingPollTimeout):
	case <-ctx.Done():
	}
	conn, release, err := c.acquire(ctx)
	if err != nil {
		return err
	}
	defer release()
	return unavailable(conn.Ping(ctx))
}

// WithSchema gives address with its search path set to schema, for tools that connect as the owning role.
func WithSchema(address, schema string) (string, error) {
	if _, err := sessionConfig(address); err != nil {
		return "", fmt.Errorf("postgres: the database address cannot be used: %w", err)
	}
	return withParameter(address, "search_path", searchPath(schema))
}

// acquire takes a connection from the pool when it is the turn of the caller's organization, within acquireTimeout. An organization
// whose own requests keep it waiting gets a 429, unless they wait for a server or a pooler that hangs, is gone or was so a moment ago;
// everybody else gets a 503. release gives the connection back.
func (c *cell) acquire(ctx context.Context) (conn *pgxpool.Conn, release func(), err error) {
	waiting, cancel := context.WithTimeout(ctx, acquireTimeout)
	defer cancel()
	turn, endTurn := context.WithTimeout(waiting, c.turnTimeout)
	defer endTurn()
	begin, organization := time.Now(), principal.From(ctx).OrganizationID
	ownExcess, err := c.turns.Enter(turn, organization)
	if err != nil {
		if ownExcess && ctx.Err() == nil && !c.unavailable.Load() && c.liveness.isSound(ctx, begin) {
			return nil, nil, fairqueue.TooManyInFlight(ctx).WithCause(err)
		}
		recordAcquireFailure(ctx, begin, err)
		return nil, nil, unavailable(fmt.Errorf("wait for a connection: %w", causeOf(ctx, err)))
	}
	slow := time.AfterFunc(livenessInterval, c.liveness.recordTrouble)
	conn, err = c.pool.Acquire(waiting)
	slow.Stop()
	if failed := err != nil; c.unavailable.Load() != failed && ctx.Err() == nil { // a caller who gives up says nothing about the database
		c.unavailable.Store(failed)
	}
	if err != nil {
		c.turns.Leave(organization)
		recordAcquireFailure(ctx, begin, err)
		if ctx.Err() == nil {
			c.liveness.recordTrouble()
		}
		return nil, nil, unavailable(fmt.Errorf("acquire a connection: %w", causeOf(ctx, err)))
	}
	release = func() {
		if conn.Conn().IsClosed() && ctx.Err() == nil { // not by a caller who gave up
			c.liveness.recordTrouble()
		}
		conn.Release()
		c.turns.Leave(organization)
	}
	if err := c.awaitReplay(ctx, conn.Conn()); err != nil {
		release()
		return nil, nil, err
	}
	return conn, release, nil
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
