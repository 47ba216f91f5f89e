package reference_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"ams.internal/libs/discovery"
	"ams.internal/libs/fault"
	"ams.internal/libs/principal"
	"ams.internal/libs/reference"
)

var someone = principal.Principal{OrganizationID: "019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11", Currency: "CAD", Scopes: []string{"assets:write"}}

// asking gives a client that finds the users service at handler; a nil handler is a service that is away.
func asking(t *testing.T, handler http.HandlerFunc) (*reference.Client, *principal.Signer) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/livez" { // which is asked of who takes long
			handler(w, r)
		}
	}))
	t.Cleanup(server.Close)
	address := strings.TrimPrefix(server.URL, "http://")
	if handler == nil {
		server.Close()
	}
	directory, err := discovery.Open(discovery.Config{Mode: discovery.Static, Static: map[string][]string{"users": {address}},
		Region: "ca-central-1"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(directory.Close)
	signer, err := principal.NewSigner("a secret for tests that is long enough")
	if err != nil {
		t.Fatal(err)
	}
	return reference.NewClient(directory, signer), signer
}

func TestTheOwnerIsAskedOnceForTheCallersOrganization(t *testing.T) {
	var signer *principal.Signer
	asked := 0
	client, signer := asking(t, func(w http.ResponseWriter, r *http.Request) {
		asked++
		p, err := signer.Verify(r.Header.Get(principal.Header))
		if err != nil || p.OrganizationID != someone.OrganizationID {
			t.Errorf("asked for %+v, %v", p, err)
		}
		var query reference.Query
		if err := json.NewDecoder(r.Body).Decode(&query); err != nil || len(query.IDs) != 2 {
			t.Errorf("asked for %+v, %v", query, err)
		}
		if r.Method != "POST" || r.URL.Path != "/internal/references/users" || r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("asked by %s %s", r.Method, r.URL.Path)
		}
		_, _ = w.Write([]byte(`{"data":[{"id":"a","external_id":null,"name":"Anne","status":"active"}]}`))
	})
	entries, err := client.Find(principal.Into(t.Context(), someone), "users", reference.Query{IDs: []string{"a", "b"}})
	if err != nil || len(entries) != 1 || entries[0].Name != "Anne" || *entries[0].Status != "active" || entries[0].ExternalID != nil {
		t.Errorf("found %+v, %v", entries, err)
	}
	if asked != 1 {
		t.Errorf("asked %d times", asked)
	}
}

func TestWhatTheOwnerAnswersReachesTheCallerAsItsOwnError(t *testing.T) {
	for _, c := range []struct {
		name   string
		status int
		body   string
		kind   fault.Kind // "" for an internal error
		code   string
	}{
		{"a refusal", 409, `{"error":"Still in use.","code":"still_in_use","field":"id","dependents":{"work_orders":2}}`,
			fault.KindConflict, "still_in_use"},
		{"a missing scope", 403, `{"error":"This needs users:read.","code":"scope_missing"}`, fault.KindForbidden, "scope_missing"},
		{"an owner whose database is away", 503, `{"error":"The database is away.","code":"database_unavailable"}`, fault.KindUnavailable,
			"database_unavailable"},
		{"something else at that address", 502, `<html>Bad gateway</html>`, fault.KindUnavailable, "service_unavailable"},
		{"an error without a sentence", 400, `{}`, fault.KindUnavailable, "service_unavailable"},
		{"a status outside the vocabulary", 418, `{"error":"I am a teapot.","code":"teapot"}`, fault.KindUnavailable, "service_unavailable"},
		{"an owner that fails", 500, `{"error":"Something went wrong.","code":"internal"}`, "", ""},
		{"an owner that does not know our signature", 401, `{"error":"Not through the gateway.","code":"principal_refused"}`, "", ""},
		{"a sign-in that failed", 401, `{"error":"Wrong.","code":"sign_in_failed"}`, fault.KindUnauthenticated, "sign_in_failed"},
		{"an answer that is not JSON", 200, `hello`, "", ""},
	} {
		client, _ := asking(t, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(c.status)
			_, _ = w.Write([]byte(c.body))
		})
		_, err := client.Find(principal.Into(t.Context(), someone), "users", reference.Query{IDs: []string{"a"}})
		var e *fault.Error
		switch known := errors.As(err, &e); {
		case err == nil:
			t.Errorf("%s: no error", c.name)
		case c.kind == "" && known:
			t.Errorf("%s: the caller is told %v", c.name, e)
		case c.kind != "" && (!known || e.Kind != c.kind || e.Code != c.code || e.Message == ""):
			t.Errorf("%s: %v", c.name, err)
		case c.kind == fault.KindUnavailable && e.RetryAfter == 0:
			t.Errorf("%s: no Retry-After", c.name)
		}
	}
}

func TestAnOwnerThatIsAwayIs503(t *testing.T) {
	for name, collection := range map[string]string{"its process is gone": "users", "nobody knows where it is": "projects"} {
		client, _ := asking(t, nil)
		_, err := client.Find(principal.Into(t.Context(), someone), collection, reference.Query{IDs: []string{"a"}})
		if e := fault.From(err); e.Status() != 503 || e.RetryAfter == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAPinnedRequestAsksNobodyInAnotherRegion(t *testing.T) {
	asked := 0
	client, _ := asking(t, func(w http.ResponseWriter, _ *http.Request) {
		asked++
		_, _ = w.Write([]byte(`{"data":[]}`))
	})
	pinned := someone
	pinned.Region, pinned.Pinned = "us-east-1", true // the users service is in ca-central-1
	_, err := client.Find(principal.Into(t.Context(), pinned), "users", reference.Query{IDs: []string{"a"}})
	if e := fault.From(err); e.Status() != 503 || e.Code != "region_unavailable" || !strings.Contains(e.Message, "users") ||
		!strings.Contains(e.Message, "us-east-1") || asked != 0 {
		t.Errorf("asked %d times: %v", asked, err)
	}
	pinned.Region = "ca-central-1"
	if _, err := client.Find(principal.Into(t.Context(), pinned), "users", reference.Query{IDs: []string{"a"}}); err != nil || asked != 1 {
		t.Errorf("asked %d times: %v", asked, err)
	}
}

// A call that reached no instance is sent to the next one.
func TestAnInstanceThatIsGoneIsPassedOver(t *testing.T) {
	living := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{"data":[]}`)) }))
	t.Cleanup(living.Close)
	gone := httptest.NewServer(nil)
	gone.Close()
	directory, err := discovery.Open(discovery.Config{Mode: discovery.Static, Region: "ca-central-1", Static: map[string][]string{
		"users": {gone.Listener.Addr().String(), living.Listener.Addr().String()}}})
	if err != nil {
		t.Fatal(err)
	}
	signer, err := principal.NewSigner("a secret for tests that is long enough")
	if err != nil {
		t.Fatal(err)
	}
	client := reference.NewClient(directory, signer)
	for i := range 6 {
		if _, err := client.Find(principal.Into(t.Context(), someone), "users", reference.Query{IDs: []string{"a"}}); err != nil {
			t.Errorf("call %d: %v", i, err)
		}
	}
}

func TestACallerWhoIsGoneIsNotAskedFor(t *testing.T) {
	client, _ := asking(t, func(http.ResponseWriter, *http.Request) {})
	ctx, cancel := context.WithCancel(principal.Into(t.Context(), someone))
	cancel()
	if _, err := client.Find(ctx, "users", reference.Query{IDs: []string{"a"}}); err == nil {
		t.Error("a request that was given up is answered")
	}
}
