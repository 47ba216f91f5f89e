package e2e

import (
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"ams.internal/deploy/devstack"
)

func TestAnotherOrganizationsIDsAreNotFoundByAnyTool(t *testing.T) {
	theirs := newFixture(t, as(t, board, "full"), "Hidden from assistants")
	a := connect(t, fresh(t, city), eras[0])
	own := connect(t, as(t, board, "full"), eras[0])
	for tool, arguments := range map[string]map[string]any{
		"get_asset": {"id": theirs["asset"]}, "get_work_order": {"id": theirs["work_order"], "include": []string{"comments"}},
		"get_project":   {"id": theirs["project"], "include": []string{"phases"}},
		"los_scorecard": {"service_area_id": theirs["service_area"]},
	} {
		own.must(t, tool, arguments, "Hidden from assistants")
		a.refused(t, tool, arguments, "here is no", "never guessed")
	}
	for _, kind := range []string{"site", "building", "system", "asset", "work_order", "user", "network", "segment", "project", "service_area",
		"measure"} {
		a.refused(t, "get_history", map[string]any{"kind": kind, "id": theirs[kind]}, "here is no")
	}
	for _, kind := range []string{"site", "building", "system", "network"} {
		a.refused(t, "get_summary", map[string]any{"kind": kind, "id": theirs[kind]}, "here is no")
	}
	for tool, arguments := range map[string]map[string]any{
		"update_asset":          {"id": theirs["asset"], "notes": "stolen"},
		"record_condition":      {"asset_id": theirs["asset"], "assessed_on": "2026-05-12", "condition_rating": 5},
		"update_work_order":     {"id": theirs["work_order"], "description": "stolen"},
		"transition_work_order": {"id": theirs["work_order"], "to": "cancelled", "cancel_reason": "stolen"},
		"add_comment":           {"work_order_id": theirs["work_order"], "body": "stolen"},
	} {
		a.refused(t, tool, arguments, "here is no")
	}
	for tool, arguments := range map[string]map[string]any{
		"create_asset": {"name": "Stolen", "site_id": theirs["site"]}, "create_work_order": {"title": "Stolen", "asset_id": theirs["asset"]},
		"record_measurement": {"measure_id": theirs["measure"], "period_start": "2026-01-01", "period_end": "2026-02-01", "value": 1},
		"record_inspection":  {"segment_id": theirs["segment"], "inspected_on": "2026-05-12", "condition_rating": 5},
	} {
		a.refused(t, tool, arguments, "_id", "Ids are never guessed")
	}
	for tool, arguments := range map[string]map[string]any{
		"search_assets": {"site_id": theirs["site"]}, "search_work_orders": {"asset_id": theirs["asset"]},
		"search_segments": {"network_id": theirs["network"]}, "search_projects": {"site_id": theirs["site"]},
		"list_records": {"kind": "building", "filters": map[string]any{"site_id": theirs["site"]}}, "find": {"text": "Hidden from assistants"},
		"list_findings": {"kind": "deficiency", "asset_id": theirs["asset"]}, "list_documents": {"record_id": theirs["asset"]},
	} {
		if rows := a.must(t, tool, arguments)["data"].([]any); len(rows) > 0 {
			t.Errorf("%s finds %v", tool, rows)
		}
	}
	for _, uri := range []string{"asset://" + theirs["asset"], "document://" + theirs["document"]} {
		if _, err := a.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri}); err == nil || !strings.Contains(err.Error(), "not found") {
			t.Errorf("the resource %s: %v", uri, err)
		}
	}
}

func TestARevokedKeyIsRefusedAtTheNextCall(t *testing.T) {
	administrator := administer(t, city)
	c, id := administrator.key(t, []string{"*:*"}, nil)
	for _, gateway := range devstack.ForTest(t).Description().Gateways {
		if first := (caller{gateway, c.key}).speak(t, "tools/call", map[string]any{"name": "get_context"}); first.status != 200 {
			t.Fatalf("the first call: %d %s", first.status, first.body)
		}
	}
	administrator.revoke(t, id)
	for _, gateway := range devstack.ForTest(t).Description().Gateways {
		second := (caller{gateway, c.key}).speak(t, "tools/call", map[string]any{"name": "get_context"})
		if second.status != 401 || second.object["code"] != "key_revoked" ||
			!strings.Contains(second.header.Get("WWW-Authenticate"), "resource_metadata=") {
			t.Errorf("the second call: %d %s %s", second.status, second.header.Get("WWW-Authenticate"), second.body)
		}
	}
}

