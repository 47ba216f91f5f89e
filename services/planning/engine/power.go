package engine

import "math"

// The powers of this file have the same bits on every machine: the functions of package math are written in assembly on some, and a
// compiler may fuse a product with a sum, except where a conversion stands around the product.

const (
	ln2High = 6.93147180369123816490e-01 // the first 32 bits of ln 2, so that small multiples are exact
	ln2Low  = 1.90821492927058770002e-10 // the rest
)

// power gives x to the y, for x from 0 on.
func power(x, y float64) float64 {
	switch {
	case y == 0:
		return 1
	case x <= 0:
		return 0
	case y > 0 && y <= 64 && y == math.Trunc(y):
		result := 1.0
		for range int(y) {
			result *= x
		}
		return result
	}
	return exponential(y * logarithm(x))
}

// logarithm is the natural one, of x > 0: with x = m·2ⁿ and s = (m − 1)/(m + 1) it is n·ln 2 + 2(s + s³/3 + s⁵/5 …).
func logarithm(x float64) float64 {
	m, n := math.Frexp(x)
	if m < math.Sqrt2/2 {
		m, n = 2*m, n-1
	}
	s := (m - 1) / (m + 1)
	square := s * s
	sum := 0.0
	for i := 25; i >= 1; i -= 2 {
		sum = float64(sum*square) + 1/float64(i)
	}
	return float64(float64(n)*ln2High) + (float64(float64(n)*ln2Low) + float64(2*s*sum))
}

// exponential is e to the x: with x = n·ln 2 + r it is 2ⁿ(1 + r + r²/2 …).
func exponential(x float64) float64 {
	switch {
	case x < -745:
		return 0
	case x > 709:
		return math.Inf(1)
	}
	n := math.Floor(float64(x/math.Ln2) + 0.5)
	r := (x - float64(n*ln2High)) - float64(n*ln2Low)
	sum := 1.0
	for i := 20; i >= 1; i-- {
		sum = 1 + float64(float64(r*sum)/float64(i))
	}
	return math.Ldexp(sum, int(n))
}
