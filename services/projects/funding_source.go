package projects

import (
	"context"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/resource"
)

// FundingSource is money that pays for a project, or was requested for it.
type FundingSource struct {
	resource.Record
	ProjectID       string  `json:"project_id" readOnly:"true" references:"projects" doc:"The project." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	SourceType      string  `json:"source_type" required:"true" enum:"levy,reserve,debt,development_charges,user_rates,ccbf,ocif,provincial_grant,federal_grant,donation,other" filter:"equals" sort:"true" doc:"Where the money comes from; ccbf is the Canada Community-Building Fund, ocif the Ontario Community Infrastructure Fund." example:"ccbf"`
	Name            *string `json:"name" maxLength:"200" filter:"equals" sort:"true" search:"text" doc:"What people call it." example:"Réserve des immobilisations"`
	Status          string  `json:"status" default:"requested" enum:"requested,confirmed,received,declined" filter:"equals" sort:"true" doc:"Confirmed and received money counts as funding; requested money does not yet, declined money never." example:"confirmed"`
	Amount          float64 `json:"amount" required:"true" money:"true" filter:"range" sort:"true" doc:"How much." example:"450000.00"`
	FiscalYear      *int    `json:"fiscal_year" minimum:"1900" maximum:"2200" unit:"year" filter:"range" sort:"true" doc:"Fiscal year that the money is for, by the calendar year it begins in. Left out, the plan spreads it over the years of the project's costs." example:"2027"`
	Program         *string `json:"program" maxLength:"200" filter:"equals" sort:"true" search:"text" doc:"The programme of the grant." example:"Programme de la taxe sur l'essence et de la contribution du Québec"`
	AgreementNumber *string `json:"agreement_number" maxLength:"100" filter:"equals" sort:"true" search:"code" doc:"Number of the agreement or by-law." example:"CCBF-2026-0147"`
	RequestedOn     *string `json:"requested_on" format:"date" filter:"range" sort:"true" doc:"Day it was asked for." example:"2026-02-27"`
	ConfirmedOn     *string `json:"confirmed_on" format:"date" filter:"range" sort:"true" doc:"Day it was promised in writing." example:"2026-06-15"`
	ReceivedOn      *string `json:"received_on" format:"date" filter:"range" sort:"true" doc:"Day it was paid." example:"2027-04-30"`
	ExpiresOn       *string `json:"expires_on" format:"date" filter:"range" sort:"true" doc:"Last day on which the money may be spent." example:"2029-03-31"`
	Notes           *string `json:"notes" maxLength:"5000" doc:"Remarks for colleagues." example:"Rapport annuel exigé"`
	Currency        string  `json:"currency" readOnly:"true" doc:"Currency of every amount of money in the record." example:"CAD"`
}

func (f family) fundingSources() resource.Definition[FundingSource] {
	return resource.Definition[FundingSource]{
		Collection: "project_funding_sources", Table: "project_funding_source", Parent: "project_id", Label: "source_type",
		Computed: map[string]string{"currency": resource.Currency},
		BeforeWrite: func(ctx context.Context, tx pgx.Tx, changes []*resource.Change[FundingSource]) error {
			return lockProjects(ctx, tx, fundedBy(changes))
		},
		AfterWrite: f.sumFunding,
	}
}

// fundedBy lists the projects that the changes are about.
func fundedBy(changes []*resource.Change[FundingSource]) []string {
	var ids []string
	for _, c := range changes {
		if c.After != nil {
			ids = append(ids, c.After.ProjectID)
		} else {
			ids = append(ids, c.Before.ProjectID)
		}
	}
	return ids
}

// lockProjects lets one transaction at a time change what the projects' amounts are the sums of.
func lockProjects(ctx context.Context, tx pgx.Tx, ids []string) error {
	_, err := tx.Exec(ctx, `SELECT FROM project WHERE organization_id = current_organization() AND id = ANY($1::uuid[])
		ORDER BY id FOR NO KEY UPDATE`, ids)
	return err
}

// sumFunding sets funding_confirmed of the projects to the sum of their sources.
func (f family) sumFunding(ctx context.Context, tx pgx.Tx, changes []*resource.Change[FundingSource]) error {
	return f.registry.UpdateWhere(ctx, tx, "projects", []string{"funding_confirmed"}, `
		SELECT p.id, coalesce(sum(s.amount) FILTER (WHERE s.status IN ('confirmed', 'received')), 0) AS funding_confirmed
		FROM project p LEFT JOIN project_funding_source s ON s.organization_id = $1 AND s.project_id = p.id
		WHERE p.organization_id = $1 AND p.id = ANY($2::uuid[]) GROUP BY p.id`, fundedBy(changes))
}
