package leader_test

import (
	"context"
	"errors"
	"log/slog"
	"net/url"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/leader"
	"ams.internal/libs/postgres"
	"ams.internal/libs/postgres/postgrestest"
	"ams.internal/libs/testwait"
)

// database is one with two services, as a cell has them.
type database struct {
	*postgrestest.Database
	t     *testing.T
	admin *pgx.Conn
}

func newDatabase(t *testing.T) *database {
	t.Helper()
	d := &database{Database: postgrestest.New(t, "assets", nil), t: t}
	session, err := url.Parse(d.Session)
	if err != nil {
		t.Fatal(err)
	}
	password, _ := session.User.Password()
	if err := postgres.Bootstrap(t.Context(), d.AdminURL, postgres.Setup{Database: d.Name, OwnerPassword: password,
		Services: map[string]string{"assets": password, "library": password}}); err != nil {
		t.Fatal(err)
	}
	if d.admin, err = pgx.Connect(t.Context(), d.AdminURL); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.admin.Close(context.Background()) })
	return d
}

// library opens the database as the other service.
func (d *database) library() *postgres.DB {
	d.t.Helper()
	address, err := url.Parse(d.Session)
	if err != nil {
		d.t.Fatal(err)
	}
	password, _ := address.User.Password()
	address.User = url.UserPassword(postgres.Role("library"), password)
	db, err := postgres.Open(d.t.Context(), address.String())
	if err != nil {
		d.t.Fatal(err)
	}
	d.t.Cleanup(db.Close)
	return db
}

func (d *database) number(sql string, args ...any) (n int) {
	d.t.Helper()
	if err := d.admin.QueryRow(d.t.Context(), sql, args...).Scan(&n); err != nil {
		d.t.Fatal(err)
	}
	return n
}

// Locks of elections are those of a key of 64 bits.
const lockRows = ` FROM pg_locks l WHERE l.locktype = 'advisory' AND l.objsubid = 1 AND l.granted
	AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())`

func (d *database) locks() int { return d.number("SELECT count(*)" + lockRows) }

func (d *database) holders() int { return d.number("SELECT count(DISTINCT l.pid)" + lockRows) }

// end ends the connections that hold locks.
func (d *database) end() int {
	return d.number("SELECT count(pg_terminate_backend(pid)) FROM (SELECT DISTINCT l.pid" + lockRows + ") AS holders")
}

// candidate is an instance that stands.
type candidate struct {
	terms  atomic.Int32 // that began
	leads  atomic.Bool
	losses atomic.Int32 // terms that ended with the connection
	stop   func()
}

// stand stands for the work of that name until the end of the test, or until stop is called. among counts those who lead.
func (d *database) stand(db *postgres.DB, name string, among *atomic.Int32) *candidate {
	c := &candidate{}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		log := slog.New(slog.NewTextHandler(d.t.Output(), &slog.HandlerOptions{Level: slog.LevelDebug}))
		leader.Election{Name: name, Work: "leads", DB: db, Log: log}.Run(ctx,
			func(ctx context.Context, lock *leader.Lock) error {
				if among != nil && among.Add(1) > 1 {
					d.t.Error("two lead at the same time")
				}
				if err := lock.Confirm(ctx); err != nil {
					d.t.Logf("a lock that was given is not confirmed: %v", err)
				}
				c.terms.Add(1)
				c.leads.Store(true)
				<-ctx.Done()
				c.leads.Store(false)
				if among != nil {
					among.Add(-1)
				}
				if errors.Is(context.Cause(ctx), leader.ErrConnectionLost) {
					if err := lock.Confirm(d.t.Context()); !errors.Is(err, leader.ErrConnectionLost) {
						d.t.Errorf("a lock that is lost is confirmed: %v", err)
					}
					c.losses.Add(1)
				}
				return nil
			})
	}()
	c.stop = func() {
		cancel()
		<-ended
	}
	d.t.Cleanup(c.stop)
	return c
}

func TestElectionsOfAProcessShareASession(t *testing.T) {
	d := newDatabase(t)
	assets, library := d.Open(t), d.library()
	relay, other := d.stand(assets, "outbox relay", nil), d.stand(library, "outbox relay", nil)
	sender := d.stand(assets, "effects sender", nil)
	all := []*candidate{relay, other, sender}
	areLed := func(term int32) {
		t.Helper()
		testwait.For(t, time.Minute, "all are led", func() bool {
			for _, c := range all {
				if !c.leads.Load() || c.terms.Load() < term {
					return false
				}
			}
			return true
		})
		if locks, holders := d.locks(), d.holders(); locks != 3 || holders != 1 {
			t.Errorf("%d locks are held by %d sessions", locks, holders)
		}
	}
	areLed(1)
	if sessions := d.number("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() " +
		"AND query LIKE '%pg_try_advisory_lock%' AND pid <> pg_backend_pid()"); sessions > 1 {
		t.Errorf("%d sessions ask for locks", sessions)
	}
	for term := int32(2); term < 5; term++ {
		if d.end() != 1 {
			t.Error("there is not one session")
		}
		areLed(term)
	}
	for _, c := range all {
		if c.losses.Load() < 3 {
			t.Errorf("one noticed %d of 3 losses", c.losses.Load())
		}
	}

	holder := d.number("SELECT min(l.pid)" + lockRows)
	relay.stop()
	if locks, is := d.locks(), d.number("SELECT min(l.pid)"+lockRows); locks != 2 || is != holder {
		t.Errorf("when one stops, %d locks are held by %d, who was %d", locks, is, holder)
	}
	other.stop()
	sender.stop()
	testwait.For(t, time.Minute, "the session to end with the last election", func() bool {
		return d.number("SELECT count(*) FROM pg_stat_activity WHERE pid = $1 AND datname = current_database()", holder) == 0
	})
}

