package postgres_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"ams.internal/libs/postgres"
	"ams.internal/libs/postgres/postgrestest"
)

// byDay is a schema with a table that is in partitions by day, and retained for 30 of them.
var byDay = fstest.MapFS{"migrations/0001_call.sql": {Data: []byte(`
-- +goose Up
CREATE TABLE call (
    organization_id uuid NOT NULL,
    id              uuid NOT NULL,
    at              timestamptz NOT NULL,
    PRIMARY KEY (organization_id, id, at)
) PARTITION BY RANGE (at);
SELECT isolate('call');
CREATE INDEX call_at ON call (organization_id, at);
SELECT partition_by_time('call', 'day', 2, '30 days');
`)}}

// days is a database with that schema, and its owner.
type days struct {
	t     *testing.T
	db    *postgres.DB
	owner *pgx.Conn
}

func newDays(t *testing.T) *days {
	t.Helper()
	database := postgrestest.New(t, "calls", byDay)
	owner, err := pgx.Connect(t.Context(), database.OwnerURL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = owner.Close(context.Background()) })
	return &days{t, database.Open(t), owner}
}

// add adds calls of so many days ago, of an organization.
func (d *days) add(organization string, ago ...int) {
	d.t.Helper()
	d.exec(`INSERT INTO call SELECT $1, gen_random_uuid(), now() - days * interval '1 day' FROM unnest($2::int[]) days`, organization, ago)
}

func (d *days) exec(sql string, args ...any) {
	d.t.Helper()
	if _, err := d.owner.Exec(d.t.Context(), sql, args...); err != nil {
		d.t.Fatal(err)
	}
}

