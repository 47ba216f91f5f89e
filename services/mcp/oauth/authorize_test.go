package oauth

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// A wrong client or address gets a page and never a redirect: nobody knows whom that would reach.
func TestAWrongClientOrAddressIsAPageAndNeverARedirect(t *testing.T) {
	f := newAuthFixture(t)
	app := f.register(loopbackBack)
	forged := encodedClient{"Claude", []string{"https://evil.example.com/callback", loopbackBack}}.id()
	for name, test := range map[string]struct {
		change func(q url.Values)
		says   string
	}{
		"no client":                {func(q url.Values) { q.Del("client_id") }, "does not say which assistant"},
		"an unknown client":        {func(q url.Values) { q.Set("client_id", "claude") }, "We do not know the assistant"},
		"a client that is none":    {func(q url.Values) { q.Set("client_id", "ams_client_AAAA") }, "We do not know the assistant"},
		"a client that is cut off": {func(q url.Values) { q.Set("client_id", app.id[:len(app.id)-5]) }, "We do not know the assistant"},
		"a client that is very long": {func(q url.Values) { q.Set("client_id", app.id+strings.Repeat("A", 4000)) },
			"We do not know the assistant"},
		"a client over plain http": {func(q url.Values) { q.Set("client_id", "http://assistant.example.ca/client.json") },
			"We do not know the assistant"},
		"a client twice":       {func(q url.Values) { q.Add("client_id", app.id) }, "says something twice"},
		"no address":           {func(q url.Values) { q.Del("redirect_uri") }, "does not say where"},
		"an address twice":     {func(q url.Values) { q.Add("redirect_uri", loopbackBack) }, "says something twice"},
		"an address of nobody": {func(q url.Values) { q.Set("redirect_uri", "http://127.0.0.1:7777/other") }, "has not named as its own"},
		"an address of somebody else": {func(q url.Values) { q.Set("redirect_uri", "https://evil.example.com/callback") },
			"has not named as its own"},
		"an address with more":        {func(q url.Values) { q.Set("redirect_uri", loopbackBack+"?x=1") }, "has not named as its own"},
		"an address that is a script": {func(q url.Values) { q.Set("redirect_uri", "javascript:alert(1)") }, "has not named as its own"},
		"a client that allows itself more": {func(q url.Values) {
			q.Set("client_id", forged)
			q.Set("redirect_uri", "https://evil.example.com/callback")
		}, "may not be sent to this address"},
		"a link that is very long": {func(q url.Values) { q.Set("state", strings.Repeat("x", 13<<10)) }, "cannot be read"},
		"a wrong client and other mistakes": {func(q url.Values) { q.Set("client_id", "claude"); q.Del("response_type") },
			"We do not know the assistant"},
		"a wrong address and other mistakes": {func(q url.Values) {
			q.Set("redirect_uri", "https://evil.example.com/")
			q.Del("code_challenge")
		}, "has not named as its own"},
	} {
		t.Run(name, func(t *testing.T) {
			query := app.query()
			test.change(query)
			resp := f.newBrowser().get(authorizePath + "?" + query.Encode())
			if resp.status != http.StatusBadRequest || resp.header.Get("Location") != "" || !strings.Contains(resp.body, test.says) ||
				strings.Contains(resp.body, "evil.example.com") || strings.Contains(resp.body, "<form") {
				t.Errorf("%d %q %s", resp.status, resp.header.Get("Location"), resp.body)
			}
		})
	}
	if resp := f.newBrowser().get(authorizePath + "?client_id=%zz"); resp.status != http.StatusBadRequest ||
		!strings.Contains(resp.body, "cannot be read") {
		t.Errorf("%d %s", resp.status, resp.body)
	}
}

