package accounts

import (
	"context"
	"slices"

	"ams.internal/libs/fault"
	"ams.internal/libs/principal"
)

// role is what a caller may do on the internal listener. The principal of a request has it as its one scope.
type role string

const (
	rolePlatformAdmin role = "operator"
	roleAdministrator role = "administrator" // of an organization
	roleMember        role = "member"        // signed in, without the role administrator
	roleService       role = "service"       // one of ours
	roleKey           role = "api_key"       // one of ours, for a request that came with a key
	roleAnonymous     role = "stranger"
)

// platform stands for no organization: row-level security shows it nothing.
const platform = "00000000-0000-0000-0000-000000000000"

// actAs gives a principal its role.
func actAs(p principal.Principal, r role) principal.Principal {
	p.Scopes = []string{string(r)}
	if p.OrganizationID == "" {
		p.OrganizationID = platform
	}
	return p
}

// actAsPerson gives its role to a person whom the console signed in. The console has looked up the role for this very request;
// without that a person is no Administrator. A person of no organization may do nothing in any.
func actAsPerson(p principal.Principal) principal.Principal {
	switch {
	case p.OrganizationID == "" || p.OrganizationID == platform:
		return actAs(p, roleAnonymous)
	case p.Origin == "console" && slices.Contains(p.Scopes, string(roleAdministrator)):
		return actAs(p, roleAdministrator)
	}
	return actAs(p, roleMember)
}

// authorize is how every operation on an organization begins: it refuses who may not, and gives a context in which the
// database shows that organization.
func authorize(ctx context.Context, organization string, allowed ...role) (context.Context, error) {
	p := principal.From(ctx)
	as := role(p.Scopes[0])
	if slices.Contains(allowed, as) {
		if p.OrganizationID != organization && p.OrganizationID != platform {
			return nil, noOrganization(organization)
		}
		p.OrganizationID = organization
		return principal.Into(ctx, p), nil
	}
	switch as {
	case roleMember:
		return nil, fault.Forbidden("administrator_needed", "Only an Administrator of the organization may do this.")
	case rolePlatformAdmin:
		return nil, fault.Forbidden("administrator_needed",
			"The platform's operator does not do this behind the Administrator's back: sign in as an Administrator of the organization.")
	}
	return nil, fault.Forbidden("not_allowed", "This caller may not do this.")
}

// authorizeSandbox is authorize for what an Administrator does in the sandbox of the organization as in the organization itself: keys,
// their use and the trail. A sandbox has no members of its own.
func authorizeSandbox(ctx context.Context, organization string, allowed ...role) (context.Context, error) {
	p := principal.From(ctx)
	if role(p.Scopes[0]) == roleAdministrator && organization == principal.SandboxOf(p.OrganizationID) {
		p.OrganizationID = organization
		ctx = principal.Into(ctx, p)
	}
	return authorize(ctx, organization, allowed...)
}

func noOrganization(id string) error {
	return fault.New(fault.KindNotFound, "not_found", "There is no organization %s, or it is not the caller's.", id)
}

type vouchedKey struct{}

// withVouched notes whether one of our services sent the request; vouched says so.
func withVouched(ctx context.Context, is bool) context.Context {
	return context.WithValue(ctx, vouchedKey{}, is)
}

func vouched(ctx context.Context) bool {
	is, _ := ctx.Value(vouchedKey{}).(bool)
	return is
}
