package browser

import (
	"bytes"
	"encoding/json"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"ams.internal/deploy/devstack"
)

// call is what a system does that has the key: its own HTTP client, no browser. It gives the status and the code.
func call(t testing.TB, method, path, key string, body any) (int, string) {
	t.Helper()
	var content io.Reader
	if body != nil {
		encoded, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		content = bytes.NewReader(encoded)
	}
	request, err := http.NewRequest(method, base(t)+path, content)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+key)
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := (&http.Client{Timeout: 20 * time.Second}).Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var refusal struct{ Code string }
	_ = json.NewDecoder(response.Body).Decode(&refusal)
	return response.StatusCode, refusal.Code
}

func responds(t testing.TB, key string, status int, when string) {
	t.Helper()
	if got, code := call(t, "GET", "/v1/assets?per_page=1", key, nil); got != status {
		t.Errorf("%s the API answers %d %s, want %d", when, got, code, status)
	}
}

// makeKey fills in the form of a new key and gives its value.
func (b *tab) makeKey(name string, scopes ...string) string {
	b.t.Helper()
	b.visit("/settings/keys/new")
	b.fill("#name", name)
	for _, scope := range scopes {
		b.tick("#scope-" + strings.NewReplacer(":", "-", "_", "-").Replace(scope))
	}
	b.press("#create")
	return b.text("#key-value")
}

func TestTheWholeLifeOfAKey(t *testing.T) {
	for _, test := range fewerByDay([]struct {
		name, organization, language            string
		look                                    look
		active, inactive, revoked, once, resume string
	}{
		{"English on a desk", board, "en", desk, "Active", "Inactive", "Revoked", "This is the only time that you see the key.", "active again"},
		{"français sur un téléphone", city, "fr", phone, "Active", "Inactive", "Révoquée", "Vous ne verrez la clé que cette fois-ci.",
			"de nouveau active"},
	}) {
		t.Run(test.name, func(t *testing.T) {
			b := administrator(t, test.organization, test.language, test.look)
			name := "Power BI · " + test.language
			value := b.makeKey(name, "assets:read", "sites:read", "sites:write")
			b.sees(test.once, name)
			b.picture("value")
			if !strings.HasPrefix(value, "ams_live_") || len(value) != 58 {
				t.Fatalf("the page shows no key's value but %q", value)
			}
			if curl := b.text("#curl"); !strings.Contains(curl, value) || !strings.Contains(curl, base(t)+"/v1/me") {
				t.Errorf("the line to try is %s", curl)
			}
			responds(t, value, 200, "after creation")
			if status, code := call(t, "GET", "/v1/buildings", value, nil); status != 403 {
				t.Errorf("a scope that was not chosen: %d %s", status, code)
			}
			call(t, "POST", "/v1/sites", value, map[string]any{"name": "Dépôt " + test.language})

			b.visit("/settings/keys")
			b.sees(name, "assets:read", test.active)
			b.picture("list")
			b.press(`a[href^="/settings/keys/0"]`)
			b.sees(name)
			b.picture("key")
			b.press(`form[action$="/suspend"] button`)
			b.sees(test.inactive)
			responds(t, value, 403, "after suspending")
			b.press(`form[action$="/resume"] button`)
			b.sees(test.resume)
			responds(t, value, 200, "after resuming")

			b.press(`a[href$="/replace"]`)
			b.picture("replace")
			b.tick("#overlap-3600")
			b.press("main button[type=submit]")
			second := b.text("#key-value")
			b.picture("replaced")
			if second == value {
				t.Fatal("the new key is the old one")
			}
			responds(t, second, 200, "the new key")
			responds(t, value, 200, "the old key, during the overlap,")

			b.visit("/settings/keys")
			b.press(`a[href^="/settings/keys/0"]`) // the newest first
			b.press(`a[href$="/revoke"]`)
			b.sees("assets:read")
			b.picture("revoke")
			b.press(`main form[action$="/revoke"] button`)
			responds(t, second, 401, "the very next request after revoking")
			b.run(chromedp.Click(chromedp.CSS("details.ended summary")))
			b.sees(test.revoked)
			b.picture("revoked")

			b.visit("/settings/audit")
			b.sees(name)
			b.picture("audit")
			nowhere(t, b, value)
			nowhere(t, b, second)
		})
	}
}

// nowhere looks for a key's value in everything that the product wrote, and on every page.
func nowhere(t *testing.T, b *tab, value string) {
	t.Helper()
	needle := value[len("ams_live_"):] // also without its prefix
	unwritten(t, "the key's value", needle, value[:13])
	for _, path := range []string{"/settings/keys", "/settings/audit", "/settings/usage", "/settings/keys/new"} {
		b.visit(path)
		page := evaluate(b, chromedp.OuterHTML(chromedp.CSS("html")))
		if strings.Contains(page, needle) {
			t.Errorf("the key's value stands on %s", path)
		}
	}
}

// unwritten looks for a secret in all files of the running product, its logs among them, and in a dump of the database,
// which must hold control.
func unwritten(t *testing.T, what, secret, control string) {
	t.Helper()
	s := devstack.ForTest(t)
	needle := []byte(secret)
	err := filepath.WalkDir(s.Folder(), func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.Type().IsRegular() {
			return nil
		}
		content, err := os.ReadFile(path) // files of the running database come and go
		if err == nil && bytes.Contains(content, needle) {
			t.Errorf("%s stands in %s", what, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	dump := exec.Command(postgresProgram(t, "pg_dump"), s.Description().PostgresURL)
	content, err := dump.Output()
	if err != nil {
		t.Fatalf("pg_dump: %v", err)
	}
	if !bytes.Contains(content, []byte(control)) {
		t.Errorf("the dump does not hold %s: it is not a dump of everything", control)
	}
	if bytes.Contains(content, needle) {
		t.Errorf("%s stands in the database", what)
	}
}

func postgresProgram(t *testing.T, name string) string {
	t.Helper()
	if path, err := exec.LookPath(name); err == nil {
		return path
	}
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/" + name)
	if len(found) == 0 {
		t.Fatalf("there is no %s", name)
	}
	return found[len(found)-1]
}

func TestAFormThatIsSentAgainMakesNoSecondKey(t *testing.T) {
	p := signedIn(t, board)
	form := url.Values{
		"form_token": {p.token("/settings/keys/new")}, "sent": {between(t, p.get("/settings/keys/new").body, `name="sent" value="`, `"`)},
		"name": {"Sent twice"}, "scopes": {"sites:read"},
	}
	if a := p.post("/settings/keys", form); a.status != 200 || !strings.Contains(a.body, "ams_live_") {
		t.Fatalf("the first: %d", a.status)
	}
	if a := p.post("/settings/keys", form); a.status != 303 || strings.Contains(a.body, "ams_live_") {
		t.Errorf("the second: %d", a.status)
	}
	if count := strings.Count(p.get("/settings/keys").body, ">Sent twice</a>"); count != 1 {
		t.Errorf("there are %d keys of that name", count)
	}
}

// between gives what stands after one text and before another.
func between(t *testing.T, text, before, after string) string {
	t.Helper()
	_, rest, found := strings.Cut(text, before)
	middle, _, ended := strings.Cut(rest, after)
	if !found || !ended {
		t.Fatalf("there is no %s in the page", before)
	}
	return middle
}
