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

// visit is one request of a person's browser.
type visit struct {
	*door
	w       http.ResponseWriter
	r       *http.Request
	cookie  string // ties the page to this browser
	wording *wording
}

// pagePolicy lets the page have nothing but our style. There is no form-action in it: browsers that hold it against the
// redirect which answers the form would not let the access reach the assistant.
const pagePolicy = "default-src 'none'; style-src 'self'; img-src 'self'; font-src 'self'; base-uri 'none'; frame-ancestors 'none'"

// visit begins an answer to a browser. No page is ever stored, and what stands in its address is told to nobody. There is no
// Cross-Origin-Opener-Policy: assistants open the page in a window that they wait for.
func (d *door) visit(w http.ResponseWriter, r *http.Request) *visit {
	header := w.Header()
	header.Set("Content-Security-Policy", pagePolicy)
	header.Set("Cache-Control", "no-store")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("X-Frame-Options", "DENY")
	header.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=()")
	if strings.HasPrefix(d.issuer, "https://") {
		header.Set("Strict-Transport-Security", "max-age=31536000")
	}
	v := &visit{door: d, w: w, r: r, wording: preferred("", r.Header.Get("Accept-Language"))}
	if cookie, err := r.Cookie(d.cookieName()); err == nil && len(cookie.Value) == cookieLength {
		v.cookie = cookie.Value
	}
	return v
}

const cookieLength = 43 // 32 random bytes

// cookieName: __Host- makes browsers hold the cookie to this host, to https and to being set by nobody else. By plain http,
// which is this machine itself, not all of them keep such a cookie, and there it has a plain name.
func (d *door) cookieName() string {
	if strings.HasPrefix(d.issuer, "https://") {
		return "__Host-ams_connect"
	}
	return "ams_connect"
}

// bind gives the browser its cookie, unless it has one: a page in another tab stays good.
func (v *visit) bind() {
	if v.cookie != "" {
		return
	}
	v.cookie = encoded(randomBytes(32))
	http.SetCookie(v.w, &http.Cookie{ // #nosec G124 -- Secure, except by plain http to this machine
		Name: v.cookieName(), Value: v.cookie, Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: strings.HasPrefix(v.issuer, "https://"),
	})
}

// connectView is what the templates are given.
type connectView struct {
	Wording     *wording
	Wordings    []*wording
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
func (v *visit) show(status int, t *transaction, problem string) {
	v.bind()
	t.Language = v.wording.Code
	v.write(status, "connect", connectView{
		Title: v.wording.say("connect.title"), Transaction: v.sealer.sealTransaction(v.cookie, t), Problem: problem,
		Client: t.ClientName, Publisher: t.Publisher, Host: t.Host, Local: t.Local(), ReadOnly: only(v.r.PostForm, "read_only") != "",
	})
}

// refuse writes the page that says what is wrong and leads nowhere.
func (v *visit) refuse(status int, word string) {
	v.write(status, "refused", connectView{Title: v.wording.say("refused.title"), Word: word, Request: arrivalFrom(v.r.Context()).request})
}

// fail is refuse for what is our matter.
func (v *visit) fail(err error) {
	e := fault.From(err)
	v.log.WarnContext(v.r.Context(), "an assistant could not be connected", "error", e.Error())
	v.retryLater(e.RetryAfter)
	v.refuse(http.StatusServiceUnavailable, "unavailable")
}

func (v *visit) retryLater(after time.Duration) {
	v.w.Header().Set("Retry-After", strconv.Itoa(max(1, int(after/time.Second))))
}

// write makes the page whole first: a template that fails leaves no half of one.
func (v *visit) write(status int, name string, view connectView) {
	view.Wording, view.Wordings = v.wording, wordings
	var body bytes.Buffer
	if err := v.wording.pages.ExecuteTemplate(&body, name, view); err != nil {
		v.log.ErrorContext(v.r.Context(), "a page could not be made", "page", name, "error", err)
		http.Error(v.w, "Something went wrong on our side.", http.StatusInternalServerError)
		return
	}
	v.w.Header().Set("Content-Type", "text/html; charset=utf-8")
	v.w.Header().Set("Content-Language", v.wording.Locale)
	v.w.WriteHeader(status)
	_, _ = body.WriteTo(v.w) // who hung up does not read the page either
}

// leave sends the browser back to the assistant, with an answer that says whose it is.
func (v *visit) leave(t *transaction, answer url.Values) {
	if t.State != "" {
		answer.Set("state", t.State)
	}
	answer.Set("iss", v.issuer)
	v.w.Header().Set("Location", withAnswer(t.Redirect, answer))
	v.w.WriteHeader(http.StatusSeeOther) // a form's answer must not be posted on, the key with it
}