func TestInstancesInOneProcessExcludeEachOther(t *testing.T) {
	d := newDatabase(t)
	var among atomic.Int32
	var all []*candidate
	for range 3 {
		all = append(all, d.stand(d.Open(t), "work", &among))
	}
	for len(all) > 0 {
		led := -1
		testwait.For(t, time.Minute, "one leads", func() bool {
			for i, c := range all {
				if c.leads.Load() {
					led = i
				}
			}
			return led >= 0
		})
		before := all[led].terms.Load()
		if n := d.end(); n != 1 {
			t.Errorf("%d sessions held the lock", n)
		}
		testwait.For(t, time.Minute, "the leader to notice", func() bool { return !all[led].leads.Load() || all[led].terms.Load() > before })
		all[led].stop()
		all = append(all[:led], all[led+1:]...)
	}
}

// An instance of the release before holds the same lock by a session of its own.
func TestTheLockIsThatOfEarlierReleases(t *testing.T) {
	d := newDatabase(t)
	db := d.Open(t)
	former, err := db.Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer postgres.Disconnect(former)
	held := func() (is bool) {
		t.Helper()
		if err := former.QueryRow(t.Context(), "SELECT "+leader.Held("'outbox relay'")).Scan(&is); err != nil {
			t.Fatal(err)
		}
		return is
	}
	if leads, err := leader.Try(t.Context(), former, "outbox relay"); err != nil || !leads {
		t.Fatalf("%v, %v", leads, err)
	}
	namesake := d.stand(d.library(), "outbox relay", nil) // of another schema
	waits := d.stand(db, "outbox relay", nil)
	testwait.For(t, time.Minute, "the one of the other schema to lead", namesake.leads.Load)
	seen := d.stand(db, "another", nil) // by the same session, so the first has asked meanwhile or is about to
	testwait.For(t, time.Minute, "another election of the same service", seen.leads.Load)
	if waits.leads.Load() || !held() {
		t.Error("an instance leads beside one of an earlier release")
	}
	if _, err := former.Exec(t.Context(), "SELECT pg_advisory_unlock_all()"); err != nil {
		t.Fatal(err)
	}
	testwait.For(t, time.Minute, "it to lead", waits.leads.Load)
	if leads, err := leader.Try(t.Context(), former, "outbox relay"); err != nil || leads || !held() {
		t.Errorf("an instance of an earlier release leads beside: %t, %v", leads, err)
	}
	for _, schema := range []string{"assets", "library"} {
		if n := d.number("SELECT count(*)"+lockRows+
			" AND (l.classid::bigint << 32 | l.objid::bigint) = hashtextextended($1 || ' outbox relay', 0)", schema); n != 1 {
			t.Errorf("the lock of %s is held %d times", schema, n)
		}
	}
}

// What a leader has begun may be finished for a while when its process shuts down.
func TestALeaderMayFinishWhenItsProcessShutsDown(t *testing.T) {
	d := newDatabase(t)
	ctx, shutDown := context.WithCancel(t.Context())
	leads, finished := make(chan struct{}), make(chan error, 1)
	go leader.Election{Name: "work", Work: "leads", DB: d.Open(t), Log: slog.New(slog.DiscardHandler), Grace: time.Minute}.Run(ctx,
		func(held context.Context, lock *leader.Lock) error {
			close(leads)
			<-ctx.Done()
			finished <- errors.Join(held.Err(), lock.Confirm(held))
			return nil
		})
	<-leads
	shutDown()
	if err := <-finished; err != nil {
		t.Error(err)
	}
	testwait.For(t, time.Minute, "the lock to be let go of", func() bool { return d.locks() == 0 })
}

// A commit wakes the leader, whichever process it is in.
func TestACandidateWakesTheLeader(t *testing.T) {
	d := newDatabase(t)
	wakes, woken, leads := [2]chan struct{}{}, make(chan int, 100), make(chan int, 2)
	for n := range wakes {
		wakes[n] = make(chan struct{}, 1)
		ctx, cancel := context.WithCancel(context.Background())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			leader.Election{Name: "work", Work: "leads", DB: d.Open(t), Log: slog.New(slog.DiscardHandler), Wake: wakes[n]}.Run(ctx,
				func(ctx context.Context, _ *leader.Lock) error {
					leads <- n
					for {
						select {
						case <-wakes[n]:
							woken <- n
						case <-ctx.Done():
							return nil
						}
					}
				})
		}()
		t.Cleanup(func() { cancel(); <-ended })
	}
	first := <-leads
	<-woken // for what was committed before it led
	for range 3 {
		wakes[1-first] <- struct{}{}
		if by := <-woken; by != first {
			t.Fatalf("%d was woken, and %d leads", by, first)
		}
	}
}
