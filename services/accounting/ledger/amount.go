package ledger

import (
	"math"
	"math/bits"
	"slices"
)

// Cents is an amount of money.
type Cents int64

// Largest is the largest amount there is: 9,999,999,999,999.99.
const Largest Cents = 999_999_999_999_999

// FromFloat gives an amount as JSON has it, rounded half away from zero.
func FromFloat(amount float64) Cents { return Cents(math.Round(amount * 100)) }

// Float gives it as JSON has it.
func (c Cents) Float() float64 { return float64(c) / 100 }

// Share gives c·part/whole, rounded half away from zero. part is 0 to whole.
func (c Cents) Share(part, whole int64) Cents {
	if c < 0 {
		return -(-c).Share(part, whole)
	}
	high, low := bits.Mul64(uint64(c), uint64(part))
	low, carry := bits.Add64(low, uint64(whole)/2, 0)
	quotient, _ := bits.Div64(high+carry, low, uint64(whole)) // below c, since part is no more than whole
	return Cents(quotient)
}

// spread gives parts of an amount in the proportion of weights, which sum to exactly the amount: cents that are over go to the largest
// remainders, of equals to the first.
func spread(amount Cents, weights []Cents) []Cents {
	parts := make([]Cents, len(weights))
	var total, given Cents
	for _, w := range weights {
		total += w
	}
	if total == 0 {
		return parts
	}
	order := make([]int, len(weights))
	remainders := make([]uint64, len(weights))
	for i, w := range weights {
		high, low := bits.Mul64(uint64(amount), uint64(w))
		quotient, remainder := bits.Div64(high, low, uint64(total))
		parts[i], remainders[i], order[i] = Cents(quotient), remainder, i
		given += parts[i]
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case remainders[a] > remainders[b]:
			return -1
		case remainders[a] < remainders[b]:
			return 1
		}
		return 0
	})
	for _, i := range order[:amount-given] {
		parts[i]++
	}
	return parts
}
