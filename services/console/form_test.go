package console

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"ams.internal/libs/fault"
)

// posts are the paths of all forms.
var posts = []string{
	"/settings/sign-in", "/settings/sign-out", "/settings/sign-out-everywhere", "/settings/welcome",
	"/settings/language", "/settings/appearance",
	"/settings/account/password", "/settings/keys", "/settings/keys/" + adminID + "/suspend", "/settings/keys/" + adminID +
		"/resume", "/settings/keys/" + adminID + "/replace",
	"/settings/keys/" + adminID + "/revoke", "/settings/members", "/settings/members/" + managerID + "/link", "/settings/members/" +
		managerID + "/suspend", "/settings/members/" + managerID + "/resume",
	"/settings/webhooks", "/settings/webhooks/" + adminID + "/edit", "/settings/webhooks/" + adminID + "/pause", "/settings/webhooks/" +
		adminID + "/resume", "/settings/webhooks/" + adminID + "/test",
	"/settings/webhooks/" + adminID + "/rotate", "/settings/webhooks/" + adminID + "/delete", "/settings/webhooks/" + adminID +
		"/replay", "/settings/webhooks/" + adminID + "/deliveries/" + managerID + "/redeliver",
}

func TestEveryFormNeedsTheTokenOfItsSession(t *testing.T) {
	f := newFixture(t)
	b := f.signedIn()
	before := len(f.calls)
	for _, path := range posts {
		for name, form := range map[string]url.Values{
			"none": {}, "empty": {tokenField: {""}},
			"of another session": {tokenField: {tokenPattern.FindStringSubmatch(f.signedIn().get("/settings/account").body)[1]}},
		} {
			if resp := b.send(http.MethodPost, path, form); resp.status != http.StatusForbidden ||
				!strings.Contains(resp.body, "This form was not accepted") {
				t.Errorf("%s with token %s: %d", path, name, resp.status)
			}
		}
	}
	if !f.recorded("form.refused") {
		t.Error("the trail does not say so")
	}
	for _, p := range f.calls[before:] {
		if p.Actor.Type == "service" && p.OrganizationID == orgID && p.Actor.ID != "console" {
			t.Errorf("something was asked for: %+v", p)
		}
	}
	if resp := b.get("/settings/keys"); resp.status != http.StatusOK {
		t.Errorf("the session has ended by it: %d", resp.status)
	}
}

func TestWhatTheGatewayFindsStandsBesideTheField(t *testing.T) {
	f := newFixture(t)
	b := f.signedIn()
	f.execute("UPDATE console.session SET language = 'fr'")
	for field, want := range map[string]string{
		"name": "Entrez un nom de 1 à 100 caractères", "scopes": "Choisissez dans la liste", "expires_at": "Choisissez un jour entre",
		"rate_limit": "Entrez un nombre entier", "allowed_networks": "Entrez au plus 50 réseaux", "confirm_privacy": "Confirmez pour users:read",
	} {
		f.mu.Lock()
		f.nextRefusal = fault.InvalidFields(fault.Field{Field: field, Message: "is wrong"})
		f.mu.Unlock()
		resp := b.post("/settings/keys", url.Values{"name": {"Power BI"}, "scopes": {"sites:read"}, "sent": {newFormID()}})
		if resp.status != http.StatusBadRequest || !strings.Contains(resp.body, want) || !strings.Contains(resp.body, `value="Power BI"`) {
			t.Errorf("%s: %d, without %q", field, resp.status, want)
		}
	}
}

func TestAnOrganizationWithAsManyKeysAsItMayHaveIsToldWhatToDo(t *testing.T) {
	f := newFixture(t)
	b := f.signedIn()
	if resp := b.post("/settings/keys", url.Values{"name": {"First"}, "scopes": {"sites:read"}, "sent": {newFormID()}}); resp.status != 200 {
		t.Fatalf("%d %.300s", resp.status, resp.body)
	}
	path := "/settings/keys/" + f.keys[0]["id"].(string)
	full := func(path string, form url.Values) response {
		f.mu.Lock()
		f.nextRefusal = fault.New(fault.KindConflict, "too_many_keys", "The organization has 100 active keys, and 100 are the most.")
		f.mu.Unlock()
		return b.post(path, form)
	}
	const sentence = "Revoke or suspend one that is not needed any more"
	resp := full("/settings/keys", url.Values{"name": {"Power BI"}, "scopes": {"sites:read"}, "sent": {newFormID()}})
	if resp.status != http.StatusConflict || !strings.Contains(resp.body, sentence) || !strings.Contains(resp.body, `value="Power BI"`) {
		t.Errorf("a new key: %d %.300s", resp.status, resp.body)
	}
	resp = full(path+"/replace", url.Values{"overlap": {"3600"}, "sent": {newFormID()}})
	if resp.status != http.StatusConflict || !strings.Contains(resp.body, sentence) {
		t.Errorf("a replacement: %d %.300s", resp.status, resp.body)
	}
	resp = full(path+"/resume", nil)
	if to := resp.header.Get("Location"); resp.status != http.StatusSeeOther ||
		!strings.Contains(b.get(to).body, "as many active keys as it may, so nothing was done") {
		t.Errorf("a resumed key: %d to %s", resp.status, to)
	}
}

