package console

import (
	"net/http"
	"strconv"
	"time"

	"ams.internal/libs/domain/contracts/users"
	"ams.internal/libs/fault"
	"ams.internal/libs/reference"
)

type signInPage struct {
	Form          *form
	Organizations []organization // to choose from, where the credentials match several
}

// organization is a tenant, with the fields that a page needs.
type organization struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

func showSignIn(req *pageRequest) error {
	if req.user != nil {
		return req.redirect("/settings/keys")
	}
	return req.showSignInForm(http.StatusOK, &form{}, nil)
}

func (req *pageRequest) showSignInForm(status int, f *form, among []organization) error {
	return req.show(status, "sign_in", req.language.translate("sign_in.title"), signInPage{f, among})
}

func signIn(req *pageRequest) error {
	f := req.readForm()
	email, password := f.Value("email"), req.r.PostFormValue("password")
	if email == "" {
		f.add("email", req.language.translate("problem.email.missing"))
	}
	if password == "" {
		f.add("password", req.language.translate("problem.password.missing"))
	}
	if f.hasProblems() {
		return req.showSignInForm(http.StatusBadRequest, f, nil)
	}
	tried := req.newAttempt(email)
	wait, err := req.beginAttempt(req.ctx(), tried)
	if err != nil {
		return err
	}
	if wait > 0 {
		return req.tooManyAttempts(f, "password", wait, func(f *form) error { return req.showSignInForm(http.StatusTooManyRequests, f, nil) })
	}
	credentials := users.Credentials{Email: email, Password: password}
	if chosen := f.Value("organization"); chosen != "" {
		credentials.Organization = &chosen
	}
	who, err := call(req, req.servicePrincipal(noOrganization), users.SignIn, credentials)
	switch e := faultOf(err); {
	case err == nil:
	case refusedWith(err, "organization_required"):
		return req.chooseOrganization(f, e.Allowed)
	case e != nil && (e.Kind == fault.KindUnauthenticated || e.Kind == fault.KindInvalid):
		f.add("password", req.language.translate("problem.sign_in"))
		return req.showSignInForm(http.StatusUnauthorized, f, nil)
	default:
		return err
	}
	if err := req.endAttempt(req.ctx(), tried); err != nil {
		return err
	}
	if err := req.openSessionFor(who, "user.signed_in"); err != nil {
		return err
	}
	return req.redirect("/settings/keys")
}

// tooManyAttempts shows the form with the time to wait. The password was not checked.
func (req *pageRequest) tooManyAttempts(f *form, field string, wait time.Duration, show func(f *form) error) error {
	seconds := max(1, int(wait/time.Second))
	req.w.Header().Set("Retry-After", strconv.Itoa(seconds))
	if seconds < 90 {
		f.add(field, req.language.count("problem.slow.seconds", seconds))
	} else {
		f.add(field, req.language.count("problem.slow.minutes", (seconds+59)/60))
	}
	return show(f)
}

// chooseOrganization shows the organizations that the credentials match.
func (req *pageRequest) chooseOrganization(f *form, ids []string) error {
	var among []organization
	for _, id := range ids {
		var one organization
		if err := req.services.call(req.ctx(), req.servicePrincipal(id), "gateway-internal", http.MethodGet,
			reference.OrganizationPath(id), nil, &one); err != nil {
			return err
		}
		among = append(among, one)
	}
	f.add("organization", req.language.translate("problem.organization"))
	return req.showSignInForm(http.StatusConflict, f, among)
}

// openSessionFor starts a session after a sign-in. The session is always a new one, so that a cookie from before the
// sign-in gives no access. The audit entry is written first.
func (req *pageRequest) openSessionFor(who users.SignedIn, action string) error {
	var where organization
	if err := req.services.call(req.ctx(), req.servicePrincipal(who.OrganizationID), "gateway-internal", http.MethodGet,
		reference.OrganizationPath(who.OrganizationID), nil, &where); err != nil {
		return err
	}
	req.session = &session{organization: who.OrganizationID, organizationName: where.Name, user: who.UserID,
		userName: who.Name, userRole: who.Role}
	var person struct {
		TimeZone string `json:"time_zone"`
		Locale   string `json:"locale"`
	}
	if err := req.callUsers(http.MethodGet, "/v1/users/"+who.UserID, nil, &person); err != nil {
		return err
	}
	req.session.zone = person.TimeZone
	if chosen := req.cookie(languageCookie); req.languages.of(chosen, "").Code == chosen {
		req.session.language = chosen
	}
	req.language = req.languages.of(req.session.language, person.Locale)
	if err := req.writeAudit(action, req.selfSubject(), nil); err != nil {
		return err
	}
	req.rememberBrowser(who.Email)
	return req.startSession()
}

// startSession stores the session and sets its cookie.
func (req *pageRequest) startSession() error {
	value, err := req.openSession(req.ctx(), req.session, req.address)
	if err != nil {
		return err
	}
	req.setCookie(sessionCookie, value, 12*time.Hour)
	req.setCookie(anonymousCookie, "", 0)
	req.setLanguageCookie()
	return nil
}

func signOut(req *pageRequest) error {
	if err := req.endSession(req.ctx(), req.session); err != nil {
		return err
	}
	req.audit("user.signed_out", req.selfSubject(), nil)
	req.setCookie(sessionCookie, "", 0)
	return req.redirect("/settings/sign-in?done=signed_out")
}

func signOutEverywhere(req *pageRequest) error {
	if err := req.endSessions(req.ctx(), req.session); err != nil {
		return err
	}
	req.audit("user.signed_out_everywhere", req.selfSubject(), nil)
	req.setCookie(sessionCookie, "", 0)
	return req.redirect("/settings/sign-in?done=signed_out_everywhere")
}
