package mcp

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func TestBothErasWithTheLibrarysClient(t *testing.T) {
	f := newToolFixture(t)
	for _, protocol := range protocols {
		session := f.connect(protocol)
		if got := session.InitializeResult(); got == nil || got.ProtocolVersion != protocol {
			t.Errorf("%s: negotiated %+v", protocol, got)
		}
		listed, err := session.ListTools(t.Context(), nil)
		if err != nil || len(listed.Tools) != len(tools) {
			t.Errorf("%s: %d tools, %v", protocol, len(listed.Tools), err)
		}
		if listed.CacheScope != "private" && protocol == protocols[0] {
			t.Errorf("%s: the list may be kept by %s", protocol, listed.CacheScope)
		}
		if text, failed := f.callOn(session, "get_asset", map[string]any{"id": testID}); failed {
			t.Errorf("%s: %s", protocol, text)
		}
	}
}

func TestTheHandshakeOfOlderClients(t *testing.T) {
	f := newToolFixture(t)
	for _, protocol := range []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"} {
		status, header, message := f.post(protocol, "initialize", map[string]any{"protocolVersion": protocol, "capabilities": map[string]any{},
			"clientInfo": map[string]any{"name": "raw", "version": "1"}})
		result := at(message, "result")
		if status != 200 || result["protocolVersion"] != protocol || at(result, "serverInfo")["version"] != version ||
			!strings.Contains(result["instructions"].(string), "get_context") {
			t.Errorf("%s: %d %v", protocol, status, message)
		}
		if header.Get("Mcp-Session-Id") != "" {
			t.Errorf("%s: there is a session", protocol)
		}
		capabilities := at(result, "capabilities")
		if at(capabilities, "tools")["listChanged"] != nil || capabilities["logging"] != nil || capabilities["completions"] == nil ||
			capabilities["prompts"] == nil || capabilities["resources"] == nil {
			t.Errorf("%s: it offers %v", protocol, capabilities)
		}
		status, _, message = f.post(protocol, "tools/call", map[string]any{"name": "get_asset", "arguments": map[string]any{"id": testID}})
		if status != 200 || at(message, "result")["isError"] != nil || at(message, "result", "structuredContent") == nil {
			t.Errorf("%s: a call answers %d %v", protocol, status, message)
		}
	}
	if status, _, _ := f.send("POST", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, "Content-Type", "application/json", "Accept",
		"application/json, text/event-stream"); status != http.StatusAccepted {
		t.Errorf("a notification answers %d", status)
	}
}

func TestTheProtocolWithoutAHandshake(t *testing.T) {
	f := newToolFixture(t)
	status, _, message := f.post(protocols[0], "server/discover", nil)
	result := at(message, "result")
	if versions, _ := result["supportedVersions"].([]any); status != 200 || !slices.Contains(versions, any(protocols[0])) ||
		result["cacheScope"] != "private" {
		t.Errorf("discover: %d %v", status, message)
	}
	for method, private := range map[string]bool{"tools/list": true, "prompts/list": true, "resources/list": true,
		"resources/templates/list": true} {
		status, _, message = f.post(protocols[0], method, nil)
		if status != 200 || at(message, "result")["cacheScope"] != "private" || at(message, "result")["ttlMs"] != 60_000.0 || !private {
			t.Errorf("%s: %d %v %v", method, status, at(message, "result")["cacheScope"], at(message, "result")["ttlMs"])
		}
	}
	status, header, message := f.post(protocols[0], "tools/call",
		map[string]any{"name": "get_asset", "arguments": map[string]any{"id": testID}})
	if status != 200 || at(message, "result", "structuredContent") == nil || at(message, "result")["resultType"] != "complete" {
		t.Errorf("a call: %d %v", status, message)
	}
	if !strings.HasPrefix(header.Get("Content-Type"), "application/json") {
		t.Errorf("it answers %s", header.Get("Content-Type"))
	}
	if status, _, message = f.post(protocols[0], "tools/call", map[string]any{"name": "get_asset"}, "Mcp-Name", "find"); status != 400 {
		t.Errorf("a header that names another tool: %d %v", status, message)
	}
	if status, _, message = f.post("2099-01-01", "tools/list", nil); status != 400 || at(message, "error")["code"] != -32022.0 {
		t.Errorf("a version that is not there yet: %d %v", status, message)
	}
}

