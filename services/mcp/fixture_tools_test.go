package mcp

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"ams.internal/libs/discovery"
	"ams.internal/libs/principal"
	"ams.internal/services/mcp/oauth"
)

const testID = "019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"

// fullCaller is a caller with all permissions.
var fullCaller = caller{Caller: oauth.Caller{
	Key: "ams_live_test", KeyID: "019a3c5e-7d1b-7c3a-9f59-000000000002", KeyName: "Assistant",
	OrganizationID:   "019a3c5e-7d1b-7c3a-9f59-000000000001",
	OrganizationName: "Ville de Rivière-Claire", Plan: "enterprise", Scopes: []string{"*:*"}, Features: []string{"api_access", "los",
		"infrastructure", "projects", "maintenance", "planning", "accounting"},
	Address: "203.0.113.7", RequestID: "request-1",
}}

var testSigner = func() *principal.Signer {
	signer, err := principal.NewSigner(strings.Repeat("s", 32))
	if err != nil {
		panic(err)
	}
	return signer
}()

// toolFixture is the server of the tools with a stand-in for the REST API. A test sets the caller itself: the authorizer
// has its own tests.
type toolFixture struct {
	t          *testing.T
	upstream   *upstream
	server     *server
	httpServer *httptest.Server
	caller     caller
	logged     bytes.Buffer
}

func newToolFixture(t *testing.T) *toolFixture {
	t.Helper()
	f := &toolFixture{t: t, upstream: newUpstream(t), caller: fullCaller}
	directory, err := discovery.Open(discovery.Config{
		Mode: discovery.Static, Static: map[string][]string{"gateway": {strings.TrimPrefix(f.upstream.server.URL,
			"http://")}}, Region: "ca-central-1",
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(directory.Close)
	f.server = newServer(newREST(directory, testSigner), "https://api.example.ca", slog.New(slog.NewTextHandler(&f.logged, nil)))
	f.httpServer = httptest.NewServer(f.server.handler(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			next.ServeHTTP(w, r.WithContext(withCaller(r.Context(), f.caller)))
		})
	}))
	t.Cleanup(f.httpServer.Close)
	return f
}

// protocols are the newest protocol versions without and with a handshake.
var protocols = []string{"2026-07-28", "2025-06-18"}

// connect returns a session of the library's client for one protocol version.
func (f *toolFixture) connect(protocol string) *mcp.ClientSession {
	f.t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(f.t.Context(), &mcp.StreamableClientTransport{Endpoint: f.httpServer.URL + "/mcp",
		DisableStandaloneSSE: true}, &mcp.ClientSessionOptions{ProtocolVersion: protocol})
	if err != nil {
		f.t.Fatalf("%s: %v", protocol, err)
	}
	f.t.Cleanup(func() { _ = session.Close() })
	return session
}

// call calls a tool and returns its text and whether it is an error.
func (f *toolFixture) call(tool string, arguments any) (string, bool) {
	f.t.Helper()
	return f.callOn(f.connect(protocols[0]), tool, arguments)
}

// post sends one JSON-RPC message as a client of a protocol version does.
func (f *toolFixture) post(protocol, method string, params map[string]any, header ...string) (int, http.Header, map[string]any) {
	f.t.Helper()
	return f.postWith(map[string]any{}, protocol, method, params, header...)
}

// postAs sends a message as a client of the newest protocol version with capabilities does.
func (f *toolFixture) postAs(capabilities map[string]any, method string, params map[string]any) (int, http.Header, map[string]any) {
	f.t.Helper()
	return f.postWith(capabilities, protocols[0], method, params)
}

func (f *toolFixture) postWith(capabilities map[string]any, protocol, method string, params map[string]any,
	header ...string) (int, http.Header, map[string]any) {
	f.t.Helper()
	if params == nil {
		params = map[string]any{}
	}
	if protocol >= "2026-07-28" {
		params["_meta"] = map[string]any{"io.modelcontextprotocol/protocolVersion": protocol,
			"io.modelcontextprotocol/clientCapabilities": capabilities, "io.modelcontextprotocol/clientInfo": map[string]any{"name": "raw",
				"version": "1"}}
	}
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	if err != nil {
		f.t.Fatal(err)
	}
	all := []string{"Content-Type", "application/json", "Accept", "application/json, text/event-stream", "Mcp-Method", method}
	if method != "initialize" {
		all = append(all, "MCP-Protocol-Version", protocol)
	}
	if name, given := params["name"].(string); given {
		all = append(all, "Mcp-Name", name)
	}
	if uri, given := params["uri"].(string); given {
		all = append(all, "Mcp-Name", uri)
	}
	return f.send("POST", string(body), append(all, header...)...)
}

func (f *toolFixture) send(method, body string, header ...string) (int, http.Header, map[string]any) {
	f.t.Helper()
	request, err := http.NewRequestWithContext(f.t.Context(), method, f.httpServer.URL+"/mcp", strings.NewReader(body))
	if err != nil {
		f.t.Fatal(err)
	}
	for i := 0; i+1 < len(header); i += 2 {
		if header[i] == "Host" {
			request.Host = header[i+1]
		}
		request.Header.Set(header[i], header[i+1])
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		f.t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		f.t.Fatal(err)
	}
	var message map[string]any
	if len(content) > 0 {
		if err := json.Unmarshal(content, &message); err != nil {
			f.t.Fatalf("%s answers %d, which is not JSON: %q", method, response.StatusCode, content)
		}
	}
	return response.StatusCode, response.Header, message
}

func (f *toolFixture) callOn(session *mcp.ClientSession, tool string, arguments any) (string, bool) {
	f.t.Helper()
	result, err := session.CallTool(f.t.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		f.t.Fatalf("%s: %v", tool, err)
	}
	return textOfResult(result), result.IsError
}

func textOfResult(result *mcp.CallToolResult) string {
	return result.Content[0].(*mcp.TextContent).Text
}
