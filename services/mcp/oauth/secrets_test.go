package oauth

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// No row, log or address of ours contains a key, code or token, however the request ends.
func TestNoKeyCodeOrTokenIsKeptOrLogged(t *testing.T) {
	f := newAuthFixture(t)
	key, wrong, revoked := f.newKey(orgID), "ams_live_"+strings.Repeat("w", 49), f.newKey(orgID)
	f.setKeyRefusal(revoked, "key_revoked")
	app, p := f.register(loopbackBack), f.newBrowser()
	transaction := p.openPage(app)
	for _, each := range []string{wrong, revoked, "ams_live_cut"} {
		if resp := p.form(authorizePath, url.Values{"transaction": {transaction}, "key": {each}}); strings.Contains(resp.body, each) ||
			strings.Contains(fmt.Sprint(resp.header), each) {
			t.Error("a key comes back")
		}
	}
	sent := p.form(authorizePath, url.Values{"transaction": {transaction}, "key": {key}, "answer": {"connect"}})
	code := redirectQuery(t, sent).Get("code")
	if strings.Contains(sent.header.Get("Location"), key) || strings.Contains(sent.body, key) ||
		sent.header.Get("Cache-Control") != "no-store" || sent.header.Get("Referrer-Policy") != "no-referrer" {
		t.Error("the key is in the address, or the answer may be kept")
	}
	first := f.requestTokens(app.codeRequest(code))
	second := f.requestTokens(app.refreshRequest(first.RefreshToken))
	f.setGatewayDown(true)
	f.mcp(second.AccessToken)
	f.mcp(key)
	p.form(tokenPath, app.refreshRequest(second.RefreshToken))
	p.form(authorizePath, url.Values{"transaction": {transaction}, "key": {key}})
	f.setGatewayDown(false)
	f.mcp(wrong)
	f.mcp(second.AccessToken)
	p.get("/oauth/" + key)
	p.get("/oauth/" + second.AccessToken)
	p.form(tokenPath, app.codeRequest(code)) // ends the grant, which is logged
	f.authorizer.lastUses.flush(t.Context())

	rows, logged := f.dumpRows(), f.logged.String()
	if !strings.Contains(rows, "mcp_grant {") || !strings.Contains(logged, "could not be let in") ||
		!strings.Contains(logged, "code_replayed") {
		t.Fatalf("there is nothing to look at:\n%s\n%s", rows, logged)
	}
	for name, secret := range map[string]string{
		"the key": key, "another key": wrong, "a revoked key": revoked, "the code": code, "an access token": first.AccessToken,
		"a refresh token":       first.RefreshToken,
		"the next access token": second.AccessToken, "the next refresh token": second.RefreshToken, "the root secret": someSecret,
		"the transaction": transaction,
	} {
		for _, part := range []string{secret, secret[len(secret)-30:]} {
			if strings.Contains(rows, part) {
				t.Errorf("%s is in the database", name)
			}
			if strings.Contains(logged, part) {
				t.Errorf("%s is in the log", name)
			}
		}
	}
	if strings.Contains(rows, "ams_live_") || strings.Contains(rows, `"salt": "\\x`) && !strings.Contains(rows, `"salt": null`) {
		t.Errorf("%s", rows)
	}
}

func TestTheLogWritesNoSecretWhateverItIsTold(t *testing.T) {
	out := &lockedBuffer{}
	log := redacted(slog.New(slog.NewTextHandler(out, nil))).With("with", "ams_live_one").WithGroup("group")
	log.Info("ams_code_two came", "error", errors.New("ams_access_three-x_y"), "text", "a ams_refresh_four b",
		slog.Group("inner", "deep", "ams_live_five"),
		"request", &http.Request{URL: &url.URL{Path: "/ams_live_six"},
			Header: http.Header{"Authorization": {"Bearer ams_live_seven"}}}, "number", 7)
	for _, word := range []string{"one", "two", "three", "four", "five", "six", "seven", "x_y"} {
		if strings.Contains(out.String(), word) {
			t.Errorf("%s: %s", word, out.String())
		}
	}
	for _, word := range []string{"ams_live_[redacted]", "ams_code_[redacted] came", "group.number=7"} {
		if !strings.Contains(out.String(), word) {
			t.Errorf("%s is missing: %s", word, out.String())
		}
	}
}
