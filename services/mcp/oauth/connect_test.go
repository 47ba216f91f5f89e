package oauth

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

func TestThePageSaysWhoAsksAndWhoReceives(t *testing.T) {
	f := newAuthFixture(t)
	app := f.register("https://claude.ai/api/mcp/auth_callback")
	english := f.newBrowser().get(authorizePath + "?" + app.query().Encode())
	for _, says := range []string{"Claude asks for access", "<strong id=\"receiver\">claude.ai</strong>", `type="password"`,
		`name="read_only"`, ">Connect<", ">Cancel<", `lang="en-CA"`, "nobody has confirmed it"} {
		if !strings.Contains(english.body, says) {
			t.Errorf("the page does not say %s", says)
		}
	}
	if strings.Contains(english.body, "program on this computer") || strings.Contains(english.body, "<script") ||
		strings.Contains(english.body, " style=") {
		t.Error("a script, a style, or a wrong word")
	}
	french := f.newBrowser().get(authorizePath+"?"+app.query().Encode(), "Accept-Language", "fr-CA,fr;q=0.9,en;q=0.8")
	if !strings.Contains(french.body, "Claude demande l’accès") || !strings.Contains(french.body, `lang="fr-CA"`) ||
		french.header.Get("Content-Language") != "fr-CA" {
		t.Errorf("%s", french.body)
	}
	local := f.newBrowser().get(authorizePath + "?" + f.register(loopbackBack).query().Encode())
	if !strings.Contains(local.body, "That is a program on this computer.") || !strings.Contains(local.body, ">127.0.0.1</strong>") {
		t.Errorf("%s", local.body)
	}
	hostile := &assistantApp{f, encodedClient{`<b>Bank</b>` + "\u202e\x00\n" + strings.Repeat("long ", 40), []string{loopbackBack}}.id(),
		loopbackBack, "v"}
	resp := f.newBrowser().get(authorizePath + "?" + hostile.query().Encode())
	if !strings.Contains(resp.body, "&lt;b&gt;Bank&lt;/b&gt; long long") || strings.Contains(resp.body, "\u202e") ||
		strings.Contains(resp.body, strings.Repeat("long ", 20)) {
		t.Errorf("%s", resp.body)
	}

	header := english.header
	for name, want := range map[string]string{"Cache-Control": "no-store", "Referrer-Policy": "no-referrer", "X-Frame-Options": "DENY",
		"X-Content-Type-Options": "nosniff", "Cross-Origin-Opener-Policy": ""} {
		if header.Get(name) != want {
			t.Errorf("%s: %s", name, header.Get(name))
		}
	}
	if policy := header.Get("Content-Security-Policy"); !strings.Contains(policy, "default-src 'none'") ||
		!strings.Contains(policy, "frame-ancestors 'none'") || strings.Contains(policy, "form-action") || strings.Contains(policy, "script-src") {
		t.Error(policy)
	}
	style := f.newBrowser().get(pageAssets.Path("console.css"))
	if style.status != 200 || !strings.Contains(english.body, pageAssets.Path("console.css")) ||
		!strings.Contains(style.header.Get("Cache-Control"), "immutable") {
		t.Errorf("the style: %d", style.status)
	}
}

