package console

import (
	"net/http"
	"strings"

	"ams.internal/libs/domain/contracts/users"
	"ams.internal/libs/fault"
)

const minPassword = 12

type accountPage struct {
	Form     *form
	Sessions int
}

func showAccount(req *pageRequest) error { return req.showAccountForm(http.StatusOK, &form{}) }

func (req *pageRequest) showAccountForm(status int, f *form) error {
	count, err := req.openSessions(req.ctx(), req.session)
	if err != nil {
		return err
	}
	return req.show(status, "account", req.language.translate("account.title"), accountPage{f, count})
}

// changePassword also ends all sessions of the user and starts a new one here. This signs out anyone who knew the old
// password.
func changePassword(req *pageRequest) error {
	f := req.readForm()
	current, password := req.r.PostFormValue("current_password"), req.r.PostFormValue("new_password")
	if current == "" {
		f.add("current_password", req.language.translate("problem.current_password.missing"))
	}
	req.checkNewPassword(f, password)
	if f.hasProblems() {
		return req.showAccountForm(http.StatusBadRequest, f)
	}
	tried := req.newAttempt(req.user.Email)
	wait, err := req.beginAttempt(req.ctx(), tried)
	if err != nil {
		return err
	}
	if wait > 0 {
		return req.tooManyAttempts(f, "current_password", wait, func(f *form) error { return req.showAccountForm(http.StatusTooManyRequests, f) })
	}
	_, err = call(req, req.servicePrincipal(req.session.organization), users.ChangePassword,
		users.PasswordChange{UserID: req.user.ID, Current: current, New: password})
	if e := faultOf(err); e != nil {
		switch {
		case e.Code == "wrong_password":
			f.add("current_password", req.language.translate("problem.current_password.wrong"))
		case e.Kind == fault.KindRateLimited:
			return req.tooManyAttempts(f, "current_password", e.RetryAfter,
				func(f *form) error { return req.showAccountForm(http.StatusTooManyRequests, f) })
		default:
			req.explainPassword(f, e)
		}
		if f.hasProblems() {
			return req.showAccountForm(http.StatusBadRequest, f)
		}
	}
	if err != nil {
		return err
	}
	if err := req.endAttempt(req.ctx(), tried); err != nil {
		return err
	}
	if err := req.endSessions(req.ctx(), req.session); err != nil {
		return err
	}
	if err := req.startSession(); err != nil {
		return err
	}
	req.audit("user.password_changed", req.selfSubject(), nil)
	return req.redirectWithNotice("/settings/account", "password_changed")
}

// checkNewPassword finds the problems that need no call to the users service.
func (req *pageRequest) checkNewPassword(f *form, password string) {
	switch {
	case len([]rune(password)) < minPassword:
		f.add("new_password", req.language.translate("problem.new_password.short", minPassword))
	case req.r.PostFormValue("repeated_password") != password:
		f.add("repeated_password", req.language.translate("problem.repeated_password"))
	}
}

// explainPassword adds the problems that the users service found in a new password.
func (req *pageRequest) explainPassword(f *form, e *fault.Error) {
	for _, each := range e.Fields {
		if !strings.HasSuffix(each.Field, "new_password") {
			continue
		}
		key := "problem.new_password.refused"
		switch {
		case strings.Contains(each.Message, "e-mail"):
			key = "problem.new_password.email"
		case strings.Contains(each.Message, "current"):
			key = "problem.new_password.same"
		}
		f.add("new_password", req.language.translate(key))
	}
}
