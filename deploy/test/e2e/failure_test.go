package e2e

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"ams.internal/deploy/devstack"
)

func TestReadsGoOnWhileAnInstanceIsKilledAndComesBack(t *testing.T) {
	reader := as(t, city, "read_only")
	s := devstack.ForTest(t)
	old := s.Description().PIDs["assets-1"]
	for i := range 120 {
		if i == 20 {
			if err := syscall.Kill(old, syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
		}
		if got := reader.do(t, "GET", "/v1/assets?per_page=1", nil); got.status != 200 {
			t.Fatalf("request %d: %d %s", i, got.status, got.body)
		}
	}
	for deadline := time.Now().Add(30 * time.Second); s.Description().PIDs["assets-1"] == old; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the killed instance was not started again")
		}
	}
}

func TestAKeyIsNowhereInLogsOrOnDisk(t *testing.T) {
	full := as(t, city, "full")
	full.must(t, 200, "GET", "/v1/assets", nil)
	full.do(t, "GET", "/v1/assets?api_key="+full.key, nil)
	full.do(t, "GET", "/v1/assets/"+full.key, nil)
	caller{full.base, "ams_live_wrong" + full.key[14:]}.must(t, 401, "GET", "/v1/assets", nil)
	full.do(t, "GET", "/v1/assets", nil, "X-Request-Id", full.key)
	nowhere(t, full.key, full.key[9:])
}

// nowhere looks for secrets in everything that the stack has written: its data, its logs.
func nowhere(t *testing.T, secrets ...string) {
	t.Helper()
	folder := devstack.ForTest(t).Folder()
	searched := 0
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // ended meanwhile
		}
		if err != nil || entry.IsDir() || entry.Name() == devstack.FileName || entry.Name() == "demo.json" {
			return err
		}
		if !entry.Type().IsRegular() {
			return nil
		}
		content, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil // ended meanwhile
		}
		if err != nil {
			return err
		}
		searched++
		for i, secret := range secrets {
			if bytes.Contains(content, []byte(secret)) {
				return fmt.Errorf("%s holds secret %d", path, i+1)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	if searched < 10 {
		t.Errorf("only %d files were searched in %s", searched, folder)
	}
}

func TestBothGatewaysServeAndCountTogether(t *testing.T) {
	t.Parallel()
	d := devstack.ForTest(t).Description()
	if len(d.Gateways) != 2 {
		t.Fatalf("there are %d gateways", len(d.Gateways))
	}
	slow := organization(t, board).Keys["slow"]
	time.Sleep(untilFreshWindow())
	passed := 0
	for i := range 12 {
		got := caller{d.Gateways[i%2], slow}.do(t, "GET", "/v1/sites?per_page=1", nil)
		switch got.status {
		case 200:
			passed++
		case 429:
			if got.header.Get("Retry-After") == "" || got.header.Get("X-RateLimit-Remaining") != "0" {
				t.Errorf("429 with %v", got.header)
			}
		default:
			t.Errorf("%d %s", got.status, got.body)
		}
	}
	if passed != 5 {
		t.Errorf("%d requests passed at a limit of 5", passed)
	}
}

// untilFreshWindow is the pause after which a minute has at least 20 seconds left.
func untilFreshWindow() time.Duration {
	if left := time.Minute - time.Duration(time.Now().UnixNano())%time.Minute; left < 20*time.Second {
		return left + 100*time.Millisecond
	}
	return 0
}

func TestTheDocumentationWorksOffline(t *testing.T) {
	nobody := caller{base: devstack.ForTest(t).Description().BaseURL}
	page := nobody.do(t, "GET", "/docs", nil)
	for page.status/100 == 3 {
		page = nobody.do(t, "GET", page.header.Get("Location"), nil)
	}
	if page.status != 200 || !strings.Contains(page.header.Get("Content-Type"), "text/html") {
		t.Fatalf("/docs: %d %s", page.status, page.header.Get("Content-Type"))
	}
	for _, elsewhere := range []string{`src="http`, `href="http`, `src="//`, `href="//`} {
		if strings.Contains(string(page.body), elsewhere) {
			t.Errorf("the page asks another host: %s", elsewhere)
		}
	}
}