func TestNothingIsListenedTo(t *testing.T) {
	f := newToolFixture(t)
	for _, method := range []string{"subscriptions/listen", "resources/subscribe", "resources/unsubscribe", "logging/setLevel"} {
		for _, protocol := range protocols {
			params := map[string]any{"notifications": map[string]any{"toolsListChanged": true}, "uri": "asset://" + testID, "level": "info"}
			if method == "subscriptions/listen" && protocol != protocols[0] {
				continue
			}
			status, _, message := f.post(protocol, method, params, "Mcp-Name", "asset://"+testID)
			if at(message, "error")["code"] != -32601.0 {
				t.Errorf("%s in %s: %d %v", method, protocol, status, message)
			}
		}
	}
}

func TestRefusalsOfTheTransportAreJSON(t *testing.T) {
	f := newToolFixture(t)
	headers := []string{"Content-Type", "application/json", "Accept", "application/json, text/event-stream"}
	const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	for name, c := range map[string]struct {
		method, body string
		header       []string
		status       int
	}{
		"GET":                    {"GET", "", nil, 405},
		"DELETE":                 {"DELETE", "", nil, 405},
		"PUT":                    {"PUT", "{}", headers, 405},
		"another content type":   {"POST", "{}", []string{"Content-Type", "text/plain", "Accept", "application/json, text/event-stream"}, 415},
		"Accept without streams": {"POST", ping, []string{"Content-Type", "application/json", "Accept", "text/html"}, 400},
		"an unknown version":     {"POST", ping, append([]string{"MCP-Protocol-Version", "1999-01-01"}, headers...), 400},
		"too large": {"POST", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"x":"` + strings.Repeat("x",
			maxRequestBody) + `"}}`, headers, 413},
		"a foreign page":      {"POST", "{}", append([]string{"Origin", "https://evil.example"}, headers...), 403},
		"an opaque page":      {"POST", "{}", append([]string{"Origin", "null"}, headers...), 403},
		"a foreign name":      {"POST", "{}", append([]string{"X-Forwarded-Host", "evil.example:8080"}, headers...), 403},
		"a name made to look": {"POST", "{}", append([]string{"X-Forwarded-Host", "api.example.ca.evil.example"}, headers...), 403},
		"a foreign host":      {"POST", "{}", append([]string{"Host", "evil.example"}, headers...), 403},
	} {
		status, header, message := f.send(c.method, c.body, c.header...)
		text, _ := message["error"].(string)
		code, _ := message["code"].(string)
		if status != c.status || text == "" || code == "" || message["request_id"] == nil ||
			!strings.HasPrefix(header.Get("Content-Type"), "application/json") {
			t.Errorf("%s: %d %s %v", name, status, header.Get("Content-Type"), message)
		}
		if c.status == 405 && header.Get("Allow") != "POST" {
			t.Errorf("%s: it allows %q", name, header.Get("Allow"))
		}
	}
	for _, good := range [][]string{
		{"X-Forwarded-Host", "api.example.ca"}, {"X-Forwarded-Host", "API.example.ca:443"}, {"X-Forwarded-Host",
			"localhost:8080"}, {"X-Forwarded-Host", "127.0.0.1:8080"},
		{"X-Forwarded-Host", "[::1]:8080"}, {"Origin", "https://api.example.ca"}, {"Origin", "http://localhost:6274"},
	} {
		if status, _, message := f.post(protocols[1], "tools/list", nil, good...); status != 200 {
			t.Errorf("%v: %d %v", good, status, message)
		}
	}
}

func TestAMethodIsRefusedBeforeAnybodyIsAskedForAKey(t *testing.T) {
	f := newToolFixture(t)
	authorized := false
	handler := f.server.handler(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { authorized = true; w.WriteHeader(401) })
	})
	f.httpServer.Config.Handler = handler
	if status, _, _ := f.send("GET", ""); status != 405 || authorized {
		t.Errorf("GET answers %d, asked for a key: %v", status, authorized)
	}
	if status, _, _ := f.send("POST", "{}"); status != 401 || !authorized {
		t.Errorf("POST answers %d, asked for a key: %v", status, authorized)
	}
}

