package main

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

func TestThePageSaysWhoAsksAndWhoReceives(t *testing.T) {
	e := newEntrance(t)
	app := e.register("https://claude.ai/api/mcp/auth_callback")
	english := e.person().get(authorizePath + "?" + app.query().Encode())
	for _, says := range []string{"Claude asks for access", "<strong id=\"receiver\">claude.ai</strong>", `type="password"`, `name="read_only"`, ">Connect<", ">Cancel<", `lang="en-CA"`, "nobody has confirmed it"} {
		if !strings.Contains(english.body, says) {
			t.Errorf("the page does not say %s", says)
		}
	}
	if strings.Contains(english.body, "program on this computer") || strings.Contains(english.body, "<script") || strings.Contains(english.body, " style=") {
		t.Error("a script, a style, or a wrong word")
	}
	french := e.person().get(authorizePath+"?"+app.query().Encode(), "Accept-Language", "fr-CA,fr;q=0.9,en;q=0.8")
	if !strings.Contains(french.body, "Claude demande l’accès") || !strings.Contains(french.body, `lang="fr-CA"`) || french.header.Get("Content-Language") != "fr-CA" {
		t.Errorf("%s", french.body)
	}
	local := e.person().get(authorizePath + "?" + e.register(loopbackBack).query().Encode())
	if !strings.Contains(local.body, "That is a program on this computer.") || !strings.Contains(local.body, ">127.0.0.1</strong>") {
		t.Errorf("%s", local.body)
	}
	hostile := &assistantApp{e, selfDescribed{`<b>Bank</b>` + "\u202e\x00\n" + strings.Repeat("long ", 40), []string{loopbackBack}}.id(), loopbackBack, "v"}
	if a := e.person().get(authorizePath + "?" + hostile.query().Encode()); !strings.Contains(a.body, "&lt;b&gt;Bank&lt;/b&gt; long long") || strings.Contains(a.body, "\u202e") || strings.Contains(a.body, strings.Repeat("long ", 20)) {
		t.Errorf("%s", a.body)
	}

	header := english.header
	for name, want := range map[string]string{"Cache-Control": "no-store", "Referrer-Policy": "no-referrer", "X-Frame-Options": "DENY", "X-Content-Type-Options": "nosniff", "Cross-Origin-Opener-Policy": ""} {
		if header.Get(name) != want {
			t.Errorf("%s: %s", name, header.Get(name))
		}
	}
	if policy := header.Get("Content-Security-Policy"); !strings.Contains(policy, "default-src 'none'") || !strings.Contains(policy, "frame-ancestors 'none'") || strings.Contains(policy, "form-action") || strings.Contains(policy, "script-src") {
		t.Error(policy)
	}
	style := e.person().get(pageAssets.Path("console.css"))
	if style.status != 200 || !strings.Contains(english.body, pageAssets.Path("console.css")) || !strings.Contains(style.header.Get("Cache-Control"), "immutable") {
		t.Errorf("the style: %d", style.status)
	}
}

// What is wrong with a key is told apart, in the person's language, and the key is never shown again.
func TestKeysThatCannotBeUsedAreToldApartOnThePage(t *testing.T) {
	e := newEntrance(t)
	app := e.register(loopbackBack)
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
			key := e.key(town)
			switch test.code {
			case "":
				key = "  "
			case "malformed":
				key = "ams_live_half"
			case "unknown":
				key = "ams_live_" + strings.Repeat("z", 49)
			case "away":
				e.setAway(true)
				defer e.setAway(false)
			default:
				e.turn(key, test.code)
			}
			for language, says := range map[string]string{"en": test.english, "fr": test.french} {
				p := e.person()
				p.header.Set("Accept-Language", language)
				p.header.Set("X-Forwarded-For", "203.0.113."+test.name[:1]+"1")
				a := p.form(authorizePath, url.Values{"transaction": {p.page(app)}, "key": {key}, "read_only": {"yes"}, "answer": {"connect"}})
				if a.status != test.status || !strings.Contains(a.body, says) || a.header.Get("Location") != "" || !strings.Contains(a.body, "checked") || !strings.Contains(a.body, `role="alert"`) {
					t.Errorf("%s: %d %s", language, a.status, a.body)
				}
				if len(key) > 3 && strings.Contains(a.body, key) {
					t.Error("the key is shown again")
				}
				if test.status == 503 && a.header.Get("Retry-After") == "" {
					t.Error("no Retry-After")
				}
				if before, there := seen[says]; there && before != test.name {
					t.Errorf("%s says the same as %s", test.name, before)
				}
				seen[says] = test.name
				if again := transactionPattern.FindStringSubmatch(a.body); again == nil || p.form(authorizePath, url.Values{"transaction": {again[1]}, "answer": {"cancel"}}).status != http.StatusSeeOther {
					t.Error("the page cannot be used again")
				}
			}
		})
	}
}

