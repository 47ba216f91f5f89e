package browser

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
)

func TestAForgedOrMissingFormTokenIsRefusedAndRecorded(t *testing.T) {
	p := signedIn(t, board)
	target := p.keyIDs()[0]
	anonymous := newPerson(t)
	for name, token := range map[string]url.Values{
		"missing":                   {},
		"made up":                   {"form_token": {"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}},
		"of another browser":        {"form_token": {anonymous.token("/settings/sign-in")}},
		"of another person":         {"form_token": {signedIn(t, city).token("/settings/keys")}},
		"in the address, not in it": {},
	} {
		path := "/settings/keys/" + target + "/revoke"
		if strings.HasPrefix(name, "in the address") {
			path += "?form_token=" + url.QueryEscape(p.token("/settings/keys"))
		}
		a := p.post(path, token)
		if a.status != 403 || !strings.Contains(a.body, "This form was not accepted") {
			t.Errorf("%s: %d %.200s", name, a.status, a.body)
		}
	}
	if !slices.Contains(p.keyIDs(), target) || !strings.Contains(p.get("/settings/keys/"+target).body, `class="state active"`) {
		t.Error("the key is not active any more")
	}
	if !p.trailHolds("form.refused", target) {
		t.Error("the audit trail does not say so")
	}
	made := p.post("/settings/keys", url.Values{"name": {"Forged"}, "scopes": {"sites:read"}})
	if made.status != 403 || strings.Contains(p.get("/settings/keys").body, "Forged") {
		t.Errorf("a key was made by a forged form: %d", made.status)
	}
	// Before signing in there are tokens too: nobody can be signed in to an account that is not theirs.
	if a := anonymous.post("/settings/sign-in", url.Values{"email": {"a@example.ca"}, "password": {"x"}}); a.status != 403 {
		t.Errorf("a forged sign-in: %d", a.status)
	}
}

func TestAStaleSessionIsRefusedAndRecorded(t *testing.T) {
	for name, statement := range map[string]string{
		"an hour without use": "UPDATE console.session SET used_at = now() - interval '61 minutes' WHERE ended_at IS NULL",
		"twelve hours old":    "UPDATE console.session SET created_at = now() - interval '12 hours 1 minute' WHERE ended_at IS NULL",
		"ended":               "UPDATE console.session SET ended_at = now() WHERE ended_at IS NULL",
	} {
		p := signedIn(t, board)
		target, token := p.keyIDs()[0], p.token("/settings/keys")
		database(t, statement)
		path := "/settings/keys/" + target + "/suspend"
		if a := p.post(path, url.Values{"form_token": {token}}); a.status != 303 ||
			!strings.HasPrefix(a.header.Get("Location"), "/settings/sign-in") {
			t.Errorf("%s: %d to %s", name, a.status, a.header.Get("Location"))
		}
		again := signedIn(t, board)
		if !strings.Contains(again.get("/settings/keys/"+target).body, `class="state active"`) {
			t.Errorf("%s: the key was suspended all the same", name)
		}
		if !again.trailHolds("session.refused", path) {
			t.Errorf("%s: the audit trail does not say so", name)
		}
	}
}

func TestAnotherOrganizationsKeyIsRefusedAndRecorded(t *testing.T) {
	theirs := signedIn(t, city)
	target := theirs.keyIDs()[0]
	p := signedIn(t, board)
	token := p.token("/settings/keys")
	path := "/settings/keys/" + target
	for _, each := range []string{path, path + "/revoke", path + "/replace"} {
		if a := p.get(each); a.status != 404 || strings.Contains(a.body, "ams_live_") {
			t.Errorf("GET %s: %d", each, a.status)
		}
	}
	for _, each := range []string{"suspend", "resume", "replace", "revoke"} {
		if a := p.post(path+"/"+each, url.Values{"form_token": {token}, "overlap": {"0"}}); a.status != 404 {
			t.Errorf("POST %s: %d", each, a.status)
		}
	}
	for _, id := range []string{"not-an-id", "00000000-0000-0000-0000-000000000000", "%2e%2e%2f%2e%2e", strings.Repeat("a", 4000)} {
		if a := p.get("/settings/keys/" + id); a.status != 404 && a.status != 400 {
			t.Errorf("GET %.40s: %d", id, a.status)
		}
	}
	if !strings.Contains(theirs.get(path).body, `class="state active"`) {
		t.Error("their key is not active any more")
	}
	if !p.trailHolds("record.refused", target) {
		t.Error("the audit trail does not say so")
	}
	if theirs.trailHolds("record.refused", target) {
		t.Error("it stands in the other organization's trail")
	}
}

func TestSignInIsSlowedDownForTheAccount(t *testing.T) {
	p := newPerson(t)
	token := p.token("/settings/sign-in")
	try := func() page {
		return p.post("/settings/sign-in", url.Values{"form_token": {token}, "email": {"Nobody@example.ca"}, "password": {"wrong"}})
	}
	for range 5 {
		if a := try(); a.status != 401 || !strings.Contains(a.body, "The e-mail address or the password is wrong.") {
			t.Fatalf("%d %.300s", a.status, a.body)
		}
	}
	a := try()
	if a.status != 429 || a.header.Get("Retry-After") == "" || !strings.Contains(a.body, "Too many attempts. Wait") {
		t.Errorf("the sixth: %d %.300s", a.status, a.body)
	}
	if !strings.Contains(a.body, `value="Nobody@example.ca"`) || strings.Contains(a.body, `value="wrong"`) {
		t.Error("the form came back without the e-mail address, or with the password")
	}
	database(t, "DELETE FROM console.sign_in_attempt") // the address is everybody's in these tests
}

func TestEveryAnswerIsStrict(t *testing.T) {
	p := signedIn(t, board)
	for _, path := range []string{"/settings/keys", "/settings/keys/new", "/settings/sign-in", "/settings/welcome", "/settings/nothing",
		"/settings/audit.csv", "/settings/keys/x"} {
		header := p.get(path).header
		for name, want := range map[string]string{
			"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "Referrer-Policy": "same-origin",
		} {
			if got := header.Get(name); got != want {
				t.Errorf("%s: %s is %q", path, name, got)
			}
		}
		policy := header.Get("Content-Security-Policy")
		if !strings.HasPrefix(policy, "default-src 'none'") || strings.Contains(policy, "unsafe") ||
			!strings.Contains(policy, "frame-ancestors 'none'") {
			t.Errorf("%s: the policy is %q", path, policy)
		}
	}
	cookies := newPerson(t).signInCookies(t)
	for _, cookie := range cookies {
		if !cookie.HttpOnly || cookie.SameSite != http.SameSiteLaxMode || cookie.Path != "/settings" || cookie.Secure {
			t.Errorf("the cookie is %+v (it may go without Secure only here, to 127.0.0.1)", cookie)
		}
	}
}

func (p *person) signInCookies(t *testing.T) []*http.Cookie {
	of := organization(t, board)
	a := p.signIn(of.Administrator.Email, of.Administrator.Password)
	return (&http.Response{Header: a.header}).Cookies()
}
