package regions

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
)

// What a service requests of another one for a pinned request stays in the region as well: references of a write, what would keep a
// record from being deleted, an idempotent write, a stream, an assistant's tool.
func TestNothingOfAPinnedRequestLeavesItsRegion(t *testing.T) {
	inCanada, inStates := callers(t)
	for _, c := range []struct {
		from caller
		to   string
		not  string
	}{{inCanada, canada, states}, {inCanada, states, canada}, {inStates, canada, states}, {inStates, states, canada}} {
		id, traceparent := trace()
		pin := []string{"X-Region", c.to, "Traceparent", traceparent}
		site := c.from.must(t, 201, "POST", "/v1/sites", map[string]any{"name": t.Name() + c.from.base + c.to}, pin...).object["id"].(string)
		order := map[string]any{"title": "Pinned", "site_id": site}
		made := c.from.must(t, 201, "POST", "/v1/work-orders", order, append(pin, "Idempotency-Key", t.Name()+c.from.base+c.to)...)
		again := c.from.must(t, 201, "POST", "/v1/work-orders", order, append(pin, "Idempotency-Key", t.Name()+c.from.base+c.to)...)
		if made.object["id"] != again.object["id"] || again.served != c.to {
			t.Errorf("the idempotent request is another: %s %s", made.body, again.body)
		}
		c.from.do(t, "DELETE", "/v1/sites/"+site, nil, pin...).says(t, 409, "work_orders")
		if stream := c.from.must(t, 200, "GET", "/v1/sites", nil, append(pin, "Accept", "application/x-ndjson")...); stream.served != c.to {
			t.Errorf("the stream was processed in %s", stream.served)
		}
		hook := c.from.must(t, 201, "POST", "/v1/webhook-endpoints",
			map[string]any{"url": "http://127.0.0.1:9/", "event_types": []string{"asset.created"}}, pin...)
		c.from.must(t, 204, "DELETE", "/v1/webhook-endpoints/"+hook.object["id"].(string), nil, pin...)
		parts := whoServed(t, id, c.from.key)
		if in(parts, c.to, "assets") < 4 || in(parts, c.to, "workorders") < 3 {
			t.Errorf("to %s: the services asked each other otherwise than thought: %v", c.to, parts)
		}
		cameIn := 0 // at the gateway of the other region, which only hands them on
		if c.from.base == gateway(c.not) {
			cameIn = 7
		}
		if in(parts, c.not, "") != cameIn || in(parts, c.not, "gateway") != cameIn {
			t.Errorf("pinned to %s, sent to %s, and these had a part: %v", c.to, c.from.base, parts)
		}
	}
}

// Without the owner in its own region a pinned request fails, and one that is not pinned is helped by the other region.
func TestAPinnedRequestWithoutItsOwnerFailsAndTouchesNobodyElse(t *testing.T) {
	inCanada, inStates := callers(t)
	site := inCanada.must(t, 201, "POST", "/v1/sites", map[string]any{"name": t.Name()}).object["id"].(string)
	order := map[string]any{"title": "Who owns the site?", "site_id": site}
	for _, down := range []struct{ region, other string }{{canada, states}, {states, canada}} {
		resume := halt(t, down.region, "assets")
		id, traceparent := trace()
		there := caller{gateway(down.region), inCanada.key}
		if free := there.must(t, 201, "POST", "/v1/work-orders", order, "Traceparent", traceparent); free.served != down.region {
			t.Errorf("not pinned, it was processed in %s", free.served)
		}
		if parts := whoServed(t, id, there.key); in(parts, down.other, "assets") != 1 {
			t.Errorf("not pinned, the question was answered by %v", parts)
		}
		for _, c := range []caller{inCanada, inStates} {
			id, traceparent := trace()
			pinned := c.do(t, "POST", "/v1/work-orders", order, "X-Region", down.region, "Traceparent", traceparent)
			pinned.says(t, 503, "region_unavailable", "assets", down.region)
			parts := whoServed(t, id, c.key)
			if in(parts, down.region, "workorders") == 0 {
				t.Errorf("it did not get as far as the question: %v", parts)
			}
			for _, p := range parts {
				if p.region == down.other && p.program != "gateway" {
					t.Errorf("pinned to %s, and %v had a part", down.region, p)
				}
			}
		}
		resume()
	}
}

// Whoever calls the MCP server, wherever: the requests of its tools are processed in Canada, as its own header says.
func TestWhatAnAssistantAsksForIsProcessedInCanada(t *testing.T) {
	inCanada, inStates := callers(t)
	inCanada.must(t, 201, "POST", "/v1/sites", map[string]any{"name": "Site of the assistant"})
	for _, c := range []caller{inCanada, inStates} {
		id, traceparent := trace()
		result := callTool(t, c, traceparent, "find", map[string]any{"text": "Site of the assistant"})
		if !strings.Contains(result, "Site of the assistant") {
			t.Errorf("the tool did not find it: %s", result)
		}
		parts := whoServed(t, id, c.key)
		if in(parts, canada, "gateway") < 2 || in(parts, canada, "assets") == 0 {
			t.Errorf("%v", parts)
		}
		for _, p := range parts {
			if p.region == states && p.program != "gateway" && p.program != "mcp" { // where it came in
				t.Errorf("%v had a part", p)
			}
		}
	}
}

func callTool(t *testing.T, c caller, traceparent, tool string, arguments map[string]any) string {
	t.Helper()
	call, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/call",
		"params": map[string]any{"name": tool, "arguments": arguments}})
	if err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(t.Context(), "POST", c.base+"/mcp", strings.NewReader(string(call)))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{
		"Authorization": "Bearer " + c.key, "Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"MCP-Protocol-Version": "2025-06-18", "Traceparent": traceparent,
	} {
		request.Header.Set(name, value)
	}
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != 200 {
		t.Fatalf("%d %s %v", response.StatusCode, body, err)
	}
	return string(body)
}
