package indicators_test

import (
	"testing"

	"ams.internal/libs/domain/indicators"
)

func TestALinerLengthensTheLifeOfAPipe(t *testing.T) {
	db := connect(t)
	const columns = ") t(install_date, install_year, expected_useful_life_years, relined_year, relined_useful_life_years)"
	for _, c := range []struct{ name, row, day, age, remaining, past string }{
		{"1950, 80 years, relined 2010 with 50", "NULL::date, 1950, 80, 2010, 50", "2026-07-01", "76.0", "34.0", "false"},
		{"the liner is over, and the pipe as well", "NULL::date, 1950, 60, 1990, 30", "2026-07-01", "76.0", "-6.0", "true"},
		{"the pipe outlives its liner", "NULL::date, 1950, 100, 1990, 30", "2026-07-01", "76.0", "24.0", "false"},
		{"the last day of the liner", "NULL::date, 1950, 60, 1990, 30", "2020-07-01", "70.0", "0.0", "false"},
		{"the day after", "NULL::date, 1950, 60, 1990, 30", "2020-07-02", "70.0", "0.0", "true"},
		{"relined, for nobody knows how long", "NULL::date, 1950, 80, 2010, NULL::int", "2026-07-01", "76.0", "4.0", "false"},
		{"a liner in a pipe of unknown age", "NULL::date, NULL::int, NULL::int, 2010, 50", "2026-07-01", "", "34.0", "false"},
		{"nothing is known", "NULL::date, NULL::int, 80, NULL::int, NULL::int", "2026-07-01", "", "", ""},
		{"the last day by the calendar", "'2001-11-10'::date, 2001, 25, NULL::int, NULL::int", "2026-11-10", "25.0", "0.0", "false"},
		{"the first day after", "'2001-11-10'::date, 2001, 25, NULL::int, NULL::int", "2026-11-11", "25.0", "0.0", "true"},
		{"a leap day, in February", "'2004-02-29'::date, 2004, 25, NULL::int, NULL::int", "2029-02-28", "25.0", "0.0", "false"},
		{"a leap day, in March", "'2004-02-29'::date, 2004, 25, NULL::int, NULL::int", "2029-03-01", "25.0", "0.0", "true"},
		{"a year alone", "NULL::date, 2001, 25, NULL::int, NULL::int", "2026-07-01", "25.0", "0.0", "false"},
	} {
		t.Run(c.name, func(t *testing.T) {
			from, day := "(VALUES ("+c.row+")"+columns, "DATE '"+c.day+"'"
			for expression, want := range map[string]string{
				indicators.AgeYears("t", day): c.age, indicators.LinearRemainingLifeYears("t", day): c.remaining,
				indicators.LinearPastUsefulLife("t", day): c.past,
			} {
				if got := evaluate(t, db, expression, from); got != want {
					t.Errorf("%s\nis %q, want %q", expression, got, want)
				}
			}
		})
	}
}
