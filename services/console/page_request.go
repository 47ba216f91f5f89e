package console

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"time"

	"ams.internal/libs/domain/contracts/users"
	"ams.internal/libs/fault"
	"ams.internal/libs/principal"
	"ams.internal/libs/reference"
	"ams.internal/libs/telemetry"
	"ams.internal/libs/transport"
)

// pageRequest is one request of a browser.
type pageRequest struct {
	*console
	w http.ResponseWriter
	r *http.Request

	requestID  string // X-Request-Id
	address    string // client address
	formSecret string // cookie value that the form token is derived from
	session    *session
	user       *user
	language   *language
	zone       *time.Location
	cachedPlan *planResponse // set by the first call of plan
	test       bool          // the page is about the organization's sandbox
}

// user is the signed-in person as the users service returned it for this request.
type user struct {
	ID     string
	Email  string
	Name   string
	Role   string
	Locale string
}

// Administers reports whether the user is an Administrator.
func (u *user) Administers() bool { return u.Role == "administrator" }

// Errors with a page of their own.
var (
	notFound     = fault.New(fault.KindNotFound, "not_found", "There is no such page.")
	forged       = fault.Forbidden("form_refused", "The form did not come from a page of ours.")
	notAllowed   = fault.Forbidden("administrator_needed", "Only Administrators may do this.")
	errStale     = errors.New("the session has ended")
	errNoSession = errors.New("nobody is signed in")
)

// serve does what every page needs, in this order: identify the user, check the form token, check the role.
func (c *console) serve(who access, do action) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		req := c.accept(w, r)
		err := req.authorize(who)
		if err == nil {
			err = req.inPlace(do)
		}
		if err != nil {
			req.refuse(err)
		}
		if telemetry.IsRecorded(w) {
			telemetry.AddPrincipal(w, principal.From(req.ctx()))
		}
	})
}

// accept returns the request of a browser, before anything is known of the user.
func (c *console) accept(w http.ResponseWriter, r *http.Request) *pageRequest {
	req := &pageRequest{console: c, w: w, requestID: r.Header.Get("X-Request-Id"), zone: time.UTC}
	ctx := withKnownCells(telemetry.WithRequestID(r.Context(), req.requestID))
	if p, err := c.services.client.Signer.Verify(r.Header.Get(principal.Header)); err == nil { // the gateway pinned the request
		ctx = principal.Into(ctx, p)
	}
	req.r = r.WithContext(ctx)
	req.address = transport.ClientAddress(r)
	req.language = c.languages.preferred(req.cookie(languageCookie), r.Header.Get("Accept-Language"))
	return req
}

func (req *pageRequest) ctx() context.Context { return req.r.Context() }

// authorize returns an error where the user may not open the page, or the form is not from one of our pages.
func (req *pageRequest) authorize(who access) error {
	if err := req.identify(); err != nil && (who != anyone || !errors.Is(err, errStale) && !errors.Is(err, errNoSession)) {
		return err
	}
	if req.r.Method != http.MethodGet && req.r.Method != http.MethodHead && !req.hasFormToken() {
		return forged
	}
	if who == administrators && !req.user.Administers() {
		return notAllowed
	}
	return nil
}

// identify finds the session and its user. An anonymous person gets a cookie for the form tokens.
func (req *pageRequest) identify() error {
	value := req.cookie(sessionCookie)
	found, err := req.findSession(req.ctx(), value)
	if err != nil {
		return err
	}
	if found == nil || !found.alive {
		if req.formSecret = req.cookie(anonymousCookie); len(req.formSecret) < 40 {
			req.formSecret = randomValue()
			req.setCookie(anonymousCookie, req.formSecret, 0)
		}
		if found == nil {
			return errNoSession
		}
		req.session = found // for the audit trail
		return errStale
	}
	req.session, req.formSecret = found, value
	signedIn := req.principal()
	forLog := principal.Principal{OrganizationID: signedIn.OrganizationID, Actor: signedIn.Actor, RequestID: req.requestID} // no permissions
	req.r = req.r.WithContext(principal.Into(req.ctx(), forLog))
	began := found.created.UTC().Format(time.RFC3339Nano)
	now, err := call(req, req.principal(), users.Session, users.SessionRequest{UserID: found.user, Since: &began})
	person := user{ID: now.UserID, Email: now.Email, Name: now.Name, Role: now.Role, Locale: now.Locale}
	if refusedWith(err, "session_ended") {
		return req.endStaleSession()
	}
	if e := faultOf(err); e != nil && e.Kind == fault.KindUnavailable && worksWithoutUsers[req.r.Pattern] {
		person, err = user{ID: found.user, Name: found.userName, Role: found.userRole, Locale: req.language.Locale}, nil
	}
	if err != nil {
		return err
	}
	req.user, req.session.userName = &person, person.Name
	req.language = req.languages.of(found.language, person.Locale)
	if zone, err := time.LoadLocation(found.zone); err == nil {
		req.zone = zone
	}
	return nil
}

