package indicators_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/domain/indicators"
)

// row is one record as SQL: every column the figures read, NULL unless a test gives it.
type row map[string]string

var columns = []struct{ name, kind string }{
	{"status", "text"}, {"install_date", "date"}, {"install_year", "int"}, {"expected_useful_life_years", "int"},
	{"condition_rating", "int"}, {"probability_of_failure", "int"}, {"consequence_of_failure", "int"},
	{"replacement_cost", "numeric(15,2)"}, {"deferred_maintenance_cost", "numeric(15,2)"}, {"planned_renewal_year", "int"},
}

// from is the row as a derived table t.
func (r row) from() string {
	list := ""
	for i, c := range columns {
		value, given := r[c.name]
		if !given {
			value = "NULL"
		}
		if i > 0 {
			list += ", "
		}
		list += fmt.Sprintf("CAST(%s AS %s) AS %s", value, c.kind, c.name)
	}
	return "(SELECT " + list + ") AS t"
}

type figureCase struct {
	name       string
	row        row
	expression string
	want       string // as Postgres writes it; "" is NULL
}

func check(t *testing.T, cases []figureCase) {
	t.Helper()
	db := connect(t)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got := evaluate(t, db, c.expression, c.row.from()); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func evaluate(t *testing.T, db *pgx.Conn, expression, from string) string {
	t.Helper()
	var got *string
	statement := "SELECT (" + expression + ")::text FROM " + from
	if err := db.QueryRow(context.Background(), statement).Scan(&got); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
	if got == nil {
		return ""
	}
	return *got
}

func TestAge(t *testing.T) {
	age := indicators.AgeYears("t", "DATE '2026-07-01'")
	check(t, []figureCase{
		{"ten years to the day", row{"install_date": "'2016-07-01'"}, age, "10.0"},
		{"a year alone counts from 1 July", row{"install_year": "2016"}, age, "10.0"},
		{"the date goes before the year", row{"install_date": "'2016-01-01'", "install_year": "2016"}, age, "10.5"},
		{"half up at the second decimal: 18 days are 0.049 years", row{"install_date": "'2026-06-13'"}, age, "0.0"},
		{"half up at the second decimal: 19 days are 0.052 years", row{"install_date": "'2026-06-12'"}, age, "0.1"},
		{"installed today", row{"install_date": "'2026-07-01'"}, age, "0.0"},
		{"not yet installed is negative", row{"install_date": "'2027-07-01'"}, age, "-1.0"},
		{"unknown installation has no age", row{}, age, ""},
		{"a nineteenth-century year", row{"install_year": "1867"}, age, "159.0"},
	})
}

func TestRemainingLife(t *testing.T) {
	remaining := indicators.RemainingLifeYears("t", "DATE '2026-07-01'")
	check(t, []figureCase{
		{"life less age", row{"install_year": "2016", "expected_useful_life_years": "25"}, remaining, "15.0"},
		{"at the end exactly nothing remains", row{"install_year": "2001", "expected_useful_life_years": "25"}, remaining, "0.0"},
		{"over its life the rest is negative", row{"install_date": "'2001-05-20'", "expected_useful_life_years": "25"}, remaining, "-0.1"},
		{"without an expected life nothing is known", row{"install_year": "1990"}, remaining, ""},
		{"without an installation nothing is known", row{"expected_useful_life_years": "25"}, remaining, ""},
	})
}

func TestLifeEndsByDays(t *testing.T) {
	var cases []figureCase
	for _, c := range []struct{ installed, asOf, past, remaining string }{
		{"'2001-11-10'", "2026-11-10", "false", "0.0"}, {"'2001-11-10'", "2026-11-11", "true", "0.0"}, // the rest is rounded, the end is not
		{"'2004-02-29'", "2029-02-28", "false", "0.0"}, {"'2004-02-29'", "2029-03-01", "true", "0.0"},
		{"NULL", "2026-07-01", "false", "0.0"}, {"NULL", "2026-07-02", "true", "0.0"}, // the year 2001 alone counts from 1 July
	} {
		r := row{"install_date": c.installed, "install_year": "2001", "expected_useful_life_years": "25"}
		asOf := "DATE '" + c.asOf + "'"
		cases = append(cases,
			figureCase{c.installed + " on " + c.asOf, r, indicators.PastUsefulLife("t", asOf), c.past},
			figureCase{c.installed + " on " + c.asOf + " remaining", r, indicators.RemainingLifeYears("t", asOf), c.remaining})
	}
	past := indicators.PastUsefulLife("t", "DATE '2026-07-01'")
	check(t, append(cases,
		figureCase{"without an expected life nothing is known", row{"install_year": "1990"}, past, ""},
		figureCase{"without an installation nothing is known", row{"expected_useful_life_years": "25"}, past, ""}))
}

func TestConditionGrade(t *testing.T) {
	grade := indicators.ConditionGrade("t")
	cases := []figureCase{{"no rating has no grade", row{}, grade, ""}}
	for i, want := range indicators.Grades {
		rating := fmt.Sprint(i + 1)
		cases = append(cases, figureCase{"rating " + rating + " is " + want, row{"condition_rating": rating}, grade, want})
	}
	check(t, cases)
}

func TestIndexRating(t *testing.T) {
	for _, c := range []struct {
		index string
		value float64
		want  int // 0: unknown
	}{
		{"pci", 100, 1}, {"pci", 85, 1}, {"pci", 84.99, 2}, {"pci", 70, 2}, {"pci", 69.9, 3}, {"pci", 55, 3}, {"pci", 54.9, 4},
		{"bci", 85, 1}, {"bci", 84.99, 2}, {"bci", 70, 2}, {"bci", 69.99, 3}, {"bci", 60, 3}, {"bci", 59.99, 4}, {"bci", 58, 4},
		{"bci", 40, 4}, {"bci", 39.9, 5}, {"other_100", 0, 5}, {"pacp_5", 1, 1}, {"pacp_5", 5, 5}, {"iimm_5", 2.4, 2}, {"iimm_5", 2.5, 3},
		{"iri", 2.1, 0}, {"pci", 101, 0}, {"pci", -1, 0}, {"pacp_5", 0, 0},
	} {
		rating, known := indicators.Indexes[c.index].Rating(c.value)
		if rating != c.want || known != (c.want > 0) {
			t.Errorf("%s %v: got %d (%v), want %d", c.index, c.value, rating, known, c.want)
		}
	}
}

func TestRisk(t *testing.T) {
	score := indicators.RiskScore("t")
	level := indicators.RiskLevel(score)
	cases := []figureCase{
		{"the probability given counts before the condition",
			row{"probability_of_failure": "2", "condition_rating": "5", "consequence_of_failure": "3"}, score, "6"},
		{"without one the condition is the probability", row{"condition_rating": "5", "consequence_of_failure": "3"}, score, "15"},
		{"without consequence there is no score", row{"condition_rating": "5"}, score, ""},
		{"without consequence there is no level", row{"condition_rating": "5"}, level, ""},
	}
	for number, want := range map[int]string{1: "very_low", 4: "very_low", 5: "low", 7: "low", 8: "moderate", 9: "moderate",
		10: "high", 14: "high", 15: "very_high", 25: "very_high"} {
		cases = append(cases, figureCase{fmt.Sprintf("score %d is %s", number, want), row{}, indicators.RiskLevel(fmt.Sprint(number)), want})
	}
	check(t, cases)
}

func TestNeed(t *testing.T) {
	need := indicators.Need("t.planned_renewal_year", "2026", "2", "t.deferred_maintenance_cost", "t.replacement_cost")
	check(t, []figureCase{
		{"due within the horizon it is the replacement",
			row{"replacement_cost": "100", "deferred_maintenance_cost": "5", "planned_renewal_year": "2028"}, need, "100.00"},
		{"overdue counts as due", row{"replacement_cost": "100", "planned_renewal_year": "2019"}, need, "100.00"},
		{"deferred above replacement goes first", row{"replacement_cost": "100", "deferred_maintenance_cost": "130",
			"planned_renewal_year": "2026"}, need, "130.00"},
		{"after the horizon it is the deferred maintenance",
			row{"replacement_cost": "100", "deferred_maintenance_cost": "5", "planned_renewal_year": "2029"}, need, "5.00"},
		{"without a renewal year it is the deferred maintenance", row{"replacement_cost": "100", "deferred_maintenance_cost": "5"}, need, "5.00"},
		{"nothing known is no need", row{"planned_renewal_year": "2026"}, need, "0"},
	})
}

func TestFCIOfTheWorkedCase(t *testing.T) {
	db := connect(t)
	parts := `(VALUES (400000.00, 20000.00, 2031), (150000, 0, 2024), (50000, 5000, NULL), (400000, 0, 2028))
		AS t(replacement_cost, deferred_maintenance_cost, planned_renewal_year)`
	for horizon, want := range map[string]string{"0": "17.50", "2": "57.50", "5": "95.50"} {
		need := "sum(" + indicators.Need("t.planned_renewal_year", "2026", horizon, "t.deferred_maintenance_cost", "t.replacement_cost") + ")"
		if got := evaluate(t, db, indicators.FCI(need, "sum(t.replacement_cost)"), parts); got != want {
			t.Errorf("horizon %s: got %s, want %s", horizon, got, want)
		}
	}
}

func TestFCI(t *testing.T) {
	check(t, []figureCase{
		{"without any value there is no FCI", row{}, indicators.FCI("10", "0"), ""},
		{"it may exceed 100", row{}, indicators.FCI("300", "200"), "150.00"},
		{"it is rounded half up", row{}, indicators.FCI("12345", "1000000"), "1.23"},
	})
}

func TestFCIGrade(t *testing.T) {
	all, half, less := 100.0, 50.0, 49.99
	for _, c := range []struct {
		fci    float64
		known  *float64
		bands  []float64
		byLife bool
		want   string // a grade, or the reason why there is none
	}{
		{0, nil, nil, false, "good"}, {5, nil, nil, false, "good"},
		{5.01, nil, nil, false, "fair"}, {10, nil, nil, false, "fair"}, // each end is included
		{10.01, nil, nil, false, "poor"}, {30, nil, nil, false, "poor"}, {30.01, nil, nil, false, "critical"}, {250, nil, nil, false, "critical"},
		{5, nil, []float64{4, 9.5, 60}, false, "fair"}, {9.5, nil, []float64{4, 9.5, 60}, false, "fair"},
		{60, nil, []float64{4, 9.5, 60}, false, "poor"},
		{0, &all, nil, true, "good"}, {0, &half, nil, true, "good"}, {0, &less, nil, true, "lives_unknown"}, {0, nil, nil, true, "lives_unknown"},
	} {
		grade, reason := indicators.FCIGrade(&c.fci, c.known, c.bands, c.byLife)
		if (grade == nil) == (reason == nil) || grade != nil && *grade != c.want || reason != nil && *reason != c.want {
			t.Errorf("%v %% with %v, %v: %v, %v, want %s", c.fci, c.bands, c.known, grade, reason, c.want)
		}
	}
	if grade, reason := indicators.FCIGrade(nil, nil, nil, true); grade != nil || reason != nil {
		t.Errorf("without an FCI: %v, %v", grade, reason)
	}
}

func TestTheYearOfARenewal(t *testing.T) {
	byLife := indicators.RenewalYear("t", true)
	check(t, []figureCase{
		{"typed alone", row{"install_year": "2000", "expected_useful_life_years": "20"}, indicators.RenewalYear("t", false), ""},
		{"by life", row{"install_year": "2000", "expected_useful_life_years": "20"}, byLife, "2020"},
		{"by life, from the day", row{"install_date": "'2000-12-31'", "expected_useful_life_years": "20"}, byLife, "2020"},
		{"what was typed goes first", row{"install_year": "2000", "expected_useful_life_years": "20", "planned_renewal_year": "2031"},
			byLife, "2031"},
		{"no life", row{"install_year": "2000"}, byLife, ""},
		{"no installation", row{"expected_useful_life_years": "20"}, byLife, ""},
	})
}

func TestCounts(t *testing.T) {
	cases := []figureCase{{"a missing row counts", row{}, indicators.Counts("t"), "true"}}
	for status, want := range map[string]string{
		"in_service": "true", "out_of_service": "true", "active": "true", "inactive": "true", "vacant": "true", "closed": "true",
		"planned": "false", "decommissioned": "false", "disposed": "false", "demolished": "false", "abandoned": "false", "removed": "false",
	} {
		cases = append(cases, figureCase{status, row{"status": "'" + status + "'"}, indicators.Counts("t"), want})
	}
	check(t, cases)
}
