package projects

import (
	"context"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/domain/indicators"
	"ams.internal/libs/resource"
)

// BudgetLine is a project's money for one category in one fiscal year. The project's amounts are the sums of its lines.
type BudgetLine struct {
	resource.Record
	ProjectID       string   `json:"project_id" readOnly:"true" references:"projects" doc:"The project." example:"019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"`
	FiscalYear      int      `json:"fiscal_year" required:"true" unique:"project_id,category" minimum:"1900" maximum:"2200" unit:"year" filter:"range" sort:"true" doc:"Fiscal year, by the calendar year it begins in." example:"2027"`
	Category        string   `json:"category" required:"true" enum:"planning,design,land,construction,equipment,contract_admin,contingency,other" filter:"equals" sort:"true" doc:"What the money is for; a project has one line per fiscal year and category." example:"construction"`
	BudgetAmount    float64  `json:"budget_amount" default:"0" money:"true" filter:"range" sort:"true" doc:"What may be spent." example:"850000.00"`
	ForecastAmount  *float64 `json:"forecast_amount" money:"true" filter:"range" sort:"true" doc:"What is expected to be spent in the end. Left out, the project's forecast takes the budget." example:"835000.00"`
	CommittedAmount float64  `json:"committed_amount" default:"0" money:"true" filter:"range" sort:"true" doc:"Contracts and purchase orders given out and not yet paid; no part of actual_amount." example:"310000.00"`
	ActualAmount    float64  `json:"actual_amount" default:"0" money:"true" filter:"range" sort:"true" doc:"What was spent." example:"205000.00"`
	Variance        *float64 `json:"variance" decimals:"2" readOnly:"true" filter:"range" sort:"true" doc:"budget_amount less forecast_amount. Negative where it is expected to cost more than budgeted."`
	Remaining       float64  `json:"remaining" decimals:"2" readOnly:"true" filter:"range" sort:"true" doc:"budget_amount less committed_amount and actual_amount: what is still free to be spent."`
	AccountCode     *string  `json:"account_code" maxLength:"100" filter:"equals" sort:"true" search:"code" doc:"The account in the general ledger." example:"22-7410-3100"`
	Notes           *string  `json:"notes" maxLength:"5000" doc:"Remarks for colleagues." example:"Indexé de 4 % par année"`
	Currency        string   `json:"currency" readOnly:"true" doc:"Currency of every amount of money in the record." example:"CAD"`
}

func (f family) budgetLines() resource.Definition[BudgetLine] {
	return resource.Definition[BudgetLine]{
		Collection: "project_budget_lines", Table: "project_budget_line", Parent: "project_id", Label: "category",
		Computed: map[string]string{"variance": indicators.BudgetVariance("t"), "remaining": indicators.BudgetRemaining("t"),
			"currency": resource.Currency},
		BeforeWrite: func(ctx context.Context, tx pgx.Tx, changes []*resource.Change[BudgetLine]) error {
			return lockProjects(ctx, tx, budgetedBy(changes))
		},
		AfterWrite: f.sumBudget,
	}
}

// budgetedBy lists the projects that the changes are about.
func budgetedBy(changes []*resource.Change[BudgetLine]) []string {
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

// sumBudget sets the amounts of the projects to the sums of their lines. When its last line is deleted, a project's amounts are empty
// and can be written again by callers.
func (f family) sumBudget(ctx context.Context, tx pgx.Tx, changes []*resource.Change[BudgetLine]) error {
	return f.registry.UpdateWhere(ctx, tx, "projects", []string{"budget_amount", "forecast_amount", "committed_amount", "actual_amount"}, `
		SELECT p.id, sum(l.budget_amount) AS budget_amount, sum(coalesce(l.forecast_amount, l.budget_amount)) AS forecast_amount,
			sum(l.committed_amount) AS committed_amount, sum(l.actual_amount) AS actual_amount
		FROM project p LEFT JOIN project_budget_line l ON l.organization_id = $1 AND l.project_id = p.id
		WHERE p.organization_id = $1 AND p.id = ANY($2::uuid[]) GROUP BY p.id`, budgetedBy(changes))
}
