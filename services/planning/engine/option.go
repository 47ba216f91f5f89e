package engine

import (
	"cmp"
	"slices"
)

// option is something that can be done to an element in a year.
type option struct {
	treatment int
	cost      Cents
	benefit   int128 // thousandths of points × cents
}

// calculation is a scenario in a year.
type calculation struct {
	*Input
	*Scenario
	year int // from 0 on
}

func (c *calculation) price(base Cents, list int) Cents {
	return base.times(c.Prices[list][c.year], billion)
}

func (c *calculation) value(e *Element) Cents { return c.price(e.Value, e.Prices) }

// cost gives what a treatment of an element costs in the year.
func (c *calculation) cost(e *Element, t *Treatment) Cents {
	mobilization := c.price(t.Mobilization, t.Prices)
	switch t.Basis {
	case PctOfReplacement:
		return c.value(e).times(t.Cost, 100_000).plus(mobilization)
	case PerUnit:
		return c.price(Cents(t.Cost).times(e.Quantity, 1000), t.Prices).plus(mobilization)
	default:
		return c.price(Cents(t.Cost), t.Prices).plus(mobilization)
	}
}

// costOf is cost, of a treatment by its number; deferred is what catching up pays, in the money of the first year.
func (c *calculation) costOf(e *Element, treatment int, deferred Cents) Cents {
	switch treatment {
	case NoTreatment:
		return 0
	case CatchUp:
		return c.price(deferred, 0)
	}
	return c.cost(e, &c.Classes[e.Class].Treatments[treatment])
}

// triggered says whether a treatment is possible.
func (c *calculation) triggered(e *Element, s *state, number int, condition Condition) bool {
	t := &c.Classes[e.Class].Treatments[number]
	if e.Excluded>>number&1 != 0 {
		return false
	}
	done, trigger := s.done[number], &t.Trigger
	if trigger.MaxApplications > 0 && int(done.count) >= trigger.MaxApplications ||
		done.count > 0 && c.year-int(done.last) < trigger.YearsBetween {
		return false
	}
	if trigger.PlannedRenewal && e.RenewalYear > 0 && e.RenewalYear <= c.Start+c.year && !s.renewed {
		return true
	}
	return condition >= trigger.ConditionMin && (trigger.ConditionMax == 0 || condition <= trigger.ConditionMax) &&
		s.age >= trigger.AgeMin && int64(s.age)*100 >= trigger.LifeUsedMinPct*int64(e.Life)
}

// options gives all that has a benefit and a cost, the cheapest first, the better of two as dear first, and then in
// the order of the strategy.
func (c *calculation) options(into []option, e *Element, s *state) []option {
	into = into[:0]
	class := &c.Classes[e.Class]
	condition := e.condition(s)
	replaced := false
	var nothing int64 // what is there without a treatment, once it is needed
	computed := false
	for number := range class.Treatments {
		if !c.triggered(e, s, number, condition) {
			continue
		}
		if !computed {
			nothing, computed = c.ahead(e, *s), true
		}
		t := &class.Treatments[number]
		replaced = replaced || t.Kind == Replacement
		after := *s
		e.apply(class, &after, t)
		cleared := c.price(s.deferred, 0).times(t.ClearsPct, 100)
		o := option{treatment: number, cost: c.cost(e, t)}
		o.benefit = product(int64(c.value(e)), c.ahead(e, after)-nothing).plus(c.worthOfCleared(cleared))
		if o.cost > 0 && o.benefit.positive() {
			into = append(into, o)
		}
	}
	if s.deferred > 0 && !replaced && !class.Untreated {
		cost := c.price(s.deferred, 0)
		into = append(into, option{treatment: CatchUp, cost: cost, benefit: c.worthOfCleared(cost)})
	}
	if len(into) > 1 {
		slices.SortStableFunc(into, func(a, b option) int {
			return cmp.Or(cmp.Compare(a.cost, b.cost), b.benefit.compare(a.benefit))
		})
	}
	return into
}

