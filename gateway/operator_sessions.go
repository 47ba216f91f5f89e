package main

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/postgres"
	"ams.internal/libs/principal"
	"ams.internal/libs/transport"
)

const (
	signInPath      = "/internal/sign-in"
	sessionLifetime = 15 * time.Minute
	// failedSignIns is how many wrong passwords a minute one e-mail address may be tried with.
	failedSignIns = 10
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

// signedIn is the users service's answer.
type signedIn struct {
	OrganizationID string `json:"organization_id"`
	UserID         string `json:"user_id"`
	Name           string `json:"name"`
	Email          string `json:"email"`
	Role           string `json:"role"`
	Status         string `json:"status"`
}

func (o *operator) mountSessions(api *transport.API) {
	transport.Post(api, transport.Operation{Path: signInPath, ID: "sign_in", Status: http.StatusOK}, o.signIn)
}

// signIn asks the users service whether e-mail and password are right, and gives a session. The session says who signed
// in and with which role; it opens this listener only.
func (o *operator) signIn(ctx context.Context, in signIn) (session, error) {
	attempts := "sign-in " + strings.ToLower(in.Email)
	if o.gateway.limiter.peek(attempts, failedSignIns).count >= failedSignIns {
		e := fault.New(fault.KindTooMany, "sign_in_slowed", "Too many wrong passwords for this e-mail address; wait a minute.")
		e.RetryAfter = localWindow(time.Now()).left
		return session{}, e
	}
	p := principal.From(ctx)
	p.OrganizationID = platform
	question := map[string]any{"email": in.Email, "password": in.Password}
	if in.Organization != nil {
		p.OrganizationID = *in.Organization
		question["organization_id"] = *in.Organization
	}
	var answer signedIn
	if err := o.users.Post(principal.Into(ctx, p), "users", "/internal/users/sign-in", question, &answer); err != nil {
		if refusal := (*fault.Error)(nil); errors.As(err, &refusal) && refusal.Kind == fault.KindUnauthenticated {
			o.gateway.limiter.count(ctx, attempts, failedSignIns)
			return session{}, unauthenticated("sign_in_failed", "E-mail address or password is wrong.")
		}
		return session{}, err
	}
	return o.open(ctx, answer)
}

// confirm asks the users service whether a session still holds: whoever is suspended, loses the role or changes the password
// does not keep until its end what it could do. While the users service is away, what only reads or takes away goes on:
// a leaked key must be revocable at any time.
func (o *operator) confirm(r *http.Request, p principal.Principal) (principal.Principal, *fault.Error) {
	asking := p
	asking.Actor = principal.Actor{Type: "service", ID: "gateway", Name: "gateway"}
	began := time.UnixMilli(p.ExpiresAt).Add(-sessionLifetime)
	var who signedIn
	err := o.users.Post(principal.Into(r.Context(), asking), "users", "/internal/users/session",
		map[string]any{"user_id": p.Actor.ID, "since": timestamp(began)}, &who)
	refusal := fault.From(err)
	switch {
	case err == nil && who.Role == string(roleAdministrator):
		return actAs(p, roleAdministrator), nil
	case err == nil:
		return actAs(p, roleMember), nil
	case refusal.Kind == fault.KindUnauthenticated:
		return p, unauthenticated("session_ended", "This session has ended: sign in again.").Because(err)
	case readsOnly(r.Method) || strings.HasSuffix(r.URL.Path, "/revoke") || strings.HasSuffix(r.URL.Path, "/suspend"):
		return p, nil
	}
	return p, refusal
}

func (o *operator) open(ctx context.Context, who signedIn) (session, error) {
	as := roleMember
	if who.Role == "administrator" {
		as = roleAdministrator
	}
	p := principal.From(ctx)
	p.OrganizationID, p.Origin = who.OrganizationID, "console"
	p.Actor = principal.Actor{Type: "user", ID: who.UserID, Name: who.Name}
	p.Scopes = []string{string(as)}
	opened := session{
		Session: o.sessions.SignFor(p, sessionLifetime), ExpiresAt: timestamp(time.Now().Add(sessionLifetime)),
		User: sessionUser{who.UserID, who.Name, who.Email, who.Role},
	}
	err := o.gateway.db.Write(principal.Into(ctx, p), func(ctx context.Context, tx pgx.Tx) error {
		found, err := readOrganization(ctx, tx, who.OrganizationID)
		if err != nil {
			return err
		}
		opened.Organization = organizationName{found.ID, found.Name}
		return audit(ctx, tx, "user.signed_in", subject{"user", who.UserID, who.Name}, map[string]any{})
	})
	return opened, postgres.Fault(err, nil)
}
