package indicators_test

import (
	"testing"

	"ams.internal/libs/domain/indicators"
)

func TestSystemNeed(t *testing.T) {
	need := indicators.SystemNeed("t.due", "t.own_value::numeric", "t.own_deferred::numeric",
		indicators.Inside{Value: "t.value", Deferred: "t.deferred", Need: "t.need", Renewals: "t.renewals", Relieved: "t.relieved"})
	db := connect(t)
	for _, c := range []struct{ name, own, inside, want string }{
		{"a renewal is not lost behind the system's own deferred maintenance", "false, NULL, 0", "400000, 0, 400000, 400000, 0", "400000"},
		{"renewing an asset takes its share of the system's deferred maintenance away", "false, NULL, 44169",
			"71000, 5000, 71000, 71000, 5000", "110169"},
		{"it takes no more than there is", "false, NULL, 3000", "71000, 5000, 71000, 71000, 5000", "71000"},
		{"without deferred maintenance of its own it is the assets'", "false, NULL, NULL", "71000, 8000, 74000, 71000, 5000", "74000"},
		{"its own renewal", "true, 500000, NULL", "71000, 8000, 74000, 71000, 5000", "500000"},
		{"its own renewal costs what its assets cost where it has no cost", "true, NULL, NULL", "80000, 8000, 74000, 71000, 5000", "80000"},
		{"its own renewal is no less than what is due inside", "true, 50000, 10000", "80000, 8000, 74000, 71000, 5000", "76000"},
		{"its own renewal is no less than its deferred maintenance", "true, 50000, 90000", "0, 0, 0, 0, 0", "90000"},
		{"without assets", "false, NULL, 5000", "0, 0, 0, 0, 0", "5000"},
	} {
		from := "(VALUES (" + c.own + ", " + c.inside + ")) t(due, own_value, own_deferred, value, deferred, need, renewals, relieved)"
		if got := evaluate(t, db, need, from); got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}
