package service_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/fstest"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/discovery/consultest"
	"ams.internal/libs/postgres/postgrestest"
	"ams.internal/libs/service"
	"ams.internal/libs/testwait"
)

// TestMain makes the test binary a program too: started with AMS_TEST_PROGRAM it is a small service, so that signals,
// exits and output are those of a real process.
func TestMain(m *testing.M) {
	switch os.Getenv("AMS_TEST_PROGRAM") {
	case "":
		os.Exit(m.Run())
	case "stateless":
		service.Main(service.Define("assets", nil, build))
	case "database":
		service.Main(service.Define("assets", migrations, build))
	case "several":
		service.Main(service.Define("gateway", nil, buildFront), service.Define("assets", migrations, build),
			service.Define("users", migrations, build))
	}
}

var migrations fs.FS = fstest.MapFS{
	"00001_site.sql": {Data: []byte("-- +goose Up\nCREATE TABLE site (name text);\n-- +goose Down\nDROP TABLE site;\n")},
}

func build(s *service.Service) (http.Handler, error) {
	s.Background("count", func(ctx context.Context) {
		<-ctx.Done()
		s.Log.Info("background ended")
	})
	panicked := false
	s.Background("panics once", func(ctx context.Context) {
		if !panicked {
			panicked = true
			panic("the first attempt")
		}
		s.Log.Info("background began again")
		<-ctx.Done()
	})
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/sleep", func(w http.ResponseWriter, r *http.Request) {
		duration, err := time.ParseDuration(r.URL.Query().Get("for"))
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		w.WriteHeader(http.StatusOK)
		_ = http.NewResponseController(w).Flush()
		select {
		case <-time.After(duration):
			_, _ = io.WriteString(w, "finished")
		case <-r.Context().Done():
			s.Log.Info("request was cut off")
		}
	})
	mux.HandleFunc("POST /v1/hold", func(w http.ResponseWriter, r *http.Request) { // runs until its caller has sent all
		w.WriteHeader(http.StatusOK)
		controller := http.NewResponseController(w)
		_ = controller.EnableFullDuplex()
		_ = controller.Flush()
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(w, "finished")
	})
	return mux, nil
}

func TestATermSignalLetsWhatRunsFinish(t *testing.T) {
	t.Parallel()
	agent := consultest.Start(t)
	p := start(t, "stateless", "AMS_CONSUL_ADDR="+agent.Addr, "AMS_DRAIN_DELAY=3s") // on a busy machine a moment is not seen
	testwait.For(t, time.Minute, "the instance is in Consul and passing", func() bool {
		return strings.Contains(get(t, "http://"+agent.Addr+"/v1/health/service/assets?passing"), `"Port":`+port(p.address))
	})
	entry := get(t, "http://"+agent.Addr+"/v1/health/service/assets?passing")
	for _, want := range []string{`"protocol":"http"`, `"region":"ca-central-1"`, `"version":`} {
		if !strings.Contains(entry, want) {
			t.Errorf("the entry lacks %s: %s", want, entry)
		}
	}
	running, release := hold(t, p)
	p.signal(t, syscall.SIGTERM)
	testwait.For(t, time.Minute, "readyz is 503 while the process still takes requests",
		func() bool { return status(p, "/readyz") == http.StatusServiceUnavailable })
	testwait.For(t, time.Minute, "Consul has been left",
		func() bool { return get(t, "http://"+agent.Addr+"/v1/health/service/assets") == "[]" })
	testwait.For(t, time.Minute, "nothing new is taken", func() bool { return status(p, "/livez") == 0 })
	select {
	case body := <-running:
		t.Errorf("the running request ended before its caller had sent all, with %q", body)
		return
	default:
		release()
	}
	if body := <-running; body != "finished" {
		t.Errorf("the running request ended with %q", body)
	}
	if code := p.wait(t, time.Minute); code != 0 {
		t.Errorf("exit status %d", code)
	}
	for _, want := range []string{"background began again", "the first attempt", "background ended", `"msg":"drained"`} {
		if !strings.Contains(p.output(), want) {
			t.Errorf("the log lacks %q:\n%s", want, p.output())
		}
	}
}

