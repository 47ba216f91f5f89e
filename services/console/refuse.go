package main

import (
	"errors"
	"net/http"
	"strconv"

	"ams.internal/libs/fault"
)

// refuse answers what cannot be done: a page that says so and what to do, and, where somebody tried what they
// may not, an entry in the audit trail.
func (v *visit) refuse(err error) {
	var tooLarge *http.MaxBytesError
	switch {
	case errors.Is(err, errNoSession):
		v.toSignIn("")
		return
	case errors.Is(err, errStale):
		v.note("session.refused", v.myself(), map[string]any{"path": v.r.URL.Path, "method": v.r.Method})
		v.setCookie(sessionCookie, "", 0)
		v.toSignIn("session_ended")
		return
	case errors.As(err, &tooLarge):
		err = fault.Invalid("too_large", "The form is too large.")
	}
	e := fault.From(err)
	if e.Kind == fault.KindInternal {
		v.log.ErrorContext(v.ctx(), "a page could not be shown", "path", v.r.Pattern, "error", err)
	}
	switch {
	case v.session == nil || !v.session.alive:
	case e == forged:
		v.note("form.refused", v.myself(), map[string]any{"path": v.r.URL.Path})
	case e == notAllowed:
		v.note("page.refused", v.myself(), map[string]any{"path": v.r.URL.Path})
	}
	if e.RetryAfter > 0 {
		v.w.Header().Set("Retry-After", strconv.Itoa(int(e.RetryAfter.Seconds())))
	}
	word := refusalWord(e)
	shown := refusalPage{Word: word, Request: v.request}
	if word == "conflict" || word == "invalid" {
		shown.Said = e.Message
	}
	if err := v.show(e.Status(), "refused", v.language.words["refused."+word+".title"], shown); err != nil {
		v.log.ErrorContext(v.ctx(), "the page of a refusal could not be shown", "error", err)
		http.Error(v.w, "Something went wrong on our side.", http.StatusInternalServerError)
	}
}

type refusalPage struct{ Word, Said, Request string }

// refusalWord names the page of a refusal.
func refusalWord(e *fault.Error) string {
	switch {
	case e == forged:
		return "forged"
	case e == notAllowed || e.Code == "administrator_needed":
		return "administrators"
	}
	switch e.Kind {
	case fault.KindNotFound:
		return "not_found"
	case fault.KindForbidden, fault.KindUnauthenticated:
		return "forbidden"
	case fault.KindConflict:
		return "conflict"
	case fault.KindInvalid:
		return "invalid"
	case fault.KindUnavailable:
		return "unavailable"
	}
	return "internal"
}

// note records a refusal. The refusal stands whether it can be recorded or not.
func (v *visit) note(action string, what subject, changes map[string]any) {
	if err := v.record(action, what, changes); err != nil {
		v.log.WarnContext(v.ctx(), "a refusal could not be written into the audit trail", "action", action, "error", err)
	}
}

// stranger records that an id was asked for that the organization does not have, and gives the refusal.
func (v *visit) stranger(kind, id string, err error) error {
	if e := faultOf(err); e != nil && (e.Kind == fault.KindNotFound || e.Kind == fault.KindInvalid) {
		v.note("record.refused", subject{kind, shortened(id), ""}, map[string]any{"path": v.r.URL.Path, "method": v.r.Method})
		return notFound
	}
	return err
}

// toSignIn leads to the sign-in, and from there back to the page that was asked for.
func (v *visit) toSignIn(notice string) {
	path := "/settings/sign-in"
	if notice != "" {
		path += "?done=" + notice
	}
	_ = v.lead(path)
}

// shortened keeps what somebody made up as an id from filling the trail.
func shortened(id string) string {
	const most = 64
	if letters := []rune(id); len(letters) > most {
		return string(letters[:most])
	}
	return id
}
