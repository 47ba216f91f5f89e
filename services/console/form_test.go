package main

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"ams.internal/libs/fault"
)

// posts are all forms there are, from the map of the screens.
var posts = []string{
	"/settings/sign-in", "/settings/sign-out", "/settings/sign-out-everywhere", "/settings/welcome", "/settings/language", "/settings/appearance",
	"/settings/account/password", "/settings/keys", "/settings/keys/" + anne + "/suspend", "/settings/keys/" + anne + "/resume", "/settings/keys/" + anne + "/replace",
	"/settings/keys/" + anne + "/revoke", "/settings/members", "/settings/members/" + marc + "/link", "/settings/members/" + marc + "/suspend", "/settings/members/" + marc + "/resume",
	"/settings/webhooks", "/settings/webhooks/" + anne + "/edit", "/settings/webhooks/" + anne + "/pause", "/settings/webhooks/" + anne + "/resume", "/settings/webhooks/" + anne + "/test",
	"/settings/webhooks/" + anne + "/rotate", "/settings/webhooks/" + anne + "/delete", "/settings/webhooks/" + anne + "/replay", "/settings/webhooks/" + anne + "/deliveries/" + marc + "/redeliver",
}

func TestEveryFormNeedsTheTokenOfItsSession(t *testing.T) {
	w := newWorld(t)
	b := w.signedIn()
	before := len(w.calls)
	for _, path := range posts {
		for name, form := range map[string]url.Values{
			"none": {}, "empty": {tokenField: {""}}, "of another session": {tokenField: {tokenPattern.FindStringSubmatch(w.signedIn().get("/settings/account").body)[1]}},
		} {
			if a := b.send(http.MethodPost, path, form); a.status != http.StatusForbidden || !strings.Contains(a.body, "This form was not accepted") {
				t.Errorf("%s with token %s: %d", path, name, a.status)
			}
		}
	}
	if !w.recorded("form.refused") {
		t.Error("the trail does not say so")
	}
	for _, p := range w.calls[before:] {
		if p.Actor.Type == "service" && p.OrganizationID == town && p.Actor.ID != "console" {
			t.Errorf("something was asked for: %+v", p)
		}
	}
	if a := b.get("/settings/keys"); a.status != http.StatusOK {
		t.Errorf("the session has ended by it: %d", a.status)
	}
}

func TestWhatTheGatewayFindsStandsBesideTheField(t *testing.T) {
	w := newWorld(t)
	b := w.signedIn()
	w.execute("UPDATE console.session SET language = 'fr'")
	for field, want := range map[string]string{
		"name": "Entrez un nom de 1 à 100 caractères", "scopes": "Choisissez dans la liste", "expires_at": "Choisissez un jour entre",
		"rate_limit": "Entrez un nombre entier", "allowed_networks": "Entrez au plus 50 réseaux", "confirm_privacy": "Confirmez pour users:read",
	} {
		w.mu.Lock()
		w.refusing = fault.InvalidFields(fault.Field{Field: field, Message: "is wrong"})
		w.mu.Unlock()
		a := b.post("/settings/keys", url.Values{"name": {"Power BI"}, "scopes": {"sites:read"}, "sent": {newFormID()}})
		if a.status != http.StatusBadRequest || !strings.Contains(a.body, want) || !strings.Contains(a.body, `value="Power BI"`) {
			t.Errorf("%s: %d, without %q", field, a.status, want)
		}
	}
}

func TestAKeysValueIsOnOnePageThatIsNotStored(t *testing.T) {
	w := newWorld(t)
	b := w.signedIn()
	form := url.Values{"name": {"Power BI"}, "scopes": {"sites:read"}, "sent": {newFormID()}, "rate_limit": {"60"}}
	a := b.post("/settings/keys", form)
	if a.status != http.StatusOK || strings.Count(a.body, "ams_live_secret") != 2 || a.header.Get("Cache-Control") != "no-store" {
		t.Errorf("%d, the value %d times, %s", a.status, strings.Count(a.body, "ams_live_secret"), a.header.Get("Cache-Control"))
	}
	if again := b.post("/settings/keys", form); again.status != http.StatusSeeOther || len(w.keys) != 1 {
		t.Errorf("sent again: %d, %d keys", again.status, len(w.keys))
	}
	if a := b.get("/settings/keys"); strings.Contains(a.body, "ams_live_secret") {
		t.Error("the list shows the value")
	}
	if name := w.calls[len(w.calls)-1].Actor.Name; name != "Anne Tremblay" {
		t.Errorf("the key was made by %s", name)
	}
}

