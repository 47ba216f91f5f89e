package oauth

import (
	"sync"
	"testing"
	"time"
)

// The refresh token changes with each use. The previous one stays valid for two minutes; an older one ends the
// connection.
func TestAStaleRefreshTokenEndsTheConnection(t *testing.T) {
	f := newAuthFixture(t)
	key := f.newKey(orgID)
	for name, test := range map[string]struct {
		rotations int
		late      bool
		which     int // index among the refresh tokens as they were issued
		good      bool
	}{
		"the present one":                          {1, false, 1, true},
		"the present one after a long time":        {1, true, 1, true},
		"the one before, at once":                  {1, false, 0, true},
		"the one before, after two minutes":        {1, true, 0, false},
		"the one before the one before, at once":   {2, false, 0, false},
		"the one before, of many":                  {3, false, 2, true},
		"a very old one":                           {3, false, 0, false},
		"a very old one after a long time":         {3, true, 0, false},
		"the one before, of many, after long time": {3, true, 2, false},
	} {
		t.Run(name, func(t *testing.T) {
			app, issued := f.connectApp(key)
			all := []tokenResponse{issued}
			for range test.rotations {
				all = append(all, f.requestTokens(app.refreshRequest(all[len(all)-1].RefreshToken)))
			}
			if test.late {
				f.exec("UPDATE mcp_grant SET rotated_at = rotated_at - interval '121 seconds' WHERE ended_at IS NULL")
			}
			resp := f.newBrowser().form(tokenPath, app.refreshRequest(all[test.which].RefreshToken))
			if !test.good {
				resp.checkOAuthError(t, 400, "invalid_grant")
				last := all[len(all)-1]
				f.newBrowser().form(tokenPath, app.refreshRequest(last.RefreshToken)).checkOAuthError(t, 400, "invalid_grant")
				if resp := f.mcp(last.AccessToken); resp.status != 401 {
					t.Errorf("the connection goes on: %d", resp.status)
				}
				if reason := f.endReason(last); reason != "refresh_replayed" {
					t.Errorf("it ended for %s", reason)
				}
				return
			}
			if resp.status != 200 {
				t.Fatalf("%d %s", resp.status, resp.body)
			}
			for _, token := range []string{all[len(all)-1].RefreshToken, resp.json(t)["refresh_token"].(string)} { // both holders go on
				if resp := f.newBrowser().form(tokenPath, app.refreshRequest(token)); resp.status != 200 {
					t.Errorf("%d %s", resp.status, resp.body)
				}
			}
		})
	}
}

func TestManyRefreshesAtOnceAllSucceed(t *testing.T) {
	f := newAuthFixture(t)
	app, issued := f.connectApp(f.newKey(orgID))
	var mu sync.Mutex
	var next []string
	var all sync.WaitGroup
	for range 12 {
		p := f.newBrowser()
		all.Go(func() {
			resp := p.form(tokenPath, app.refreshRequest(issued.RefreshToken))
			mu.Lock()
			defer mu.Unlock()
			if resp.status != 200 {
				t.Errorf("%d %s", resp.status, resp.body)
				return
			}
			next = append(next, resp.json(t)["refresh_token"].(string))
		})
	}
	all.Wait()
	for _, token := range next[:3] {
		f.requestTokens(app.refreshRequest(token)) // the first rotates; the others are the previous one
	}
}

func TestWhatARefreshIsRefusedFor(t *testing.T) {
	f := newAuthFixture(t)
	key := f.newKey(orgID)
	app, issued := f.connectApp(key)
	other := f.register("http://127.0.0.1:7777/other")
	p := f.newBrowser()
	p.form(tokenPath, other.refreshRequest(issued.RefreshToken)).checkOAuthError(t, 400, "invalid_grant")
	p.form(tokenPath, app.refreshRequest("nonsense")).checkOAuthError(t, 400, "invalid_grant")
	p.form(tokenPath, app.refreshRequest(issued.AccessToken)).checkOAuthError(t, 400, "invalid_grant")
	p.form(tokenPath, app.refreshRequest("")).checkOAuthError(t, 400, "invalid_request")
	values := app.refreshRequest(issued.RefreshToken)
	values.Set("resource", "https://other.example.ca/mcp")
	p.form(tokenPath, values).checkOAuthError(t, 400, "invalid_target")

	f.setGatewayDown(true)
	p.form(tokenPath, app.refreshRequest(issued.RefreshToken)).checkOAuthError(t, 503, "temporarily_unavailable")
	f.setGatewayDown(false)
	for _, code := range []string{"key_inactive", "feature_not_in_plan", "network_not_allowed"} { // the key may be usable again later
		f.setKeyRefusal(key, code)
		p.form(tokenPath, app.refreshRequest(issued.RefreshToken)).checkOAuthError(t, 400, "invalid_grant")
	}
	f.setKeyRefusal(key, "")
	values = app.refreshRequest(issued.RefreshToken)
	values.Del("client_id")
	values.Del("resource")
	issued = f.requestTokens(values) // a client without a secret need not send more

	for _, code := range []string{"key_revoked", "key_expired"} { // the key can never be used again
		_, issued := f.connectApp(key)
		f.setKeyRefusal(key, code)
		p.form(tokenPath, app.refreshRequest(issued.RefreshToken)).checkOAuthError(t, 400, "invalid_grant")
		f.setKeyRefusal(key, "")
		if reason := f.endReason(issued); reason != code {
			t.Errorf("%s: it ended for %q", code, reason)
		}
		p.form(tokenPath, app.refreshRequest(issued.RefreshToken)).checkOAuthError(t, 400, "invalid_grant")
	}
	f.requestTokens(app.refreshRequest(issued.RefreshToken)) // the key's other connection is not affected
}

func TestLivesOfTokens(t *testing.T) {
	if accessLifetime != 24*time.Hour || refreshLifetime != 90*24*time.Hour || rotationTolerance != 2*time.Minute {
		t.Errorf("%s, %s, %s", accessLifetime, refreshLifetime, rotationTolerance)
	}
	f := newAuthFixture(t)
	key := f.newKey(orgID)
	app, issued := f.connectApp(key)
	sealed, _ := parseEnvelope(kindAccess, issued.AccessToken)
	g, err := f.authorizer.findGrant(t.Context(), sealed.grant)
	if err != nil {
		t.Fatal(err)
	}
	past := time.Now().Unix()
	if resp := f.mcp(f.authorizer.sealer.seal(kindAccess, sealed.grant, g.salt, tokenContent{Key: key, Expires: past})); resp.status != 401 ||
		resp.json(t)["code"] != "token_expired" {
		t.Errorf("%d %s", resp.status, resp.body)
	}
	old := f.authorizer.sealer.seal(kindRefresh, sealed.grant, g.salt,
		tokenContent{Key: key, Expires: past, Generation: 1, Client: hashOf(app.id)})
	f.newBrowser().form(tokenPath, app.refreshRequest(old)).checkOAuthError(t, 400, "invalid_grant")

	f.exec("UPDATE mcp_grant SET good_until = now() + interval '1 hour'")
	f.requestTokens(app.refreshRequest(issued.RefreshToken))
	var left time.Duration
	var until time.Time
	if err := f.owner.QueryRow(t.Context(), "SELECT good_until FROM mcp_grant").Scan(&until); err != nil {
		t.Fatal(err)
	}
	if left = time.Until(until); left < refreshLifetime-time.Minute || left > refreshLifetime {
		t.Errorf("after a refresh %s are left", left)
	}
}