func TestPrompts(t *testing.T) {
	f := newToolFixture(t)
	session := f.connect(protocols[1])
	listed, err := session.ListPrompts(t.Context(), nil)
	if err != nil || len(listed.Prompts) != 5 {
		t.Fatalf("%v, %v", listed, err)
	}
	for _, each := range prompts {
		given := map[string]string{}
		for _, a := range each.arguments {
			given[a.name] = "L’Aréna\n du Parc"
		}
		for _, arguments := range []map[string]string{given, nil} {
			got, err := session.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: each.name, Arguments: arguments})
			if required := slices.ContainsFunc(each.arguments, func(a promptArgument) bool { return a.required }); required && arguments == nil {
				if err == nil || !strings.Contains(err.Error(), "needs the argument") {
					t.Errorf("%s without its argument: %v", each.name, err)
				}
				continue
			}
			if err != nil {
				t.Errorf("%s: %v", each.name, err)
				continue
			}
			text := got.Messages[0].Content.(*mcp.TextContent).Text
			if strings.ContainsAny(text, "{}") || arguments != nil && !strings.Contains(text, "L’Aréna du Parc") {
				t.Errorf("%s with %v: %s", each.name, arguments, text)
			}
		}
		for _, name := range each.tools {
			if !strings.Contains(each.text, name) || !slices.ContainsFunc(tools, func(t *tool) bool { return t.name == name }) {
				t.Errorf("%s speaks of no tool %s", each.name, name)
			}
		}
	}
	f.caller.Scopes = []string{"sites:read"}
	if listed, err = session.ListPrompts(t.Context(), nil); err != nil || len(listed.Prompts) != 0 {
		t.Errorf("with sites alone: %v, %v", listed.Prompts, err)
	}
}

func TestResources(t *testing.T) {
	f := newToolFixture(t)
	session := f.connect(protocols[1])
	listed, err := session.ListResourceTemplates(t.Context(), nil)
	if err != nil || len(listed.ResourceTemplates) != 4 {
		t.Fatalf("%v, %v", listed, err)
	}
	for _, uri := range []string{"asset://" + testID, "work-order://" + testID, "building://" + testID} {
		got, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
		if err != nil || got.Contents[0].URI != uri || got.Contents[0].MIMEType != "application/json" ||
			strings.Contains(got.Contents[0].Text, "null") {
			t.Errorf("%s: %v, %v", uri, got, err)
		}
	}
	for _, uri := range []string{"asset://1", "asset://", "asset://" + testID + "/../../users", "site://" + testID, "file:///etc/passwd"} {
		if got, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri}); err == nil {
			t.Errorf("%s: %v", uri, got)
		}
	}
	f.upstream.respond = func(w http.ResponseWriter, _ *http.Request) bool {
		w.WriteHeader(404)
		_, _ = w.Write([]byte(`{"error":"There is no asset.","code":"not_found"}`))
		return true
	}
	if _, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "asset://" + testID}); err == nil ||
		!strings.Contains(err.Error(), "not found") {
		t.Errorf("a foreign asset: %v", err)
	}
	f.upstream.respond = nil
	f.caller.Scopes = []string{"assets:read"}
	if listed, err = session.ListResourceTemplates(t.Context(), nil); err != nil || len(listed.ResourceTemplates) != 1 {
		t.Errorf("with assets alone: %v, %v", listed.ResourceTemplates, err)
	}
}

func TestCompletions(t *testing.T) {
	f := newToolFixture(t)
	session := f.connect(protocols[1])
	complete := func(ref *mcp.CompleteReference, argument, typed string) []string {
		t.Helper()
		got, err := session.Complete(t.Context(),
			&mcp.CompleteParams{Ref: ref, Argument: mcp.CompleteParamsArgument{Name: argument, Value: typed}})
		if err != nil {
			t.Fatal(err)
		}
		return got.Completion.Values
	}
	review, asset := &mcp.CompleteReference{Type: "ref/prompt",
		Name: "building_condition_review"}, &mcp.CompleteReference{Type: "ref/resource", URI: "asset://{id}"}
	if got := complete(review, "building", "aré"); len(got) != 2 || got[0] == "" {
		t.Errorf("names: %v", got)
	}
	if got := complete(asset, "id", "pompe"); len(got) != 2 || got[0] != "A-000001 · Pompe de circulation nº 2" {
		t.Errorf("ids: %v", got)
	}
	f.upstream.takeRequests()
	for _, got := range [][]string{complete(review, "building", " "), complete(review, "colour", "x"),
		complete(&mcp.CompleteReference{Type: "ref/prompt", Name: "none"}, "x", "x"), complete(asset, "name", "x")} {
		if got == nil || len(got) > 0 {
			t.Errorf("nothing is offered as %v", got)
		}
	}
	f.caller.Scopes = []string{"sites:read"}
	if got := complete(review, "building", "aré"); len(got) > 0 {
		t.Errorf("buildings are offered to a key for sites: %v", got)
	}
	if requests, _ := f.upstream.takeRequests(); len(requests) > 0 {
		t.Errorf("the API was asked: %s", requests[0].URL)
	}
}
