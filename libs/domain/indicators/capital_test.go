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
		name, status                                           string
		estimate, budget, forecast, committed, actual, funding string
		gap, surplus, variance, remaining                      string
	}{
		{"everything is known", "approved", "900", "1000", "1100.50", "300", "250.25", "600", "400.00", "0", "-100.50", "449.75"},
		{"more is confirmed than needed", "approved", "NULL", "1000", "900", "NULL", "NULL", "1200", "0", "200.00", "100.00", "1000.00"},
		{"as much is confirmed", "approved", "NULL", "1000", "NULL", "NULL", "NULL", "1000", "0.00", "0.00", "", "1000.00"},
		{"without a budget the estimate has the gap", "proposed", "900", "NULL", "950", "10", "10", "300", "600.00", "0", "", ""},
		{"without both there is no gap", "proposed", "NULL", "NULL", "NULL", "NULL", "NULL", "300", "", "", "", ""},
		{"without a forecast there is no variance", "in_progress", "NULL", "1000", "NULL", "1000", "500", "0", "1000.00", "0", "", "-500.00"},
		{"completed, it costs what was spent and is committed", "completed", "1", "1000", "NULL", "100", "500", "650", "0", "50.00", "",
			"400.00"},
		{"closed, it costs what was spent", "closed", "1", "1000", "NULL", "100", "500", "450", "50.00", "0", "", "400.00"},
		{"completed without actuals, it costs the budget", "completed", "1", "1000", "NULL", "0", "NULL", "400", "600.00", "0", "", "1000.00"},
		{"closed with commitments alone, it costs the budget", "closed", "1", "1000", "NULL", "700", "0", "400", "600.00", "0", "", "300.00"},
	} {
		t.Run(c.name, func(t *testing.T) {
			from := "(SELECT '" + c.status + "' AS status"
			for _, column := range [][2]string{{c.estimate, "estimate"}, {c.budget, "budget"}, {c.forecast, "forecast"},
				{c.committed, "committed"}, {c.actual, "actual"}} {
				from += fmt.Sprintf(", %s::numeric(15,2) AS %s_amount", column[0], column[1])
			}
			from += ", " + c.funding + "::numeric(15,2) AS funding_confirmed) t"
			for figure, want := range map[string]string{indicators.FundingGap("t"): c.gap, indicators.FundingSurplus("t"): c.surplus,
				indicators.BudgetVariance("t"): c.variance, indicators.BudgetRemaining("t"): c.remaining} {
				if got := evaluate(t, db, figure, from); got != want {
					t.Errorf("%s is %q, want %q", figure, got, want)
				}
			}
		})
	}
}

func TestFinishedProjectsWithoutActuals(t *testing.T) {
	db := connect(t)
	for _, c := range []struct{ status, committed, actual, want string }{
		{"completed", "NULL", "NULL", "true"}, {"completed", "0", "0", "true"}, {"completed", "1", "0", "false"},
		{"closed", "1", "0", "true"}, {"closed", "0", "1", "false"}, {"in_progress", "NULL", "NULL", "false"},
	} {
		from := "(SELECT '" + c.status + "' AS status, " + c.committed + "::numeric AS committed_amount, " + c.actual +
			"::numeric AS actual_amount) t"
		if got := evaluate(t, db, indicators.WithoutActuals("t"), from); got != c.want {
			t.Errorf("%+v is %s", c, got)
		}
	}
}
