package accounts

import (
	"context"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/postgres"
	"ams.internal/libs/transport"
)

// suspensions are the operator's. Keys and sign-ins are refused from the next request on. What works by itself stops by a mark in the
// organization's cell, which deploy/move sets.
type suspensions struct{ db *postgres.DB }

func (s *suspensions) mount(api *transport.API) {
	transport.Post(api, transport.Operation{Path: "/internal/organizations/{id}/suspend", ID: "suspend_organization"}, s.set(true))
	transport.Post(api, transport.Operation{Path: "/internal/organizations/{id}/resume", ID: "resume_organization"}, s.set(false))
}

// set suspends or resumes an organization with its sandbox. One that is so already stays as it is, so that a command can be run again. To
// resume it calls off its deletion, unless that has begun.
func (s *suspensions) set(suspended bool) func(ctx context.Context, in byOrganization) (organization, error) {
	action, update := "organization.resumed", `UPDATE organization SET suspended_at = NULL, delete_after = NULL, deletion_ordered_at = NULL,
		deletion_ordered_by = NULL, updated_at = now() WHERE organization_id = $1`
	if suspended {
		action, update = "organization.suspended", `UPDATE organization SET suspended_at = now(), updated_at = now() WHERE organization_id = $1`
	}
	return func(ctx context.Context, in byOrganization) (changed organization, err error) {
		if ctx, err = authorize(ctx, in.ID, rolePlatformAdmin); err != nil {
			return changed, err
		}
		err = s.db.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
			before, err := lockOrganization(ctx, tx, in.ID)
			if err != nil {
				return err
			}
			if err := before.ofItsOwn("suspended_at"); err != nil {
				return err
			}
			if !suspended && before.DeletionBeganAt != nil {
				return deletionBegan(before)
			}
			if changed = before; (before.SuspendedAt != nil) == suspended {
				return nil
			}
			if _, err := tx.Exec(ctx, update, in.ID); err != nil {
				return err
			}
			if err := audit(ctx, tx, action, subject{"organization", before.ID, before.Name}, map[string]any{}); err != nil {
				return err
			}
			changed, err = readOrganization(ctx, tx, in.ID)
			return err
		})
		return changed, postgres.Fault(err, nil)
	}
}
