package engine

import (
	"errors"
	"math"
	"math/big"
	"math/bits"
)

// billion is the unit of shares, probabilities and price factors: 10⁻⁹.
const billion = 1_000_000_000

// Cents is an amount of money.
type Cents int64

// ErrAmountTooLarge says that an amount is beyond 2⁶³ cents.
var ErrAmountTooLarge = errors.New("an amount is beyond 2^63 cents")

// overflow is what add and times panic with; Run makes an error of it.
type overflow struct{}

// plus adds amounts.
func (c Cents) plus(other Cents) Cents {
	sum := c + other
	if (sum > c) != (other > 0) && other != 0 {
		panic(overflow{})
	}
	return sum
}

// times gives c·numerator/denominator, halves up; none of them is negative.
func (c Cents) times(numerator, denominator int64) Cents {
	high, low := bits.Mul64(uint64(c), uint64(numerator))
	low, carry := bits.Add64(low, uint64(denominator/2), 0)
	high += carry
	if high >= uint64(denominator) {
		panic(overflow{})
	}
	quotient, _ := bits.Div64(high, low, uint64(denominator))
	if quotient > math.MaxInt64 {
		panic(overflow{})
	}
	return Cents(quotient)
}

// int128 is a whole number of 128 bits, for products of amounts.
type int128 struct {
	high int64
	low  uint64
}

// product gives a·b.
func product(a, b int64) int128 {
	high, low := bits.Mul64(uint64(a), uint64(b))
	h := int64(high)
	if a < 0 {
		h -= b
	}
	if b < 0 {
		h -= a
	}
	return int128{h, low}
}

func (w int128) plus(other int128) int128 {
	low, carry := bits.Add64(w.low, other.low, 0)
	return int128{w.high + other.high + int64(carry), low}
}

func (w int128) minus(other int128) int128 {
	low, borrow := bits.Sub64(w.low, other.low, 0)
	return int128{w.high - other.high - int64(borrow), low}
}

// compare is −1, 0 or 1, as w is less than, equal to or greater than the other.
func (w int128) compare(other int128) int {
	switch {
	case w.high != other.high:
		if w.high < other.high {
			return -1
		}
		return 1
	case w.low < other.low:
		return -1
	case w.low > other.low:
		return 1
	}
	return 0
}

func (w int128) positive() bool { return w.high > 0 || w.high == 0 && w.low > 0 }

// float is the nearest number to w, near enough: two roundings.
func (w int128) float() float64 {
	return float64(float64(w.high)*(1<<64)) + float64(w.low)
}

// over gives w/divisor, halves up; both are positive, and the result has 63 bits.
func (w int128) over(divisor int64) int64 {
	w = w.plus(int128{0, uint64(divisor / 2)})
	quotient, _ := bits.Div64(uint64(w.high), w.low, uint64(divisor))
	return int64(quotient)
}

// crosswise compares a/b with c/d, where all are positive.
func crosswise(a int128, b int64, c int128, d int64) int {
	left, right := a.by(uint64(d)), c.by(uint64(b))
	for i := range left {
		if left[i] != right[i] {
			if left[i] < right[i] {
				return -1
			}
			return 1
		}
	}
	return 0
}

// by gives the three words of w·factor, the highest first; w is not negative.
func (w int128) by(factor uint64) [3]uint64 {
	middle, lowest := bits.Mul64(w.low, factor)
	highest, upper := bits.Mul64(uint64(w.high), factor)
	middle, carry := bits.Add64(middle, upper, 0)
	return [3]uint64{highest + carry, middle, lowest}
}

// big gives w as a number of any size.
func (w int128) big() *big.Int {
	n := new(big.Int).Lsh(big.NewInt(w.high), 64)
	return n.Add(n, new(big.Int).SetUint64(w.low))
}

// fromBig is the other way; what has more than 127 bits is too large.
func fromBig(n *big.Int) int128 {
	high := new(big.Int).Rsh(n, 64) // rounds down
	if !high.IsInt64() {
		panic(overflow{})
	}
	low := new(big.Int).Sub(n, new(big.Int).Lsh(high, 64))
	return int128{high.Int64(), low.Uint64()}
}
