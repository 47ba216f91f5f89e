package main

import (
	"net"
	"net/http"
	"strings"
	"time"
)

// The cookies. Only the session's opens anything.
const (
	sessionCookie    = "ams_session"
	anonymousCookie  = "ams_visit"      // ties the forms of somebody who is not signed in to their browser
	languageCookie   = "ams_language"   // of somebody who is not signed in: "fr" was chosen, "fr-kept" is left from a session
	appearanceCookie = "ams_appearance" // light or dark; without it the browser's setting holds
)

const year = 365 * 24 * time.Hour

func (req *pageRequest) cookie(name string) string {
	cookie, err := req.r.Cookie(name)
	if err != nil {
		return ""
	}
	return cookie.Value
}

// setCookie sets a cookie for these pages alone; life 0 is until the browser is closed, and an empty value ends it.
func (req *pageRequest) setCookie(name, value string, life time.Duration) {
	cookie := &http.Cookie{ // #nosec G124 -- Secure, except by plain http to this machine
		Name: name, Value: value, Path: "/settings", HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: !isPlainLoopback(req.r),
	}
	if cookie.MaxAge = int(life / time.Second); value == "" {
		cookie.MaxAge = -1
	}
	http.SetCookie(req.w, cookie)
}

// isPlainLoopback says whether the browser came by plain http to this machine itself: the one case in which a cookie
// may go without Secure.
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