// Each problem of a key has its own message in the person's language. The key is never shown again.
func TestKeysThatCannotBeUsedAreToldApartOnThePage(t *testing.T) {
	f := newAuthFixture(t)
	app := f.register(loopbackBack)
	seen := map[string]string{}
	for _, test := range []struct {
		name, code      string
		status          int
		english, french string
	}{
		{"none", "", 400, "Paste an API key.", "Collez une clé API."},
		{"no key", "malformed", 401, "This is not an API key", "Ce n’est pas une clé API"},
		{"wrong", "unknown", 401, "This key is not known here", "n’est pas connue ici"},
		{"revoked", "key_revoked", 401, "This key was revoked", "a été révoquée"},
		{"expired", "key_expired", 403, "This key has expired", "est expirée"},
		{"inactive", "key_inactive", 403, "This key is suspended", "est suspendue"},
		{"of elsewhere", "network_not_allowed", 403, "only be used from certain networks", "que depuis certains réseaux"},
		{"not in the plan", "feature_not_in_plan", 403, "not included in your organization’s plan", "n’est pas compris dans le forfait"},
		{"refused for another reason", "something_new", 403, "This key cannot be used", "ne peut pas être utilisée"},
		{"unconfirmed", "away", 503, "could not be checked right now", "n’a pas pu être vérifiée"},
	} {
		t.Run(test.name, func(t *testing.T) {
			key := f.newKey(orgID)
			switch test.code {
			case "":
				key = "  "
			case "malformed":
				key = "ams_live_half"
			case "unknown":
				key = "ams_live_" + strings.Repeat("z", 49)
			case "away":
				f.setGatewayDown(true)
				defer f.setGatewayDown(false)
			default:
				f.setKeyRefusal(key, test.code)
			}
			for language, says := range map[string]string{"en": test.english, "fr": test.french} {
				p := f.newBrowser()
				p.header.Set("Accept-Language", language)
				p.header.Set("X-Forwarded-For", "203.0.113."+test.name[:1]+"1")
				resp := p.form(authorizePath, url.Values{"transaction": {p.openPage(app)}, "key": {key}, "read_only": {"yes"}, "answer": {"connect"}})
				if resp.status != test.status || !strings.Contains(resp.body, says) || resp.header.Get("Location") != "" ||
					!strings.Contains(resp.body, "checked") || !strings.Contains(resp.body, `role="alert"`) {
					t.Errorf("%s: %d %s", language, resp.status, resp.body)
				}
				if len(key) > 3 && strings.Contains(resp.body, key) {
					t.Error("the key is shown again")
				}
				if test.status == 503 && resp.header.Get("Retry-After") == "" {
					t.Error("no Retry-After")
				}
				if before, there := seen[says]; there && before != test.name {
					t.Errorf("%s says the same as %s", test.name, before)
				}
				seen[says] = test.name
				if again := transactionPattern.FindStringSubmatch(resp.body); again == nil ||
					p.form(authorizePath, url.Values{"transaction": {again[1]}, "answer": {"cancel"}}).status != http.StatusSeeOther {
					t.Error("the page cannot be used again")
				}
			}
		})
	}
}

func TestCancellingTellsTheAssistant(t *testing.T) {
	f := newAuthFixture(t)
	app, p := f.register(loopbackBack), f.newBrowser()
	query := redirectQuery(t, p.form(authorizePath,
		url.Values{"transaction": {p.openPage(app)}, "key": {f.newKey(orgID)}, "answer": {"cancel"}}))
	if query.Get("error") != "access_denied" || query.Get("state") != "a state & more" || query.Get("iss") != f.url ||
		query.Has("code") || f.checks != 0 {
		t.Errorf("%v", query)
	}
}

func TestTheLanguageIsChangedWithoutScript(t *testing.T) {
	f := newAuthFixture(t)
	app, p := f.register(loopbackBack), f.newBrowser()
	resp := p.form(authorizePath, url.Values{"transaction": {p.openPage(app)}, "language": {"fr"}})
	found := transactionPattern.FindStringSubmatch(resp.body)
	if resp.status != 200 || found == nil || !strings.Contains(resp.body, "Connecter un assistant IA") {
		t.Fatalf("%d %s", resp.status, resp.body)
	}
	resp = p.form(authorizePath, url.Values{"transaction": {found[1]}, "key": {"x"}})
	if !strings.Contains(resp.body, "Ce n’est pas une clé API") {
		t.Errorf("the next page speaks another language: %s", resp.body)
	}
	if resp = p.form(authorizePath, url.Values{"transaction": {p.openPage(app)}, "key": {f.newKey(orgID)},
		"answer": {"connect"}}); redirectQuery(t, resp).Get("code") == "" {
		t.Error("the key was not taken")
	}
}

