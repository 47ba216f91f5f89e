package indicators_test

import (
	"fmt"
	"testing"

	"ams.internal/libs/domain/indicators"
)

// number is a value as SQL; "" is unknown.
func number(value string) string {
	if value == "" {
		value = "NULL"
	}
	return "CAST(" + value + " AS numeric)"
}

func TestAttainment(t *testing.T) {
	var cases []figureCase
	for _, c := range []struct{ direction, value, target, tolerance, want string }{
		{"higher_is_better", "90", "90", "5", "met"}, {"higher_is_better", "97.5", "90", "5", "met"},
		{"higher_is_better", "89.99", "90", "5", "near"}, {"higher_is_better", "85.5", "90", "5", "near"},
		{"higher_is_better", "85.49", "90", "5", "missed"}, {"higher_is_better", "89.99", "90", "0", "missed"},
		{"higher_is_better", "-10", "-10", "5", "met"}, {"higher_is_better", "-10.5", "-10", "5", "near"},
		{"higher_is_better", "-10.51", "-10", "5", "missed"},
		{"higher_is_better", "0", "0", "5", "met"}, {"higher_is_better", "-0.001", "0", "5", "missed"},
		{"higher_is_better", "0.09", "0.1", "10", "near"}, // would be missed in binary fractions
		{"lower_is_better", "4", "4", "5", "met"}, {"lower_is_better", "0", "4", "5", "met"},
		{"lower_is_better", "4.2", "4", "5", "near"}, {"lower_is_better", "4.21", "4", "5", "missed"},
		{"lower_is_better", "-9.5", "-10", "5", "near"}, {"lower_is_better", "-9.49", "-10", "5", "missed"},
		{"target_is_best", "70", "70", "10", "met"}, {"target_is_best", "77", "70", "10", "met"}, {"target_is_best", "63", "70", "10", "met"},
		{"target_is_best", "77.01", "70", "10", "near"}, {"target_is_best", "84", "70", "10", "near"},
		{"target_is_best", "56", "70", "10", "near"},
		{"target_is_best", "84.01", "70", "10", "missed"}, {"target_is_best", "55.99", "70", "10", "missed"},
		{"higher_is_better", "90", "", "5", "no_target"}, {"lower_is_better", "", "4", "5", "no_target"},
		{"target_is_best", "", "", "5", "no_target"},
	} {
		name := fmt.Sprintf("%s: %s against %s with %s %% is %s", c.direction, c.value, c.target, c.tolerance, c.want)
		cases = append(cases, figureCase{name, row{},
			indicators.Attainment("'"+c.direction+"'", number(c.value), number(c.target), number(c.tolerance)), c.want})
	}
	check(t, cases)
}

func TestVarianceIsTheValueLessTheTarget(t *testing.T) {
	check(t, []figureCase{
		{"above the target", row{}, indicators.VarianceFromTarget(number("92.5"), number("90")), "2.5"},
		{"below the target", row{}, indicators.VarianceFromTarget(number("3"), number("4")), "-1"},
		{"without a target there is none", row{}, indicators.VarianceFromTarget(number("3"), number("")), ""},
	})
}

func TestTrend(t *testing.T) {
	var cases []figureCase
	for _, c := range []struct{ direction, previous, latest, target, want string }{
		{"higher_is_better", "100", "101", "", "stable"}, {"higher_is_better", "100", "99", "", "stable"},
		{"higher_is_better", "100", "100", "", "stable"},
		{"higher_is_better", "100", "101.01", "", "improving"}, {"higher_is_better", "100", "98.99", "", "declining"},
		{"lower_is_better", "100", "101.01", "", "declining"}, {"lower_is_better", "100", "98.99", "", "improving"},
		{"lower_is_better", "-100", "-101", "", "stable"},
		{"higher_is_better", "0", "0.001", "", "improving"}, {"lower_is_better", "0", "0.001", "", "declining"},
		{"higher_is_better", "0", "0", "", "stable"},
		{"target_is_best", "80", "75", "70", "improving"}, {"target_is_best", "60", "65", "70", "improving"},
		{"target_is_best", "75", "80", "70", "declining"},
		{"target_is_best", "65", "75", "70", "stable"}, {"target_is_best", "60", "75", "70", "improving"},
		{"target_is_best", "100", "101", "70", "stable"},
		{"target_is_best", "60", "75", "", ""},
		{"higher_is_better", "", "75", "70", ""}, {"lower_is_better", "75", "", "70", ""},
	} {
		name := fmt.Sprintf("%s: from %q to %q is %q", c.direction, c.previous, c.latest, c.want)
		cases = append(cases, figureCase{name, row{},
			indicators.Trend("'"+c.direction+"'", number(c.previous), number(c.latest), number(c.target)), c.want})
	}
	check(t, cases)
}

func TestStale(t *testing.T) {
	for period, want := range map[string]string{"2024-11-21": "false", "2024-11-20": "true", "2026-12-31": "false"} {
		check(t, []figureCase{{"a period that ended on " + period, row{}, indicators.Stale("DATE '"+period+"'", "DATE '2026-11-21'"), want}})
	}
	check(t, []figureCase{{"what was never measured", row{}, indicators.Stale("CAST(NULL AS date)", "DATE '2026-11-21'"), ""}})
}
