// Package observability tests what can be seen of the running product from outside: its traces in a real Jaeger, its figures, and its
// log lines.
package observability

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"ams.internal/deploy/demo"
	"ams.internal/deploy/devstack"
	"ams.internal/deploy/devstack/apiclient"
	"ams.internal/libs/telemetry/telemetrytest"
)

const city = "Ville de Rivière-Claire"

// world is a stack with somebody who watches it.
type world struct {
	*devstack.Stack
	jaeger    *jaeger
	figures   *telemetrytest.Collector // Jaeger takes no figures
	secrets   []string                 // what nothing that is reported or logged may have in it
	described devstack.Description
}

// newWorld starts a stack in which a share of the traces is sampled.
func newWorld(t *testing.T, ratio string) *world {
	t.Helper()
	binaries, err := devstack.BuildPrograms()
	if err != nil {
		t.Fatal(err)
	}
	w := &world{jaeger: startJaeger(t), figures: telemetrytest.Start(t)}
	folder, err := os.MkdirTemp("", "ams-traces-") //nolint:usetesting // PostgreSQL runs as somebody else, whom t.TempDir() keeps out
	if err != nil {
		t.Fatal(err)
	}
	w.Stack, err = devstack.Start(t.Context(), devstack.Options{
		Folder: folder, Binaries: binaries, Demo: demo.Organizations,
		Environment: []string{"AMS_OTLP_ENDPOINT=" + w.collector(t), "AMS_TRACE_RATIO=" + ratio},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		w.Stop()
		if err := devstack.Drop(folder); err != nil {
			t.Error(err)
		}
	})
	w.described = w.Description()
	o := w.organization(t)
	w.secrets = append(w.secrets, o.Administrator.Password, w.described.OperatorToken)
	for _, key := range o.Keys {
		w.secrets = append(w.secrets, key, key[9:])
	}
	for _, program := range []string{"gateway", "assets", "webhooks", "mcp"} {
		for _, setting := range w.ProgramEnvironment(program) {
			name, value, _ := strings.Cut(setting, "=")
			switch name {
			case "AMS_PRINCIPAL_SECRETS", "AMS_WEBHOOK_SECRETS", "AMS_MCP_SECRETS":
				w.secrets = append(w.secrets, value)
			case "AMS_DATABASE_URL":
				if address, err := url.Parse(value); err == nil {
					password, _ := address.User.Password()
					w.secrets = append(w.secrets, password)
				}
			}
		}
	}
	return w
}

// collector is what a deployment has between the programs and their backends: traces go to Jaeger as they are, figures are kept.
func (w *world) collector(t *testing.T) string {
	to, err := url.Parse(w.jaeger.receives)
	if err != nil {
		t.Fatal(err)
	}
	keep, err := url.Parse(w.figures.URL)
	if err != nil {
		t.Fatal(err)
	}
	spans, figures := httputil.NewSingleHostReverseProxy(to), httputil.NewSingleHostReverseProxy(keep)
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/traces" {
			spans.ServeHTTP(rw, r)
			return
		}
		figures.ServeHTTP(rw, r)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func (w *world) organization(t *testing.T) demo.Organization {
	t.Helper()
	found, ok := w.described.Organization(city)
	if !ok {
		t.Fatalf("there is no organization %s", city)
	}
	return found
}

type answer struct {
	status int
	header http.Header
	object map[string]any
}

func (a answer) request() string { return a.header.Get("X-Request-Id") }

func (a answer) text(name string) string {
	text, _ := a.object[name].(string)
	return text
}

// ask sends a request with a credential; header are name, value pairs.
func (w *world) ask(t *testing.T, credential, method, address string, body any, header ...string) answer {
	t.Helper()
	if strings.HasPrefix(address, "/") {
		address = w.described.BaseURL + address
	}
	a, err := apiclient.Send(http.DefaultClient, credential, method, address, body, header...)
	if err != nil {
		t.Fatalf("%s %s: %v", method, address, err)
	}
	return answer{a.Status, a.Header, a.Object}
}

// must is ask for an answer that must have a status.
func (w *world) must(t *testing.T, status int, credential, method, address string, body any, header ...string) answer {
	t.Helper()
	a := w.ask(t, credential, method, address, body, header...)
	if a.status != status {
		t.Fatalf("%s %s: %d, want %d: %v", method, address, a.status, status, a.object)
	}
	return a
}

// key makes a new key with a limit, and gives its id and value.
func (w *world) key(t *testing.T, limit int) (id, value string) {
	t.Helper()
	o := w.organization(t)
	signedIn := w.must(t, 200, w.described.OperatorToken, "POST", w.described.OperatorURL+"/internal/sign-in",
		map[string]any{"email": o.Administrator.Email, "password": o.Administrator.Password, "organization_id": o.ID})
	made := w.must(t, 201, signedIn.text("session"), "POST", w.described.OperatorURL+"/internal/organizations/"+o.ID+"/keys",
		map[string]any{"name": t.Name(), "scopes": []string{"*:*"}, "rate_limit": limit, "confirm_privacy": true})
	w.secrets = append(w.secrets, made.text("value"), made.text("value")[9:], signedIn.text("session"))
	return made.text("id"), made.text("value")
}

// receiver is somebody's system that takes webhooks, and notes which trace it was told of last.
type receiver struct {
	url    string
	status atomic.Int64
	trace  atomic.Value // string: the header
}

func newReceiver(t *testing.T) *receiver {
	r := &receiver{}
	r.status.Store(http.StatusNoContent)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		r.trace.Store(request.Header.Get("Traceparent"))
		w.WriteHeader(int(r.status.Load()))
	}))
	t.Cleanup(server.Close)
	r.url = server.URL + "/hooks/" + receiverToken
	return r
}

// receiverToken is what a subscriber may have in the address of its receiver.
const receiverToken = "a-token-in-the-url"

// subscribe makes an endpoint for a receiver, and remembers its secret as one.
func (w *world) subscribe(t *testing.T, key string, r *receiver, types ...string) {
	t.Helper()
	made := w.must(t, 201, key, "POST", "/v1/webhook-endpoints", map[string]any{"url": r.url, "event_types": types})
	w.secrets = append(w.secrets, made.text("secret"), strings.TrimPrefix(made.text("secret"), "whsec_"), receiverToken)
	id := made.text("id")
	t.Cleanup(func() { w.ask(t, key, "DELETE", "/v1/webhook-endpoints/"+id, nil) })
}

// lines gives the log lines of all programs of ours, by program.
func (w *world) lines(t *testing.T) map[string][]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(w.Folder(), "logs", "*.log"))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]string{}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".log")
		switch {
		case name == "postgres", name == "consul", name == "redis", strings.HasPrefix(name, "migrate-"), strings.HasPrefix(name, "initdb"):
			continue
		}
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all[name] = strings.Split(strings.TrimSpace(string(content)), "\n")
	}
	return all
}

// holdNoSecret fails where a text has one of the world's secrets.
func (w *world) holdNoSecret(t *testing.T, where, text string) {
	t.Helper()
	for _, secret := range w.secrets {
		if len(secret) < 8 {
			t.Fatalf("%q is no secret that could be looked for", secret)
		}
		if at := strings.Index(text, secret); at >= 0 {
			t.Errorf("a secret is in %s: %.200s", where, text[max(0, at-100):])
		}
	}
}
