package main

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func TestBothErasWithTheLibrarysClient(t *testing.T) {
	b := newWorkbench(t)
	for _, era := range eras {
		session := b.connect(era)
		if got := session.InitializeResult(); got == nil || got.ProtocolVersion != era {
			t.Errorf("%s: negotiated %+v", era, got)
		}
		listed, err := session.ListTools(t.Context(), nil)
		if err != nil || len(listed.Tools) != len(tools) {
			t.Errorf("%s: %d tools, %v", era, len(listed.Tools), err)
		}
		if listed.CacheScope != "private" && era == eras[0] {
			t.Errorf("%s: the list may be kept by %s", era, listed.CacheScope)
		}
		if text, failed := b.callOn(session, "get_asset", map[string]any{"id": someID}); failed {
			t.Errorf("%s: %s", era, text)
		}
	}
}

func TestTheHandshakeOfOlderClients(t *testing.T) {
	b := newWorkbench(t)
	for _, era := range []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"} {
		status, header, answer := b.post(era, "initialize", map[string]any{"protocolVersion": era, "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "raw", "version": "1"}})
		result := at(answer, "result")
		if status != 200 || result["protocolVersion"] != era || at(result, "serverInfo")["version"] != version || !strings.Contains(result["instructions"].(string), "get_context") {
			t.Errorf("%s: %d %v", era, status, answer)
		}
		if header.Get("Mcp-Session-Id") != "" {
			t.Errorf("%s: there is a session", era)
		}
		capabilities := at(result, "capabilities")
		if at(capabilities, "tools")["listChanged"] != nil || capabilities["logging"] != nil || capabilities["completions"] == nil || capabilities["prompts"] == nil || capabilities["resources"] == nil {
			t.Errorf("%s: it offers %v", era, capabilities)
		}
		status, _, answer = b.post(era, "tools/call", map[string]any{"name": "get_asset", "arguments": map[string]any{"id": someID}})
		if status != 200 || at(answer, "result")["isError"] != nil || at(answer, "result", "structuredContent") == nil {
			t.Errorf("%s: a call answers %d %v", era, status, answer)
		}
	}
	if status, _, _ := b.send("POST", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, "Content-Type", "application/json", "Accept", "application/json, text/event-stream"); status != http.StatusAccepted {
		t.Errorf("a notification answers %d", status)
	}
}

func TestTheProtocolWithoutAHandshake(t *testing.T) {
	b := newWorkbench(t)
	status, _, answer := b.post(eras[0], "server/discover", nil)
	result := at(answer, "result")
	if versions, _ := result["supportedVersions"].([]any); status != 200 || !slices.Contains(versions, any(eras[0])) || result["cacheScope"] != "private" {
		t.Errorf("discover: %d %v", status, answer)
	}
	for method, private := range map[string]bool{"tools/list": true, "prompts/list": true, "resources/list": true, "resources/templates/list": true} {
		status, _, answer = b.post(eras[0], method, nil)
		if status != 200 || at(answer, "result")["cacheScope"] != "private" || at(answer, "result")["ttlMs"] != 60_000.0 || !private {
			t.Errorf("%s: %d %v %v", method, status, at(answer, "result")["cacheScope"], at(answer, "result")["ttlMs"])
		}
	}
	status, header, answer := b.post(eras[0], "tools/call", map[string]any{"name": "get_asset", "arguments": map[string]any{"id": someID}})
	if status != 200 || at(answer, "result", "structuredContent") == nil || at(answer, "result")["resultType"] != "complete" {
		t.Errorf("a call: %d %v", status, answer)
	}
	if !strings.HasPrefix(header.Get("Content-Type"), "application/json") {
		t.Errorf("it answers %s", header.Get("Content-Type"))
	}
	if status, _, answer = b.post(eras[0], "tools/call", map[string]any{"name": "get_asset"}, "Mcp-Name", "find"); status != 400 {
		t.Errorf("a header that names another tool: %d %v", status, answer)
	}
	if status, _, answer = b.post("2099-01-01", "tools/list", nil); status != 400 || at(answer, "error")["code"] != -32022.0 {
		t.Errorf("a version that is not there yet: %d %v", status, answer)
	}
}

func TestNothingIsListenedTo(t *testing.T) {
	b := newWorkbench(t)
	for _, method := range []string{"subscriptions/listen", "resources/subscribe", "resources/unsubscribe", "logging/setLevel"} {
		for _, era := range eras {
			params := map[string]any{"notifications": map[string]any{"toolsListChanged": true}, "uri": "asset://" + someID, "level": "info"}
			if method == "subscriptions/listen" && era != eras[0] {
				continue
			}
			status, _, answer := b.post(era, method, params, "Mcp-Name", "asset://"+someID)
			if at(answer, "error")["code"] != -32601.0 {
				t.Errorf("%s in %s: %d %v", method, era, status, answer)
			}
		}
	}
}

func TestRefusalsOfTheTransportAreJSON(t *testing.T) {
	b := newWorkbench(t)
	usual := []string{"Content-Type", "application/json", "Accept", "application/json, text/event-stream"}
	for name, c := range map[string]struct {
		method, body string
		header       []string
		status       int
	}{
		"GET":                    {"GET", "", nil, 405},
		"DELETE":                 {"DELETE", "", nil, 405},
		"PUT":                    {"PUT", "{}", usual, 405},
		"no JSON":                {"POST", "hello", usual, 400},
		"nothing":                {"POST", "", usual, 400},
		"another content type":   {"POST", "{}", []string{"Content-Type", "text/plain", "Accept", "application/json, text/event-stream"}, 415},
		"Accept without streams": {"POST", "{}", []string{"Content-Type", "application/json", "Accept", "text/html"}, 400},
		"an unknown version":     {"POST", "{}", append([]string{"MCP-Protocol-Version", "1999-01-01"}, usual...), 400},
		"a method unknown":       {"POST", `{"jsonrpc":"2.0","id":1,"method":"tools/dance"}`, usual, 400},
		"too large":              {"POST", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"x":"` + strings.Repeat("x", largestRequest) + `"}}`, usual, 413},
		"a foreign page":         {"POST", "{}", append([]string{"Origin", "https://evil.example"}, usual...), 403},
		"an opaque page":         {"POST", "{}", append([]string{"Origin", "null"}, usual...), 403},
		"a foreign name":         {"POST", "{}", append([]string{"X-Forwarded-Host", "evil.example:8080"}, usual...), 403},
		"a name made to look":    {"POST", "{}", append([]string{"X-Forwarded-Host", "api.example.ca.evil.example"}, usual...), 403},
		"a foreign host":         {"POST", "{}", append([]string{"Host", "evil.example"}, usual...), 403},
	} {
		status, header, answer := b.send(c.method, c.body, c.header...)
		text, _ := answer["error"].(string)
		code, _ := answer["code"].(string)
		if status != c.status || text == "" || code == "" || answer["request_id"] == nil || !strings.HasPrefix(header.Get("Content-Type"), "application/json") {
			t.Errorf("%s: %d %s %v", name, status, header.Get("Content-Type"), answer)
		}
		if c.status == 405 && header.Get("Allow") != "POST" {
			t.Errorf("%s: it allows %q", name, header.Get("Allow"))
		}
	}
	for _, good := range [][]string{
		{"X-Forwarded-Host", "api.example.ca"}, {"X-Forwarded-Host", "API.example.ca:443"}, {"X-Forwarded-Host", "localhost:8080"}, {"X-Forwarded-Host", "127.0.0.1:8080"},
		{"X-Forwarded-Host", "[::1]:8080"}, {"Origin", "https://api.example.ca"}, {"Origin", "http://localhost:6274"},
	} {
		if status, _, answer := b.post(eras[1], "tools/list", nil, good...); status != 200 {
			t.Errorf("%v: %d %v", good, status, answer)
		}
	}
}

func TestAMethodIsRefusedBeforeAnybodyIsAskedForAKey(t *testing.T) {
	b := newWorkbench(t)
	asked := false
	handler := b.server.handler(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { asked = true; w.WriteHeader(401) })
	})
	b.front.Config.Handler = handler
	if status, _, _ := b.send("GET", ""); status != 405 || asked {
		t.Errorf("GET answers %d, asked for a key: %v", status, asked)
	}
	if status, _, _ := b.send("POST", "{}"); status != 401 || !asked {
		t.Errorf("POST answers %d, asked for a key: %v", status, asked)
	}
}

func TestPrompts(t *testing.T) {
	b := newWorkbench(t)
	session := b.connect(eras[1])
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
	b.caller.Scopes = []string{"sites:read"}
	if listed, err = session.ListPrompts(t.Context(), nil); err != nil || len(listed.Prompts) != 0 {
		t.Errorf("with sites alone: %v, %v", listed.Prompts, err)
	}
}

func TestResources(t *testing.T) {
	b := newWorkbench(t)
	session := b.connect(eras[1])
	listed, err := session.ListResourceTemplates(t.Context(), nil)
	if err != nil || len(listed.ResourceTemplates) != 3 {
		t.Fatalf("%v, %v", listed, err)
	}
	for _, uri := range []string{"asset://" + someID, "work-order://" + someID, "building://" + someID} {
		got, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
		if err != nil || got.Contents[0].URI != uri || got.Contents[0].MIMEType != "application/json" || strings.Contains(got.Contents[0].Text, "null") {
			t.Errorf("%s: %v, %v", uri, got, err)
		}
	}
	for _, uri := range []string{"asset://1", "asset://", "asset://" + someID + "/../../users", "site://" + someID, "file:///etc/passwd"} {
		if got, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri}); err == nil {
			t.Errorf("%s: %v", uri, got)
		}
	}
	b.upstream.answer = func(w http.ResponseWriter, _ *http.Request) bool {
		w.WriteHeader(404)
		_, _ = w.Write([]byte(`{"error":"There is no asset.","code":"not_found"}`))
		return true
	}
	if _, err := session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "asset://" + someID}); err == nil || !strings.Contains(err.Error(), "not found") {
		t.Errorf("a foreign asset: %v", err)
	}
	b.upstream.answer = nil
	b.caller.Scopes = []string{"assets:read"}
	if listed, err = session.ListResourceTemplates(t.Context(), nil); err != nil || len(listed.ResourceTemplates) != 1 {
		t.Errorf("with assets alone: %v, %v", listed.ResourceTemplates, err)
	}
}

func TestCompletions(t *testing.T) {
	b := newWorkbench(t)
	session := b.connect(eras[1])
	complete := func(ref *mcp.CompleteReference, argument, typed string) []string {
		t.Helper()
		got, err := session.Complete(t.Context(), &mcp.CompleteParams{Ref: ref, Argument: mcp.CompleteParamsArgument{Name: argument, Value: typed}})
		if err != nil {
			t.Fatal(err)
		}
		return got.Completion.Values
	}
	review, asset := &mcp.CompleteReference{Type: "ref/prompt", Name: "building_condition_review"}, &mcp.CompleteReference{Type: "ref/resource", URI: "asset://{id}"}
	if got := complete(review, "building", "aré"); len(got) != 2 || got[0] == "" {
		t.Errorf("names: %v", got)
	}
	if got := complete(asset, "id", "pompe"); len(got) != 2 || len(got[0]) != 36 {
		t.Errorf("ids: %v", got)
	}
	b.upstream.seen()
	for _, got := range [][]string{complete(review, "building", " "), complete(review, "colour", "x"), complete(&mcp.CompleteReference{Type: "ref/prompt", Name: "none"}, "x", "x"), complete(asset, "name", "x")} {
		if got == nil || len(got) > 0 {
			t.Errorf("nothing is offered as %v", got)
		}
	}
	b.caller.Scopes = []string{"sites:read"}
	if got := complete(review, "building", "aré"); len(got) > 0 {
		t.Errorf("buildings are offered to a key for sites: %v", got)
	}
	if requests, _ := b.upstream.seen(); len(requests) > 0 {
		t.Errorf("the API was asked: %s", requests[0].URL)
	}
}