func TestRequestsSentWhileTheProcessLeavesAreServed(t *testing.T) {
	t.Parallel()
	agent := consultest.Start(t)
	p := start(t, "stateless", "AMS_CONSUL_ADDR="+agent.Addr, "AMS_DRAIN_DELAY=3s") // longer than this sends, on a busy machine too
	testwait.For(t, time.Minute, "it is ready", func() bool { return status(p, "/readyz") == http.StatusOK })
	p.signal(t, syscall.SIGTERM)
	served := 0
	for end := time.Now().Add(120 * time.Millisecond); time.Now().Before(end); {
		response, err := http.Get("http://" + p.address + "/v1/sleep?for=1ms")
		if err != nil {
			t.Fatalf("a request was refused within the pause, after %d served: %v", served, err)
		}
		body, err := io.ReadAll(response.Body)
		_ = response.Body.Close()
		if err != nil || string(body) != "finished" {
			t.Fatalf("%q, %v", body, err)
		}
		served++
	}
	if code := p.wait(t, time.Minute); code != 0 || served == 0 {
		t.Errorf("exit status %d, %d served", code, served)
	}
}

func TestTheDrainEndsWhenItsTimeIsOver(t *testing.T) {
	t.Parallel()
	p := start(t, "stateless", "AMS_DISCOVERY=static", "AMS_DRAIN_TIMEOUT=300ms")
	running := request(t, p, "/v1/sleep?for=1m")
	p.signal(t, syscall.SIGTERM)
	if code := p.wait(t, time.Minute); code != 1 {
		t.Errorf("exit status %d", code)
	}
	if body := <-running; body == "finished" {
		t.Error("the request finished")
	}
	if !strings.Contains(p.output(), "cut off") {
		t.Errorf("nothing is said of what was cut off:\n%s", p.output())
	}
}

func TestASecondSignalEndsTheDrain(t *testing.T) {
	t.Parallel()
	// By itself it would end with the request, as if nothing had been
	p := start(t, "stateless", "AMS_DISCOVERY=static", "AMS_DRAIN_TIMEOUT=5m")
	request(t, p, "/v1/sleep?for=1m")
	p.signal(t, syscall.SIGTERM)
	time.Sleep(300 * time.Millisecond)
	p.signal(t, os.Interrupt)
	if code := p.wait(t, 30*time.Second); code != 1 { // the request would have taken a minute
		t.Errorf("exit status %d", code)
	}
}

func TestReadinessFollowsTheDatabaseWithoutARestart(t *testing.T) {
	t.Parallel()
	database := postgrestest.New(t, "assets", migrations)
	proxy := newDatabaseProxy(t, database.URL)
	p := start(t, "database", "AMS_DISCOVERY=static", "AMS_DATABASE_URL="+proxy.url)
	testwait.For(t, time.Minute, "it is ready", func() bool { return status(p, "/readyz") == http.StatusOK })
	proxy.cut()
	testwait.For(t, time.Minute, "it is not ready", func() bool { return status(p, "/readyz") == http.StatusServiceUnavailable })
	if n := strings.Count(p.output(), `"msg":"ready`); n != 1 {
		t.Errorf("ready was said %d times", n)
	}
	if body := get(t, "http://"+p.address+"/readyz"); !strings.Contains(body, "database") {
		t.Errorf("readyz does not name what is down: %s", body)
	}
	if status(p, "/livez") != http.StatusOK {
		t.Error("livez is not 200 while the database is down")
	}
	proxy.restore()
	testwait.For(t, time.Minute, "it is ready again", func() bool { return status(p, "/readyz") == http.StatusOK })
}

