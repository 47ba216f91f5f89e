package main

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/postgres"
	"ams.internal/libs/principal"
	"ams.internal/libs/schema"
	"ams.internal/libs/transport"
)

const (
	invitationLife = 7 * 24 * time.Hour
	// wrongTokens is how many tokens that are no good one address may send in a minute.
	wrongTokens = 20
)

// mountInvitations serves the way of a new user to the first password:
//
//	POST /internal/users/invitations {user_id or email} → {token, expires_at, user_id, name, email}
//	POST /internal/users/invitation {token} → {name, email, locale, expires_at}
//	POST /internal/users/first-password {token, new_password} → {organization_id, user_id, name, email, role, locale}
//
// The first is for an Administrator of the organization and gives a token that works once, within seven days; another
// one for the same user ends it. The others come from somebody of whom nothing is known but the token.
func (p people) mountInvitations() {
	transport.Internal(p.registry.API, "/users/invitations", p.invite)
	transport.Internal(p.registry.API, "/users/invitation", p.invitation)
	transport.Internal(p.registry.API, "/users/first-password", p.setFirstPassword)
}

type invitee struct {
	UserID *string `json:"user_id" format:"uuid"`
	Email  *string `json:"email" maxLength:"254"`
}

type invited struct {
	Token     string `json:"token"`
	ExpiresAt string `json:"expires_at"`
	UserID    string `json:"user_id"`
	Name      string `json:"name"`
	Email     string `json:"email"`
}

// invite makes the link of a user who has no password. Its token exists nowhere from here on but in the answer.
func (p people) invite(ctx context.Context, in invitee) (invited, error) {
	if (in.UserID == nil) == (in.Email == nil) {
		return invited{}, fault.InvalidFields(fault.Field{Field: "user_id", Message: "must be given, or else email"})
	}
	token := make([]byte, 32)
	_, _ = rand.Read(token) // never fails
	made := invited{Token: base64.RawURLEncoding.EncodeToString(token)}
	hash := sha256.Sum256([]byte(made.Token))
	err := p.db.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		if err := byAdministrator(ctx, tx); err != nil {
			return err
		}
		var status string
		var held bool
		err := tx.QueryRow(ctx, `SELECT u.id::text, u.name, u.email, u.status,
				EXISTS (SELECT FROM credential c WHERE c.organization_id = u.organization_id AND c.user_id = u.id)
			FROM user_account u WHERE u.organization_id = current_organization() AND (u.id = $1 OR u.email_key = unique_key($2))
			FOR NO KEY UPDATE OF u`, in.UserID, in.Email).Scan(&made.UserID, &made.Name, &made.Email, &status, &held)
		switch {
		case errors.Is(err, pgx.ErrNoRows):
			return fault.NotFound("user", text(in.UserID)+text(in.Email))
		case err != nil:
			return err
		case status == suspended || status == removed:
			return fault.Conflict("not_invited", "status", status, "%s is %s; make the user invited or active first.", made.Email, status)
		case held:
			return fault.Conflict("has_password", "status", status, "%s has a password already, and can change it signed in.", made.Email)
		}
		var expires time.Time
		err = tx.QueryRow(ctx, `INSERT INTO invitation AS i (organization_id, user_id, token_hash, expires_at)
			VALUES (current_organization(), $1, $2, clock_timestamp() + $3 * interval '1 second')
			ON CONFLICT (organization_id, user_id) DO UPDATE SET token_hash = excluded.token_hash, expires_at = excluded.expires_at
			RETURNING i.expires_at`, made.UserID, hash[:], int(invitationLife.Seconds())).Scan(&expires)
		made.ExpiresAt = expires.UTC().Format(time.RFC3339)
		return err
	})
	return made, postgres.Fault(err, nil)
}

