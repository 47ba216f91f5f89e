package devstack

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/clamd"
	"ams.internal/libs/postgres"
	"ams.internal/libs/testwait"
)

// screen collects what the launcher says.
type screen struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// runFolder is a folder for a stack, dropped with everything after the test. PostgreSQL's account can reach it, which
// t.TempDir() does not let it.
func runFolder(t *testing.T) string {
	t.Helper()
	folder, err := os.MkdirTemp("", "ams-test-") //nolint:usetesting // see above
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := Drop(folder); err != nil {
			t.Error(err)
		}
	})
	return folder
}

func startInfrastructure(t *testing.T, folder string) (*Stack, *screen) {
	t.Helper()
	shown := &screen{}
	s, err := Start(t.Context(), Options{Folder: folder, InfrastructureOnly: true, Discovery: "consul", Out: shown})
	if err != nil {
		t.Fatalf("%v\n%s", err, shown)
	}
	t.Cleanup(s.Stop)
	t.Logf("\n%s", shown)
	return s, shown
}

func query[T any](t *testing.T, url, sql string) T {
	t.Helper()
	connection, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close(context.Background())
	var value T
	if err := connection.QueryRow(t.Context(), sql).Scan(&value); err != nil {
		t.Fatal(err)
	}
	return value
}

func TestInfrastructureIsReadyWhenStartReturnsAndGoneAfterStop(t *testing.T) {
	folder := runFolder(t)
	s, _ := startInfrastructure(t, folder)
	d, err := Read(folder)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(filepath.Join(folder, FileName)); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%s must be for its owner alone: %v %v", FileName, info.Mode(), err)
	}
	for _, name := range []string{"postgres", "redis", "consul", "clamd"} {
		if !running(d.PIDs[name]) {
			t.Errorf("%s has no process: %v", name, d.PIDs)
		}
	}
	if err := redisResponds(t.Context(), d.RedisAddr); err != nil {
		t.Error(err)
	}
	if err := consulResponds(t.Context(), d.ConsulAddr, ""); err != nil {
		t.Error(err)
	}
	if err := clamd.Responds(t.Context(), strings.TrimPrefix(d.ScannerURL, "tcp://")); err != nil {
		t.Error(err)
	}
	for setting, wanted := range map[string]string{"fsync": "on", "jit": "off", "TimeZone": "UTC", "synchronous_commit": "on"} {
		if got := query[string](t, d.PostgresURL, "SHOW "+setting); got != wanted {
			t.Errorf("PostgreSQL has %s = %s, not %s", setting, got, wanted)
		}
	}
	if got := query[string](t, s.roleURL(s.cells[0], postgres.Role("assets")), "SELECT current_user"); got != "ams_assets" {
		t.Errorf("the service's role is %s", got)
	}
	began := time.Now()
	s.Stop()
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("stopping took %s", took)
	}
	for name, pid := range d.PIDs {
		if running(pid) {
			t.Errorf("%s (%d) is still there", name, pid)
		}
	}
	if _, err := Read(folder); err == nil {
		t.Errorf("%s is still there", FileName)
	}
}

// All programs of a machine ask Consul from one address, each for every service that it calls, and all wait for an answer at once.
func TestConsulAnswersAllProgramsOfAMachineAtOnce(t *testing.T) {
	s, _ := startInfrastructure(t, runFolder(t))
	address := s.Description().ConsulAddr
	held := make([]net.Conn, 0, 500)
	for range cap(held) {
		connection, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatalf("after %d connections: %v", len(held), err)
		}
		defer connection.Close()
		held = append(held, connection)
	}
	for number, connection := range held {
		if err := connection.SetDeadline(time.Now().Add(10 * time.Second)); err != nil {
			t.Fatal(err)
		}
		if _, err := fmt.Fprintf(connection, "GET /v1/status/leader HTTP/1.1\r\nHost: %s\r\n\r\n", address); err != nil {
			t.Fatalf("connection %d: %v", number, err)
		}
		response, err := http.ReadResponse(bufio.NewReader(connection), nil)
		if err != nil {
			t.Fatalf("connection %d: %v", number, err)
		}
		response.Body.Close()
		if response.StatusCode != http.StatusOK {
			t.Fatalf("connection %d: %s", number, response.Status)
		}
	}
}

func TestASecondStartKeepsTheDataAndIsFaster(t *testing.T) {
	folder := runFolder(t)
	first, _ := startInfrastructure(t, folder)
	query[int](t, first.Description().PostgresURL, "WITH made AS (SELECT 1 AS n) SELECT n FROM made")
	connection, err := pgx.Connect(t.Context(), first.Description().PostgresURL)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := connection.Exec(t.Context(), "CREATE TABLE public.kept AS SELECT 42 AS n"); err != nil {
		t.Fatal(err)
	}
	connection.Close(t.Context())
	secret := first.secrets.Principal
	first.Stop()
	began := time.Now()
	second, _ := startInfrastructure(t, folder)
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("the second start took %s", took)
	}
	if got := query[int](t, second.Description().PostgresURL, "SELECT n FROM public.kept"); got != 42 {
		t.Errorf("the row reads %d", got)
	}
	if second.secrets.Principal != secret {
		t.Error("the secrets were made anew")
	}
}

