package oauth

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
)

func TestTheCallerIsWhatTheGatewaySaysOfTheKey(t *testing.T) {
	f := newAuthFixture(t)
	key := f.newKey(orgID)
	resp := f.newBrowser().send(http.MethodPost, "/mcp", "application/json", `{}`, "Authorization", "bearer  "+key,
		"X-Forwarded-For", "203.0.113.7")
	c := resp.json(t)
	if resp.status != 200 || c["Key"] != key || c["OrganizationID"] != orgID || c["OrganizationName"] != "Ville de Bellerive" ||
		c["Plan"] != "enterprise" || c["KeyName"] != "Assistant key" ||
		fmt.Sprint(c["Scopes"], c["Features"], c["ReadOnly"], c["GrantID"]) != "[assets:read] [api_access] false" ||
		c["Address"] != "203.0.113.7" || c["RequestID"] != "request-of-the-test" {
		t.Errorf("%d %s", resp.status, resp.body)
	}
	if f.checks != 1 || f.checkedAddresses[0] != "203.0.113.7" {
		t.Errorf("the gateway was asked %d times, about %v", f.checks, f.checkedAddresses)
	}
}

func TestWhoIsNotLetIn(t *testing.T) {
	f := newAuthFixture(t)
	where := `Bearer resource_metadata="` + f.url + `/.well-known/oauth-protected-resource/mcp"`
	refusedKey := func(code string) string {
		key := f.newKey(orgID)
		f.setKeyRefusal(key, code)
		return key
	}
	for name, test := range map[string]struct {
		authorization string
		status        int
		code          string
		challenge     string // after the value of where
	}{
		"nobody":                {"", 401, "key_missing", ""},
		"another scheme":        {"Basic abc", 401, "key_missing", ""},
		"a scheme alone":        {"Bearer ", 401, "key_missing", ""},
		"nonsense":              {"Bearer nonsense", 401, "token_unknown", `, error="invalid_token"`},
		"half a key":            {"Bearer ams_live_abc", 401, "key_malformed", `, error="invalid_token"`},
		"nobody's key":          {"Bearer ams_live_" + strings.Repeat("x", 49), 401, "key_unknown", `, error="invalid_token"`},
		"a revoked key":         {"Bearer " + refusedKey("key_revoked"), 401, "key_revoked", `, error="invalid_token"`},
		"an expired key":        {"Bearer " + refusedKey("key_expired"), 403, "key_expired", "-"},
		"a suspended key":       {"Bearer " + refusedKey("key_inactive"), 403, "key_inactive", "-"},
		"a key of elsewhere":    {"Bearer " + refusedKey("network_not_allowed"), 403, "network_not_allowed", "-"},
		"a plan without it":     {"Bearer " + refusedKey("feature_not_in_plan"), 403, "feature_not_in_plan", "-"},
		"a made-up token":       {"Bearer ams_access_" + strings.Repeat("A", 300), 401, "token_unknown", `, error="invalid_token"`},
		"a very long token":     {"Bearer ams_access_" + strings.Repeat("A", 9000), 401, "token_unknown", `, error="invalid_token"`},
		"a token's first words": {"Bearer ams_access_", 401, "token_unknown", `, error="invalid_token"`},
	} {
		t.Run(name, func(t *testing.T) {
			resp := f.newBrowser().send(http.MethodPost, "/mcp", "application/json", `{}`, "Authorization", test.authorization)
			if test.authorization == "" {
				resp = f.newBrowser().send(http.MethodPost, "/mcp", "application/json", `{}`)
			}
			if resp.status != test.status || resp.json(t)["code"] != test.code || resp.json(t)["request_id"] != "request-of-the-test" ||
				resp.header.Get("Cache-Control") != "no-store" {
				t.Errorf("%d %s", resp.status, resp.body)
			}
			challenge := resp.header.Get("WWW-Authenticate")
			if test.challenge == "-" && challenge != "" || test.challenge != "-" && !strings.HasPrefix(challenge, where+test.challenge) ||
				test.challenge == "" && challenge != where {
				t.Errorf("WWW-Authenticate: %s", challenge)
			}
		})
	}
	request, err := http.NewRequest(http.MethodPost, f.url+"/mcp", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header["Authorization"] = []string{"Bearer " + f.newKey(orgID), "Bearer " + f.newKey(orgID)}
	response, err := http.DefaultClient.Do(request)
	if err != nil || response.StatusCode != 401 {
		t.Errorf("two Authorization headers: %v %v", response, err)
	}
	_ = response.Body.Close()
}

func TestARevokedKeyIsRefusedAtTheVeryNextCall(t *testing.T) {
	f := newAuthFixture(t)
	key := f.newKey(orgID)
	_, issued := f.connectApp(key)
	for _, bearer := range []string{key, issued.AccessToken} {
		if resp := f.mcp(bearer); resp.status != 200 {
			t.Fatalf("%d %s", resp.status, resp.body)
		}
	}
	f.setKeyRefusal(key, "key_revoked")
	for _, bearer := range []string{key, issued.AccessToken} {
		if resp := f.mcp(bearer); resp.status != 401 || resp.json(t)["code"] != "key_revoked" {
			t.Errorf("%d %s", resp.status, resp.body)
		}
	}
}

func TestAnAccessTokenIsTheKeyThatItWasGivenFor(t *testing.T) {
	f := newAuthFixture(t)
	key := f.newKey(orgID)
	app := f.register(loopbackBack)
	issued := f.requestTokens(app.codeRequest(app.code(key, "read_only", "yes")))
	before := f.checks
	c := f.mcp(issued.AccessToken).json(t)
	if c["Key"] != key || c["OrganizationID"] != orgID || c["ReadOnly"] != true || c["GrantID"] == "" {
		t.Errorf("%v", c)
	}
	if f.checks != before+1 {
		t.Errorf("a call cost %d checks", f.checks-before)
	}
	if c := f.mcp(key).json(t); c["ReadOnly"] != false || c["GrantID"] != "" {
		t.Errorf("the key itself: %v", c)
	}
	for name, token := range map[string]string{"the refresh token": issued.RefreshToken,
		"its content under another name": strings.Replace(issued.RefreshToken, "refresh", "access", 1)} {
		if resp := f.mcp(token); resp.status != 401 {
			t.Errorf("%s: %d %s", name, resp.status, resp.body)
		}
	}
}

// A caller who cannot be checked gets no 401, because assistants discard what gets a 401.
func TestWhoCannotBeConfirmedGets503(t *testing.T) {
	var cut func()
	f := newAuthFixture(t, func(c *Config) { c.DatabaseURL, cut = severableProxy(t, c.DatabaseURL) })
	key := f.newKey(orgID)
	_, issued := f.connectApp(key)
	expect := func(name, bearer string, status int) {
		t.Helper()
		resp := f.mcp(bearer)
		if resp.status != status || status == 503 && (resp.header.Get("Retry-After") == "" || resp.header.Get("WWW-Authenticate") != "") {
			t.Errorf("%s: %d %s %v", name, resp.status, resp.body, resp.header)
		}
	}
	f.setGatewayDown(true)
	expect("the gateway cannot look keys up, a key", key, 503)
	expect("the gateway cannot look keys up, a token", issued.AccessToken, 503)
	expect("nobody", "", 401)
	f.setGatewayDown(false)
	expect("it can again", issued.AccessToken, 200)
	cut()
	expect("the database is away, a token", issued.AccessToken, 503)
	expect("the database is away, a key", key, 200)
	f.gateway.Close()
	expect("no gateway answers, a key", key, 503)
	expect("no gateway answers, a token", issued.AccessToken, 503)
	expect("no gateway answers, nobody", "", 401)
}

// severableProxy returns the address of a proxy to a database, and a function that closes all its connections.
func severableProxy(t *testing.T, database string) (address string, cut func()) {
	t.Helper()
	target, err := url.Parse(database)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := target.Host
	target.Host = listener.Addr().String()
	var mu sync.Mutex
	var open []net.Conn
	go func() {
		for {
			near, err := listener.Accept()
			if err != nil {
				return
			}
			far, err := net.Dial("tcp", server)
			if err != nil {
				_ = near.Close()
				continue
			}
			mu.Lock()
			open = append(open, near, far)
			mu.Unlock()
			go func() { _, _ = io.Copy(far, near) }()
			go func() { _, _ = io.Copy(near, far) }()
		}
	}()
	cut = func() {
		_ = listener.Close()
		mu.Lock()
		defer mu.Unlock()
		for _, each := range open {
			_ = each.Close()
		}
	}
	t.Cleanup(cut)
	return target.String(), cut
}