// A cell that is away is no reason to take no requests of the others' organizations.
func TestOneCellThatAnswersIsEnoughToBeReady(t *testing.T) {
	t.Parallel()
	first, second := postgrestest.New(t, "assets", migrations), postgrestest.New(t, "assets", migrations)
	one, other := newDatabaseProxy(t, first.URL), newDatabaseProxy(t, second.URL)
	p := start(t, "database", "AMS_DISCOVERY=static", "AMS_DATABASE_URL="+one.url, "AMS_CELLS=second="+other.url)
	testwait.For(t, time.Minute, "it is ready", func() bool { return status(p, "/readyz") == http.StatusOK })
	one.cut()
	other.cut()
	testwait.For(t, time.Minute, "it is not ready", func() bool { return status(p, "/readyz") == http.StatusServiceUnavailable })
	other.restore()
	testwait.For(t, time.Minute, "it is ready again with the second", func() bool { return status(p, "/readyz") == http.StatusOK })
	for range 40 { // longer than a condition that passed counts
		if got := status(p, "/readyz"); got != http.StatusOK {
			t.Fatalf("readyz = %d while one cell is there", got)
		}
		time.Sleep(100 * time.Millisecond)
	}
}

func TestAProcessStartsBeforeItsDatabase(t *testing.T) {
	t.Parallel()
	database := postgrestest.New(t, "assets", migrations)
	proxy := newDatabaseProxy(t, database.URL)
	proxy.cut()
	p := start(t, "database", "AMS_DISCOVERY=static", "AMS_DATABASE_URL="+proxy.url)
	if got := status(p, "/readyz"); got != http.StatusServiceUnavailable {
		t.Errorf("readyz = %d", got)
	}
	proxy.restore()
	testwait.For(t, time.Minute, "it is ready", func() bool { return status(p, "/readyz") == http.StatusOK })
}

func TestMigrateNeedsTheOwnersAddressOnly(t *testing.T) {
	t.Parallel()
	database := postgrestest.New(t, "assets", migrations)
	output, code := finish(t, "database", []string{"migrate", "assets"}, "AMS_OWNER_DATABASE_URL="+database.OwnerURL)
	if code != 0 {
		t.Errorf("exit status %d: %s", code, output)
	}
	output, code = finish(t, "database", []string{"migrate", "assets"})
	if code != 2 || !strings.Contains(output, "AMS_OWNER_DATABASE_URL is not set") {
		t.Errorf("exit status %d: %s", code, output)
	}
}

// Each schema of before 0.1 has the function by which it is known.
func TestADatabaseOfBeforeTheFirstReleaseIsRefused(t *testing.T) {
	t.Parallel()
	database := postgrestest.New(t, "assets", nil)
	owner, err := pgx.Connect(t.Context(), database.OwnerURL)
	if err != nil {
		t.Fatal(err)
	}
	defer owner.Close(context.WithoutCancel(t.Context()))
	if _, err := owner.Exec(t.Context(), "CREATE FUNCTION outbox_done(ids uuid[]) RETURNS bigint LANGUAGE sql RETURN 0"); err != nil {
		t.Fatal(err)
	}
	output, code := finish(t, "database", []string{"migrate", "assets"}, "AMS_OWNER_DATABASE_URL="+database.OwnerURL)
	if code != 2 || !strings.Contains(output, "this database was made before 0.1, whose data are not carried over") ||
		!strings.Contains(output, "make clean-run") {
		t.Errorf("exit status %d: %s", code, output)
	}
	var migrated bool
	if err := owner.QueryRow(t.Context(), "SELECT to_regclass('migration') IS NOT NULL").Scan(&migrated); err != nil || migrated {
		t.Errorf("the migrations have begun (%v)", err)
	}
	if _, err := owner.Exec(t.Context(), "DROP FUNCTION outbox_done(uuid[])"); err != nil {
		t.Fatal(err)
	}
	if output, code := finish(t, "database", []string{"migrate", "assets"}, "AMS_OWNER_DATABASE_URL="+database.OwnerURL); code != 0 {
		t.Errorf("a database of today: exit status %d: %s", code, output)
	}
}

