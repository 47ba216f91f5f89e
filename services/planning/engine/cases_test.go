package engine

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"
)

func day(year int, month time.Month, day int) time.Time {
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
}

func TestAges(t *testing.T) {
	for _, c := range []struct {
		began, on time.Time
		want      Age
	}{
		{day(2000, 2, 29), day(2027, 1, 1), 2684}, // 9,803 days
		{MiddleOf(1987), day(2027, 1, 1), 3950},
		{day(2024, 2, 29), day(2027, 9, 1), 350}, // a school year
		{day(2030, 1, 1), day(2027, 1, 1), 0},
	} {
		if got := AgeAt(c.began, c.on); got != c.want {
			t.Errorf("from %s to %s: %d, want %d", c.began.Format(time.DateOnly), c.on.Format(time.DateOnly), got, c.want)
		}
	}
}

func TestCurve(t *testing.T) {
	table := NewTable(Curve{End: 20, Exponent: 2}, 40*year)
	if got := table.At(20 * year); got != 80_000 {
		t.Errorf("C(20) is %d", got)
	}
	rated := table.AgeOf(55_000)
	if rated != 3000 {
		t.Errorf("rated 55 it is %d", rated)
	}
	age := rated + AgeAt(day(2023, 1, 1), day(2027, 1, 1))
	if age != 3400 || table.At(age) != 42_200 {
		t.Errorf("four years later it is %d, in condition %d", age, table.At(age))
	}
	if got := table.At(45 * year); got != 0 {
		t.Errorf("C(45) is %d", got)
	}
	var sum int64
	for n := range 7 {
		sum += int64(table.At(1234 + Age(n)*year))
	}
	if got := table.Sum(1234, 7); got != sum {
		t.Errorf("seven years add up to %d, not %d", got, sum)
	}
}

func TestPoints(t *testing.T) {
	table := NewTable(Points{{0, 100}, {50, 80}, {100, 20}}, 40*year)
	for age, want := range map[Age]Condition{0: 100_000, 1000: 90_000, 2000: 80_000, 3000: 50_000, 4000: 20_000, 4500: 5_000, 5000: 0} {
		if got := table.At(age); got != want {
			t.Errorf("at %d it is %d, want %d", age, got, want)
		}
	}
}

func TestWeibull(t *testing.T) {
	two := Weibull{Shape: 2, MedianYears: 10 * math.Sqrt(math.Ln2)} // η = 10
	table := NewTable(two, 0)
	if got := table.At(10 * year); got != 36_788 {
		t.Errorf("C(10) is %d", got)
	}
	if got := two.Failure(10*year, 0); got != 189_415_754 {
		t.Errorf("p(10) is %d", got)
	}
	if got := (Weibull{Shape: 2.5}).Scale(60); math.Abs(got-69.4738) > .00005 {
		t.Errorf("η is %f", got)
	}
	even := Weibull{Shape: 1, MedianYears: 20 * math.Ln2}
	for _, age := range []Age{0, 550, 40 * year} {
		if got := even.Failure(age, 0); got != 48_770_575 {
			t.Errorf("at %d p is %d", age, got)
		}
	}
}

func TestMarkov(t *testing.T) {
	m := Staying([4]int64{900_000_000, 800_000_000, 700_000_000, 600_000_000})
	one := m.Next(StateOf(1))
	two := m.Next(one)
	if one != (Shares{900_000_000, 100_000_000}) || one.Condition() != 91_000 {
		t.Errorf("after a year %v, %d", one, one.Condition())
	}
	if two != (Shares{810_000_000, 170_000_000, 20_000_000}) || two.Condition() != 89_350 {
		t.Errorf("after two years %v, %d", two, two.Condition())
	}
	if got := StayOfMedian(10); got != 933_032_992 {
		t.Errorf("half have left after ten years: %d", got)
	}
	if got := StayOfMean(10); got != 900_000_000 {
		t.Errorf("ten years on average: %d", got)
	}
}

