package main

import (
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestTheWholeWayOfAConnector(t *testing.T) {
	e := newEntrance(t)
	key := e.key(town)
	app := e.register("https://claude.ai/api/mcp/auth_callback")
	a := e.person().form(tokenPath, app.redemption(app.code(key)))
	first := a.json(t)
	if a.status != 200 || first["token_type"] != "Bearer" || first["expires_in"] != 86400.0 || first["scope"] != "mcp" || a.header.Get("Cache-Control") != "no-store" ||
		!strings.HasPrefix(first["access_token"].(string), "ams_access_") || !strings.HasPrefix(first["refresh_token"].(string), "ams_refresh_") {
		t.Fatalf("%d %s %v", a.status, a.body, a.header)
	}
	if a := e.mcp(first["access_token"].(string)); a.status != 200 {
		t.Errorf("%d %s", a.status, a.body)
	}
	second := e.tokensFrom(app.refreshing(first["refresh_token"].(string)))
	if second.RefreshToken == first["refresh_token"] || second.AccessToken == first["access_token"] {
		t.Error("the tokens are the same")
	}
	for _, token := range []string{first["access_token"].(string), second.AccessToken} {
		if a := e.mcp(token); a.status != 200 {
			t.Errorf("%d %s", a.status, a.body)
		}
	}
	if a := e.person().form(revokePath, url.Values{"token": {second.RefreshToken}, "client_id": {app.id}, "token_type_hint": {"refresh_token"}}); a.status != 200 {
		t.Errorf("%d %s", a.status, a.body)
	}
	for _, token := range []string{first["access_token"].(string), second.AccessToken} {
		if a := e.mcp(token); a.status != 401 {
			t.Errorf("after its end: %d %s", a.status, a.body)
		}
	}
	e.person().form(tokenPath, app.refreshing(second.RefreshToken)).refusedWith(t, 400, "invalid_grant")
}

func TestWhatTheTokenEndpointRefuses(t *testing.T) {
	e := newEntrance(t)
	key := e.key(town)
	app, other := e.register(loopbackBack), e.register("http://127.0.0.1:7777/other")
	_, given := e.connected(key)
	set := func(name, value string) func(url.Values) { return func(q url.Values) { q.Set(name, value) } }
	del := func(name string) func(url.Values) { return func(q url.Values) { q.Del(name) } }
	for name, test := range map[string]struct {
		change func(q url.Values)
		code   string
	}{
		"no grant type":                   {del("grant_type"), "invalid_request"},
		"another grant type":              {set("grant_type", "client_credentials"), "unsupported_grant_type"},
		"a password":                      {set("grant_type", "password"), "unsupported_grant_type"},
		"a grant type twice":              {func(q url.Values) { q.Add("grant_type", "authorization_code") }, "invalid_request"},
		"no code":                         {del("code"), "invalid_request"},
		"a code twice":                    {func(q url.Values) { q.Add("code", q.Get("code")) }, "invalid_request"},
		"no client":                       {del("client_id"), "invalid_request"},
		"no address":                      {del("redirect_uri"), "invalid_request"},
		"no verifier":                     {del("code_verifier"), "invalid_request"},
		"a short verifier":                {set("code_verifier", "short"), "invalid_request"},
		"a verifier with other letters":   {set("code_verifier", strings.Repeat("é", 43)), "invalid_request"},
		"another verifier":                {set("code_verifier", strings.Repeat("v", 43)), "invalid_grant"},
		"the challenge itself":            {func(q url.Values) { q.Set("code_verifier", app.query().Get("code_challenge")) }, "invalid_grant"},
		"another client":                  {set("client_id", other.id), "invalid_grant"},
		"another address":                 {set("redirect_uri", "http://127.0.0.1:7777/other"), "invalid_grant"},
		"another port than was asked for": {set("redirect_uri", "http://127.0.0.1:7778/callback"), "invalid_grant"},
		"another resource":                {set("resource", "https://other.example.ca/mcp"), "invalid_target"},
		"two resources":                   {func(q url.Values) { q.Add("resource", "https://other.example.ca/mcp") }, "invalid_request"},
		"a code that is none":             {set("code", "nonsense"), "invalid_grant"},
		"a made-up code":                  {set("code", "ams_code_"+strings.Repeat("A", 200)), "invalid_grant"},
		"an access token as code":         {set("code", strings.Replace(given.AccessToken, "access", "code", 1)), "invalid_grant"},
		"a secret":                        {set("client_secret", "s3cret"), "invalid_client"},
		"an assertion":                    {set("client_assertion", "eyJ"), "invalid_client"},
	} {
		t.Run(name, func(t *testing.T) {
			values := app.redemption(app.code(key))
			test.change(values)
			e.person().form(tokenPath, values).refusedWith(t, 400, test.code)
		})
	}
	values := app.redemption(app.code(key))
	p := e.person()
	a := p.form(tokenPath, values, "Authorization", "Basic YTpi")
	a.refusedWith(t, 401, "invalid_client")
	if !strings.HasPrefix(a.header.Get("WWW-Authenticate"), "Basic") {
		t.Errorf("%v", a.header)
	}
	p.form(tokenPath+"?code="+values.Get("code"), values).refusedWith(t, 400, "invalid_request")
	p.send(http.MethodPost, tokenPath, "application/json", `{"grant_type":"authorization_code"}`).refusedWith(t, 400, "invalid_request")
	p.send(http.MethodPost, tokenPath, "application/x-www-form-urlencoded", "x="+strings.Repeat("x", 20<<10)).refusedWith(t, 400, "invalid_request")
	p.send(http.MethodPost, tokenPath, "application/x-www-form-urlencoded", "%zz").refusedWith(t, 400, "invalid_request")
	if a := p.get(tokenPath); a.status != 405 || a.header.Get("Allow") != "POST" {
		t.Errorf("%d %v", a.status, a.header)
	}
	if given := e.tokensFrom(values); given.AccessToken == "" { // none of it has used the code up
		t.Error("the code is gone")
	}
	without := app.redemption(app.code(key))
	without.Del("resource")
	e.tokensFrom(without)
}

func TestACodeIsTakenOnceAndASecondTimeEndsTheGrant(t *testing.T) {
	e := newEntrance(t)
	app := e.register(loopbackBack)
	values := app.redemption(app.code(e.key(town)))
	given := e.tokensFrom(values)
	if a := e.mcp(given.AccessToken); a.status != 200 {
		t.Fatalf("%d %s", a.status, a.body)
	}
	guess := app.redemption(values.Get("code")[:len(values.Get("code"))-4] + "AAAA")
	e.person().form(tokenPath, guess).refusedWith(t, 400, "invalid_grant")
	if a := e.mcp(given.AccessToken); a.status != 200 {
		t.Errorf("who guesses at a code ends a grant: %d", a.status)
	}
	e.person().form(tokenPath, values).refusedWith(t, 400, "invalid_grant")
	if a := e.mcp(given.AccessToken); a.status != 401 {
		t.Errorf("the access token still works: %d", a.status)
	}
	e.person().form(tokenPath, app.refreshing(given.RefreshToken)).refusedWith(t, 400, "invalid_grant")
	if reason := e.endReason(given); reason != "code_replayed" {
		t.Errorf("it ended for %s", reason)
	}
}

// endReason is why the grant of a token ended.
func (e *entrance) endReason(given tokens) (reason string) {
	e.t.Helper()
	sealed, _ := address(kindAccess, given.AccessToken)
	if err := e.owner.QueryRow(e.t.Context(), "SELECT coalesce(end_reason, '') FROM mcp_grant WHERE id = $1", sealed.of.id.String()).Scan(&reason); err != nil {
		e.t.Fatal(err)
	}
	return reason
}

func TestOfManyWhoBringACodeAtOnceOneIsServedAndThenNobody(t *testing.T) {
	e := newEntrance(t)
	app := e.register(loopbackBack)
	values := app.redemption(app.code(e.key(town)))
	var mu sync.Mutex
	var served []string
	var all sync.WaitGroup
	for range 12 {
		p := e.person()
		all.Go(func() {
			if a := p.form(tokenPath, values); a.status == 200 {
				mu.Lock()
				defer mu.Unlock()
				served = append(served, a.json(t)["access_token"].(string))
			}
		})
	}
	all.Wait()
	if len(served) > 1 {
		t.Errorf("%d were served", len(served))
	}
	for _, token := range served {
		if a := e.mcp(token); a.status != 401 {
			t.Errorf("the code was in many hands, and its token works: %d", a.status)
		}
	}
}

func TestACodeIsGoodForAMinute(t *testing.T) {
	if codeLife != time.Minute {
		t.Errorf("a code is good for %s", codeLife)
	}
	e := newEntrance(t)
	app := e.register(loopbackBack)
	key := e.key(town)
	code := app.code(key)
	sealed, _ := address(kindCode, code)
	g, err := e.door.findGrant(t.Context(), sealed.of)
	if err != nil {
		t.Fatal(err)
	}
	var content codeContent
	if !e.door.sealer.open(sealed, g.salt, &content) || time.Until(time.Unix(content.Expires, 0)) > time.Minute {
		t.Fatalf("%+v", content)
	}
	content.Expires = time.Now().Unix()
	e.person().form(tokenPath, app.redemption(e.door.sealer.seal(kindCode, sealed.of, g.salt, content))).refusedWith(t, 400, "invalid_grant")
	e.tokensFrom(app.redemption(code))
}

func TestTheKeyIsConfirmedWhenACodeIsRedeemed(t *testing.T) {
	e := newEntrance(t)
	app := e.register(loopbackBack)
	key := e.key(town)
	values := app.redemption(app.code(key))
	e.setAway(true)
	a := e.person().form(tokenPath, values)
	a.refusedWith(t, 503, "temporarily_unavailable")
	if a.header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	e.setAway(false)
	e.turn(key, "key_inactive")
	e.person().form(tokenPath, values).refusedWith(t, 400, "invalid_grant")
	e.turn(key, "")
	e.tokensFrom(values) // neither has used it up
	values = app.redemption(app.code(key))
	e.turn(key, "key_revoked")
	e.person().form(tokenPath, values).refusedWith(t, 400, "invalid_grant")
	e.turn(key, "")
	e.person().form(tokenPath, values).refusedWith(t, 400, "invalid_grant")
}

func TestWhatTheRevocationEndpointRefuses(t *testing.T) {
	e := newEntrance(t)
	key := e.key(town)
	app, given := e.connected(key)
	p := e.person()
	for name, test := range map[string]struct {
		values url.Values
		status int
		code   string
	}{
		"no token":            {url.Values{}, 400, "invalid_request"},
		"a token twice":       {url.Values{"token": {given.AccessToken, given.AccessToken}}, 400, "invalid_request"},
		"an API key":          {url.Values{"token": {key}}, 400, "unsupported_token_type"},
		"of another client":   {url.Values{"token": {given.AccessToken}, "client_id": {"ams_client_other"}}, 400, "invalid_client"},
		"nobody's":            {url.Values{"token": {"nonsense"}}, 200, ""},
		"made up":             {url.Values{"token": {"ams_refresh_" + strings.Repeat("A", 200)}}, 200, ""},
		"a code of long ago":  {url.Values{"token": {"ams_code_" + strings.Repeat("A", 200)}}, 200, ""},
		"an altered token":    {url.Values{"token": {given.AccessToken[:len(given.AccessToken)-3] + "AAA"}}, 200, ""},
		"an unknown hint too": {url.Values{"token": {"nonsense"}, "token_type_hint": {"cookie"}}, 200, ""},
	} {
		t.Run(name, func(t *testing.T) {
			a := p.form(revokePath, test.values)
			if test.status == 200 && a.status != 200 {
				t.Errorf("%d %s", a.status, a.body)
			} else if test.status != 200 {
				a.refusedWith(t, test.status, test.code)
			}
		})
	}
	if a := e.mcp(given.AccessToken); a.status != 200 {
		t.Errorf("something of that ended the connection: %d", a.status)
	}
	if a := p.form(revokePath, url.Values{"token": {given.AccessToken}}); a.status != 200 { // a client without a secret need not name itself
		t.Errorf("%d %s", a.status, a.body)
	}
	if a := p.form(revokePath, url.Values{"token": {given.AccessToken}, "client_id": {app.id}}); a.status != 200 {
		t.Errorf("a second time: %d %s", a.status, a.body)
	}
	if a := e.mcp(given.AccessToken); a.status != 401 || e.endReason(given) != "revoked_by_assistant" {
		t.Errorf("%d, ended for %s", a.status, e.endReason(given))
	}
}
