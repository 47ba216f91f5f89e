package main

import (
	"net/http"

	"ams.internal/libs/fault"
)

// The first password. The link that an invited user is given has its token behind #, which browsers send to nobody: it stands
// in no log and no Referer. The page's script puts it into the form; without script people paste it there.

type welcomePage struct{ Form *form }

func showWelcome(v *visit) error { return v.askWelcome(http.StatusOK, &form{}) }

func (v *visit) askWelcome(status int, f *form) error {
	return v.show(status, "welcome", v.language.say("welcome.title"), welcomePage{f})
}

func welcome(v *visit) error {
	f := v.typed()
	token, password := f.Value("token"), v.r.PostFormValue("new_password")
	if token == "" {
		f.add("token", v.language.say("problem.token.missing"))
	}
	v.checkNewPassword(f, password)
	if f.wrong() {
		return v.askWelcome(http.StatusBadRequest, f)
	}
	tried := newAttempt("one-time link "+token, v.address)
	wait, err := v.begin(v.ctx(), tried)
	if err != nil {
		return err
	}
	if wait > 0 {
		return v.slowDown(f, "token", wait, func(f *form) error { return v.askWelcome(http.StatusTooManyRequests, f) })
	}
	var who signedInUser
	err = v.services.call(v.ctx(), v.ourselves(platform), "users", http.MethodPost, "/internal/users/first-password",
		map[string]any{"token": token, "new_password": password}, &who)
	if e := faultOf(err); e != nil && e.Kind == fault.KindTooMany {
		return v.slowDown(f, "token", e.RetryAfter, func(f *form) error { return v.askWelcome(http.StatusTooManyRequests, f) })
	} else if e != nil && e.Kind != fault.KindUnavailable {
		v.explainPassword(f, e)
		if !f.wrong() {
			f.add("token", v.language.say("problem.token.refused"))
		}
		return v.askWelcome(http.StatusBadRequest, f)
	}
	if err != nil {
		return err
	}
	if err := v.succeed(v.ctx(), tried); err != nil {
		return err
	}
	if err := v.open(who, "user.first_password_set"); err != nil {
		return err
	}
	return v.lead("/settings/keys?done=welcome")
}
