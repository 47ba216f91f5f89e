package users

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	contract "ams.internal/libs/domain/contracts/users"
	"ams.internal/libs/fault"
	"ams.internal/libs/postgres"
	"ams.internal/libs/principal"
	"ams.internal/libs/transport"
)

// mountSessions serves services with sessions, and those that are about to record a user as responsible for something.
func (p people) mountSessions() {
	transport.Internal(p.registry.API, contract.Session, p.session)
	transport.Internal(p.registry.API, contract.FindState, p.state)
}

func (p people) session(ctx context.Context, in contract.SessionRequest) (contract.SignedIn, error) {
	if err := refuseKeys(ctx); err != nil {
		return contract.SignedIn{}, err
	}
	who := contract.SignedIn{OrganizationID: principal.From(ctx).OrganizationID, UserID: in.UserID}
	var changed *time.Time
	err := p.db.Read(ctx, func(ctx context.Context, tx pgx.Tx) error {
		return tx.QueryRow(ctx, `SELECT u.name, u.email, u.role, u.status, u.locale, c.updated_at
			FROM user_account u LEFT JOIN credential c ON c.organization_id = u.organization_id AND c.user_id = u.id
			WHERE u.organization_id = current_organization() AND u.id = $1`, in.UserID).
			Scan(&who.Name, &who.Email, &who.Role, &who.Status, &who.Locale, &changed)
	})
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return contract.SignedIn{}, postgres.Fault(err, nil)
	}
	if err != nil || who.Status != active || changed == nil {
		return contract.SignedIn{}, sessionEnded()
	}
	if in.Since != nil {
		if began, err := time.Parse(time.RFC3339Nano, *in.Since); err != nil || changed.After(began) {
			return contract.SignedIn{}, sessionEnded()
		}
	}
	return who, nil
}

func sessionEnded() error {
	return fault.New(fault.KindUnauthenticated, "session_ended", "This session has ended; sign in again.")
}

// state does not wait for a transaction that changes the user, because that may be waiting for the caller's.
func (p people) state(ctx context.Context, in contract.UserRequest) (contract.State, error) {
	if err := refuseKeys(ctx); err != nil {
		return contract.State{}, err
	}
	found := contract.State{UserID: in.UserID}
	err := p.db.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		err := tx.QueryRow(ctx, `SELECT name, role, status FROM user_account
			WHERE organization_id = current_organization() AND id = $1 FOR SHARE SKIP LOCKED`, in.UserID).
			Scan(&found.Name, &found.Role, &found.Status)
		if !errors.Is(err, pgx.ErrNoRows) {
			return err
		}
		var exists bool
		if err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT FROM user_account WHERE organization_id = current_organization() AND id = $1)`,
			in.UserID).Scan(&exists); err != nil {
			return err
		}
		if exists {
			return fault.Unavailable("user_changing", "The user is being changed at this moment; try again.")
		}
		return fault.NotFound("user", in.UserID)
	})
	return found, postgres.Fault(err, nil)
}

// refuseKeys is a 403 for API keys: sessions and passwords are for users and our own services only.
func refuseKeys(ctx context.Context) error {
	if actor := principal.From(ctx).Actor.Type; actor != "service" && actor != "user" {
		return fault.Forbidden("services_only", "Only the product's own services may ask for this.")
	}
	return nil
}
