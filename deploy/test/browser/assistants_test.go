package browser

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// assistant is a program on the person's own computer that wants to be connected, as a coding assistant is.
type assistant struct {
	t        testing.TB
	id       string
	redirect string
	verifier string
	arrived  chan url.Values
}

// newAssistant registers a program that waits for the browser to come back.
func newAssistant(t testing.TB, name string) *assistant {
	t.Helper()
	a := &assistant{t: t, verifier: rand.Text() + rand.Text(), arrived: make(chan url.Values, 10)}
	listener := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/callback" {
			if r.Method != http.MethodGet || r.Referer() != "" {
				t.Errorf("the browser came back with %s from %q", r.Method, r.Referer())
			}
			a.arrived <- r.URL.Query()
		}
		_, _ = io.WriteString(w, "<title>Done</title><p id=done>You can close this window.</p>")
	}))
	t.Cleanup(listener.Close)
	a.redirect = listener.URL + "/callback"
	var registered struct {
		ID string `json:"client_id"`
	}
	if status := a.post("/oauth/register", "application/json", `{"client_name":"`+name+`","redirect_uris":["http://127.0.0.1/callback"]}`,
		&registered); status != 201 {
		t.Fatalf("registering: %d", status)
	}
	a.id = registered.ID
	return a
}

func (a *assistant) post(path, kind, body string, out any) int {
	a.t.Helper()
	response, err := http.Post(base(a.t)+path, kind, strings.NewReader(body))
	if err != nil {
		a.t.Fatal(err)
	}
	defer response.Body.Close()
	if err := json.NewDecoder(response.Body).Decode(out); err != nil {
		a.t.Fatalf("%s: %d %v", path, response.StatusCode, err)
	}
	return response.StatusCode
}

// page is where the program sends the browser.
func (a *assistant) page() string {
	sum := sha256.Sum256([]byte(a.verifier))
	return "/oauth/authorize?" + url.Values{
		"response_type": {"code"}, "client_id": {a.id}, "redirect_uri": {a.redirect}, "state": {"the state"}, "resource": {base(a.t) + "/mcp"},
		"code_challenge": {base64.RawURLEncoding.EncodeToString(sum[:])}, "code_challenge_method": {"S256"},
	}.Encode()
}

// callback is what the browser brought back.
func (a *assistant) callback() url.Values {
	a.t.Helper()
	select {
	case callback := <-a.arrived:
		if callback.Get("state") != "the state" || callback.Get("iss") != base(a.t) {
			a.t.Errorf("the assistant is told %v", callback)
		}
		return callback
	case <-time.After(20 * time.Second):
		a.t.Fatal("the browser did not come back")
		return nil
	}
}

type given struct {
	Access  string `json:"access_token"`
	Refresh string `json:"refresh_token"`
}

func (a *assistant) redeem(code string) (got given) {
	a.t.Helper()
	form := url.Values{"grant_type": {"authorization_code"}, "code": {code}, "client_id": {a.id}, "redirect_uri": {a.redirect},
		"code_verifier": {a.verifier}, "resource": {base(a.t) + "/mcp"}}
	if status := a.post("/oauth/token", "application/x-www-form-urlencoded", form.Encode(), &got); status != 200 {
		a.t.Fatalf("redeeming the code: %d", status)
	}
	return got
}

