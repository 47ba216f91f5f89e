package resourcetest

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"ams.internal/libs/discovery"
	"ams.internal/libs/domain/catalogue"
	"ams.internal/libs/principal"
	"ams.internal/libs/reference"
)

// Peers speaks for the other services in the test of one: it answers what they would about the records that it was
// given, over HTTP and to signed requests only.
type Peers struct {
	References *reference.Client // finds every service here

	t       testing.TB
	signer  *principal.Signer
	servers []*httptest.Server // one for each service

	mu         sync.Mutex
	records    map[string][]reference.Entry // by collection
	dependents map[string]map[string]int    // by the id that is referred to
	responses  map[string]any               // by path
	handlers   map[string]http.Handler      // by service and path
	requests   map[string]int               // by path
	bodies     map[string][]byte            // by path, the last
	tests      map[string]*Peers            // by organization: what they say to a test of its own
	shared     *Peers                       // of a test: those of all
}

// NewPeers starts the other services.
func NewPeers(t testing.TB, signer *principal.Signer) *Peers {
	t.Helper()
	p := &Peers{t: t, signer: signer, records: map[string][]reference.Entry{}, dependents: map[string]map[string]int{},
		responses: map[string]any{}, handlers: map[string]http.Handler{}, requests: map[string]int{}, bodies: map[string][]byte{}}
	static := map[string][]string{}
	for _, service := range []string{"assets", "users", "workorders", "los", "infrastructure", "projects", "requests", "meters", "forms",
		"planning", "accounting", "documents", "webhooks", "gateway-internal"} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { p.serve(service, w, r) }))
		t.Cleanup(server.Close)
		p.servers = append(p.servers, server)
		static[service] = []string{strings.TrimPrefix(server.URL, "http://")}
	}
	directory, err := discovery.Open(discovery.Config{Mode: discovery.Static, Static: static, Region: "ca-central-1",
		Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(directory.Close)
	p.References = reference.NewClient(directory, signer)
	return p
}

// Keep makes a record that the owner of collection has, in every organization.
func (p *Peers) Keep(collection string, entries ...reference.Entry) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.records[collection] = append(p.records[collection], entries...)
}

// Forget takes a record away that the owner of collection had.
func (p *Peers) Forget(collection, id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.records[collection] = slices.DeleteFunc(p.records[collection], func(e reference.Entry) bool { return e.ID == id })
}

// Depend makes n records of a collection elsewhere refer to id.
func (p *Peers) Depend(id, collection string, n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.dependents[id] = map[string]int{collection: n}
}

// Respond sets the response of an internal operation, "/internal/work-orders/counts" for instance.
func (p *Peers) Respond(path string, response any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.responses[path] = response
}

// Handle lets a handler speak for a service that has an internal operation: for another service under test, for instance.
func (p *Peers) Handle(service, path string, handler http.Handler) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.handlers[service+path] = handler
}

// Refuse makes the service that has an internal operation unavailable to it.
func (p *Peers) Refuse(path string) { p.Respond(path, unavailable{}) }

// Restore takes back what Respond or Refuse set for a path.
func (p *Peers) Restore(path string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.responses, path)
}

// unavailable is the response of a service that cannot be reached.
type unavailable struct{}

// Requests gives how many requests a path got.
func (p *Peers) Requests(path string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.requests[path]
}

// LastRequest reads the body of the last request for a path.
func (p *Peers) LastRequest(path string) map[string]any {
	p.mu.Lock()
	defer p.mu.Unlock()
	var question map[string]any
	if err := json.Unmarshal(p.bodies[path], &question); err != nil {
		p.t.Fatalf("%s was sent %q: %v", path, p.bodies[path], err)
	}
	return question
}

// Leave takes all other services away.
func (p *Peers) Leave() {
	if p.shared != nil {
		p.t.Fatal("the other services are those of all tests: a test that takes them away serves on its own")
	}
	for _, server := range p.servers {
		server.Close()
	}
}

// ServeHTTP implements http.Handler, for tests with servers of their own: it answers as whichever service is asked.
func (p *Peers) ServeHTTP(w http.ResponseWriter, r *http.Request) { p.serve("", w, r) }

// serve answers as a service does.
func (p *Peers) serve(service string, w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/livez" { // asked of who takes long
		return
	}
	caller, err := p.signer.Verify(r.Header.Get(principal.Header))
	if err != nil {
		p.t.Errorf("%s was called without a signature: %v", r.URL.Path, err)
	}
	if p = p.of(caller.OrganizationID); p == nil {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(w, `{"error":"The test of this organization has ended.","code":"not_found"}`)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		p.t.Errorf("%s: %v", r.URL.Path, err)
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	p.mu.Lock()
	p.requests[r.URL.Path]++
	p.bodies[r.URL.Path] = body
	_, hasResponse := p.responses[r.URL.Path]
	if handler := p.handlers[service+r.URL.Path]; handler != nil && !hasResponse {
		p.mu.Unlock() // it may call others
		handler.ServeHTTP(w, r)
		return
	}
	defer p.mu.Unlock()
	if response, ok := p.responses[r.URL.Path]; ok {
		if _, is := response.(unavailable); is {
			panic(http.ErrAbortHandler)
		}
		p.write(w, response)
	} else if collection, ok := strings.CutPrefix(r.URL.Path, "/internal/references/"); ok {
		p.references(w, r, collection)
	} else if strings.HasPrefix(r.URL.Path, "/internal/dependents/") {
		p.countDependents(service, w, r)
	} else {
		p.t.Errorf("another service was called for %s, which the test has no response for", r.URL.Path)
		w.WriteHeader(http.StatusNotFound)
	}
}

func (p *Peers) references(w http.ResponseWriter, r *http.Request, collection string) {
	var query reference.Query
	if err := json.NewDecoder(r.Body).Decode(&query); err != nil {
		p.t.Errorf("%s: %v", r.URL.Path, err)
	}
	response := reference.Response{Data: []reference.Entry{}}
	for _, entry := range p.records[collection] {
		if slices.Contains(query.IDs, entry.ID) || entry.ExternalID != nil && slices.Contains(query.ExternalIDs, *entry.ExternalID) {
			entry.Held = query.Hold
			response.Data = append(response.Data, entry)
		}
	}
	p.write(w, response)
}

// countDependents answers with what a service has of its own collections.
func (p *Peers) countDependents(service string, w http.ResponseWriter, r *http.Request) {
	var query reference.DependentsQuery
	if err := json.NewDecoder(r.Body).Decode(&query); err != nil {
		p.t.Errorf("%s: %v", r.URL.Path, err)
	}
	response := reference.DependentsResponse{Data: []reference.Dependents{}}
	for _, id := range query.IDs {
		counts := maps.Clone(p.dependents[id])
		maps.DeleteFunc(counts, func(collection string, _ int) bool {
			row, _ := catalogue.Product().Find(collection)
			return service != "" && row.Service != service
		})
		if len(counts) > 0 {
			response.Data = append(response.Data, reference.Dependents{ID: id, Counts: counts})
		}
	}
	p.write(w, response)
}

func (p *Peers) write(w http.ResponseWriter, response any) {
	if err := json.NewEncoder(w).Encode(response); err != nil {
		p.t.Errorf("answer of another service: %v", err)
	}
}
