package projects

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/resource"
)

// ProjectPhase is a part of a project's work: planning, design, tender, construction, commissioning.
type ProjectPhase struct {
	resource.Record
	ProjectID        string   `json:"project_id" readOnly:"true" references:"projects" doc:"The project." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	Name             string   `json:"name" required:"true" maxLength:"200" filter:"equals" sort:"true" search:"name" doc:"What people call the phase." example:"Conception"`
	Sequence         *int     `json:"sequence" minimum:"1" maximum:"1000" filter:"range" sort:"true" doc:"Its place among the project's phases, from 1. Two that run side by side may have the same." example:"2"`
	Status           string   `json:"status" default:"planned" enum:"planned,in_progress,completed,cancelled" filter:"equals" sort:"true" doc:"Where it stands. A project is closed only when all its phases are completed or cancelled, and a closed project gets no other ones." example:"planned"`
	Description      *string  `json:"description" maxLength:"5000" doc:"What is done in it." example:"Plans et devis à 50 %, 75 % et 100 %"`
	PlannedStartDate *string  `json:"planned_start_date" format:"date" filter:"range" sort:"true" doc:"Day it is to begin." example:"2027-01-11"`
	PlannedEndDate   *string  `json:"planned_end_date" format:"date" filter:"range" sort:"true" doc:"Day it is to be finished; not before planned_start_date." example:"2027-04-30"`
	ActualStartDate  *string  `json:"actual_start_date" format:"date" filter:"range" sort:"true" doc:"Day it began." example:"2027-01-18"`
	ActualEndDate    *string  `json:"actual_end_date" format:"date" filter:"range" sort:"true" doc:"Day it was finished; not before actual_start_date." example:"2027-05-07"`
	BudgetAmount     *float64 `json:"budget_amount" money:"true" filter:"range" sort:"true" doc:"What may be spent in it. For orientation: the project's budget is that of its budget lines." example:"120000.00"`
	PercentComplete  *float64 `json:"percent_complete" minimum:"0" maximum:"100" unit:"percent" filter:"range" sort:"true" doc:"How much of its work is done." example:"60"`
	Notes            *string  `json:"notes" maxLength:"5000" doc:"Remarks for colleagues." example:"Permis demandé à la Ville"`
	Currency         string   `json:"currency" readOnly:"true" doc:"Currency of every amount of money in the record." example:"CAD"`
}

var phases = resource.Definition[ProjectPhase]{
	Collection: "project_phases", Table: "project_phase", Parent: "project_id",
	Computed:    map[string]string{"currency": resource.Currency},
	BeforeWrite: preparePhases,
}

// activePhases are the states of a phase in which its project cannot be closed.
var activePhases = []string{"planned", "in_progress"}

func preparePhases(ctx context.Context, tx pgx.Tx, changes []*resource.Change[ProjectPhase]) error {
	var active []*resource.Change[ProjectPhase]
	for _, c := range changes {
		if c.After == nil {
			continue
		}
		checkOrder(c.FieldError, "planned_start_date", c.After.PlannedStartDate, "planned_end_date", c.After.PlannedEndDate)
		checkOrder(c.FieldError, "actual_start_date", c.After.ActualStartDate, "actual_end_date", c.After.ActualEndDate)
		if slices.Contains(activePhases, c.After.Status) && (c.Before == nil || c.Before.Status != c.After.Status) {
			active = append(active, c)
		}
	}
	if active == nil {
		return nil
	}
	// All phases of a call are of one project. A transaction that closes it waits, and then finds the phase.
	var status string
	if err := tx.QueryRow(ctx, `SELECT status FROM project
		WHERE organization_id = current_organization() AND id = $1 FOR SHARE`, active[0].After.ProjectID).Scan(&status); err != nil {
		return err
	}
	if status == "closed" {
		for _, c := range active {
			c.Reject(fault.Conflict("project_closed", "status", c.After.Status,
				"The project is closed, so a phase of it cannot be %s; it can only be completed or cancelled.", c.After.Status))
		}
	}
	return nil
}
