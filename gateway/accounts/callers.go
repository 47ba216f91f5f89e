package accounts

import (
	"crypto/subtle"
	"net/http"
	"strings"

	"ams.internal/gateway/keys"
	"ams.internal/libs/fault"
	"ams.internal/libs/principal"
)

// callers identifies who calls. A caller proves who it is by one of
//
//	Authorization: Bearer <AMS_OPERATOR_TOKEN>    the platform's admin
//	Authorization: Bearer <session of a sign-in>  an Administrator, in one organization
//	X-Ams-Principal: …                            one of our services, on its own behalf or, from the console, a user's
type callers struct {
	signer     *principal.Signer
	sessions   *sessions
	adminToken string
}

// identify turns the caller's proof into a principal with a role. vouched says that one of our services signed it.
func (c *callers) identify(r *http.Request) (p principal.Principal, vouched bool, refusal *fault.Error) {
	if given := r.Header.Get(principal.Header); given != "" {
		p, err := c.signer.Verify(given)
		switch {
		case err != nil:
			return p, false, fault.New(fault.KindUnauthenticated, "principal_refused", "This principal is not accepted here.").WithCause(err)
		case p.Actor.Type == "api_key": // a key administers nothing, whoever passes its request on
			return actAs(p, roleKey), true, nil
		case p.Actor.Type == "user":
			return actAsPerson(p), true, nil
		}
		return actAs(p, roleService), true, nil
	}
	scheme, value, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	switch {
	case r.URL.Path == signInPath:
		return actAs(principal.Principal{Actor: principal.Actor{Type: "service", ID: "gateway", Name: "sign-in"}}, roleAnonymous), false, nil
	case !strings.EqualFold(scheme, "Bearer") || value == "":
		return p, false, keys.Unauthenticated("operator_missing", "Send Authorization: Bearer <operator token, or the session of a sign-in>.")
	case c.adminToken != "" && subtle.ConstantTimeCompare([]byte(value), []byte(c.adminToken)) == 1:
		admin := principal.Actor{Type: "service", ID: "operator", Name: "Platform operator"}
		return actAs(principal.Principal{Actor: admin}, rolePlatformAdmin), false, nil
	}
	opened, err := c.sessions.signer.Verify(value)
	if err != nil {
		return p, false, keys.Unauthenticated("session_unknown",
			"This is neither the operator's token nor a session; sessions last 15 minutes: sign in again.").WithCause(err)
	}
	p, refusal = c.sessions.confirm(r, opened)
	return p, false, refusal
}
