package indicators_test

import (
	"fmt"
	"testing"

	"ams.internal/libs/domain/indicators"
)

func TestPriorityScore(t *testing.T) {
	db := connect(t)
	for _, c := range []struct{ name, criteria, want string }{
		{"the worked case", `{"risk": 4, "legislated": 5, "health_safety": 3, "los_impact": 2, "cost_avoidance": 1, "climate": 0}`, "64.0"},
		{"all of them", `{"risk": 5, "legislated": 5, "health_safety": 5, "los_impact": 5, "cost_avoidance": 5, "climate": 5}`, "100.0"},
		{"none of them", `{"risk": 0, "legislated": 0, "health_safety": 0, "los_impact": 0, "cost_avoidance": 0, "climate": 0}`, "0.0"},
		{"risk alone weighs 30", `{"risk": 5}`, "30.0"},
		{"legislation alone weighs 20", `{"legislated": 5}`, "20.0"},
		{"health and safety alone weigh 20", `{"health_safety": 5}`, "20.0"},
		{"service alone weighs 15", `{"los_impact": 5}`, "15.0"},
		{"savings alone weigh 10", `{"cost_avoidance": 5}`, "10.0"},
		{"climate alone weighs 5", `{"climate": 5}`, "5.0"},
		{"one that is left out counts 0", `{"risk": 1, "climate": null}`, "6.0"},
		{"no criterion has no score", `{"risk": null}`, ""},
		{"no criteria have no score", `{}`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := evaluate(t, db, indicators.PriorityScore("t"), "(SELECT '"+c.criteria+"'::jsonb AS priority_criteria) t"); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
	if got := evaluate(t, db, indicators.PriorityScore("t"), "(SELECT NULL::jsonb AS priority_criteria) t"); got != "" {
		t.Errorf("without criteria got %q", got)
	}
}

func TestMoneyOfProjects(t *testing.T) {
	db := connect(t)
	for _, c := range []struct {
		name                                                   string
		estimate, budget, forecast, committed, actual, funding string
		gap, variance, remaining                               string
	}{
		{"everything is known", "900", "1000", "1100.50", "300", "250.25", "600", "400.00", "-100.50", "449.75"},
		{"more is confirmed than needed", "NULL", "1000", "900", "NULL", "NULL", "1200", "-200.00", "100.00", "1000.00"},
		{"without a budget the estimate has the gap", "900", "NULL", "950", "10", "10", "300", "600.00", "", ""},
		{"without both there is no gap", "NULL", "NULL", "NULL", "NULL", "NULL", "300", "", "", ""},
		{"without a forecast there is no variance", "NULL", "1000", "NULL", "1000", "500", "0", "1000.00", "", "-500.00"},
	} {
		t.Run(c.name, func(t *testing.T) {
			from := "(SELECT "
			for i, column := range [][2]string{{c.estimate, "estimate"}, {c.budget, "budget"}, {c.forecast, "forecast"},
				{c.committed, "committed"}, {c.actual, "actual"}} {
				if i > 0 {
					from += ", "
				}
				from += fmt.Sprintf("%s::numeric(15,2) AS %s_amount", column[0], column[1])
			}
			from += ", " + c.funding + "::numeric(15,2) AS funding_confirmed) t"
			for figure, want := range map[string]string{indicators.FundingGap("t"): c.gap, indicators.BudgetVariance("t"): c.variance,
				indicators.BudgetRemaining("t"): c.remaining} {
				if got := evaluate(t, db, figure, from); got != want {
					t.Errorf("%s is %q, want %q", figure, got, want)
				}
			}
		})
	}
}
