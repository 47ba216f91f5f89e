package main

import (
	"net/http"
	"strings"

	"ams.internal/libs/fault"
)

const shortestPassword = 12

type accountPage struct {
	Form     *form
	Sessions int
}

func showAccount(v *visit) error { return v.askAccount(http.StatusOK, &form{}) }

func (v *visit) askAccount(status int, f *form) error {
	count, err := v.openSessions(v.ctx(), v.session)
	if err != nil {
		return err
	}
	return v.show(status, "account", v.language.say("account.title"), accountPage{f, count})
}

// changePassword also ends all the person's sessions, and begins a new one here: whoever knew the old password is out.
func changePassword(v *visit) error {
	f := v.typed()
	current, password := v.r.PostFormValue("current_password"), v.r.PostFormValue("new_password")
	if current == "" {
		f.add("current_password", v.language.say("problem.current_password.missing"))
	}
	v.checkNewPassword(f, password)
	if f.wrong() {
		return v.askAccount(http.StatusBadRequest, f)
	}
	tried := newAttempt(v.user.Email, v.address)
	wait, err := v.begin(v.ctx(), tried)
	if err != nil {
		return err
	}
	if wait > 0 {
		return v.slowDown(f, "current_password", wait, func(f *form) error { return v.askAccount(http.StatusTooManyRequests, f) })
	}
	err = v.services.call(v.ctx(), v.ourselves(v.session.organization), "users", http.MethodPost, "/internal/users/password",
		map[string]any{"user_id": v.user.ID, "current_password": current, "new_password": password}, nil)
	if e := faultOf(err); e != nil {
		switch {
		case e.Code == "wrong_password":
			f.add("current_password", v.language.say("problem.current_password.wrong"))
		case e.Kind == fault.KindTooMany:
			return v.slowDown(f, "current_password", e.RetryAfter, func(f *form) error { return v.askAccount(http.StatusTooManyRequests, f) })
		default:
			v.explainPassword(f, e)
		}
		if f.wrong() {
			return v.askAccount(http.StatusBadRequest, f)
		}
	}
	if err != nil {
		return err
	}
	if err := v.succeed(v.ctx(), tried); err != nil {
		return err
	}
	if err := v.endSessions(v.ctx(), v.session); err != nil {
		return err
	}
	if err := v.giveSession(); err != nil {
		return err
	}
	v.note("user.password_changed", v.myself(), nil)
	return v.leadWith("/settings/account", "password_changed")
}

// checkNewPassword finds what can be said without asking anybody.
func (v *visit) checkNewPassword(f *form, password string) {
	switch {
	case len([]rune(password)) < shortestPassword:
		f.add("new_password", v.language.say("problem.new_password.short", shortestPassword))
	case v.r.PostFormValue("repeated_password") != password:
		f.add("repeated_password", v.language.say("problem.repeated_password"))
	}
}

// explainPassword words what the users service objects to in a new password.
func (v *visit) explainPassword(f *form, e *fault.Error) {
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
		f.add("new_password", v.language.say(key))
	}
}
