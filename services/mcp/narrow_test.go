package mcp

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

func TestEveryToolIsInAToolset(t *testing.T) {
	used := map[string]bool{}
	for _, each := range tools {
		if used[each.toolset] = true; !slices.Contains(toolsets, each.toolset) {
			t.Errorf("%s is in %q", each.name, each.toolset)
		}
	}
	docs, err := os.ReadFile("../../docs/mcp.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range toolsets {
		if !used[name] || !strings.Contains(string(docs), "`"+name+"`") {
			t.Errorf("%s is no tool's, or docs/mcp.md does not name it", name)
		}
	}
}

// names are the tools that a client sees with these headers.
func (f *toolFixture) names(protocol string, header ...string) []string {
	f.t.Helper()
	status, _, message := f.post(protocol, "tools/list", nil, header...)
	if status != 200 {
		f.t.Fatalf("%v: %d %v", header, status, message)
	}
	names := []string{}
	for _, each := range at(message, "result")["tools"].([]any) {
		names = append(names, each.(map[string]any)["name"].(string))
	}
	return names
}

func TestHeadersNarrowWhatIsListedAndCalled(t *testing.T) {
	f := newToolFixture(t)
	want := func(keep func(*tool) bool) (names []string) {
		for _, each := range tools {
			if keep(each) {
				names = append(names, each.name)
			}
		}
		return slices.Sorted(slices.Values(names))
	}
	everything := func(*tool) bool { return true }
	of := func(names ...string) func(*tool) bool {
		return func(each *tool) bool { return slices.Contains(names, each.toolset) }
	}
	reads := func(each *tool) bool { return !each.writes }
	for name, c := range map[string]struct {
		header []string
		keep   func(*tool) bool
	}{
		"nothing":       {nil, everything},
		"read only":     {[]string{readOnlyHeader, "true"}, reads},
		"read only, 1":  {[]string{readOnlyHeader, " 1 "}, reads},
		"not read only": {[]string{readOnlyHeader, "False"}, everything},
		"off":           {[]string{readOnlyHeader, "off"}, everything},
		"two":           {[]string{toolsetsHeader, "assets, Work_Orders ,"}, of("assets", "work_orders")},
		"one, twice":    {[]string{toolsetsHeader, "projects,projects"}, of("projects")},
		"all":           {[]string{toolsetsHeader, "all"}, everything},
		"blanks":        {[]string{toolsetsHeader, " , "}, everything},
		"one, and read only": {[]string{toolsetsHeader, "assets", readOnlyHeader, "yes"}, func(each *tool) bool {
			return each.toolset == "assets" && !each.writes
		}},
	} {
		for _, protocol := range []string{versions[1], versions[4]} {
			if got := f.names(protocol, c.header...); !slices.Equal(slices.Sorted(slices.Values(got)), want(c.keep)) {
				t.Errorf("%s in %s: %v", name, protocol, got)
			}
		}
	}
	call := func(tool string, header ...string) string {
		_, _, message := f.post(versions[2], "tools/call", map[string]any{"name": tool, "arguments": map[string]any{"name": "Pump"}}, header...)
		result := at(message, "result")
		if result["isError"] != true {
			t.Errorf("%s with %v: %v", tool, header, message)
		}
		return result["content"].([]any)[0].(map[string]any)["text"].(string)
	}
	f.upstream.takeRequests()
	if text := call("create_asset", readOnlyHeader, "true"); !strings.Contains(text, readOnlyHeader) {
		t.Errorf("it says %s", text)
	}
	if text := call("create_asset", toolsetsHeader, "context"); !strings.Contains(text, "add assets to the header "+toolsetsHeader) {
		t.Errorf("it says %s", text)
	}
	if requests, _ := f.upstream.takeRequests(); len(requests) > 0 {
		t.Errorf("the API was asked: %s", requests[0].URL)
	}
}

func TestHeadersNeverWiden(t *testing.T) {
	f := newToolFixture(t)
	f.caller.Scopes, f.caller.ReadOnly = []string{"assets:read", "assets:write", "projects:read"}, true
	got := f.names(versions[4], toolsetsHeader, "assets,projects,planning", readOnlyHeader, "false")
	f.caller.ReadOnly = false
	if slices.Contains(got, "create_asset") || slices.Contains(got, "planning_results") || !slices.Contains(got, "search_assets") ||
		!slices.Contains(got, "search_projects") {
		t.Errorf("%v", got)
	}
	narrow, err := f.caller.narrowed(map[string][]string{"X-Mcp-Toolsets": {"projects", "assets"}})
	again, _ := f.caller.narrowed(map[string][]string{"X-Mcp-Toolsets": {"assets,projects,assets"}})
	if err != nil || f.server.serverFor(narrow) != f.server.serverFor(again) || f.server.serverFor(narrow) == f.server.serverFor(f.caller) {
		t.Errorf("callers of one profile do not share a server: %v", err)
	}
}

func TestAnUnknownToolsetIsAnErrorThatNamesTheValidOnes(t *testing.T) {
	f := newToolFixture(t)
	for _, protocol := range versions {
		status, _, message := f.post(protocol, "tools/list", nil, toolsetsHeader, "assets,repos, issues")
		text, _ := message["error"].(string)
		if status != 400 || message["code"] != "toolset_unknown" || !strings.Contains(text, "repos, issues") ||
			!strings.Contains(text, strings.Join(toolsets, ", ")) {
			t.Errorf("%s: %d %v", protocol, status, message)
		}
	}
}

func TestContextLeavesOutToolsThatNobodyAskedFor(t *testing.T) {
	f := newToolFixture(t)
	f.caller.Scopes = []string{"assets:read"}
	for asked, lacks := range map[string]bool{"": true, "context,projects": true, "context,assets": false} {
		header := []string{toolsetsHeader, asked}
		if asked == "" {
			header = nil
		}
		_, _, message := f.post(versions[2], "tools/call", map[string]any{"name": "get_context", "arguments": map[string]any{}}, header...)
		unavailable, _ := at(message, "result", "structuredContent")["not_available"].([]any)
		if named := strings.Contains(fmt.Sprint(unavailable), "search_projects"); named != lacks {
			t.Errorf("asked for %q: it lacks %v", asked, unavailable)
		}
	}
}
