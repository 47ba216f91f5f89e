package indicators

import (
	"fmt"
	"strings"
)

// Indicators of capital projects.

// criteria are what a project's priority is judged by, each with its weight in percent. They follow the multi-criteria
// ranking of municipal asset management plans: risk first, then what the law and people's safety require.
var criteria = []struct {
	name   string
	weight int
}{{"risk", 30}, {"legislated", 20}, {"health_safety", 20}, {"los_impact", 15}, {"cost_avoidance", 10}, {"climate", 5}}

// PriorityScore is the weighted sum of the criteria, each 0 to 5, on a scale of 0 to 100 with one decimal:
// {4, 5, 3, 2, 1, 0} → 64.0. One that is not given counts 0; where none is, there is no score. It reads priority_criteria
// (jsonb).
func PriorityScore(t string) string {
	var given, sum []string
	for _, c := range criteria {
		value := fmt.Sprintf("(%s.priority_criteria->>'%s')::int", t, c.name)
		given = append(given, value)
		sum = append(sum, fmt.Sprintf("coalesce(%s, 0) * %d", value, c.weight))
	}
	return "CASE WHEN coalesce(" + strings.Join(given, ", ") + ") IS NOT NULL THEN round((" + strings.Join(sum, " + ") + ") / 5.0, 1) END"
}

// ProjectSpent is what a finished project came to: of a completed one what was spent and what is still committed, of a closed one what
// was spent. It is NULL where that is 0, because nothing was recorded, and for all other projects. It reads status, actual_amount and
// committed_amount.
func ProjectSpent(t string) string {
	actual, committed := "coalesce("+t+".actual_amount, 0)", "coalesce("+t+".committed_amount, 0)"
	return "CASE " + t + ".status WHEN 'completed' THEN nullif(" + actual + " + " + committed + ", 0) WHEN 'closed' THEN nullif(" + actual +
		", 0) END"
}

// WithoutActuals is whether a project is finished and nothing is recorded of what it came to. It reads what ProjectSpent reads.
func WithoutActuals(t string) string {
	return "(" + t + ".status IN ('completed', 'closed') AND " + ProjectSpent(t) + " IS NULL)"
}

// ProjectCost is what a project costs as far as is known: what it came to, else its budget, else its estimate. It reads what
// ProjectSpent reads, budget_amount and estimate_amount.
func ProjectCost(t string) string {
	return "coalesce(" + ProjectSpent(t) + ", " + t + ".budget_amount, " + t + ".estimate_amount)"
}

// FundingGap is how much of the cost is not confirmed; 0 where all of it is. It reads also funding_confirmed.
func FundingGap(t string) string { return aboveZero(ProjectCost(t) + " - " + t + ".funding_confirmed") }

// FundingSurplus is how much more is confirmed than the project costs; 0 where it is not. It reads what FundingGap reads.
func FundingSurplus(t string) string { return aboveZero(t + ".funding_confirmed - " + ProjectCost(t)) }

// aboveZero is an amount, or 0 where it is negative. What is unknown stays so: greatest would pass over it.
func aboveZero(amount string) string {
	return "(SELECT CASE WHEN a.amount < 0 THEN 0 ELSE a.amount END FROM (SELECT " + amount + " AS amount) a)"
}

// BudgetVariance is the budget less the forecast at completion; negative where the budget will not do. It reads budget_amount
// and forecast_amount.
func BudgetVariance(t string) string { return "(" + t + ".budget_amount - " + t + ".forecast_amount)" }

// BudgetRemaining is the budget that is neither spent nor committed; what is unknown of those two counts as nothing. It reads
// budget_amount, committed_amount and actual_amount.
func BudgetRemaining(t string) string {
	return "(" + t + ".budget_amount - coalesce(" + t + ".committed_amount, 0) - coalesce(" + t + ".actual_amount, 0))"
}
