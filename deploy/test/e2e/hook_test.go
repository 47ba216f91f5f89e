package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"ams.internal/deploy/devstack"
)

// timeout is how long anything may take to arrive: nothing here measures speed.
const timeout = 90 * time.Second

// delivered is one call of an endpoint.
type delivered struct {
	header http.Header
	body   []byte
	event  map[string]any
}

func (d delivered) eventType() string { text, _ := d.event["type"].(string); return text }

// object is the record that the event tells of.
func (d delivered) object() map[string]any {
	data, _ := d.event["data"].(map[string]any)
	object, _ := data["object"].(map[string]any)
	return object
}

func (d delivered) record() string { id, _ := d.object()["id"].(string); return id }

// hook is a receiver inside the test.
type hook struct {
	url string

	mu      sync.Mutex
	calls   []delivered
	respond func(delivered) int // the status; nil: 204
}

func newHook(t testing.TB) *hook {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	h := &hook{url: "http://" + listener.Addr().String() + "/hooks"}
	server := &http.Server{Handler: h}
	go server.Serve(listener)
	t.Cleanup(func() { server.Close() })
	return h
}

// ServeHTTP implements http.Handler.
func (h *hook) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	call := delivered{header: r.Header, body: body}
	if json.Unmarshal(body, &call.event) != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	h.mu.Lock()
	respond := h.respond
	h.mu.Unlock()
	status := http.StatusNoContent
	if respond != nil {
		status = respond(call)
	}
	h.mu.Lock()
	h.calls = append(h.calls, call)
	h.mu.Unlock()
	w.WriteHeader(status)
}

// answers sets the response to every call from now on.
func (h *hook) answers(status int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.respond = func(delivered) int { return status }
}

func (h *hook) all() []delivered {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]delivered(nil), h.calls...)
}

func (h *hook) find(fits func(delivered) bool) (delivered, bool) {
	for _, call := range h.all() {
		if fits(call) {
			return call, true
		}
	}
	return delivered{}, false
}

// await gives the first call that fits, whenever it came.
func (h *hook) await(t testing.TB, what string, fits func(delivered) bool) delivered {
	t.Helper()
	for deadline := time.Now().Add(timeout); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if call, found := h.find(fits); found {
			return call
		}
	}
	var types []string
	for _, call := range h.all() {
		types = append(types, call.eventType())
	}
	t.Fatalf("%s did not arrive; what did: %v", what, types)
	return delivered{}
}

func of(eventType, record string) func(delivered) bool {
	return func(d delivered) bool { return d.eventType() == eventType && (record == "" || d.record() == record) }
}

// subscribe makes an endpoint for the time of the test: an organization has twenty at most.
func subscribe(t testing.TB, c caller, url string, settings map[string]any, eventTypes ...string) (id, secret string) {
	t.Helper()
	body := map[string]any{"url": url, "event_types": eventTypes}
	for name, value := range settings {
		body[name] = value
	}
	made := c.must(t, 201, "POST", "/v1/webhook-endpoints", body)
	id, _ = made.object["id"].(string)
	secret, _ = made.object["secret"].(string)
	if !strings.HasPrefix(secret, "whsec_") {
		t.Fatalf("the endpoint was made without a secret: %s", made.body)
	}
	t.Cleanup(func() {
		if deleted, err := c.try("DELETE", "/v1/webhook-endpoints/"+id, nil); err != nil || deleted.status >= 500 {
			t.Errorf("the endpoint stays: %d, %v", deleted.status, err)
		}
	})
	return id, secret
}

// line is what a receiver of deploy/examples says about a call.
type line struct {
	Listening string `json:"listening"`
	Outcome   string `json:"outcome"` // applied, duplicate, outdated, refused
	ID        string `json:"id"`
	Type      string `json:"type"`
	Record    string `json:"record"`
	Version   int    `json:"version"`
}

// program is a receiver of deploy/examples: a process of its own, written against the standard's libraries.
type program struct {
	url string

	mu      sync.Mutex
	printed []line
}

// startReceiver starts the receiver "go" or "node" with the endpoint's secret.
func startReceiver(t testing.TB, language, secret string) *program {
	t.Helper()
	var command *exec.Cmd
	switch language {
	case "go":
		command = exec.Command(builtReceiver(t), "-listen", "127.0.0.1:0")
	case "node":
		command = exec.Command("node", "receiver.mjs", "0")
		command.Dir = installedReceiver(t)
	}
	command.Env = append(os.Environ(), "WEBHOOK_SECRET="+secret)
	command.Stderr = os.Stderr
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	output, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := devstack.StartChild(command); err != nil {
		t.Fatalf("the receiver in %s: %v", language, err)
	}
	p := &program{}
	listening, ended := make(chan string, 1), make(chan struct{})
	go func() {
		defer close(ended)
		for lines := bufio.NewScanner(output); lines.Scan(); {
			var l line
			if json.Unmarshal(lines.Bytes(), &l) != nil {
				continue
			}
			if l.Listening != "" {
				listening <- l.Listening
				continue
			}
			p.mu.Lock()
			p.printed = append(p.printed, l)
			p.mu.Unlock()
		}
	}()
	t.Cleanup(func() {
		command.Process.Kill()
		<-ended
		command.Wait()
	})
	select {
	case p.url = <-listening:
	case <-ended:
		t.Fatalf("the receiver in %s ended at its start", language)
	case <-time.After(timeout):
		t.Fatalf("the receiver in %s does not listen", language)
	}
	return p
}

// await gives the first line that fits.
func (p *program) await(t testing.TB, what string, fits func(line) bool) line {
	t.Helper()
	for deadline := time.Now().Add(timeout); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		p.mu.Lock()
		for _, l := range p.printed {
			if fits(l) {
				p.mu.Unlock()
				return l
			}
		}
		p.mu.Unlock()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	t.Fatalf("the receiver did not say %s; it said %v", what, p.printed)
	return line{}
}

// pass hands a call on, byte for byte, as a proxy before the receiver would.
func (p *program) pass(t testing.TB, call delivered) {
	t.Helper()
	request, err := http.NewRequest(http.MethodPost, p.url, bytes.NewReader(call.body))
	if err != nil {
		t.Error(err)
		return
	}
	request.Header = call.header.Clone()
	response, err := client.Do(request)
	if err != nil {
		t.Errorf("the receiver does not answer: %v", err)
		return
	}
	response.Body.Close()
}

func examples(t testing.TB) string {
	t.Helper()
	checkout, err := devstack.Checkout()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(checkout, "deploy/examples")
}

func builtReceiver(t testing.TB) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "receiver-go")
	build := exec.Command("go", "build", "-o", file, ".")
	build.Dir = filepath.Join(examples(t), "receiver-go")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return file
}

// installedReceiver installs the receiver in Node with exactly the packages of its lock file.
func installedReceiver(t testing.TB) string {
	t.Helper()
	folder := t.TempDir()
	for _, name := range []string{"package.json", "package-lock.json", "receiver.mjs"} {
		content, err := os.ReadFile(filepath.Join(examples(t), "receiver-node", name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	install := exec.Command("npm", "ci", "--no-audit", "--no-fund", "--prefer-offline")
	install.Dir = folder
	if out, err := install.CombinedOutput(); err != nil {
		t.Fatalf("npm ci: %v\n%s", err, out)
	}
	return folder
}
