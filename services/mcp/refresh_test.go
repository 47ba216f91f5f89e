package main

import (
	"sync"
	"testing"
	"time"
)

// The refresh token moves on with each use. The one before is taken for two minutes; an older one ends the connection.
func TestAStaleRefreshTokenEndsTheConnection(t *testing.T) {
	e := newEntrance(t)
	key := e.key(town)
	for name, test := range map[string]struct {
		rotations int
		late      bool
		which     int // of the refresh tokens in the order in which they were given
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
			app, given := e.connected(key)
			all := []tokens{given}
			for range test.rotations {
				all = append(all, e.tokensFrom(app.refreshing(all[len(all)-1].RefreshToken)))
			}
			if test.late {
				e.exec("UPDATE mcp_grant SET rotated_at = rotated_at - interval '121 seconds' WHERE ended_at IS NULL")
			}
			a := e.person().form(tokenPath, app.refreshing(all[test.which].RefreshToken))
			if !test.good {
				a.refusedWith(t, 400, "invalid_grant")
				last := all[len(all)-1]
				e.person().form(tokenPath, app.refreshing(last.RefreshToken)).refusedWith(t, 400, "invalid_grant")
				if a := e.mcp(last.AccessToken); a.status != 401 {
					t.Errorf("the connection goes on: %d", a.status)
				}
				if reason := e.endReason(last); reason != "refresh_replayed" {
					t.Errorf("it ended for %s", reason)
				}
				return
			}
			if a.status != 200 {
				t.Fatalf("%d %s", a.status, a.body)
			}
			for _, token := range []string{all[len(all)-1].RefreshToken, a.json(t)["refresh_token"].(string)} { // both hands go on
				if a := e.person().form(tokenPath, app.refreshing(token)); a.status != 200 {
					t.Errorf("%d %s", a.status, a.body)
				}
			}
		})
	}
}

func TestManyRefreshesAtOnceAllSucceed(t *testing.T) {
	e := newEntrance(t)
	app, given := e.connected(e.key(town))
	var mu sync.Mutex
	var next []string
	var all sync.WaitGroup
	for range 12 {
		p := e.person()
		all.Go(func() {
			a := p.form(tokenPath, app.refreshing(given.RefreshToken))
			mu.Lock()
			defer mu.Unlock()
			if a.status != 200 {
				t.Errorf("%d %s", a.status, a.body)
				return
			}
			next = append(next, a.json(t)["refresh_token"].(string))
		})
	}
	all.Wait()
	for _, token := range next[:3] {
		e.tokensFrom(app.refreshing(token)) // the first moves on, the others are the one before
	}
}

func TestWhatARefreshIsRefusedFor(t *testing.T) {
	e := newEntrance(t)
	key := e.key(town)
	app, given := e.connected(key)
	other := e.register("http://127.0.0.1:7777/other")
	p := e.person()
	p.form(tokenPath, other.refreshing(given.RefreshToken)).refusedWith(t, 400, "invalid_grant")
	p.form(tokenPath, app.refreshing("nonsense")).refusedWith(t, 400, "invalid_grant")
	p.form(tokenPath, app.refreshing(given.AccessToken)).refusedWith(t, 400, "invalid_grant")
	p.form(tokenPath, app.refreshing("")).refusedWith(t, 400, "invalid_request")
	values := app.refreshing(given.RefreshToken)
	values.Set("resource", "https://other.example.ca/mcp")
	p.form(tokenPath, values).refusedWith(t, 400, "invalid_target")

	e.setAway(true)
	p.form(tokenPath, app.refreshing(given.RefreshToken)).refusedWith(t, 503, "temporarily_unavailable")
	e.setAway(false)
	for _, code := range []string{"key_inactive", "feature_not_in_plan", "network_not_allowed"} { // what may pass
		e.turn(key, code)
		p.form(tokenPath, app.refreshing(given.RefreshToken)).refusedWith(t, 400, "invalid_grant")
	}
	e.turn(key, "")
	values = app.refreshing(given.RefreshToken)
	values.Del("client_id")
	values.Del("resource")
	given = e.tokensFrom(values) // what a client without a secret must send

	for _, code := range []string{"key_revoked", "key_expired"} { // what does not pass
		_, given := e.connected(key)
		e.turn(key, code)
		p.form(tokenPath, app.refreshing(given.RefreshToken)).refusedWith(t, 400, "invalid_grant")
		e.turn(key, "")
		if reason := e.endReason(given); reason != code {
			t.Errorf("%s: it ended for %q", code, reason)
		}
		p.form(tokenPath, app.refreshing(given.RefreshToken)).refusedWith(t, 400, "invalid_grant")
	}
	e.tokensFrom(app.refreshing(given.RefreshToken)) // another connection with the same key is another connection
}

func TestLivesOfTokens(t *testing.T) {
	if accessLife != 24*time.Hour || refreshLife != 90*24*time.Hour || rotationTolerance != 2*time.Minute {
		t.Errorf("%s, %s, %s", accessLife, refreshLife, rotationTolerance)
	}
	e := newEntrance(t)
	key := e.key(town)
	app, given := e.connected(key)
	sealed, _ := address(kindAccess, given.AccessToken)
	g, err := e.door.findGrant(t.Context(), sealed.of)
	if err != nil {
		t.Fatal(err)
	}
	past := time.Now().Unix()
	if a := e.mcp(e.door.sealer.seal(kindAccess, sealed.of, g.salt, tokenContent{Key: key, Expires: past})); a.status != 401 || a.json(t)["code"] != "token_expired" {
		t.Errorf("%d %s", a.status, a.body)
	}
	old := e.door.sealer.seal(kindRefresh, sealed.of, g.salt, tokenContent{Key: key, Expires: past, Generation: 1, Client: hashOf(app.id)})
	e.person().form(tokenPath, app.refreshing(old)).refusedWith(t, 400, "invalid_grant")

	e.exec("UPDATE mcp_grant SET good_until = now() + interval '1 hour'")
	e.tokensFrom(app.refreshing(given.RefreshToken))
	var left time.Duration
	var until time.Time
	if err := e.owner.QueryRow(t.Context(), "SELECT good_until FROM mcp_grant").Scan(&until); err != nil {
		t.Fatal(err)
	}
	if left = time.Until(until); left < refreshLife-time.Minute || left > refreshLife {
		t.Errorf("after a refresh %s are left", left)
	}
}
