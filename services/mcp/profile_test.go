package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func TestACallerSeesAndCallsWhatItsKeyAndPlanAllow(t *testing.T) {
	reads := []string{"get_context", "find", "search_assets", "get_asset", "get_history", "list_places", "get_summary", "search_work_orders", "get_work_order", "list_users", "los_scorecard", "search_segments", "search_projects", "get_project", "capital_plan", "state_of_assets"}
	all := append(slices.Clone(reads), "create_asset", "update_asset", "record_condition", "create_work_order", "update_work_order", "transition_work_order", "add_comment", "record_measurement", "record_inspection")
	for name, c := range map[string]struct {
		change func(*caller)
		want   []string
		hidden map[string]string // tool → what its refusal says
	}{
		"everything": {func(*caller) {}, all, nil},
		"read only":  {func(c *caller) { c.ReadOnly = true }, reads, map[string]string{"create_asset": "made read-only", "add_comment": "made read-only"}},
		"no feature": {func(c *caller) { c.Features = []string{"api_access"} },
			slices.DeleteFunc(slices.Clone(all), func(name string) bool {
				return slices.Contains([]string{"los_scorecard", "search_segments", "search_projects", "get_project", "capital_plan", "record_measurement", "record_inspection"}, name)
			}), map[string]string{"capital_plan": "Projects", "los_scorecard": "Level of Service", "record_inspection": "Infrastructure"}},
		"sites alone": {func(c *caller) { c.Scopes = []string{"sites:read"} }, []string{"get_context", "find", "get_history", "list_places", "get_summary"},
			map[string]string{"search_assets": "assets:read", "create_work_order": "work_orders:write", "list_users": "users:read"}},
		"write without read": {func(c *caller) { c.Scopes = []string{"work_orders:write"} }, []string{"get_context", "find", "create_work_order", "update_work_order", "transition_work_order", "add_comment"},
			map[string]string{"search_work_orders": "work_orders:read"}},
	} {
		t.Run(name, func(t *testing.T) {
			b := newWorkbench(t)
			who := everything
			c.change(&who)
			_, got := b.list(who)
			want := slices.Sorted(slices.Values(c.want))
			if slices.Sort(got); !slices.Equal(got, want) {
				t.Errorf("it sees %v, not %v", got, want)
			}
			for _, era := range eras {
				session := b.connect(era)
				for tool, says := range c.hidden {
					text, failed := b.callOn(session, tool, nil)
					if !failed || !strings.Contains(text, says) || !strings.Contains(text, "Do not retry") {
						t.Errorf("%s in %s says %s", tool, era, text)
					}
				}
			}
			if requests, _ := b.upstream.seen(); len(requests) > 0 {
				t.Errorf("the API was asked: %s", requests[0].URL)
			}
		})
	}
}

// Clients of 2026-07-28 take no result that does not say that it is complete, refusals neither.
func TestTheRefusalOfAHiddenToolIsAWholeResult(t *testing.T) {
	b := newWorkbench(t)
	b.caller.ReadOnly = true
	status, _, answer := b.post(eras[0], "tools/call", map[string]any{"name": "create_asset", "arguments": map[string]any{"name": "Pump"}})
	result, _ := answer["result"].(map[string]any)
	if status != 200 || result["isError"] != true || result["resultType"] != "complete" {
		t.Errorf("%d %v", status, answer)
	}
}

func TestAToolThatDoesNotExistIsAnErrorOfTheProtocol(t *testing.T) {
	b := newWorkbench(t)
	for _, era := range eras {
		if _, err := b.connect(era).CallTool(t.Context(), &mcp.CallToolParams{Name: "delete_asset"}); err == nil || !strings.Contains(err.Error(), "delete_asset") {
			t.Errorf("%s: %v", era, err)
		}
	}
}

func TestCallersOfOneProfileShareAServer(t *testing.T) {
	b := newWorkbench(t)
	other := everything
	other.Key, other.KeyID, other.OrganizationID = "another", "another", "another"
	if b.server.serverFor(everything) != b.server.serverFor(other) {
		t.Error("two keys with the same rights have two servers")
	}
	other.ReadOnly = true
	if b.server.serverFor(everything) == b.server.serverFor(other) {
		t.Error("a read-only connection has the server of another")
	}
	for i := range 3 * mostProfiles {
		p := profile{tools: uint64(i)}
		b.server.profiles.mu.Lock()
		b.server.profiles.servers[p] = nil
		b.server.profiles.mu.Unlock()
	}
	other.Scopes = []string{"sites:read"}
	b.server.serverFor(other)
	if n := len(b.server.profiles.servers); n > mostProfiles {
		t.Errorf("%d servers are kept", n)
	}
}

func TestContextSaysWhatIsNotAvailableAndWhy(t *testing.T) {
	b := newWorkbench(t)
	b.caller.Scopes = []string{"assets:read", "sites:read"}
	text, failed := b.call("get_context", nil)
	for _, part := range []string{`"currency":"CAD"`, `"today":"20`, `"tools":["get_context","find","search_assets"`, `"tool":"create_asset"`, "assets:write"} {
		if failed || !strings.Contains(text, part) {
			t.Errorf("it does not say %s: %s", part, text)
		}
	}
}

func TestFindLooksOnlyWhereTheKeyMay(t *testing.T) {
	b := newWorkbench(t)
	b.caller.Scopes, b.caller.Features = []string{"sites:read", "projects:read"}, []string{"api_access"}
	text, failed := b.call("find", map[string]any{"text": "école"})
	requests, _ := b.upstream.seen()
	if failed || len(requests) != 1 || requests[0].URL.Path != "/v1/sites" || !strings.Contains(text, "Not searched") || !strings.Contains(text, "work_order") {
		t.Errorf("%d requests: %s", len(requests), text)
	}
	if text, failed = b.call("find", map[string]any{"text": "école", "kinds": []any{"project"}}); !failed || !strings.Contains(text, "may read none") {
		t.Errorf("it says %s", text)
	}
}
