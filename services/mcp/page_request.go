package main

import (
	"bytes"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"ams.internal/libs/fault"
)

// pageRequest is one request of a person's browser.
type pageRequest struct {
	*authorizer
	w        http.ResponseWriter
	r        *http.Request
	cookie   string // ties the page to this browser
	language *language
}

// pagePolicy lets the page have nothing but our style. There is no form-action in it: browsers that hold it against the
// redirect which answers the form would not let the access reach the assistant.
const pagePolicy = "default-src 'none'; style-src 'self'; img-src 'self'; font-src 'self'; base-uri 'none'; frame-ancestors 'none'"

// newPageRequest begins an answer to a browser. No page is ever stored, and what stands in its address is told to nobody. There is no
// Cross-Origin-Opener-Policy: assistants open the page in a window that they wait for.
func (a *authorizer) newPageRequest(w http.ResponseWriter, r *http.Request) *pageRequest {
	header := w.Header()
	header.Set("Content-Security-Policy", pagePolicy)
	header.Set("Cache-Control", "no-store")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("X-Frame-Options", "DENY")
	header.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=()")
	if strings.HasPrefix(a.issuer, "https://") {
		header.Set("Strict-Transport-Security", "max-age=31536000")
	}
	req := &pageRequest{authorizer: a, w: w, r: r, language: preferredLanguage("", r.Header.Get("Accept-Language"))}
	if cookie, err := r.Cookie(a.cookieName()); err == nil && len(cookie.Value) == cookieLength {
		req.cookie = cookie.Value
	}
	return req
}

const cookieLength = 43 // 32 random bytes

// cookieName: __Host- makes browsers hold the cookie to this host, to https and to being set by nobody else. By plain http,
// which is this machine itself, not all of them keep such a cookie, and there it has a plain name.
func (a *authorizer) cookieName() string {
	if strings.HasPrefix(a.issuer, "https://") {
		return "__Host-ams_connect"
	}
	return "ams_connect"
}

// ensureCookie gives the browser its cookie, unless it has one: a page in another tab stays good.
func (req *pageRequest) ensureCookie() {
	if req.cookie != "" {
		return
	}
	req.cookie = encoded(randomBytes(32))
	http.SetCookie(req.w, &http.Cookie{ // #nosec G124 -- Secure, except by plain http to this machine
		Name: req.cookieName(), Value: req.cookie, Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: strings.HasPrefix(req.issuer, "https://"),
	})
}

// connectView is what the templates are given.
type connectView struct {
	Language    *language
	Languages   []*language
	Title       string
	Transaction string
	Problem     string
	Client      string
	Publisher   string
	Host        string
	Local       bool
	ReadOnly    bool
	Word        string
	Request     string
}

// show writes the page on which the key is pasted.
func (req *pageRequest) show(status int, t *transaction, problem string) {
	req.ensureCookie()
	t.Language = req.language.Code
	req.write(status, "connect", connectView{
		Title: req.language.say("connect.title"), Transaction: req.sealer.sealTransaction(req.cookie, t), Problem: problem,
		Client: t.ClientName, Publisher: t.Publisher, Host: t.Host, Local: t.Local(), ReadOnly: singleValue(req.r.PostForm, "read_only") != "",
	})
}

// refuse writes the page that says what is wrong and leads nowhere.
func (req *pageRequest) refuse(status int, word string) {
	req.write(status, "refused", connectView{Title: req.language.say("refused.title"), Word: word, Request: requestSourceFrom(req.r.Context()).requestID})
}

// fail is refuse for what is our matter.
func (req *pageRequest) fail(err error) {
	e := fault.From(err)
	req.log.WarnContext(req.r.Context(), "an assistant could not be connected", "error", e.Error())
	req.retryLater(e.RetryAfter)
	req.refuse(http.StatusServiceUnavailable, "unavailable")
}

func (req *pageRequest) retryLater(after time.Duration) {
	req.w.Header().Set("Retry-After", strconv.Itoa(max(1, int(after/time.Second))))
}

// write makes the page whole first: a template that fails leaves no half of one.
func (req *pageRequest) write(status int, name string, view connectView) {
	view.Language, view.Languages = req.language, languages
	var body bytes.Buffer
	if err := req.language.pages.ExecuteTemplate(&body, name, view); err != nil {
		req.log.ErrorContext(req.r.Context(), "a page could not be made", "page", name, "error", err)
		http.Error(req.w, "Something went wrong on our side.", http.StatusInternalServerError)
		return
	}
	req.w.Header().Set("Content-Type", "text/html; charset=utf-8")
	req.w.Header().Set("Content-Language", req.language.Locale)
	req.w.WriteHeader(status)
	_, _ = body.WriteTo(req.w) // who hung up does not read the page either
}

// redirectToClient sends the browser back to the assistant, with an answer that says whose it is.
func (req *pageRequest) redirectToClient(t *transaction, query url.Values) {
	if t.State != "" {
		query.Set("state", t.State)
	}
	query.Set("iss", req.issuer)
	req.w.Header().Set("Location", withQuery(t.Redirect, query))
	req.w.WriteHeader(http.StatusSeeOther) // a form's answer must not be posted on, the key with it
}
