package mcp

import (
	"bytes"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ams.internal/deploy/devstack"
)

// A key is revoked between two calls: of an assistant that sends it, and of one that was connected with it.
func TestRevocationBetweenTwoCalls(t *testing.T) {
	k := newKey(t)
	bearers := map[string]string{"the key": k.value, "a token for it": connectAssistant(t, k.value)}
	for name, bearer := range bearers {
		for i, status := range statuses(t, bearer) {
			if status != 200 {
				t.Errorf("%s at gateway %d before: %d", name, i+1, status)
			}
		}
	}
	k.revoke(t)
	for name, bearer := range bearers {
		for i, status := range statuses(t, bearer) {
			if status != 401 {
				t.Errorf("%s at gateway %d after: %d", name, i+1, status)
			}
		}
	}
}

// statuses calls a tool at each gateway.
func statuses(t testing.TB, bearer string) []int {
	t.Helper()
	var all []int
	for _, gateway := range devstack.ForTest(t).Description().Gateways {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, gateway+"/mcp",
			strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_context"}}`))
		if err != nil {
			t.Fatal(err)
		}
		for name, value := range map[string]string{"Authorization": "Bearer " + bearer, "Content-Type": "application/json",
			"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-06-18"} {
			request.Header.Set(name, value)
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		all = append(all, response.StatusCode)
	}
	return all
}

// The last test of the package looks for every key, code and token of those before it: in the logs, which have the URLs, in
// the files of PostgreSQL and Redis, and in a dump of all rows.
func TestWhatWasSecretIsWrittenNowhere(t *testing.T) {
	s := devstack.ForTest(t)
	if status := statuses(t, connectAssistant(t, newKey(t).value))[0]; status != 200 { // there are some, also when this test is run alone
		t.Fatalf("the connection cannot be used: %d", status)
	}
	secrets.mu.Lock()
	looked := slices.Clone(secrets.kept)
	secrets.mu.Unlock()
	dump, err := exec.CommandContext(t.Context(), postgresProgram(t, "pg_dump"), s.Description().PostgresURL).Output()
	if err != nil {
		t.Fatalf("pg_dump: %v", err)
	}
	if !bytes.Contains(dump, []byte("Assistants · "+t.Name())) {
		t.Error("the dump does not hold the name of the key: it is no dump of everything")
	}
	find(t, "the dump", dump, looked)
	files := 0
	err = filepath.WalkDir(s.Folder(), func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.Type().IsRegular() {
			return nil
		}
		content, err := os.ReadFile(path) // files of a running database come and go
		if err == nil {
			files++
			find(t, path, content, looked)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d secrets in %d files and %d MB of rows", len(looked), files, len(dump)>>20)
}

// find looks for secrets without what they all begin with. Of a code or token the end is enough: its beginning names the grant,
// which is no secret.
func find(t *testing.T, where string, content []byte, secrets []string) {
	t.Helper()
	for _, secret := range secrets {
		tail := secret[strings.LastIndex(secret[:min(len(secret), 12)], "_")+1:]
		tail = tail[max(0, len(tail)-40):]
		if bytes.Contains(content, []byte(tail)) {
			t.Errorf("%s… stands in %s", secret[:12], where)
		}
	}
}

func postgresProgram(t testing.TB, name string) string {
	t.Helper()
	if path, err := exec.LookPath(name); err == nil {
		return path
	}
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/" + name)
	if len(found) == 0 {
		t.Fatalf("there is no %s: run deploy/install.sh", name)
	}
	return found[len(found)-1]
}
