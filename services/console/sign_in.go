package main

import (
	"net/http"
	"strconv"
	"time"

	"ams.internal/libs/fault"
)

type signInPage struct {
	Form          *form
	Organizations []organization // to choose from, where e-mail address and password fit several
}

// organization is one tenant, as far as a page needs it.
type organization struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// signedInUser is the users service's answer to a right password, or to a first one.
type signedInUser struct {
	OrganizationID string `json:"organization_id"`
	UserID         string `json:"user_id"`
	Name           string `json:"name"`
	Email          string `json:"email"`
	Role           string `json:"role"`
}

func showSignIn(v *visit) error {
	if v.user != nil {
		return v.lead("/settings/keys")
	}
	return v.askSignIn(http.StatusOK, &form{}, nil)
}

func (v *visit) askSignIn(status int, f *form, among []organization) error {
	return v.show(status, "sign_in", v.language.say("sign_in.title"), signInPage{f, among})
}

func signIn(v *visit) error {
	f := v.typed()
	email, password := f.Value("email"), v.r.PostFormValue("password")
	if email == "" {
		f.add("email", v.language.say("problem.email.missing"))
	}
	if password == "" {
		f.add("password", v.language.say("problem.password.missing"))
	}
	if f.wrong() {
		return v.askSignIn(http.StatusBadRequest, f, nil)
	}
	tried := newAttempt(email, v.address)
	wait, err := v.begin(v.ctx(), tried)
	if err != nil {
		return err
	}
	if wait > 0 {
		return v.slowDown(f, "password", wait, func(f *form) error { return v.askSignIn(http.StatusTooManyRequests, f, nil) })
	}
	question := map[string]any{"email": email, "password": password}
	if chosen := f.Value("organization"); chosen != "" {
		question["organization_id"] = chosen
	}
	var who signedInUser
	err = v.services.call(v.ctx(), v.ourselves(platform), "users", http.MethodPost, "/internal/users/sign-in", question, &who)
	switch e := faultOf(err); {
	case err == nil:
	case refusedWith(err, "organization_required"):
		return v.chooseOrganization(f, e.Allowed)
	case e != nil && (e.Kind == fault.KindUnauthenticated || e.Kind == fault.KindInvalid):
		f.add("password", v.language.say("problem.sign_in"))
		return v.askSignIn(http.StatusUnauthorized, f, nil)
	default:
		return err
	}
	if err := v.succeed(v.ctx(), tried); err != nil {
		return err
	}
	if err := v.open(who, "user.signed_in"); err != nil {
		return err
	}
	return v.lead("/settings/keys")
}

// slowDown answers somebody who tried too often. The password was not looked at.
func (v *visit) slowDown(f *form, field string, wait time.Duration, show func(f *form) error) error {
	seconds := max(1, int(wait/time.Second))
	v.w.Header().Set("Retry-After", strconv.Itoa(seconds))
	if seconds < 90 {
		f.add(field, v.language.count("problem.slow.seconds", seconds))
	} else {
		f.add(field, v.language.count("problem.slow.minutes", (seconds+59)/60))
	}
	return show(f)
}

// chooseOrganization asks somebody whose e-mail address and password fit several organizations which one they mean.
func (v *visit) chooseOrganization(f *form, ids []string) error {
	var among []organization
	for _, id := range ids {
		var one organization
		if err := v.services.call(v.ctx(), v.ourselves(id), "gateway-internal", http.MethodGet, "/internal/organizations/"+id, nil, &one); err != nil {
			return err
		}
		among = append(among, one)
	}
	f.add("organization", v.language.say("problem.organization"))
	return v.askSignIn(http.StatusConflict, f, among)
}

// open begins a session: always a new one, so that no value from before the sign-in is worth anything after it. It is in the
// audit trail before it exists.
func (v *visit) open(who signedInUser, action string) error {
	var where organization
	if err := v.services.call(v.ctx(), v.ourselves(who.OrganizationID), "gateway-internal", http.MethodGet, "/internal/organizations/"+who.OrganizationID, nil, &where); err != nil {
		return err
	}
	v.session = &session{organization: who.OrganizationID, organizationName: where.Name, user: who.UserID, userName: who.Name, userRole: who.Role}
	var person struct {
		TimeZone string `json:"time_zone"`
		Locale   string `json:"locale"`
	}
	if err := v.people(http.MethodGet, "/v1/users/"+who.UserID, nil, &person); err != nil {
		return err
	}
	v.session.zone = person.TimeZone
	if chosen := v.cookie(languageCookie); v.languages.of(chosen, "").Code == chosen {
		v.session.language = chosen
	}
	v.language = v.languages.of(v.session.language, person.Locale)
	if err := v.record(action, v.myself(), nil); err != nil {
		return err
	}
	return v.giveSession()
}

// giveSession keeps the session and gives its value to the browser.
func (v *visit) giveSession() error {
	value, err := v.openSession(v.ctx(), v.session, v.address)
	if err != nil {
		return err
	}
	v.setCookie(sessionCookie, value, 12*time.Hour)
	v.setCookie(visitCookie, "", 0)
	v.keepLanguage()
	return nil
}

func signOut(v *visit) error {
	if err := v.endSession(v.ctx(), v.session); err != nil {
		return err
	}
	v.note("user.signed_out", v.myself(), nil)
	v.setCookie(sessionCookie, "", 0)
	return v.lead("/settings/sign-in?done=signed_out")
}

func signOutEverywhere(v *visit) error {
	if err := v.endSessions(v.ctx(), v.session); err != nil {
		return err
	}
	v.note("user.signed_out_everywhere", v.myself(), nil)
	v.setCookie(sessionCookie, "", 0)
	return v.lead("/settings/sign-in?done=signed_out_everywhere")
}
