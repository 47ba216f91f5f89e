package mcp

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestTheSameWriteHasTheSameIdempotencyKey(t *testing.T) {
	key := func(of caller, tool *tool, arguments, before string) string {
		return (&toolCall{tool: tool, caller: of, rawArguments: json.RawMessage(arguments)}).idempotencyKey(before)
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
		"behind an equal write": {key(fullCaller, createAsset, `{"name":"Pompe","status":"planned"}`,
			"2026-05-12T10:00:00Z"), false},
	} {
		if (c.got == first) != c.same {
			t.Errorf("%s: %s and %s", name, c.got, first)
		}
	}
	if len(first) > 255 || strings.ContainsAny(first, " \n") {
		t.Errorf("the key is %q", first)
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

// keepAnswers has the API keep the answers to its keys, as it does for 24 hours. What is written is so old already.
func (f *toolFixture) keepAnswers(age *time.Duration) {
	answers := map[string]string{}
	f.upstream.respond = func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method != http.MethodPost {
			return false
		}
		key := r.Header.Get("Idempotency-Key")
		if answer, kept := answers[key]; kept {
			w.Header().Set("Idempotency-Replayed", "true")
			fmt.Fprint(w, answer)
			return true
		}
		answers[key] = fmt.Sprintf(`{"id":%q,"body":"write %d","updated_at":%q}`, testID, len(answers)+1,
			time.Now().Add(-*age).UTC().Format(time.RFC3339Nano))
		fmt.Fprint(w, answers[key])
		return true
	}
}

// Five minutes are five minutes, wherever the hands of the clock are: a repetition is one by the age of what it repeats.
func TestAWriteIsRepeatedWithinFiveMinutesAndNoLonger(t *testing.T) {
	f := newToolFixture(t)
	age := time.Duration(0)
	f.keepAnswers(&age)
	age = idempotencyWindow - time.Minute
	f.comment(t, "write 1", false, 1) // the first costs no more than it would without
	f.comment(t, "write 1", true, 1)  // four minutes later
	f = newToolFixture(t)
	f.keepAnswers(&age)
	age = idempotencyWindow + time.Second
	f.comment(t, "write 1", false, 1)
	f.comment(t, "write 2", false, 2) // five minutes and a second later
	age = 0
	f.comment(t, "write 3", false, 3)
	f.comment(t, "write 3", true, 3)
	f.comment(t, "write 3", true, 3)
}

// comment makes always the same comment.
func (f *toolFixture) comment(t *testing.T, says string, repeated bool, posts int) {
	t.Helper()
	f.upstream.takeRequests()
	text, failed := f.call("add_comment", map[string]any{"work_order_id": testID, "body": "Fait"})
	if failed || !strings.Contains(text, says) || strings.Contains(text, "nothing was written again") != repeated {
		t.Errorf("it is not %s: %s", says, text)
	}
	if requests, _ := f.upstream.takeRequests(); len(requests) != posts {
		t.Errorf("%s costs %d requests, not %d", says, len(requests), posts)
	}
}

func TestEqualWritesOfADayAreNotEndless(t *testing.T) {
	f := newToolFixture(t)
	age := time.Hour
	f.keepAnswers(&age)
	for n := range maxEqualWrites {
		f.comment(t, fmt.Sprintf("write %d", n+1), false, n+1)
	}
	text, failed := f.call("add_comment", map[string]any{"work_order_id": testID, "body": "Fait"})
	if !failed || !strings.Contains(text, "Nothing was written now") || !strings.Contains(text, "idempotency_key of your own") {
		t.Errorf("%s", text)
	}
	if text, failed = f.call("add_comment", map[string]any{"work_order_id": testID, "body": "Fait", "idempotency_key": "mine"}); failed ||
		!strings.Contains(text, "write 13") {
		t.Errorf("with a key of its own: %s", text)
	}
}

// The time of a write is read from its answer, which must have one.
func TestWhatIsWrittenSaysWhen(t *testing.T) {
	for _, each := range tools {
		for _, name := range append(slices.Clone(each.operations), each.additions...) {
			if strings.HasPrefix(name, "POST ") && at(operationOf(t, name).response, "properties", "updated_at")["format"] != "date-time" {
				t.Errorf("%s does not say when it wrote", name)
			}
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
		for tool, arguments := range map[string]map[string]any{"transition_work_order": {"id": testID, "to": "in_progress"},
			"create_work_order": {"title": "Fuite", "request_id": testID}} {
			text, failed := f.call(tool, arguments)
			if failed || strings.Contains(text, "nothing was written again") != (replayed == "true") {
				t.Errorf("%s, replayed %q: %s", tool, replayed, text)
			}
		}
	}
}
