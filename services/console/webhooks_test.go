package console

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"ams.internal/libs/domain/catalogue"
)

func TestTheStateOfAnEndpointIsSaidInWords(t *testing.T) {
	f := newFixture(t)
	b := f.signedIn()
	since := "2026-11-20T15:04:05Z"
	for name, test := range map[string]struct {
		endpoint map[string]any
		features []string
		want     []string
	}{
		"active": {nil, []string{"api_access"}, []string{`class="state active">Active`, `/pause"`}},
		"failing": {map[string]any{"failing_since": since, "consecutive_failures": 7}, []string{"api_access"},
			[]string{`class="state failing">Failing`, "Failing since", "7 failures in a row.", `/resume"`, `/pause"`}},
		"paused": {map[string]any{"status": "paused"}, []string{"api_access"},
			[]string{`class="state paused">Paused`, `/resume"`}},
		"disabled by 410": {map[string]any{"status": "disabled", "disabled_at": since,
			"disabled_reason": "It answered 410: it wants no more deliveries."}, []string{"api_access"},
			[]string{`class="state disabled">Disabled`, "The receiver answered 410 (gone)", `/resume"`}},
		"disabled after 5 days": {map[string]any{"status": "disabled", "disabled_reason": "No delivery has succeeded for five days."},
			[]string{"api_access"}, []string{"There was no success for five days"}},
		"disabled somehow": {map[string]any{"status": "disabled", "disabled_reason": "A new reason."}, []string{"api_access"},
			[]string{`<span lang="en">A new reason.</span>`}},
		"not in the plan": {map[string]any{"failing_since": since}, nil, []string{`class="state suspended">Suspended`,
			"Your plan does not include API access"}},
	} {
		id := f.endpoint("https://example.ca/"+name, test.endpoint)
		f.mu.Lock()
		f.features = test.features
		f.mu.Unlock()
		page := b.get("/settings/webhooks/" + id).body
		for _, want := range test.want {
			if !strings.Contains(page, want) {
				t.Errorf("%s: the page does not say %q", name, want)
			}
		}
		if _, list, _ := strings.Cut(b.get("/settings/webhooks").body, id); !strings.Contains(list[:min(len(list), 600)],
			test.want[0][strings.LastIndex(test.want[0], ">")+1:]) {
			t.Errorf("%s: the list does not say so", name)
		}
	}
}

func TestTheServiceIsCalledWithWhatAnAdministratorMayRead(t *testing.T) {
	f := newFixture(t)
	b := f.signedIn()
	f.mu.Lock()
	f.features = []string{"api_access", "los"}
	f.mu.Unlock()
	b.get("/settings/webhooks")
	f.mu.Lock()
	last := f.calls[len(f.calls)-1]
	f.mu.Unlock()
	for each := range catalogue.Product().EventTypes() {
		if each.Scope != "" && !last.Allows(each.Scope+":read") {
			t.Errorf("the call may not read %s", each.Name)
		}
	}
	if !last.Allows("webhooks:write") || last.Allows("assets:write") || last.Allows("*:*") || !last.Has("los") || last.Has("projects") {
		t.Errorf("the call is made as %+v", last)
	}
	if last.Actor.Type != "user" || last.Actor.Name != "Anne Tremblay" || last.Origin != "console" {
		t.Errorf("the call is made by %+v, from %s", last.Actor, last.Origin)
	}
}

func TestAnotherServiceAwayIsSaid(t *testing.T) {
	f := newFixture(t)
	b := f.signedIn()
	id := f.endpoint("https://example.ca/x", nil)
	f.mu.Lock()
	f.downPrefix = "/v1/sites"
	f.mu.Unlock()
	if resp := b.get("/settings/webhooks/new"); resp.status != http.StatusOK ||
		!strings.Contains(resp.body, "The sites cannot be listed right now.") {
		t.Errorf("without the assets service: %d", resp.status)
	}
	f.mu.Lock()
	f.downPrefix = "/v1/webhook-endpoints"
	f.mu.Unlock()
	for _, path := range []string{"", "/" + id, "/" + id + "/deliveries"} {
		if resp := b.get("/settings/webhooks" + path); resp.status != http.StatusServiceUnavailable ||
			!strings.Contains(resp.body, "Not available right now") {
			t.Errorf("%q without the webhooks service: %d", path, resp.status)
		}
	}
}

func TestTheTrailSaysWhatBecameOfAnEndpoint(t *testing.T) {
	all, err := loadLanguages()
	if err != nil {
		t.Fatal(err)
	}
	for changes, want := range map[string][2]string{
		`{"status":{"old":"active","new":"paused"}}`: {"paused the webhook endpoint", "a mis en pause le point de réception"},
		`{"status":["active","disabled"]}`:           {"disabled the webhook endpoint", "a désactivé le point de réception"},
		`{"status":["disabled","active"],"failing_since":["2026-11-21T15:04:05Z",null],"disabled_reason":["x",null]}`: {
			"resumed the webhook endpoint", "a repris les appels au point de réception",
		},
		`{"failing_since":[null,"2026-11-21T15:04:05Z"]}`: {"saw calls fail again and again at the webhook endpoint",
			"a vu échouer à répétition les appels au point de réception"},
		`{"failing_since":{"old":"2026-11-21T15:04:05Z","new":null}}`: {"saw calls succeed again at the webhook endpoint",
			"a vu réussir de nouveau les appels au point de réception"},
		`{"secret_rotated_at":[null,"2026-11-21T15:04:05Z"]}`: {"replaced the secret of the webhook endpoint",
			"a remplacé le secret du point de réception"},
		`{"url":["https://a.example","https://b.example"]}`: {"changed: webhook endpoint",
			"a modifié\u00a0: point de réception"},
	} {
		entry := auditEntry{Action: "webhook_endpoint.updated", Actor: actor{Type: "service", Name: "Webhooks"},
			Changes: json.RawMessage(changes)}
		for i, l := range all {
			if got := l.actionSentence(entry); got != want[i] {
				t.Errorf("%s is told as %q, want %q", changes, got, want[i])
			}
		}
	}
	if got := all[0].actionSentence(auditEntry{Action: "webhook_endpoint.updated", Actor: actor{Type: "user"},
		Changes: json.RawMessage(`{"failing_since":{"old":"x","new":null}}`)}); got != "resumed the webhook endpoint" {
		t.Errorf("somebody who had everything tried again is told of as %q", got)
	}
	for _, action := range []string{"failing", "disabled", "recovered", "created", "deleted"} {
		if got := all[0].actionSentence(auditEntry{Action: "webhook_endpoint." + action}); !strings.Contains(got, "webhook endpoint") {
			t.Errorf("%s is told as %q", action, got)
		}
	}
}
