package meters

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// Quantity is what a meter shows, or what it has run, in millionths of its unit: numeric(18,6), which no float64 holds whole.
type Quantity int64

const (
	million     = 1_000_000
	maxQuantity = 1_000_000_000_000 // of the unit; what a meter shows is less
	maxTotal    = 9_000_000_000_000 // of the unit; what a meter has run in all is not more
)

// quantityOf reads a JSON number, a float64 or a json.Number. What is behind the sixth decimal is rounded, half away from zero.
func quantityOf(value any) (Quantity, error) {
	var text string
	switch v := value.(type) {
	case float64:
		text = strconv.FormatFloat(v, 'g', -1, 64)
	case json.Number:
		text = v.String()
	default:
		return 0, fmt.Errorf("must be a number")
	}
	near, err := strconv.ParseFloat(text, 64)
	if err != nil || near > maxQuantity || near < -maxQuantity {
		return 0, fmt.Errorf("must be less than %d", int64(maxQuantity))
	}
	if near < 1e-9 && near > -1e-9 { // rounds to nothing, however small it is
		return 0, nil
	}
	exact, ok := new(big.Rat).SetString(text)
	if !ok {
		return 0, fmt.Errorf("must be a number")
	}
	q := rounded(exact)
	if q >= maxQuantity*million || q <= -maxQuantity*million {
		return 0, fmt.Errorf("must be less than %d", int64(maxQuantity))
	}
	return q, nil
}

// parseQuantity reads the text of a numeric.
func parseQuantity(text string) (Quantity, error) {
	exact, ok := new(big.Rat).SetString(text)
	if !ok {
		return 0, fmt.Errorf("%q is no number", text)
	}
	return rounded(exact), nil
}

// rounded gives the nearest millionth, half away from zero; of what is beyond all quantities, the largest or smallest.
func rounded(exact *big.Rat) Quantity {
	scaled := new(big.Rat).Mul(exact, big.NewRat(million, 1))
	twice := new(big.Int).Mul(scaled.Num(), big.NewInt(2))
	half := new(big.Int).Set(scaled.Denom())
	if scaled.Sign() < 0 {
		half.Neg(half)
	}
	nearest := new(big.Int).Quo(twice.Add(twice, half), new(big.Int).Mul(scaled.Denom(), big.NewInt(2)))
	switch {
	case nearest.IsInt64():
		return Quantity(nearest.Int64())
	case nearest.Sign() < 0:
		return math.MinInt64
	}
	return math.MaxInt64
}

// String is the number without zeros at its end: "160.9344".
func (q Quantity) String() string {
	sign, n := "", int64(q)
	if n < 0 {
		sign, n = "-", -n
	}
	whole, rest := n/million, n%million
	if rest == 0 {
		return sign + strconv.FormatInt(whole, 10)
	}
	return sign + strconv.FormatInt(whole, 10) + "." + strings.TrimRight(fmt.Sprintf("%06d", rest), "0")
}

// MarshalJSON writes a number.
func (q Quantity) MarshalJSON() ([]byte, error) { return []byte(q.String()), nil }

// UnmarshalJSON reads a number.
func (q *Quantity) UnmarshalJSON(encoded []byte) (err error) {
	*q, err = parseQuantity(string(encoded))
	return err
}

// Schema implements huma.SchemaProvider.
func (Quantity) Schema(huma.Registry) *huma.Schema { return &huma.Schema{Type: huma.TypeNumber} }

// conversions say how many of the second unit one of the first is. 1 mi is 1.609344 km by definition (international yard and pound
// agreement of 1959); 1 kWh is 3.6 MJ.
var conversions = map[[2]string]*big.Rat{
	{"mi", "km"}:  big.NewRat(1609344, 1000000),
	{"km", "mi"}:  big.NewRat(1000000, 1609344),
	{"GJ", "kWh"}: big.NewRat(10000, 36),
	{"kWh", "GJ"}: big.NewRat(36, 10000),
}

// convert gives a value in another unit; false where there is no way from one to the other.
func convert(value Quantity, from, to string) (Quantity, bool) {
	if from == to {
		return value, true
	}
	by, known := conversions[[2]string{from, to}]
	if !known {
		return 0, false
	}
	return rounded(new(big.Rat).Mul(by, big.NewRat(int64(value), million))), true
}
