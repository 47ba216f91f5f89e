package oauth

import (
	"strings"
	"testing"

	"github.com/google/uuid"
)

func TestAnEnvelopeOpensForWhatItWasSealedForAlone(t *testing.T) {
	resource := "https://api.example.ca/mcp"
	s := newSealer([]string{someSecret}, resource)
	of, salt := grantID{uuid.New(), uuid.New()}, randomBytes(saltSize)
	token := s.seal(kindAccess, of, salt, tokenContent{Key: "ams_live_secret", Expires: 7})
	opens := func(s sealer, k kind, token string, of *grantID, salt []byte) bool {
		sealed, found := parseEnvelope(k, token)
		if of != nil {
			sealed.grant = *of
		}
		var content tokenContent
		return found && s.open(sealed, salt, &content) && content.Key == "ams_live_secret" && content.Expires == 7
	}
	if !opens(s, kindAccess, token, nil, salt) || strings.Contains(token, "secret") {
		t.Fatal("it does not open")
	}
	another := grantID{of.organization, uuid.New()}
	elsewhere := grantID{uuid.New(), of.id}
	for name, opened := range map[string]bool{
		"as another kind":      opens(s, kindRefresh, strings.Replace(token, "access", "refresh", 1), nil, salt),
		"as a code":            opens(s, kindCode, strings.Replace(token, "access", "code", 1), nil, salt),
		"for another grant":    opens(s, kindAccess, token, &another, salt),
		"for another town":     opens(s, kindAccess, token, &elsewhere, salt),
		"with another salt":    opens(s, kindAccess, token, nil, randomBytes(saltSize)),
		"without a salt":       opens(s, kindAccess, token, nil, nil),
		"with an empty salt":   opens(s, kindAccess, token, nil, []byte{}),
		"at another resource":  opens(newSealer([]string{someSecret}, resource+"/"), kindAccess, token, nil, salt),
		"with another secret":  opens(newSealer([]string{strings.Repeat("x", 32)}, resource), kindAccess, token, nil, salt),
		"with another padding": opens(s, kindAccess, token+"=", nil, salt),
		"with more":            opens(s, kindAccess, token+"AAAA", nil, salt),
		"with a line break":    opens(s, kindAccess, token+"\n", nil, salt),
	} {
		if opened {
			t.Errorf("it opens %s", name)
		}
	}
	for i := len(kindAccess.prefix()); i < len(token); i++ {
		letter := byte('A')
		if token[i] == 'A' {
			letter = 'B'
		}
		if opens(s, kindAccess, token[:i]+string(letter)+token[i+1:], nil, salt) {
			t.Fatalf("it opens although letter %d was altered", i)
		}
		if opens(s, kindAccess, token[:i], nil, salt) {
			t.Fatalf("it opens although it was cut at %d", i)
		}
	}
	if again := s.seal(kindAccess, of, salt, tokenContent{Key: "ams_live_secret", Expires: 7}); again == token {
		t.Error("two envelopes are the same")
	}
	var content transaction
	sealed := s.sealTransaction("cookie", transaction{State: "x"})
	if !s.openTransaction("cookie", sealed, &content) || content.State != "x" || s.openTransaction("another", sealed, &content) ||
		s.openTransaction("", s.sealTransaction("", content), &content) {
		t.Error("a transaction opens for another browser, or not for its own")
	}
}

// The first secret seals and all secrets open. A removed secret opens nothing.
func TestRootSecretsRotate(t *testing.T) {
	f := newAuthFixture(t)
	key := f.newKey(orgID)
	app, before := f.connectApp(key)
	code := app.codeRequest(app.code(key))
	open := func(secrets ...string) sealer { return newSealer(secrets, f.authorizer.resource) }
	const newSecret = "another root secret of the tests, long enough"

	f.authorizer.sealer = open(newSecret, someSecret)
	if resp := f.mcp(before.AccessToken); resp.status != 200 {
		t.Errorf("a token from before the change: %d", resp.status)
	}
	during := f.requestTokens(code)
	refreshed := f.requestTokens(app.refreshRequest(before.RefreshToken))

	f.authorizer.sealer = open(newSecret)
	for name, token := range map[string]string{"given during the change": during.AccessToken,
		"refreshed during the change": refreshed.AccessToken} {
		if resp := f.mcp(token); resp.status != 200 {
			t.Errorf("%s: %d", name, resp.status)
		}
	}
	if resp := f.mcp(before.AccessToken); resp.status != 401 {
		t.Errorf("a token of the old secret: %d", resp.status)
	}
	f.newBrowser().form(tokenPath, app.refreshRequest(before.RefreshToken)).checkOAuthError(t, 400, "invalid_grant")
}