// worksWithoutUsers are the pages that trust the role at the sign-in while the users service is unavailable. A leaked
// key must be revocable at any time, and failing calls must be stoppable. None of these pages gives anyone a permission
// that they did not have.
var worksWithoutUsers = map[string]bool{
	"GET /settings/keys": true, "GET /settings/keys/{key}": true, "POST /settings/keys/{key}/suspend": true,
	"GET /settings/keys/{key}/revoke": true, "POST /settings/keys/{key}/revoke": true,
	"GET /settings/webhooks": true, "GET /settings/webhooks/{endpoint}": true, "POST /settings/webhooks/{endpoint}/pause": true,
	"GET /settings/assistants": true, "GET /settings/assistants/{assistant}/disconnect": true,
	"POST /settings/assistants/{assistant}/disconnect": true,
	"GET /settings/sandbox/keys":                       true, "GET /settings/sandbox/keys/{key}": true,
	"POST /settings/sandbox/keys/{key}/suspend": true, "GET /settings/sandbox/keys/{key}/revoke": true,
	"POST /settings/sandbox/keys/{key}/revoke": true, "POST /settings/sign-out": true, "POST /settings/sign-out-everywhere": true,
}

// endStaleSession ends the session of a user who was suspended or removed, or whose password was changed elsewhere.
func (req *pageRequest) endStaleSession() error {
	if err := req.endSession(req.ctx(), req.session); err != nil {
		return err
	}
	return errStale
}

// principal is the signed-in person at their address.
func (req *pageRequest) principal() principal.Principal {
	p := req.session.principal()
	p.RequestID, p.Address = req.requestID, req.address
	p.Scopes = []string{"member", "users:read"}
	if req.user != nil && req.user.Administers() { // as the users service returned it for this request
		p.Scopes = []string{"administrator", "users:read", "users:write"}
	}
	return p
}

// servicePrincipal is the console as the actor: for passwords, and before the sign-in.
func (req *pageRequest) servicePrincipal(organization string) principal.Principal {
	return principal.Principal{OrganizationID: organization, Actor: principal.Actor{Type: "service", ID: "console", Name: "Settings screens"},
		RequestID: req.requestID, Address: req.address}
}

// callGateway calls the gateway's internal listener about the organization that the page is about. The path is below the organization.
func (req *pageRequest) callGateway(method, path string, in, out any) error {
	return req.callOrganization(req.organization(), method, path, in, out)
}

func (req *pageRequest) callOrganization(organization, method, path string, in, out any) error {
	return req.services.call(req.ctx(), req.principal(), "gateway-internal", method, reference.OrganizationPath(organization)+path, in, out)
}

// organization is what the page is about: the person's organization or its sandbox, which the same people administer.
func (req *pageRequest) organization() string {
	if req.test {
		return principal.SandboxOf(req.session.organization)
	}
	return req.session.organization
}

// base is where the pages are that are about the same organization as this one.
func (req *pageRequest) base() string {
	if req.test {
		return "/settings/sandbox"
	}
	return "/settings"
}

// callUsers calls the users service on the person's behalf.
func (req *pageRequest) callUsers(method, path string, in, out any) error {
	return req.services.call(req.ctx(), req.principal(), "users", method, path, in, out)
}

// subject is the object of an audited action.
type subject struct {
	Type string `json:"type"`
	ID   string `json:"id"`
	Name string `json:"name"`
}

func (req *pageRequest) selfSubject() subject {
	return subject{"user", req.session.user, req.session.userName}
}

// writeAudit writes an entry to the organization's audit trail.
func (req *pageRequest) writeAudit(action string, what subject, changes map[string]any) error {
	if changes == nil {
		changes = map[string]any{}
	}
	return req.callOrganization(req.session.organization, http.MethodPost, "/audit", map[string]any{"action": action, "subject": what,
		"changes": changes, "address": req.address}, nil)
}

// redirect sends the browser to another of our pages.
func (req *pageRequest) redirect(path string) error {
	http.Redirect(req.w, req.r, path, http.StatusSeeOther) // #nosec G710 -- returnPath() and the ids of services keep it ours
	return nil
}

// redirectWithNotice redirects to a page that shows a notice: the last part of a message key.
func (req *pageRequest) redirectWithNotice(path, notice string) error {
	return req.redirect(path + "?" + url.Values{"done": {notice}}.Encode())
}
