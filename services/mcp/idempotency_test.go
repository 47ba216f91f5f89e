package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

func TestTheSameWriteHasTheSameIdempotencyKey(t *testing.T) {
	key := func(of caller, tool *tool, arguments, given string) string {
		return (&toolCall{tool: tool, caller: of, rawArguments: json.RawMessage(arguments)}).idempotencyKey(given)
	}
	connected, other := fullCaller, fullCaller
	connected.GrantID, other.KeyID = "grant", "another"
	first := key(fullCaller, createAsset, `{"name":"Pompe","status":"planned"}`, "")
	for name, c := range map[string]struct {
		got  string
		same bool
	}{
		"the same arguments, otherwise written": {key(fullCaller, createAsset, `{ "status": "planned", "name": "Pompe" }`, ""), true},
		"other arguments":                       {key(fullCaller, createAsset, `{"name":"Pompe 2","status":"planned"}`, ""), false},
		"another tool":                          {key(fullCaller, createWorkOrder, `{"name":"Pompe","status":"planned"}`, ""), false},
		"another key":                           {key(other, createAsset, `{"name":"Pompe","status":"planned"}`, ""), false},
		"a connection":                          {key(connected, createAsset, `{"name":"Pompe","status":"planned"}`, ""), false},
		"a given key":                           {key(fullCaller, createAsset, `{"name":"Pompe","status":"planned"}`, "mine"), false},
	} {
		if (c.got == first) != c.same {
			t.Errorf("%s: %s and %s", name, c.got, first)
		}
	}
	if given := key(fullCaller, createAsset, `{}`, "mine"); given != "mine" || len(first) > 255 || strings.ContainsAny(first, " \n") {
		t.Errorf("the keys are %q and %q", given, first)
	}
}

func TestEveryPostCarriesAnIdempotencyKey(t *testing.T) {
	f := newToolFixture(t)
	for _, each := range tools {
		if !strings.HasPrefix(each.operations[0], "POST ") {
			continue
		}
		arguments := allArguments(each)
		arguments["idempotency_key"] = "chosen"
		f.upstream.takeRequests()
		f.call(each.name, arguments)
		requests, bodies := f.upstream.takeRequests()
		if got := requests[0].Header.Get("Idempotency-Key"); got != "chosen" {
			t.Errorf("%s sends %q", each.name, got)
		}
		if bodies[0]["idempotency_key"] != nil {
			t.Errorf("%s sends it in the body", each.name)
		}
		delete(arguments, "idempotency_key")
		f.call(each.name, arguments)
		f.call(each.name, arguments)
		requests, _ = f.upstream.takeRequests()
		if got := requests[0].Header.Get("Idempotency-Key"); !strings.HasPrefix(got, "mcp-") {
			t.Errorf("%s sends %q", each.name, got)
		}
	}
}

func TestARepetitionSaysThatNothingWasWrittenAgain(t *testing.T) {
	f := newToolFixture(t)
	replayed := ""
	f.upstream.respond = func(w http.ResponseWriter, _ *http.Request) bool {
		if replayed != "" {
			w.Header().Set("Idempotency-Replayed", replayed)
		}
		fmt.Fprintf(w, `{"id":%q,"status":"in_progress"}`, testID)
		return true
	}
	for _, replayed = range []string{"", "true"} {
		text, failed := f.call("transition_work_order", map[string]any{"id": testID, "to": "in_progress"})
		if failed || strings.Contains(text, "nothing was written again") != (replayed == "true") {
			t.Errorf("replayed %q: %s", replayed, text)
		}
	}
}
