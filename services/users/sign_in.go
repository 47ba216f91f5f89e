package users

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	contract "ams.internal/libs/domain/contracts/users"
	"ams.internal/libs/fault"
	"ams.internal/libs/postgres"
	"ams.internal/libs/transport"
)

// mountSignIn serves the gateway and the settings screens.
func (p people) mountSignIn() {
	transport.Internal(p.registry.API, contract.SignIn, p.signIn)
}

func (p people) signIn(ctx context.Context, in contract.Credentials) (contract.SignedIn, error) {
	if err := requireService(ctx); err != nil {
		return contract.SignedIn{}, err
	}
	candidates, unavailable := p.candidates(ctx, in)
	if unavailable != nil && len(candidates) == 0 {
		return contract.SignedIn{}, postgres.Fault(unavailable, nil)
	}
	if len(candidates) == 0 {
		if err := verifyNothing(ctx, in.Password); err != nil {
			return contract.SignedIn{}, err
		}
	}
	var fitting []contract.SignedIn
	var organizations []string
	var suspended error // of an organization that the credentials fit
	for _, candidate := range candidates {
		fits, err := verifyPassword(ctx, in.Password, candidate.hash)
		if err != nil {
			return contract.SignedIn{}, err
		}
		switch {
		case fits && candidate.suspended: // told with the right password only: a stranger learns nothing of an account
			suspended = postgres.Suspended()
		case fits:
			fitting, organizations = append(fitting, candidate.SignedIn), append(organizations, candidate.OrganizationID)
		}
	}
	switch len(fitting) {
	case 0:
		if suspended != nil {
			return contract.SignedIn{}, suspended
		}
		if unavailable != nil { // the password may be that of a user who cannot be looked up
			return contract.SignedIn{}, postgres.Fault(unavailable, nil)
		}
		return contract.SignedIn{}, fault.New(fault.KindUnauthenticated, "sign_in_failed", "The e-mail address or the password is wrong.")
	case 1:
		return fitting[0], nil
	}
	several := fault.Conflict("organization_required", "organization_id", nil,
		"You are a user of several organizations; say which one by organization_id.")
	several.Allowed = organizations
	return contract.SignedIn{}, several
}

// candidate is somebody who may be signing in.
type candidate struct {
	contract.SignedIn
	hash      string // of the password
	suspended bool   // the organization is
}

// candidates gives the active users of all organizations, in all cells, who have this e-mail address and a password. The query is across
// organizations, so a function with its owner's rights makes it. The error is that of cells that do not answer: those who are there are not
// among the candidates, and the others can sign in.
func (p people) candidates(ctx context.Context, in contract.Credentials) (found []candidate, unavailable error) {
	all, unavailable := postgres.Gather(ctx, p.db, func(ctx context.Context) ([]candidate, error) {
		rows, err := p.db.Pool().Query(ctx, `SELECT organization_id::text, user_id::text, name, email, role, status, locale, password_hash,
				EXISTS (SELECT FROM organization_move m WHERE m.organization = organization_id AND m.state IN ('suspended', 'deleting'))
			FROM sign_in_candidates($1, $2)`, in.Email, in.Organization)
		if err != nil {
			return nil, err
		}
		return pgx.CollectRows(rows, func(row pgx.CollectableRow) (c candidate, err error) {
			return c, row.Scan(&c.OrganizationID, &c.UserID, &c.Name, &c.Email, &c.Role, &c.Status, &c.Locale, &c.hash, &c.suspended)
		})
	})
	return slices.Concat(all...), unavailable
}
