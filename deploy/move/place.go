package move

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"ams.internal/libs/postgres"
	"ams.internal/libs/service"
)

// Cell is a cell with the address of its database as the role that owns the schemas. It must lead to the server itself, not to a pooler.
type Cell struct{ Name, OwnerURL string }

const (
	connectTimeout = 5 * time.Second
	// statementTimeout bounds what is asked of a database outside of copying and comparing.
	statementTimeout = 30 * time.Second
)

// place is the database of one cell.
type place struct {
	name   string
	work   *pgx.Conn
	locks  *pgx.Conn // holds session locks, and does nothing else that takes long
	tables []table
	// control are those of the schemas that stay in the first cell, and are in no other. They do not move.
	control []table
}

// connect opens a cell's database. Texts of values are the same on all servers with these settings; a server notices within seconds that
// the machine of the mover has stopped, and lets go of its locks.
func connect(ctx context.Context, cell Cell) (*place, error) {
	p := &place{name: cell.Name}
	for _, conn := range []**pgx.Conn{&p.work, &p.locks} {
		config, err := pgx.ParseConfig(cell.OwnerURL)
		if err != nil {
			return nil, fmt.Errorf("the owner's address of the cell %s cannot be used: give "+
				"postgres://ams_owner:password@host:port/database", cell.Name)
		}
		config.ConnectTimeout = connectTimeout
		delete(config.RuntimeParams, "search_path")
		for name, value := range map[string]string{
			"application_name": "amsctl_move", "timezone": "UTC", "datestyle": "ISO, YMD", "intervalstyle": "postgres", "bytea_output": "hex",
			"extra_float_digits": "1", "jit": "off", "statement_timeout": "0", "idle_in_transaction_session_timeout": "0", "lock_timeout": "5s",
			"tcp_keepalives_idle": "3", "tcp_keepalives_interval": "2", "tcp_keepalives_count": "3",
		} {
			config.RuntimeParams[name] = value
		}
		if *conn, err = pgx.ConnectConfig(ctx, config); err != nil {
			p.close()
			return nil, fmt.Errorf("connect to the cell %s: %w", cell.Name, err)
		}
	}
	// Triggers and foreign keys of the tables do not work on rows that are copied or deleted as they are: what they would write is copied too.
	if _, err := p.work.Exec(ctx, "SET session_replication_role = replica"); err != nil {
		p.close()
		if pgErr := new(pgconn.PgError); errors.As(err, &pgErr) && pgErr.Code == "42501" {
			return nil, fmt.Errorf("the cell %s does not let its owner copy rows without triggers: run amsctl database prepare "+
				"there as a superuser, "+
				"or GRANT SET ON PARAMETER session_replication_role TO ams_owner", cell.Name)
		}
		return nil, fmt.Errorf("prepare to copy in the cell %s: %w", cell.Name, err)
	}
	for _, conn := range []*pgx.Conn{p.work, p.locks} { // of an address of an administrator
		if _, err := conn.Exec(ctx, "SET ROLE "+postgres.Owner); err != nil {
			p.close()
			return nil, fmt.Errorf("act as the owner of the schemas in the cell %s: %w", cell.Name, err)
		}
	}
	return p, nil
}

func (p *place) close() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	for _, conn := range []*pgx.Conn{p.work, p.locks} {
		if conn != nil {
			_ = conn.Close(ctx)
		}
	}
}

// table is a table of organizations.
type table struct {
	schema, name string
	columns      []string // that are written
	all          []string // those and the generated ones, sorted
	types        string   // of all, in the table's order
	key          []string // columns that lead to a row, or to few
	keyTypes     []string
}

func (t table) String() string { return pgx.Identifier{t.schema, t.name}.Sanitize() }

// schemas names those whose rows move.
func (p *place) schemas() []string { return schemasOf(p.tables) }

func schemasOf(tables []table) (names []string) {
	for _, t := range tables {
		if !slices.Contains(names, t.schema) {
			names = append(names, t.schema)
		}
	}
	return names
}

