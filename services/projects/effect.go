package projects

import (
	"context"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/effects/stored"
	"ams.internal/libs/resource"
)

// ProjectEffect is what the completion of a project does to a record of another service.
type ProjectEffect struct {
	resource.Record
	ProjectID string `json:"project_id" readOnly:"true" references:"projects" doc:"The project whose completion it follows from." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	stored.Effect
}

// effects are the effects of projects.
func (f family) effects() *stored.Of[ProjectEffect] {
	return &stored.Of[ProjectEffect]{
		Registry: f.registry, Causes: "projects", Effects: "project_effects", Table: "project_effect", Parent: "project_id",
		CauseTable: "project", Number: "code",
		Day:  "CASE WHEN c.status IN ('completed', 'closed') THEN c.actual_end_date::text END",
		Cost: "nullif(c.actual_amount, 0)::text",
		DayOf: func(_ context.Context, body map[string]any) string {
			day, _ := body["actual_end_date"].(string)
			return day
		},
		Parts: func(e *ProjectEffect) (*resource.Record, *string, *stored.Effect) {
			return &e.Record, &e.ProjectID, &e.Effect
		},
	}
}

func moves(changes []*resource.Change[Project]) []stored.Move {
	return stored.Moves(changes, func(p *Project) (string, []stored.Declared) { return p.Status, p.Effects })
}

// projects is the definition of projects with what their moves do to their effects.
func (f family) projects() resource.Definition[Project] {
	d := projects
	d.BeforeTransaction = f.effects().BeforeCauses
	d.BeforeWrite = func(ctx context.Context, tx pgx.Tx, changes []*resource.Change[Project]) error {
		if err := prepareProjects(ctx, tx, changes); err != nil {
			return err
		}
		return f.effects().CheckCauses(ctx, tx, moves(changes))
	}
	d.AfterWrite = func(ctx context.Context, tx pgx.Tx, changes []*resource.Change[Project]) error {
		return f.effects().FollowCauses(ctx, tx, moves(changes))
	}
	return d
}

// mountEffects serves the effects of projects.
func (f family) mountEffects() {
	resource.Mount(f.registry, f.effects().Definition("project.effect_refused"))
	f.effects().MountActions("ProjectEffect")
}