// Mean years 8, 7, 6, 5; in state 4 on 2024-03-31: on 2027-01-01, 2.75 years later, it is between 37.600 after two years and 34.080 after
// three.
func TestMarkovByPartsOfAYear(t *testing.T) {
	m := Staying([4]int64{StayOfMean(8), StayOfMean(7), StayOfMean(6), StayOfMean(5)})
	day := func(year int, month time.Month, day int) time.Time {
		return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
	}
	passed := AgeAt(day(2024, time.March, 31), day(2027, time.January, 1))
	for age, want := range map[Age]Condition{0: 47_500, 200: 37_600, passed: 34_960, 300: 34_080} {
		if got := m.After(StateOf(4), age).Condition(); got != want {
			t.Errorf("after %d hundredths of a year %d, want %d", age, got, want)
		}
	}
	for age := range Age(800) { // nothing is lost on the way, and nothing gets better
		before, after := m.After(StateOf(1), age), m.After(StateOf(1), age+1)
		sum := int64(0)
		for _, share := range after {
			sum += share
		}
		if sum != billion || after.Condition() > before.Condition() {
			t.Fatalf("after %d: %v, before %v", age+1, after, before)
		}
	}
}

func TestEstimate(t *testing.T) {
	var pairs []Pair
	add := func(n int, p Pair) {
		for range n {
			pairs = append(pairs, p)
		}
	}
	add(18, Pair{0, 0, 1})
	add(2, Pair{0, 1, 1})
	add(81, Pair{3, 3, 2})
	add(19, Pair{3, 4, 2})
	rows, counts := Estimate(pairs, 20)
	if got := fmt.Sprintf("%.6f %.6f %v", rows[0], rows[3], rows[1]); got != "[0.900000 0.100000 0.000000 0.000000 0.000000] [0.000000 "+
		"0.000000 0.000000 0.900000 0.100000] []" {
		t.Error(got)
	}
	if counts != [States]int{20, 0, 0, 100, 0} {
		t.Error(counts)
	}
	if PairYears(182) != 0 || PairYears(183) != 1 || PairYears(1461) != 4 {
		t.Error("years between inspections are rounded")
	}
}

func TestPrices(t *testing.T) {
	index := Index{Values: map[int]float64{2024: 120.4, 2026: 137.1}, ForecastPct: 3}
	factors, extrapolated := index.Factors(2024, 2026, 2)
	if extrapolated || factors[0] != 1_138_704_319 {
		t.Errorf("%v %v", factors, extrapolated)
	}
	for n, want := range []Cents{55_227_16, 56_883_97} {
		if got := Cents(48_500_00).times(factors[n], billion); got != want {
			t.Errorf("in %d it is %d, want %d", 2026+n, got, want)
		}
	}
	if value, extrapolated := index.At(2025); value != 120.4 || extrapolated {
		t.Errorf("between two years it is %f", value)
	}
	if value, extrapolated := index.At(2020); value != 120.4 || !extrapolated {
		t.Errorf("before the first it is %f", value)
	}
}

func TestEquivalentAnnualCost(t *testing.T) {
	for discount, want := range map[float64]string{.05: "1295046", 0: "1000000"} {
		if got := fmt.Sprintf("%.0f", equivalentAnnual([]YearCost{{0, 0, 100_000_00}}, 10, discount)); got != want {
			t.Errorf("at %f it is %s cents", discount, got)
		}
	}
	road := func(treatments ...Treatment) (*Input, Element) {
		return &Input{Years: 1, Prices: [][]int64{{billion}}, Classes: []Class{{Bands: bands, Treatments: treatments}}},
			Element{Life: 20 * year, Table: NewTable(Curve{0, 1}, 20*year), Value: 1_000_000_00}
	}
	replace := Treatment{Kind: Replacement, Basis: PctOfReplacement, Cost: 100_000, Trigger: Trigger{ConditionMax: 40 * points}}
	mill := Treatment{Kind: Rehabilitation, Basis: Fixed, Cost: 200_000_00, Trigger: Trigger{ConditionMax: 65 * points, MaxApplications: 1},
		Effect: Effect{ResetTo: 90 * points}}
	for _, c := range []struct {
		treatments []Treatment
		discount   float64
		years      int
		want       string
	}{
		{[]Treatment{replace}, 0, 12, "8333333"}, {[]Treatment{replace}, 3, 12, "7046209"},
		{[]Treatment{mill, replace}, 0, 17, "7058824"}, {[]Treatment{mill, replace}, 3, 17, "5830380"},
	} {
		in, e := road(c.treatments...)
		cycle, found := CycleOf(in, e, c.discount)
		if got := fmt.Sprintf("%.0f", cycle.EquivalentAnnual); !found || cycle.Years != c.years || got != c.want {
			t.Errorf("%d treatments at %.0f %%: %v, %s a year", len(c.treatments), c.discount, cycle, got)
		}
	}
}

