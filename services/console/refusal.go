package console

import (
	"errors"
	"net/http"
	"strconv"

	"ams.internal/libs/fault"
)

// refuse writes the error page of a request. An attempt without permission is recorded in the audit trail.
func (req *pageRequest) refuse(err error) {
	var tooLarge *http.MaxBytesError
	switch {
	case errors.Is(err, errNoSession):
		req.redirectToSignIn("")
		return
	case errors.Is(err, errStale):
		req.audit("session.refused", req.selfSubject(), map[string]any{"path": req.r.URL.Path, "method": req.r.Method})
		req.setCookie(sessionCookie, "", 0)
		req.redirectToSignIn("session_ended")
		return
	case errors.As(err, &tooLarge):
		err = fault.Invalid("too_large", "The form is too large.")
	}
	e := fault.From(err)
	if e.Kind == fault.KindInternal {
		req.log.ErrorContext(req.ctx(), "a page could not be shown", "path", req.r.Pattern, "error", err)
	}
	switch {
	case req.session == nil || !req.session.alive:
	case e == forged:
		req.audit("form.refused", req.selfSubject(), map[string]any{"path": req.r.URL.Path})
	case e == notAllowed:
		req.audit("page.refused", req.selfSubject(), map[string]any{"path": req.r.URL.Path})
	}
	if e.RetryAfter > 0 {
		req.w.Header().Set("Retry-After", strconv.Itoa(int(e.RetryAfter.Seconds())))
	}
	word := refusalWord(e)
	shown := refusalPage{Word: word, Request: req.requestID}
	if word == "conflict" || word == "invalid" {
		shown.Detail = e.Message
	}
	if err := req.show(e.Status(), "refused", req.language.words["refused."+word+".title"], shown); err != nil {
		req.log.ErrorContext(req.ctx(), "the page of a refusal could not be shown", "error", err)
		http.Error(req.w, "Something went wrong on our side.", http.StatusInternalServerError)
	}
}

type refusalPage struct{ Word, Detail, Request string }

// refusalWord selects the messages of an error page.
func refusalWord(e *fault.Error) string {
	switch {
	case e == forged:
		return "forged"
	case e == notAllowed || e.Code == "administrator_needed":
		return "administrators"
	case e.Code == "organization_suspended":
		return "suspended"
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
	case fault.KindRateLimited:
		return "too_many"
	case fault.KindUnavailable:
		return "unavailable"
	}
	return "internal"
}

// audit writes an entry to the audit trail. A failure is only logged, because the action is done already.
func (req *pageRequest) audit(action string, what subject, changes map[string]any) {
	if err := req.writeAudit(action, what, changes); err != nil {
		req.log.WarnContext(req.ctx(), "a refusal could not be written into the audit trail", "action", action, "error", err)
	}
}

// refuseUnknown records a request for an id that the organization does not have, and returns the error of its page.
func (req *pageRequest) refuseUnknown(kind, id string, err error) error {
	if e := faultOf(err); e != nil && (e.Kind == fault.KindNotFound || e.Kind == fault.KindInvalid) {
		req.audit("record.refused", subject{kind, truncateID(id), ""}, map[string]any{"path": req.r.URL.Path, "method": req.r.Method})
		return notFound
	}
	return err
}

// redirectToSignIn redirects to the sign-in page, with a notice where there is one.
func (req *pageRequest) redirectToSignIn(notice string) {
	path := "/settings/sign-in"
	if notice != "" {
		path += "?done=" + notice
	}
	_ = req.redirect(path)
}

// truncateID limits the length of an invalid id in the audit trail.
func truncateID(id string) string {
	const maxLength = 64
	if letters := []rune(id); len(letters) > maxLength {
		return string(letters[:maxLength])
	}
	return id
}
