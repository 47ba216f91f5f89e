package engine

// Cycle is the life of a new element until it is replaced.
type Cycle struct {
	Years            int
	Costs            []YearCost // the last is the replacement
	EquivalentAnnual float64    // cents a year
}

// YearCost is a treatment, by its number, in a year after the element was new.
type YearCost struct {
	Year, Treatment int
	Cost            Cents
}

const longestCycle = 300 // years

// CycleOf follows a new element of a class through its strategy at prices that do not change. Each year the first treatment of the strategy
// that is possible is done, until it is a replacement. False: it is not replaced within 300 years.
func CycleOf(in *Input, e Element, discountPct float64) (Cycle, bool) {
	first := calculation{Input: in, Scenario: &Scenario{}} // whose prices hold
	now := first
	class := &in.Classes[e.Class]
	s := state{shares: StateOf(1), done: make([]application, len(class.Treatments)), backlogFor: NoTreatment}
	e.RenewalYear = 0
	var cycle Cycle
	for now.year = range longestCycle {
		condition := e.condition(&s)
		for number := range class.Treatments {
			if !now.triggered(&e, &s, number, condition) {
				continue
			}
			t := &class.Treatments[number]
			cycle.Costs = append(cycle.Costs, YearCost{now.year, number, first.cost(&e, t)})
			if t.Kind == Replacement && now.year > 0 {
				cycle.Years = now.year
				cycle.EquivalentAnnual = equivalentAnnual(cycle.Costs, now.year, discountPct/100)
				return cycle, true
			}
			now.effect(&e, &s, number)
			break
		}
		e.grow(&s)
	}
	return cycle, false
}

// equivalentAnnual is the cost that, paid each year of a cycle, has the same present value: NPV·d/(1 − (1+d)^−n), at d = 0 NPV/n.
func equivalentAnnual(costs []YearCost, years int, discount float64) float64 {
	present := 0.0
	for _, c := range costs {
		present += float64(c.Cost) / power(1+discount, float64(c.Year))
	}
	if discount == 0 {
		return present / float64(years)
	}
	return present * discount / (1 - 1/power(1+discount, float64(years)))
}
