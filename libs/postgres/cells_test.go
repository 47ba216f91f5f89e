package postgres_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/postgres"
	"ams.internal/libs/postgres/postgrestest"
	"ams.internal/libs/principal"
)

// twoCells opens a database with the cells first and second.
func twoCells(t testing.TB) *postgres.DB {
	t.Helper()
	return withSecond(t, postgrestest.New(t, "assets", schema).URL)
}

func withSecond(t testing.TB, second string) *postgres.DB {
	t.Helper()
	db, err := postgres.Open(t.Context(), postgrestest.New(t, "assets", schema).URL, postgres.Cell{Name: "second", Address: second})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	return db
}

// of gives a context with a principal of an organization in a cell.
func of(ctx context.Context, organization, cell string) context.Context {
	return principal.Into(ctx, principal.Principal{OrganizationID: organization, Currency: "CAD", Cell: cell})
}

func TestAPrincipalOfOneCellNeverReadsAnother(t *testing.T) {
	t.Parallel()
	db, organization := twoCells(t), uuid.NewString()
	first, second := of(t.Context(), organization, principal.First), of(t.Context(), organization, "second")
	for _, name := range []string{"a", "b"} {
		if _, err := addSite(second, db, name); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := addSite(first, db, "a"); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		ctx  context.Context
		want int
	}{{first, 1}, {second, 2}, {in(t, organization), 1}, {postgres.InCell(first, "second"), 2}} {
		if got := countSites(t, c.ctx, db); got != c.want {
			t.Errorf("in the cell %q are %d sites, not %d", principal.From(c.ctx).Cell, got, c.want)
		}
	}
	var places []string
	for _, ctx := range []context.Context{first, second} {
		var name string
		if err := db.Pool().QueryRow(ctx, "SELECT current_database()").Scan(&name); err != nil {
			t.Fatal(err)
		}
		conn, err := db.Connect(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if config := conn.Config(); config.Database != name {
			t.Errorf("Connect leads to %s, the pool to %s", config.Database, name)
		}
		postgres.Disconnect(conn)
		places = append(places, name)
	}
	if places[0] == places[1] {
		t.Errorf("both cells are %s", places[0])
	}
}

func TestATransactionStaysInItsCell(t *testing.T) {
	t.Parallel()
	db, organization := twoCells(t), uuid.NewString()
	err := db.Write(of(t.Context(), organization, "second"), func(ctx context.Context, _ pgx.Tx) error {
		return db.Read(of(ctx, organization, principal.First), func(context.Context, pgx.Tx) error { return nil })
	})
	if err == nil || !strings.Contains(err.Error(), "another organization") {
		t.Errorf("a transaction in another cell joins: %v", err)
	}
}

func TestACellThatIsNotThereIsA503AndNoOther(t *testing.T) {
	t.Parallel()
	db := twoCells(t)
	ctx := of(t.Context(), uuid.NewString(), "third")
	nothing := func(context.Context, pgx.Tx) error { t.Error("the transaction began"); return nil }
	_, connecting := db.Connect(ctx)
	rows, querying := db.Pool().Query(ctx, "SELECT 1")
	rows.Close()
	_, executing := db.Pool().Exec(ctx, "SELECT 1")
	_, acquiring := db.Pool().Acquire(ctx)
	for what, err := range map[string]error{
		"Read": db.Read(ctx, nothing), "Write": db.Write(ctx, nothing), "Ping": db.Ping(ctx), "Connect": connecting,
		"Batch":    db.Batch(ctx, func(b *pgx.Batch) { b.Queue("SELECT 1") }),
		"Snapshot": db.Snapshot(ctx, func(b *pgx.Batch) { b.Queue("SELECT 1") }),
		"Query":    querying, "Exec": executing, "Acquire": acquiring, "QueryRow": db.Pool().QueryRow(ctx, "SELECT 1").Scan(new(int)),
		"Begin": pgx.BeginFunc(ctx, db.Pool(), func(pgx.Tx) error { t.Error("the transaction began"); return nil }),
	} {
		e := new(fault.Error)
		if !errors.As(err, &e) || e.Status() != http.StatusServiceUnavailable || e.Code != "cell_unknown" ||
			strings.Contains(e.Message, "third") {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestADatabaseForAllHasTheOrganizationsOfEveryCell(t *testing.T) {
	t.Parallel()
	db, err := postgres.OpenForAll(t.Context(), postgrestest.New(t, "assets", schema).URL)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	organization := uuid.NewString()
	if _, err := addSite(of(t.Context(), organization, "second"), db, "a"); err != nil {
		t.Fatal(err)
	}
	if got := countSites(t, in(t, organization), db); got != 1 {
		t.Errorf("%d sites", got)
	}
	if got := db.Cells(); !slices.Equal(got, []string{principal.First}) {
		t.Errorf("its cells are %v", got)
	}
}

// hanging is a server that takes connections and answers nothing.
func hanging(t testing.TB) (address string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	return (&url.URL{Scheme: "postgres", User: url.UserPassword("ams_assets", "x"), Host: listener.Addr().String(), Path: "/ams",
		RawQuery: "sslmode=disable"}).String()
}

// Hundreds of requests wait for the cell that hangs, and the other cell's connections are all free.
func TestACellThatHangsHoldsNothingOfAnother(t *testing.T) {
	t.Parallel()
	db := withSecond(t, hanging(t))
	waiting := make(chan error, 100)
	for range cap(waiting) {
		go func() { waiting <- db.Ping(of(t.Context(), uuid.NewString(), "second")) }()
	}
	for len(waiting) < cap(waiting) {
		if got := countSites(t, of(t.Context(), uuid.NewString(), principal.First), db); got != 0 {
			t.Fatalf("%d sites", got)
		}
		time.Sleep(20 * time.Millisecond)
	}
	for range cap(waiting) {
		if err := <-waiting; fault.From(err).Kind != fault.KindUnavailable {
			t.Errorf("the cell that hangs: %v", err)
		}
	}
}

func TestWhatIsInOneCellIsFoundWhileAnotherHangs(t *testing.T) {
	t.Parallel()
	db := withSecond(t, hanging(t))
	look := func(ctx context.Context, wanted string) (string, string, bool, error) {
		return postgres.Find(ctx, db, func(ctx context.Context) (string, bool, error) {
			if err := db.Ping(ctx); err != nil {
				return "", false, err
			}
			return "it", principal.From(ctx).Cell == wanted, nil
		})
	}
	if value, cell, found, err := look(t.Context(), principal.First); value != "it" || cell != principal.First || !found || err != nil {
		t.Errorf("%q %q %v %v", value, cell, found, err)
	}
	if _, _, found, err := look(t.Context(), "second"); found || fault.From(err).Kind != fault.KindUnavailable {
		t.Errorf("what may be in the cell that hangs: %v %v", found, err)
	}
	if _, _, found, err := look(postgres.InCell(t.Context(), principal.First), "second"); found || err != nil {
		t.Errorf("only the first cell is asked: %v %v", found, err)
	}
}

func TestAllCellsAreGatheredAndOneThatHangsIsSaid(t *testing.T) {
	t.Parallel()
	name := func(db *postgres.DB) func(ctx context.Context) (string, error) {
		return func(ctx context.Context) (string, error) { return principal.From(ctx).Cell, db.Ping(ctx) }
	}
	both := twoCells(t)
	all, err := postgres.Gather(t.Context(), both, name(both))
	if slices.Sort(all); !slices.Equal(all, []string{principal.First, "second"}) || err != nil {
		t.Errorf("%v %v", all, err)
	}
	half := withSecond(t, hanging(t))
	for range 2 { // the second time it is known to be away
		if all, err := postgres.Gather(t.Context(), half, name(half)); !slices.Equal(all, []string{principal.First}) ||
			fault.From(err).Kind != fault.KindUnavailable {
			t.Errorf("%v %v", all, err)
		}
	}
	if _, err := postgres.Gather(postgres.InCell(t.Context(), "third"), both, name(both)); fault.From(err).Code != "cell_unknown" {
		t.Errorf("a cell that is not there: %v", err)
	}
}
