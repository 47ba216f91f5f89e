package console

import (
	"net"
	"net/http"
	"strings"
	"time"
)

// Names of the cookies. Only the session cookie gives access to anything.
const (
	sessionCookie    = "ams_session"
	anonymousCookie  = "ams_visit"      // ties the forms of an anonymous person to the browser
	languageCookie   = "ams_language"   // of an anonymous person: "fr" was chosen, "fr-kept" comes from a session
	appearanceCookie = "ams_appearance" // light or dark; without it the browser's setting applies
	browserCookie    = "ams_browser"    // of a browser that has signed in to an account: its attempts are counted apart
)

const year = 365 * 24 * time.Hour

func (req *pageRequest) cookie(name string) string {
	cookie, err := req.r.Cookie(name)
	if err != nil {
		return ""
	}
	return cookie.Value
}

// setCookie sets a cookie for these pages. A life of 0 lasts until the browser is closed, and an empty value deletes the
// cookie.
func (req *pageRequest) setCookie(name, value string, life time.Duration) {
	cookie := &http.Cookie{ // #nosec G124 -- Secure, except by plain http to this machine
		Name: name, Value: value, Path: "/settings", HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: !isPlainLoopback(req.r),
	}
	if cookie.MaxAge = int(life / time.Second); value == "" {
		cookie.MaxAge = -1
	}
	http.SetCookie(req.w, cookie)
}

// isPlainLoopback reports whether the browser used plain http to this machine. Only then may a cookie lack Secure.
func isPlainLoopback(r *http.Request) bool {
	host := r.Header.Get("X-Forwarded-Host")
	if host == "" {
		host = r.Host
	}
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	address := net.ParseIP(strings.Trim(host, "[]"))
	loopback := host == "localhost" || address != nil && address.IsLoopback()
	return loopback && r.Header.Get("X-Forwarded-Proto") != "https"
}
