package postgres_test

import (
	"sync"
	"testing"

	"github.com/google/uuid"

	"ams.internal/libs/postgres/postgrestest"
)

// Of every organization what is old is removed and what is young stays, whoever else sweeps at the same time or was killed in a batch; an
// organization that is suspended or moves is left alone.
func TestASweepRemovesWhatIsOldAndNothingElse(t *testing.T) {
	t.Parallel()
	database := postgrestest.New(t, "assets", schema)
	owner, db := asOwner(t, database), database.Open(t)
	one, other, suspended := uuid.NewString(), uuid.NewString(), uuid.NewString()
	exec := func(sql string, args ...any) {
		t.Helper()
		if _, err := owner.Exec(t.Context(), sql, args...); err != nil {
			t.Fatal(err)
		}
	}
	exec("INSERT INTO organization_move (organization, state) VALUES ($1, 'suspended')", suspended)
	for _, organization := range []string{one, other, suspended} {
		exec(`INSERT INTO idempotency (organization_id, actor_id, key, fingerprint, created_at)
			SELECT $1, 'key', n::text, '', now() - CASE WHEN n <= 700 THEN interval '24 hours 1 second' * n ELSE interval '23 hours' END
			FROM generate_series(1, 800) n`, organization)
	}
	left := func(organization string) (old, young int) {
		t.Helper()
		if err := owner.QueryRow(t.Context(), `SELECT count(*) FILTER (WHERE created_at < now() - interval '24 hours'),
			count(*) FILTER (WHERE created_at >= now() - interval '24 hours') FROM idempotency WHERE organization_id = $1`,
			organization).Scan(&old, &young); err != nil {
			t.Fatal(err)
		}
		return old, young
	}
	killed, err := owner.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := killed.Exec(t.Context(), "SELECT sweep_idempotency(500)"); err != nil {
		t.Fatal(err)
	}
	var sweeps sync.WaitGroup
	for range 2 {
		sweeps.Go(func() {
			if err := db.Sweep(t.Context(), "assets", "idempotency"); err != nil {
				t.Error(err)
			}
		})
	}
	sweeps.Wait()
	if err := killed.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	ofOne, _ := left(one)
	ofOther, _ := left(other)
	if ofOne+ofOther != 500 {
		t.Errorf("%d old rows are left, of which another had 500", ofOne+ofOther)
	}
	if err := db.Sweep(t.Context(), "assets", "idempotency"); err != nil {
		t.Fatal(err)
	}
	for organization, want := range map[string]int{one: 0, other: 0, suspended: 700} {
		if old, young := left(organization); old != want || young != 100 {
			t.Errorf("%d old rows are left and %d young ones, want %d and 100", old, young, want)
		}
	}
}
