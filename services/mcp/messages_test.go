package mcp

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// versions are all protocol versions that the server speaks.
var versions = []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"}

// raw sends a body as a client of a protocol version does, and returns the messages of the answer.
func (f *toolFixture) raw(version, method, name, body string) (int, []map[string]any) {
	f.t.Helper()
	request, err := http.NewRequestWithContext(f.t.Context(), http.MethodPost, f.httpServer.URL+"/mcp", strings.NewReader(body))
	if err != nil {
		f.t.Fatal(err)
	}
	for name, value := range map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"MCP-Protocol-Version": version, "Mcp-Method": method, "Mcp-Name": name} {
		request.Header.Set(name, value)
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
	var one map[string]any
	var several []map[string]any
	switch {
	case len(content) == 0:
	case json.Unmarshal(content, &one) == nil:
		several = append(several, one)
	case json.Unmarshal(content, &several) != nil:
		f.t.Fatalf("%s: %d is not JSON: %q", version, response.StatusCode, content)
	}
	return response.StatusCode, several
}

func TestWhatIsNoCallIsAnErrorOfJSONRPCInEveryVersion(t *testing.T) {
	f := newToolFixture(t)
	for _, version := range versions {
		newest, meta := version == versions[len(versions)-1], ""
		if newest {
			meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},` +
				`"io.modelcontextprotocol/clientInfo":{"name":"raw","version":"1"}}`
		}
		status := func(inNewest int) int {
			if newest {
				return inNewest
			}
			return 200
		}
		for name, c := range map[string]struct {
			method, body string
			status, code int
			id           any
		}{
			"no JSON":            {"", `hello`, 400, -32700, nil},
			"half of it":         {"", `{"jsonrpc":"2.0","id":1,"method":"tools/li`, 400, -32700, nil},
			"two of it":          {"", `{"jsonrpc":"2.0","id":1,"method":"ping"} {}`, 400, -32700, nil},
			"nothing":            {"", ``, 400, -32700, nil},
			"an object of ours":  {"", `{"hello":"world"}`, 400, -32600, nil},
			"a text":             {"", `"tools/list"`, 400, -32600, nil},
			"null":               {"", `null`, 400, -32600, nil},
			"an older JSON-RPC":  {"ping", `{"jsonrpc":"1.0","id":1,"method":"ping"}`, 400, -32600, nil},
			"a method of 5":      {"", `{"jsonrpc":"2.0","id":1,"method":5}`, 400, -32600, nil},
			"an id that is true": {"", `{"jsonrpc":"2.0","id":true,"method":"ping"}`, 400, -32600, nil},
			"no method":          {"", `{"jsonrpc":"2.0","id":1}`, 400, -32600, 1.0},
			"no id":              {"tools/list", `{"jsonrpc":"2.0","method":"tools/list"}`, 400, -32600, nil},
			"an id too many":     {"", `{"jsonrpc":"2.0","id":1,"method":"notifications/initialized"}`, 400, -32600, 1.0},
			"an unknown method": {"tools/dance", `{"jsonrpc":"2.0","id":"a","method":"tools/dance","params":{` + meta + `}}`,
				status(404), -32601, "a"},
			"and without params": {"tools/dance", `{"jsonrpc":"2.0","id":7,"method":"tools/dance"}`, status(404), -32601, 7.0},
			"no method at all":   {"", `{"jsonrpc":"2.0","id":7,"method":""}`, status(404), -32601, 7.0},
			"no params":          {"tools/call", `{"jsonrpc":"2.0","id":1,"method":"tools/call"}`, status(400), -32602, 1.0},
			"params that are no": {"tools/call", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":null}`, status(400), -32602, 1.0},
			"params that are 3":  {"tools/list", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":3}`, status(400), -32602, 1.0},
			"a list of params":   {"tools/list", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":[]}`, status(400), -32602, 1.0},
			"an argument of 5": {"completion/complete",
				`{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{"argument":5,` + meta + `}}`, status(400), -32602, 1.0},
			"a tool that is none": {"tools/call", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x",` + meta + `}}`,
				status(400), -32602, 1.0},
		} {
			body := strings.Replace(c.body, ",}", "}", 1) // without meta
			status, messages := f.raw(version, c.method, "x", body)
			if len(messages) != 1 || status != c.status {
				t.Errorf("%s in %s: %d %v", name, version, status, messages)
				continue
			}
			failure := at(messages[0], "error")
			if messages[0]["jsonrpc"] != "2.0" || messages[0]["id"] != c.id || failure["code"] != float64(c.code) || failure["message"] == "" {
				t.Errorf("%s in %s: %d %v", name, version, status, messages[0])
			}
		}
		for _, nobodyWaits := range []string{`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
			`{"jsonrpc":"2.0","method":"notifications/none"}`, `{"jsonrpc":"2.0","id":4,"result":{}}`} {
			if status, messages := f.raw(version, "", "", nobodyWaits); status != 202 || len(messages) > 0 {
				t.Errorf("%s in %s: %d %v", nobodyWaits, version, status, messages)
			}
		}
	}
}

func TestAMessageOfABatchThatIsNoneLeavesTheOthersTheirAnswers(t *testing.T) {
	f := newToolFixture(t)
	const list, dance = `{"jsonrpc":"2.0","id":1,"method":"prompts/list"}`, `{"jsonrpc":"2.0","id":2,"method":"tools/dance"}`
	for name, c := range map[string]struct {
		batch  string
		status int
		want   []string // id and code of each answer
	}{
		"good and bad": {list + "," + dance + `,5,{"jsonrpc":"2.0","id":"x","method":"tools/call"}`, 200,
			[]string{"1 <nil>", "2 -32601", "<nil> -32600", "x -32602"}},
		"good alone":         {list + `,{"jsonrpc":"2.0","id":3,"method":"ping"}`, 200, []string{"1 <nil>", "3 <nil>"}},
		"bad alone":          {dance, 200, []string{"2 -32601"}},
		"notifications too":  {list + `,{"jsonrpc":"2.0","method":"notifications/initialized"},` + dance, 200, []string{"1 <nil>", "2 -32601"}},
		"notifications only": {`{"jsonrpc":"2.0","method":"notifications/initialized"}`, 202, nil},
		"the same id twice":  {list + "," + list, 200, []string{"1 <nil>", "1 -32600"}},
		"nothing":            {"", 400, []string{"<nil> -32600"}},
		"a comma too many":   {list + ",", 400, []string{"<nil> -32700"}},
	} {
		for _, version := range versions[:2] {
			status, messages := f.raw(version, "", "", "["+c.batch+"]")
			var got []string
			for _, each := range messages {
				got = append(got, fmt.Sprint(each["id"], " ", at(each, "error")["code"]))
			}
			slices.Sort(got)
			if slices.Sort(c.want); status != c.status || !slices.Equal(got, c.want) {
				t.Errorf("%s in %s: %d %v", name, version, status, got)
			}
		}
	}
}

// Should a new version of the protocol library take further methods, or need params of others, this says so.
func TestOfferedMethodsAreAnswered(t *testing.T) {
	f := newToolFixture(t)
	for method, needsParams := range offeredMethods {
		params := map[string]any{}
		if needsParams {
			params = map[string]any{"name": "get_context", "uri": "asset://" + testID,
				"protocolVersion": versions[2], "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "raw", "version": "1"},
				"ref": map[string]any{"type": "ref/prompt", "name": "x"}, "argument": map[string]any{"name": "x", "value": "x"}}
		}
		version := versions[2]
		if method == "server/discover" {
			version = versions[4]
		}
		if method == "prompts/get" {
			params["name"] = prompts[0].name
			params["arguments"] = map[string]any{"building": "x"}
		}
		if status, _, message := f.post(version, method, params); status != 200 || message["result"] == nil {
			t.Errorf("%s: %d %v", method, status, message)
		}
	}
}
