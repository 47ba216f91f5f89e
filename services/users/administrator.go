package users

import (
	"context"
	"strings"

	"github.com/jackc/pgx/v5"

	contract "ams.internal/libs/domain/contracts/users"
	"ams.internal/libs/fault"
	"ams.internal/libs/postgres"
	"ams.internal/libs/principal"
	"ams.internal/libs/resource"
	"ams.internal/libs/transport"
)

// isActiveAdministrator says whether the user may administer the organization now.
func (u *User) isActiveAdministrator() bool {
	return u != nil && u.Role == administrator && u.Status == active
}

// refuseAdministratorByKey refuses that an API key creates an administrator, makes a user one, or activates one again: nobody may
// gain more by a key than its scopes.
func refuseAdministratorByKey(ctx context.Context, c *resource.Change[User]) {
	if principal.From(ctx).Actor.Type != "api_key" || c.After.Role != administrator {
		return
	}
	was := c.Before
	if was == nil || was.Role != administrator || c.After.isActiveAdministrator() && !was.isActiveAdministrator() {
		c.Reject(fault.Forbidden("administrator_by_key", "An API key cannot make the user %s an administrator; an Administrator can, signed in.",
			c.After.Email))
	}
}

// keepAnAdministrator refuses a change that would leave the organization without an active administrator, because nobody could
// sign in to change that. When one call demotes all administrators, the last of them is refused.
func keepAnAdministrator(ctx context.Context, tx pgx.Tx, changes []*resource.Change[User]) error {
	var demoted []*resource.Change[User]
	var ids []string
	for _, c := range changes {
		if c.Before.isActiveAdministrator() && !c.After.isActiveAdministrator() {
			demoted, ids = append(demoted, c), append(ids, c.ID())
		}
	}
	if len(demoted) == 0 {
		return nil
	}
	if err := lockAdministrators(ctx, tx); err != nil {
		return err
	}
	others := 0
	if err := tx.QueryRow(ctx, `SELECT count(*) FROM user_account WHERE organization_id = current_organization()
		AND role = 'administrator' AND status = 'active' AND id <> ALL($1::uuid[])`, ids).Scan(&others); err != nil {
		return err
	}
	if others > 0 {
		return nil
	}
	last := demoted[len(demoted)-1]
	field, value := "role", last.After.Role
	if last.After.Status != active {
		field, value = "status", last.After.Status
	}
	last.Reject(fault.Conflict("last_administrator", field, value,
		"%s is the organization's last active administrator, so %s cannot become %s; make another user an administrator first.",
		last.Before.Email, field, value))
	return nil
}

// lockAdministrators lets one transaction at a time change the organization's administrators: two that each demote one of two
// would not see each other.
func lockAdministrators(ctx context.Context, tx pgx.Tx) error {
	_, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock(hashtextextended('administrators ' || $1, 0))", principal.From(ctx).OrganizationID)
	return err
}

// mountAdministrators serves the gateway, which calls it when it makes an organization.
func (p people) mountAdministrators() {
	transport.Internal(p.registry.API, contract.CreateAdministrator, p.createAdministrator)
}

func (p people) createAdministrator(ctx context.Context, in contract.AdministratorRequest) (contract.CreatedAdministrator, error) {
	if err := requireService(ctx); err != nil {
		return contract.CreatedAdministrator{}, err
	}
	in.Email = strings.ToLower(in.Email)
	hash, err := hashPassword(ctx, in.Password)
	if err != nil {
		return contract.CreatedAdministrator{}, err
	}
	made := contract.CreatedAdministrator{Email: in.Email, Name: in.Name}
	err = p.db.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		if err := lockAdministrators(ctx, tx); err != nil {
			return err
		}
		var exists bool
		if err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT FROM user_account
			WHERE organization_id = current_organization() AND role = 'administrator' AND status = 'active')`).Scan(&exists); err != nil {
			return err
		}
		if exists {
			return fault.Conflict("administrator_exists", "role", administrator,
				"The organization has an active administrator, who can make further ones.")
		}
		user := resource.New[User](p.registry, "users")
		user.Email, user.Name, user.Role, user.Status = in.Email, in.Name, administrator, active
		if err := resource.Insert(ctx, tx, p.registry, "users", []*User{user}); err != nil {
			return err
		}
		return tx.QueryRow(ctx, `INSERT INTO credential (organization_id, user_id, password_hash)
			SELECT organization_id, id, $2 FROM user_account WHERE organization_id = current_organization() AND email_key = unique_key($1)
			RETURNING user_id::text`, in.Email, hash).Scan(&made.ID)
	})
	return made, postgres.Fault(err, func(string) (string, any) { return "email", in.Email })
}

// requireService is a 403 for everybody but our own services: these operations are about passwords.
func requireService(ctx context.Context) error {
	if principal.From(ctx).Actor.Type != "service" {
		return fault.Forbidden("services_only", "Only the product's own services may ask for this.")
	}
	return nil
}
