package mcp

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"ams.internal/libs/apikey"
	"ams.internal/libs/domain/contracts/gateway"
	"ams.internal/libs/fault"
	"ams.internal/libs/postgres/postgrestest"
	"ams.internal/libs/principal"
	"ams.internal/libs/service"
	"ams.internal/libs/transport"
	"ams.internal/services/mcp/oauth"
)

// admitFixture is the chain of checks before a handler that returns the caller, with a stand-in for the gateway's key check, which lets one
// key in. Package oauth tests the rest of the authorizer.
type admitFixture struct {
	t    *testing.T
	url  string
	left int  // requests of the key in this minute
	down bool // the gateway
}

const admittedKey = apikey.Live + "of-the-tests"

func newAdmitFixture(t *testing.T) *admitFixture {
	t.Helper()
	f := &admitFixture{t: t}
	front := httptest.NewServer(http.HandlerFunc(f.serveKeyCheck))
	t.Cleanup(front.Close)
	config := oauth.Config{Config: service.Config{
		DatabaseURL: postgrestest.New(t, "mcp", migrations).URL, DatabaseConnections: 2, PrincipalSecrets: []string{strings.Repeat("p", 32)},
		Discovery: "static", Region: oauth.Region, StaticServices: "gateway-internal=" + strings.TrimPrefix(front.URL, "http://"),
	}, BaseURL: "https://api.example.ca", Secrets: []string{strings.Repeat("r", 32)}}
	s, err := service.New(t.Context(), "mcp", config.Config, migrations)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	server := httptest.NewServer(admit(oauth.New(s, config))(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = json.NewEncoder(w).Encode(callerFrom(r.Context()))
	})))
	t.Cleanup(server.Close)
	f.url = server.URL
	return f
}

// serveKeyCheck stands for the gateway's internal operation.
func (f *admitFixture) serveKeyCheck(w http.ResponseWriter, r *http.Request) {
	var check gateway.KeyCheck
	switch err := json.NewDecoder(r.Body).Decode(&check); {
	case err != nil || check.Key != admittedKey || r.Header.Get(principal.Header) == "":
		transport.WriteFault(w, nil, fault.New(fault.KindUnauthenticated, "key_unknown", "This API key is not known."))
	case f.down:
		transport.WriteFault(w, nil, fault.Unavailable("plan_unconfirmed", "The key could not be confirmed."))
	case check.Requests > f.left:
		limited := fault.New(fault.KindRateLimited, "rate_limited", "More than 60 requests in this minute; wait until X-RateLimit-Reset.")
		limited.RetryAfter = 17 * time.Second
		transport.WriteFault(w, nil, limited)
	default:
		f.left -= check.Requests
		_ = json.NewEncoder(w).Encode(gateway.CheckedKey{})
	}
}

// send sends a body with the key, and returns the response with its members.
func (f *admitFixture) send(version, body string) (*http.Response, map[string]any) {
	f.t.Helper()
	request, err := http.NewRequestWithContext(f.t.Context(), http.MethodPost, f.url, strings.NewReader(body))
	if err != nil {
		f.t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+admittedKey)
	request.Header.Set("MCP-Protocol-Version", version)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		f.t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		f.t.Fatal(err)
	}
	var members map[string]any
	if err := json.Unmarshal(content, &members); err != nil {
		f.t.Fatalf("%d %.300q is not JSON: %v", response.StatusCode, content, err)
	}
	return response, members
}

// batchOf is a JSON-RPC batch of calls that read.
func batchOf(messages int) string {
	return "[" + strings.TrimSuffix(strings.Repeat(`{"jsonrpc":"2.0","id":1,"method":"tools/list"},`, messages), ",") + "]"
}

func TestBatches(t *testing.T) {
	f := newAdmitFixture(t)
	for name, test := range map[string]struct {
		version, body string
		status, code  int // code of JSON-RPC
		counted       int
	}{
		"one message":                      {"2025-06-18", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, 200, 0, 0},
		"one message in a batch":           {"2025-03-26", batchOf(1), 200, 0, 1},
		"20 messages":                      {"2025-03-26", batchOf(20), 200, 0, 20},
		"without a version":                {"", " \n\t" + batchOf(3), 200, 0, 3},
		"21 messages":                      {"2025-03-26", batchOf(21), 400, -32600, 0},
		"9000 messages, without a version": {"", batchOf(9000), 400, -32600, 0},
		"a version that has none":          {"2025-06-18", batchOf(2), 400, -32600, 0},
		"one message, and it has none":     {"2025-11-25", batchOf(1), 400, -32600, 0},
		"the newest version":               {"2026-07-28", batchOf(2), 400, -32600, 0},
		"no JSON":                          {"", "[{}", 400, -32700, 0},
		"JSON and more":                    {"", batchOf(2) + batchOf(2), 400, -32700, 0},
		"no JSON behind the 21st":          {"", strings.TrimSuffix(batchOf(21), "]") + ",", 400, -32600, 0},
	} {
		t.Run(name, func(t *testing.T) {
			f.left = 60
			response, got := f.send(test.version, test.body)
			if reached := got["Key"] == admittedKey; response.StatusCode != test.status || reached != (test.status == 200) {
				t.Errorf("%d %v", response.StatusCode, got)
			}
			if refusal, _ := got["error"].(map[string]any); test.code != 0 && (refusal == nil || refusal["code"] != float64(test.code) ||
				got["jsonrpc"] != "2.0" || refusal["message"] == "") {
				t.Errorf("the error is %v", got)
			}
			if counted := 60 - f.left; counted != test.counted {
				t.Errorf("%d requests were counted, want %d", counted, test.counted)
			}
		})
	}
}

func TestABatchBeyondTheKeysLimitIsRefusedBeforeAnythingIsAnswered(t *testing.T) {
	f := newAdmitFixture(t)
	f.left = 60
	for range 3 {
		if response, got := f.send("", batchOf(20)); response.StatusCode != 200 {
			t.Fatalf("%d %v", response.StatusCode, got)
		}
	}
	response, got := f.send("", batchOf(20))
	if response.StatusCode != 429 || got["code"] != "rate_limited" || response.Header.Get("Retry-After") != "17" {
		t.Errorf("%d %s %v", response.StatusCode, response.Header.Get("Retry-After"), got)
	}
	f.down = true
	if response, got := f.send("", batchOf(20)); response.StatusCode != 503 {
		t.Errorf("while nobody can count: %d %v", response.StatusCode, got)
	}
}

func TestABodyThatIsTooLargeIsRefused(t *testing.T) {
	f := newAdmitFixture(t)
	response, got := f.send("", batchOf(1)+strings.Repeat(" ", maxRequestBody))
	if response.StatusCode != 413 || got["code"] != "protocol_error" {
		t.Errorf("%d %v", response.StatusCode, got)
	}
}