// ahead adds up what the objective looks at, in thousandths, over the years of the benefit.
func (c *calculation) ahead(e *Element, s state) int64 {
	if c.Objective != ByRisk && e.Matrix == nil && s.slowYears == 0 {
		return e.Table.Sum(s.age, c.BenefitYears)
	}
	class, sum := &c.Classes[e.Class], int64(0)
	for range c.BenefitYears {
		condition := e.condition(&s)
		if c.Objective == ByRisk {
			sum -= 1000 * int64(e.risk(class, condition))
		} else {
			sum += int64(condition)
		}
		e.grow(&s)
	}
	return sum
}

// worthOfCleared is the benefit of deferred maintenance that is done: as if its share of the value went from the worst to the best.
func (c *calculation) worthOfCleared(cleared Cents) int128 {
	scale := int64(100)
	if c.Objective == ByRisk {
		scale = 25
	}
	return product(int64(cleared), 1000*scale*int64(c.BenefitYears))
}

// frontier gives the efficient options, in place: those that no mix of two others outdoes. Each has more benefit than those before it, at a
// ratio of what it adds that falls from one to the next. From the first on that adds less than the minimum ratio, all are cut off.
func (c *calculation) frontier(options []option, value Cents) (efficient []option, cut bool) {
	efficient = options[:0]
	for _, o := range options {
		if len(efficient) > 0 && o.benefit.compare(efficient[len(efficient)-1].benefit) <= 0 {
			continue
		}
		for len(efficient) > 0 {
			var before option
			if len(efficient) > 1 {
				before = efficient[len(efficient)-2]
			}
			last := efficient[len(efficient)-1]
			if crosswise(last.benefit.minus(before.benefit), int64(last.cost-before.cost), o.benefit.minus(before.benefit),
				int64(o.cost-before.cost)) > 0 {
				break
			}
			efficient = efficient[:len(efficient)-1]
		}
		efficient = append(efficient, o)
	}
	if c.MinRatio > 0 {
		var before option
		for i, o := range efficient {
			if c.ratio(o.benefit.minus(before.benefit), o.cost-before.cost, value) < c.MinRatio {
				return efficient[:i], true
			}
			before = o
		}
	}
	return efficient, false
}

// ratio is in points × dollars per dollar; unweighted, in points per dollar. One quotient has the same bits everywhere.
func (c *calculation) ratio(benefit int128, cost, value Cents) float64 {
	ratio := benefit.float() / float64(1000*float64(cost))
	if c.Unweighted {
		return ratio / (float64(value) / 100)
	}
	return ratio
}

// effect is what a treatment does to an element.
func (c *calculation) effect(e *Element, s *state, treatment int) {
	if treatment == CatchUp {
		s.deferred = 0
		return
	}
	class := &c.Classes[e.Class]
	t := &class.Treatments[treatment]
	e.apply(class, s, t)
	s.deferred -= s.deferred.times(t.ClearsPct, 100)
	if t.Kind == Replacement {
		clear(s.done)
		return
	}
	s.done[treatment] = application{s.done[treatment].count + 1, int16(c.year)}
}

// backlog gives what an element in a state needs, and for what.
func (r *run) backlog(e *Element, s *state) (Cents, int) {
	r.scratch = r.calculation.options(r.scratch, e, s)
	frontier, _ := r.frontier(r.scratch, r.value(e))
	return r.need(e, s, frontier)
}

// need is the most expensive that is worth it, or the deferred maintenance if that is more, and for what it is.
func (c *calculation) need(e *Element, s *state, frontier []option) (Cents, int) {
	need, by := c.price(s.deferred, 0), CatchUp
	if n := len(frontier); n > 0 && frontier[n-1].cost > need {
		need, by = frontier[n-1].cost, frontier[n-1].treatment
	}
	if need == 0 {
		by = NoTreatment
	}
	return need, by
}

// ValueIn is what an element costs to replace in a year, from 0 on.
func (in *Input) ValueIn(element, year int) Cents {
	e := &in.Elements[element]
	return e.Value.times(in.Prices[e.Prices][year], billion)
}
