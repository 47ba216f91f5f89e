package oauth

import (
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestTheWholeWayOfAConnector(t *testing.T) {
	f := newAuthFixture(t)
	key := f.newKey(orgID)
	app := f.register("https://claude.ai/api/mcp/auth_callback")
	resp := f.newBrowser().form(tokenPath, app.codeRequest(app.code(key)))
	first := resp.json(t)
	if resp.status != 200 || first["token_type"] != "Bearer" || first["expires_in"] != 86400.0 || first["scope"] != "mcp" ||
		resp.header.Get("Cache-Control") != "no-store" ||
		!strings.HasPrefix(first["access_token"].(string), "ams_access_") || !strings.HasPrefix(first["refresh_token"].(string), "ams_refresh_") {
		t.Fatalf("%d %s %v", resp.status, resp.body, resp.header)
	}
	if resp := f.mcp(first["access_token"].(string)); resp.status != 200 {
		t.Errorf("%d %s", resp.status, resp.body)
	}
	second := f.requestTokens(app.refreshRequest(first["refresh_token"].(string)))
	if second.RefreshToken == first["refresh_token"] || second.AccessToken == first["access_token"] {
		t.Error("the tokens are the same")
	}
	for _, token := range []string{first["access_token"].(string), second.AccessToken} {
		if resp := f.mcp(token); resp.status != 200 {
			t.Errorf("%d %s", resp.status, resp.body)
		}
	}
	if resp := f.newBrowser().form(revokePath, url.Values{"token": {second.RefreshToken}, "client_id": {app.id},
		"token_type_hint": {"refresh_token"}}); resp.status != 200 {
		t.Errorf("%d %s", resp.status, resp.body)
	}
	for _, token := range []string{first["access_token"].(string), second.AccessToken} {
		if resp := f.mcp(token); resp.status != 401 {
			t.Errorf("after its end: %d %s", resp.status, resp.body)
		}
	}
	f.newBrowser().form(tokenPath, app.refreshRequest(second.RefreshToken)).checkOAuthError(t, 400, "invalid_grant")
}

func TestWhatTheTokenEndpointRefuses(t *testing.T) {
	f := newAuthFixture(t)
	key := f.newKey(orgID)
	app, other := f.register(loopbackBack), f.register("http://127.0.0.1:7777/other")
	_, issued := f.connectApp(key)
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
		"an access token as code":         {set("code", strings.Replace(issued.AccessToken, "access", "code", 1)), "invalid_grant"},
		"a secret":                        {set("client_secret", "s3cret"), "invalid_client"},
		"an assertion":                    {set("client_assertion", "eyJ"), "invalid_client"},
	} {
		t.Run(name, func(t *testing.T) {
			values := app.codeRequest(app.code(key))
			test.change(values)
			f.newBrowser().form(tokenPath, values).checkOAuthError(t, 400, test.code)
		})
	}
	values := app.codeRequest(app.code(key))
	p := f.newBrowser()
	resp := p.form(tokenPath, values, "Authorization", "Basic YTpi")
	resp.checkOAuthError(t, 401, "invalid_client")
	if !strings.HasPrefix(resp.header.Get("WWW-Authenticate"), "Basic") {
		t.Errorf("%v", resp.header)
	}
	p.form(tokenPath+"?code="+values.Get("code"), values).checkOAuthError(t, 400, "invalid_request")
	p.send(http.MethodPost, tokenPath, "application/json", `{"grant_type":"authorization_code"}`).checkOAuthError(t, 400, "invalid_request")
	p.send(http.MethodPost, tokenPath, "application/x-www-form-urlencoded", "x="+strings.Repeat("x", 20<<10)).checkOAuthError(t, 400,
		"invalid_request")
	p.send(http.MethodPost, tokenPath, "application/x-www-form-urlencoded", "%zz").checkOAuthError(t, 400, "invalid_request")
	if resp := p.get(tokenPath); resp.status != 405 || resp.header.Get("Allow") != "POST" {
		t.Errorf("%d %v", resp.status, resp.header)
	}
	if issued := f.requestTokens(values); issued.AccessToken == "" { // none of them has redeemed the code
		t.Error("the code is gone")
	}
	without := app.codeRequest(app.code(key))
	without.Del("resource")
	f.requestTokens(without)
}

func TestACodeIsTakenOnceAndASecondTimeEndsTheGrant(t *testing.T) {
	f := newAuthFixture(t)
	app := f.register(loopbackBack)
	values := app.codeRequest(app.code(f.newKey(orgID)))
	issued := f.requestTokens(values)
	if resp := f.mcp(issued.AccessToken); resp.status != 200 {
		t.Fatalf("%d %s", resp.status, resp.body)
	}
	guess := app.codeRequest(values.Get("code")[:len(values.Get("code"))-4] + "AAAA")
	f.newBrowser().form(tokenPath, guess).checkOAuthError(t, 400, "invalid_grant")
	if resp := f.mcp(issued.AccessToken); resp.status != 200 {
		t.Errorf("who guesses at a code ends a grant: %d", resp.status)
	}
	f.newBrowser().form(tokenPath, values).checkOAuthError(t, 400, "invalid_grant")
	if resp := f.mcp(issued.AccessToken); resp.status != 401 {
		t.Errorf("the access token still works: %d", resp.status)
	}
	f.newBrowser().form(tokenPath, app.refreshRequest(issued.RefreshToken)).checkOAuthError(t, 400, "invalid_grant")
	if reason := f.endReason(issued); reason != "code_replayed" {
		t.Errorf("it ended for %s", reason)
	}
}