func TestWhatIsTypedIsShownAsText(t *testing.T) {
	w := newWorld(t)
	b := w.signedIn()
	nasty := `"><script>alert(1)</script>`
	a := b.post("/settings/keys", url.Values{"name": {nasty}, "allowed_networks": {nasty}})
	if strings.Contains(a.body, nasty) || !strings.Contains(a.body, "&lt;script&gt;") {
		t.Error("what was typed is not escaped")
	}
	if a := b.get("/settings/audit?record=" + url.QueryEscape(nasty)); strings.Contains(a.body, nasty) {
		t.Error("the filter is not escaped")
	}
	if a := b.get("/settings/keys?done=" + url.QueryEscape(nasty)); strings.Contains(a.body, "alert(1)") {
		t.Error("a notice is taken from the address")
	}
}

func TestPagesLeadNowhereElse(t *testing.T) {
	w := newWorld(t)
	b := w.signedIn()
	for _, path := range []string{"https://evil.example", "//evil.example", "/settings//evil.example", "/settings/\\evil", "/v1/sites", "/settings/keys\r\nX: y"} {
		if a := b.post("/settings/language", url.Values{"language": {"fr"}, "path": {path}}); a.header.Get("Location") != "/settings/keys" {
			t.Errorf("%q leads to %s", path, a.header.Get("Location"))
		}
	}
}

func TestOtherServicesAwayIsAPageThatSaysSo(t *testing.T) {
	w := newWorld(t)
	b := w.signedIn()
	w.mu.Lock()
	w.away = true
	w.mu.Unlock()
	if a := b.get("/settings/members"); a.status != http.StatusServiceUnavailable || !strings.Contains(a.body, "Not available right now") || a.header.Get("Retry-After") == "" {
		t.Errorf("%d %.200s", a.status, a.body)
	}
	w.mu.Lock()
	w.away = false
	w.mu.Unlock()
	if a := b.get("/settings/keys"); a.status != http.StatusOK {
		t.Errorf("the session did not outlive it: %d", a.status)
	}
}

func TestAKeyCanBeRevokedWhileTheUsersServiceIsAway(t *testing.T) {
	w := newWorld(t)
	b := w.signedIn()
	marcs := w.browser()
	marcs.signIn("marc@example.ca", password)
	leaked := newFormID()
	w.mu.Lock()
	w.away = true
	w.keys = append(w.keys, map[string]any{"id": leaked, "name": "Leaked", "state": "active", "scopes": []string{"sites:read"}, "rate_limit": 60})
	w.mu.Unlock()
	if a := b.get("/settings/keys"); a.status != http.StatusOK || !strings.Contains(a.body, "Leaked") {
		t.Fatalf("the list: %d %.300s", a.status, a.body)
	}
	token := tokenPattern.FindStringSubmatch(b.get("/settings/keys").body)[1]
	if a := b.send(http.MethodPost, "/settings/keys/"+leaked+"/revoke", url.Values{tokenField: {token}}); a.status != http.StatusSeeOther || w.keys[0]["state"] != "revoked" {
		t.Errorf("revoking: %d, %v", a.status, w.keys[0]["state"])
	}
	if a := b.send(http.MethodPost, "/settings/keys", url.Values{tokenField: {token}, "name": {"x"}, "scopes": {"sites:read"}, "sent": {newFormID()}}); a.status != http.StatusServiceUnavailable || len(w.keys) != 1 {
		t.Errorf("making a key: %d", a.status)
	}
	if a := marcs.get("/settings/keys"); a.status != http.StatusForbidden {
		t.Errorf("a manager: %d", a.status)
	}
	if a := b.send(http.MethodPost, "/settings/sign-out", url.Values{tokenField: {token}}); a.status != http.StatusSeeOther {
		t.Errorf("signing out: %d", a.status)
	}
}

func TestAFormThatIsTooLargeIsRefused(t *testing.T) {
	w := newWorld(t)
	b := w.signedIn()
	if a := b.post("/settings/keys", url.Values{"name": {strings.Repeat("x", 100_000)}}); a.status != http.StatusForbidden && a.status != http.StatusBadRequest || len(w.keys) > 0 {
		t.Errorf("%d", a.status)
	}
}
