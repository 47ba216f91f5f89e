package move

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"ams.internal/libs/outbox"
	"ams.internal/libs/postgres"
	"ams.internal/libs/postgres/postgrestest"
	"ams.internal/libs/principal"
	"ams.internal/libs/testwait"
)

// services are those whose schemas the cells of these tests have.
var services = []string{"assets", "webhooks"}

// cells are the databases of two cells, first and second, with what the gateway knows: which of them an organization lives in.
type cells struct {
	t     *testing.T
	names []string
	admin map[string]string
	all   []Cell
	db    map[string]*postgres.DB // as the assets service
}

// newCells makes two databases on the test server.
func newCells(t *testing.T) *cells { return newCellsWith(t, services) }

// newCellsWith makes two databases with these schemas, assets first.
func newCellsWith(t *testing.T, services []string) *cells {
	t.Helper()
	c := &cells{t: t, names: []string{"first", "second"}, admin: map[string]string{}, db: map[string]*postgres.DB{}}
	made := postgrestest.New(t, "assets", os.DirFS("../../services/assets"))
	owner := parse(t, made.OwnerURL)
	password, _ := owner.User.Password()
	setup := postgres.Setup{Database: made.Name, OwnerPassword: password, Services: map[string]string{}}
	for _, service := range services {
		setup.Services[service] = password
	}
	if err := postgres.Bootstrap(t.Context(), made.AdminURL, setup); err != nil {
		t.Fatal(err)
	}
	for _, service := range services[1:] {
		folder := "../../services/" + service
		if service == "gateway" {
			folder = "../../gateway"
		}
		if err := postgres.Migrate(t.Context(), made.OwnerURL, service, os.DirFS(folder), io.Discard); err != nil {
			t.Fatal(err)
		}
	}
	second := made.Name + "_second"
	admin := c.connect(strings.Replace(made.AdminURL, "/"+made.Name, "/postgres", 1))
	run(t, admin,
		fmt.Sprintf("CREATE DATABASE %s OWNER ams_owner TEMPLATE %s", pgx.Identifier{second}.Sanitize(), pgx.Identifier{made.Name}.Sanitize()))
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if _, err := admin.Exec(ctx, fmt.Sprintf("DROP DATABASE %s WITH (FORCE)", pgx.Identifier{second}.Sanitize())); err != nil {
			t.Error(err)
		}
		_ = admin.Close(ctx)
	})
	for name, database := range map[string]string{"first": made.Name, "second": second} {
		c.admin[name] = strings.Replace(made.AdminURL, "/"+made.Name, "/"+database, 1)
		owner.Path = "/" + database
		owner.RawQuery = "sslmode=disable"
		c.all = append(c.all, Cell{name, owner.String()})
		db, err := postgres.Open(t.Context(), strings.Replace(made.URL, "/"+made.Name, "/"+database, 1))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(db.Close)
		c.db[name] = db
	}
	gateway := c.connect(c.admin["first"])
	run(t, gateway, "CREATE TABLE public.cell_of (organization uuid PRIMARY KEY, cell text NOT NULL)")
	return c
}

