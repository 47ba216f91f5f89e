package e2e

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"ams.internal/deploy/demo"
	"ams.internal/deploy/devstack"
)

// The MCP server as assistants meet it: the protocol library's own client, through a gateway, with an API key.

// eras are the protocol versions of the two ways to begin: without a handshake, and with one.
var eras = []string{"2026-07-28", "2025-06-18"}

// assistant is a connected client.
type assistant struct {
	*mcp.ClientSession
	outputs map[string]*jsonschema.Resolved // the output schema of each tool

	mu     sync.Mutex
	called map[string]bool
}

// bearing sends the key with every request, as clients with a field for headers do.
type bearing struct{ key string }

func (b bearing) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.key)
	return http.DefaultTransport.RoundTrip(r)
}

func connect(t testing.TB, c caller, era string) *assistant {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "acceptance", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{
		Endpoint: c.base + "/mcp", HTTPClient: &http.Client{Transport: bearing{c.key}}, DisableStandaloneSSE: true,
	}, &mcp.ClientSessionOptions{ProtocolVersion: era})
	if err != nil {
		t.Fatalf("connect with %s: %v", era, err)
	}
	t.Cleanup(func() { _ = session.Close() })
	a := &assistant{ClientSession: session, outputs: map[string]*jsonschema.Resolved{}, called: map[string]bool{}}
	listed, err := session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range listed.Tools {
		var declared jsonschema.Schema
		encoded, err := json.Marshal(tool.OutputSchema)
		if err == nil {
			err = json.Unmarshal(encoded, &declared)
		}
		if err == nil {
			a.outputs[tool.Name], err = declared.Resolve(nil)
		}
		if err != nil {
			t.Fatalf("%s: %v", tool.Name, err)
		}
	}
	return a
}

// try calls a tool and gives its text, what it means, and whether it is an error.
func (a *assistant) try(t testing.TB, tool string, arguments map[string]any) (string, map[string]any, bool) {
	t.Helper()
	a.mu.Lock()
	a.called[tool] = true
	a.mu.Unlock()
	result, err := a.CallTool(context.WithoutCancel(t.Context()), &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	text := result.Content[0].(*mcp.TextContent).Text
	if len([]rune(text)) > 20_000 {
		t.Errorf("%s answers %d characters", tool, len([]rune(text)))
	}
	if result.IsError {
		return text, nil, true
	}
	if err := a.outputs[tool].Validate(result.StructuredContent); err != nil {
		t.Errorf("%s answers otherwise than it says: %v\n%s", tool, err, text)
	}
	meaning, _ := result.StructuredContent.(map[string]any)
	return text, meaning, false
}

// must is try for a call that must succeed and say all of says.
func (a *assistant) must(t testing.TB, tool string, arguments map[string]any, says ...string) map[string]any {
	t.Helper()
	text, meaning, failed := a.try(t, tool, arguments)
	if failed {
		t.Fatalf("%s %v says: %s", tool, arguments, text)
	}
	for _, part := range says {
		if !strings.Contains(text, part) {
			t.Errorf("%s %v does not say %s: %s", tool, arguments, part, text)
		}
	}
	return meaning
}

// refused is try for a call that must be refused with all of says.
func (a *assistant) refused(t testing.TB, tool string, arguments map[string]any, says ...string) {
	t.Helper()
	text, _, failed := a.try(t, tool, arguments)
	if !failed {
		t.Errorf("%s %v is not refused: %s", tool, arguments, text)
	}
	for _, part := range says {
		if !strings.Contains(text, part) {
			t.Errorf("%s %v does not say %q: %s", tool, arguments, part, text)
		}
	}
}

func (a *assistant) tools() []string {
	var names []string
	for name := range a.outputs {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// administration is what an Administrator of an organization does with keys.
type administration struct {
	caller
	organization demo.Organization
}

func administer(t testing.TB, name string) administration {
	t.Helper()
	d, o := devstack.ForTest(t).Description(), organization(t, name)
	signedIn := caller{d.AdminURL, d.AdminToken}.do(t, "POST", "/internal/sign-in",
		map[string]any{"email": o.Administrator.Email, "password": o.Administrator.Password, "organization_id": o.ID})
	session, _ := signedIn.object["session"].(string)
	return administration{caller{d.AdminURL, session}, o}
}

// key makes a key; with holds what is not usual about it.
func (a administration) key(t testing.TB, scopes []string, with map[string]any) (caller, string) {
	t.Helper()
	wanted := map[string]any{"name": t.Name(), "scopes": scopes, "rate_limit": 1000, "confirm_privacy": true}
	for field, value := range with {
		wanted[field] = value
	}
	made := a.do(t, "POST", "/internal/organizations/"+a.organization.ID+"/keys", wanted)
	value, _ := made.object["value"].(string)
	if value == "" {
		t.Fatalf("no key: %s", made.body)
	}
	return caller{devstack.ForTest(t).Description().BaseURL, value}, made.object["id"].(string)
}

func (a administration) revoke(t testing.TB, id string) {
	t.Helper()
	if revoked := a.do(t, "POST", "/internal/organizations/"+a.organization.ID+"/keys/"+id+"/revoke",
		map[string]any{}); revoked.status != 200 {
		t.Fatalf("revoke: %d %s", revoked.status, revoked.body)
	}
}

// speak sends one JSON-RPC request as a client without a handshake does.
func (c caller) speak(t testing.TB, method string, params map[string]any) response {
	t.Helper()
	params["_meta"] = map[string]any{"io.modelcontextprotocol/protocolVersion": eras[0],
		"io.modelcontextprotocol/clientCapabilities": map[string]any{}}
	header := []string{"Accept", "application/json, text/event-stream", "MCP-Protocol-Version", eras[0], "Mcp-Method", method}
	if name, named := params["name"].(string); named {
		header = append(header, "Mcp-Name", name)
	}
	return c.do(t, "POST", "/mcp", map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params}, header...)
}
