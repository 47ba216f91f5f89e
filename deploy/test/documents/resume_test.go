package documents

import (
	"bufio"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ams.internal/deploy/devstack"
)

// film writes a file of so many bytes in lines of chance, and gives its path and digest.
func film(t testing.TB, size int) (path, digest string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "visite.txt")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	hash := sha256.New()
	to := bufio.NewWriter(io.MultiWriter(file, hash))
	for line := make([]byte, 500); size > 0; size -= 1000 {
		_, _ = rand.Read(line) // cannot fail
		if _, err := to.WriteString(hex.EncodeToString(line)[:min(size, 999)] + "\n"); err != nil {
			t.Fatal(err)
		}
	}
	if err := to.Flush(); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	return path, hex.EncodeToString(hash.Sum(nil))
}

// tus-js-client sends 120 MB through two gateways. Meanwhile both instances of the service are killed, then the gateway that it speaks to,
// then the client itself, which goes on at the other gateway.
func TestTusJSClientGoesOnAfterKills(t *testing.T) {
	d := devstack.ForTest(t).Description()
	c := newCaller(t, d, city)
	folder := t.TempDir()
	if err := os.Symlink(nodePackages(t).Package("."), filepath.Join(folder, "node_modules")); err != nil {
		t.Fatal(err)
	}
	script, err := os.ReadFile(filepath.Join("testdata", "upload.mjs"))
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(folder, "upload.mjs")
	if err := os.WriteFile(program, script, 0o600); err != nil {
		t.Fatal(err)
	}
	const size = 120_000_000
	file, digest := film(t, size)
	site := c.must(t, http.StatusCreated, "POST", "/v1/sites", map[string]any{"name": "Visite " + t.Name()}).Object["id"].(string)
	kill := func(names ...string) {
		for _, name := range names {
			if err := syscall.Kill(devstack.ForTest(t).Description().PIDs[name], syscall.SIGKILL); err != nil {
				t.Errorf("kill %s: %v", name, err)
			}
		}
	}
	// run runs the client until it has ended, or until what its lines say was kept reaches the last of the events.
	type event struct {
		at int64
		do func()
	}
	run := func(gateway, chunk, state string, events []event) (document string) {
		t.Helper()
		client := nodePackages(t).Command(t, program)
		client.Env = append(client.Env, "ENDPOINT="+gateway+"/v1/uploads", "KEY="+c.key, "FILE="+file, "STATE="+state, "RECORD="+site,
			"CHUNK="+chunk)
		said, err := client.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		var complaints strings.Builder
		client.Stderr = &complaints
		if err := client.Start(); err != nil {
			t.Fatal(err)
		}
		var answers []string
		killed := false
		for lines := bufio.NewScanner(said); lines.Scan(); {
			var sent int64
			switch line := lines.Text(); {
			case strings.HasPrefix(line, "document "):
				document = strings.TrimPrefix(line, "document ")
			case strings.HasPrefix(line, "sent "):
				if _, err := fmt.Sscanf(line, "sent %d", &sent); err != nil {
					t.Fatal(err)
				}
				if len(events) == 0 || sent < events[0].at {
					continue
				}
				if events[0].do == nil {
					killed = true
					if err := client.Process.Kill(); err != nil {
						t.Fatal(err)
					}
				} else {
					events[0].do()
				}
				events = events[1:]
			default:
				answers = append(answers, line)
			}
		}
		if err := client.Wait(); err != nil && !killed {
			t.Fatalf("the client: %v\n%s\n%s", err, strings.Join(answers, "\n"), complaints.String())
		}
		t.Logf("answers: %s", strings.Join(answers, ", "))
		if len(events) > 0 {
			t.Errorf("%d kills did not come to pass", len(events))
		}
		return document
	}
	for name, chunk := range map[string]string{"in pieces of 9 MB": "9000000", "in pieces of 60 MB": "60000000"} {
		t.Run(name, func(t *testing.T) {
			state := filepath.Join(t.TempDir(), "state")
			if document := run(d.Gateways[1], chunk, state, []event{
				{20_000_000, func() { kill("documents-1", "documents-2") }},
				{45_000_000, func() { kill("gateway-2") }},
				{80_000_000, nil},
			}); document != "" {
				t.Fatalf("a client that was killed has made %s", document)
			}
			document := run(d.Gateways[0], chunk, state, nil)
			made := c.must(t, http.StatusOK, "GET", "/v1/documents/"+document, nil).Object
			if made["sha256"] != digest || made["size_bytes"] != float64(size) || made["title"] != "Visite" {
				t.Errorf("the document is %v, want the digest %s", made, digest)
			}
		})
	}
	kept := c.must(t, http.StatusOK, "GET", "/v1/documents?record_id="+site, nil).Object
	if total := kept["pagination"].(map[string]any)["total"]; total != 2.0 {
		t.Errorf("there are %v documents, want 2", total)
	}
}
