package users

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/postgres"
	"ams.internal/libs/transport"
)

// mountSignIn serves POST /internal/users/sign-in {email, password, organization_id?} for the gateway and the console. It gives
// the user and their organization; 401 sign_in_failed for a wrong password, an unknown e-mail address and a user who
// is not active alike, in the same time; 409 organization_required, with the organizations' ids in allowed, where
// e-mail address and password fit users of several. The calling service limits attempts.
func (p people) mountSignIn() {
	transport.Internal(p.registry.API, "/users/sign-in", p.signIn)
}

type credentials struct {
	Email        string  `json:"email" required:"true" maxLength:"254"`
	Password     string  `json:"password" required:"true" maxLength:"1000"`
	Organization *string `json:"organization_id" format:"uuid"`
}

type signedIn struct {
	OrganizationID string `json:"organization_id"`
	UserID         string `json:"user_id"`
	Name           string `json:"name"`
	Email          string `json:"email"`
	Role           string `json:"role"`
	Status         string `json:"status"`
	Locale         string `json:"locale"`
}

func (p people) signIn(ctx context.Context, in credentials) (signedIn, error) {
	if err := requireService(ctx); err != nil {
		return signedIn{}, err
	}
	candidates, away := p.candidates(ctx, in)
	if away != nil && len(candidates) == 0 {
		return signedIn{}, postgres.Fault(away, nil)
	}
	if len(candidates) == 0 {
		if err := verifyNothing(ctx, in.Password); err != nil {
			return signedIn{}, err
		}
	}
	var fitting []signedIn
	var organizations []string
	var suspended error // of an organization that the credentials fit
	for _, candidate := range candidates {
		fits, err := verifyPassword(ctx, in.Password, candidate.hash)
		if err != nil {
			return signedIn{}, err
		}
		switch {
		case fits && candidate.suspended: // told with the right password only: a stranger learns nothing of an account
			suspended = postgres.Suspended()
		case fits:
			fitting, organizations = append(fitting, candidate.signedIn), append(organizations, candidate.OrganizationID)
		}
	}
	switch len(fitting) {
	case 0:
		if suspended != nil {
			return signedIn{}, suspended
		}
		if away != nil { // the password may be that of a user who cannot be looked up
			return signedIn{}, postgres.Fault(away, nil)
		}
		return signedIn{}, fault.New(fault.KindUnauthenticated, "sign_in_failed", "The e-mail address or the password is wrong.")
	case 1:
		return fitting[0], nil
	}
	several := fault.Conflict("organization_required", "organization_id", nil,
		"You are a user of several organizations; say which one by organization_id.")
	several.Allowed = organizations
	return signedIn{}, several
}

// candidate is somebody who may be signing in.
type candidate struct {
	signedIn
	hash      string // of the password
	suspended bool   // the organization is
}

// candidates gives the active users of all organizations, in all cells, who have this e-mail address and a password. The query is across
// organizations, so a function with its owner's rights makes it. The error is that of cells that do not answer: those who are there are not
// among the candidates, and the others can sign in.
func (p people) candidates(ctx context.Context, in credentials) (found []candidate, away error) {
	all, away := postgres.Gather(ctx, p.db, func(ctx context.Context) ([]candidate, error) {
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
	return slices.Concat(all...), away
}