func TestARefusedEnvironmentEndsTheProcessAtOnce(t *testing.T) {
	t.Parallel()
	output, code := finish(t, "database", []string{"serve", "assets"}, "AMS_LOG_LEVEL=loud")
	if code != 2 || !strings.Contains(output, `AMS_LOG_LEVEL is "loud"`) || !strings.Contains(output, "ams -help assets") {
		t.Errorf("exit status %d: %s", code, output)
	}
	output, code = finish(t, "database", []string{"serve", "assets"})
	if code != 2 || !strings.Contains(output, "AMS_DATABASE_URL is not set") {
		t.Errorf("exit status %d: %s", code, output)
	}
	output, code = finish(t, "database", []string{"-help", "assets"})
	if code != 0 || !strings.Contains(output, "AMS_DRAIN_TIMEOUT") {
		t.Errorf("exit status %d: %s", code, output)
	}
	output, code = finish(t, "database", []string{"-help=markdown"})
	if code != 0 || !strings.Contains(output, "| `AMS_DRAIN_TIMEOUT` |") {
		t.Errorf("exit status %d: %s", code, output)
	}
}

func TestAnAddressThatIsTakenIsSaid(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = taken.Close() }()
	output, code := finish(t, "stateless", []string{"serve", "assets"}, "AMS_DISCOVERY=static", "AMS_LISTEN="+taken.Addr().String())
	if code != 1 || !strings.Contains(output, "address already in use") {
		t.Errorf("exit status %d: %s", code, output)
	}
}

func TestHeadersThatNeverEndAreCutOff(t *testing.T) {
	t.Parallel()
	p := start(t, "stateless", "AMS_DISCOVERY=static")
	connection, err := net.Dial("tcp", p.address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = connection.Close() }()
	if _, err := io.WriteString(connection, "GET /livez HTTP/1.1\r\nHost: x\r\nX-Slow: "); err != nil {
		t.Fatal(err)
	}
	begin := time.Now()
	_ = connection.SetReadDeadline(time.Now().Add(time.Minute))
	_, err = io.ReadAll(connection)
	if elapsed := time.Since(begin); err != nil || elapsed < 4*time.Second { // how much later depends on the machine
		t.Errorf("ended after %v with %v", elapsed, err)
	}
}

func TestAnIdleProcessIsSmall(t *testing.T) {
	t.Parallel()
	agent := consultest.Start(t)
	database := postgrestest.New(t, "assets", migrations)
	p := start(t, "database", "AMS_CONSUL_ADDR="+agent.Addr, "AMS_DATABASE_URL="+database.URL, "AMS_OTLP_ENDPOINT=http://127.0.0.1:1")
	testwait.For(t, time.Minute, "it is ready", func() bool { return status(p, "/readyz") == http.StatusOK })
	time.Sleep(time.Second)
	text, err := os.ReadFile("/proc/" + strconv.Itoa(p.command.Process.Pid) + "/status")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.SplitSeq(string(text), "\n") {
		if resident, found := strings.CutPrefix(line, "VmRSS:"); found {
			kilobytes, err := strconv.Atoi(strings.TrimSpace(strings.TrimSuffix(resident, "kB")))
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("resident: %d MB", kilobytes/1024)
			if kilobytes > 60*1024 && !raceDetector {
				t.Errorf("an idle process takes %d MB", kilobytes/1024)
			}
		}
	}
}

// process is a running program of ours.
type process struct {
	command *exec.Cmd
	address string
	ended   chan struct{}
	mu      sync.Mutex
	lines   bytes.Buffer
}

// start runs the program and waits for its first line, which says where it listens.
func start(t *testing.T, program string, environ ...string) *process {
	t.Helper()
	return startWith(t, program, []string{"serve", "assets"}, environ...)
}

