package oauth

import (
	"crypto/sha256"
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

// httpResponse is a response with its whole body.
type httpResponse struct {
	status int
	header http.Header
	body   string
}

func (resp httpResponse) json(t testing.TB) map[string]any {
	t.Helper()
	var members map[string]any
	if err := json.Unmarshal([]byte(resp.body), &members); err != nil {
		t.Fatalf("%d %.300q is not JSON: %v", resp.status, resp.body, err)
	}
	return members
}

// browser is a browser with its own cookies.
type browser struct {
	f      *authFixture
	client *http.Client
	header http.Header
}

func (f *authFixture) newBrowser() *browser {
	jar, err := cookiejar.New(nil)
	if err != nil {
		f.t.Fatal(err)
	}
	return &browser{f, &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
		http.Header{"X-Request-Id": {"request-of-the-test"}}}
}

func (p *browser) send(method, path, contentType, body string, headers ...string) httpResponse {
	p.f.t.Helper()
	request, err := http.NewRequest(method, p.f.url+path, strings.NewReader(body))
	if err != nil {
		p.f.t.Fatal(err)
	}
	for name, values := range p.header {
		request.Header[name] = values
	}
	if contentType != "" {
		request.Header.Set("Content-Type", contentType)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	response, err := p.client.Do(request)
	if err != nil {
		p.f.t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		p.f.t.Fatal(err)
	}
	return httpResponse{response.StatusCode, response.Header, string(content)}
}

func (p *browser) get(path string, headers ...string) httpResponse {
	p.f.t.Helper()
	return p.send(http.MethodGet, path, "", "", headers...)
}

func (p *browser) form(path string, values url.Values, headers ...string) httpResponse {
	p.f.t.Helper()
	return p.send(http.MethodPost, path, "application/x-www-form-urlencoded", values.Encode(), headers...)
}

// mcp calls the MCP endpoint.
func (f *authFixture) mcp(bearer string) httpResponse {
	f.t.Helper()
	return f.newBrowser().send(http.MethodPost, "/mcp", "application/json", `{}`, "Authorization", "Bearer "+bearer)
}

// assistantApp is a registered client with its PKCE verifier.
type assistantApp struct {
	f        *authFixture
	id       string
	redirect string
	verifier string
}

func (f *authFixture) register(redirect string) *assistantApp {
	f.t.Helper()
	body, err := json.Marshal(map[string]any{"client_name": "Claude", "redirect_uris": []string{redirect},
		"token_endpoint_auth_method": "none"})
	if err != nil {
		f.t.Fatal(err)
	}
	resp := f.newBrowser().send(http.MethodPost, registerPath, "application/json", string(body))
	if resp.status != http.StatusCreated {
		f.t.Fatalf("%d %s", resp.status, resp.body)
	}
	return &assistantApp{f, resp.json(f.t)["client_id"].(string), redirect, encoded(randomBytes(32))}
}

// query is the authorization request of the app.
func (app *assistantApp) query() url.Values {
	sum := sha256.Sum256([]byte(app.verifier))
	return url.Values{
		"response_type": {"code"}, "client_id": {app.id}, "redirect_uri": {app.redirect}, "state": {"a state & more"},
		"code_challenge": {encoded(sum[:])}, "code_challenge_method": {"S256"}, "resource": {app.f.authorizer.resource},
	}
}

var transactionPattern = regexp.MustCompile(`name="transaction" value="([^"]+)"`)

// openPage opens the page and returns its transaction.
func (p *browser) openPage(app *assistantApp) string {
	p.f.t.Helper()
	resp := p.get(authorizePath + "?" + app.query().Encode())
	found := transactionPattern.FindStringSubmatch(resp.body)
	if resp.status != 200 || found == nil {
		p.f.t.Fatalf("%d %v %.500s", resp.status, resp.header, resp.body)
	}
	return found[1]
}

// redirectQuery is the query of the address that a browser is redirected to.
func redirectQuery(t testing.TB, resp httpResponse) url.Values {
	t.Helper()
	target, err := url.Parse(resp.header.Get("Location"))
	if resp.status != http.StatusSeeOther || err != nil {
		t.Fatalf("%d %q %v %.500s", resp.status, resp.header.Get("Location"), err, resp.body)
	}
	return target.Query()
}

// code pastes a key and returns the code.
func (app *assistantApp) code(key string, more ...string) string {
	app.f.t.Helper()
	p := app.f.newBrowser()
	values := url.Values{"transaction": {p.openPage(app)}, "key": {key}, "answer": {"connect"}}
	for i := 0; i+1 < len(more); i += 2 {
		values.Set(more[i], more[i+1])
	}
	query := redirectQuery(app.f.t, p.form(authorizePath, values))
	if query.Get("state") != "a state & more" || query.Get("iss") != app.f.url || query.Get("code") == "" {
		app.f.t.Fatalf("the assistant is told %v", query)
	}
	return query.Get("code")
}

// codeRequest is the form that redeems a code.
func (app *assistantApp) codeRequest(code string) url.Values {
	return url.Values{"grant_type": {"authorization_code"}, "code": {code}, "client_id": {app.id}, "redirect_uri": {app.redirect},
		"code_verifier": {app.verifier}, "resource": {app.f.authorizer.resource}}
}

// requestTokens sends a token request that must succeed.
func (f *authFixture) requestTokens(values url.Values) tokenResponse {
	f.t.Helper()
	resp := f.newBrowser().form(tokenPath, values)
	var given tokenResponse
	if err := json.Unmarshal([]byte(resp.body), &given); err != nil || resp.status != 200 {
		f.t.Fatalf("%d %s %v", resp.status, resp.body, err)
	}
	return given
}

func (app *assistantApp) refreshRequest(token string) url.Values {
	return url.Values{"grant_type": {"refresh_token"}, "refresh_token": {token}, "client_id": {app.id},
		"resource": {app.f.authorizer.resource}}
}

// connectApp connects a new app with a key and returns it with its tokens.
func (f *authFixture) connectApp(key string) (*assistantApp, tokenResponse) {
	f.t.Helper()
	app := f.register(loopbackBack)
	return app, f.requestTokens(app.codeRequest(app.code(key)))
}

// checkOAuthError checks the status and the code of an OAuth error.
func (resp httpResponse) checkOAuthError(t testing.TB, status int, code string) {
	t.Helper()
	if resp.status != status || resp.json(t)["error"] != code || resp.json(t)["error_description"] == "" ||
		resp.header.Get("Cache-Control") != "no-store" {
		t.Errorf("%d %s, want %d %s", resp.status, resp.body, status, code)
	}
}
