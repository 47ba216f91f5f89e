package projects

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/principal"
	"ams.internal/libs/transport"
)

// PromotionsRequest is planning's request for projects of what a run decided.
type PromotionsRequest struct {
	Projects []PromotedProject `json:"projects" maxItems:"200"`
}

// PromotedProject is a project with its links. Its external id says which interventions it is made of.
type PromotedProject struct {
	Project map[string]any   `json:"project" doc:"As POST /v1/projects takes it, with an external_id."`
	Links   []map[string]any `json:"links" doc:"As POST /v1/projects/{id}/links takes them."`
}

// Promotions are the projects, in the order of the request.
type Promotions struct {
	IDs []string `json:"ids"`
}

// mountPromotions makes projects of what a run decided, all of a request or none. One that there is by its external id is not made again.
func (f family) mountPromotions() {
	transport.Internal(f.registry.API, "/promotions", func(ctx context.Context, in PromotionsRequest) (out Promotions, err error) {
		if !principal.From(ctx).Allows("projects:write") {
			e := fault.Forbidden("scope_missing", "The key needs projects:write.")
			e.Required = "projects:write"
			return out, e
		}
		err = f.registry.DB.Write(ctx, func(ctx context.Context, tx pgx.Tx) error {
			if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock(hashtextextended('promotions of ' || $1, 0))", principal.From(ctx).OrganizationID); err != nil {
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

func (f family) promote(ctx context.Context, tx pgx.Tx, p PromotedProject) (id string, err error) {
	err = tx.QueryRow(ctx, "SELECT id::text FROM project WHERE organization_id = current_organization() AND external_id_key = unique_key($1)", p.Project["external_id"]).Scan(&id)
	if err == nil || !errors.Is(err, pgx.ErrNoRows) {
		return id, err
	}
	if id, err = f.registry.Create(ctx, tx, "projects", "", p.Project); err != nil {
		return "", err
	}
	_, err = f.registry.CreateAll(ctx, tx, "project_links", id, p.Links, func(int) string { return "" })
	return id, err
}
