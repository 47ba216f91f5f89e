package console

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// shows holds a page against what it must and must not have.
func shows(t *testing.T, body string, wanted []string, unwanted ...string) {
	t.Helper()
	for _, part := range wanted {
		if !strings.Contains(body, part) {
			t.Errorf("the page does not have %s", part)
		}
	}
	for _, part := range unwanted {
		if strings.Contains(body, part) {
			t.Errorf("the page has %s", part)
		}
	}
}

func TestAnAdministratorMakesAndEmptiesTheSandbox(t *testing.T) {
	for _, test := range []struct {
		language, none, made, word, wrong, emptying, deleted, refused string
	}{
		{"en", "There is no sandbox yet", "The sandbox is made.", " empty ", "VIDER", "is being emptied", "1,234 rows deleted.",
			"Type EMPTY, so that"},
		{"fr", "Il n’y a pas encore de bac à sable", "Le bac à sable est créé.", "Vider", "EMPTY", "en train d’être vidé", "lignes supprimées.",
			"Tapez VIDER, pour que"},
	} {
		t.Run(test.language, func(t *testing.T) {
			f := newFixture(t)
			b := f.signedIn()
			b.post("/settings/language", url.Values{"language": {test.language}})
			shows(t, b.get("/settings/sandbox").body, []string{test.none, `href="/settings/sandbox" aria-current="page"`}, "ams_live_",
				"/settings/sandbox/empty")
			for _, done := range []string{"sandbox_created", "sandbox_exists"} { // the form sent twice
				if resp := b.post("/settings/sandbox", nil); resp.header.Get("Location") != "/settings/sandbox?done="+done {
					t.Errorf("%d to %s", resp.status, resp.header.Get("Location"))
				}
			}
			shows(t, b.get("/settings/sandbox?done=sandbox_created").body, []string{test.made, "Ville de Rivière-Claire (test)",
				`href="/settings/sandbox/keys"`, `href="/settings/sandbox/empty"`}, test.none)

			for _, wrong := range []string{"", test.wrong} {
				resp := b.post("/settings/sandbox/empty", url.Values{"word": {wrong}})
				if resp.status != http.StatusBadRequest || f.sandbox["emptying"] != nil {
					t.Fatalf("%q: %d", wrong, resp.status)
				}
				shows(t, resp.body, []string{test.refused})
			}
			if resp := b.post("/settings/sandbox/empty", url.Values{"word": {test.word}}); resp.header.Get("Location") !=
				"/settings/sandbox?done=sandbox_emptying" {
				t.Fatalf("%d to %s", resp.status, resp.header.Get("Location"))
			}
			shows(t, b.get("/settings/sandbox").body, []string{test.emptying, test.deleted}, `href="/settings/sandbox/empty"`)
			f.sandbox["emptying"].(map[string]any)["finished_at"] = "2026-11-22T15:05:05Z"
			shows(t, b.get("/settings/sandbox").body, []string{test.deleted, `href="/settings/sandbox/empty"`}, test.emptying)
		})
	}
}

func TestTestKeysAreMadeAndShownApart(t *testing.T) {
	f := newFixture(t)
	b := f.signedIn()
	b.post("/settings/sandbox", nil)
	const badge = `<span class="state test">Test</span>`
	newForm := b.get("/settings/sandbox/keys/new").body
	shows(t, newForm, []string{badge, `action="/settings/sandbox/keys"`}, `action="/settings/keys"`)
	resp := b.post("/settings/sandbox/keys", url.Values{"name": {"CI"}, "scopes": {"assets:read"}, "sent": {newFormID()}})
	if resp.status != http.StatusOK {
		t.Fatalf("%d %s", resp.status, resp.body)
	}
	shows(t, resp.body, []string{"ams_test_secret", badge, `href="/settings/sandbox/keys"`})
	if len(f.keys) != 0 || len(f.testKeys) != 1 {
		t.Fatalf("%d live keys and %d test keys", len(f.keys), len(f.testKeys))
	}
	id := f.testKeys[0]["id"].(string)
	shows(t, b.get("/settings/sandbox/keys").body, []string{badge, "ams_test_3fGk…", `href="/settings/sandbox/keys/` + id + `"`},
		`href="/settings/keys/`)
	shows(t, b.get("/settings/keys").body, nil, badge, "ams_test_", id)
	shows(t, b.get("/settings/sandbox/keys/"+id).body, []string{badge, "/settings/sandbox/audit?key=" + id,
		"/settings/sandbox/usage?key=" + id, `action="/settings/sandbox/keys/` + id + `/suspend"`}, `"/settings/keys/`)
	if resp := b.get("/settings/keys/" + id); resp.status != http.StatusNotFound {
		t.Errorf("a test key among the live ones: %d", resp.status)
	}
	for _, page := range []string{"audit", "usage", "assistants"} {
		shows(t, b.get("/settings/sandbox/"+page).body, []string{badge})
		shows(t, b.get("/settings/"+page).body, nil, badge)
	}
	b.get("/settings/sandbox/keys/" + id + "/revoke")
	if resp := b.post("/settings/sandbox/keys/"+id+"/revoke", nil); resp.header.Get("Location") != "/settings/sandbox/keys?done=key_revoked" ||
		f.testKeys[0]["state"] != "revoked" {
		t.Errorf("%d to %s, and the key is %v", resp.status, resp.header.Get("Location"), f.testKeys[0]["state"])
	}
}

func TestTheSandboxIsForAdministrators(t *testing.T) {
	f := newFixture(t)
	b := f.signedIn()
	f.users[adminID].Role = "manager"
	for _, path := range []string{"/settings/sandbox", "/settings/sandbox/keys", "/settings/sandbox/empty"} {
		if resp := b.get(path); resp.status != http.StatusForbidden {
			t.Errorf("%s: %d", path, resp.status)
		}
	}
	f.users[adminID].Role = "administrator"
	if resp := b.send(http.MethodPost, "/settings/sandbox", url.Values{}); resp.status != http.StatusForbidden || f.sandbox != nil {
		t.Errorf("without the form token: %d", resp.status)
	}
}
