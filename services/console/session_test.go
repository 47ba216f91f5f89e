package console

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestASessionLivesTwelveHoursAndOneHourWithoutUse(t *testing.T) {
	f := newFixture(t)
	for name, test := range map[string]struct {
		statement string
		alive     bool
	}{
		"59 minutes without use":       {"UPDATE console.session SET used_at = now() - interval '59 minutes'", true},
		"61 minutes without use":       {"UPDATE console.session SET used_at = now() - interval '61 minutes'", false},
		"11 hours 59 minutes old":      {"UPDATE console.session SET created_at = now() - interval '11 hours 59 minutes'", true},
		"12 hours and a second old":    {"UPDATE console.session SET created_at = now() - interval '12 hours 1 second'", false},
		"ended, with the cookie still": {"UPDATE console.session SET ended_at = now()", false},
	} {
		b := f.signedIn()
		f.execute(test.statement)
		resp := b.get("/settings/account")
		if alive := resp.status == http.StatusOK; alive != test.alive {
			t.Errorf("%s: alive is %v", name, alive)
		}
		if !test.alive && resp.header.Get("Location") != "/settings/sign-in?done=session_ended" {
			t.Errorf("%s: leads to %s", name, resp.header.Get("Location"))
		}
		f.execute("DELETE FROM console.session")
	}
	if !f.recorded("session.refused") {
		t.Error("the trail does not say that ended sessions were used")
	}
}

func TestTheSessionsValueIsNotInTheDatabase(t *testing.T) {
	f := newFixture(t)
	b := f.signedIn()
	address, err := url.Parse(f.server.URL + "/settings")
	if err != nil {
		t.Fatal(err)
	}
	for _, cookie := range b.client.Jar.Cookies(address) {
		if cookie.Name != sessionCookie {
			continue
		}
		var count int
		if err := f.console.db.Pool().QueryRow(t.Context(), "SELECT count(*) FROM find_session($1)",
			hashOf(cookie.Value)).Scan(&count); err != nil || count != 1 {
			t.Errorf("the session is not found by its hash: %d %v", count, err)
		}
		if err := f.console.db.Pool().QueryRow(t.Context(), "SELECT count(*) FROM find_session($1)",
			[]byte(cookie.Value)).Scan(&count); err != nil || count != 0 {
			t.Errorf("the session is found by its value: %d %v", count, err)
		}
		return
	}
	t.Error("there is no cookie of the session")
}

func TestTheServiceSeesNoSessionOfAnotherOrganization(t *testing.T) {
	f := newFixture(t)
	f.signedIn()
	var seen int
	if err := f.console.db.Pool().QueryRow(t.Context(), "SELECT count(*) FROM session").Scan(&seen); err != nil || seen != 0 {
		t.Errorf("without an organization the service's role sees %d sessions (%v)", seen, err)
	}
	if _, err := f.console.db.Pool().Exec(t.Context(), "SELECT FROM sign_in_attempt"); err == nil {
		t.Error("the service's role reads the attempts")
	}
}

func TestSomebodyWhoIsSuspendedLosesTheSession(t *testing.T) {
	f := newFixture(t)
	b := f.signedIn()
	f.mu.Lock()
	f.users[adminID].Status = "suspended"
	f.mu.Unlock()
	if resp := b.get("/settings/keys"); resp.status != http.StatusSeeOther {
		t.Errorf("the page is shown: %d", resp.status)
	}
	f.mu.Lock()
	f.users[adminID].Status = "active"
	f.mu.Unlock()
	if resp := b.get("/settings/keys"); resp.status != http.StatusSeeOther {
		t.Error("the session came back with the user")
	}
}