func TestAKeysValueIsOnOnePageThatIsNotStored(t *testing.T) {
	f := newFixture(t)
	b := f.signedIn()
	form := url.Values{"name": {"Power BI"}, "scopes": {"sites:read"}, "sent": {newFormID()}, "rate_limit": {"60"}}
	resp := b.post("/settings/keys", form)
	if resp.status != http.StatusOK || strings.Count(resp.body, "ams_live_secret") != 2 || resp.header.Get("Cache-Control") != "no-store" {
		t.Errorf("%d, the value %d times, %s", resp.status, strings.Count(resp.body, "ams_live_secret"), resp.header.Get("Cache-Control"))
	}
	if again := b.post("/settings/keys", form); again.status != http.StatusSeeOther || len(f.keys) != 1 {
		t.Errorf("sent again: %d, %d keys", again.status, len(f.keys))
	}
	if resp := b.get("/settings/keys"); strings.Contains(resp.body, "ams_live_secret") {
		t.Error("the list shows the value")
	}
	if name := f.calls[len(f.calls)-1].Actor.Name; name != "Anne Tremblay" {
		t.Errorf("the key was made by %s", name)
	}
}

func TestWhatIsTypedIsShownAsText(t *testing.T) {
	f := newFixture(t)
	b := f.signedIn()
	nasty := `"><script>alert(1)</script>`
	resp := b.post("/settings/keys", url.Values{"name": {nasty}, "allowed_networks": {nasty}})
	if strings.Contains(resp.body, nasty) || !strings.Contains(resp.body, "&lt;script&gt;") {
		t.Error("what was typed is not escaped")
	}
	if resp := b.get("/settings/audit?record=" + url.QueryEscape(nasty)); strings.Contains(resp.body, nasty) {
		t.Error("the filter is not escaped")
	}
	if resp := b.get("/settings/keys?done=" + url.QueryEscape(nasty)); strings.Contains(resp.body, "alert(1)") {
		t.Error("a notice is taken from the address")
	}
}

func TestPagesLeadNowhereElse(t *testing.T) {
	f := newFixture(t)
	b := f.signedIn()
	for _, path := range []string{"https://evil.example", "//evil.example", "/settings//evil.example", "/settings/\\evil",
		"/v1/sites", "/settings/keys\r\nX: y"} {
		if resp := b.post("/settings/language", url.Values{"language": {"fr"}, "path": {path}}); resp.header.Get("Location") != "/settings/keys" {
			t.Errorf("%q leads to %s", path, resp.header.Get("Location"))
		}
	}
}

func TestOtherServicesAwayIsAPageThatSaysSo(t *testing.T) {
	f := newFixture(t)
	b := f.signedIn()
	f.mu.Lock()
	f.usersDown = true
	f.mu.Unlock()
	if resp := b.get("/settings/members"); resp.status != http.StatusServiceUnavailable ||
		!strings.Contains(resp.body, "Not available right now") || resp.header.Get("Retry-After") == "" {
		t.Errorf("%d %.200s", resp.status, resp.body)
	}
	f.mu.Lock()
	f.usersDown = false
	f.mu.Unlock()
	if resp := b.get("/settings/keys"); resp.status != http.StatusOK {
		t.Errorf("the session did not outlive it: %d", resp.status)
	}
}

func TestAKeyCanBeRevokedWhileTheUsersServiceIsAway(t *testing.T) {
	f := newFixture(t)
	b := f.signedIn()
	marcs := f.browser()
	marcs.signIn("marc@example.ca", password)
	leaked := newFormID()
	f.mu.Lock()
	f.usersDown = true
	f.keys = append(f.keys, map[string]any{"id": leaked, "name": "Leaked", "state": "active",
		"scopes": []string{"sites:read"}, "rate_limit": 60})
	f.mu.Unlock()
	if resp := b.get("/settings/keys"); resp.status != http.StatusOK || !strings.Contains(resp.body, "Leaked") {
		t.Fatalf("the list: %d %.300s", resp.status, resp.body)
	}
	token := tokenPattern.FindStringSubmatch(b.get("/settings/keys").body)[1]
	if resp := b.send(http.MethodPost, "/settings/keys/"+leaked+"/revoke",
		url.Values{tokenField: {token}}); resp.status != http.StatusSeeOther || f.keys[0]["state"] != "revoked" {
		t.Errorf("revoking: %d, %v", resp.status, f.keys[0]["state"])
	}
	if resp := b.send(http.MethodPost, "/settings/keys", url.Values{tokenField: {token}, "name": {"x"}, "scopes": {"sites:read"},
		"sent": {newFormID()}}); resp.status != http.StatusServiceUnavailable || len(f.keys) != 1 {
		t.Errorf("making a key: %d", resp.status)
	}
	if resp := marcs.get("/settings/keys"); resp.status != http.StatusForbidden {
		t.Errorf("a manager: %d", resp.status)
	}
	if resp := b.send(http.MethodPost, "/settings/sign-out", url.Values{tokenField: {token}}); resp.status != http.StatusSeeOther {
		t.Errorf("signing out: %d", resp.status)
	}
}

func TestAFormThatIsTooLargeIsRefused(t *testing.T) {
	f := newFixture(t)
	b := f.signedIn()
	if resp := b.post("/settings/keys", url.Values{"name": {strings.Repeat("x", 100_000)}}); resp.status != http.StatusForbidden &&
		resp.status != http.StatusBadRequest || len(f.keys) > 0 {
		t.Errorf("%d", resp.status)
	}
}
