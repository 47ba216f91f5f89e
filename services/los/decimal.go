package los

import (
	"math/big"
	"strconv"
)

// exact is a number as it is written in JSON, such as 0.1, without the error of its binary form.
func exact(number float64) *big.Rat {
	r, ok := new(big.Rat).SetString(strconv.FormatFloat(number, 'f', -1, 64))
	if !ok {
		return new(big.Rat) // NaN and infinities, which JSON does not have
	}
	return r
}

// rounded is a number to so many decimals, rounded half away from zero.
func rounded(number *big.Rat, decimals int) float64 {
	value, _ := strconv.ParseFloat(number.FloatString(decimals), 64) // always a number
	return value
}
