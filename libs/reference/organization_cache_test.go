package reference_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/postgres"
	"ams.internal/libs/postgres/postgrestest"
	"ams.internal/libs/principal"
	"ams.internal/libs/reference"
)

// movable is an organization with a database in each of two cells, and a gateway that says in which it lives.
type movable struct {
	id    string
	db    *postgres.DB
	owner map[string]*pgx.Conn // by cell
	cell  string               // what the gateway says
	asked int
	known *reference.OrganizationCache
	now   time.Time
}

func newMovable(t *testing.T) *movable {
	t.Helper()
	m := &movable{id: uuid.NewString(), owner: map[string]*pgx.Conn{}, cell: principal.First, now: time.Now()}
	databases := map[string]*postgrestest.Database{}
	for _, cell := range []string{principal.First, "second"} {
		databases[cell] = postgrestest.New(t, "assets", nil)
		conn, err := pgx.Connect(t.Context(), databases[cell].OwnerURL)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close(context.Background()) })
		m.owner[cell] = conn
	}
	db, err := postgres.Open(t.Context(), databases[principal.First].URL, postgres.Cell{Name: "second", Address: databases["second"].URL})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	m.db = db
	m.known = reference.NewOrganizationCache(func(_ context.Context, id string) (reference.Organization, error) {
		m.asked++
		if id != m.id {
			return reference.Organization{}, fault.NotFound("organization", id)
		}
		return reference.Organization{ID: id, Cell: m.cell, Currency: "CAD"}, nil
	}, func() time.Time { return m.now })
	return m
}

// isMoved says in a cell where a move of the organization stands; "" takes it back.
func (m *movable) isMoved(t *testing.T, cell, state string) {
	t.Helper()
	_, err := m.owner[cell].Exec(t.Context(), "DELETE FROM organization_move")
	if err == nil && state != "" {
		_, err = m.owner[cell].Exec(t.Context(), "INSERT INTO organization_move (organization, state) VALUES ($1, $2)", m.id, state)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// use reads or writes in the cell that is known, and gives the cells in which it was tried.
func (m *movable) use(ctx context.Context, write bool) (tried []string, err error) {
	err = m.known.Do(ctx, m.id, func() error {
		organization, err := m.known.Organization(ctx, m.id)
		if err != nil {
			return err
		}
		tried = append(tried, organization.Cell)
		in := principal.Into(ctx, organization.Principal("assets"))
		if !write {
			return m.db.Read(in, func(ctx context.Context, tx pgx.Tx) error {
				return tx.QueryRow(ctx, "SELECT count(*) FROM counter").Scan(new(int))
			})
		}
		return m.db.Write(in, func(ctx context.Context, tx pgx.Tx) error {
			_, err := tx.Exec(ctx, `INSERT INTO counter (organization_id, name, value) VALUES (current_organization(), 'used', 1)
				ON CONFLICT (organization_id, name) DO UPDATE SET value = counter.value + 1`)
			return err
		})
	})
	return tried, err
}

func (m *movable) uses(t *testing.T, cell string) (n int) {
	t.Helper()
	if err := m.owner[cell].QueryRow(t.Context(),
		"SELECT coalesce(sum(value), 0) FROM counter WHERE organization_id = $1", m.id).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// Whoever remembers an organization's cell when it has moved is refused there, asks again, and is served in the other one: at once.
func TestAnOrganizationThatHasMovedIsFoundInItsNewCellAtOnce(t *testing.T) {
	for _, c := range []struct {
		state string // of the former cell, just after the switch and later
		write bool
	}{{"reading", true}, {"absent", true}, {"absent", false}} {
		m := newMovable(t)
		if tried, err := m.use(t.Context(), true); err != nil || len(tried) != 1 {
			t.Fatalf("%v %v", tried, err)
		}
		m.isMoved(t, principal.First, c.state)
		m.cell = "second"
		tried, err := m.use(t.Context(), c.write)
		if err != nil || len(tried) != 2 || tried[0] != principal.First || tried[1] != "second" || m.asked != 2 {
			t.Errorf("%+v: tried in %v, asked %d times: %v", c, tried, m.asked, err)
		}
		if tried, err = m.use(t.Context(), c.write); err != nil || len(tried) != 1 || tried[0] != "second" || m.asked != 2 {
			t.Errorf("%+v: then tried in %v, asked %d times: %v", c, tried, m.asked, err)
		}
		if first, second := m.uses(t, principal.First), m.uses(t, "second"); first != 1 || c.write != (second == 2) {
			t.Errorf("%+v: %d writes in the former cell, %d in the new one", c, first, second)
		}
	}
}

// While its writes pause, it is tried twice; then it is the 503 of an organization on the move, and nothing is remembered.
func TestAnOrganizationOnTheMoveIsTriedTwiceThenRefused(t *testing.T) {
	m := newMovable(t)
	m.isMoved(t, principal.First, "leaving")
	tried, err := m.use(t.Context(), true)
	known := new(fault.Error)
	if !errors.As(err, &known) || known.Status() != 503 || known.Code != "organization_moving" || len(tried) != 2 || m.asked != 2 {
		t.Errorf("tried in %v, asked %d times: %v", tried, m.asked, err)
	}
	m.isMoved(t, principal.First, "absent")
	m.cell = "second"
	if tried, err = m.use(t.Context(), true); err != nil || len(tried) != 1 || tried[0] != "second" {
		t.Errorf("after the move tried in %v: %v", tried, err)
	}
}

// Nothing but a move makes the gateway be asked before the time, or something be done twice.
func TestWhatIsKnownOfAnOrganizationIsBelievedForAWhile(t *testing.T) {
	m := newMovable(t)
	other := uuid.NewString()
	for range 3 {
		_, missing := m.known.Organization(t.Context(), other)
		if _, err := m.use(t.Context(), true); err != nil || fault.From(missing).Kind != fault.KindNotFound || m.asked != 2 {
			t.Errorf("asked %d times: %v, %v", m.asked, err, missing)
		}
	}
	m.now = m.now.Add(reference.OrganizationLife + time.Second)
	failed := errors.New("no move")
	done := 0
	err := m.known.Do(t.Context(), m.id, func() error { done++; return failed })
	if !errors.Is(err, failed) || done != 1 {
		t.Errorf("done %d times: %v", done, err)
	}
	if _, err := m.use(t.Context(), true); err != nil || m.asked != 3 {
		t.Errorf("asked %d times: %v", m.asked, err)
	}
}
