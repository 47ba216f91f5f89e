//go:build night

package devstack

import (
	"context"
	"os/exec"
	"strings"
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
	carryOutRunbooks(t, s)
	s.Stop()
	s = start() // who the primary was, and the data, are kept
	if got := query[int](t, s.Description().PostgresURL, "SELECT count(DISTINCT number) FROM acknowledged"); got != 2 {
		t.Errorf("%d of 2 acknowledged rows are there after a restart", got)
	}
	t.Logf("\n%s", shown)
}

// carryOutRunbooks does what docs/operations says of a takeover on purpose and of a standby whose data is not to be
// trusted, with the same commands.
func carryOutRunbooks(t *testing.T, s *Stack) {
	t.Helper()
	began := time.Now()
	defer func() { t.Logf("the runbooks took %s", time.Since(began).Round(time.Second)) }()
	before := primary(t, s)
	runbook(t, s, "fail-over.md", "## On purpose", "")
	if err := s.AwaitStandby(t.Context()); err != nil {
		t.Fatal(err)
	}
	after := primary(t, s)
	if after == before {
		t.Errorf("%s is the primary still", before)
	}
	damaged := map[string]string{"patroni-1": "postgres-1", "patroni-2": "postgres-2"}[before]
	said := runbook(t, s, "replace-a-standby.md", "# Replace a standby", damaged)
	if !strings.Contains(said, damaged) {
		t.Errorf("%s was not replaced: %s", damaged, said)
	}
	if err := s.AwaitStandby(t.Context()); err != nil {
		t.Error(err)
	}
	if said, err := s.Patronictl(t.Context(), "list", "ams"); err != nil || !strings.Contains(said, "Sync Standby") {
		t.Errorf("patronictl list: %v %s", err, said)
	}
	if now := primary(t, s); now != after {
		t.Errorf("%s became the primary while %s was replaced", now, damaged)
	}
}

// runbook runs the first block of commands below a heading of a runbook, about the standby with that name, and gives what they say.
func runbook(t *testing.T, s *Stack, file, heading, standby string) string {
	t.Helper()
	blocks, err := Runbook(file, heading, "")
	if err != nil || len(blocks) == 0 || !strings.Contains(blocks[0], "patronictl -c patroni.json ") {
		t.Fatalf("%s has no commands below %s: %v", file, heading, err)
	}
	commands := strings.NewReplacer("patroni.json", s.nodes[0].configure, "postgres-2", standby).Replace(blocks[0])
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	said, err := exec.CommandContext(ctx, "bash", "-euc", commands).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v: %s\n%s", file, err, commands, said)
	}
	return string(said)
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