// A form of another site, of another browser or of another day connects nothing.
func TestAFormThatIsNotOursConnectsNothing(t *testing.T) {
	f := newAuthFixture(t)
	app := f.register(loopbackBack)
	key := f.newKey(orgID)
	victim, attacker := f.newBrowser(), f.newBrowser()
	foreign := attacker.openPage(app)
	own := victim.openPage(app)
	old := transaction{ClientID: app.id, Redirect: loopbackBack, Language: "en", Expires: time.Now().Add(-time.Second).Unix()}
	address, err := url.Parse(f.url)
	if err != nil {
		t.Fatal(err)
	}
	cookie := victim.client.Jar.Cookies(address)[0]
	for name, test := range map[string]struct {
		by      *browser
		change  func(form url.Values)
		headers []string
		status  int
		says    string
	}{
		"of another browser":    {victim, func(q url.Values) { q.Set("transaction", foreign) }, nil, 400, "another browser"},
		"without a cookie":      {f.newBrowser(), nil, nil, 400, "another browser"},
		"with an empty cookie":  {f.newBrowser(), nil, []string{"Cookie", cookie.Name + "="}, 400, "another browser"},
		"without a transaction": {victim, func(q url.Values) { q.Del("transaction") }, nil, 400, "another browser"},
		"with an altered one":   {victim, func(q url.Values) { q.Set("transaction", altered(own)) }, nil, 400, "another browser"},
		"with an old one": {victim, func(q url.Values) { q.Set("transaction", f.authorizer.sealer.sealTransaction(cookie.Value, old)) },
			nil, 400, "10 minutes"},
		"with a key twice":    {victim, func(q url.Values) { q.Add("key", key) }, nil, 400, "twice"},
		"from another site":   {victim, nil, []string{"Sec-Fetch-Site", "cross-site"}, 403, "did not come from our own page"},
		"from a sibling site": {victim, nil, []string{"Sec-Fetch-Site", "same-site"}, 403, "did not come from our own page"},
		"from another origin": {victim, nil, []string{"Origin", "https://evil.example.com"}, 403, "did not come from our own page"},
		"from our host as told": {victim, nil, []string{"Origin", "https://api.example.ca", "X-Forwarded-Host", "evil.example.com"}, 403,
			"did not come from our own page"},
		"larger than a form can": {victim, func(q url.Values) { q.Set("x", strings.Repeat("x", 70<<10)) }, nil, 400, "cannot be read"},
	} {
		t.Run(name, func(t *testing.T) {
			form := url.Values{"transaction": {own}, "key": {key}, "answer": {"connect"}}
			if test.change != nil {
				test.change(form)
			}
			resp := test.by.form(authorizePath, form, test.headers...)
			if resp.status != test.status || !strings.Contains(resp.body, test.says) || resp.header.Get("Location") != "" {
				t.Errorf("%d %s", resp.status, resp.body)
			}
		})
	}
	if resp := victim.form(authorizePath+"?key="+key, url.Values{"transaction": {own}, "answer": {"connect"}}); resp.status != 400 {
		t.Errorf("a key in the address: %d", resp.status)
	}
	for name, headers := range map[string][]string{
		"our own page": {"Sec-Fetch-Site", "same-origin", "Origin", "null"},
		"an old browser that hides where it comes from": {"Origin", "null"},
		"our own origin, through the gateway":           {"Origin", "https://api.example.ca", "X-Forwarded-Host", "api.example.ca"},
	} {
		if resp := victim.form(authorizePath, url.Values{"transaction": {own}, "answer": {"cancel"}},
			headers...); resp.status != http.StatusSeeOther {
			t.Errorf("%s: %d %s", name, resp.status, resp.body)
		}
	}
	if f.checks != 0 {
		t.Errorf("%d keys were looked at", f.checks)
	}
}

