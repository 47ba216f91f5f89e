package mcp

import (
	"context"
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"ams.internal/services/mcp/oauth"
)

// asked is a session of a client whose user answers what they are asked.
func (f *toolFixture) asked(protocol, answer string, questions *[]string) *mcp.ClientSession {
	f.t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
		ElicitationHandler: func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			*questions = append(*questions, r.Params.Message)
			return &mcp.ElicitResult{Action: answer}, nil
		},
	})
	session, err := client.Connect(f.t.Context(), &mcp.StreamableClientTransport{Endpoint: f.httpServer.URL + "/mcp",
		DisableStandaloneSSE: true}, &mcp.ClientSessionOptions{ProtocolVersion: protocol})
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(func() { _ = session.Close() })
	return session
}

// written counts the requests that were no reads.
func (f *toolFixture) written() (count int) {
	requests, _ := f.upstream.takeRequests()
	for _, r := range requests {
		if r.Method != http.MethodGet {
			count++
		}
	}
	return count
}

func TestWhatTakesAwayIsConfirmedWhereTheClientCanAsk(t *testing.T) {
	f := newToolFixture(t)
	for name, c := range map[string]struct {
		tool      string
		arguments map[string]any
		question  string // part of it; empty: nobody is asked
	}{
		"fields are emptied": {"update_asset", map[string]any{"clear": []string{"description", "notes"}},
			"Empty description, notes of asset A-000001 “"},
		"of a work order": {"update_work_order", map[string]any{"title": "x", "clear": []string{"due_date"}},
			"Empty due_date of work order "},
		"work is cancelled":     {"transition_work_order", map[string]any{"to": "cancelled", "cancel_reason": "Twice"}, "Cancel work order "},
		"work is begun":         {"transition_work_order", map[string]any{"to": "in_progress"}, ""},
		"a field has new value": {"update_asset", map[string]any{"description": "x"}, ""},
	} {
		arguments := maps.Clone(c.arguments)
		arguments["id"] = testID
		for _, answer := range []string{"accept", "decline", "cancel"} {
			var questions []string
			text, failed := f.callOn(f.asked(protocols[0], answer, &questions), c.tool, arguments)
			asked := c.question != ""
			if len(questions) > 1 || asked != (len(questions) == 1) || asked && !strings.Contains(questions[0], c.question) {
				t.Errorf("%s: the user was asked %q", name, questions)
			}
			refused := asked && answer != "accept"
			if written := f.written(); failed != refused || (written == 0) != refused || refused && !strings.Contains(text, "nothing was written") {
				t.Errorf("%s, %s: %d writes, %s", name, answer, written, text)
			}
		}
		var questions []string
		if text, failed := f.callOn(f.asked(protocols[1], "decline", &questions), c.tool, arguments); failed || len(questions) > 0 ||
			f.written() != 1 {
			t.Errorf("%s with a handshake: %v %s", name, questions, text)
		}
		if text, failed := f.call(c.tool, arguments); failed || f.written() != 1 {
			t.Errorf("%s by a client that cannot ask: %s", name, text)
		}
	}
}

func TestAnAnswerCountsForTheCallThatItWasGivenFor(t *testing.T) {
	f := newToolFixture(t)
	call := func(reason, state string, answer any) map[string]any {
		t.Helper()
		params := map[string]any{"name": "transition_work_order",
			"arguments": map[string]any{"id": testID, "to": "cancelled", "cancel_reason": reason}}
		if answer != nil {
			params["requestState"], params["inputResponses"] = state, map[string]any{confirmation: answer}
		}
		_, _, message := f.postAs(map[string]any{"elicitation": map[string]any{"form": map[string]any{}}}, "tools/call", params)
		return at(message, "result")
	}
	first := call("Twice", "", nil)
	state, _ := first["requestState"].(string)
	form := at(first, "inputRequests", confirmation)
	if first["resultType"] != "input_required" || state == "" || form["method"] != "elicitation/create" || f.written() != 0 {
		t.Fatalf("%v", first)
	}
	accept := map[string]any{"action": "accept", "content": map[string]any{}}
	if other := call("Because", state, accept); other["resultType"] != "input_required" || f.written() != 0 {
		t.Errorf("another call is taken as confirmed: %v", other)
	}
	if same := call("Twice", state, accept); same["resultType"] != "complete" || same["isError"] != nil || f.written() != 1 {
		t.Errorf("%v", same)
	}
	f.caller.Scopes = []string{"work_orders:write"}
	form = at(call("Twice", "", nil), "inputRequests", confirmation, "params")
	if message, _ := form["message"].(string); message != "Cancel work order "+testID+"?" {
		t.Errorf("a key that cannot read asks %q", message)
	}
}

func TestResultsLinkToTheResourceThatTheyAreAbout(t *testing.T) {
	f := newToolFixture(t)
	links := func(version, tool string, arguments map[string]any) (uris []string) {
		t.Helper()
		_, _, message := f.post(version, "tools/call", map[string]any{"name": tool, "arguments": arguments})
		content, _ := at(message, "result")["content"].([]any)
		if len(content) == 0 || at(message, "result")["isError"] != nil {
			t.Fatalf("%s: %v", tool, message)
		}
		for _, each := range content[1:] {
			link := each.(map[string]any)
			if link["type"] != "resource_link" || link["name"] == "" {
				t.Errorf("%s: %v", tool, link)
			}
			if uri := link["uri"].(string); !strings.HasPrefix(uri, "document://") {
				uris = append(uris, uri)
			}
		}
		return uris
	}
	id := map[string]any{"id": testID}
	for tool, arguments := range map[string]map[string]any{
		"get_asset": id, "update_asset": {"id": testID, "notes": "x"}, "create_asset": {"name": "Pump"},
		"get_work_order": id, "update_work_order": {"id": testID, "title": "x"}, "create_work_order": {"title": "x"},
		"transition_work_order": {"id": testID, "to": "open"},
	} {
		want := "asset://" + testID
		if strings.Contains(tool, "work_order") {
			want = "work-order://" + testID
		}
		if got := links(versions[2], tool, arguments); len(got) != 1 || got[0] != want {
			t.Errorf("%s links to %v", tool, got)
		}
		if got := links(versions[1], tool, arguments); len(got) > 0 {
			t.Errorf("%s links in a version that has no links: %v", tool, got)
		}
	}
	if got := links(versions[4], "search_assets", map[string]any{}); len(got) > 0 {
		t.Errorf("a list links to %v", got)
	}
	f.caller.Scopes = []string{"assets:write"}
	if got := links(versions[4], "create_asset", map[string]any{"name": "Pump"}); len(got) > 0 {
		t.Errorf("a key that cannot read it gets %v", got)
	}
}

func TestTheServerHasAnIcon(t *testing.T) {
	f := newToolFixture(t)
	shown := f.connect(protocols[1]).InitializeResult().ServerInfo
	if len(shown.Icons) != 1 || shown.Icons[0].Source != "https://api.example.ca"+oauth.IconPath {
		t.Errorf("%+v", shown)
	}
}
