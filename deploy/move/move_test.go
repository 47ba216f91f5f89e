package move

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/postgres"
)

// killed is a move in a process of its own, which is killed where a phase begins.
type killed struct {
	Cells         []Cell
	Gateway       string
	To            string
	Organizations []string
	Phase         string
}

// TestMain is the mover's process when the variable says so, else the tests'.
func TestMain(m *testing.M) {
	leaveKilled()
	text := os.Getenv("AMS_TEST_MOVE")
	if text := os.Getenv("AMS_TEST_ARCHIVE"); text != "" {
		os.Exit(runArchive(text))
	}
	if text == "" {
		os.Exit(m.Run())
	}
	var k killed
	if err := json.Unmarshal([]byte(text), &k); err != nil {
		panic(err)
	}
	move := moveBetween(k.Cells, k.Gateway, k.To, k.Organizations)
	tables := 0
	stop := func(phase string) {
		if phase == k.Phase {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		}
	}
	move.At = stop
	move.Report = func(s Step) {
		if s.What != "" && s.Rows > 0 {
			if tables++; tables == 5 {
				stop("in the middle of " + s.Phase)
			}
		} else {
			tables = 0
		}
	}
	if _, err := move.Run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func TestAnOrganizationMovesWhileItWritesAndOthersToo(t *testing.T) {
	c := newCells(t)
	moved, stays, there := c.newCity("first"), c.newCity("first"), c.newCity("second")
	stays.frozen, there.frozen = true, true
	for _, o := range []*city{moved, stays, there} {
		o.begin(2)
	}
	for _, to := range []string{"second", "first"} { // and back
		for _, o := range []*city{moved, stays, there} {
			o.waitForWrites(100)
		}
		moved.pause.Store(0)
		result, err := c.move(to, moved.id).Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		moved.waitForWrites(50)
		if cell := *moved.cell.Load(); cell != to || result.To != to || result.Rows == 0 || result.Compared == 0 || result.Deleted == 0 {
			t.Errorf("it is in %s: %+v", cell, result)
		}
		if pause := time.Duration(moved.pause.Load()); pause > 5*time.Second || result.Paused > 5 {
			t.Errorf("writes paused for %s, %.1f s of them as the mover says", pause, result.Paused)
		}
		t.Logf("%+v; %d writes, %d refused, longest pause %s", result, moved.writes.Load(), moved.refused.Load(),
			time.Duration(moved.pause.Load()))
		if _, err := c.move(to, moved.id).Run(t.Context()); !errors.Is(err, ErrAlreadyInCell) {
			t.Errorf("once more to the same cell: %v", err)
		}
	}
	for _, o := range []*city{moved, stays, there} {
		o.end()
	}
	moved.verify("first")
	stays.verify("first")
	there.verify("second")
}

// History of years that the other cell has no partitions for arrives in such, and is read there in the same order.
func TestPartitionsMoveWithTheirRows(t *testing.T) {
	c := newCells(t)
	moved := c.newCity("first")
	var sites []string
	for i := range 3 {
		if err := moved.write(i, &sites); err != nil {
			t.Fatal(err)
		}
	}
	owner := map[string]*pgx.Conn{}
	for _, each := range c.all {
		owner[each.Name] = c.connect(each.OwnerURL)
	}
	runOne(t, owner["first"], "SELECT assets.make_partition('history', '2024-02-29T12:00:00Z', 0)")
	runOne(t, owner["first"], "UPDATE assets.history SET at = '2024-02-29T12:00:00Z' WHERE organization_id = $1 AND version = 0", moved.id)
	runOne(t, owner["first"], "UPDATE assets.history SET at = '2023-01-01T12:00:00Z' WHERE organization_id = $1 AND version = 1", moved.id)
	if _, err := c.move("second", moved.id).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	moved.verify("second")
	var found string
	if err := owner["second"].QueryRow(t.Context(), `SELECT string_agg(tableoid::regclass::text, ' ' ORDER BY at)
		FROM assets.history WHERE organization_id = $1`, moved.id).Scan(&found); err != nil {
		t.Fatal(err)
	}
	if want := "assets.history_rest assets.history_2024_02 assets.history_" + time.Now().UTC().Format("2006_01"); found != want {
		t.Errorf("its history lies in %s, want %s", found, want)
	}
}

// A transaction that began before the move does not know of it. It is waited for before writes pause, so what it writes late moves too.
func TestATransactionThatBeganBeforeTheMoveIsWaitedFor(t *testing.T) {
	c := newCells(t)
	moved := c.newCity("first")
	var sites []string
	if err := moved.write(0, &sites); err != nil {
		t.Fatal(err)
	}
	begun, release, written := make(chan struct{}), make(chan struct{}), make(chan error)
	go func() {
		written <- c.db["first"].Write(moved.context(), func(ctx context.Context, tx pgx.Tx) error {
			if _, err := tx.Exec(ctx, "SELECT 1"); err != nil {
				return err
			}
			close(begun)
			<-release
			_, err := tx.Exec(ctx, "UPDATE site SET name = 'Late' WHERE id = $1", sites[0])
			return err
		})
	}()
	<-begun
	move := c.move("second", moved.id)
	move.At = func(phase string) {
		if phase == "compare" {
			time.AfterFunc(3*time.Second, func() { close(release) })
		}
	}
	_, err := move.Run(t.Context())
	if late := <-written; err != nil || late != nil {
		t.Fatal(err, late)
	}
	moved.sites[sites[0]] = "Late"
	moved.verify("second")
}

// A move that cannot switch takes itself back.
func TestAMoveThatFailsIsTakenBack(t *testing.T) {
	c := newCells(t)
	moved := c.newCity("first")
	moved.begin(2)
	moved.waitForWrites(100)
	move := c.move("second", moved.id)
	move.Switch = func(context.Context, string, string) error { return errors.New("the gateway is away") }
	if _, err := move.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "nothing was moved") {
		t.Fatalf("it moved: %v", err)
	}
	moved.waitForWrites(20)
	canceled, cancel := context.WithCancel(t.Context())
	move = c.move("second", moved.id)
	move.At = func(phase string) {
		if phase == "compare" {
			cancel()
		}
	}
	if _, err := move.Run(canceled); err == nil || !strings.Contains(err.Error(), "nothing was moved") {
		t.Fatalf("it moved: %v", err)
	}
	moved.waitForWrites(20)
	moved.end()
	moved.verify("first")
}