// texts gives the rows of a query, of a text each.
func (d *days) texts(sql string) []string {
	d.t.Helper()
	rows, err := d.owner.Query(d.t.Context(), sql)
	if err != nil {
		d.t.Fatal(err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		d.t.Fatal(err)
	}
	return found
}

// keep keeps the partitions, as the service does, and gives the changes.
func (d *days) keep() (changes []string) {
	d.t.Helper()
	if err := d.db.KeepPartitions(d.t.Context(), func(c postgres.PartitionChange) {
		changes = append(changes, strings.TrimSpace(fmt.Sprint(c.Change, " ", c.Partition, " ", c.Rows)))
	}); err != nil {
		d.t.Fatal(err)
	}
	return changes
}

// ages are the days of the calls, youngest first, each as long ago as it is.
func (d *days) ages() string {
	d.t.Helper()
	return strings.Join(d.texts("SELECT (now()::date - at::date)::text FROM call ORDER BY at DESC"), " ")
}

func TestOldPartitionsAreDroppedAndRowsOfTheRestToo(t *testing.T) {
	t.Parallel()
	d := newDays(t)
	one, other := uuid.NewString(), uuid.NewString()
	for _, ago := range []int{29, 31, 400} {
		d.exec("SELECT make_partition('call', now(), $1)", -ago)
	}
	d.add(one, 0, 29, 31, 400)
	d.add(other, 33, 500) // of which there are no partitions
	changes := strings.Join(d.keep(), ", ")
	if strings.Count(changes, "dropped call_2") != 2 || !strings.HasSuffix(changes, "deleted call_rest 2") {
		t.Errorf("changes were %s", changes)
	}
	if got := d.ages(); got != "0 29" {
		t.Errorf("calls are of %s days ago", got)
	}
	if changes := d.keep(); len(changes) != 0 {
		t.Errorf("at once again: %v", changes)
	}
}

// A program that was not running while its partitions ended has rows in the rest. They go on being read, and are taken over.
func TestAProgramThatWasStoppedForLongGetsItsPartitions(t *testing.T) {
	t.Parallel()
	d := newDays(t)
	for _, partition := range d.texts(`SELECT inhrelid::regclass::text FROM pg_inherits
		WHERE inhparent = 'call'::regclass AND inhrelid <> 'call_rest'::regclass`) {
		d.exec("DROP TABLE " + partition)
	}
	organization := uuid.NewString()
	d.add(organization, 0, 0, 3)
	if changes := d.keep(); len(changes) != 3 {
		t.Errorf("changes were %v, want the partitions of three days", changes)
	}
	d.add(organization, 0)
	if got := d.ages(); got != "0 0 0 3" {
		t.Errorf("calls are of %s days ago", got)
	}
	if rest := d.texts("SELECT count(*)::text FROM call_rest"); rest[0] != "1" {
		t.Errorf("%s rows are in the rest, want that of three days ago", rest[0])
	}
}

// Of a day with many rows in the rest no partition is made: nobody waits until they are moved, and nobody fails.
func TestADayWithManyRowsInTheRestStaysThere(t *testing.T) {
	t.Parallel()
	d := newDays(t)
	today := d.texts("SELECT partition_name('call', 'day', now())")[0]
	d.exec("DROP TABLE " + today)
	d.exec("INSERT INTO call SELECT gen_random_uuid(), gen_random_uuid(), now() FROM generate_series(1, 10001)")
	if changes := d.keep(); len(changes) != 0 {
		t.Errorf("changes were %v", changes)
	}
	d.add(uuid.NewString(), 0)
	if got := d.texts("SELECT count(*)::text FROM call"); got[0] != "10002" {
		t.Errorf("there are %s calls", got[0])
	}
}

func TestInstancesMakePartitionsAtTheSameTime(t *testing.T) {
	t.Parallel()
	d := newDays(t)
	d.exec("UPDATE partitioned_table SET ahead = 20 WHERE name = 'call'")
	var made []string
	var mu sync.Mutex
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 3 { // whoever finds another at it has nothing to do, and comes again
				if err := d.db.KeepPartitions(t.Context(), func(c postgres.PartitionChange) {
					mu.Lock()
					defer mu.Unlock()
					made = append(made, c.Partition)
				}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	d.keep()
	slices.Sort(made)
	if unique := slices.Compact(slices.Clone(made)); len(unique) != len(made) {
		t.Errorf("some were made twice: %v", made)
	}
	if n := d.texts("SELECT count(*)::text FROM pg_inherits WHERE inhparent = 'call'::regclass"); n[0] != "22" {
		t.Errorf("there are %s partitions, want 21 days and the rest", n[0])
	}
}

// Whoever reads or writes the present day does not wait while a partition is made; whoever drops one does not make others wait behind it.
func TestChangesOfPartitionsGiveWayToOthers(t *testing.T) {
	t.Parallel()
	d := newDays(t)
	organization := uuid.NewString()
	reader, err := d.owner.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := reader.Exec(t.Context(), "SELECT FROM call WHERE organization_id = $1", organization); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error)
	second, err := pgx.ConnectConfig(t.Context(), d.owner.Config())
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close(context.Background())
	if _, err := second.Exec(t.Context(), "SELECT make_partition('call', now(), -40)"); err == nil {
		t.Fatal("a partition was attached while the rest was read")
	} else {
		wantState(t, err, postgres.LockNotAvailable)
	}
	if _, err := second.Exec(t.Context(), "UPDATE partitioned_table SET ahead = 3"); err != nil {
		t.Fatal(err)
	}
	go func() { ended <- d.db.KeepPartitions(ctx, func(postgres.PartitionChange) {}) }()
	if _, err := second.Exec(t.Context(), "INSERT INTO call VALUES ($1, gen_random_uuid(), now())", organization); err != nil {
		t.Errorf("a write beside it: %v", err)
	}
	if err := reader.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil { // it was tried again
		t.Error(err)
	}
	stop()
	if n := d.texts("SELECT count(*)::text FROM pg_inherits WHERE inhparent = 'call'::regclass"); n[0] != "5" {
		t.Errorf("there are %s partitions, want four days and the rest", n[0])
	}
}
