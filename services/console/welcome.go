package console

import (
	"net/http"

	"ams.internal/libs/domain/contracts/users"
	"ams.internal/libs/fault"
)

// The first password. The link of an invited user has its token behind #, which browsers do not send, so that no log and
// no Referer contains it. The page's script puts the token into the form. Without the script people paste it.

type welcomePage struct{ Form *form }

func showWelcome(req *pageRequest) error { return req.showWelcomeForm(http.StatusOK, &form{}) }

func (req *pageRequest) showWelcomeForm(status int, f *form) error {
	return req.show(status, "welcome", req.language.translate("welcome.title"), welcomePage{f})
}

func welcome(req *pageRequest) error {
	f := req.readForm()
	token, password := f.Value("token"), req.r.PostFormValue("new_password")
	if token == "" {
		f.add("token", req.language.translate("problem.token.missing"))
	}
	req.checkNewPassword(f, password)
	if f.hasProblems() {
		return req.showWelcomeForm(http.StatusBadRequest, f)
	}
	tried := req.newAttempt("one-time link " + token)
	wait, err := req.beginAttempt(req.ctx(), tried)
	if err != nil {
		return err
	}
	if wait > 0 {
		return req.tooManyAttempts(f, "token", wait, func(f *form) error { return req.showWelcomeForm(http.StatusTooManyRequests, f) })
	}
	who, err := call(req, req.servicePrincipal(noOrganization), users.SetFirstPassword, users.FirstPassword{Token: token, New: password})
	if e := faultOf(err); e != nil && e.Kind == fault.KindRateLimited {
		return req.tooManyAttempts(f, "token", e.RetryAfter, func(f *form) error { return req.showWelcomeForm(http.StatusTooManyRequests, f) })
	} else if e != nil && e.Kind != fault.KindUnavailable {
		req.explainPassword(f, e)
		if !f.hasProblems() {
			f.add("token", req.language.translate("problem.token.refused"))
		}
		return req.showWelcomeForm(http.StatusBadRequest, f)
	}
	if err != nil {
		return err
	}
	if err := req.endAttempt(req.ctx(), tried); err != nil {
		return err
	}
	if err := req.openSessionFor(users.SignedIn{OrganizationID: who.OrganizationID, UserID: who.UserID, Name: who.Name,
		Email: who.Email, Role: who.Role}, "user.first_password_set"); err != nil {
		return err
	}
	return req.redirect("/settings/keys?done=welcome")
}
