package mcp

import (
	"net/http"
	"strings"
	"testing"
)

// batchOf is a JSON-RPC batch of calls that read.
func batchOf(messages int) string {
	return "[" + strings.TrimSuffix(strings.Repeat(`{"jsonrpc":"2.0","id":1,"method":"tools/list"},`, messages), ",") + "]"
}

func TestBatches(t *testing.T) {
	f := newAuthFixture(t)
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
			key := f.newKey(orgID)
			resp := f.newBrowser().send(http.MethodPost, "/mcp", "application/json", test.body, "Authorization", "Bearer "+key,
				"MCP-Protocol-Version", test.version)
			got := resp.json(t)
			if reached := got["Key"] == key; resp.status != test.status || reached != (test.status == 200) {
				t.Errorf("%d %.300s", resp.status, resp.body)
			}
			if refusal, _ := got["error"].(map[string]any); test.code != 0 && (refusal == nil || refusal["code"] != float64(test.code) ||
				got["jsonrpc"] != "2.0" || refusal["message"] == "") {
				t.Errorf("the error is %.300s", resp.body)
			}
			if counted := 60 - f.keys[key].left; counted != test.counted {
				t.Errorf("%d requests were counted, want %d", counted, test.counted)
			}
		})
	}
}

func TestABatchBeyondTheKeysLimitIsRefusedBeforeAnythingIsAnswered(t *testing.T) {
	f := newAuthFixture(t)
	key := f.newKey(orgID)
	send := func() httpResponse {
		return f.newBrowser().send(http.MethodPost, "/mcp", "application/json", batchOf(20), "Authorization", "Bearer "+key)
	}
	for range 3 {
		if resp := send(); resp.status != 200 {
			t.Fatalf("%d %s", resp.status, resp.body)
		}
	}
	resp := send()
	if resp.status != 429 || resp.json(t)["code"] != "rate_limited" || resp.header.Get("Retry-After") != "17" {
		t.Errorf("%d %s %s", resp.status, resp.header.Get("Retry-After"), resp.body)
	}
	f.setGatewayDown(true)
	if resp := send(); resp.status != 503 {
		t.Errorf("while nobody can count: %d %s", resp.status, resp.body)
	}
}

func TestABodyThatIsTooLargeIsRefused(t *testing.T) {
	f := newAuthFixture(t)
	resp := f.newBrowser().send(http.MethodPost, "/mcp", "application/json", batchOf(1)+strings.Repeat(" ", maxRequestBody), "Authorization",
		"Bearer "+f.newKey(orgID))
	if resp.status != 413 || resp.json(t)["code"] != "protocol_error" {
		t.Errorf("%d %s", resp.status, resp.body)
	}
}
