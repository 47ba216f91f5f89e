package mcp

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestFailuresSayWhatHappenedAndWhatToDo(t *testing.T) {
	f := newToolFixture(t)
	reads, writes := map[string]any{"id": testID}, map[string]any{"title": "Fuite"}
	for name, c := range map[string]struct {
		status    int
		retry     string
		body      string
		tool      string
		arguments map[string]any
		says      []string
	}{
		"a bad request": {400, "",
			`{"error":"fields: \"colour\" is not a field of this resource",` +
				`"code":"invalid_request","fields":[{"field":"fields","message":"\"colour\" is not a field of this resource"}]}`, "get_asset", reads,
			[]string{`"colour" is not a field`, "Correct the arguments"}},
		"a revoked key": {401, "", `{"error":"This API key was revoked.","code":"key_revoked"}`, "get_asset", reads,
			[]string{"was revoked", "Do not repeat", "connected again"}},
		"a missing scope": {403, "",
			`{"error":"This key lacks a scope.","code":"scope_missing","required_scope":"assets:read","scopes":["sites:read"]}`, "get_asset", reads,
			[]string{"assets:read", "Administrator", "Do not repeat"}},
		"a feature not in plan": {403, "", `{"error":"The plan does not include Projects.","code":"feature_missing","feature":"Projects"}`,
			"get_project", reads, []string{"does not include Projects", "Do not repeat", "Plan"}},
		"an inactive key": {403, "", `{"error":"This API key is suspended.","code":"key_inactive"}`, "get_asset", reads,
			[]string{"suspended", "Do not repeat", "Administrator"}},
		"nothing there": {404, "", `{"error":"There is no asset x in this organization.","code":"not_found"}`, "get_asset", reads,
			[]string{"There is no asset", "never guessed", "find"}},
		"a value that is taken": {409, "",
			`{"error":"There already is one.","code":"already_exists","field":"number","value":"WO-1","existing_id":"` + testID +
				`"}`, "create_work_order", writes, []string{"There already is one", testID, "update it", "Do not repeat"}},
		"a move not allowed": {409, "", `{"error":"It is open.","code":"transition_not_allowed","allowed":["in_progress","cancelled"]}`,
			"transition_work_order", map[string]any{"id": testID, "to": "closed"}, []string{"Allowed from here: in_progress, cancelled"}},
		"a final state": {409, "", `{"error":"It is closed.","code":"transition_not_allowed","allowed":[]}`, "transition_work_order",
			map[string]any{"id": testID, "to": "open"}, []string{"this state is final"}},
		"a record that moved on": {409, "", `{"error":"It is at version 5.","code":"version_mismatch","field":"version","value":"5"}`,
			"update_asset", map[string]any{"id": testID, "notes": "x", "version": 4}, []string{"Read it again", "new version"}},
		"what still refers": {409, "", `{"error":"Still in use.","code":"in_use","dependents":{"work_orders":2,"project_links":1}}`,
			"update_asset", map[string]any{"id": testID, "status": "disposed"}, []string{"1 project links, 2 work orders"}},
		"too many": {429, "17", `{"error":"Over the limit.","code":"rate_limited"}`, "get_asset", reads,
			[]string{"Wait 17 seconds", "60 requests a minute"}},
		"a mistake on a read": {500, "", `{"error":"Something went wrong on our side.","code":"internal","request_id":"abc"}`, "get_asset",
			reads, []string{"Nothing was changed", "call once more", "(request abc)"}},
		"a mistake on a write": {500, "", `{"error":"Something went wrong on our side.","code":"internal","request_id":"abc"}`,
			"create_work_order", writes, []string{"not certain whether it was written", "Read the record"}},
		"away on a read": {503, "2", `{"error":"The assets service does not answer.","code":"service_unavailable"}`, "get_asset", reads,
			[]string{"does not answer", "Wait 2 seconds"}},
		"away on a write": {503, "2", `{"error":"The assets service does not answer.","code":"service_unavailable"}`, "create_work_order",
			writes, []string{"not certain whether it was written"}},
		"away in our region": {503, "2",
			`{"error":"No healthy instance behind /v1/assets can be reached in the region ca-central-1, ` +
				`which the request is pinned to; try again in a moment, or without the pin.","code":"region_unavailable"}`, "get_asset", reads,
			[]string{"cannot be reached right now", "Wait 2 seconds"}},
		"an answer of a proxy": {502, "", `<html>Bad gateway</html>`, "get_asset", reads, []string{"answered 502", "call once more"}},
	} {
		f.upstream.respond = func(w http.ResponseWriter, _ *http.Request) bool {
			w.Header().Set("X-RateLimit-Limit", "60")
			if c.retry != "" {
				w.Header().Set("Retry-After", c.retry)
			}
			w.WriteHeader(c.status)
			fmt.Fprint(w, c.body)
			return true
		}
		began := time.Now()
		text, failed := f.call(c.tool, c.arguments)
		if !failed {
			t.Errorf("%s is no error: %s", name, text)
		}
		for _, part := range c.says {
			if !strings.Contains(text, part) {
				t.Errorf("%s does not say %q: %s", name, part, text)
			}
		}
		if strings.Contains(text, "pin") {
			t.Errorf("%s speaks of a pin that is ours: %s", name, text)
		}
		if c.status == 429 && time.Since(began) > 10*time.Second {
			t.Error("it slept on a 429")
		}
		times := 1
		if c.status == http.StatusServiceUnavailable && c.tool == "get_asset" {
			times = 2 // the second without what another service has of it, which may be the one that is away
		}
		if requests, _ := f.upstream.takeRequests(); len(requests) != times {
			t.Errorf("%s: asked %d times", name, len(requests))
		}
	}
}

func TestAGatewayThatIsAwayIsAFailureOfTheCallAlone(t *testing.T) {
	f := newToolFixture(t)
	session := f.connect(protocols[0])
	f.upstream.server.Close()
	text, failed := f.callOn(session, "get_asset", map[string]any{"id": testID})
	if !failed || !strings.Contains(text, "does not answer right now") || !strings.Contains(text, "call once more") {
		t.Errorf("it says %s", text)
	}
	if text, failed = f.callOn(session, "add_comment", map[string]any{"work_order_id": testID, "body": "Vu"}); !failed ||
		!strings.Contains(text, "not certain whether it was written") {
		t.Errorf("a write says %s", text)
	}
}

func TestAToolThatPanicsEndsOneCall(t *testing.T) {
	f := newToolFixture(t)
	broken := *getContext
	broken.run = nil
	result := f.server.call(withCaller(t.Context(), fullCaller), &broken, nil)
	if text := textOfResult(result); !result.IsError || !strings.Contains(text, "went wrong on our side") ||
		strings.Contains(text, "nil pointer") {
		t.Errorf("it says %s", text)
	}
	if !strings.Contains(f.logged.String(), "nil pointer") {
		t.Errorf("the log has %s", f.logged.String())
	}
}
