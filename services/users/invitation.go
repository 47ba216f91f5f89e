package users

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	contract "ams.internal/libs/domain/contracts/users"
	"ams.internal/libs/fault"
	"ams.internal/libs/postgres"
	"ams.internal/libs/principal"
	"ams.internal/libs/schema"
	"ams.internal/libs/transport"
)

const (
	invitationTTL = 7 * 24 * time.Hour
	// maxWrongTokens is how many invalid tokens one address may send in a minute.
	maxWrongTokens = 20
)

// mountInvitations serves how a new user gets the first password.
func (p people) mountInvitations() {
	transport.Internal(p.registry.API, contract.Invite, p.invite)
	transport.Internal(p.registry.API, contract.FindInvitation, p.invitation)
	transport.Internal(p.registry.API, contract.SetFirstPassword, p.setFirstPassword)
}

// invite makes an invitation of a user who has no password. Its token is in the response only; the database has its hash.
func (p people) invite(ctx context.Context, in contract.InvitationRequest) (contract.CreatedInvitation, error) {
	if (in.UserID == nil) == (in.Email == nil) {
		return contract.CreatedInvitation{}, fault.InvalidFields(fault.Field{Field: "user_id", Message: "must be given, or else email"})
	}
	token := make([]byte, 32)
	_, _ = rand.Read(token) // never fails
	made := contract.CreatedInvitation{Token: base64.RawURLEncoding.EncodeToString(token)}
	hash := sha256.Sum256([]byte(made.Token))
	err := p.db.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		if err := requireAdministrator(ctx, tx); err != nil {
			return err
		}
		var status string
		var hasPassword bool
		err := tx.QueryRow(ctx, `SELECT u.id::text, u.name, u.email, u.status,
				EXISTS (SELECT FROM credential c WHERE c.organization_id = u.organization_id AND c.user_id = u.id)
			FROM user_account u WHERE u.organization_id = current_organization() AND (u.id = $1 OR u.email_key = unique_key($2))
			FOR NO KEY UPDATE OF u`, in.UserID, in.Email).Scan(&made.UserID, &made.Name, &made.Email, &status, &hasPassword)
		switch {
		case errors.Is(err, pgx.ErrNoRows):
			return fault.NotFound("user", text(in.UserID)+text(in.Email))
		case err != nil:
			return err
		case status == suspended || status == removed:
			return fault.Conflict("not_invited", "status", status, "%s is %s; make the user invited or active first.", made.Email, status)
		case hasPassword:
			return fault.Conflict("has_password", "status", status, "%s has a password already, and can change it signed in.", made.Email)
		}
		var expires time.Time
		err = tx.QueryRow(ctx, `INSERT INTO invitation AS i (organization_id, user_id, token_hash, expires_at)
			VALUES (current_organization(), $1, $2, clock_timestamp() + $3 * interval '1 second')
			ON CONFLICT (organization_id, user_id) DO UPDATE SET token_hash = excluded.token_hash, expires_at = excluded.expires_at
			RETURNING i.expires_at`, made.UserID, hash[:], int(invitationTTL.Seconds())).Scan(&expires)
		made.ExpiresAt = expires.UTC().Format(time.RFC3339)
		return err
	})
	return made, postgres.Fault(err, nil)
}

