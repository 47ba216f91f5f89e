package schema

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
)

// maxDigits is how many significant digits a number has at most that is kept as it was written.
const maxDigits = 30

// parseNumber reads a JSON number: as float64 where the shortest text of that has the very value, which is so of numbers of 15 digits and
// of many others, else as json.Number. A number beyond a float64 is errRange.
func parseNumber(text string) (any, error) {
	number, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return nil, errRange
	}
	if len(text) <= 15 && !strings.ContainsAny(text, "eE") {
		return number, nil
	}
	digits, exponent := decimalOf(text)
	if same, at := decimalOf(strconv.FormatFloat(number, 'e', -1, 64)); digits == same && exponent == at {
		return number, nil
	}
	return json.Number(spelled(digits, exponent)), nil
}

// spelled writes a number one way, however it was written: equal numbers are equal texts.
func spelled(digits string, exponent int) string {
	digits, negative := strings.CutPrefix(digits, "-")
	sign := ""
	if negative {
		sign = "-"
	}
	if len(digits) > 1 {
		digits = digits[:1] + "." + digits[1:]
	}
	return sign + digits + "e" + strconv.Itoa(exponent)
}

// decimalOf gives a number's sign with its significant digits, and the power of ten of the first of them. Zero has no digits.
func decimalOf(text string) (digits string, exponent int) {
	text, negative := strings.CutPrefix(text, "-")
	mantissa, power := text, ""
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		mantissa, power = text[:i], text[i+1:]
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits = whole + fraction
	exponent = len(whole) - 1
	if power != "" {
		by, err := strconv.Atoi(power)
		if err != nil {
			by = math.MinInt32 // of a number that is next to nothing: a larger one is no float64
		}
		exponent += by
	}
	significant := strings.TrimLeft(digits, "0")
	exponent -= len(digits) - len(significant)
	if significant = strings.TrimRight(significant, "0"); significant == "" {
		return "", 0
	}
	if negative {
		significant = "-" + significant
	}
	return significant, exponent
}

// checkExact objects to a number that is not kept as it was written.
func checkExact(at string, number json.Number, problems *Problems) {
	digits, exponent := decimalOf(number.String())
	if len(strings.TrimPrefix(digits, "-")) > maxDigits || exponent < -300 {
		problems.Add(at, "must be a number of at most %d significant digits that is no nearer to 0 than 1e-300", maxDigits)
	}
}

// OpenObject is an object whose members are the caller's own. Read from JSON, its numbers are float64 where that has the very value,
// else json.Number, as those of a body are (Parse), so that equal objects are equal.
type OpenObject map[string]any

// UnmarshalJSON reads an object of this service's own; null is nil.
func (o *OpenObject) UnmarshalJSON(encoded []byte) error {
	value, err := Parse(encoded)
	if err != nil {
		return err
	}
	members, _ := value.(map[string]any)
	*o = members
	return nil
}

// nearest replaces the numbers that no float64 has by those next to them, in a value that is kept as float64 anyway.
func nearest(value any) any {
	switch v := value.(type) {
	case json.Number:
		number, _ := v.Float64() // its range was checked when it was read
		return number
	case []any:
		for i := range v {
			v[i] = nearest(v[i])
		}
	case map[string]any:
		for name := range v {
			v[name] = nearest(v[name])
		}
	}
	return value
}
