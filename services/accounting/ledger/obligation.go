package ledger

import "math/big"

// precision is of the powers below, in bits: an amount has 50.
const precision = 160

// growth is (1 + rate)^(months ÷ 12); rate is in percent and has four decimals: 40000 is 4 %.
func growth(rate, monthCount int) *big.Float {
	number := func(n int64) *big.Float { return new(big.Float).SetPrec(precision).SetInt64(n) }
	base := number(1_000_000 + int64(rate))
	base.Quo(base, number(1_000_000))
	// The twelfth root x of the base by Newton: x − (x¹² − base) ÷ (12 x¹¹). It begins above, and falls.
	root := new(big.Float).Copy(base)
	for range 200 {
		eleventh := power(root, 11)
		step := new(big.Float).SetPrec(precision).Mul(eleventh, root)
		step.Sub(step, base)
		step.Quo(step, new(big.Float).SetPrec(precision).Mul(number(12), eleventh))
		next := new(big.Float).SetPrec(precision).Sub(root, step)
		if next.Cmp(root) == 0 {
			break
		}
		root = next
	}
	return new(big.Float).SetPrec(precision).Mul(power(base, monthCount/12), power(root, monthCount%12))
}

func power(x *big.Float, n int) *big.Float {
	result := new(big.Float).SetPrec(precision).SetInt64(1)
	for range n {
		result.Mul(result, x)
	}
	return result
}

// PresentValue is what settles an obligation, discounted over so many months at a rate a year in percent with four decimals.
func PresentValue(cost Cents, rate, monthCount int) Cents {
	return rounded(new(big.Float).SetPrec(precision).Quo(new(big.Float).SetPrec(precision).SetInt64(int64(cost)), growth(rate, monthCount)))
}

// Accretion is by how much a liability grows in so many months.
func Accretion(liability Cents, rate, monthCount int) Cents {
	grown := new(big.Float).SetPrec(precision).SetInt64(int64(liability))
	return rounded(grown.Mul(grown, growth(rate, monthCount))) - liability
}

// rounded is to whole cents, half away from zero; x is not negative.
func rounded(x *big.Float) Cents {
	whole, _ := new(big.Float).SetPrec(precision).Add(x, big.NewFloat(0.5)).Int64()
	return Cents(whole)
}