// startWith is start with other targets.
func startWith(t *testing.T, program string, args []string, environ ...string) *process {
	t.Helper()
	p := &process{command: command(program, args, environ), ended: make(chan struct{})}
	stdout, err := p.command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.command.Stderr = writer(p.write)
	if err := p.command.Start(); err != nil {
		t.Fatal(err)
	}
	first := make(chan string, 1)
	go func() {
		defer close(p.ended)
		lines := bufio.NewScanner(stdout)
		for lines.Scan() {
			select {
			case first <- lines.Text():
			default:
			}
			_, _ = p.write(append(lines.Bytes(), '\n'))
		}
		_ = p.command.Wait() // the status is in ProcessState
	}()
	t.Cleanup(func() {
		_ = p.command.Process.Kill() // fails only if it has ended
		<-p.ended
		if t.Failed() {
			t.Logf("output:\n%s", p.output())
		}
	})
	select {
	case line := <-first:
		var listening struct{ Msg, Address string }
		if err := json.Unmarshal([]byte(line), &listening); err != nil || listening.Msg != "listening" || listening.Address == "" {
			t.Fatalf("the first line is %q", line)
		}
		p.address = listening.Address
	case <-time.After(time.Minute):
		t.Fatalf("the process does not listen:\n%s", p.output())
	}
	return p
}

// finish runs the program to its end.
func finish(t *testing.T, program string, args []string, environ ...string) (output string, code int) {
	t.Helper()
	c := command(program, args, environ)
	combined, err := c.CombinedOutput()
	if c.ProcessState == nil {
		t.Fatal(err)
	}
	return string(combined), c.ProcessState.ExitCode()
}

func command(program string, args, environ []string) *exec.Cmd {
	c := exec.Command(os.Args[0], args...)
	c.Env = append([]string{"AMS_TEST_PROGRAM=" + program, "AMS_PRINCIPAL_SECRETS=" + secret,
		"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME")}, environ...)
	c.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	return c
}

func (p *process) write(line []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.lines.Write(line)
}

func (p *process) output() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.lines.String()
}

func (p *process) signal(t *testing.T, signal os.Signal) {
	t.Helper()
	if err := p.command.Process.Signal(signal); err != nil {
		t.Fatal(err)
	}
}

func (p *process) wait(t *testing.T, within time.Duration) int {
	t.Helper()
	select {
	case <-p.ended:
	case <-time.After(within):
		t.Fatalf("the process did not end within %v:\n%s", within, p.output())
	}
	return p.command.ProcessState.ExitCode()
}

type writer func([]byte) (int, error)

func (w writer) Write(p []byte) (int, error) { return w(p) }

// request sends a request and returns once its response has begun; the channel gives the body.
func request(t *testing.T, p *process, path string) <-chan string {
	t.Helper()
	response, err := http.Get("http://" + p.address + path)
	if err != nil {
		t.Fatal(err)
	}
	return bodyOf(response)
}

// hold begins a request that runs until it is released.
func hold(t *testing.T, p *process) (body <-chan string, release func()) {
	t.Helper()
	sent, sending := io.Pipe()
	t.Cleanup(func() { _ = sending.Close() })
	response, err := http.Post("http://"+p.address+"/v1/hold", "application/octet-stream", sent)
	if err != nil {
		t.Fatal(err)
	}
	return bodyOf(response), func() { _ = sending.Close() }
}

func bodyOf(response *http.Response) <-chan string {
	body := make(chan string, 1)
	go func() {
		defer func() { _ = response.Body.Close() }()
		text, err := io.ReadAll(response.Body)
		if err != nil {
			text = fmt.Append(text, err)
		}
		body <- string(text)
	}()
	return body
}

// status is the status of the response; 0 where there is none. Every call has a connection of its own.
func status(p *process, path string) int {
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: time.Second}
	response, err := client.Get("http://" + p.address + path)
	if err != nil {
		return 0
	}
	_ = response.Body.Close()
	return response.StatusCode
}

func get(t *testing.T, address string) string {
	t.Helper()
	response, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(body))
}

func port(address string) string {
	_, port, _ := net.SplitHostPort(address)
	return port
}
