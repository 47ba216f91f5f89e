package accounts

import (
	"context"
	"net/http"

	"github.com/jackc/pgx/v5"

	"ams.internal/gateway/keys"
	contract "ams.internal/libs/domain/contracts/users"
	"ams.internal/libs/postgres"
	"ams.internal/libs/principal"
	"ams.internal/libs/reference"
	"ams.internal/libs/transport"
)

type byUser struct {
	byOrganization
	User string `path:"user" format:"uuid"`
}

// users are the operations on the users of an organization that concern keys, or come before a user's first sign-in.
type users struct {
	db      *postgres.DB
	client  *reference.Client
	baseURL string
}

func (u *users) mount(api *transport.API) {
	const path = "/internal/organizations/{id}/users"
	transport.Get(api, transport.Operation{Path: path + "/{user}/keys", ID: "list_user_keys"}, u.userKeys)
	transport.Post(api, transport.Operation{Path: path + "/{user}/deactivate-keys", ID: "deactivate_keys"}, u.deactivateKeys)
	transport.Post(api, transport.Operation{Path: path + "/invite", ID: "invite_user", Status: http.StatusCreated}, u.inviteUser)
	transport.Post(api, transport.Operation{Path: path + "/link", ID: "create_user_link", Status: http.StatusCreated}, u.createLink)
}

// userKey is a key that a user answers for.
type userKey struct {
	ID         string  `json:"id"`
	Name       string  `json:"name"`
	Display    string  `json:"display"`
	LastUsedAt *string `json:"last_used_at"`
}

type userKeys struct {
	Data []userKey `json:"data"`
}

// userKeys gives the keys that turn inactive when a user is suspended or removed, so that people can be warned.
func (u *users) userKeys(ctx context.Context, in byUser) (userKeys, error) {
	ctx, err := authorize(ctx, in.ID, rolePlatformAdmin, roleService, roleAdministrator)
	if err != nil {
		return userKeys{}, err
	}
	found := userKeys{[]userKey{}}
	if err := u.db.Read(ctx, func(ctx context.Context, tx pgx.Tx) error {
		_, err := readOrganization(ctx, tx, in.ID)
		return err
	}); err != nil {
		return userKeys{}, err
	}
	err = u.inBoth(ctx, in.ID, u.db.Read, func(ctx context.Context, tx pgx.Tx, organization string) error {
		active, err := keys.Select(ctx, tx, `AND k.created_by_user = $2
			AND key_state(k.state, k.retires_at, k.expires_at, statement_timestamp()) = 'active'
			ORDER BY k.name COLLATE "natural", k.id`, organization, in.User)
		for _, k := range active {
			found.Data = append(found.Data, userKey{k.ID, k.Name, k.Display, k.LastUsedAt})
		}
		return err
	})
	return found, err
}

type deactivated struct {
	Keys []userKey `json:"keys"`
}

// deactivateKeys makes the keys of a user inactive who is suspended or removed, and says which; the users service calls it
// before it commits that.
func (u *users) deactivateKeys(ctx context.Context, in byUser) (deactivated, error) {
	ctx, err := authorize(ctx, in.ID, roleService)
	if err != nil {
		return deactivated{}, err
	}
	done := deactivated{Keys: []userKey{}}
	err = u.inBoth(ctx, in.ID, u.db.Write, func(ctx context.Context, tx pgx.Tx, organization string) error {
		if err := lockKeysOf(ctx, tx, in.User); err != nil {
			return err
		}
		rows, err := tx.Query(ctx, `UPDATE api_key SET state = 'inactive', state_reason = 'creator_not_active'
			WHERE organization_id = $1 AND created_by_user = $2 AND state = 'active' RETURNING id, name, display`, organization, in.User)
		if err != nil {
			return err
		}
		var here []userKey
		var k userKey
		if _, err = pgx.ForEachRow(rows, []any{&k.ID, &k.Name, &k.Display}, func() error {
			here = append(here, k)
			return nil
		}); err != nil {
			return err
		}
		done.Keys = append(done.Keys, here...)
		for _, k := range here {
			if err := audit(ctx, tx, "key.suspended", subject{"key", k.ID, k.Name}, map[string]any{"reason": "creator_not_active"}); err != nil {
				return err
			}
		}
		return nil
	})
	return done, postgres.Fault(err, nil)
}