func TestAProcessThatDiesIsStartedAgainAndItIsSaid(t *testing.T) {
	folder := runFolder(t)
	s, shown := startInfrastructure(t, folder)
	for _, name := range []string{"redis", "consul", "clamd", "postgres"} {
		before := s.Description().PIDs[name]
		if err := syscall.Kill(before, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		testwait.For(t, 20*time.Second, name+" is back", func() bool { return strings.Contains(shown.String(), name+" is back") })
		d, err := Read(folder)
		if err != nil {
			t.Fatal(err)
		}
		if d.PIDs[name] == before || !running(d.PIDs[name]) {
			t.Errorf("%s has process %d in %s, %d before", name, d.PIDs[name], FileName, before)
		}
		if !strings.Contains(shown.String(), name+" died (signal: killed)") {
			t.Errorf("nothing was said about %s:\n%s", name, shown)
		}
	}
	if got := query[int](t, s.Description().PostgresURL, "SELECT 1"); got != 1 {
		t.Error("PostgreSQL does not answer")
	}
}

func TestTwoStacksLiveSideBySideAndOneFolderHasOnlyOne(t *testing.T) {
	folder := runFolder(t)
	a, _ := startInfrastructure(t, folder)
	b, _ := startInfrastructure(t, runFolder(t))
	if a.Description().PostgresURL == b.Description().PostgresURL || a.Description().RedisAddr == b.Description().RedisAddr {
		t.Error("the two share something")
	}
	_, err := Start(t.Context(), Options{Folder: folder, InfrastructureOnly: true})
	if err == nil || !strings.Contains(err.Error(), "AMS_RUN_DIR") || !strings.Contains(err.Error(), fmt.Sprint(os.Getpid())) {
		t.Errorf("a second stack in the same folder is not refused with the way out: %v", err)
	}
	if err := Drop(folder); err == nil {
		t.Error("a running stack's folder was dropped")
	}
	if _, err := Read(folder); err != nil {
		t.Errorf("the refused one took the first one's description away: %v", err)
	}
}

func TestWhatIsGivenFromOutsideIsUsedInstead(t *testing.T) {
	outside, _ := startInfrastructure(t, runFolder(t))
	d := outside.Description()
	shown := &screen{}
	inside, err := Start(t.Context(), Options{
		Folder: runFolder(t), InfrastructureOnly: true, Out: shown,
		DatabaseURL: outside.cells[0].adminURL, RedisAddr: d.RedisAddr, ConsulAddr: d.ConsulAddr, ScannerURL: d.ScannerURL,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer inside.Stop()
	if pids := inside.Description().PIDs; len(pids) != 0 {
		t.Errorf("processes of its own: %v", pids)
	}
	if inside.Description().RedisAddr != d.RedisAddr || inside.Description().ConsulAddr != d.ConsulAddr ||
		inside.Description().ScannerURL != d.ScannerURL {
		t.Errorf("others are used: %+v", inside.Description())
	}
}

func TestATakenPortIsRefusedWithTheWayOut(t *testing.T) {
	foreign, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer foreign.Close()
	_, err = Start(t.Context(), Options{Folder: runFolder(t), Port: foreign.Addr().(*net.TCPAddr).Port, InfrastructureOnly: true})
	if err == nil || !strings.Contains(err.Error(), "AMS_PORT=") {
		t.Errorf("%v", err)
	}
}

func TestAnAnswerOfAStrangerIsNotReadiness(t *testing.T) {
	foreign, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer foreign.Close()
	if err := ownedBy(os.Getpid(), foreign.Addr().String()); err != nil {
		t.Errorf("our own listener is not recognised: %v", err)
	}
	if err := ownedBy(1, foreign.Addr().String()); err == nil {
		t.Error("our listener was taken for process 1's")
	}
}

func TestDataStaysWherePostgreSQLsAccountCanReachIt(t *testing.T) {
	if os.Getuid() != 0 {
		return // only root runs PostgreSQL under another account
	}
	folder := filepath.Join(t.TempDir(), "run") // below a folder that is closed to others
	s, shown := startInfrastructure(t, folder)
	if !strings.Contains(shown.String(), "cannot reach") {
		t.Errorf("it is not said where the data is:\n%s", shown)
	}
	s.Stop()
	links, _ := filepath.Glob(filepath.Join(folder, "postgres-*"))
	if len(links) != 1 {
		t.Fatalf("no link to the data: %v", links)
	}
	target, err := os.Readlink(links[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := Drop(folder); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(target); !os.IsNotExist(err) {
		t.Errorf("%s is still there after the folder was dropped", target)
	}
}