// requireAdministrator is a 403 for everybody but our own services and users who are active administrators now, whatever they
// were when they signed in.
func requireAdministrator(ctx context.Context, tx pgx.Tx) error {
	actor := principal.From(ctx).Actor
	allowed := actor.Type == "service"
	if actor.Type == "user" && schema.IsUUID(actor.ID) {
		if err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT FROM user_account WHERE organization_id = current_organization()
			AND id = $1 AND role = 'administrator' AND status = 'active')`, actor.ID).Scan(&allowed); err != nil {
			return err
		}
	}
	if !allowed {
		return fault.Forbidden("administrator_needed", "Only an Administrator of the organization may do this.")
	}
	return nil
}

func (p people) invitation(ctx context.Context, in contract.TokenRequest) (contract.Invitation, error) {
	found, err := p.findInvitation(ctx, in.Token)
	return contract.Invitation{Name: found.Name, Email: found.Email, Locale: found.Locale,
		ExpiresAt: found.expires.UTC().Format(time.RFC3339)}, err
}

// invited is the user of a token.
type invited struct {
	contract.SignedIn
	cell    string // that has the user's organization
	expires time.Time
}

// findInvitation finds the user of a token, in whatever cell. The query is across organizations, so a function with
// its owner's rights makes it.
func (p people) findInvitation(ctx context.Context, token string) (invited, error) {
	if err := requireService(ctx); err != nil {
		return invited{}, err
	}
	from := principal.From(ctx).Address
	if left := p.tokenFailures.wait(from); left > 0 {
		limited := fault.New(fault.KindRateLimited, "first_password_slowed", "Too many links that are not valid came from here; wait a minute.")
		limited.RetryAfter = left
		return invited{}, limited
	}
	hash := sha256.Sum256([]byte(token))
	who, cell, found, err := postgres.Find(ctx, p.db, func(ctx context.Context) (who invited, found bool, err error) {
		err = p.db.Pool().QueryRow(ctx,
			`SELECT organization_id::text, user_id::text, name, email, role, locale, expires_at FROM find_invitation($1)`, hash[:]).
			Scan(&who.OrganizationID, &who.UserID, &who.Name, &who.Email, &who.Role, &who.Locale, &who.expires)
		if errors.Is(err, pgx.ErrNoRows) {
			return who, false, nil
		}
		return who, err == nil, err
	})
	if who.cell = cell; err == nil && !found {
		p.tokenFailures.fail(from)
		return invited{}, invitationUnknown()
	}
	return who, postgres.Fault(err, nil)
}

// invitationUnknown is the same error for a token that never was, was used, was replaced, or has expired.
func invitationUnknown() error {
	return fault.New(fault.KindNotFound, "invitation_unknown", "This link is not valid any more; ask an Administrator of your organization "+
		"for a new one.")
}

// setFirstPassword gives the user of an invitation a password, activates them and deletes the invitation, in one transaction: of
// two calls at once, one succeeds. A password that is refused leaves the invitation valid.
func (p people) setFirstPassword(ctx context.Context, in contract.FirstPassword) (contract.UserWithPassword, error) {
	who, err := p.findInvitation(ctx, in.Token)
	if err != nil {
		return contract.UserWithPassword{}, err
	}
	if err := checkPassword(in.New, who.Email, ""); err != nil {
		return contract.UserWithPassword{}, err
	}
	hash, err := hashPassword(ctx, in.New)
	if err != nil {
		return contract.UserWithPassword{}, err
	}
	caller := principal.From(ctx)
	caller.OrganizationID, caller.Cell, caller.Actor = who.OrganizationID, who.cell, principal.Actor{
		Type: "user", ID: who.UserID, Name: who.Name,
	}
	token := sha256.Sum256([]byte(in.Token))
	err = p.db.Write(principal.Into(ctx, caller), func(ctx context.Context, tx pgx.Tx) error {
		// The user first, then the invitation: who suspends the user locks them in this order too.
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
		if _, err := tx.Exec(ctx, `INSERT INTO credential (organization_id, user_id, password_hash) VALUES (current_organization(), $1, $2)`,
			who.UserID, hash); err != nil {
			return err
		}
		return p.registry.UpdateWhere(ctx, tx, "users", []string{"status"},
			"SELECT id, 'active' AS status FROM user_account WHERE organization_id = $1 AND id = $2", who.UserID)
	})
	return contract.UserWithPassword{OrganizationID: who.OrganizationID, UserID: who.UserID, Name: who.Name, Email: who.Email,
		Role: who.Role, Locale: who.Locale}, postgres.Fault(err, nil)
}

func text(given *string) string {
	if given == nil {
		return ""
	}
	return strings.TrimSpace(*given)
}