func TestCancellingTellsTheAssistant(t *testing.T) {
	e := newEntrance(t)
	app, p := e.register(loopbackBack), e.person()
	answer := answerOf(t, p.form(authorizePath, url.Values{"transaction": {p.page(app)}, "key": {e.key(town)}, "answer": {"cancel"}}))
	if answer.Get("error") != "access_denied" || answer.Get("state") != "a state & more" || answer.Get("iss") != e.url || answer.Has("code") || e.checks != 0 {
		t.Errorf("%v", answer)
	}
}

func TestTheLanguageIsChangedWithoutScript(t *testing.T) {
	e := newEntrance(t)
	app, p := e.register(loopbackBack), e.person()
	a := p.form(authorizePath, url.Values{"transaction": {p.page(app)}, "language": {"fr"}})
	found := transactionPattern.FindStringSubmatch(a.body)
	if a.status != 200 || found == nil || !strings.Contains(a.body, "Connecter un assistant IA") {
		t.Fatalf("%d %s", a.status, a.body)
	}
	if a = p.form(authorizePath, url.Values{"transaction": {found[1]}, "key": {"x"}}); !strings.Contains(a.body, "Ce n’est pas une clé API") {
		t.Errorf("the next page speaks another language: %s", a.body)
	}
	if a = p.form(authorizePath, url.Values{"transaction": {p.page(app)}, "key": {e.key(town)}, "answer": {"connect"}}); answerOf(t, a).Get("code") == "" {
		t.Error("the key was not taken")
	}
}

// A form of another site, of another browser or of another day connects nothing.
func TestAFormThatIsNotOursConnectsNothing(t *testing.T) {
	e := newEntrance(t)
	app := e.register(loopbackBack)
	key := e.key(town)
	victim, attacker := e.person(), e.person()
	foreign := attacker.page(app)
	own := victim.page(app)
	old := transaction{ClientID: app.id, Redirect: loopbackBack, Language: "en", Expires: time.Now().Add(-time.Second).Unix()}
	address, err := url.Parse(e.url)
	if err != nil {
		t.Fatal(err)
	}
	cookie := victim.client.Jar.Cookies(address)[0]
	for name, test := range map[string]struct {
		by      *person
		change  func(form url.Values)
		headers []string
		status  int
		says    string
	}{
		"of another browser":     {victim, func(f url.Values) { f.Set("transaction", foreign) }, nil, 400, "another browser"},
		"without a cookie":       {e.person(), nil, nil, 400, "another browser"},
		"with an empty cookie":   {e.person(), nil, []string{"Cookie", cookie.Name + "="}, 400, "another browser"},
		"without a transaction":  {victim, func(f url.Values) { f.Del("transaction") }, nil, 400, "another browser"},
		"with an altered one":    {victim, func(f url.Values) { f.Set("transaction", own[:20]+"A"+own[21:]) }, nil, 400, "another browser"},
		"with an old one":        {victim, func(f url.Values) { f.Set("transaction", e.door.sealer.sealTransaction(cookie.Value, old)) }, nil, 400, "10 minutes"},
		"with a key twice":       {victim, func(f url.Values) { f.Add("key", key) }, nil, 400, "twice"},
		"from another site":      {victim, nil, []string{"Sec-Fetch-Site", "cross-site"}, 403, "did not come from our own page"},
		"from a sibling site":    {victim, nil, []string{"Sec-Fetch-Site", "same-site"}, 403, "did not come from our own page"},
		"from another origin":    {victim, nil, []string{"Origin", "https://evil.example.com"}, 403, "did not come from our own page"},
		"from our host as told":  {victim, nil, []string{"Origin", "https://api.example.ca", "X-Forwarded-Host", "evil.example.com"}, 403, "did not come from our own page"},
		"larger than a form can": {victim, func(f url.Values) { f.Set("x", strings.Repeat("x", 70<<10)) }, nil, 400, "cannot be read"},
	} {
		t.Run(name, func(t *testing.T) {
			form := url.Values{"transaction": {own}, "key": {key}, "answer": {"connect"}}
			if test.change != nil {
				test.change(form)
			}
			a := test.by.form(authorizePath, form, test.headers...)
			if a.status != test.status || !strings.Contains(a.body, test.says) || a.header.Get("Location") != "" {
				t.Errorf("%d %s", a.status, a.body)
			}
		})
	}
	if a := victim.form(authorizePath+"?key="+key, url.Values{"transaction": {own}, "answer": {"connect"}}); a.status != 400 {
		t.Errorf("a key in the address: %d", a.status)
	}
	for name, headers := range map[string][]string{
		"our own page": {"Sec-Fetch-Site", "same-origin", "Origin", "null"},
		"an old browser that hides where it comes from": {"Origin", "null"},
		"our own origin, through the gateway":           {"Origin", "https://api.example.ca", "X-Forwarded-Host", "api.example.ca"},
	} {
		if a := victim.form(authorizePath, url.Values{"transaction": {own}, "answer": {"cancel"}}, headers...); a.status != http.StatusSeeOther {
			t.Errorf("%s: %d %s", name, a.status, a.body)
		}
	}
	if e.checks != 0 {
		t.Errorf("%d keys were looked at", e.checks)
	}
}