func TestSomebodyWhoIsNoAdministratorAnyMoreSeesThatAtOnce(t *testing.T) {
	f := newFixture(t)
	b := f.signedIn()
	f.mu.Lock()
	f.users[adminID].Role = "viewer"
	f.mu.Unlock()
	if resp := b.get("/settings/keys"); resp.status != http.StatusForbidden ||
		!strings.Contains(resp.body, "Only Administrators manage keys") {
		t.Errorf("%d %.300s", resp.status, resp.body)
	}
	if resp := b.post("/settings/keys", url.Values{"name": {"x"}, "scopes": {"sites:read"}}); resp.status != http.StatusForbidden ||
		len(f.keys) > 0 {
		t.Errorf("a key was made: %d", resp.status)
	}
	if !f.recorded("page.refused") {
		t.Error("the trail does not say so")
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, p := range f.calls[len(f.calls)-3:] {
		if len(p.Scopes) > 0 && p.Scopes[0] == "administrator" {
			t.Errorf("the console vouched for %+v", p)
		}
	}
}

func TestSigningOutEverywhereEndsEverySession(t *testing.T) {
	f := newFixture(t)
	here, there := f.signedIn(), f.signedIn()
	if resp := here.get("/settings/account"); !strings.Contains(resp.body, "You are signed in in 2 browsers") {
		t.Error("the sessions are not counted")
	}
	here.post("/settings/sign-out-everywhere", nil)
	for name, b := range map[string]*browser{"here": here, "there": there} {
		if resp := b.get("/settings/keys"); resp.status != http.StatusSeeOther {
			t.Errorf("%s: %d", name, resp.status)
		}
	}
	if !f.recorded("user.signed_out_everywhere") {
		t.Error("the trail does not say so")
	}
	third := f.signedIn()
	third.post("/settings/sign-out", nil)
	if resp := third.get("/settings/keys"); resp.status != http.StatusSeeOther {
		t.Errorf("signed out: %d", resp.status)
	}
}

func TestSigningInTakesNoValueFromBefore(t *testing.T) {
	f := newFixture(t)
	b := f.browser()
	b.header.Set("Cookie", sessionCookie+"="+strings.Repeat("f", 43))
	resp := b.signIn("anne@example.ca", password)
	for _, cookie := range (&http.Response{Header: resp.header}).Cookies() {
		if cookie.Name == sessionCookie && cookie.Value == strings.Repeat("f", 43) {
			t.Error("the session has the value that the browser came with")
		}
	}
}

func TestTheCookieIsSecureExceptByPlainHTTPOnThisMachine(t *testing.T) {
	f := newFixture(t)
	for name, test := range map[string]struct {
		header http.Header
		secure bool
	}{
		"https":                        {http.Header{"X-Forwarded-Proto": {"https"}, "X-Forwarded-Host": {"api.example.ca"}}, true},
		"https on this machine":        {http.Header{"X-Forwarded-Proto": {"https"}, "X-Forwarded-Host": {"127.0.0.1:8080"}}, true},
		"http to 127.0.0.1":            {http.Header{"X-Forwarded-Proto": {"http"}, "X-Forwarded-Host": {"127.0.0.1:8080"}}, false},
		"http to localhost":            {http.Header{"X-Forwarded-Proto": {"http"}, "X-Forwarded-Host": {"localhost:8080"}}, false},
		"http to [::1]":                {http.Header{"X-Forwarded-Proto": {"http"}, "X-Forwarded-Host": {"[::1]:8080"}}, false},
		"http to another machine":      {http.Header{"X-Forwarded-Proto": {"http"}, "X-Forwarded-Host": {"10.1.2.3"}}, true},
		"http to localhost.example.ca": {http.Header{"X-Forwarded-Proto": {"http"}, "X-Forwarded-Host": {"localhost.example.ca"}}, true},
	} {
		b := f.browser()
		b.header = test.header
		for _, cookie := range (&http.Response{Header: b.get("/settings/sign-in").header}).Cookies() {
			if cookie.Secure != test.secure || !cookie.HttpOnly || cookie.Path != "/settings" || cookie.SameSite != http.SameSiteLaxMode {
				t.Errorf("%s: %+v", name, cookie)
			}
		}
	}
}

// from gives a browser at an address.
func (f *fixture) from(address string) *browser {
	b := f.browser()
	b.header.Set("X-Forwarded-For", address)
	return b
}

func TestAttemptsAreSlowedPerAccountAndAddress(t *testing.T) {
	f := newFixture(t)
	for i := range 5 {
		if resp := f.from("203.0.113.1").signIn("anne@example.ca", "wrong"); resp.status != http.StatusUnauthorized {
			t.Fatalf("attempt %d: %d", i, resp.status)
		}
	}
	resp := f.from("203.0.113.1").signIn(" Anne@Example.ca", password)
	if resp.status != http.StatusTooManyRequests || resp.header.Get("Retry-After") != "15" {
		t.Errorf("with the right password: %d, Retry-After %s", resp.status, resp.header.Get("Retry-After"))
	}
	f.execute("UPDATE console.sign_in_attempt SET last_at = last_at - interval '16 seconds'")
	if resp := f.from("203.0.113.1").signIn("anne@example.ca", "wrong"); resp.status != http.StatusUnauthorized {
		t.Errorf("after the pause: %d", resp.status)
	}
	if resp := f.from("203.0.113.1").signIn("anne@example.ca", password); resp.header.Get("Retry-After") != "30" {
		t.Errorf("the pause does not double: %s", resp.header.Get("Retry-After"))
	}
	if resp := f.from("203.0.113.1").signIn("marc@example.ca", "wrong"); resp.status != http.StatusUnauthorized {
		t.Errorf("another account from there: %d", resp.status)
	}
	// Strangers keep nobody out who is elsewhere.
	if resp := f.from("198.51.100.7").signIn("anne@example.ca", password); resp.status != http.StatusSeeOther {
		t.Errorf("from another address: %d", resp.status)
	}
	if resp := f.from("203.0.113.1").signIn("anne@example.ca", password); resp.status != http.StatusTooManyRequests {
		t.Errorf("somebody's sign-in ends the pause of the stranger: %d", resp.status)
	}
	f.execute("UPDATE console.sign_in_attempt SET last_at = last_at - interval '31 seconds'")
	if resp := f.from("203.0.113.1").signIn("anne@example.ca", password); resp.status != http.StatusSeeOther {
		t.Errorf("the right password after the pause: %d", resp.status)
	}
	if resp := f.from("203.0.113.1").signIn("anne@example.ca", "wrong"); resp.status != http.StatusUnauthorized {
		t.Errorf("signing in does not forget what was counted: %d", resp.status)
	}
}

func TestAttemptsAreSlowedPerAddress(t *testing.T) {
	f := newFixture(t)
	spray := func(i int) response {
		return f.from("2001:db8:1:2::"+string(rune('a'+i%6))).signIn("user"+string(rune('a'+i))+"@example.ca", "wrong")
	}
	for i := range 20 {
		if resp := spray(i); resp.status != http.StatusUnauthorized {
			t.Fatalf("attempt %d: %d", i, resp.status)
		}
	}
	if resp := spray(20); resp.status != http.StatusTooManyRequests {
		t.Errorf("the 21st of one network: %d", resp.status)
	}
}

// paused makes an account pause for browsers that are not known: strangers have guessed its password from very many addresses.
func (f *fixture) paused(email string) {
	f.t.Helper()
	for n := range 100 {
		if wait, err := f.console.beginAttempt(f.t.Context(), newAttempt(email, "198.51.100."+strconv.Itoa(n))); wait != 0 || err != nil {
			f.t.Fatalf("attempt %d: %s, %v", n, wait, err)
		}
	}
	if resp := f.from("203.0.113.200").signIn(email, password); resp.status != http.StatusTooManyRequests {
		f.t.Fatalf("the 101st attempt from very many addresses: %d", resp.status)
	}
}

func TestAKnownBrowserGetsInWhileTheAccountIsPaused(t *testing.T) {
	f := newFixture(t)
	known := f.signedIn()
	known.post("/settings/sign-out", nil)
	f.paused("anne@example.ca")
	known.header.Set("X-Forwarded-For", "198.51.100.1") // even where a stranger is
	if resp := known.signIn("anne@example.ca", password); resp.status != http.StatusSeeOther {
		t.Errorf("the known browser: %d", resp.status)
	}
	if resp := known.post("/settings/account/password", url.Values{"current_password": {"wrong"}, "new_password": {"long enough 1"},
		"repeated_password": {"long enough 1"}}); resp.status != http.StatusBadRequest {
		t.Errorf("changing the password there: %d", resp.status)
	}
	known.post("/settings/sign-out", nil)
	for range 4 { // the wrong one above counts
		if resp := known.signIn("anne@example.ca", "wrong"); resp.status != http.StatusUnauthorized {
			t.Fatalf("a wrong password: %d", resp.status)
		}
	}
	if resp := known.signIn("anne@example.ca", password); resp.status != http.StatusTooManyRequests || resp.header.Get("Retry-After") != "15" {
		t.Errorf("the sixth attempt of the known browser: %d", resp.status)
	}
}

func TestOnlyTheAccountsOwnBrowserIsKnown(t *testing.T) {
	f := newFixture(t)
	cookieOf := func(email string) string {
		b := f.from("192.0.2.1")
		for _, cookie := range (&http.Response{Header: b.signIn(email, password).header}).Cookies() {
			if cookie.Name == browserCookie {
				if !cookie.HttpOnly || cookie.SameSite != http.SameSiteLaxMode || cookie.Path != "/settings" || cookie.MaxAge != 365*24*3600 {
					t.Errorf("%+v", cookie)
				}
				return cookie.Value
			}
		}
		t.Fatalf("%s: no cookie", email)
		return ""
	}
	annes, marcs := cookieOf("anne@example.ca"), cookieOf("marc@example.ca")
	f.paused("anne@example.ca")
	parts := strings.Split(annes, ".")
	ended := f.console.browsers.sign(parts[0], "anne@example.ca", time.Now().Add(-time.Second))
	for name, test := range map[string]struct {
		cookie string
		status int
	}{
		"no cookie":              {"", http.StatusTooManyRequests},
		"that of another person": {marcs, http.StatusTooManyRequests},
		"another id":             {"x" + annes, http.StatusTooManyRequests},
		"a longer life":          {parts[0] + ".9" + parts[1] + "." + parts[2], http.StatusTooManyRequests},
		"no signature":           {parts[0] + "." + parts[1] + ".", http.StatusTooManyRequests},
		"one of another secret": {newBrowserSigner([]string{strings.Repeat("x", 32)}).sign(parts[0], "anne@example.ca", time.Now().Add(year)),
			http.StatusTooManyRequests},
		"one that has ended": {ended, http.StatusTooManyRequests},
		"nothing of ours":    {"a.b.c", http.StatusTooManyRequests},
		"the person's own":   {annes, http.StatusSeeOther},
	} {
		b := f.from("203.0.113.201")
		address, err := url.Parse(f.server.URL + "/settings")
		if err != nil {
			t.Fatal(err)
		}
		b.client.Jar.SetCookies(address, []*http.Cookie{{Name: browserCookie, Value: test.cookie, Path: "/settings"}})
		if resp := b.signIn("anne@example.ca", password); resp.status != test.status {
			t.Errorf("%s: %d, want %d", name, resp.status, test.status)
		}
	}
	b := f.from("203.0.113.202")
	b.header.Set("Cookie", browserCookie+"="+annes)
	if resp := b.get("/settings/keys"); resp.status != http.StatusSeeOther {
		t.Errorf("the cookie gives access: %d", resp.status)
	}
}

func TestManyAttemptsAtOnceAreCountedAll(t *testing.T) {
	f := newFixture(t)
	tried := newAttempt("anne@example.ca", "203.0.113.9")
	var free int
	var mu sync.Mutex
	var group sync.WaitGroup
	for range 40 {
		group.Go(func() {
			wait, err := f.console.beginAttempt(t.Context(), tried)
			if err != nil {
				t.Error(err)
			}
			if wait == 0 {
				mu.Lock()
				free++
				mu.Unlock()
			}
		})
	}
	group.Wait()
	if free != 5 {
		t.Errorf("%d of 40 attempts at once were free, want 5", free)
	}
}

func TestOldSessionsAndAttemptsAreForgotten(t *testing.T) {
	f := newFixture(t)
	f.signedIn()
	f.browser().signIn("anne@example.ca", "wrong")
	f.execute("UPDATE console.session SET created_at = now() - interval '31 days'")
	f.execute("UPDATE console.sign_in_attempt SET last_at = now() - interval '25 hours'")
	for _, table := range []string{"session", "sign_in_attempt"} {
		if err := f.console.db.Sweep(t.Context(), "console", table); err != nil {
			t.Fatal(err)
		}
	}
	var left int
	if err := f.console.db.Pool().QueryRow(t.Context(), "SELECT (SELECT count(*) FROM find_session('\\x00')) ").Scan(&left); err != nil ||
		left != 0 {
		t.Errorf("%d left: %v", left, err)
	}
}

func TestPasswordsAreCheckedAndChangedForAllSessions(t *testing.T) {
	f := newFixture(t)
	here, there := f.signedIn(), f.signedIn()
	change := func(current, next, again string) response {
		return here.post("/settings/account/password", url.Values{"current_password": {current}, "new_password": {next},
			"repeated_password": {again}})
	}
	for _, test := range []struct{ current, next, again, want string }{
		{"", "long enough 1", "long enough 1", "Enter your current password."},
		{password, "short", "short", "at least 12 characters"},
		{password, "long enough 1", "long enough 2", "The two passwords differ."},
		{"wrong", "long enough 1", "long enough 1", "This is not your current password."},
	} {
		if resp := change(test.current, test.next, test.again); resp.status != http.StatusBadRequest ||
			!strings.Contains(resp.body, test.want) || strings.Contains(resp.body, "long enough") {
			t.Errorf("%v: %d %.400s", test, resp.status, resp.body)
		}
	}
	time.Sleep(5 * time.Millisecond)
	if resp := change(password, "a new long password", "a new long password"); resp.status != http.StatusSeeOther {
		t.Fatalf("changing: %d %.600s", resp.status, resp.body)
	}
	if resp := here.get("/settings/keys"); resp.status != http.StatusOK {
		t.Errorf("here: %d", resp.status)
	}
	if resp := there.get("/settings/keys"); resp.status != http.StatusSeeOther {
		t.Errorf("there: %d", resp.status)
	}
	if !f.recorded("user.password_changed") {
		t.Error("the trail does not say so")
	}
}
