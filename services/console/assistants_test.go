package main

import (
	"net/http"
	"strings"
	"testing"

	"ams.internal/libs/fault"
	"ams.internal/libs/principal"
)

const claude = "0199a3c5-0000-7000-8000-0000000000c1"

// answerAssistants is the MCP service.
func (w *world) answerAssistants(answer answering) {
	allowed := func(p principal.Principal) error {
		switch {
		case w.assistantsAway:
			return fault.Unavailable("service_unavailable", "away")
		case p.Actor.Type != "user" || p.Origin != "console" || len(p.Scopes) == 0 || p.Scopes[0] != "administrator":
			return fault.Forbidden("administrator_needed", "refused")
		}
		return nil
	}
	answer("POST /internal/grants/list", func(p principal.Principal, _ *http.Request, _ map[string]any) (any, error) {
		return map[string]any{"data": w.assistants}, allowed(p)
	})
	answer("POST /internal/grants/end", func(p principal.Principal, _ *http.Request, body map[string]any) (any, error) {
		var left []assistant
		for _, a := range w.assistants {
			if a.ID != body["id"] {
				left = append(left, a)
			}
		}
		w.assistants = left
		return map[string]any{}, allowed(p)
	})
}

func (w *world) connectClaude() {
	used := "2026-11-21T14:00:00Z"
	w.keys = append(w.keys, map[string]any{"id": marc, "name": "Reading", "state": "active"}, map[string]any{"id": anne, "name": "Old", "state": "revoked"})
	w.assistants = []assistant{
		{ID: claude, Name: "Claude", Host: "claude.ai", KeyID: marc, KeyName: "Reading", ReadOnly: true, Since: "2026-11-20T09:00:00Z", LastUsedAt: &used},
		{ID: town, Name: "<b>Code</b>", Host: "127.0.0.1", KeyID: anne, KeyName: "Old", Since: "2026-11-19T09:00:00Z"},
	}
}

func TestConnectedAssistantsAreShown(t *testing.T) {
	w := newWorld(t)
	b := w.signedIn()
	if a := b.get("/settings/assistants"); a.status != 200 || !strings.Contains(a.body, "No assistant is connected.") || !strings.Contains(a.body, "https://api.example.ca/mcp") {
		t.Errorf("%d %s", a.status, a.body)
	}
	w.connectClaude()
	a := b.get("/settings/assistants")
	first, second, found := strings.Cut(a.body, "&lt;b&gt;Code&lt;/b&gt;")
	if !found || a.status != 200 {
		t.Fatalf("%d %s", a.status, a.body)
	}
	for _, says := range []string{"Claude", "<strong>claude.ai</strong>", `href="/settings/keys/` + marc + `"`, "Reading", "Read only", "20\u00a0Nov\u00a02026, 4:00", "21\u00a0Nov\u00a02026, 9:00", "/settings/assistants/" + claude + "/disconnect"} {
		if !strings.Contains(first, says) {
			t.Errorf("the page does not say %s: %s", says, first)
		}
	}
	for _, says := range []string{"127.0.0.1", "a program on a person’s own computer", "Its key cannot be used", "Revoked", "What the key allows", "Never"} {
		if !strings.Contains(second, says) {
			t.Errorf("the page does not say %s: %s", says, second)
		}
	}
	if strings.Contains(first, "Its key cannot be used") {
		t.Error("a key that works is called one that does not")
	}
}

func TestAnAssistantIsDisconnectedAfterAQuestion(t *testing.T) {
	w := newWorld(t)
	w.connectClaude()
	b := w.signedIn()
	path := "/settings/assistants/" + claude + "/disconnect"
	if a := b.get(path); a.status != 200 || !strings.Contains(a.body, "Disconnect “Claude”?") || !strings.Contains(a.body, "This is final.") || len(w.assistants) != 2 {
		t.Fatalf("%d %s", a.status, a.body)
	}
	if a := b.send(http.MethodPost, path, map[string][]string{}); a.status != 403 || len(w.assistants) != 2 {
		t.Errorf("without the form's token: %d", a.status)
	}
	a := b.post(path, nil)
	if a.status != http.StatusSeeOther || a.header.Get("Location") != "/settings/assistants?done=assistant_disconnected" || len(w.assistants) != 1 {
		t.Errorf("%d %v %v", a.status, a.header, w.assistants)
	}
	if last := w.calls[len(w.calls)-1]; last.Actor.ID != anne || last.OrganizationID != town || last.Address == "" {
		t.Errorf("it was asked for by %+v", last)
	}
	for _, id := range []string{claude, "0199a3c5-0000-7000-8000-0000000000ff", "x"} {
		for _, a := range []shown{b.get("/settings/assistants/" + id + "/disconnect"), b.post("/settings/assistants/"+id+"/disconnect", nil)} {
			if a.status != 404 {
				t.Errorf("%s: %d", id, a.status)
			}
		}
	}
	if !w.recorded("record.refused") {
		t.Error("the trail does not say that somebody asked for what is not theirs")
	}
}

func TestWhoMayNotDisconnectAssistants(t *testing.T) {
	w := newWorld(t)
	w.connectClaude()
	manager := w.browser()
	manager.signIn("marc@example.ca", password)
	path := "/settings/assistants/" + claude + "/disconnect"
	for _, a := range []shown{manager.get("/settings/assistants"), manager.get(path), manager.post(path, nil)} {
		if a.status != 403 || len(w.assistants) != 2 {
			t.Errorf("%d %.300s", a.status, a.body)
		}
	}
	if a := w.browser().get("/settings/assistants"); a.status != http.StatusSeeOther {
		t.Errorf("nobody: %d", a.status)
	}
	b := w.signedIn()
	w.mu.Lock()
	w.assistantsAway = true
	w.mu.Unlock()
	if a := b.get("/settings/assistants"); a.status != 503 || a.header.Get("Retry-After") == "" {
		t.Errorf("the MCP service is away: %d", a.status)
	}
	w.mu.Lock()
	w.assistantsAway, w.away = false, true
	w.mu.Unlock()
	if a := b.get("/settings/assistants"); a.status != 200 { // as for keys: what takes away works on
		t.Errorf("the users service is away: %d", a.status)
	}
	if a := b.post(path, nil); a.status != http.StatusSeeOther || len(w.assistants) != 1 {
		t.Errorf("the users service is away: %d %s", a.status, a.body)
	}
}

func TestRevokingAKeySaysWhichAssistantsStop(t *testing.T) {
	w := newWorld(t)
	w.connectClaude()
	b := w.signedIn()
	path := "/settings/keys/" + marc + "/revoke"
	a := b.get(path)
	if a.status != 200 || !strings.Contains(a.body, "These assistants stop with it:") || !strings.Contains(a.body, "Claude <strong>claude.ai</strong>") || strings.Contains(a.body, "127.0.0.1") {
		t.Errorf("%d %s", a.status, a.body)
	}
	w.mu.Lock()
	w.assistantsAway = true
	w.mu.Unlock()
	if a := b.get(path); a.status != 200 || strings.Contains(a.body, "These assistants") {
		t.Errorf("the MCP service is away: %d %s", a.status, a.body)
	}
}
