package mcp

import (
	"bufio"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"html"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"ams.internal/libs/localport"
)

var hiddenTransaction = regexp.MustCompile(`name="transaction" value="([^"]*)"`)

// connectInBrowser is a person who opens the page, pastes a key and connects, as far as the program that waits for the result.
// It gives what the program was told.
func connectInBrowser(t testing.TB, page, pasted string) url.Values {
	t.Helper()
	cookies, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	browser := &http.Client{Jar: cookies, CheckRedirect: func(r *http.Request, _ []*http.Request) error {
		if code := r.URL.Query().Get("code"); code != "" {
			keepSecret(code)
		}
		return nil
	}}
	shown, err := browser.Get(page)
	if err != nil {
		t.Fatal(err)
	}
	defer shown.Body.Close()
	body, err := io.ReadAll(shown.Body)
	if err != nil {
		t.Fatal(err)
	}
	found := hiddenTransaction.FindSubmatch(body)
	if found == nil {
		t.Fatalf("%d %s", shown.StatusCode, body)
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, base(t)+"/oauth/authorize", strings.NewReader(url.Values{
		"transaction": {html.UnescapeString(string(found[1]))}, "key": {pasted}, "answer": {"connect"},
	}.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.Header.Set("Origin", base(t))
	back, err := browser.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer back.Body.Close()
	if back.StatusCode != 200 || back.Request.URL.Path != "/callback" {
		t.Errorf("the browser ends at %s: %d", back.Request.URL.Path, back.StatusCode)
	}
	return back.Request.URL.Query()
}

// connectAssistant connects a program with a key, and gives its access token.
func connectAssistant(t testing.TB, pasted string) string {
	t.Helper()
	waiting := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "Done.") }))
	defer waiting.Close()
	redirect, verifier := waiting.URL+"/callback", rand.Text()+rand.Text()
	sum := sha256.Sum256([]byte(verifier))
	id := post(t, 201, base(t)+"/oauth/register", "", map[string]any{"client_name": t.Name(),
		"redirect_uris": []string{redirect}})["client_id"].(string)
	redirected := connectInBrowser(t, base(t)+"/oauth/authorize?"+url.Values{
		"response_type": {"code"}, "client_id": {id}, "redirect_uri": {redirect}, "resource": {base(t) + "/mcp"},
		"code_challenge": {base64.RawURLEncoding.EncodeToString(sum[:])}, "code_challenge_method": {"S256"},
	}.Encode(), pasted)
	response, err := http.PostForm(base(t)+"/oauth/token", url.Values{
		"grant_type": {"authorization_code"}, "code": {redirected.Get("code")}, "client_id": {id}, "redirect_uri": {redirect},
		"code_verifier": {verifier},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var given struct {
		Access  string `json:"access_token"`
		Refresh string `json:"refresh_token"`
	}
	if err := json.NewDecoder(response.Body).Decode(&given); err != nil || given.Access == "" {
		t.Fatalf("no access token: %d, %v", response.StatusCode, err)
	}
	keepSecret(given.Access, given.Refresh)
	return given.Access
}

func TestConformanceOfTheAuthorization(t *testing.T) {
	registered := post(t, 201, base(t)+"/oauth/register", "", map[string]any{"client_name": "Conformance",
		"redirect_uris": []string{"http://127.0.0.1/callback"}})
	_, port, err := net.SplitHostPort(localport.ForTest(t))
	if err != nil {
		t.Fatal(err)
	}
	suite := conformance(t, "authorization", "--url", base(t), "--client-id", registered["client_id"].(string), "--resource", base(t)+"/mcp",
		"--port", port)
	output, err := suite.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	suite.Stderr = t.Output()
	if err := suite.Start(); err != nil {
		t.Fatal(err)
	}
	var printed strings.Builder
	page, lent := "", newKey(t).value
	for lines := bufio.NewScanner(output); lines.Scan(); {
		line := colours.ReplaceAllString(lines.Text(), "")
		printed.WriteString(line + "\n")
		switch {
		case strings.HasPrefix(line, base(t)+"/oauth/authorize?"):
			page = line
		case strings.HasPrefix(line, "Callback server started"):
			connectInBrowser(t, page, lent)
		}
	}
	if err := suite.Wait(); err != nil {
		t.Errorf("the suite: %v", err)
	}
	good := 0
	for _, found := range verdict.FindAllStringSubmatch(printed.String(), -1) {
		if found[1] == "✓" && found[3] != "0" && found[4] == "0" {
			good++
		}
	}
	if good != 2 || !strings.Contains(printed.String(), "Total: 3 passed, 0 failed") {
		t.Errorf("%d of 2 scenarios pass\n%s", good, printed.String())
	}
	t.Logf("%d/2 scenarios of authorization servers", good)
}
