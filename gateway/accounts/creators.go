package accounts

import (
	"context"

	"github.com/jackc/pgx/v5"

	"ams.internal/gateway/keys"
	contract "ams.internal/libs/domain/contracts/users"
	"ams.internal/libs/fault"
	"ams.internal/libs/postgres"
	"ams.internal/libs/principal"
	"ams.internal/libs/reference"
)

// creators are the users who answer for keys.
//
// Every key has a user who answers for it. It turns inactive when the user is suspended or removed. No key may be made between
// the check that the user is active and the user's suspension. So whoever makes or resumes a key takes the lock of the user's
// keys and then has the users service check the user; that service responds only while nobody changes the user. Whoever suspends
// the user changes the user first, then calls the gateway, waits for the lock, and so finds the key. The lock of a user's keys
// is taken before those of keys.
type creators struct{ client *reference.Client }

// mayCreate refuses who cannot answer for a key: anybody but an active Administrator.
func (c *creators) mayCreate(ctx context.Context, tx pgx.Tx, actor principal.Actor) error {
	if actor.Type != "user" {
		return fault.Forbidden("user_needed", "A key is made by a user, who answers for it.")
	}
	role, err := c.activeRole(ctx, tx, actor)
	if err == nil && role != string(roleAdministrator) {
		return fault.Forbidden("administrator_needed", "Only an Administrator of the organization may do this.")
	}
	return err
}

// mayResume refuses where the user who made a key is suspended or removed.
func (c *creators) mayResume(ctx context.Context, tx pgx.Tx, k keys.Record) error {
	_, err := c.activeRole(ctx, tx, k.CreatedBy)
	if err != nil && fault.From(err).Code == "user_not_active" {
		return fault.Conflict("creator_not_active", "state", k.State,
			"The user who made this key, %s, is suspended or removed: replace the key instead.", k.CreatedBy.Name)
	}
	return err
}

// activeRole returns the role of an active user, and keeps the user's keys from being deactivated until the transaction ends.
func (c *creators) activeRole(ctx context.Context, tx pgx.Tx, actor principal.Actor) (role string, err error) {
	if err := lockKeysOf(ctx, tx, actor.ID); err != nil {
		return "", err
	}
	p := principal.From(ctx)
	of, err := readOrganization(ctx, tx, p.OrganizationID)
	if err != nil {
		return "", err
	}
	if of.SandboxOf != nil { // whose keys are made by members of the live organization
		p.OrganizationID = *of.SandboxOf
	}
	p.Cell = of.Cell
	p.Actor = principal.Actor{Type: "service", ID: "gateway", Name: "gateway"}
	found, err := contract.FindState.Call(principal.Into(ctx, p), c.client, contract.UserRequest{UserID: actor.ID})
	if err != nil && fault.From(err).Kind != fault.KindNotFound {
		return "", err
	}
	if found.Status != "active" {
		return "", fault.Forbidden("user_not_active", "The user %s is suspended or removed.", actor.Name)
	}
	return found.Role, nil
}

// lockKeysOf takes the lock of a user's keys until the transaction ends.
func lockKeysOf(ctx context.Context, tx pgx.Tx, user string) error {
	organization := principal.From(ctx).OrganizationID
	_, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock(hashtextextended('keys of ' || $1 || ' ' || $2, 0))`, organization, user)
	return postgres.Fault(err, nil)
}