// A change that is not noted, and so not copied, is found before the switch.
func TestACopyThatDiffersIsNotSwitchedTo(t *testing.T) {
	c := newCells(t)
	moved := c.newCity("first")
	moved.begin(1)
	moved.waitForWrites(50)
	moved.end()
	move := c.move("second", moved.id)
	owner := c.connect(c.all[0].OwnerURL)
	move.At = func(phase string) {
		if phase == "compare" {
			for _, each := range c.all {
				if each.Name == "second" {
					owner = c.connect(each.OwnerURL)
				}
			}
			runOne(t, owner,
				"UPDATE assets.site SET notes = 'another' WHERE id = (SELECT id FROM assets.site WHERE organization_id = $1 LIMIT 1)", moved.id)
		}
	}
	if _, err := move.Run(t.Context()); !errors.Is(err, errDiffers) {
		t.Fatalf("it was switched: %v", err)
	}
	moved.verify("first")
}

func runOne(t *testing.T, conn *pgx.Conn, sql string, args ...any) {
	t.Helper()
	if tag, err := conn.Exec(t.Context(), sql, args...); err != nil || tag.RowsAffected() != 1 {
		t.Fatalf("%s: %v", tag, err)
	}
}

func TestASandboxMovesWithItsOrganization(t *testing.T) {
	c := newCells(t)
	live, sandbox := c.newCity("first"), c.newCity("first")
	for _, o := range []*city{live, sandbox} {
		o.begin(1)
		o.waitForWrites(30)
	}
	result, err := c.move("second", live.id, sandbox.id).Run(t.Context())
	if err != nil || len(result.Sandboxes) != 1 {
		t.Fatalf("%+v %v", result, err)
	}
	for _, o := range []*city{live, sandbox} {
		o.waitForWrites(10)
		o.end()
		o.verify("second")
	}
}

