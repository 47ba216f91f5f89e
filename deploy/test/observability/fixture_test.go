//go:build night

// Package observability tests the telemetry of the running product from outside: its traces in a real Jaeger, its metrics, and its
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

// fixture is a stack with somebody who watches it.
type fixture struct {
	*devstack.Stack
	jaeger    *jaeger
	metrics   *telemetrytest.Collector // Jaeger takes no metrics
	secrets   []string                 // what nothing that is reported or logged may have in it
	described devstack.Description
}

// newFixture starts a stack in which a share of the traces is sampled.
func newFixture(t *testing.T, ratio string) *fixture {
	t.Helper()
	binaries, err := devstack.BuildPrograms()
	if err != nil {
		t.Fatal(err)
	}
	f := &fixture{jaeger: startJaeger(t), metrics: telemetrytest.Start(t)}
	folder, err := os.MkdirTemp("", "ams-traces-") //nolint:usetesting // PostgreSQL runs as somebody else, whom t.TempDir() keeps out
	if err != nil {
		t.Fatal(err)
	}
	f.Stack, err = devstack.Start(t.Context(), devstack.Options{
		Folder: folder, Binaries: binaries, Prepared: true, Demo: demo.Organizations,
		Environment: []string{"AMS_OTLP_ENDPOINT=" + f.collector(t), "AMS_TRACE_RATIO=" + ratio},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		f.Stop()
		if err := devstack.Drop(folder); err != nil {
			t.Error(err)
		}
	})
	f.described = f.Description()
	o := f.organization(t)
	f.secrets = append(f.secrets, o.Administrator.Password, f.described.AdminToken)
	for _, key := range o.Keys {
		f.secrets = append(f.secrets, key, key[9:])
	}
	for _, program := range []string{"gateway", "assets", "webhooks", "mcp"} {
		for _, setting := range f.ProgramEnvironment(program) {
			name, value, _ := strings.Cut(setting, "=")
			switch name {
			case "AMS_PRINCIPAL_SECRETS", "AMS_WEBHOOK_SECRETS", "AMS_MCP_SECRETS":
				f.secrets = append(f.secrets, value)
			case "AMS_DATABASE_URL":
				if address, err := url.Parse(value); err == nil {
					password, _ := address.User.Password()
					f.secrets = append(f.secrets, password)
				}
			}
		}
	}
	return f
}

// collector is what a deployment has between the programs and their backends: traces go to Jaeger as they are, metrics are kept.
func (f *fixture) collector(t *testing.T) string {
	to, err := url.Parse(f.jaeger.receives)
	if err != nil {
		t.Fatal(err)
	}
	keep, err := url.Parse(f.metrics.URL)
	if err != nil {
		t.Fatal(err)
	}
	spans, metrics := httputil.NewSingleHostReverseProxy(to), httputil.NewSingleHostReverseProxy(keep)
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/traces" {
			spans.ServeHTTP(rw, r)
			return
		}
		metrics.ServeHTTP(rw, r)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func (f *fixture) organization(t *testing.T) demo.Organization {
	t.Helper()
	found, ok := f.described.Organization(city)
	if !ok {
		t.Fatalf("there is no organization %s", city)
	}
	return found
}

type response struct {
	status int
	header http.Header
	object map[string]any
}

func (a response) request() string { return a.header.Get("X-Request-Id") }

func (a response) text(name string) string {
	text, _ := a.object[name].(string)
	return text
}

// call sends a request with a credential; header are name, value pairs.
func (f *fixture) call(t *testing.T, credential, method, address string, body any, header ...string) response {
	t.Helper()
	if strings.HasPrefix(address, "/") {
		address = f.described.BaseURL + address
	}
	a, err := apiclient.Send(http.DefaultClient, credential, method, address, body, header...)
	if err != nil {
		t.Fatalf("%s %s: %v", method, address, err)
	}
	return response{a.Status, a.Header, a.Object}
}

// must is call for a response that must have a status.
func (f *fixture) must(t *testing.T, status int, credential, method, address string, body any, header ...string) response {
	t.Helper()
	a := f.call(t, credential, method, address, body, header...)
	if a.status != status {
		t.Fatalf("%s %s: %d, want %d: %v", method, address, a.status, status, a.object)
	}
	return a
}

// key makes a new key with a limit, and gives its id and value.
func (f *fixture) key(t *testing.T, limit int) (id, value string) {
	t.Helper()
	o := f.organization(t)
	signedIn := f.must(t, 200, f.described.AdminToken, "POST", f.described.AdminURL+"/internal/sign-in",
		map[string]any{"email": o.Administrator.Email, "password": o.Administrator.Password, "organization_id": o.ID})
	made := f.must(t, 201, signedIn.text("session"), "POST", f.described.AdminURL+"/internal/organizations/"+o.ID+"/keys",
		map[string]any{"name": t.Name(), "scopes": []string{"*:*"}, "rate_limit": limit, "confirm_privacy": true})
	f.secrets = append(f.secrets, made.text("value"), made.text("value")[9:], signedIn.text("session"))
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
func (f *fixture) subscribe(t *testing.T, key string, r *receiver, types ...string) {
	t.Helper()
	made := f.must(t, 201, key, "POST", "/v1/webhook-endpoints", map[string]any{"url": r.url, "event_types": types})
	f.secrets = append(f.secrets, made.text("secret"), strings.TrimPrefix(made.text("secret"), "whsec_"), receiverToken)
	id := made.text("id")
	t.Cleanup(func() { f.call(t, key, "DELETE", "/v1/webhook-endpoints/"+id, nil) })
}

// lines gives the log lines of all programs of ours, by program.
func (f *fixture) lines(t *testing.T) map[string][]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(f.Folder(), "logs", "*.log"))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]string{}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".log")
		switch {
		case name == "postgres", name == "consul", name == "redis", name == "clamd", strings.HasPrefix(name, "migrate-"),
			strings.HasPrefix(name, "initdb"):
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

// checkNoSecret fails where a text has one of the fixture's secrets.
func (f *fixture) checkNoSecret(t *testing.T, where, text string) {
	t.Helper()
	for _, secret := range f.secrets {
		if len(secret) < 8 {
			t.Fatalf("%q is no secret that could be looked for", secret)
		}
		if at := strings.Index(text, secret); at >= 0 {
			t.Errorf("a secret is in %s: %.200s", where, text[max(0, at-100):])
		}
	}
}
