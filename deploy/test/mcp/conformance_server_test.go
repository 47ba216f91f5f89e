package mcp

import (
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"ams.internal/deploy/devstack"
	"ams.internal/libs/localport"
)

// The suite uses tools, prompts and resources by name, which the official Go library has written for itself. The fixture
// is services/mcp, built with that file among its own, as the only target of its program, but for the few lines that are replaced here.

// replacement is a line of the product that is another one in the fixture.
type replacement struct{ file, old, new string }

var mounting = replacement{"program.go", "mux := http.NewServeMux()", "server.mountFixture()\n\tmux := http.NewServeMux()"}

// streaming: our tools take no time and report no progress, so the product responds with the result alone. One of the suite's
// reports progress, on a stream.
var streaming = replacement{"server.go", "JSONResponse: true", "JSONResponse: false"}

// buildFixture builds the program.
func buildFixture(t testing.TB, replaced ...replacement) string {
	t.Helper()
	folder := t.TempDir()
	service := filepath.Join(output(t, "", "go", "list", "-m", "-f", "{{.Dir}}", "ams.internal/services"), "mcp")
	library := output(t, service, "go", "list", "-m", "-f", "{{.Dir}}", "github.com/modelcontextprotocol/go-sdk")
	overlay := map[string]string{}
	place := func(at string, content []byte) {
		path := filepath.Join(folder, strings.ReplaceAll(at, "/", "_"))
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		overlay[at] = path
	}
	put := func(name string, content []byte) { place(filepath.Join(service, name), content) }
	for _, r := range append([]replacement{mounting}, replaced...) {
		put(r.file, replaceIn(t, filepath.Join(service, r.file), r.old, r.new))
	}
	put("fixture_tools.go", replaceIn(t, filepath.Join(library, "conformance", "everything-server", "main.go"),
		"\npackage main\n", "\npackage mcp\n",
		"\nfunc main() {", "\nfunc everythingServer() {"))
	mount, err := os.ReadFile(filepath.Join("testdata", "mount.go"))
	if err != nil {
		t.Fatal(err)
	}
	put("fixture_mount.go", mount)
	root, err := devstack.Checkout()
	if err != nil {
		t.Fatal(err)
	}
	place(filepath.Join(root, "deploy", "cmd", "ams", "main.go"), []byte(`package main

import (
	"ams.internal/libs/service"
	"ams.internal/services/mcp"
)

func main() { service.Main(mcp.Program) }
`))
	listing, err := json.Marshal(map[string]any{"Replace": overlay})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "overlay.json"), listing, 0o600); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(folder, "mcp")
	output(t, root, "go", "build", "-overlay", filepath.Join(folder, "overlay.json"), "-o", program, "./deploy/cmd/ams")
	return program
}

// replaceIn is a file with texts changed, each an old one and the new one. Each old one must be there once.
func replaceIn(t testing.TB, path string, changes ...string) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text := string(content)
	for pair := range slices.Chunk(changes, 2) {
		if n := strings.Count(text, pair[0]); n != 1 {
			t.Fatalf("%s has %q %d times: the fixture must follow", path, pair[0], n)
		}
		text = strings.Replace(text, pair[0], pair[1], 1)
	}
	return []byte(text)
}

func output(t testing.TB, folder, program string, arguments ...string) string {
	t.Helper()
	command := exec.CommandContext(t.Context(), program, arguments...)
	command.Dir = folder
	command.Stderr = t.Output()
	out, err := command.Output()
	if err != nil {
		t.Fatalf("%s %s: %v", program, strings.Join(arguments, " "), err)
	}
	return strings.TrimSpace(string(out))
}

// startFixture runs the program next to the stack's, with its database and its gateway.
func startFixture(t testing.TB, program string) (address string) {
	t.Helper()
	s := devstack.ForTest(t)
	d := s.Description()
	at := localport.ForTest(t)
	host := func(address string) string { return strings.TrimPrefix(address, "http://") }
	command := exec.CommandContext(t.Context(), program, "serve", "mcp")
	command.Env = append(s.ProgramEnvironment("mcp"), "AMS_LISTEN="+at, "AMS_BASE_URL=http://"+at,
		"AMS_DISCOVERY=static", "AMS_STATIC_SERVICES=gateway="+host(d.BaseURL)+";gateway-internal="+host(d.AdminURL)) // nobody else may find it
	// to be searched with the others
	log, err := os.Create(filepath.Join(s.Folder(), "logs", "fixture-"+strings.ReplaceAll(t.Name(), "/", "-")+".log"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { log.Close() })
	command.Stdout, command.Stderr = log, log
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = command.Process.Kill(); _ = command.Wait() })
	for until := time.Now().Add(20 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		response, err := http.Get("http://" + at + "/readyz")
		if err == nil && response.Body.Close() == nil && response.StatusCode == 200 {
			return "http://" + at
		}
		if time.Now().After(until) {
			t.Fatalf("the fixture is not ready: %v", err)
		}
	}
}

var verdict = regexp.MustCompile(`(?m)^([✓✗]) (\S+): (\d+) passed, (\d+) failed`)

// required are the scenarios that the revision requires, as the suite's own file says.
func required(t testing.TB, revision string) []string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(nodePackages(t).Package("@modelcontextprotocol/conformance"), "requirements", revision+".yaml"))
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(string(content), "\nserver:\n")
	list, _, _ = strings.Cut(list, "\n\n")
	var names []string
	for line := range strings.Lines(list) {
		names = append(names, strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(line), "- ")))
	}
	return names
}

func TestConformanceOfTheProtocol(t *testing.T) {
	lent := newKey(t).value
	for _, test := range []struct {
		name     string
		replaced []replacement
		fails    []string
	}{
		{"as the product answers", nil, []string{"tools-call-with-progress"}},
		{"with streams", []replacement{streaming}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			front := lend(t, startFixture(t, buildFixture(t, test.replaced...)), lent)
			output, code := run(t, conformance(t, "server", "--url", front+"/mcp", "--timeout", timeout, "--requirements", eras[0]))
			if (code == 0) != (test.fails == nil) {
				t.Errorf("exit code %d", code)
			}
			good, names := 0, required(t, eras[0])
			for _, found := range verdict.FindAllStringSubmatch(output, -1) {
				switch {
				case !slices.Contains(names, found[2]): // extensions that there are none of here
				case found[1] == "✓" && found[3] != "0":
					good++
				case !slices.Contains(test.fails, found[2]):
					t.Errorf("%s: %s passed, %s failed", found[2], found[3], found[4])
				}
			}
			if len(names) != 37 || good != len(names)-len(test.fails) {
				t.Errorf("%d of %d required scenarios pass\n%s", good, len(names), output)
			}
			t.Logf("%d/%d required scenarios of %s", good, len(names), eras[0])
		})
	}
}