func TestFrontiers(t *testing.T) {
	c := calculation{Scenario: &Scenario{}}
	for _, options := range []struct{ have, want []option }{
		{[]option{{cost: 50, benefit: int128{0, 50}}, {cost: 200, benefit: int128{0, 250}}}, []option{{cost: 200, benefit: int128{0, 250}}}},
		{[]option{{cost: 10, benefit: int128{0, 100}}, {cost: 20, benefit: int128{0, 150}}, {cost: 30, benefit: int128{0, 200}}},
			[]option{{cost: 10, benefit: int128{0, 100}}, {cost: 30, benefit: int128{0, 200}}}},
	} {
		if got, _ := c.frontier(slices.Clone(options.have), 1); !slices.Equal(got, options.want) {
			t.Errorf("of %v remain %v", options.have, got)
		}
	}
}

func TestRiskAndDeferredMaintenance(t *testing.T) {
	class := &Class{Bands: bands}
	e := Element{Table: NewTable(Curve{0, 1}, 20*year), Life: 20 * year, Value: 3_000_000_00, Deferred: 7_000_00,
		ProbabilityOffset: 2 - 3, Consequence: 5}
	if got := e.risk(class, 50*points); got != 15 { // rated 4
		t.Errorf("rated 4 its risk is %d", got)
	}
	if got := e.risk(class, asNew); got != 5 {
		t.Errorf("replaced its risk is %d", got)
	}
	c := calculation{&Input{Prices: [][]int64{{billion}}, Classes: []Class{*class}}, &Scenario{BenefitYears: 5}, 0}
	options := c.options(nil, &e, &state{deferred: e.Deferred})
	if len(options) != 1 || options[0].treatment != CatchUp || options[0].cost != 7_000_00 ||
		c.ratio(options[0].benefit, options[0].cost, e.Value) != 500 {
		t.Errorf("to catch up is %+v", options)
	}
}

func TestDraws(t *testing.T) {
	if mix(0) != 0xE220A8397B1DCDAF || below(mix(0)) != 883_310_808 {
		t.Errorf("mix(0) is %X", mix(0))
	}
	id := ID{0x01, 0x9a, 0x3c, 0x5e, 0x7d, 0x1b, 0x7c, 0x3a, 0x9f, 0x59, 0x3b, 0x8f, 0x0a, 0x4c, 0x2e, 0x11}
	if got := below(draw(42, id, 2027, 1)); got != 584_364_509 {
		t.Errorf("it is %d", got)
	}
}

func TestFundsPayInTheirOrder(t *testing.T) {
	roads := []bool{true, false}
	r := run{calculation: calculation{&Input{}, &Scenario{Funds: []Fund{{Scope: Scope{Classes: roads}}, {}}}, 0},
		left: []Cents{100_000, 150_000}, figures: &Figures{Paid: make([]Cents, 2)}}
	road, building := &Element{Class: 0}, &Element{Class: 1}
	var out Outcome
	take := func(e *Element, cost Cents) bool {
		s := &step{cost: cost}
		return r.affordable(e, s, &out) && r.pay(e, s.kind, cost) == 0
	}
	if !take(road, 180_000) || !slices.Equal(r.figures.Paid, []Cents{100_000, 80_000}) {
		t.Errorf("the road is paid by %v", r.figures.Paid)
	}
	if !take(building, 60_000) || !slices.Equal(r.left, []Cents{0, 10_000}) {
		t.Errorf("left is %v", r.left)
	}
	if take(road, 15_000) || out.Reason != NoFunds || out.Left != 10_000 || out.Short != 5_000 || out.Blocker != 1 {
		t.Errorf("the second road: %+v", out)
	}
}

func TestAmountsMayBeTooLarge(t *testing.T) {
	in := &Input{Start: 2027, Years: 100, Classes: []Class{{Bands: bands}},
		Elements: []Element{{Table: NewTable(Curve{0, 1}, 20*year), Life: 20 * year, Value: 1e12 * 100, Consequence: 3}}}
	prices, _ := Inflation(2027, 20).Factors(2027, 2027, 100)
	in.Prices = [][]int64{prices}
	last := -1
	err := Run(context.Background(), in, &Scenario{BenefitYears: 20}, func(year int, _ *Figures, _ []Outcome) error {
		last = year
		return nil
	})
	if last != 62 || err == nil || err.Error() != "2090: an amount is beyond 2^63 cents" {
		t.Errorf("after year %d: %v", last, err)
	}
}

var bands = [States - 1]Condition{85 * points, 70 * points, 55 * points, 40 * points}
