package accounts

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/gateway/caller"
	"ams.internal/gateway/keys"
	"ams.internal/gateway/ratelimit"
	contract "ams.internal/libs/domain/contracts/users"
	"ams.internal/libs/fault"
	"ams.internal/libs/postgres"
	"ams.internal/libs/principal"
	"ams.internal/libs/reference"
	"ams.internal/libs/transport"
)

const (
	signInPath      = "/internal/sign-in"
	sessionLifetime = 15 * time.Minute
	// maxFailedSignIns is how many wrong passwords a minute one e-mail address may be tried with from one source.
	maxFailedSignIns = 10
	// maxFailedFromAnywhere is how many it may be tried with from all of them.
	maxFailedFromAnywhere = 100
)

type signIn struct {
	Email        string  `json:"email" required:"true" maxLength:"254"`
	Password     string  `json:"password" required:"true" maxLength:"1000"`
	Organization *string `json:"organization_id" format:"uuid"`
}

type session struct {
	Session      string           `json:"session"`
	ExpiresAt    string           `json:"expires_at"`
	Organization organizationName `json:"organization"`
	User         sessionUser      `json:"user"`
}

type organizationName struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

type sessionUser struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Email string `json:"email"`
	Role  string `json:"role"`
}

// sessions are those of sign-ins. A session says who signed in and with which role; it is good for this listener only.
type sessions struct {
	db      *postgres.DB
	client  *reference.Client
	signer  *principal.Signer
	limiter *ratelimit.Limiter
}

func (s *sessions) mount(api *transport.API) {
	transport.Post(api, transport.Operation{Path: signInPath, ID: "sign_in", Status: http.StatusOK}, s.signIn)
}

// signIn has the users service check e-mail and password, and gives a session.
func (s *sessions) signIn(ctx context.Context, in signIn) (session, error) {
	takeBack, err := s.countAttempt(ctx, in.Email)
	if err != nil {
		return session{}, err
	}
	p := principal.From(ctx)
	p.OrganizationID = platform
	if in.Organization != nil {
		p.OrganizationID = *in.Organization
	}
	who, err := contract.SignIn.Call(principal.Into(ctx, p), s.client,
		contract.Credentials{Email: in.Email, Password: in.Password, Organization: in.Organization})
	if err != nil {
		if refusal := (*fault.Error)(nil); errors.As(err, &refusal) && refusal.Kind == fault.KindUnauthenticated {
			return session{}, keys.Unauthenticated("sign_in_failed", "E-mail address or password is wrong.")
		}
		takeBack()
		return session{}, err
	}
	takeBack()
	return s.open(ctx, who)
}

// countAttempt counts an attempt to sign in before anybody looks at its password, so that many at once are no more than one after
// the other. It is counted for the e-mail address and where the caller is, and for the e-mail address alone. takeBack is for
// attempts that were no wrong passwords.
func (s *sessions) countAttempt(ctx context.Context, email string) (takeBack func(), refusal error) {
	anywhere := "sign-in " + strings.ToLower(email)
	source := anywhere
	if address, err := netip.ParseAddr(principal.From(ctx).Address); err == nil {
		source += " from " + caller.Identity(address)
	}
	here := s.limiter.Count(ctx, source, maxFailedSignIns)
	if here.Over() {
		return nil, slowed(here)
	}
	everywhere := s.limiter.Count(ctx, anywhere, maxFailedFromAnywhere)
	if everywhere.Over() {
		return nil, slowed(everywhere)
	}
	return func() {
		s.limiter.TakeBack(ctx, source, here)
		s.limiter.TakeBack(ctx, anywhere, everywhere)
	}, nil
}

func slowed(w ratelimit.Window) error {
	e := fault.New(fault.KindRateLimited, "sign_in_slowed", "Too many wrong passwords for this e-mail address; wait a minute.")
	e.RetryAfter = w.Left
	return e
}

// confirm has the users service check that a session still holds: whoever is suspended, loses the role or changes the password
// loses at once what the session allowed. While the users service is unavailable, requests that only read, revoke or suspend
// go on: a leaked key must be revocable at any time.
func (s *sessions) confirm(r *http.Request, p principal.Principal) (principal.Principal, *fault.Error) {
	service := p
	service.Actor = principal.Actor{Type: "service", ID: "gateway", Name: "gateway"}
	began := keys.Timestamp(time.UnixMilli(p.ExpiresAt).Add(-sessionLifetime))
	who, err := contract.Session.Call(principal.Into(r.Context(), service), s.client,
		contract.SessionRequest{UserID: p.Actor.ID, Since: &began})
	refusal := fault.From(err)
	switch {
	case err == nil && who.Role == string(roleAdministrator):
		return actAs(p, roleAdministrator), nil
	case err == nil:
		return actAs(p, roleMember), nil
	case refusal.Kind == fault.KindUnauthenticated:
		return p, keys.Unauthenticated("session_ended", "This session has ended: sign in again.").WithCause(err)
	case refusal.Code == postgres.Suspended().Code: // nothing of it is read either
		return p, refusal
	case harmless(r):
		return p, nil
	}
	return p, refusal
}

// harmless says whether a request only reads, or revokes or suspends a key: nobody gains by it what the role no longer allows.
func harmless(r *http.Request) bool {
	return r.Method == http.MethodGet || r.Method == http.MethodHead ||
		strings.HasSuffix(r.URL.Path, "/revoke") || strings.HasSuffix(r.URL.Path, "/suspend")
}

// open gives the session of a person who has signed in, and writes the audit entry.
func (s *sessions) open(ctx context.Context, who contract.SignedIn) (session, error) {
	as := roleMember
	if who.Role == string(roleAdministrator) {
		as = roleAdministrator
	}
	p := principal.From(ctx)
	p.OrganizationID, p.Origin = who.OrganizationID, "console"
	p.Actor = principal.Actor{Type: "user", ID: who.UserID, Name: who.Name}
	p.Scopes = []string{string(as)}
	opened := session{
		Session: s.signer.SignFor(p, sessionLifetime), ExpiresAt: keys.Timestamp(time.Now().Add(sessionLifetime)),
		User: sessionUser{who.UserID, who.Name, who.Email, who.Role},
	}
	err := s.db.Write(principal.Into(ctx, p), func(ctx context.Context, tx pgx.Tx) error {
		found, err := readOrganization(ctx, tx, who.OrganizationID)
		if err != nil {
			return err
		}
		if found.SuspendedAt != nil {
			return postgres.Suspended()
		}
		opened.Organization = organizationName{found.ID, found.Name}
		return audit(ctx, tx, "user.signed_in", subject{"user", who.UserID, who.Name}, map[string]any{})
	})
	return opened, postgres.Fault(err, nil)
}

// sessionSigner signs sessions with secrets derived from those of principals: a session is not a principal, and
// is good for nothing but this listener.
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