func parse(t *testing.T, address string) *url.URL {
	t.Helper()
	parsed, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

func (c *cells) connect(address string) *pgx.Conn {
	c.t.Helper()
	conn, err := pgx.Connect(c.t.Context(), address)
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

func run(t *testing.T, conn *pgx.Conn, sql string, args ...any) {
	t.Helper()
	if _, err := conn.Exec(t.Context(), sql, args...); err != nil {
		t.Fatal(err)
	}
}

// move is a move to a cell, by what the table in the place of the gateway says.
func (c *cells) move(to string, organizations ...string) *Move {
	return moveBetween(c.all, c.admin["first"], to, organizations)
}

func moveBetween(all []Cell, gateway, to string, organizations []string) *Move {
	ask := func(ctx context.Context, sql string, args ...any) (text string, err error) {
		conn, err := pgx.Connect(ctx, gateway)
		if err != nil {
			return "", err
		}
		defer conn.Close(ctx)
		return text, conn.QueryRow(ctx, sql, args...).Scan(&text)
	}
	return &Move{
		Cells: all, To: to, Organizations: organizations, Services: services, linger: 300 * time.Millisecond,
		CellOf: func(ctx context.Context) (string, error) {
			return ask(ctx, "SELECT cell FROM public.cell_of WHERE organization = $1", organizations[0])
		},
		Switch: func(ctx context.Context, from, to string) error {
			_, err := ask(ctx, "UPDATE public.cell_of SET cell = $3 WHERE organization = ANY ($1) AND cell = $2 RETURNING cell",
				organizations, from, to)
			return err
		},
	}
}

// city is an organization at work: it writes, and reads, all the time, in the cell that the gateway names at the begin of each request.
type city struct {
	cells   *cells
	id      string
	cell    atomic.Pointer[string]
	stop    context.CancelFunc
	work    sync.WaitGroup
	mu      sync.Mutex
	sites   map[string]string // id → name, of what was acknowledged; empty: deleted
	writes  atomic.Int64
	reads   atomic.Int64
	refused atomic.Int64
	pause   atomic.Int64 // nanoseconds of the longest time without a write
	frozen  bool         // it must not be refused anything
}

// newCity gives an organization that lives in a cell. Its identity is random, or that of a sandbox.
func (c *cells) newCity(cell string) *city {
	c.t.Helper()
	o := &city{cells: c, id: uuid.Must(uuid.NewV7()).String(), sites: map[string]string{}}
	run(c.t, c.connect(c.admin["first"]), "INSERT INTO public.cell_of VALUES ($1, $2)", o.id, cell)
	o.cell.Store(&cell)
	return o
}

// begin has writers and readers work until end is called.
func (o *city) begin(writers int) {
	ctx, stop := context.WithCancel(context.Background())
	o.stop = stop
	o.cells.t.Cleanup(o.end)
	gateway := o.cells.connect(o.cells.admin["first"])
	var last atomic.Int64
	last.Store(time.Now().UnixNano())
	o.work.Go(func() { // what each request asks of the gateway
		for ; ctx.Err() == nil; time.Sleep(2 * time.Millisecond) {
			var cell string
			if err := gateway.QueryRow(context.WithoutCancel(ctx),
				"SELECT cell FROM public.cell_of WHERE organization = $1", o.id).Scan(&cell); err != nil {
				o.cells.t.Error(err)
				return
			}
			o.cell.Store(&cell)
		}
	})
	for n := range writers {
		o.work.Go(func() {
			var mine []string
			for i := 0; ctx.Err() == nil; i++ {
				err := o.write(i+n, &mine)
				switch {
				case err == nil:
					now := time.Now().UnixNano()
					if gap := now - last.Swap(now); gap > o.pause.Load() {
						o.pause.Store(gap)
					}
					o.writes.Add(1)
					time.Sleep(5 * time.Millisecond)
				case postgres.IsMoving(err) && !o.frozen:
					o.refused.Add(1)
					time.Sleep(10 * time.Millisecond)
				default:
					o.cells.t.Errorf("a write failed: %v", err)
					return
				}
			}
		})
		o.work.Go(func() {
			for ctx.Err() == nil {
				if err := o.read(); err != nil {
					o.cells.t.Errorf("a read failed: %v", err)
					return
				}
				o.reads.Add(1)
				time.Sleep(3 * time.Millisecond)
			}
		})
	}
}

func (o *city) end() {
	o.stop()
	o.work.Wait()
}

func (o *city) context() context.Context {
	return principal.Into(context.Background(), principal.Principal{OrganizationID: o.id, Currency: "CAD"})
}

// read reads a record that must be there, and the number of all.
func (o *city) read() error {
	return o.cells.db[*o.cell.Load()].Batch(o.context(), func(batch *pgx.Batch) {
		batch.Queue("SELECT count(*) FROM site").QueryRow(func(row pgx.Row) error {
			var n int
			if err := row.Scan(&n); err != nil {
				return err
			}
			if o.writes.Load() > 50 && n == 0 {
				return errors.New("nothing is there")
			}
			return nil
		})
	})
}

// write does one of the things that a service does: a record with its position, event, history and place in the ledger is made, changed or
// deleted, or the ledger folded.
func (o *city) write(i int, mine *[]string) error {
	db, name := o.cells.db[*o.cell.Load()], fmt.Sprintf("Site %d %s", i, rand.Text()[:8])
	id, action := uuid.Must(uuid.NewV7()).String(), "created"
	if i%20 == 19 {
		return db.Write(o.context(), func(ctx context.Context, tx pgx.Tx) error {
			_, err := tx.Exec(ctx, "SELECT fold_ledger('sites')")
			return err
		})
	}
	if len(*mine) > 3 && i%3 > 0 {
		id, action = (*mine)[i%len(*mine)], "updated"
		if i%15 == 2 {
			action = "deleted"
		}
	}
	err := db.Write(o.context(), func(ctx context.Context, tx pgx.Tx) (err error) {
		live := 0
		switch action {
		case "created":
			live = 1
			_, err = tx.Exec(ctx, `INSERT INTO site (organization_id, id, position, name, status, country, custom_fields, created_at, updated_at,
				created_by, updated_by)
				SELECT current_organization(), $1, first_position, $2, 'active', 'CA', '{"roof": "flat"}', at, at, '{}', '{}'
					FROM reserve_positions('sites', 1)`, id, name)
		case "updated":
			_, err = tx.Exec(ctx, "UPDATE site SET name = $2, version = version + 1, updated_at = clock_timestamp() WHERE id = $1", id, name)
		default:
			live = -1
			_, err = tx.Exec(ctx, "DELETE FROM site WHERE id = $1", id)
		}
		if err != nil {
			return err
		}
		if live != 0 {
			if _, err := tx.Exec(ctx, `INSERT INTO ledger (organization_id, collection, block, live)
				VALUES (current_organization(), 'sites', 0, $1)`, live); err != nil {
				return err
			}
		}
		if _, err := tx.Exec(ctx, `INSERT INTO history (organization_id, collection, record_id, version, action, changes, actor, actor_id,
			address, at, id)
			VALUES (current_organization(), 'sites', $1, $2, $3, '{"name": "a\u0000b"}', '{}', 'k', '', clock_timestamp(), $4)`, id, i, action,
			uuid.NewString()); err != nil {
			return err
		}
		return outbox.Add(ctx, tx,
			[]outbox.Event{{Type: "site." + action, Collection: "sites", RecordID: id, Version: i, Object: []byte(`{"n":1}`)}})
	})
	if err != nil {
		return err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	switch action {
	case "created":
		*mine = append(*mine, id)
	case "deleted":
		name = ""
		for at, known := range *mine {
			if known == id {
				*mine = append((*mine)[:at:at], (*mine)[at+1:]...)
				break
			}
		}
	}
	o.sites[id] = name
	return nil
}

// waitForWrites waits until so many more writes were acknowledged.
func (o *city) waitForWrites(more int64) {
	o.cells.t.Helper()
	until := o.writes.Load() + more
	testwait.For(o.cells.t, time.Minute, "writes", func() bool { return o.writes.Load() >= until || o.cells.t.Failed() })
}

// verify looks for all that was acknowledged, in the cell that the organization must live in, and for nothing of it in the other; and for
// what a move may not leave. The city must have ended.
func (o *city) verify(cell string) {
	t := o.cells.t
	t.Helper()
	for _, each := range o.cells.all {
		owner := o.cells.connect(each.OwnerURL)
		p := &place{name: each.Name, work: owner}
		if err := p.readTables(t.Context()); err != nil {
			t.Fatal(err)
		}
		m := Move{Organizations: []string{o.id}}
		found, err := m.hasRows(t.Context(), p)
		if err != nil || found != (each.Name == cell) {
			t.Errorf("rows of the organization in %s: %t %v", each.Name, found, err)
		}
		var marks, triggers, keys int
		if err := owner.QueryRow(t.Context(), `SELECT (SELECT count(*) FROM assets.organization_move WHERE organization = $1),
			(SELECT count(*) FROM pg_trigger WHERE tgname LIKE 'moving_' || replace($1::text, '-', '') || '%'),
			(SELECT count(*) FROM assets.moved_row WHERE organization = $1)`, o.id).Scan(&marks, &triggers, &keys); err != nil {
			t.Fatal(err)
		}
		if each.Name == cell && marks != 0 || triggers != 0 || keys != 0 {
			t.Errorf("%s has %d marks, %d triggers and %d noted keys of a move that is over", each.Name, marks, triggers, keys)
		}
		if each.Name != cell {
			continue
		}
		sites := map[string]string{}
		rows, err := owner.Query(t.Context(), "SELECT id::text, name FROM assets.site WHERE organization_id = $1", o.id)
		if err != nil {
			t.Fatal(err)
		}
		var id, name string
		if _, err := pgx.ForEachRow(rows, []any{&id, &name}, func() error { sites[id] = name; return nil }); err != nil {
			t.Fatal(err)
		}
		live := 0
		for id, name := range o.sites {
			if name != "" {
				live++
			}
			if sites[id] != name {
				t.Errorf("site %s is %q, acknowledged was %q", id, sites[id], name)
			}
		}
		var ledger, history, events, ordered int
		if err := owner.QueryRow(t.Context(), `SELECT (SELECT coalesce(sum(live), 0) FROM assets.ledger WHERE organization_id = $1),
			(SELECT count(*) FROM assets.history WHERE organization_id = $1), (SELECT count(*) FROM assets.outbox WHERE organization_id = $1),
			(SELECT count(*)
				FROM (SELECT position > lag(position) OVER (ORDER BY created_at) AND created_at > lag(created_at) OVER (ORDER BY position) AS grows
				FROM assets.site WHERE organization_id = $1) s WHERE NOT grows)`, o.id).Scan(&ledger, &history, &events, &ordered); err != nil {
			t.Fatal(err)
		}
		if len(sites) != live || ledger != live || history != events || ordered != 0 {
			t.Errorf("%d sites, %d acknowledged; the ledger has %d; %d entries of history, %d events; %d positions out of order",
				len(sites), live, ledger, history, events, ordered)
		}
	}
}
