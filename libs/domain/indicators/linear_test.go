package indicators_test

import (
	"testing"

	"ams.internal/libs/domain/indicators"
)

func TestLinearFigures(t *testing.T) {
	db := connect(t)
	for _, c := range []struct{ name, expression, from, want string }{
		{"1 500 m of four lanes are 6 lane-km", indicators.LaneKm("t"), "(VALUES (1500.0::float8, 4)) t(length_m, lanes)", "6.000"},
		{"half a metre is rounded up", indicators.LaneKm("t"), "(VALUES (1234.5::float8, 1)) t(length_m, lanes)", "1.235"},
		{"without lanes there are no lane-km", indicators.LaneKm("t"), "(VALUES (1500.0::float8, NULL::int)) t(length_m, lanes)", ""},
		{"without a length neither", indicators.LaneKm("t"), "(VALUES (NULL::float8, 2)) t(length_m, lanes)", ""},
		{"1.2 m of fall over 80 m are 1.5 %", indicators.SlopePct("t"),
			"(VALUES (101.7::float8, 100.5::float8, 80::float8)) t(upstream_invert_m, downstream_invert_m, length_m)", "1.500"},
		{"uphill is negative", indicators.SlopePct("t"),
			"(VALUES (100::float8, 100.4::float8, 80::float8)) t(upstream_invert_m, downstream_invert_m, length_m)", "-0.500"},
		{"without a length there is no slope", indicators.SlopePct("t"),
			"(VALUES (100::float8, 99::float8, 0::float8)) t(upstream_invert_m, downstream_invert_m, length_m)", ""},
		{"without an invert there is no slope", indicators.SlopePct("t"),
			"(VALUES (100::float8, NULL::float8, 80::float8)) t(upstream_invert_m, downstream_invert_m, length_m)", ""},
	} {
		if got := evaluate(t, db, c.expression, c.from); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}
