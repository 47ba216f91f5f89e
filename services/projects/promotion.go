package projects

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	contract "ams.internal/libs/domain/contracts/projects"
	"ams.internal/libs/fault"
	"ams.internal/libs/principal"
	"ams.internal/libs/transport"
)

// mountPromotions makes projects of what a run decided, all of a request or none. One that there is by its external id is not made again.
func (f family) mountPromotions() {
	transport.Internal(f.registry.API, contract.Promote, func(ctx context.Context,
		in contract.PromotionsRequest) (out contract.Promotions, err error) {
		if !principal.From(ctx).Allows("projects:write") {
			e := fault.Forbidden("scope_missing", "The key needs projects:write.")
			e.Required = "projects:write"
			return out, e
		}
		err = f.registry.DB.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
			if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock(hashtextextended('promotions of ' || $1, 0))",
				principal.From(ctx).OrganizationID); err != nil {
				return err
			}
			for _, p := range in.Projects {
				id, err := f.promote(ctx, tx, p)
				if err != nil {
					return err
				}
				out.IDs = append(out.IDs, id)
			}
			return nil
		})
		return out, err
	})
}

func (f family) promote(ctx context.Context, tx pgx.Tx, p contract.PromotedProject) (id string, err error) {
	err = tx.QueryRow(ctx, "SELECT id::text FROM project WHERE organization_id = current_organization() AND external_id_key = unique_key($1)",
		p.Project["external_id"]).Scan(&id)
	if err == nil || !errors.Is(err, pgx.ErrNoRows) {
		return id, err
	}
	if id, err = f.registry.Create(ctx, tx, "projects", "", p.Project); err != nil {
		return "", err
	}
	_, err = f.registry.CreateAll(ctx, tx, "project_links", id, p.Links, func(int) string { return "" })
	return id, err
}