func TestWhatCannotBeMovedIsRefused(t *testing.T) {
	c := newCells(t)
	moved := c.newCity("first")
	moved.begin(1)
	moved.waitForWrites(20)
	moved.end()
	first, second := c.connect(c.all[0].OwnerURL), c.connect(c.all[1].OwnerURL)
	if c.all[0].Name == "second" {
		first, second = second, first
	}
	importing := func(key string) {
		run(t, first, `INSERT INTO assets.idempotency (organization_id, actor_id, key, fingerprint, status)
			VALUES ($1, 'k', $2, '', 200)`, moved.id, key)
	}
	var end func()
	for _, refusal := range []struct {
		what, want string
		arrange    func(m *Move)
		undo       func()
	}{
		{"a cell that is not there", "there is no cell third: there are", func(m *Move) { m.To = "third" }, nil},
		{"a cell that lacks room", "the cell second lacks room", func(m *Move) { m.Room = 1 << 20 }, nil},
		{"a cell that lacks a migration", "the schema assets of the cell second has other migrations", func(*Move) {
			run(t, second,
				"UPDATE assets.migration SET version_id = version_id + 1000 WHERE version_id = (SELECT max(version_id) FROM assets.migration)")
		}, func() {
			run(t, second, "UPDATE assets.migration SET version_id = version_id - 1000 WHERE version_id > 1000")
		}},
		{"a cell with other columns", "assets\".\"site\" of the cell second has other columns", func(*Move) {
			run(t, second, "ALTER TABLE assets.site ADD COLUMN colour text")
		}, func() { run(t, second, "ALTER TABLE assets.site DROP COLUMN colour") }},
		{"a service with a database of its own", "the cell first has no schema users",
			func(m *Move) { m.Services = append(m.Services, "users") }, nil},
		{"an import that runs", "an import of the organization is running", func(*Move) { importing("00112233445566aa-8192-0") },
			func() { importing("00112233445566aa-complete") }},
		{"rows that no move has left", "the cell second has rows of the organization", func(*Move) {
			run(t, second, "INSERT INTO assets.counter (organization_id, name, value) VALUES ($1, 'x', 1)", moved.id)
		}, func() { run(t, second, "DELETE FROM assets.counter") }},
		{"a second move", "is being moved already", func(*Move) {
			begun, release := make(chan struct{}), make(chan struct{})
			other, done := c.move("second", moved.id), make(chan error)
			other.At = func(phase string) {
				if phase == "copy" {
					close(begun)
					<-release
				}
			}
			ctx, cancel := context.WithCancel(t.Context())
			go func() {
				_, err := other.Run(ctx)
				done <- err
			}()
			<-begun
			end = func() {
				cancel()
				close(release)
				if err := <-done; err == nil {
					t.Error("the canceled move went on")
				}
			}
		}, func() { end() }},
		{"no organization", "is no id of an organization", func(m *Move) { m.Organizations = []string{"x"} }, nil},
	} {
		m := c.move("second", moved.id)
		refusal.arrange(m)
		_, err := m.Run(t.Context())
		if err == nil || !strings.Contains(err.Error(), refusal.want) {
			t.Errorf("%s: %v", refusal.what, err)
		}
		if refusal.undo != nil {
			refusal.undo()
		}
		moved.verify("first")
	}
	if _, err := c.move("second", moved.id).Run(t.Context()); err != nil { // nothing stands against it any more
		t.Errorf("when all was undone: %v", err)
	}
	moved.verify("second")
}

// An owner who may not copy rows without triggers is told how to be allowed to.
func TestAnOwnerWhoMayNotCopyIsTold(t *testing.T) {
	c := newCells(t)
	moved := c.newCity("first")
	admin := c.connect(c.admin["first"])
	run(t, admin, `DO $$ BEGIN IF NOT EXISTS (SELECT FROM pg_roles
		WHERE rolname = 'move_stranger') THEN CREATE ROLE move_stranger LOGIN PASSWORD 'x'; END IF; END $$`)
	run(t, admin, "GRANT CONNECT ON DATABASE "+pgx.Identifier{admin.Config().Database}.Sanitize()+" TO move_stranger")
	for i, each := range c.all {
		if each.Name == "first" {
			address := parse(t, each.OwnerURL)
			c.all[i].OwnerURL = strings.Replace(each.OwnerURL, address.User.String(), "move_stranger:x", 1)
		}
	}
	if _, err := c.move("second", moved.id).Run(t.Context()); err == nil ||
		!strings.Contains(err.Error(), "GRANT SET ON PARAMETER session_replication_role") {
		t.Errorf("%v", err)
	}
	if postgres.Owner != "ams_owner" {
		t.Error("the message names another role")
	}
}
