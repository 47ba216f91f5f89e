package engine

import (
	"math"
	"sort"
)

// Condition is in thousandths of a point: 0 to 100,000.
type Condition int32

const (
	points Condition = 1000
	asNew            = 100 * points
)

// Deterioration is how the condition of something falls as it ages.
type Deterioration interface {
	// at gives the condition, 0 to 100, at an age, of something with a useful life; both in years.
	at(age, life float64) float64
}

// Curve falls from 100 to End at the end of the life, C = 100 − (100 − End)·(t/L)^Exponent, and on to 0.
type Curve struct{ End, Exponent float64 }

func (c Curve) at(age, life float64) float64 {
	return 100 - float64((100-c.End)*power(age/life, c.Exponent))
}

// Points are joined by straight lines: the first is (0, 100), each is later and lower than the one before. The last line goes on to 0.
type Points []Point

// Point is the condition, 0 to 100, after a part of the life, in percent.
type Point struct{ LifePct, Condition float64 }

func (p Points) at(age, life float64) float64 {
	used := 100 * age / life
	next := 1 + sort.Search(len(p)-2, func(i int) bool { return p[i+1].LifePct >= used })
	from, to := p[next-1], p[next]
	return from.Condition - float64((from.Condition-to.Condition)*float64((used-from.LifePct)/(to.LifePct-from.LifePct)))
}

// Weibull is the share that survives, S = exp(−(t/η)^Shape), where half survive MedianYears (0: the useful life):
// η = median/(ln 2)^(1/Shape).
type Weibull struct{ Shape, MedianYears float64 }

func (w Weibull) at(age, life float64) float64 { return 100 * exponential(-w.hazard(age, life)) }

// hazard is (t/η)^Shape, the cumulative hazard.
func (w Weibull) hazard(age, life float64) float64 { return power(age/w.Scale(life), w.Shape) }

// Scale is η, in years.
func (w Weibull) Scale(life float64) float64 {
	median := w.MedianYears
	if median == 0 {
		median = life
	}
	return median / power(math.Ln2, 1/w.Shape)
}

// Failure is the probability, in 10⁻⁹, that what survived until an age fails within the year: 1 − S(t+1)/S(t).
func (w Weibull) Failure(age Age, life Age) int64 {
	t, l := years(age), years(life)
	return int64(math.Floor(float64(billion*(1-exponential(w.hazard(t, l)-w.hazard(t+1, l)))) + 0.5))
}

func years(a Age) float64 { return float64(a) / float64(year) }

// Table is the condition of something with one useful life at each age. It has all floating-point numbers of a deterioration; what is
// calculated with it are whole numbers.
type Table struct {
	conditions []Condition // by age, falling; 0 from the end on
	sums       []int64     // at this age, a year later, two years later, and so on to the end
}

// NewTable tabulates a model for a useful life above 0.
func NewTable(model Deterioration, life Age) *Table {
	t := &Table{}
	for age := Age(0); age < oldest; age++ {
		condition := Condition(math.Floor(float64(float64(points)*max(0, model.at(years(age), years(life)))) + 0.5))
		if condition == 0 {
			break
		}
		t.conditions = append(t.conditions, condition)
	}
	t.sums = make([]int64, len(t.conditions))
	for age := len(t.conditions) - 1; age >= 0; age-- {
		t.sums[age] = int64(t.conditions[age]) + t.sum(Age(age)+year)
	}
	return t
}

// At gives the condition at an age.
func (t *Table) At(age Age) Condition {
	if int(age) >= len(t.conditions) {
		return 0
	}
	return t.conditions[age]
}

func (t *Table) sum(age Age) int64 {
	if int(age) >= len(t.sums) {
		return 0
	}
	return t.sums[age]
}

// Sum adds the conditions at an age and at each birthday after it, so many years in all.
func (t *Table) Sum(age Age, count int) int64 { return t.sum(age) - t.sum(age+Age(count)*year) }

// AgeOf gives the least age at which the condition is no better than this one.
func (t *Table) AgeOf(condition Condition) Age {
	return Age(sort.Search(len(t.conditions), func(age int) bool { return t.conditions[age] <= condition }))
}
