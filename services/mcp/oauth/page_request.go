package oauth

import (
	"bytes"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"ams.internal/libs/fault"
)

// pageRequest is one request of a browser.
type pageRequest struct {
	*Authorizer
	w        http.ResponseWriter
	r        *http.Request
	cookie   string // ties the page to this browser
	language *language
}

// pagePolicy allows the page our style sheet and nothing else. It has no form-action: some browsers apply that to the
// redirect after the form, and would block the redirect to the assistant.
const pagePolicy = "default-src 'none'; style-src 'self'; img-src 'self'; font-src 'self'; base-uri 'none'; frame-ancestors 'none'"

// newPageRequest sets the headers of a page. No page is stored, and its address is sent to nobody. There is no
// Cross-Origin-Opener-Policy, because assistants open the page in a window and wait for it.
func (a *Authorizer) newPageRequest(w http.ResponseWriter, r *http.Request) *pageRequest {
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
	req := &pageRequest{Authorizer: a, w: w, r: r, language: preferredLanguage("", r.Header.Get("Accept-Language"))}
	if cookie, err := r.Cookie(a.cookieName()); err == nil && len(cookie.Value) == cookieLength {
		req.cookie = cookie.Value
	}
	return req
}

const cookieLength = 43 // 32 random bytes

// cookieName is the cookie that ties a page to a browser. The prefix __Host- limits the cookie to this host and to
// https. Some browsers refuse it by plain http, which only this machine uses, so the name has no prefix there.
func (a *Authorizer) cookieName() string {
	if strings.HasPrefix(a.issuer, "https://") {
		return "__Host-ams_connect"
	}
	return "ams_connect"
}

// ensureCookie sets the cookie of a browser that has none. An existing cookie stays, so that a page in another tab stays
// valid.
func (req *pageRequest) ensureCookie() {
	if req.cookie != "" {
		return
	}
	req.cookie = encoded(randomBytes(32))
	http.SetCookie(req.w, &http.Cookie{ // #nosec G124 -- Secure, except by plain http to this machine
		Name: req.cookieName(), Value: req.cookie, Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode,
		Secure: strings.HasPrefix(req.issuer, "https://"),
	})
}

// connectView is the data of the templates.
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

// show writes the page with the field for the key.
func (req *pageRequest) show(status int, t *transaction, problem string) {
	req.ensureCookie()
	t.Language = req.language.Code
	req.write(status, "connect", connectView{
		Title: req.language.translate("connect.title"), Transaction: req.sealer.sealTransaction(req.cookie, t), Problem: problem,
		Client: t.ClientName, Publisher: t.Publisher, Host: t.Host, Local: t.Local(), ReadOnly: singleValue(req.r.PostForm, "read_only") != "",
	})
}

// refuse writes an error page without a form.
func (req *pageRequest) refuse(status int, word string) {
	req.write(status, "refused", connectView{Title: req.language.translate("refused.title"), Word: word,
		Request: requestSourceFrom(req.r.Context()).requestID})
}

// fail writes the error page of a failure on our side.
func (req *pageRequest) fail(err error) {
	e := fault.From(err)
	req.log.WarnContext(req.r.Context(), "an assistant could not be connected", "error", e.Error())
	req.retryLater(e.RetryAfter)
	req.refuse(http.StatusServiceUnavailable, "unavailable")
}

func (req *pageRequest) retryLater(after time.Duration) {
	req.w.Header().Set("Retry-After", strconv.Itoa(max(1, int(after/time.Second))))
}

// write renders the whole page before it sends anything, so that a failing template leaves no half page.
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
	_, _ = body.WriteTo(req.w) // the browser is gone; nobody reads the page
}

// redirectToClient sends the browser back to the assistant with the result, and with the issuer.
func (req *pageRequest) redirectToClient(t *transaction, query url.Values) {
	if t.State != "" {
		query.Set("state", t.State)
	}
	query.Set("iss", req.issuer)
	req.w.Header().Set("Location", withQuery(t.Redirect, query))
	req.w.WriteHeader(http.StatusSeeOther) // 303, so that the browser does not post the form with the key to the assistant
}
