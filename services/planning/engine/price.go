package engine

import (
	"maps"
	"math"
	"slices"
)

// Index is a price index: its value in some years, and by how much it grows after the last of them.
type Index struct {
	Values      map[int]float64
	ForecastPct float64
}

// At gives the index in a year: where a year has no value, that of the year before it, as costs are brought to the prices of another year
// elsewhere. Before the first it is the first, which extrapolated says; after the last it grows by the forecast.
func (x Index) At(year int) (value float64, extrapolated bool) {
	known := slices.Sorted(maps.Keys(x.Values))
	first, last := known[0], known[len(known)-1]
	switch {
	case year < first:
		return x.Values[first], true
	case year > last:
		return x.Values[last] * power(1+x.ForecastPct/100, float64(year-last)), false
	}
	next, exact := slices.BinarySearch(known, year)
	if exact {
		return x.Values[year], false
	}
	return x.Values[known[next-1]], false
}

// Factors gives what a price of one year is multiplied by, in 10⁻⁹, in each year from a first one
// on: round(10⁹·index(y)/index(price year)).
func (x Index) Factors(priceYear, from, count int) (factors []int64, extrapolated bool) {
	base, extrapolated := x.At(priceYear)
	for y := range count {
		value, before := x.At(from + y)
		extrapolated = extrapolated || before
		factors = append(factors, int64(math.Floor(float64(billion*float64(value/base))+0.5)))
	}
	return factors, extrapolated
}

// Inflation is the index of what has none: the price year's prices grow by so much a year.
func Inflation(priceYear int, pct float64) Index {
	return Index{Values: map[int]float64{priceYear: 1}, ForecastPct: pct}
}
