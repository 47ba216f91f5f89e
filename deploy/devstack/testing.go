package devstack

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"ams.internal/deploy/demo"
	"ams.internal/libs/postgres/postgrestest"
)

// ForTest gives the stack of this test binary: the demonstration organizations with their keys, and records only by RunTestsWithRecords. It
// is started by the first test that needs it, in a temporary folder. A package that uses it has
//
//	func TestMain(m *testing.M) { os.Exit(devstack.RunTests(m, 1)) }
func ForTest(t testing.TB) *Stack {
	t.Helper()
	shared.once.Do(func() { shared.stack, shared.err = startForTests() })
	if shared.err != nil {
		t.Fatalf("the stack for the tests did not start: %v", shared.err)
	}
	return shared.stack
}

// RunTests runs the tests and then stops what ForTest started: with one instance, one process of all programs; with two, two gateways and
// two processes of each service behind Consul, for tests in which one of them goes, or in which it matters who responds. It gives the
// exit code. When tests failed, the causes of the requests that failed are shown: the tests were told what callers are told.
func RunTests(m *testing.M, instances int) int { return runTests(m, instances, demo.Organizations) }

// RunTestsWithRecords is RunTests with one instance and all records of the demonstration organizations.
func RunTestsWithRecords(m *testing.M) int { return runTests(m, 1, demo.Everything) }

func runTests(m *testing.M, instances int, volume demo.Volume) int {
	shared.instances, shared.volume = instances, volume
	defer func() {
		if shared.stack != nil {
			shared.stack.Stop()
			if err := Drop(shared.stack.options.Folder); err != nil {
				fmt.Fprintln(os.Stderr, err)
			}
		}
	}()
	code := m.Run()
	if code != 0 && shared.stack != nil {
		shared.stack.ShowFailedRequests(os.Stderr)
	}
	return code
}

// ShowFailedRequests writes the last 20 lines of each log of the stack that say why a request failed.
func (s *Stack) ShowFailedRequests(out io.Writer) {
	paths, _ := filepath.Glob(filepath.Join(s.logs, "*.log")) // the pattern is right
	for _, path := range paths {
		content, err := os.ReadFile(path)
		if err != nil {
			fmt.Fprintln(out, err)
			continue
		}
		var failed []string
		for line := range strings.Lines(string(content)) {
			if strings.Contains(line, "request failed") && !strings.Contains(line, unreadDocument) {
				failed = append(failed, line)
			}
		}
		for _, line := range failed[max(0, len(failed)-20):] {
			fmt.Fprintf(out, "%s: %s", filepath.Base(path), line)
		}
	}
}

var shared struct {
	instances int
	volume    demo.Volume
	once      sync.Once
	stack     *Stack
	err       error
}

// ProgramEnvironment is what the stack's programs of a name are given, for a test that runs one more.
func (s *Stack) ProgramEnvironment(program string) []string {
	return s.programEnvironment(s.home(), program)
}

func startForTests() (*Stack, error) {
	binaries, err := BuildPrograms()
	if err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp(postgrestest.Folder(), "ams-test-")
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	discovery := "consul"
	if shared.instances == 1 {
		discovery = ""
	}
	return Start(ctx, Options{
		Folder: folder, Binaries: binaries, Gateways: shared.instances, Instances: shared.instances, Discovery: discovery, Demo: shared.volume,
		Together: shared.instances == 1, Prepared: true,
		Environment: []string{"AMS_REQUESTS_PER_ADDRESS=10000"}, // all strangers of tests are at one address
	})
}

// BuildPrograms builds the programs of this checkout into its bin folder, as "make build" does, once per test binary,
// and gives the folder.
func BuildPrograms() (string, error) { return buildPrograms() }

// Checkout is the root folder of the repository that this program is run from: the one that go.work is in.
var Checkout = sync.OnceValues(func() (string, error) {
	workspace, err := exec.Command("go", "env", "GOWORK").Output()
	return filepath.Dir(strings.TrimSpace(string(workspace))), err
})

var buildPrograms = sync.OnceValues(func() (string, error) {
	root, err := Checkout()
	if err != nil {
		return "", err
	}
	binaries := filepath.Join(root, "bin")
	if err := os.MkdirAll(binaries, 0o755); err != nil {
		return "", err
	}
	// One test binary builds at a time; Go itself sees that there is nothing left to build for the others.
	lock, err := lockFile(filepath.Join(binaries, ".lock"))
	if err != nil {
		return "", err
	}
	defer lock.Close()
	build := exec.Command("go", "build", "-ldflags=-w", "-o", binaries+"/", "./deploy/cmd/ams", "./deploy/cmd/dev", "./deploy/cmd/amsctl")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building the programs: %w\n%s", err, out)
	}
	return binaries, nil
})

// AddPostgres starts one more PostgreSQL server with nothing in it, for a test that makes a cell of it as people do, and gives the
// address of its administrator.
func (s *Stack) AddPostgres(ctx context.Context, name string) (string, error) {
	c := &cell{name: name}
	if err := s.startCluster(ctx, c); err != nil {
		return "", err
	}
	return c.adminURL, nil
}

// Replace replaces the processes of a program, one after the other, by ones that are given variables besides, as a rollout does.
func (s *Stack) Replace(ctx context.Context, program string, variables ...string) error {
	var chosen []*process
	s.mu.Lock()
	for _, p := range slices.Concat(s.tiers[:]...) {
		if slices.Equal(p.arguments, []string{"serve", program}) {
			chosen = append(chosen, p)
		}
	}
	s.mu.Unlock()
	for _, p := range chosen {
		if err := s.Halt(syscall.SIGTERM, p.name); err != nil {
			return err
		}
		p.mu.Lock()
		p.environment = append(p.environment, variables...)
		p.mu.Unlock()
		if err := s.Resume(ctx, p.name); err != nil {
			return err
		}
	}
	return nil
}

// Runbook gives the blocks of commands of a runbook in docs/operations, between two of its lines or headings: "" is
// its beginning or its end.
func Runbook(file, from, until string) ([]string, error) {
	root, err := Checkout()
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(filepath.Join(root, "docs/operations", file))
	if err != nil {
		return nil, err
	}
	_, part, found := strings.Cut(string(text), from)
	if !found {
		return nil, fmt.Errorf("%s has no %q", file, from)
	}
	if until != "" {
		if part, _, found = strings.Cut(part, until); !found {
			return nil, fmt.Errorf("%s has no %q", file, until)
		}
	}
	var blocks []string
	for _, block := range commandBlock.FindAllStringSubmatch(part, -1) {
		blocks = append(blocks, block[1])
	}
	return blocks, nil
}

var commandBlock = regexp.MustCompile("(?s)```sh\n(.*?)```")
