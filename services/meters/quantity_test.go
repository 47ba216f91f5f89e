package meters

import (
	"encoding/json"
	"testing"
)

func TestQuantitiesKeepEighteenDigits(t *testing.T) {
	for text, want := range map[any]string{
		160.9344: "160.9344", 0.0: "0", -12.5: "-12.5", 0.0000005: "0.000001", -0.0000005: "-0.000001", 0.00000049: "0", 1e-300: "0",
		json.Number("1.23456789012123456e11"): "123456789012.123456", json.Number("9.99999999999999999e11"): "999999999999.999999",
		12.300000000000001: "12.3",
	} {
		got, err := quantityOf(text)
		if err != nil || got.String() != want {
			t.Errorf("%v is kept as %s (%v), want %s", text, got, err, want)
		}
	}
	for _, wrong := range []any{1e12, -1e12, json.Number("9.9999999999999999999e11"), "12", true, nil} {
		if got, err := quantityOf(wrong); err == nil {
			t.Errorf("%v is taken as %s", wrong, got)
		}
	}
}

func TestUnitsAreConverted(t *testing.T) {
	for _, c := range []struct {
		value    float64
		from, to string
		want     string
	}{
		{100, "mi", "km", "160.9344"}, {160.9344, "km", "mi", "100"}, {1, "GJ", "kWh", "277.777778"}, {3600, "kWh", "GJ", "12.96"},
		{5, "h", "h", "5"}, {60, "min", "h", ""}, {1, "m3", "L", ""}, {1, "kPa", "mm", ""},
		{999999999999, "GJ", "kWh", "9223372036854.775807"}, // the largest quantity: a meter does not show it
	} {
		value, _ := quantityOf(c.value)
		got, known := convert(value, c.from, c.to)
		if known != (c.want != "") || known && got.String() != c.want {
			t.Errorf("%v %s in %s is %s (%v), want %q", c.value, c.from, c.to, got, known, c.want)
		}
	}
}
