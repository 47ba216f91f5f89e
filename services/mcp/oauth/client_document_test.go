package oauth

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// publisher serves client metadata documents.
func publisher(t *testing.T, serve http.HandlerFunc) *httptest.Server {
	t.Helper()
	server := httptest.NewTLSServer(serve)
	t.Cleanup(server.Close)
	return server
}

func allowLoopbackClients(c *Config) { c.ClientNetworks = []string{"127.0.0.0/8"} }

func (f *authFixture) pageFor(client string) httpResponse {
	f.t.Helper()
	app := &assistantApp{f, client, loopbackBack, "v"}
	return f.newBrowser().get(authorizePath + "?" + app.query().Encode())
}

func TestAClientMayBeTheAddressOfItsDescription(t *testing.T) {
	var fetched atomic.Int64
	var down atomic.Bool
	var site *httptest.Server
	site = publisher(t, func(w http.ResponseWriter, r *http.Request) {
		fetched.Add(1)
		if down.Load() {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"client_id":%q,"client_name":"Claude Code","redirect_uris":["http://127.0.0.1/callback"],"token_endpoint_auth_method":"none"}`,
			site.URL+r.URL.Path)
	})
	f := newAuthFixture(t, allowLoopbackClients)
	id := site.URL + "/oauth/client.json"
	host := strings.TrimPrefix(site.URL, "https://")
	for range 3 {
		if resp := f.pageFor(id); resp.status != 200 || !strings.Contains(resp.body, "Claude Code asks for access") ||
			!strings.Contains(resp.body, "It is published by <strong>"+host+"</strong>") {
			t.Fatalf("%d %s", resp.status, resp.body)
		}
	}
	if fetched.Load() != 1 {
		t.Errorf("it was fetched %d times", fetched.Load())
	}
	app := &assistantApp{f, id, loopbackBack, encoded(randomBytes(32))}
	if resp := f.mcp(f.requestTokens(app.codeRequest(app.code(f.newKey(orgID)))).AccessToken); resp.status != 200 {
		t.Errorf("%d %s", resp.status, resp.body)
	}
	down.Store(true)
	f.authorizer.documents.mu.Lock()
	old := f.authorizer.documents.cached[id]
	old.freshUntil = time.Now().Add(-time.Second)
	f.authorizer.documents.cached[id] = old
	f.authorizer.documents.mu.Unlock()
	if resp := f.pageFor(id); resp.status != 200 || fetched.Load() != 2 {
		t.Errorf("its publisher is away for a moment: %d after %d", resp.status, fetched.Load())
	}
}

func TestDescriptionsThatCannotBeUsed(t *testing.T) {
	var site *httptest.Server
	documents := map[string]struct {
		kind, body string
		status     int
		says       string
	}{
		"/other": {"application/json", `{"client_id":"https://claude.ai/client.json","redirect_uris":["http://127.0.0.1/callback"]}`, 200,
			"description of itself cannot be used"},
		"/none":      {"application/json", `{"redirect_uris":["http://127.0.0.1/callback"]}`, 200, "description of itself cannot be used"},
		"/redirects": {"application/json", `{"client_id":"SELF"}`, 200, "description of itself cannot be used"},
		"/secret": {"application/json", `{"client_id":"SELF","redirect_uris":["http://127.0.0.1/callback"],"client_secret":"x"}`, 200,
			"description of itself cannot be used"},
		"/assertion": {"application/json",
			`{"client_id":"SELF","redirect_uris":["http://127.0.0.1/callback"],"token_endpoint_auth_method":"private_key_jwt"}`, 200,
			"description of itself cannot be used"},
		"/page": {"text/html", `{"client_id":"SELF","redirect_uris":["http://127.0.0.1/callback"]}`, 200,
			"description of itself cannot be used"},
		"/broken": {"application/json", `{"client_id":`, 200, "description of itself cannot be used"},
		"/large": {"application/json", `{"client_id":"SELF","redirect_uris":["http://127.0.0.1/callback"],"x":"` + strings.Repeat("x",
			21<<10) + `"}`, 200, "description of itself cannot be used"},
		"/elsewhere": {"application/json", `{"client_id":"SELF","redirect_uris":["http://127.0.0.1/other"]}`, 200, "has not named as its own"},
		"/missing":   {"application/json", `{}`, 404, "We do not know the assistant"},
		"/moved":     {"application/json", `{}`, 302, "We do not know the assistant"},
		"/away":      {"application/json", `{}`, 503, "cannot be fetched right now"},
		"/good/other": {"application/cid+json",
			`{"client_id":"SELF","redirect_uris":["http://127.0.0.1/callback"],"token_endpoint_auth_method":"private_key_jwt",` +
				`"token_endpoint_auth_methods_supported":["private_key_jwt","none"]}`, 200, ""},
	}
	site = publisher(t, func(w http.ResponseWriter, r *http.Request) {
		document := documents[r.URL.Path]
		w.Header().Set("Content-Type", document.kind)
		w.Header().Set("Location", site.URL+"/good/other")
		w.WriteHeader(document.status)
		fmt.Fprint(w, strings.ReplaceAll(document.body, "SELF", site.URL+r.URL.Path))
	})
	f := newAuthFixture(t, allowLoopbackClients)
	for path, document := range documents {
		resp := f.pageFor(site.URL + path)
		switch {
		case document.says == "" && resp.status != 200:
			t.Errorf("%s: %d %s", path, resp.status, resp.body)
		case document.says != "" && (resp.status != 400 || !strings.Contains(resp.body, document.says) || resp.header.Get("Location") != ""):
			t.Errorf("%s: %d %s", path, resp.status, resp.body)
		}
	}
	site.Close()
	if resp := f.pageFor(site.URL + "/gone"); resp.status != 400 || !strings.Contains(resp.body, "cannot be fetched right now") {
		t.Errorf("nobody there: %d %s", resp.status, resp.body)
	}
	for _, id := range []string{site.URL, site.URL + "/", site.URL + "/a/../b", site.URL + "/a#b",
		strings.Replace(site.URL, "https://", "https://me@", 1) + "/a", "https://", "https:///a", site.URL + "/a b"} {
		if resp := f.pageFor(id); resp.status != 400 || !strings.Contains(resp.body, "We do not know the assistant") {
			t.Errorf("%s: %d %s", id, resp.status, resp.body)
		}
	}
}

// Documents are fetched from public addresses only, and a limited number of times.
func TestDescriptionsAreFetchedFromPublicAddressesAndNotWithoutEnd(t *testing.T) {
	var fetched atomic.Int64
	site := publisher(t, func(w http.ResponseWriter, r *http.Request) { fetched.Add(1); http.NotFound(w, r) })
	f := newAuthFixture(t)
	for _, id := range []string{site.URL + "/client.json", strings.Replace(site.URL, "127.0.0.1", "localhost", 1) + "/client.json",
		"https://169.254.169.254/latest/meta-data", "https://[::1]:8443/x", "https://10.0.0.1/x"} {
		if resp := f.pageFor(id); resp.status != 400 || !strings.Contains(resp.body, "cannot be fetched right now") {
			t.Errorf("%s: %d %s", id, resp.status, resp.body)
		}
	}
	if fetched.Load() != 0 {
		t.Errorf("an address that is not public was called %d times", fetched.Load())
	}
	f = newAuthFixture(t, allowLoopbackClients)
	refused := 0
	for i := range 25 {
		if resp := f.pageFor(fmt.Sprintf("%s/%d", site.URL, i)); resp.status == 429 {
			refused++
			if !strings.Contains(resp.body, "Too many attempts") {
				t.Error(resp.body)
			}
		}
	}
	if refused != 5 || fetched.Load() != 20 {
		t.Errorf("%d were fetched, %d refused", fetched.Load(), refused)
	}
	if resp := f.newBrowser().get(authorizePath + "?" + f.register(loopbackBack).query().Encode()); resp.status != 200 {
		t.Errorf("a client that needs no fetching: %d", resp.status)
	}
}

func TestHowLongADescriptionIsRemembered(t *testing.T) {
	for given, want := range map[string]time.Duration{
		"": time.Hour, "no-store": 5 * time.Minute,
		"no-cache, max-age=9999": 5 * time.Minute, "max-age=1": 5 * time.Minute, "public, Max-Age=7200": 2 * time.Hour,
		"max-age=99999999999": 24 * time.Hour, "max-age=-5": 5 * time.Minute, "max-age=x": time.Hour, `max-age="600"`: 10 * time.Minute,
	} {
		if got := cacheLife(given); got != want {
			t.Errorf("%q: %s, want %s", given, got, want)
		}
	}
	docs := newDocuments(nil, nil)
	for i := range maxDocuments + 50 {
		docs.store(fmt.Sprint(i), cachedClient{fetched: time.Unix(int64(i), 0), freshUntil: time.Now().Add(time.Hour)})
	}
	if len(docs.cached) != maxDocuments || docs.isFresh("49") || !docs.isFresh("50") {
		t.Errorf("%d are remembered", len(docs.cached))
	}
}
