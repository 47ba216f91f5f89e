package move

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/testwait"
)

// restorable is an organization of the first cell, and its database as it was at a moment.
type restorable struct {
	*leavers
	city *city
	from string            // the owner's address of the restored database
	then map[string]string // its sites at that moment
}

// newRestorable writes, copies the database as a restored server has it, and writes on.
func newRestorable(t *testing.T) *restorable {
	t.Helper()
	r := &restorable{leavers: newLeavers(t)}
	r.city = r.newCity("first")
	r.register(r.city)
	var sites []string
	for i := range 9 {
		if err := r.city.write(i, &sites); err != nil {
			t.Fatal(err)
		}
	}
	r.then = maps.Clone(r.city.sites)
	address := parse(t, r.first().OwnerURL)
	name := strings.TrimPrefix(address.Path, "/")
	admin := r.connect(strings.Replace(r.admin["first"], "/"+name, "/postgres", 1))
	r.release(name)
	restored := pgx.Identifier{name + "_restored"}.Sanitize()
	run(t, admin, fmt.Sprintf("CREATE DATABASE %s OWNER ams_owner TEMPLATE %s STRATEGY file_copy", restored, pgx.Identifier{name}.Sanitize()))
	t.Cleanup(func() {
		if _, err := admin.Exec(context.Background(), "DROP DATABASE "+restored+" WITH (FORCE)"); err != nil {
			t.Error(err)
		}
	})
	address.Path += "_restored"
	r.from = address.String()
	r.owner["first"] = r.connect(r.first().OwnerURL)
	testwait.For(t, time.Minute, "the pool to connect again", func() bool { return r.city.read() == nil })
	for i := 9; i < 30; i++ {
		if err := r.city.write(i, &sites); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

// release ends all connections to a database, which nobody may have while it is copied.
func (r *restorable) release(name string) {
	r.t.Helper()
	other := r.connect(r.admin["second"])
	if _, err := other.Exec(r.t.Context(), "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = $1",
		name); err != nil {
		r.t.Fatal(err)
	}
}

func (r *restorable) first() Cell {
	return r.all[slices.IndexFunc(r.all, func(c Cell) bool { return c.Name == "first" })]
}

func (r *restorable) restoration() *Restoration {
	return &Restoration{Cell: r.first(), From: r.from, Organization: r.city.id, Services: leavingServices}
}

func (r *restorable) suspend() {
	r.t.Helper()
	if err := Suspend(r.t.Context(), r.first(), []string{r.city.id}); err != nil {
		r.t.Fatal(err)
	}
}

func (r *restorable) resume() {
	r.t.Helper()
	if err := Resume(r.t.Context(), r.first(), []string{r.city.id}); err != nil {
		r.t.Fatal(err)
	}
}

// has wants the sites of the organization.
func (r *restorable) has(what string, wanted map[string]string) {
	r.t.Helper()
	rows, err := r.owner["first"].Query(r.t.Context(), "SELECT id::text, name FROM assets.site WHERE organization_id = $1", r.city.id)
	if err != nil {
		r.t.Fatal(err)
	}
	found, live := map[string]string{}, map[string]string{}
	var id, name string
	if _, err := pgx.ForEachRow(rows, []any{&id, &name}, func() error { found[id] = name; return nil }); err != nil {
		r.t.Fatal(err)
	}
	for id, name := range wanted {
		if name != "" {
			live[id] = name
		}
	}
	if !maps.Equal(found, live) {
		r.t.Errorf("%s: the sites are %v, wanted %v", what, found, live)
	}
}

func TestAnOrganizationIsBroughtBackToAMomentAndWorksOn(t *testing.T) {
	r := newRestorable(t)
	other := r.newCity("first")
	var others []string
	for i := range 3 {
		if err := other.write(i, &others); err != nil {
			t.Fatal(err)
		}
	}
	run(t, r.owner["first"], "INSERT INTO webhooks.counter (organization_id, name, value) VALUES ($1, 'sent', 7)", r.city.id)
	changes, err := r.restoration().Preview(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var history TableChange
	for _, c := range changes {
		if c.Table == "assets.history" {
			history = c
		}
		if strings.HasPrefix(c.Table, "webhooks.") || strings.HasPrefix(c.Table, "gateway.") {
			t.Errorf("%+v would be restored", c)
		}
	}
	if history.Now <= history.Then || history.Then == 0 {
		t.Errorf("the preview says %+v", changes)
	}
	if _, err := r.restoration().Run(t.Context()); err == nil || !strings.Contains(err.Error(), "is not suspended in its cell") {
		t.Errorf("one that works: %v", err)
	}
	r.has("before", r.city.sites)
	r.suspend()
	rows, err := r.restoration().Run(t.Context())
	if err != nil || rows == 0 {
		t.Fatal(rows, err)
	}
	r.has("restored", r.then)
	if r.city.read() == nil {
		t.Error("it works before it is resumed")
	}
	r.resume()
	r.city.sites = r.then
	var sites []string
	for id, name := range r.then {
		if name != "" {
			sites = append(sites, id)
		}
	}
	for i := 30; i < 40; i++ {
		if err := r.city.write(i, &sites); err != nil {
			t.Fatal(err)
		}
	}
	r.has("afterwards", r.city.sites)
	r.city.verify("first")
	other.verify("first")
	var sent int
	err = r.owner["first"].QueryRow(t.Context(), "SELECT value FROM webhooks.counter WHERE organization_id = $1 AND name = 'sent'",
		r.city.id).Scan(&sent)
	if err != nil || sent != 7 {
		t.Errorf("what was sent has changed: %d %v", sent, err)
	}
}

func TestARestorationThatIsKilledLeavesWhatWas(t *testing.T) {
	r := newRestorable(t)
	r.suspend()
	killed := r.of(r.city.id)
	killed.From = r.from
	for _, phase := range []string{"delete", "in the middle of delete", "copy", "in the middle of copy", "compare", "commit"} {
		killed.killed(t, phase)
		r.has(phase, r.city.sites)
		if r.city.read() == nil {
			t.Errorf("%s: it works while it is suspended", phase)
		}
	}
	if _, err := killed.run(func(string) {}); err != nil {
		t.Fatal(err)
	}
	r.has("run again", r.then)
}

func TestWhatCannotBeRestoredIsRefusedAndAsItWas(t *testing.T) {
	r := newRestorable(t)
	r.suspend()
	restored := r.connect(r.from)
	for _, c := range []struct {
		what, want string
		arrange    func(of *Restoration)
		undo       string
	}{
		{"from itself", "--from is the database in which the organization lives", func(of *Restoration) { of.From = of.Cell.OwnerURL }, ""},
		{"from where it did not live", "did not live in the restored server at that moment (it says absent)", func(of *Restoration) {
			run(t, restored, "INSERT INTO assets.organization_move (organization, state) VALUES ($1, 'absent')", of.Organization)
		}, "DELETE FROM assets.organization_move"},
		{"from another release", "has other migrations", func(*Restoration) {
			run(t, restored, "UPDATE assets.migration SET version_id = version_id + 1000 WHERE version_id = (SELECT max(version_id) FROM "+
				"assets.migration)")
		}, "UPDATE assets.migration SET version_id = version_id - 1000 WHERE version_id > 1000"},
		{"an address that is none", "cannot be used", func(of *Restoration) { of.From = "postgres://%" }, ""},
	} {
		of := r.restoration()
		c.arrange(of)
		_, preview := of.Preview(t.Context())
		_, err := of.Run(t.Context())
		for _, err := range []error{preview, err} {
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v", c.what, err)
			}
		}
		if c.undo != "" {
			run(t, restored, c.undo)
		}
		r.has(c.what, r.city.sites)
	}
	unknown := r.restoration()
	unknown.Organization = r.newCity("first").id
	if _, err := unknown.Preview(t.Context()); err == nil || !strings.Contains(err.Error(), "has no rows of the organization") {
		t.Errorf("an organization that was not there: %v", err)
	}
	if _, err := r.restoration().Run(t.Context()); err != nil {
		t.Errorf("when all was undone: %v", err)
	}
	r.has("when all was undone", r.then)
}
