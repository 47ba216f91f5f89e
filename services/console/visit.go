package main

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"time"

	"ams.internal/libs/fault"
	"ams.internal/libs/principal"
	"ams.internal/libs/telemetry"
	"ams.internal/libs/transport"
)

// visit is one request of one browser.
type visit struct {
	*console
	w http.ResponseWriter
	r *http.Request

	request  string // X-Request-Id
	address  string // where the browser is
	owner    string // the cookie's value that forms are tied to
	session  *session
	user     *user
	language *language
	zone     *time.Location
	planned  *planAnswer // what the organization has, once it was asked for
}

// user is the person, as the users service knows them now.
type user struct {
	ID     string `json:"user_id"`
	Email  string `json:"email"`
	Name   string `json:"name"`
	Role   string `json:"role"`
	Locale string `json:"locale"`
}

// Administers says whether the user may see the screens.
func (u *user) Administers() bool { return u.Role == "administrator" }

// The refusals that lead to a page of their own.
var (
	notFound     = fault.New(fault.KindNotFound, "not_found", "There is no such page.")
	forged       = fault.Forbidden("form_refused", "The form did not come from a page of ours.")
	notAllowed   = fault.Forbidden("administrator_needed", "Only Administrators may do this.")
	errStale     = errors.New("the session has ended")
	errNoSession = errors.New("nobody is signed in")
)

// serve does what every request needs, in this order: who is it, did the form come from us, may they.
func (c *console) serve(who access, do action) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v := c.arrive(w, r)
		err := v.enter(who)
		if err == nil {
			err = do(v)
		}
		if err != nil {
			v.refuse(err)
		}
		if telemetry.Recorded(w) {
			telemetry.DescribePrincipal(w, principal.From(v.ctx()))
		}
	})
}

func (c *console) arrive(w http.ResponseWriter, r *http.Request) *visit {
	v := &visit{console: c, w: w, request: r.Header.Get("X-Request-Id"), zone: time.UTC}
	ctx := telemetry.WithRequestID(r.Context(), v.request)
	if p, err := c.services.client.Signer.Verify(r.Header.Get(principal.Header)); err == nil { // the gateway says that the request is pinned
		ctx = principal.Into(ctx, p)
	}
	v.r = r.WithContext(ctx)
	v.address = transport.ClientAddress(r)
	v.language = c.languages.preferred(v.cookie(languageCookie), r.Header.Get("Accept-Language"))
	return v
}

func (v *visit) ctx() context.Context { return v.r.Context() }

func (v *visit) enter(who access) error {
	if err := v.identify(); err != nil && (who != everybody || !errors.Is(err, errStale) && !errors.Is(err, errNoSession)) {
		return err
	}
	if v.r.Method != http.MethodGet && v.r.Method != http.MethodHead && !v.genuine() {
		return forged
	}
	if who == administrators && !v.user.Administers() {
		return notAllowed
	}
	return nil
}

// identify finds the session and its user. Somebody who is not signed in gets a cookie of the visit for their forms.
func (v *visit) identify() error {
	value := v.cookie(sessionCookie)
	found, err := v.findSession(v.ctx(), value)
	if err != nil {
		return err
	}
	if found == nil || !found.alive {
		if v.owner = v.cookie(visitCookie); len(v.owner) < 40 {
			v.owner = randomValue()
			v.setCookie(visitCookie, v.owner, 0)
		}
		if found == nil {
			return errNoSession
		}
		v.session = found // whose it was, for the audit trail
		return errStale
	}
	v.session, v.owner = found, value
	whose := v.principal()
	v.r = v.r.WithContext(principal.Into(v.ctx(), principal.Principal{OrganizationID: whose.OrganizationID, Actor: whose.Actor, RequestID: v.request})) // for the log: it allows nothing
	var person user
	err = v.services.call(v.ctx(), v.principal(), "users", http.MethodPost, "/internal/users/session",
		map[string]any{"user_id": found.user, "since": found.created.UTC().Format(time.RFC3339Nano)}, &person)
	if refusedWith(err, "session_ended") {
		return v.expel()
	}
	if e := faultOf(err); e != nil && e.Kind == fault.KindUnavailable && takesAway[v.r.Pattern] {
		person, err = user{ID: found.user, Name: found.userName, Role: found.userRole, Locale: v.language.Locale}, nil
	}
	if err != nil {
		return err
	}
	v.user, v.session.userName = &person, person.Name
	v.language = v.languages.of(found.language, person.Locale)
	if zone, err := time.LoadLocation(found.zone); err == nil {
		v.zone = zone
	}
	return nil
}