func TestTheCookieIsHeldToItsHostWhereTheBrowserCan(t *testing.T) {
	for base, want := range map[string]string{
		"https://api.example.ca": "__Host-ams_connect=; Path=/; HttpOnly; Secure; SameSite=Lax",
		"http://127.0.0.1:8080":  "ams_connect=; Path=/; HttpOnly; SameSite=Lax",
	} {
		e := newEntrance(t, func(c *Config) { c.BaseURL = base })
		app := e.register(loopbackBack)
		a := e.person().get(authorizePath + "?" + app.query().Encode())
		cookie := a.header.Get("Set-Cookie")
		name, rest, _ := strings.Cut(cookie, "=")
		value, rest, _ := strings.Cut(rest, ";")
		if got := name + "=;" + rest; got != want || len(value) != cookieLength {
			t.Errorf("%s: %s", base, cookie)
		}
		if hsts := a.header.Get("Strict-Transport-Security"); (hsts != "") != strings.HasPrefix(base, "https") {
			t.Errorf("%s: %s", base, hsts)
		}
		again := e.person().get(authorizePath+"?"+app.query().Encode(), "Cookie", name+"="+value)
		if again.header.Get("Set-Cookie") != "" {
			t.Error("a second tab takes the first one's cookie away")
		}
	}
}

func TestAttemptsAreLimitedPerAddress(t *testing.T) {
	e := newEntrance(t)
	app := e.register(loopbackBack)
	from := func(address, key string) told {
		t.Helper()
		p := e.person()
		p.header.Set("X-Forwarded-For", address)
		return p.form(authorizePath, url.Values{"transaction": {p.page(app)}, "key": {key}, "answer": {"connect"}})
	}
	good, wrong := e.key(town), "ams_live_"+strings.Repeat("y", 49)
	for range 25 { // good keys are not counted
		if a := from("203.0.113.7", good); a.status != http.StatusSeeOther {
			t.Fatalf("%d %s", a.status, a.body)
		}
	}
	e.setAway(true)
	for range 25 { // nor is what could not be confirmed
		if a := from("203.0.113.7", wrong); a.status != 503 {
			t.Fatalf("%d", a.status)
		}
	}
	e.setAway(false)
	for i := range 20 {
		if a := from("203.0.113.7", wrong); a.status != 401 {
			t.Fatalf("attempt %d: %d", i, a.status)
		}
	}
	before := e.checks
	for _, key := range []string{wrong, good} {
		a := from("203.0.113.7", key)
		if a.status != 429 || a.header.Get("Retry-After") == "" || !strings.Contains(a.body, "Too many attempts") || !strings.Contains(a.body, "seconds") {
			t.Errorf("%d %v %s", a.status, a.header, a.body)
		}
	}
	if e.checks != before {
		t.Error("a key was looked at")
	}
	if a := from("203.0.113.8", good); a.status != http.StatusSeeOther {
		t.Errorf("a neighbour: %d", a.status)
	}
	for i := range 20 {
		if a := from("2001:db8::"+string(rune('1'+i%9)), wrong); a.status != 401 {
			t.Fatalf("attempt %d: %d", i, a.status)
		}
	}
	if a := from("2001:db8::ffff", good); a.status != 429 {
		t.Errorf("another address of the same subscriber: %d", a.status)
	}
	e.exec("UPDATE attempt SET last_at = last_at - interval '61 minutes'")
	if a := from("203.0.113.7", good); a.status != http.StatusSeeOther {
		t.Errorf("an hour later: %d", a.status)
	}
}
