package documents

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"ams.internal/libs/testwait"
	"ams.internal/libs/work"
)

// backlog makes contents of organizations about which something is due, with SQL for state, scan_status and the columns that say when.
func (f *fixture) backlog(t testing.TB, organizations []string, each int, state, scanStatus, due string, ago time.Duration) {
	t.Helper()
	runSQL(t, f.owner(t), `INSERT INTO blob (organization_id, id, state, created_by, size, sha256, media_type, scan_status, ready_at, `+due+`)
		SELECT o::uuid, gen_random_uuid(), $3, '{}', 1, sha256((o || n)::bytea), 'text/plain', $4, now(), now() - make_interval(secs => $5)
		FROM unnest($1::text[]) o, generate_series(1, $2) n`, organizations, each, state, scanStatus, ago.Seconds())
}

// An organization with ten thousand of something, and forty with less, do not hide one that comes after them.
func TestWhatIsDueOfManyDoesNotHideTheOthers(t *testing.T) {
	for _, c := range []struct{ name, state, scanStatus, due, action string }{
		{"to be deleted", "doomed", "clean", "delete_after", "sweep"},
		{"not finished", "writing", "clean", "lease_until", "sweep"},
		{"to be scanned", "ready", "pending", "scan_due_at", "scan"},
		{"to be scanned again", "ready", "clean", "scan_due_at", "scan_again"},
		{"pictures", "ready", "clean", "picture_due_at", "picture"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFixture(t)
			last := f.Other().Principal.OrganizationID
			f.backlog(t, []string{f.Principal.OrganizationID}, 10_000, c.state, c.scanStatus, c.due, 2*time.Hour)
			var some []string
			for range 40 {
				some = append(some, uuid.NewString())
			}
			f.backlog(t, some, 10, c.state, c.scanStatus, c.due, time.Hour)
			f.backlog(t, []string{last}, 1, c.state, c.scanStatus, c.due, time.Minute)
			w := f.worker(t)
			due, err := w.queue.Find(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if !slices.ContainsFunc(due, func(d work.Item) bool { return d.Organization == last && d.Kind == c.action }) {
				t.Fatalf("of %d tasks none is of the last organization", len(due))
			}
			if c.action != "sweep" { // their objects are not there
				return
			}
			left := func(organization string) int {
				return count(t, f.owner(t), `SELECT count(*) FROM blob WHERE organization_id = $1`, organization)
			}
			for looks := 1; left(last) > 0; looks++ {
				if looks > 42 {
					t.Fatal("the last organization's turn does not come")
				}
				if err := w.queue.Once(t.Context()); err != nil {
					t.Fatal(err)
				}
				w.tasks.Wait()
			}
			if n := left(f.Principal.OrganizationID); n < 9_990 {
				t.Errorf("%d of the first organization's were deleted before the one of the last", 10_000-n)
			}
		})
	}
}

func TestScansThatTakeLongLeaveAPlaceToOthers(t *testing.T) {
	f := newFixtureWith(t, scanner(t))
	held := &heldStore{f.store, f.Principal.OrganizationID, make(chan struct{})}
	f.store = held
	var slow []string
	for i := range 4 {
		slow = append(slow, upload(t, f.Client, http.StatusCreated, "a.txt", fmt.Appendf(nil, "content %d", i), nil).Header.Get("Location"))
	}
	w := f.start(t)
	testwait.For(t, 10*time.Second, "as many are scanned as may be", func() bool {
		w.occupied.mu.Lock()
		defer w.occupied.mu.Unlock()
		return w.occupied.taken["scan"] == 2
	})
	other := f.Other()
	path := upload(t, other, http.StatusCreated, "b.txt", []byte("b"), nil).Header.Get("Location")
	scanStatus(t, other, path, "clean")
	close(held.release)
	for _, path := range slow {
		scanStatus(t, f.Client, path, "clean")
	}
}

func TestBatchesOfOrganizationsTakeTurns(t *testing.T) {
	f := newFixture(t)
	w := f.worker(t)
	many, few := f.Principal.OrganizationID, f.Other().Principal.OrganizationID
	left := map[string]int{"trash " + many: 3, "trash " + few: 1, "purge " + few: 2}
	var done []string
	batch := func(action, organization string) func(context.Context, *place) (bool, error) {
		of := action + " " + organization
		return func(context.Context, *place) (bool, error) {
			done = append(done, of)
			left[of]--
			return left[of] > 0, nil
		}
	}
	var all []batches
	for _, of := range [][2]string{{"trash", many}, {"trash", few}, {"purge", few}} {
		all = append(all, batchesOf(of[0], []string{of[1]}, batch(of[0], of[1]))...)
	}
	w.inBatches(t.Context(), all)
	want := []string{"trash " + many, "trash " + few, "purge " + few, "trash " + many, "purge " + few, "trash " + many}
	if !slices.Equal(done, want) {
		t.Errorf("%v, want %v", done, want)
	}
}

// New signatures concern all contents of 30 days: they are marked ten thousand at a look, so that the looks for what else is due go on.
func TestManyContentsAreMarkedForNewSignaturesInParts(t *testing.T) {
	f := newFixtureWith(t, scanner(t))
	f.backlog(t, []string{f.Principal.OrganizationID}, 10_001, "ready", "clean", "picture_due_at", 0)
	w := f.worker(t)
	for _, want := range []int{10_000, 10_001} {
		w.watch(t.Context())
		if n := count(t, f.owner(t), `SELECT count(*) FROM blob WHERE scan_due_at IS NOT NULL`); n != want {
			t.Fatalf("%d contents are to be scanned again, want %d", n, want)
		}
		if done := !w.versionChecked.IsZero(); done != (want == 10_001) {
			t.Errorf("all are marked: %t", done)
		}
	}
}