// Every other mistake is sent to the assistant, with its state and the issuer.
func TestOtherMistakesAreToldToTheAssistant(t *testing.T) {
	f := newAuthFixture(t)
	app := f.register(loopbackBack)
	set := func(name, value string) func(url.Values) { return func(q url.Values) { q.Set(name, value) } }
	del := func(name string) func(url.Values) { return func(q url.Values) { q.Del(name) } }
	twice := func(name string) func(url.Values) { return func(q url.Values) { q.Add(name, q.Get(name)) } }
	for name, test := range map[string]struct {
		change func(q url.Values)
		code   string
	}{
		"no response type":                {del("response_type"), "invalid_request"},
		"another response type":           {set("response_type", "token"), "unsupported_response_type"},
		"a code and a token":              {set("response_type", "code token"), "unsupported_response_type"},
		"a response type twice":           {twice("response_type"), "invalid_request"},
		"another response mode":           {set("response_mode", "fragment"), "invalid_request"},
		"no challenge":                    {del("code_challenge"), "invalid_request"},
		"a challenge twice":               {twice("code_challenge"), "invalid_request"},
		"a challenge that is none":        {set("code_challenge", "short"), "invalid_request"},
		"a challenge with other letters":  {set("code_challenge", strings.Repeat("+", 43)), "invalid_request"},
		"no challenge method, so plain":   {del("code_challenge_method"), "invalid_request"},
		"the challenge method plain":      {set("code_challenge_method", "plain"), "invalid_request"},
		"another spelling of S256":        {set("code_challenge_method", "s256"), "invalid_request"},
		"another resource":                {set("resource", "https://other.example.ca/mcp"), "invalid_target"},
		"the resource with a slash":       {set("resource", f.url+"/mcp/"), "invalid_target"},
		"the issuer as resource":          {set("resource", f.url), "invalid_target"},
		"two resources":                   {func(q url.Values) { q.Add("resource", "https://other.example.ca/mcp") }, "invalid_request"},
		"a scope twice":                   {func(q url.Values) { q.Add("scope", "a"); q.Add("scope", "b") }, "invalid_request"},
		"a request object":                {set("request", "eyJ"), "request_not_supported"},
		"the address of a request object": {set("request_uri", "https://claude.ai/r"), "request_uri_not_supported"},
	} {
		t.Run(name, func(t *testing.T) {
			query := app.query()
			test.change(query)
			resp := f.newBrowser().get(authorizePath + "?" + query.Encode())
			redirected := redirectQuery(t, resp)
			if redirected.Get("error") != test.code || redirected.Get("error_description") == "" || redirected.Get("state") != "a state & more" ||
				redirected.Get("iss") != f.url || redirected.Has("code") ||
				!strings.HasPrefix(resp.header.Get("Location"), loopbackBack+"?") {
				t.Errorf("%s", resp.header.Get("Location"))
			}
		})
	}
	query := app.query()
	query.Add("state", "another")
	if redirected := redirectQuery(t, f.newBrowser().get(authorizePath+"?"+query.Encode())); redirected.Get("error") != "invalid_request" ||
		redirected.Has("state") {
		t.Errorf("a state twice: %v", redirected)
	}
	query = app.query()
	query.Del("state")
	query.Set("response_type", "token")
	if redirected := redirectQuery(t, f.newBrowser().get(authorizePath+"?"+query.Encode())); redirected.Has("state") ||
		redirected.Get("iss") != f.url {
		t.Errorf("without a state: %v", redirected)
	}
}

func TestWhatIsNotAskedForIsNotHeldAgainstAnybody(t *testing.T) {
	f := newAuthFixture(t)
	app := f.register(loopbackBack)
	for name, change := range map[string]func(q url.Values){
		"no resource":             func(q url.Values) { q.Del("resource") },
		"no state":                func(q url.Values) { q.Del("state") },
		"scopes":                  func(q url.Values) { q.Set("scope", "openid offline_access") },
		"a prompt":                func(q url.Values) { q.Set("prompt", "consent") },
		"something new, twice":    func(q url.Values) { q["x_new"] = []string{"1", "2"} },
		"the mode query":          func(q url.Values) { q.Set("response_mode", "query") },
		"an empty resource":       func(q url.Values) { q.Set("resource", "") },
		"another port":            func(q url.Values) { q.Set("redirect_uri", "http://127.0.0.1:52163/callback") },
		"no port":                 func(q url.Values) { q.Set("redirect_uri", "http://127.0.0.1/callback") },
		"a language of the links": func(q url.Values) { q.Set("ui_locales", "fr-CA en") },
	} {
		t.Run(name, func(t *testing.T) {
			query := app.query()
			change(query)
			if resp := f.newBrowser().get(authorizePath + "?" + query.Encode()); resp.status != 200 || !transactionPattern.MatchString(resp.body) {
				t.Errorf("%d %s %.300s", resp.status, resp.header.Get("Location"), resp.body)
			}
		})
	}
}

