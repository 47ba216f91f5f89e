package main

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"net/http"
	"slices"
	"strings"

	"github.com/google/uuid"

	"ams.internal/libs/fault"
	"ams.internal/libs/principal"
	"ams.internal/libs/reference"
	"ams.internal/libs/transport"
)

// The internal listener, for those who run the platform and for our own services: organizations, keys, sign-in and the
// audit trail. It is never public. Callers identify themselves by one of
//
//	Authorization: Bearer <AMS_OPERATOR_TOKEN>    the platform's operator
//	Authorization: Bearer <session of a sign-in>  an Administrator, in one organization
//	X-Ams-Principal: …                            one of our services, on its own behalf or, from the console, a user's
//
// and each is turned into a principal whose one scope is its role here.
type role string

const (
	roleOperator      role = "operator"
	roleAdministrator role = "administrator"
	roleMember        role = "member"  // signed in, without the role administrator
	roleService       role = "service" // one of ours
	roleKey           role = "api_key" // one of ours, for a request that came with a key
	roleStranger      role = "stranger"
)

// platform stands for no organization: row-level security shows it nothing.
const platform = "00000000-0000-0000-0000-000000000000"

type operator struct {
	gateway  *gateway
	sessions *principal.Signer
	users    *reference.Client
}

// internal is the handler of the internal listener.
func (g *gateway) internal() http.Handler {
	o := &operator{gateway: g, sessions: sessionSigner(g.config.PrincipalSecrets), users: reference.NewClient(g.fleet.directory, g.signer)}
	api := transport.New(g.signer, g.db, g.log)
	o.mountOrganizations(api)
	o.mountKeys(api)
	o.mountSessions(api)
	o.mountUsers(api)
	o.mountAudit(api)
	o.mountUsage(api)
	handler := api.Handler()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := requestID(r.Header)
		w.Header().Set("X-Request-Id", id)
		p, vouched, refusal := o.identify(r)
		if refusal != nil {
			refusal.Request = id
			transport.WriteFault(w, refusal)
			return
		}
		if !vouched || !sane(p.RequestID) {
			p.RequestID = id
		}
		if !vouched || p.Address == "" {
			p.Address = clientAddress(r.RemoteAddr, r.Header, g.trusted).String()
		}
		if !p.Pinned {
			p.Region = g.config.Region
		}
		w.Header().Set("X-Request-Id", p.RequestID)
		r.Header.Set(principal.Header, g.signer.Sign(p))
		r.Header.Del("Idempotency-Key") // an answer that shows a key's value is kept nowhere
		r.Pattern = "/internal"
		handler.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), vouchedKey{}, vouched)))
	})
}

// identify turns the caller's proof into a principal. vouched says that one of our services signed it.
func (o *operator) identify(r *http.Request) (p principal.Principal, vouched bool, refusal *fault.Error) {
	if given := r.Header.Get(principal.Header); given != "" {
		p, err := o.gateway.signer.Verify(given)
		switch {
		case err != nil:
			return p, false, fault.New(fault.KindUnauthenticated, "principal_refused", "This principal is not accepted here.").Because(err)
		case p.Actor.Type == "api_key": // a key administers nothing, whoever passes its request on
			return actAs(p, roleKey), true, nil
		case p.Actor.Type == "user":
			return asPerson(p), true, nil
		}
		return actAs(p, roleService), true, nil
	}
	scheme, value, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	token := o.gateway.config.OperatorToken
	switch {
	case r.URL.Path == signInPath:
		return actAs(principal.Principal{Actor: principal.Actor{Type: "service", ID: "gateway", Name: "sign-in"}}, roleStranger), false, nil
	case !strings.EqualFold(scheme, "Bearer") || value == "":
		return p, false, unauthenticated("operator_missing", "Send Authorization: Bearer <operator token, or the session of a sign-in>.")
	case token != "" && subtle.ConstantTimeCompare([]byte(value), []byte(token)) == 1:
		return actAs(principal.Principal{Actor: principal.Actor{Type: "service", ID: "operator", Name: "Platform operator"}}, roleOperator), false, nil
	}
	opened, err := o.sessions.Verify(value)
	if err != nil {
		return p, false, unauthenticated("session_unknown", "This is neither the operator's token nor a session; sessions last 15 minutes: sign in again.").Because(err)
	}
	p, refusal = o.confirm(r, opened)
	return p, false, refusal
}

// asPerson is somebody whom the console signed in. The console has looked up the role for this very request; without its
// word a person is no Administrator. A person of no organization may do nothing in any.
func asPerson(p principal.Principal) principal.Principal {
	switch {
	case p.OrganizationID == "" || p.OrganizationID == platform:
		return actAs(p, roleStranger)
	case p.Origin == "console" && slices.Contains(p.Scopes, string(roleAdministrator)):
		return actAs(p, roleAdministrator)
	}
	return actAs(p, roleMember)
}

func actAs(p principal.Principal, r role) principal.Principal {
	p.Scopes = []string{string(r)}
	if p.OrganizationID == "" {
		p.OrganizationID = platform
	}
	return p
}

// enter is how every operation on an organization begins: it refuses who may not, and gives a context in which the
// database shows that organization.
func enter(ctx context.Context, organization string, allowed ...role) (context.Context, error) {
	p := principal.From(ctx)
	as := role(p.Scopes[0])
	for _, r := range allowed {
		if as != r {
			continue
		}
		if p.OrganizationID != organization && p.OrganizationID != platform {
			return nil, noOrganization(organization)
		}
		p.OrganizationID = organization
		return principal.Into(ctx, p), nil
	}
	switch as {
	case roleMember:
		return nil, fault.Forbidden("administrator_needed", "Only an Administrator of the organization may do this.")
	case roleOperator:
		return nil, fault.Forbidden("administrator_needed", "The platform's operator does not do this behind the Administrator's back: sign in as an Administrator of the organization.")
	}
	return nil, fault.Forbidden("not_allowed", "This caller may not do this.")
}

func noOrganization(id string) error {
	return fault.New(fault.KindNotFound, "not_found", "There is no organization %s, or it is not the caller's.", id)
}

type vouchedKey struct{}

// vouched says whether one of our services sent the request.
func vouched(ctx context.Context) bool {
	is, _ := ctx.Value(vouchedKey{}).(bool)
	return is
}

// sessionSigner signs sessions with secrets derived from those of principals: a session is not a principal, and
// opens nothing but this listener.
func sessionSigner(secrets []string) *principal.Signer {
	var derived []string
	for _, secret := range secrets {
		mac := hmac.New(sha256.New, []byte(secret))
		mac.Write([]byte("ams gateway session"))
		derived = append(derived, hex.EncodeToString(mac.Sum(nil)))
	}
	signer, err := principal.NewSigner(derived...)
	if err != nil { // there is a secret, and each derived one has 64 characters
		panic(err)
	}
	return signer
}

// newID makes an identifier; they grow with time.
func newID() string { return uuid.Must(uuid.NewV7()).String() }
