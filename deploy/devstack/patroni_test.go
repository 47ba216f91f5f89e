package devstack

import (
	"context"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/testwait"
)

func TestAStandbyTakesOverAndTheOldPrimaryComesBackAsOne(t *testing.T) {
	folder := runFolder(t)
	shown := &screen{}
	start := func() *Stack {
		t.Helper()
		s, err := Start(t.Context(), Options{Folder: folder, InfrastructureOnly: true, Standby: true, Out: shown})
		if err != nil {
			t.Fatalf("%v\n%s", err, shown)
		}
		t.Cleanup(s.Stop)
		return s
	}
	s := start()
	first := primary(t, s)
	d := s.Description()
	if len(d.ReplicaHosts) != 2 || d.PIDs["postgres-1"] == 0 || d.PIDs["postgres-2"] == 0 || d.PIDs["patroni-1"] == 0 {
		t.Errorf("stack.json lacks a node: %v, processes %v", d.ReplicaHosts, d.PIDs)
	}
	write(t, d.PostgresURL, "CREATE TABLE acknowledged (number int)")
	write(t, d.PostgresURL, "INSERT INTO acknowledged VALUES (1)")
	if err := s.Halt(syscall.SIGKILL, first); err != nil {
		t.Fatal(err)
	}
	testwait.ForSuccess(t, time.Minute, "a write to the new primary", func() error {
		return try(t, d.PostgresURL, "INSERT INTO acknowledged VALUES (2)")
	})
	second := primary(t, s)
	if second == first {
		t.Fatalf("%s was killed and is the primary", first)
	}
	if got := query[int](t, d.PostgresURL, "SELECT count(DISTINCT number) FROM acknowledged"); got != 2 {
		t.Errorf("%d of 2 acknowledged rows are there", got)
	}
	if err := s.Resume(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	if err := s.AwaitStandby(t.Context()); err != nil {
		t.Errorf("the old primary does not come back as the standby: %v", err)
	}
	s.Stop()
	s = start() // who the primary was, and the data, are kept
	if got := query[int](t, s.Description().PostgresURL, "SELECT count(DISTINCT number) FROM acknowledged"); got != 2 {
		t.Errorf("%d of 2 acknowledged rows are there after a restart", got)
	}
	t.Logf("\n%s", shown)
}

func primary(t *testing.T, s *Stack) string {
	t.Helper()
	name, err := s.Primary(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return name
}

func write(t *testing.T, url, sql string) {
	t.Helper()
	if err := try(t, url, sql); err != nil {
		t.Fatal(err)
	}
}

func try(t *testing.T, url, sql string) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	connection, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer connection.Close(context.Background()) //nolint:errcheck // nothing is owed to anybody
	_, err = connection.Exec(ctx, sql)
	return err
}