func TestWhereAccessMayGo(t *testing.T) {
	rules := newRedirectRules([]string{"claude.ai/api/mcp/auth_callback", "Chat.Example.ca:443/Back", "assistant.example.ca:8443/callback",
		"chatgpt.com/connector/oauth/*"})
	for raw, host := range map[string]string{
		"https://claude.ai/api/mcp/auth_callback":      "claude.ai",
		"https://claude.ai:443/api/mcp/auth_callback":  "claude.ai",
		"https://chat.example.ca/Back":                 "chat.example.ca",
		"https://chatgpt.com/connector/oauth/OUbdUMlL": "chatgpt.com",
		"https://assistant.example.ca:8443/callback":   "assistant.example.ca:8443",
		"http://127.0.0.1:1234/callback":               "127.0.0.1",
		"http://127.0.0.1/callback":                    "127.0.0.1",
		"http://[::1]:1234/callback":                   "::1",
		"http://localhost:1234/oauth/callback":         "localhost",
		"http://localhost":                             "localhost",
		"cursor://anysphere.cursor-mcp/oauth/callback": "Cursor",

		"":                                       "",
		"claude.ai":                              "",
		"https://claude.ai/":                     "",
		"https://claude.ai/share/somebodys-page": "",
		"https://claude.ai/api/mcp/auth_callback/":          "",
		"https://claude.ai/api/mcp/auth_callback/more":      "",
		"https://claude.ai/api/mcp/auth_callback?to=evil":   "",
		"https://claude.ai/api/mcp/auth%5Fcallback":         "",
		"https://chat.example.ca/back":                      "",
		"https://chatgpt.com/connector/oauth/":              "",
		"https://chatgpt.com/connector/oauth/a/b":           "",
		"https://chatgpt.com/connector/oauth":               "",
		"https://claude.ai.evil.example.com/":               "",
		"https://evil.example.com/claude.ai":                "",
		"https://sub.claude.ai/":                            "",
		"https://claude.ai:8443/":                           "",
		"https://assistant.example.ca/callback":             "",
		"http://claude.ai/api":                              "",
		"https://claude.ai@evil.example.com/":               "",
		"https://user@claude.ai/":                           "",
		"https://claude.ai/#x":                              "",
		"https://claude.ai/x y":                             "",
		"https://claude.ai\\@evil.example.com/":             "",
		"https://claude.ai/../x":                            "",
		"https://CLAUDE.AI/":                                "",
		"HTTPS://claude.ai/":                                "",
		"https://claude.ai:/":                               "",
		"https://claude.ai/a|b":                             "",
		"http://127.0.0.1:0/":                               "",
		"http://127.0.0.1:99999/":                           "",
		"https://claude.ai/é":                               "",
		"https://localhost/callback":                        "",
		"https://127.0.0.1/callback":                        "",
		"http://127.0.0.1.evil.example.com/":                "",
		"http://localhost.evil.example.com/":                "",
		"http://0.0.0.0:80/":                                "",
		"http://10.0.0.1/":                                  "",
		"cursor://anysphere.cursor-mcp/oauth/callback?x=1":  "",
		"cursor://anysphere.cursor-mcp/oauth/callback/":     "",
		"cursor://evil/oauth/callback":                      "",
		"Cursor://anysphere.cursor-mcp/oauth/callback":      "",
		"vscode://anysphere.cursor-mcp/oauth/callback":      "",
		"javascript:alert(1)":                               "",
		"data:text/html,x":                                  "",
		"https://":                                          "",
		"//claude.ai/":                                      "",
		"https://claude.ai/" + strings.Repeat("x", 1000):    "",
		"http://127.0.0.1:1234/\r\nLocation: https://evil/": "",
	} {
		if got, allowed := rules.allow(raw); got != host && allowed || allowed != (host != "") {
			t.Errorf("%q: %q %v", raw, got, allowed)
		}
	}
	for _, test := range []struct {
		given, raw string
		fits       bool
	}{
		{"http://127.0.0.1/callback", "http://127.0.0.1:52163/callback", true},
		{"http://127.0.0.1:1/callback", "http://127.0.0.1:2/callback", true},
		{"http://[::1]/callback", "http://[::1]:2/callback", true},
		{"http://localhost/callback", "http://localhost:2/callback", true},
		{"http://localhost/callback", "http://127.0.0.1:2/callback", false},
		{"http://127.0.0.1/callback", "http://127.0.0.1:2/callback/", false},
		{"http://127.0.0.1/callback?a=1", "http://127.0.0.1:2/callback?a=2", false},
		{"https://claude.ai/callback", "https://claude.ai:444/callback", false},
		{"https://claude.ai/callback", "https://claude.ai/callback", true},
		{"https://claude.ai/callback", "https://claude.ai/callback?x", false},
		{"https://claude.ai/callback", "https://claude.ai/callback/", false},
		{"https://claude.ai/callback", "https://claude.ai/callback/more", false},
		{"https://claude.ai/callback?a=1", "https://claude.ai/callback?a=2", false},
		{"http://127.0.0.1/callback", "http://127.0.0.1:7/callback?a=1", false},
		{"http://127.0.0.1/callback", "http://127.0.0.1:7/callback?", false},
		{"http://127.0.0.1/callback", "http://127.0.0.1:7/Callback", false},
		{"http://127.0.0.1/callback", "http://127.0.0.1:7/%63allback", false},
		{"http://127.0.0.1/callback?a=1", "http://127.0.0.1:7/callback?a=1", true},
		{"http://127.0.0.1/callback", "HTTP://127.0.0.1:7/callback", false},
		{"http://127.0.0.1/call|back", "http://127.0.0.1:7/call%7Cback", false},
		{"http://127.0.0.1/callback", "http://127.0.0.1:/callback", false},
		{"http://127.0.0.1/callback", "http://127.0.0.1:0/callback", false},
		{"http://127.0.0.1/callback", "http://127.0.0.1:99999/callback", false},
		{"http://[::1]/callback", "http://[::1]:/callback", false},
		{"http://[::1]/callback", "http://[::1]:7/callback", true},
		{cursorCallback, cursorCallback, true},
		{cursorCallback, cursorCallback + "/", false},
	} {
		if matchesAny([]string{"https://first.example.ca/", test.given}, test.raw) != test.fits {
			t.Errorf("%s for %s", test.raw, test.given)
		}
	}
	if got := withQuery("https://claude.ai/callback?keep=1",
		url.Values{"code": {"a b"}}); got != "https://claude.ai/callback?keep=1&code=a+b" {
		t.Error(got)
	}
}
