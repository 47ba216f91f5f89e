package mcp

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"ams.internal/libs/calendar"
)

func TestACallerSeesAndCallsWhatItsKeyAndPlanAllow(t *testing.T) {
	reads := []string{"get_context", "find", "search_assets", "get_asset", "get_history", "list_records", "get_summary", "search_work_orders",
		"get_work_order", "los_scorecard", "search_segments", "search_projects", "get_project", "capital_plan", "state_of_assets",
		"list_findings", "maintenance_outlook", "list_documents", "planning_results", "tca_schedule"}
	all := append(slices.Clone(reads), "create_asset", "update_asset", "record_condition", "create_work_order", "update_work_order",
		"transition_work_order", "add_comment", "record_measurement", "record_inspection", "run_scenarios")
	for name, c := range map[string]struct {
		change func(*caller)
		want   []string
		hidden map[string]string // tool → part of its refusal
	}{
		"everything": {func(*caller) {}, all, nil},
		"read only": {func(c *caller) { c.ReadOnly = true }, reads, map[string]string{"create_asset": "made read-only",
			"add_comment": "made read-only"}},
		"no feature": {func(c *caller) { c.Features = []string{"api_access"} },
			slices.DeleteFunc(slices.Clone(all), func(name string) bool {
				return slices.Contains([]string{"los_scorecard", "search_segments", "search_projects", "get_project", "capital_plan",
					"maintenance_outlook", "record_measurement", "record_inspection", "run_scenarios", "planning_results", "tca_schedule"}, name)
			}), map[string]string{"capital_plan": "Projects", "los_scorecard": "Level of Service", "record_inspection": "Infrastructure"}},
		"sites alone": {func(c *caller) { c.Scopes = []string{"sites:read"} }, []string{"get_context", "find", "get_history",
			"list_records", "get_summary"},
			map[string]string{"search_assets": "assets:read", "create_work_order": "work_orders:write", "list_documents": "documents:read"}},
		"write without read": {func(c *caller) { c.Scopes = []string{"work_orders:write"} }, []string{"get_context", "find", "create_work_order",
			"update_work_order", "transition_work_order", "add_comment"},
			map[string]string{"search_work_orders": "work_orders:read"}},
	} {
		t.Run(name, func(t *testing.T) {
			f := newToolFixture(t)
			who := fullCaller
			c.change(&who)
			_, got := f.list(who)
			want := slices.Sorted(slices.Values(c.want))
			if slices.Sort(got); !slices.Equal(got, want) {
				t.Errorf("it sees %v, not %v", got, want)
			}
			for _, protocol := range protocols {
				session := f.connect(protocol)
				for tool, says := range c.hidden {
					text, failed := f.callOn(session, tool, nil)
					if !failed || !strings.Contains(text, says) || !strings.Contains(text, "Do not retry") {
						t.Errorf("%s in %s says %s", tool, protocol, text)
					}
				}
			}
			if requests, _ := f.upstream.takeRequests(); len(requests) > 0 {
				t.Errorf("the API was asked: %s", requests[0].URL)
			}
		})
	}
}

// Clients of protocol 2026-07-28 accept only results that are marked as complete, errors included.
func TestTheRefusalOfAHiddenToolIsAWholeResult(t *testing.T) {
	f := newToolFixture(t)
	f.caller.ReadOnly = true
	status, _, message := f.post(protocols[0], "tools/call",
		map[string]any{"name": "create_asset", "arguments": map[string]any{"name": "Pump"}})
	result, _ := message["result"].(map[string]any)
	if status != 200 || result["isError"] != true || result["resultType"] != "complete" {
		t.Errorf("%d %v", status, message)
	}
}

func TestAToolThatDoesNotExistIsAnErrorOfTheProtocol(t *testing.T) {
	f := newToolFixture(t)
	for _, protocol := range protocols {
		if _, err := f.connect(protocol).CallTool(t.Context(), &mcp.CallToolParams{Name: "delete_asset"}); err == nil ||
			!strings.Contains(err.Error(), "delete_asset") {
			t.Errorf("%s: %v", protocol, err)
		}
	}
}

func TestCallersOfOneProfileShareAServer(t *testing.T) {
	f := newToolFixture(t)
	other := fullCaller
	other.Key, other.KeyID, other.OrganizationID = "another", "another", "another"
	if f.server.serverFor(fullCaller) != f.server.serverFor(other) {
		t.Error("two keys with the same rights have two servers")
	}
	other.ReadOnly = true
	if f.server.serverFor(fullCaller) == f.server.serverFor(other) {
		t.Error("a read-only connection has the server of another")
	}
	for i := range 3 * maxProfiles {
		p := profile{tools: uint64(i)}
		f.server.profiles.mu.Lock()
		f.server.profiles.servers[p] = nil
		f.server.profiles.mu.Unlock()
	}
	other.Scopes = []string{"sites:read"}
	f.server.serverFor(other)
	if n := len(f.server.profiles.servers); n > maxProfiles {
		t.Errorf("%d servers are kept", n)
	}
}

func TestContextSaysWhatIsNotAvailableAndWhy(t *testing.T) {
	f := newToolFixture(t)
	f.caller.Scopes = []string{"assets:read", "sites:read"}
	text, failed := f.call("get_context", nil)
	for _, part := range []string{`"currency":"CAD"`, `"today":"2026-11-21"`, `"organization":{"id":"019a3c5e-7d1b-7c3a-9f59-000000000001",` +
		`"name":"Ville de Rivière-Claire"}`, `{"tools":["create_asset","update_asset","record_condition"],"why":"the key lacks assets:write"}`} {
		if failed || !strings.Contains(text, part) {
			t.Errorf("it does not say %s: %s", part, text)
		}
	}
	if len(text) > 1500 {
		t.Errorf("a narrow key gets %d characters", len(text))
	}
}

// A gateway of the release before says no day: it is that of the default time zone.
func TestTodayWithoutTheGatewaysHelp(t *testing.T) {
	f := newToolFixture(t)
	f.upstream.respond = func(w http.ResponseWriter, _ *http.Request) bool {
		_, _ = io.WriteString(w, `{"organization":{"id":"o","name":"Ville"},"currency":"CAD"}`)
		return true
	}
	before := calendar.Calendar{}.Today()
	text, failed := f.call("get_context", nil)
	if after := (calendar.Calendar{}).Today(); failed || !strings.Contains(text, `"today":"`+before+`"`) && before == after {
		t.Errorf("%s", text)
	}
}
