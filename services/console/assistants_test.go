package console

import (
	"net/http"
	"strings"
	"testing"

	"ams.internal/libs/domain/contracts/mcp"
	"ams.internal/libs/fault"
	"ams.internal/libs/principal"
)

const claude = "0199a3c5-0000-7000-8000-0000000000c1"

// serveAssistants stands for the MCP service.
func (f *fixture) serveAssistants(handle handlerFunc) {
	allowed := func(p principal.Principal) error {
		switch {
		case f.mcpDown:
			return fault.Unavailable("service_unavailable", "away")
		case p.Actor.Type != "user" || p.Origin != "console" || len(p.Scopes) == 0 || p.Scopes[0] != "administrator":
			return fault.Forbidden("administrator_needed", "refused")
		}
		return nil
	}
	handle("POST /internal/grants/list", func(p principal.Principal, _ *http.Request, _ map[string]any) (any, error) {
		return mcp.ConnectionList{Data: f.assistants}, allowed(p)
	})
	handle("POST /internal/grants/end", func(p principal.Principal, _ *http.Request, body map[string]any) (any, error) {
		var left []mcp.Connection
		for _, a := range f.assistants {
			if a.ID != body["id"] {
				left = append(left, a)
			}
		}
		f.assistants = left
		return map[string]any{}, allowed(p)
	})
}

func (f *fixture) connectClaude() {
	used := "2026-11-21T14:00:00Z"
	f.keys = append(f.keys, map[string]any{"id": managerID, "name": "Reading", "state": "active"},
		map[string]any{"id": adminID, "name": "Old", "state": "revoked"})
	f.assistants = []mcp.Connection{
		{ID: claude, Client: "Claude", Host: "claude.ai", KeyID: managerID, KeyName: "Reading", ReadOnly: true,
			ConnectedAt: "2026-11-20T09:00:00Z", LastUsedAt: &used},
		{ID: orgID, Client: "<b>Code</b>", Host: "127.0.0.1", KeyID: adminID, KeyName: "Old", ConnectedAt: "2026-11-19T09:00:00Z"},
	}
}

func TestConnectedAssistantsAreShown(t *testing.T) {
	f := newFixture(t)
	b := f.signedIn()
	if resp := b.get("/settings/assistants"); resp.status != 200 || !strings.Contains(resp.body, "No assistant is connected.") ||
		!strings.Contains(resp.body, "https://api.example.ca/mcp") {
		t.Errorf("%d %s", resp.status, resp.body)
	}
	f.connectClaude()
	resp := b.get("/settings/assistants")
	first, second, found := strings.Cut(resp.body, "&lt;b&gt;Code&lt;/b&gt;")
	if !found || resp.status != 200 {
		t.Fatalf("%d %s", resp.status, resp.body)
	}
	for _, says := range []string{"Claude", "<strong>claude.ai</strong>", `href="/settings/keys/` + managerID + `"`, "Reading", "Read only",
		"20\u00a0Nov\u00a02026, 4:00", "21\u00a0Nov\u00a02026, 9:00", "/settings/assistants/" + claude + "/disconnect"} {
		if !strings.Contains(first, says) {
			t.Errorf("the page does not say %s: %s", says, first)
		}
	}
	for _, says := range []string{"127.0.0.1", "a program on a person’s own computer", "Its key cannot be used", "Revoked",
		"What the key allows", "Never"} {
		if !strings.Contains(second, says) {
			t.Errorf("the page does not say %s: %s", says, second)
		}
	}
	if strings.Contains(first, "Its key cannot be used") {
		t.Error("a key that works is called one that does not")
	}
}

func TestAnAssistantIsDisconnectedAfterAQuestion(t *testing.T) {
	f := newFixture(t)
	f.connectClaude()
	b := f.signedIn()
	path := "/settings/assistants/" + claude + "/disconnect"
	if resp := b.get(path); resp.status != 200 || !strings.Contains(resp.body, "Disconnect “Claude”?") ||
		!strings.Contains(resp.body, "This is final.") || len(f.assistants) != 2 {
		t.Fatalf("%d %s", resp.status, resp.body)
	}
	if resp := b.send(http.MethodPost, path, map[string][]string{}); resp.status != 403 || len(f.assistants) != 2 {
		t.Errorf("without the form's token: %d", resp.status)
	}
	resp := b.post(path, nil)
	if resp.status != http.StatusSeeOther || resp.header.Get("Location") != "/settings/assistants?done=assistant_disconnected" ||
		len(f.assistants) != 1 {
		t.Errorf("%d %v %v", resp.status, resp.header, f.assistants)
	}
	if last := f.calls[len(f.calls)-1]; last.Actor.ID != adminID || last.OrganizationID != orgID || last.Address == "" {
		t.Errorf("it was asked for by %+v", last)
	}
	for _, id := range []string{claude, "0199a3c5-0000-7000-8000-0000000000ff", "x"} {
		for _, resp := range []response{b.get("/settings/assistants/" + id + "/disconnect"),
			b.post("/settings/assistants/"+id+"/disconnect", nil)} {
			if resp.status != 404 {
				t.Errorf("%s: %d", id, resp.status)
			}
		}
	}
	if !f.recorded("record.refused") {
		t.Error("the trail does not say that somebody asked for what is not theirs")
	}
}

func TestWhoMayNotDisconnectAssistants(t *testing.T) {
	f := newFixture(t)
	f.connectClaude()
	manager := f.browser()
	manager.signIn("marc@example.ca", password)
	path := "/settings/assistants/" + claude + "/disconnect"
	for _, resp := range []response{manager.get("/settings/assistants"), manager.get(path), manager.post(path, nil)} {
		if resp.status != 403 || len(f.assistants) != 2 {
			t.Errorf("%d %.300s", resp.status, resp.body)
		}
	}
	if resp := f.browser().get("/settings/assistants"); resp.status != http.StatusSeeOther {
		t.Errorf("nobody: %d", resp.status)
	}
	b := f.signedIn()
	f.mu.Lock()
	f.mcpDown = true
	f.mu.Unlock()
	if resp := b.get("/settings/assistants"); resp.status != 503 || resp.header.Get("Retry-After") == "" {
		t.Errorf("the MCP service is away: %d", resp.status)
	}
	f.mu.Lock()
	f.mcpDown, f.usersDown = false, true
	f.mu.Unlock()
	if resp := b.get("/settings/assistants"); resp.status != 200 { // as for keys: what stops access works on
		t.Errorf("the users service is away: %d", resp.status)
	}
	if resp := b.post(path, nil); resp.status != http.StatusSeeOther || len(f.assistants) != 1 {
		t.Errorf("the users service is away: %d %s", resp.status, resp.body)
	}
}

func TestRevokingAKeySaysWhichAssistantsStop(t *testing.T) {
	f := newFixture(t)
	f.connectClaude()
	b := f.signedIn()
	path := "/settings/keys/" + managerID + "/revoke"
	resp := b.get(path)
	if resp.status != 200 || !strings.Contains(resp.body, "These assistants stop with it:") ||
		!strings.Contains(resp.body, "Claude <strong>claude.ai</strong>") || strings.Contains(resp.body, "127.0.0.1") {
		t.Errorf("%d %s", resp.status, resp.body)
	}
	f.mu.Lock()
	f.mcpDown = true
	f.mu.Unlock()
	if resp := b.get(path); resp.status != 200 || strings.Contains(resp.body, "These assistants") {
		t.Errorf("the MCP service is away: %d %s", resp.status, resp.body)
	}
}