// transact is how a transaction is run: the Read or the Write of the database.
type transact func(ctx context.Context, fn func(ctx context.Context, tx pgx.Tx) error) error

// inBoth runs fn in a transaction of an organization, and then in one of its sandbox: members have keys in both.
func (u *users) inBoth(ctx context.Context, organization string, run transact,
	fn func(ctx context.Context, tx pgx.Tx, organization string) error) error {
	for _, each := range []string{organization, principal.SandboxOf(organization)} {
		if each == "" {
			continue
		}
		if err := run(within(ctx, each), func(ctx context.Context, tx pgx.Tx) error { return fn(ctx, tx, each) }); err != nil {
			return postgres.Fault(err, nil)
		}
	}
	return nil
}

type newUser struct {
	byOrganization
	Email  string `json:"email" required:"true" maxLength:"254"`
	Name   string `json:"name" required:"true" maxLength:"200"`
	Role   string `json:"role" default:"viewer" maxLength:"50"`
	Locale string `json:"locale" default:"en-CA" maxLength:"50"`
}

type linkRequest struct {
	byOrganization
	UserID *string `json:"user_id" format:"uuid"`
	Email  *string `json:"email" maxLength:"254"`
}

// link is how an invited user sets the first password; its token stands behind #, which browsers send to nobody.
type link struct {
	UserID    string `json:"user_id"`
	Name      string `json:"name"`
	Email     string `json:"email"`
	Link      string `json:"link"`
	ExpiresAt string `json:"expires_at"`
}

// inviteUser makes a user on behalf of an Administrator and gives the link for the first password.
func (u *users) inviteUser(ctx context.Context, in newUser) (link, error) {
	ctx, err := authorize(ctx, in.ID, roleAdministrator)
	if err != nil {
		return link{}, err
	}
	if ctx, err = u.within(ctx, in.ID); err != nil {
		return link{}, err
	}
	p := principal.From(ctx)
	p.Scopes = []string{"users:read", "users:write"}
	var made struct {
		ID string `json:"id"`
	}
	if err := u.client.Post(principal.Into(ctx, p), "users", "/v1/users",
		map[string]any{"email": in.Email, "name": in.Name, "role": in.Role, "locale": in.Locale}, &made); err != nil {
		return link{}, err
	}
	return u.createLink(ctx, linkRequest{byOrganization: in.byOrganization, UserID: &made.ID})
}

// within is organization.within for an organization that is still to be read.
func (u *users) within(ctx context.Context, id string) (context.Context, error) {
	var of organization
	err := u.db.Read(ctx, func(ctx context.Context, tx pgx.Tx) (err error) {
		of, err = readOrganization(ctx, tx, id)
		return err
	})
	return of.within(ctx), postgres.Fault(err, nil)
}

// createLink gives a user who has no password yet a link to set it; an earlier one ends.
func (u *users) createLink(ctx context.Context, in linkRequest) (link, error) {
	ctx, err := authorize(ctx, in.ID, roleAdministrator)
	if err != nil {
		return link{}, err
	}
	if ctx, err = u.within(ctx, in.ID); err != nil {
		return link{}, err
	}
	made, err := contract.Invite.Call(ctx, u.client, contract.InvitationRequest{UserID: in.UserID, Email: in.Email})
	if err != nil {
		return link{}, err
	}
	err = u.db.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
		return audit(ctx, tx, "user.link_made", subject{"user", made.UserID, made.Name}, map[string]any{"expires_at": made.ExpiresAt})
	})
	return link{made.UserID, made.Name, made.Email, u.baseURL + "/settings/welcome#" + made.Token, made.ExpiresAt}, postgres.Fault(err, nil)
}
