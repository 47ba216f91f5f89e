package main

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

// told is an answer, read whole.
type told struct {
	status int
	header http.Header
	body   string
}

func (a told) json(t testing.TB) map[string]any {
	t.Helper()
	var members map[string]any
	if err := json.Unmarshal([]byte(a.body), &members); err != nil {
		t.Fatalf("%d %.300q is not JSON: %v", a.status, a.body, err)
	}
	return members
}

// person is somebody with a browser of their own.
type person struct {
	e      *entrance
	client *http.Client
	header http.Header
}

func (e *entrance) person() *person {
	jar, err := cookiejar.New(nil)
	if err != nil {
		e.t.Fatal(err)
	}
	return &person{e, &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}, http.Header{"X-Request-Id": {"request-of-the-test"}}}
}

func (p *person) send(method, path, contentType, body string, headers ...string) told {
	p.e.t.Helper()
	request, err := http.NewRequest(method, p.e.url+path, strings.NewReader(body))
	if err != nil {
		p.e.t.Fatal(err)
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
		p.e.t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		p.e.t.Fatal(err)
	}
	return told{response.StatusCode, response.Header, string(content)}
}

func (p *person) get(path string, headers ...string) told {
	p.e.t.Helper()
	return p.send(http.MethodGet, path, "", "", headers...)
}

func (p *person) form(path string, values url.Values, headers ...string) told {
	p.e.t.Helper()
	return p.send(http.MethodPost, path, "application/x-www-form-urlencoded", values.Encode(), headers...)
}

// mcp calls the MCP endpoint.
func (e *entrance) mcp(bearer string) told {
	e.t.Helper()
	return e.person().send(http.MethodPost, "/mcp", "application/json", `{}`, "Authorization", "Bearer "+bearer)
}

// assistantApp is a client that has registered, with what it made for PKCE.
type assistantApp struct {
	e        *entrance
	id       string
	redirect string
	verifier string
}

func (e *entrance) register(redirect string) *assistantApp {
	e.t.Helper()
	body, err := json.Marshal(map[string]any{"client_name": "Claude", "redirect_uris": []string{redirect}, "token_endpoint_auth_method": "none"})
	if err != nil {
		e.t.Fatal(err)
	}
	a := e.person().send(http.MethodPost, registerPath, "application/json", string(body))
	if a.status != http.StatusCreated {
		e.t.Fatalf("%d %s", a.status, a.body)
	}
	return &assistantApp{e, a.json(e.t)["client_id"].(string), redirect, encoded(randomBytes(32))}
}

// query is what the app sends people to the page with.
func (app *assistantApp) query() url.Values {
	sum := sha256.Sum256([]byte(app.verifier))
	return url.Values{
		"response_type": {"code"}, "client_id": {app.id}, "redirect_uri": {app.redirect}, "state": {"a state & more"},
		"code_challenge": {encoded(sum[:])}, "code_challenge_method": {"S256"}, "resource": {app.e.door.resource},
	}
}

var transactionPattern = regexp.MustCompile(`name="transaction" value="([^"]+)"`)

// page opens the page and gives the transaction in it.
func (p *person) page(app *assistantApp) string {
	p.e.t.Helper()
	a := p.get(authorizePath + "?" + app.query().Encode())
	found := transactionPattern.FindStringSubmatch(a.body)
	if a.status != 200 || found == nil {
		p.e.t.Fatalf("%d %v %.500s", a.status, a.header, a.body)
	}
	return found[1]
}

// answerOf is what an address says that a browser was sent to.
func answerOf(t testing.TB, a told) url.Values {
	t.Helper()
	target, err := url.Parse(a.header.Get("Location"))
	if a.status != http.StatusSeeOther || err != nil {
		t.Fatalf("%d %q %v %.500s", a.status, a.header.Get("Location"), err, a.body)
	}
	return target.Query()
}

// code pastes a key and gives the code.
func (app *assistantApp) code(key string, more ...string) string {
	app.e.t.Helper()
	p := app.e.person()
	values := url.Values{"transaction": {p.page(app)}, "key": {key}, "answer": {"connect"}}
	for i := 0; i+1 < len(more); i += 2 {
		values.Set(more[i], more[i+1])
	}
	answer := answerOf(app.e.t, p.form(authorizePath, values))
	if answer.Get("state") != "a state & more" || answer.Get("iss") != app.e.url || answer.Get("code") == "" {
		app.e.t.Fatalf("the assistant is told %v", answer)
	}
	return answer.Get("code")
}

// redemption is what the app asks tokens with.
func (app *assistantApp) redemption(code string) url.Values {
	return url.Values{"grant_type": {"authorization_code"}, "code": {code}, "client_id": {app.id}, "redirect_uri": {app.redirect}, "code_verifier": {app.verifier}, "resource": {app.e.door.resource}}
}

// tokensFrom asks for tokens that must be given.
func (e *entrance) tokensFrom(values url.Values) tokens {
	e.t.Helper()
	a := e.person().form(tokenPath, values)
	var given tokens
	if err := json.Unmarshal([]byte(a.body), &given); err != nil || a.status != 200 {
		e.t.Fatalf("%d %s %v", a.status, a.body, err)
	}
	return given
}

func (app *assistantApp) refreshing(token string) url.Values {
	return url.Values{"grant_type": {"refresh_token"}, "refresh_token": {token}, "client_id": {app.id}, "resource": {app.e.door.resource}}
}

// connected gives an app that is connected with a key, and its tokens.
func (e *entrance) connected(key string) (*assistantApp, tokens) {
	e.t.Helper()
	app := e.register(loopbackBack)
	return app, e.tokensFrom(app.redemption(app.code(key)))
}

// refusedWith holds an answer of a token, registration or revocation request against the refusal that it must be.
func (a told) refusedWith(t testing.TB, status int, code string) {
	t.Helper()
	if a.status != status || a.json(t)["error"] != code || a.json(t)["error_description"] == "" || a.header.Get("Cache-Control") != "no-store" {
		t.Errorf("%d %s, want %d %s", a.status, a.body, status, code)
	}
}