func TestTheCookieIsHeldToItsHostWhereTheBrowserCan(t *testing.T) {
	for base, want := range map[string]string{
		"https://api.example.ca": "__Host-ams_connect=; Path=/; HttpOnly; Secure; SameSite=Lax",
		"http://127.0.0.1:8080":  "ams_connect=; Path=/; HttpOnly; SameSite=Lax",
	} {
		f := newAuthFixture(t, func(c *Config) { c.BaseURL = base })
		app := f.register(loopbackBack)
		resp := f.newBrowser().get(authorizePath + "?" + app.query().Encode())
		cookie := resp.header.Get("Set-Cookie")
		name, rest, _ := strings.Cut(cookie, "=")
		value, rest, _ := strings.Cut(rest, ";")
		if got := name + "=;" + rest; got != want || len(value) != cookieLength {
			t.Errorf("%s: %s", base, cookie)
		}
		if hsts := resp.header.Get("Strict-Transport-Security"); (hsts != "") != strings.HasPrefix(base, "https") {
			t.Errorf("%s: %s", base, hsts)
		}
		again := f.newBrowser().get(authorizePath+"?"+app.query().Encode(), "Cookie", name+"="+value)
		if again.header.Get("Set-Cookie") != "" {
			t.Error("a second tab takes the first one's cookie away")
		}
	}
}

func TestAttemptsAreLimitedPerAddress(t *testing.T) {
	f := newAuthFixture(t)
	app := f.register(loopbackBack)
	from := func(address, key string) httpResponse {
		t.Helper()
		p := f.newBrowser()
		p.header.Set("X-Forwarded-For", address)
		return p.form(authorizePath, url.Values{"transaction": {p.openPage(app)}, "key": {key}, "answer": {"connect"}})
	}
	good, wrong := f.newKey(orgID), "ams_live_"+strings.Repeat("y", 49)
	for range 25 { // good keys are not counted
		if resp := from("203.0.113.7", good); resp.status != http.StatusSeeOther {
			t.Fatalf("%d %s", resp.status, resp.body)
		}
	}
	f.setGatewayDown(true)
	for range 25 { // nor are keys that could not be checked
		if resp := from("203.0.113.7", wrong); resp.status != 503 {
			t.Fatalf("%d", resp.status)
		}
	}
	f.setGatewayDown(false)
	for i := range 20 {
		if resp := from("203.0.113.7", wrong); resp.status != 401 {
			t.Fatalf("attempt %d: %d", i, resp.status)
		}
	}
	before := f.checks
	for _, key := range []string{wrong, good} {
		resp := from("203.0.113.7", key)
		if resp.status != 429 || resp.header.Get("Retry-After") == "" || !strings.Contains(resp.body, "Too many attempts") ||
			!strings.Contains(resp.body, "seconds") {
			t.Errorf("%d %v %s", resp.status, resp.header, resp.body)
		}
	}
	if f.checks != before {
		t.Error("a key was looked at")
	}
	if resp := from("203.0.113.8", good); resp.status != http.StatusSeeOther {
		t.Errorf("a neighbour: %d", resp.status)
	}
	for i := range 20 {
		if resp := from("2001:db8::"+string(rune('1'+i%9)), wrong); resp.status != 401 {
			t.Fatalf("attempt %d: %d", i, resp.status)
		}
	}
	if resp := from("2001:db8::ffff", good); resp.status != 429 {
		t.Errorf("another address of the same subscriber: %d", resp.status)
	}
	f.exec("UPDATE attempt SET last_at = last_at - interval '61 minutes'")
	if resp := from("203.0.113.7", good); resp.status != http.StatusSeeOther {
		t.Errorf("an hour later: %d", resp.status)
	}
}

// altered is a text with another letter in it.
func altered(text string) string {
	letter := "A"
	if text[20] == 'A' {
		letter = "B"
	}
	return text[:20] + letter + text[21:]
}