// endReason is the reason why the grant of a token ended.
func (f *authFixture) endReason(issued tokenResponse) (reason string) {
	f.t.Helper()
	sealed, _ := parseEnvelope(kindAccess, issued.AccessToken)
	if err := f.owner.QueryRow(f.t.Context(), "SELECT coalesce(end_reason, '') FROM mcp_grant WHERE id = $1",
		sealed.grant.id.String()).Scan(&reason); err != nil {
		f.t.Fatal(err)
	}
	return reason
}

func TestOfManyWhoBringACodeAtOnceOneIsServedAndThenNobody(t *testing.T) {
	f := newAuthFixture(t)
	app := f.register(loopbackBack)
	values := app.codeRequest(app.code(f.newKey(orgID)))
	var mu sync.Mutex
	var served []string
	var all sync.WaitGroup
	for range 12 {
		p := f.newBrowser()
		all.Go(func() {
			if resp := p.form(tokenPath, values); resp.status == 200 {
				mu.Lock()
				defer mu.Unlock()
				served = append(served, resp.json(t)["access_token"].(string))
			}
		})
	}
	all.Wait()
	if len(served) > 1 {
		t.Errorf("%d were served", len(served))
	}
	for _, token := range served {
		if resp := f.mcp(token); resp.status != 401 {
			t.Errorf("the code was in many hands, and its token works: %d", resp.status)
		}
	}
}

func TestACodeIsGoodForAMinute(t *testing.T) {
	if codeLifetime != time.Minute {
		t.Errorf("a code is good for %s", codeLifetime)
	}
	f := newAuthFixture(t)
	app := f.register(loopbackBack)
	key := f.newKey(orgID)
	code := app.code(key)
	sealed, _ := parseEnvelope(kindCode, code)
	g, err := f.authorizer.findGrant(t.Context(), sealed.grant)
	if err != nil {
		t.Fatal(err)
	}
	var content codeContent
	if !f.authorizer.sealer.open(sealed, g.salt, &content) || time.Until(time.Unix(content.Expires, 0)) > time.Minute {
		t.Fatalf("%+v", content)
	}
	content.Expires = time.Now().Unix()
	f.newBrowser().form(tokenPath, app.codeRequest(f.authorizer.sealer.seal(kindCode, sealed.grant, g.salt, content))).checkOAuthError(t, 400,
		"invalid_grant")
	f.requestTokens(app.codeRequest(code))
}

func TestTheKeyIsConfirmedWhenACodeIsRedeemed(t *testing.T) {
	f := newAuthFixture(t)
	app := f.register(loopbackBack)
	key := f.newKey(orgID)
	values := app.codeRequest(app.code(key))
	f.setGatewayDown(true)
	resp := f.newBrowser().form(tokenPath, values)
	resp.checkOAuthError(t, 503, "temporarily_unavailable")
	if resp.header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	f.setGatewayDown(false)
	f.setKeyRefusal(key, "key_inactive")
	f.newBrowser().form(tokenPath, values).checkOAuthError(t, 400, "invalid_grant")
	f.setKeyRefusal(key, "")
	f.requestTokens(values) // neither has redeemed it
	values = app.codeRequest(app.code(key))
	f.setKeyRefusal(key, "key_revoked")
	f.newBrowser().form(tokenPath, values).checkOAuthError(t, 400, "invalid_grant")
	f.setKeyRefusal(key, "")
	f.newBrowser().form(tokenPath, values).checkOAuthError(t, 400, "invalid_grant")
}

func TestWhatTheRevocationEndpointRefuses(t *testing.T) {
	f := newAuthFixture(t)
	key := f.newKey(orgID)
	app, issued := f.connectApp(key)
	p := f.newBrowser()
	for name, test := range map[string]struct {
		values url.Values
		status int
		code   string
	}{
		"no token":            {url.Values{}, 400, "invalid_request"},
		"a token twice":       {url.Values{"token": {issued.AccessToken, issued.AccessToken}}, 400, "invalid_request"},
		"an API key":          {url.Values{"token": {key}}, 400, "unsupported_token_type"},
		"of another client":   {url.Values{"token": {issued.AccessToken}, "client_id": {"ams_client_other"}}, 400, "invalid_client"},
		"nobody's":            {url.Values{"token": {"nonsense"}}, 200, ""},
		"made up":             {url.Values{"token": {"ams_refresh_" + strings.Repeat("A", 200)}}, 200, ""},
		"a code of long ago":  {url.Values{"token": {"ams_code_" + strings.Repeat("A", 200)}}, 200, ""},
		"an altered token":    {url.Values{"token": {issued.AccessToken[:len(issued.AccessToken)-3] + "AAA"}}, 200, ""},
		"an unknown hint too": {url.Values{"token": {"nonsense"}, "token_type_hint": {"cookie"}}, 200, ""},
	} {
		t.Run(name, func(t *testing.T) {
			resp := p.form(revokePath, test.values)
			if test.status == 200 && resp.status != 200 {
				t.Errorf("%d %s", resp.status, resp.body)
			} else if test.status != 200 {
				resp.checkOAuthError(t, test.status, test.code)
			}
		})
	}
	if resp := f.mcp(issued.AccessToken); resp.status != 200 {
		t.Errorf("something of that ended the connection: %d", resp.status)
	}
	if resp := p.form(revokePath, url.Values{"token": {issued.AccessToken}}); resp.status != 200 { // the client id is optional
		t.Errorf("%d %s", resp.status, resp.body)
	}
	if resp := p.form(revokePath, url.Values{"token": {issued.AccessToken}, "client_id": {app.id}}); resp.status != 200 {
		t.Errorf("a second time: %d %s", resp.status, resp.body)
	}
	if resp := f.mcp(issued.AccessToken); resp.status != 401 || f.endReason(issued) != "revoked_by_assistant" {
		t.Errorf("%d, ended for %s", resp.status, f.endReason(issued))
	}
}