// readTables reads the tables of organizations: all that are isolated, of the schemas of services.
func (p *place) readTables(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, statementTimeout)
	defer cancel()
	rows, err := p.work.Query(ctx, `SELECT n.nspname, c.relname,
			array_agg(a.attname::text ORDER BY a.attnum) FILTER (WHERE a.attgenerated = ''),
			array_agg(a.attname::text ORDER BY a.attname),
			string_agg(a.attname || ' ' || format_type(a.atttypid, a.atttypmod) || a.attgenerated::text, ', ' ORDER BY a.attnum),
			coalesce(k.columns, '{}'), coalesce(k.types, '{}')
		FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
		JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
		LEFT JOIN LATERAL ( -- the columns of the best index that begins with the organization, up to the first that may be null
			SELECT array_agg(w.attname ORDER BY w.n) AS columns, array_agg(w.type ORDER BY w.n) AS types,
				bool_or(w.indisprimary) AS is_primary, x.indexrelid
			FROM pg_index x CROSS JOIN LATERAL (
				SELECT i.n, ia.attname::text, format_type(ia.atttypid, ia.atttypmod) AS type, x.indisprimary,
					bool_and(coalesce(ia.attnotnull, false)) OVER (ORDER BY i.n) AS usable
				FROM unnest(x.indkey::int2[]) WITH ORDINALITY i (attnum, n)
				LEFT JOIN pg_attribute ia ON ia.attrelid = c.oid AND ia.attnum = i.attnum AND i.attnum > 0
				WHERE i.n <= x.indnkeyatts) w
			WHERE x.indrelid = c.oid AND x.indisvalid AND x.indpred IS NULL AND w.usable
			GROUP BY x.indexrelid HAVING bool_or(w.indisprimary) OR min(w.attname) FILTER (WHERE w.n = 1) = 'organization_id'
			ORDER BY is_primary DESC, count(*) DESC, x.indexrelid LIMIT 1) k ON true
		WHERE c.relrowsecurity AND c.relkind IN ('r', 'p') AND NOT c.relispartition
			AND EXISTS (SELECT FROM pg_roles WHERE rolname = 'ams_' || n.nspname)
			AND EXISTS (SELECT FROM pg_attribute WHERE attrelid = c.oid AND attname = 'organization_id')
		GROUP BY n.nspname, c.relname, k.columns, k.types ORDER BY 1, 2`)
	if err != nil {
		return fmt.Errorf("read the tables of the cell %s: %w", p.name, err)
	}
	all, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (t table, err error) {
		err = row.Scan(&t.schema, &t.name, &t.columns, &t.all, &t.types, &t.key, &t.keyTypes)
		return t, err
	})
	if err != nil {
		return fmt.Errorf("read the tables of the cell %s: %w", p.name, err)
	}
	p.tables, p.control = nil, nil
	for _, t := range all {
		if service.ControlPlane(t.schema) {
			p.control = append(p.control, t)
		} else {
			p.tables = append(p.tables, t)
		}
	}
	for i := range p.tables {
		if t := &p.tables[i]; len(t.key) == 0 {
			return fmt.Errorf("the table %s has no index that begins with the organization, so its rows cannot be found again", t)
		} else if !slices.Contains(t.key, "organization_id") {
			t.key, t.keyTypes = append([]string{"organization_id"}, t.key...), append([]string{"uuid"}, t.keyTypes...)
		}
	}
	if len(p.tables) == 0 {
		return fmt.Errorf("the database of the cell %s has no tables of services: prepare it and run the programs' migrations there", p.name)
	}
	return nil
}

// tryLock takes a lock that only one move of these organizations has, until the connection ends.
func (p *place) tryLock(ctx context.Context, organizations []string) error {
	ctx, cancel := context.WithTimeout(ctx, statementTimeout)
	defer cancel()
	for _, organization := range organizations {
		var locked bool
		if err := p.locks.QueryRow(ctx, "SELECT pg_try_advisory_lock(hashtextextended('move of ' || $1::text, 0))",
			organization).Scan(&locked); err != nil {
			return fmt.Errorf("lock the move in the cell %s: %w", p.name, err)
		}
		if !locked {
			return errors.New("the organization is being moved already, or exported or imported: " +
				"wait until that has ended, or end it, and try again")
		}
	}
	return nil
}

// setState writes how a move stands, in all schemas together; an empty state is the normal one, of which there is no row.
func (p *place) setState(ctx context.Context, conn *pgx.Conn, organizations []string, state string) error {
	ctx, cancel := context.WithTimeout(ctx, statementTimeout)
	defer cancel()
	err := pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		batch := &pgx.Batch{}
		for _, schema := range p.schemas() {
			name := pgx.Identifier{schema, "organization_move"}.Sanitize()
			if state == "" {
				batch.Queue("DELETE FROM "+name+" WHERE organization = ANY ($1)", organizations)
			} else {
				batch.Queue("INSERT INTO "+name+` (organization, state) SELECT unnest($1::uuid[]), $2
					ON CONFLICT (organization) DO UPDATE SET state = excluded.state, changed_at = clock_timestamp()`, organizations, state)
			}
		}
		return tx.SendBatch(ctx, batch).Close()
	})
	if err != nil {
		return fmt.Errorf("note the state of the move in the cell %s: %w", p.name, err)
	}
	return nil
}

// marked says whether a move has left a mark of any of the organizations here.
func (p *place) marked(ctx context.Context, organizations []string) (marked bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, statementTimeout)
	defer cancel()
	var each []string
	for _, schema := range p.schemas() {
		each = append(each, "SELECT FROM "+pgx.Identifier{schema, "organization_move"}.Sanitize()+" WHERE organization = ANY ($1)")
	}
	if err = p.work.QueryRow(ctx, "SELECT EXISTS ("+strings.Join(each, " UNION ALL ")+")", organizations).Scan(&marked); err != nil {
		err = fmt.Errorf("look for marks of a move in the cell %s: %w", p.name, err)
	}
	return marked, err
}

// filled gives the tables that have rows of the organizations, as a connection sees them.
func (p *place) filled(ctx context.Context, conn *pgx.Conn, organizations []string) (filled []table, err error) {
	each := make([]string, len(p.tables))
	for i, t := range p.tables {
		each[i] = fmt.Sprintf("EXISTS (SELECT FROM %s WHERE organization_id IN (%s))", t, list(organizations))
	}
	var found []bool
	if err := conn.QueryRow(ctx, "SELECT ARRAY["+strings.Join(each, ", ")+"]").Scan(&found); err != nil {
		return nil, fmt.Errorf("look for rows in the cell %s: %w", p.name, err)
	}
	for i, t := range p.tables {
		if found[i] {
			filled = append(filled, t)
		}
	}
	return filled, nil
}

// list writes organizations into SQL. They are UUIDs, which New has checked.
func list(organizations []string) string { return "'" + strings.Join(organizations, "', '") + "'" }

func quote(columns []string, prefix string) string {
	quoted := make([]string, len(columns))
	for i, c := range columns {
		quoted[i] = prefix + pgx.Identifier{c}.Sanitize()
	}
	return strings.Join(quoted, ", ")
}

// literal writes a text into SQL.
func literal(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }
