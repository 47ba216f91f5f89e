package search

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"ams.internal/libs/discovery"
	"ams.internal/libs/endpoint"
	"ams.internal/libs/principal"
	"ams.internal/libs/reference"
	"ams.internal/libs/resource/resourcetest"
	"ams.internal/libs/transport"
)

// fixture is the service with the owners of records around it. An owner has what a test gives it, and finds nothing else.
type fixture struct {
	*resourcetest.Client
	owners map[string]*owner
	asking *asking
}

// asking counts the calls of owners that are under way for an organization.
type asking struct {
	http.RoundTripper
	signer *principal.Signer

	mu        sync.Mutex
	now, most map[string]int // of searches, by organization and owner
}

func (a *asking) RoundTrip(r *http.Request) (*http.Response, error) {
	p, err := a.signer.Verify(r.Header.Get(principal.Header))
	if err != nil || r.URL.Path != "/internal/search" {
		return a.RoundTripper.RoundTrip(r)
	}
	of := p.OrganizationID + r.URL.Host
	a.mu.Lock()
	a.now[of]++
	a.most[p.OrganizationID] = max(a.most[p.OrganizationID], a.now[of])
	a.mu.Unlock()
	defer func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.now[of]--
	}()
	return a.RoundTripper.RoundTrip(r)
}

// owner stands for a service that owns records.
type owner struct {
	t      *testing.T
	signer *principal.Signer
	server *httptest.Server

	mu      sync.Mutex
	found   map[string]reference.Found            // by collection
	texts   map[string]map[string]reference.Found // of some texts, in place of it; nothing else is found then
	sites   []reference.Entry
	failing bool // responds to searches with an error
	hanging bool // does not respond to searches
	slow    time.Duration
	full    bool     // of the organization's other requests
	left    []string // what is said of the time
	queries []reference.SearchQuery
	callers []principal.Principal
	asked   []reference.Query // for names of sites
}

func newFixture(t *testing.T) fixture {
	t.Helper()
	f := fixture{owners: map[string]*owner{}}
	signer, static := resourcetest.NewSigner(t), map[string][]string{}
	for _, k := range kinds {
		if f.owners[k.Service] == nil {
			o := &owner{t: t, signer: signer, found: map[string]reference.Found{}}
			o.server = httptest.NewServer(o)
			t.Cleanup(o.server.Close)
			f.owners[k.Service], static[k.Service] = o, []string{strings.TrimPrefix(o.server.URL, "http://")}
		}
	}
	log := resourcetest.Log(t)
	directory, err := discovery.Open(discovery.Config{Mode: discovery.Static, Static: static, Region: "ca-central-1", Log: log})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(directory.Close)
	api := transport.New(signer, nil, log)
	client := reference.NewClient(directory, signer)
	f.asking = &asking{RoundTripper: client.HTTP.Transport, signer: signer, now: map[string]int{}, most: map[string]int{}}
	client.HTTP.Transport = f.asking
	newSearcher(client, log).mount(api)
	f.Client = resourcetest.NewClient(api.Handler(), signer)
	return f
}

// find makes the owner of a collection find records in it.
func (f fixture) find(collection string, found reference.Found) {
	o := f.owners[of(collection).Service]
	o.mu.Lock()
	defer o.mu.Unlock()
	o.found[collection] = found
}

func (o *owner) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/livez" { // asked of who takes long
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.left = append(o.left, r.Header.Get(endpoint.TimeLeftHeader))
	p, err := o.signer.Verify(r.Header.Get(principal.Header))
	if err != nil {
		o.t.Errorf("%s was called without a signature: %v", r.URL.Path, err)
	}
	decoder := json.NewDecoder(r.Body)
	var answer any
	switch r.URL.Path {
	case "/internal/search":
		var query reference.SearchQuery
		if err := decoder.Decode(&query); err != nil {
			o.t.Error(err)
		}
		o.queries, o.callers = append(o.queries, query), append(o.callers, p)
		if o.hanging {
			o.mu.Unlock()
			defer o.mu.Lock()
			<-r.Context().Done()
			return
		}
		if o.slow > 0 {
			o.mu.Unlock()
			time.Sleep(o.slow)
			o.mu.Lock()
		}
		if o.full {
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusTooManyRequests)
			_, _ = w.Write([]byte(`{"error":"Wait for some of them.","code":"too_many_in_flight"}`))
			return
		}
		if o.failing {
			w.WriteHeader(http.StatusServiceUnavailable)
			_, _ = w.Write([]byte(`{"error":"The database is away.","code":"database_unavailable"}`))
			return
		}
		response := reference.SearchResponse{Collections: map[string]reference.Found{}}
		for _, collection := range query.Collections {
			found := o.found[collection]
			if o.texts != nil {
				found = o.texts[query.Text][collection]
			}
			if found.Hits == nil {
				found = reference.Found{Exact: true, Hits: []reference.Hit{}}
			}
			response.Collections[collection] = found
		}
		answer = response
	case "/internal/references/sites", "/internal/references/buildings":
		var query reference.Query
		if err := decoder.Decode(&query); err != nil {
			o.t.Error(err)
		}
		o.asked = append(o.asked, query)
		answer = reference.Response{Data: o.sites}
	default:
		o.t.Errorf("%s was called", r.URL.Path)
	}
	if err := json.NewEncoder(w).Encode(answer); err != nil {
		o.t.Error(err)
	}
}

// hits makes a collection's hits of "match" or "match ended", in their order; what is found is called by collection, match and place.
func hits(collection string, matches ...string) reference.Found {
	found := reference.Found{Count: len(matches), Exact: true}
	for i, each := range matches {
		match, ended, _ := strings.Cut(each, " ")
		name := collection + " " + each + " " + string(rune('1'+i))
		found.Hits = append(found.Hits, reference.Hit{ID: ids[i], Name: name, Match: match, Ended: ended == "ended"})
	}
	return found
}

var ids = []string{"019a3c5e-7d1b-7c3a-9f59-000000000001", "019a3c5e-7d1b-7c3a-9f59-000000000002", "019a3c5e-7d1b-7c3a-9f59-000000000003",
	"019a3c5e-7d1b-7c3a-9f59-000000000004"}