// lists requests the tools of the MCP endpoint, and gives the status.
func lists(t testing.TB, bearer string) int {
	t.Helper()
	request, err := http.NewRequest(http.MethodPost, base(t)+"/mcp",
		strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}`))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+bearer)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, text/event-stream")
	request.Header.Set("MCP-Protocol-Version", "2025-06-18")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if body, err := io.ReadAll(response.Body); err != nil || response.StatusCode == 200 && !strings.Contains(string(body), "search_assets") {
		t.Errorf("%d %.300s %v", response.StatusCode, body, err)
	}
	return response.StatusCode
}

// With a real browser, on the whole product with two of everything: paste, connect, call, look, disconnect.
func TestAnAssistantIsConnectedAndDisconnected(t *testing.T) {
	for _, test := range fewerByDay([]struct {
		name, organization, language     string
		look                             look
		prompts, wrong, readOnly, title  string
		ask, done, connected, trailWords string
	}{
		{"English on a desk", board, "en", desk, "Code Helper asks for access to your organization’s asset data.", "This is not an API key",
			"Read only", "Assistants",
			"Disconnect “Code Helper”?", "The assistant is disconnected", "connected the assistant", "disconnected the assistant"},
		{"français sur un téléphone", city, "fr", phone, "Code Helper demande l’accès aux données d’actifs de votre organisation.",
			"Ce n’est pas une clé API", "Lecture seule", "Assistants",
			"Déconnecter « Code Helper »", "L’assistant est déconnecté", "a connecté l’assistant", "a déconnecté l’assistant"},
	}) {
		t.Run(test.name, func(t *testing.T) {
			admin := administrator(t, test.organization, test.language, test.look)
			admin.visit("/settings/assistants")
			admin.accessible()
			admin.picture("none")
			key := admin.makeKey("For the helper · "+test.language, "assets:read")

			program, person := newAssistant(t, "Code Helper"), open(t, test.look)
			person.visit(program.page() + "&ui_locales=" + test.language)
			person.sees(test.prompts, "127.0.0.1")
			if evaluate(person, chromedp.Evaluate[string](`getComputedStyle(document.querySelector("#receiver")).fontWeight`)) < "600" {
				t.Error("who receives the access is not in bold")
			}
			person.accessible()
			person.picture("page")
			person.fill("#key", "ams_live_half")
			person.press("button[value=connect]")
			person.sees(test.wrong)
			person.accessible()
			person.picture("wrong-key")
			if value := evaluate(person, chromedp.Evaluate[string](`document.querySelector("#key").value`)); value != "" {
				t.Errorf("the page shows %q again", value)
			}
			person.fill("#key", key)
			person.tick("#read_only")
			person.press("button[value=connect]")
			code := program.callback().Get("code")
			person.sees("You can close this window.")
			first := program.redeem(code)
			if status := lists(t, first.Access); status != 200 {
				t.Fatalf("the connected assistant gets %d", status)
			}

			admin.visit("/settings/assistants")
			admin.sees(test.title, "Code Helper", "127.0.0.1", "For the helper", test.readOnly)
			admin.accessible()
			admin.picture("list")
			admin.press(`main li a[href$="/disconnect"]`)
			admin.sees(test.ask)
			admin.accessible()
			admin.picture("disconnect")
			admin.press(`main form button.danger`)
			admin.sees(test.done)
			if status := lists(t, first.Access); status != 401 {
				t.Errorf("the very next call of a disconnected assistant: %d", status)
			}
			if status := lists(t, key); status != 200 {
				t.Errorf("the key itself: %d", status)
			}
			var refusal struct{ Error string }
			if program.post("/oauth/token", "application/x-www-form-urlencoded",
				url.Values{"grant_type": {"refresh_token"}, "refresh_token": {first.Refresh}, "client_id": {program.id}}.Encode(),
				&refusal); refusal.Error != "invalid_grant" {
				t.Errorf("its refresh token: %s", refusal.Error)
			}
			admin.visit("/settings/audit")
			admin.sees(test.connected, test.trailWords, "Code Helper", "For the helper")
			admin.picture("audit")

			for what, secret := range map[string]string{"the key": key[len("ams_live_"):], "the code": code[len(code)-60:],
				"the access token": first.Access[len(first.Access)-60:], "the refresh token": first.Refresh[len(first.Refresh)-60:]} {
				unwritten(t, what, secret, "Code Helper")
			}
		})
	}
}

func TestThePageIsUsedWithTheKeyboardAlone(t *testing.T) {
	key := administrator(t, board, "en", desk).makeKey("Typed", "assets:read")
	program, person := newAssistant(t, "Keyboard"), open(t, desk)
	person.visit(program.page())
	person.tabTo("#key")
	person.types(key)
	person.tabTo("#read_only")
	person.types(" ")
	person.tabTo("button[value=connect]")
	person.types(kb.Enter)
	if got := program.redeem(program.callback().Get("code")); lists(t, got.Access) != 200 {
		t.Error("the assistant is not connected")
	}
	person.run(chromedp.WaitReady(chromedp.CSS("#done"))) // else the next page is requested while this one is still coming

	person.visit(program.page())
	person.tabTo("#key")
	person.types(key)
	person.types(kb.Enter) // in the field: connects
	if program.callback().Get("code") == "" {
		t.Error("Enter in the field does not connect")
	}
	person.run(chromedp.WaitReady(chromedp.CSS("#done")))
	person.visit(program.page())
	person.tabTo("button[value=cancel]")
	person.types(kb.Enter)
	if callback := program.callback(); callback.Get("error") != "access_denied" {
		t.Errorf("cancelling tells the assistant %v", callback)
	}
}

func TestTheConnectPageInEveryLook(t *testing.T) {
	for _, test := range []struct {
		name, language string
		look           look
	}{
		{"English desk", "en", desk}, {"English night", "en", night}, {"English phone", "en", phone},
		{"français nuit", "fr", look{width: 390, height: 844, dark: true}}, {"narrow", "en", look{width: 320, height: 640}},
	} {
		t.Run(test.name, func(t *testing.T) {
			program, person := newAssistant(t, "Un assistant dont le nom est vraiment très long pour une petite page"), open(t, test.look)
			person.visit(program.page())
			person.speak(test.language)
			person.accessible()
			person.picture("page")
			person.press("button[value=connect]")
			person.accessible()
			person.picture("problem")
			person.visit("/oauth/authorize?client_id=nobody")
			person.accessible()
			person.picture("refused")
			if words := person.words(); strings.Contains(words, "{{") || strings.Contains(words, "refused.") {
				t.Error(words)
			}
		})
	}
}

// A key that is revoked between two calls stops the assistant at the second, through either gateway.
func TestRevokingTheKeyStopsTheAssistant(t *testing.T) {
	admin := administrator(t, city, "en", desk)
	key := admin.makeKey("To be revoked", "assets:read")
	program, person := newAssistant(t, "Stopped"), open(t, desk)
	person.visit(program.page())
	person.fill("#key", key)
	person.press("button[value=connect]")
	got := program.redeem(program.callback().Get("code"))
	if status := lists(t, got.Access); status != 200 {
		t.Fatalf("%d", status)
	}
	admin.visit("/settings/keys")
	admin.press(`a[href^="/settings/keys/0"]`)
	admin.press(`a[href$="/revoke"]`)
	admin.press(`main form[action$="/revoke"] button`)
	for range 4 {
		if status := lists(t, got.Access); status != 401 {
			t.Errorf("after the revocation: %d", status)
		}
	}
	admin.visit("/settings/assistants")
	admin.sees("Stopped", "Its key cannot be used", "Revoked")
	admin.picture("stopped")
}