// takesAway are the pages that work on the word of the sign-in while the users service is away: it must be possible at any
// time to revoke a leaked key and to stop calls that go wrong, and nothing here gives anybody more than they had.
var takesAway = map[string]bool{
	"GET /settings/keys": true, "GET /settings/keys/{key}": true, "POST /settings/keys/{key}/suspend": true,
	"GET /settings/keys/{key}/revoke": true, "POST /settings/keys/{key}/revoke": true,
	"GET /settings/webhooks": true, "GET /settings/webhooks/{endpoint}": true, "POST /settings/webhooks/{endpoint}/pause": true,
	"GET /settings/assistants": true, "GET /settings/assistants/{assistant}/disconnect": true, "POST /settings/assistants/{assistant}/disconnect": true,
	"POST /settings/sign-out": true, "POST /settings/sign-out-everywhere": true,
}

// expel ends the session of somebody who was suspended or removed since, or whose password was changed elsewhere.
func (v *visit) expel() error {
	if err := v.endSession(v.ctx(), v.session); err != nil {
		return err
	}
	return errStale
}

// principal is the signed-in person, from where they are.
func (v *visit) principal() principal.Principal {
	p := v.session.principal()
	p.RequestID, p.Address = v.request, v.address
	p.Scopes = []string{"member", "users:read"}
	if v.user != nil && v.user.Administers() { // as the users service said for this very request
		p.Scopes = []string{"administrator", "users:read", "users:write"}
	}
	return p
}

// ourselves is the console on its own behalf: for passwords, and before anybody is signed in.
func (v *visit) ourselves(organization string) principal.Principal {
	return principal.Principal{OrganizationID: organization, Actor: principal.Actor{Type: "service", ID: "console", Name: "Settings screens"},
		RequestID: v.request, Address: v.address}
}

// gateway calls the gateway's internal listener about the person's organization; path begins after its id.
func (v *visit) gateway(method, path string, in, out any) error {
	return v.services.call(v.ctx(), v.principal(), "gateway-internal", method, "/internal/organizations/"+v.session.organization+path, in, out)
}

// people calls the users service on the person's behalf.
func (v *visit) people(method, path string, in, out any) error {
	return v.services.call(v.ctx(), v.principal(), "users", method, path, in, out)
}

// subject is what an audited action was done to.
type subject struct {
	Type string `json:"type"`
	ID   string `json:"id"`
	Name string `json:"name"`
}

func (v *visit) myself() subject { return subject{"user", v.session.user, v.session.userName} }

// record writes an entry into the organization's audit trail.
func (v *visit) record(action string, what subject, changes map[string]any) error {
	if changes == nil {
		changes = map[string]any{}
	}
	return v.gateway(http.MethodPost, "/audit", map[string]any{"action": action, "subject": what, "changes": changes, "address": v.address}, nil)
}

// lead sends the browser to another page of ours.
func (v *visit) lead(path string) error {
	http.Redirect(v.w, v.r, path, http.StatusSeeOther) // #nosec G710 -- back() and the ids of services keep it ours
	return nil
}

// leadWith is lead with a notice there: the last part of a key of the catalogue.
func (v *visit) leadWith(path, notice string) error {
	return v.lead(path + "?" + url.Values{"done": {notice}}.Encode())
}