// byAdministrator lets a service of ours pass, and a user who is an active administrator now, whatever was true when they
// signed in.
func byAdministrator(ctx context.Context, tx pgx.Tx) error {
	actor := principal.From(ctx).Actor
	governs := actor.Type == "service"
	if actor.Type == "user" && schema.IsUUID(actor.ID) {
		if err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT FROM user_account WHERE organization_id = current_organization()
			AND id = $1 AND role = 'administrator' AND status = 'active')`, actor.ID).Scan(&governs); err != nil {
			return err
		}
	}
	if !governs {
		return fault.Forbidden("administrator_needed", "Only an Administrator of the organization may do this.")
	}
	return nil
}

type tokenShown struct {
	Token string `json:"token" required:"true" maxLength:"200"`
}

type invitationShown struct {
	Name      string `json:"name"`
	Email     string `json:"email"`
	Locale    string `json:"locale"`
	ExpiresAt string `json:"expires_at"`
}

func (p people) invitation(ctx context.Context, in tokenShown) (invitationShown, error) {
	who, expires, err := p.findInvitation(ctx, in.Token)
	return invitationShown{who.Name, who.Email, who.Locale, expires.UTC().Format(time.RFC3339)}, err
}

// findInvitation gives whom a token is for. It looks across organizations, so a function of the owner's answers it.
func (p people) findInvitation(ctx context.Context, token string) (who signedIn, expires time.Time, err error) {
	if err := forServices(ctx); err != nil {
		return who, expires, err
	}
	from := principal.From(ctx).Address
	if left := p.tokens.wait(from); left > 0 {
		slowed := fault.New(fault.KindTooMany, "first_password_slowed", "Too many links that are not valid came from here; wait a minute.")
		slowed.RetryAfter = left
		return who, expires, slowed
	}
	hash := sha256.Sum256([]byte(token))
	err = p.db.Pool().QueryRow(ctx, `SELECT organization_id::text, user_id::text, name, email, role, locale, expires_at FROM find_invitation($1)`, hash[:]).
		Scan(&who.OrganizationID, &who.UserID, &who.Name, &who.Email, &who.Role, &who.Locale, &expires)
	if errors.Is(err, pgx.ErrNoRows) {
		p.tokens.fail(from)
		return who, expires, invitationUnknown()
	}
	return who, expires, postgres.Fault(err, nil)
}

// invitationUnknown says the same of a link that never was, was used, was replaced, or is too old.
func invitationUnknown() error {
	return fault.New(fault.KindNotFound, "invitation_unknown", "This link is not valid any more; ask an Administrator of your organization for a new one.")
}

type firstPassword struct {
	Token string `json:"token" required:"true" maxLength:"200"`
	New   string `json:"new_password" required:"true" maxLength:"1000"`
}

type firstSignedIn struct {
	OrganizationID string `json:"organization_id"`
	UserID         string `json:"user_id"`
	Name           string `json:"name"`
	Email          string `json:"email"`
	Role           string `json:"role"`
	Locale         string `json:"locale"`
}

// setFirstPassword gives the user of a link a password, makes them active and ends the link, in one transaction: of two
// who use it at once, one does. A password that is refused leaves the link as it is.
func (p people) setFirstPassword(ctx context.Context, in firstPassword) (firstSignedIn, error) {
	who, _, err := p.findInvitation(ctx, in.Token)
	if err != nil {
		return firstSignedIn{}, err
	}
	if err := checkPassword(in.New, who.Email, ""); err != nil {
		return firstSignedIn{}, err
	}
	hash, err := hashPassword(ctx, in.New)
	if err != nil {
		return firstSignedIn{}, err
	}
	caller := principal.From(ctx)
	caller.OrganizationID, caller.Actor = who.OrganizationID, principal.Actor{Type: "user", ID: who.UserID, Name: who.Name}
	token := sha256.Sum256([]byte(in.Token))
	err = p.db.Write(principal.Into(ctx, caller), func(ctx context.Context, tx pgx.Tx) error {
		// The user first, then the link: whoever suspends the user takes them in this order too.
		var status string
		if err := tx.QueryRow(ctx, `SELECT status FROM user_account WHERE organization_id = current_organization() AND id = $1 FOR NO KEY UPDATE`,
			who.UserID).Scan(&status); err != nil {
			return err
		}
		used, err := tx.Exec(ctx, `DELETE FROM invitation WHERE organization_id = current_organization() AND user_id = $1
			AND token_hash = $2 AND expires_at > clock_timestamp()`, who.UserID, token[:])
		if err != nil {
			return err
		}
		if used.RowsAffected() == 0 || status != "invited" && status != active {
			return invitationUnknown()
		}
		if _, err := tx.Exec(ctx, `INSERT INTO credential (organization_id, user_id, password_hash) VALUES (current_organization(), $1, $2)`, who.UserID, hash); err != nil {
			return err
		}
		return p.registry.UpdateWhere(ctx, tx, "users", []string{"status"},
			"SELECT id, 'active' AS status FROM user_account WHERE organization_id = $1 AND id = $2", who.UserID)
	})
	return firstSignedIn{who.OrganizationID, who.UserID, who.Name, who.Email, who.Role, who.Locale}, postgres.Fault(err, nil)
}

func text(given *string) string {
	if given == nil {
		return ""
	}
	return strings.TrimSpace(*given)
}