func TestAKeyIsHeldToItsScopesByTheServices(t *testing.T) {
	administrator := administer(t, city)
	c, _ := administrator.key(t, []string{"assets:read", "work_orders:write"}, nil)
	a := connect(t, c, eras[0])
	want := []string{"add_comment", "create_work_order", "find", "get_asset", "get_context", "get_history", "search_assets", "state_of_assets",
		"transition_work_order", "update_work_order"}
	if got := a.tools(); !slices.Equal(got, want) {
		t.Errorf("the tools are %v", got)
	}
	e := newFixture(t, fresh(t, city), "Scoped")
	// Names of what the key may not read are left out, not refused.
	a.must(t, "get_asset", map[string]any{"id": e["asset"]}, `"site":{"id":"`+e["site"]+`"}`)
	a.refused(t, "create_asset", map[string]any{"name": "x"}, "assets:write", "Do not retry")
	a.refused(t, "get_history", map[string]any{"kind": "site", "id": e["site"]}, "sites:read", "Do not repeat")
	a.must(t, "create_work_order", map[string]any{"title": "Écrit sans lire", "asset_id": e["asset"]})
}

func TestToolsFollowThePlanAtTheNextRequest(t *testing.T) {
	c, id := coop(t)
	families := []string{"los_scorecard", "record_measurement", "search_segments", "record_inspection", "search_projects", "get_project",
		"capital_plan", "maintenance_outlook"}
	a := connect(t, c, eras[0])
	for _, tool := range families {
		if slices.Contains(a.tools(), tool) {
			t.Errorf("%s is listed", tool)
		}
	}
	a.refused(t, "capital_plan", nil, "Projects", "plan")
	a.refused(t, "los_scorecard", nil, "Level of Service")
	a.refused(t, "search_segments", nil, "Infrastructure")
	setAddOns(t, id, "api_keys", "projects")
	a.must(t, "find", map[string]any{"text": "nothing of this name", "kinds": []string{"project"}})
	connect(t, c, eras[1]).must(t, "capital_plan", nil)
	setAddOns(t, id)
	if refused := c.speak(t, "tools/list", map[string]any{}); refused.status != 403 || !strings.Contains(string(refused.body), "API access") {
		t.Errorf("without API access: %d %s", refused.status, refused.body)
	}
}

func TestCallsOfToolsCountAgainstTheLimitAndTheKeyCheckDoesNot(t *testing.T) {
	c, _ := administer(t, city).key(t, []string{"assets:read"}, map[string]any{"rate_limit": 3})
	call := func() map[string]any {
		got := c.speak(t, "tools/call", map[string]any{"name": "search_assets", "arguments": map[string]any{"limit": 1}})
		result, _ := got.object["result"].(map[string]any)
		if got.status != 200 || result == nil {
			t.Fatalf("%d %s", got.status, got.body)
		}
		return result
	}
	limited := 0
	for range 7 { // a window may end in between
		if result := call(); result["isError"] == true {
			limited++
			if text := result["content"].([]any)[0].(map[string]any)["text"].(string); !strings.Contains(text, "Wait ") ||
				!strings.Contains(text, "3 requests a minute") {
				t.Errorf("it says %s", text)
			}
		}
	}
	if limited < 1 || limited > 4 {
		t.Errorf("%d of 7 calls are refused", limited)
	}
}

func TestAKeyForOneNetworkIsHeldToTheAssistantsAddress(t *testing.T) {
	administrator := administer(t, city)
	here, _ := administrator.key(t, []string{"assets:read"}, map[string]any{"allowed_networks": []string{"127.0.0.0/8"}})
	connect(t, here, eras[0]).must(t, "search_assets", map[string]any{"limit": 1})
	elsewhere, _ := administrator.key(t, []string{"assets:read"}, map[string]any{"allowed_networks": []string{"203.0.113.0/24"}})
	if refused := elsewhere.speak(t, "tools/list", map[string]any{}); refused.status != 403 ||
		refused.object["code"] != "network_not_allowed" {
		t.Errorf("from elsewhere: %d %s", refused.status, refused.body)
	}
}
