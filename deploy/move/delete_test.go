package move

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"ams.internal/libs/principal"
	"ams.internal/services/documents/store"
)

// leaving is a deletion or restoration in a process of its own, which is killed where a phase begins.
type leaving struct {
	Cells        []Cell
	Organization string
	Services     []string
	Store, From  string
	Phase        string
}

// leaveKilled is that process when the variable says so.
func leaveKilled() {
	text := os.Getenv("AMS_TEST_LEAVING")
	if text == "" {
		return
	}
	var l leaving
	if err := json.Unmarshal([]byte(text), &l); err != nil {
		panic(err)
	}
	_, err := l.run(func(phase string) {
		if phase == l.Phase {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		}
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// run stops at phases, and in the middle of deletions.
func (l leaving) run(stop func(phase string)) (record Destruction, err error) {
	tables := 0
	report := func(s Step) {
		if s.What != "" && s.Rows > 0 {
			if tables++; tables == 3 {
				stop("in the middle of " + s.Phase)
			}
		} else {
			tables = 0
		}
	}
	ctx := context.Background()
	if l.From != "" {
		cell := l.Cells[slices.IndexFunc(l.Cells, func(c Cell) bool { return c.Name == "first" })]
		_, err = (&Restoration{Cell: cell, From: l.From, Organization: l.Organization, Services: l.Services, At: stop, Report: report}).Run(ctx)
		return record, err
	}
	objects, err := store.New(ctx, store.Config{Store: l.Store})
	if err != nil {
		return record, err
	}
	return (&Deletion{Cells: l.Cells, Organizations: []string{l.Organization, principal.SandboxOf(l.Organization)}, Services: l.Services,
		Store: objects,
		At:    stop, Report: report, Write: func(Destruction) error { stop("record"); return nil }}).Run(ctx)
}

// killed runs it in a process of its own, which must be killed.
func (l leaving) killed(t *testing.T, phase string) {
	t.Helper()
	l.Phase = phase
	text, err := json.Marshal(l)
	if err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), os.Args[0])
	command.Env = append(os.Environ(), "AMS_TEST_LEAVING="+string(text))
	if output, err := command.CombinedOutput(); err == nil || !strings.Contains(err.Error(), "killed") {
		t.Fatalf("%s: it was not killed: %v %s", phase, err, output)
	}
}

var leavingServices = []string{"assets", "webhooks", "documents"}

// leavers are cells with the gateway's schema in the first, and a store of documents.
type leavers struct {
	*cells
	folder string
	owner  map[string]*pgx.Conn
}

func newLeavers(t *testing.T) *leavers {
	t.Helper()
	l := &leavers{newCellsWith(t, append(slices.Clone(leavingServices), "gateway")), t.TempDir(), map[string]*pgx.Conn{}}
	for _, cell := range l.all {
		l.owner[cell.Name] = l.connect(cell.OwnerURL)
	}
	return l
}

func (l *leavers) of(organization string) leaving {
	return leaving{Cells: l.all, Organization: organization, Services: leavingServices, Store: l.folder}
}

// register gives an organization its rows in the gateway, a sandbox with a site, documents with objects, and the order to be deleted.
func (l *leavers) register(o *city) {
	t := l.t
	t.Helper()
	first, sandbox := l.owner["first"], principal.SandboxOf(o.id)
	run(t, first, "INSERT INTO gateway.organization (organization_id, name, plan, currency) VALUES ($1, 'Ville', 'enterprise', 'CAD')", o.id)
	run(t, first, `INSERT INTO gateway.organization (organization_id, sandbox_of, name, plan, currency, time_zone, fiscal_year_end_month, cell)
		VALUES ($1, $2, 'Ville (test)', NULL, NULL, NULL, NULL, NULL)`, sandbox, o.id)
	run(t, first, `INSERT INTO gateway.api_key (organization_id, id, hash, display, name, scopes, rate_limit, expires_at, created_by)
		SELECT $1, id, sha256(id::text::bytea), 'ams_live_', 'Key', '{*:*}', 60, now() + interval '1 year', '{}' FROM gen_random_uuid() id`, o.id)
	run(t, first, `INSERT INTO gateway.audit (organization_id, id, actor, action, subject, address, request_id)
		VALUES ($1, gen_random_uuid(), '{"name": "Anne Roy"}', 'user.signed_in', '{"name": "Anne Roy"}', '192.0.2.1', 'r')`, o.id)
	sandboxes := l.newCity("first")
	sandboxes.id = sandbox
	var sites []string
	if err := errors.Join(sandboxes.write(0, &sites), sandboxes.write(1, &sites)); err != nil {
		t.Fatal(err)
	}
	for _, organization := range []string{o.id, sandbox} {
		blob := uuid.NewString()
		run(t, first, `INSERT INTO documents.blob (organization_id, id, state, created_by, size, sha256, media_type, scan_status)
			VALUES ($1, $2, 'ready', '{}', 5, sha256('hello'), 'text/plain', 'clean')`, organization, blob)
		for _, key := range []string{blob, blob + ".thumbnail"} {
			if err := l.objects().Put(t.Context(), organization+"/"+key, strings.NewReader("hello"), 5); err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, err := l.objects().Begin(t.Context(), o.id+"/"+uuid.NewString()); err != nil {
		t.Fatal(err)
	}
}

func (l *leavers) objects() store.Store {
	l.t.Helper()
	objects, err := store.New(l.t.Context(), store.Config{Store: l.folder})
	if err != nil {
		l.t.Fatal(err)
	}
	return objects
}

// order has an organization suspended, and its deletion ordered for a time that is over.
func (l *leavers) order(o *city) {
	l.t.Helper()
	for _, cell := range l.all {
		if cell.Name == "first" {
			if err := Suspend(l.t.Context(), cell, []string{o.id, principal.SandboxOf(o.id)}); err != nil {
				l.t.Fatal(err)
			}
		}
	}
	run(l.t, l.owner["first"], `UPDATE gateway.organization SET suspended_at = now() - interval '31 days', deletion_ordered_at = now() -
		interval '31 days',
		deletion_ordered_by = 'Anne Roy', delete_after = now() - interval '1 day' WHERE organization_id = $1`, o.id)
}

// left counts the rows of an organization and its sandbox in all tables of both databases, and its files.
func (l *leavers) left(organization string) (rows, files int) {
	l.t.Helper()
	for name, owner := range l.owner {
		p := &place{name: name, work: owner}
		if err := p.readTables(l.t.Context()); err != nil {
			l.t.Fatal(err)
		}
		for _, table := range slices.Concat(p.tables, p.control) {
			n, err := p.count(l.t.Context(), owner, table, []string{organization, principal.SandboxOf(organization)})
			if err != nil {
				l.t.Fatal(err)
			}
			rows += int(n)
		}
	}
	err := filepath.WalkDir(l.folder, func(path string, entry os.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && (strings.Contains(path, organization) || strings.Contains(path, principal.SandboxOf(organization))) {
			files++
		}
		return err
	})
	if err != nil {
		l.t.Fatal(err)
	}
	return rows, files
}

func TestADeletedOrganizationIsNowhereAnyMoreAndOthersAreWhole(t *testing.T) {
	l := newLeavers(t)
	deleted, stays := l.newCity("first"), l.newCity("first")
	var sites, others []string
	for i := range 6 {
		if err := errors.Join(deleted.write(i, &sites), stays.write(i, &others)); err != nil {
			t.Fatal(err)
		}
	}
	l.register(deleted)
	l.register(stays)
	// What a move that was killed has left in another cell goes too.
	run(t, l.owner["second"], "INSERT INTO assets.counter (organization_id, name, value) VALUES ($1, 'x', 1)", deleted.id)
	run(t, l.owner["second"], "INSERT INTO assets.organization_move (organization, state) VALUES ($1, 'absent')", deleted.id)
	beforeRows, beforeFiles := l.left(deleted.id)
	staysRows, staysFiles := l.left(stays.id)
	l.order(deleted)
	record, err := l.of(deleted.id).run(func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	if record.Name != "Ville" || record.OrderedBy != "Anne Roy" || record.Rows != int64(beforeRows) || record.Documents.Objects != 4 ||
		record.Documents.Bytes != 20 ||
		record.Documents.Contents != 2 || record.FinishedAt.Before(record.BeganAt) || len(record.Tables) < 50 || beforeFiles < 4 {
		t.Errorf("%d rows and %d files were there; the record says %+v", beforeRows, beforeFiles, record)
	}
	for _, table := range record.Tables {
		if table.Left != 0 {
			t.Errorf("%+v", table)
		}
	}
	if rows, files := l.left(deleted.id); rows != 1 || files != 0 { // its entry in the trail
		t.Errorf("%d rows and %d files are left", rows, files)
	}
	if rows, files := l.left(stays.id); rows != staysRows || files != staysFiles {
		t.Errorf("another organization had %d rows and %d files, and has %d and %d", staysRows, staysFiles, rows, files)
	}
	if err := errors.Join(stays.write(7, &others), stays.read()); err != nil {
		t.Errorf("another organization: %v", err)
	}
	var marks int
	var entry string
	if err := l.owner["first"].QueryRow(t.Context(), `SELECT (SELECT count(*) FROM assets.organization_move WHERE organization = $1),
		(SELECT audit::text FROM gateway.audit WHERE organization_id = $1)`, deleted.id).Scan(&marks, &entry); err != nil {
		t.Fatal(err)
	}
	if marks != 0 || strings.Contains(entry, "Anne") || !strings.Contains(entry, "organization.deleted") {
		t.Errorf("%d marks are left; the trail says %s", marks, entry)
	}
	again, err := l.of(deleted.id).run(func(string) {})
	if err != nil || again.Rows != record.Rows || again.OrderedBy != "" || again.Name != "Ville" {
		t.Errorf("run again, the record is %+v: %v", again, err)
	}
}

func TestADeletionThatIsKilledGoesOnAndNobodyReachesWhatIsHalfDeleted(t *testing.T) {
	l := newLeavers(t)
	for _, phase := range []string{"begin", "mark", "count", "documents", "delete", "in the middle of delete", "check", "end", "record",
		"unmark"} {
		o := l.newCity("first")
		var sites []string
		for i := range 6 {
			if err := o.write(i, &sites); err != nil {
				t.Fatal(err)
			}
		}
		l.register(o)
		rows, _ := l.left(o.id)
		l.order(o)
		l.of(o.id).killed(t, phase)
		if o.read() == nil || o.write(7, &sites) == nil {
			t.Errorf("%s: the organization is reached", phase)
		}
		if phase != "begin" && phase != "unmark" {
			for _, cell := range l.all {
				if err := Resume(t.Context(), cell, []string{o.id}); cell.Name == "first" && phase != "mark" && !errors.Is(err, ErrDeleting) {
					t.Errorf("%s: it is resumed: %v", phase, err)
				}
			}
		}
		record, err := l.of(o.id).run(func(string) {})
		if err != nil || record.Rows != int64(rows) || record.Documents.Objects != 4 {
			t.Errorf("%s: run again: %v; the record has %d rows of %d, %d objects", phase, err, record.Rows, rows, record.Documents.Objects)
		}
		if rows, files := l.left(o.id); rows != 1 || files != 0 {
			t.Errorf("%s: %d rows and %d files are left", phase, rows, files)
		}
	}
}

func TestWhatMayNotBeDeletedIsRefusedAndWhole(t *testing.T) {
	l := newLeavers(t)
	first := l.owner["first"]
	for _, c := range []struct{ what, sql, want string }{
		{"before its date", "UPDATE gateway.organization SET delete_after = now() + interval '1 day' WHERE organization_id = $1", "not before"},
		{"not ordered", `UPDATE gateway.organization SET delete_after = NULL, deletion_ordered_at = NULL, deletion_ordered_by = NULL
			WHERE organization_id = $1`, "nobody has ordered"},
		{"held", "UPDATE gateway.organization SET held_at = now(), hold_reason = 'Claim' WHERE organization_id = $1", "amsctl organizations " +
			"release"},
		{"a legal hold", `INSERT INTO documents.legal_hold (organization_id, id, position, created_at, updated_at, created_by, updated_by,
			name, reason, status)
			VALUES ($1, gen_random_uuid(), 1, now(), now(), '{}', '{}', 'Smith', 'Claim', 'active')`, "has 1 active legal holds"},
		{"on the move", "UPDATE assets.organization_move SET state = 'leaving' WHERE organization = $1", "a move of the organization has not " +
			"ended"},
	} {
		o := l.newCity("first")
		var sites []string
		if err := o.write(0, &sites); err != nil {
			t.Fatal(err)
		}
		l.register(o)
		l.order(o)
		run(t, first, c.sql, o.id)
		rows, files := l.left(o.id)
		if _, err := l.of(o.id).run(func(string) {}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.what, err)
		}
		if after, whole := l.left(o.id); after != rows || whole != files {
			t.Errorf("%s: of %d rows and %d files %d and %d are left", c.what, rows, files, after, whole)
		}
	}
	if _, err := l.of(uuid.NewString()).run(func(string) {}); err == nil || !strings.Contains(err.Error(), "the audit trail has no "+
		"deletion of it") {
		t.Errorf("an organization that was never there: %v", err)
	}
	run(t, first, "INSERT INTO gateway.cell (name) VALUES ('third')")
	if _, err := l.of(uuid.NewString()).run(func(string) {}); err == nil || !strings.Contains(err.Error(), "third is missing") {
		t.Errorf("a cell whose address is not given: %v", err)
	}
	run(t, first, "DELETE FROM gateway.cell WHERE name = 'third'")
	one := l.of(uuid.NewString())
	one.Services = append(slices.Clone(one.Services), "users")
	if _, err := one.run(func(string) {}); err == nil || !strings.Contains(err.Error(), "has no schema users") {
		t.Errorf("a service with a database of its own: %v", err)
	}
}
