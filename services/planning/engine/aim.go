package engine

import (
	"cmp"
	"math/big"
	"slices"
)

// aims are what a scenario is to reach, by group.
type aims struct {
	found []level // at the start
	rest  [][]int // the steps of each group; used again
}

// level is a metric as a fraction, which is better the greater it is: of conditions, sum / value in
// thousandths; of the others, less than 0.
type level struct {
	sum   int128
	value Cents
}

func newAims(r *run) *aims {
	groups := 1 + slices.Max(append([]int{0}, r.Aim.Groups...))
	return &aims{make([]level, groups), make([][]int, groups)}
}

// part is what an element in a state adds to the sum of its group.
func (r *run) part(e *Element, s *state, need Cents) int128 {
	value := int64(r.value(e))
	switch condition := e.condition(s); {
	case r.Aim.Metric == AverageCondition:
		return product(value, int64(condition))
	case r.Aim.Metric == FCI:
		return product(int64(need), -100_000)
	case r.Classes[e.Class].rating(condition) >= 4:
		return product(value, -100_000)
	}
	return int128{}
}

// after gives an element's part, were one of its options chosen.
func (r *run) after(i int, treatment int) int128 {
	e, s := &r.Elements[i], r.states[i]
	if r.Aim.Metric != FCI { // what was done before has no part in it
		if treatment >= 0 {
			class := &r.Classes[e.Class]
			e.apply(class, &s, &class.Treatments[treatment])
		}
		return r.part(e, &s, 0)
	}
	if treatment != NoTreatment {
		s.done = slices.Clone(s.done)
		r.effect(e, &s, treatment)
	}
	need, _ := r.backlog(e, &s)
	return r.part(e, &s, need)
}

// missing is by how much the sum of a group is below the path, a whole number: what is gained is one too.
func (a *aims) missing(r *run, group int, now level) int128 {
	found := a.found[group]
	if found.value == 0 {
		return int128{}
	}
	// With keep: found·value − sum·found.value, by found.value. Else the path is (found·(n−i) + aim·i)/n.
	n, i := int64(1), int64(0)
	if !r.Aim.Keep {
		n = int64(r.Aim.Years)
		i = min(int64(r.year), n)
	}
	aim := r.Aim.Value
	if r.Aim.Metric != AverageCondition {
		aim = -aim
	}
	path := new(big.Int).Mul(found.sum.big(), big.NewInt(n-i))
	path.Add(path, new(big.Int).Mul(big.NewInt(aim*i), big.NewInt(int64(found.value))))
	below := new(big.Int).Mul(big.NewInt(n), big.NewInt(int64(found.value)))
	path.Mul(path, big.NewInt(int64(now.value)))
	path.Sub(path, new(big.Int).Mul(now.sum.big(), below))
	path.Add(path, below).Sub(path, big.NewInt(1)) // up to the next whole number
	return fromBig(path.Div(path, below))          // Div rounds down
}

// choose takes, in each group, about the least that reaches the path (Csirik and others, 1991): of the sets that a further step completes,
// the cheapest, less what it can spare.
func (a *aims) choose(r *run) {
	now := make([]level, len(a.found))
	for i := range r.Elements {
		group := r.Aim.Groups[r.Elements[i].Class]
		treatment := NoTreatment
		if r.closed[i] {
			treatment = r.outcomes[i].Treatment
		}
		now[group].sum = now[group].sum.plus(r.after(i, treatment))
		now[group].value = now[group].value.plus(r.value(&r.Elements[i]))
		if r.year == 0 {
			a.found[group].sum = a.found[group].sum.plus(r.after(i, NoTreatment))
			a.found[group].value = now[group].value
		}
		if r.of[i].count > 0 && !r.closed[i] {
			r.outcomes[i].Reason = TargetMet
		}
	}
	for group := range a.rest {
		a.rest[group] = a.rest[group][:0]
	}
	for n, s := range r.steps {
		group := r.Aim.Groups[r.Elements[s.element].Class]
		a.rest[group] = append(a.rest[group], n)
	}
	for group, steps := range a.rest {
		a.reach(r, group, now[group], steps)
	}
}

func (a *aims) reach(r *run, group int, now level, steps []int) {
	missing := a.missing(r, group, now)
	if !missing.positive() {
		return
	}
	gains := make([]int128, len(steps))
	var taken []int // places in steps
	var spent, cheapest Cents
	best, bestTaken := -1, 0
	left := missing
	for place, n := range steps {
		s := &r.steps[n]
		i := int(s.element)
		if r.closed[i] {
			continue
		}
		frontier := r.frontierOf(i)
		before := NoTreatment
		if s.number > 0 && r.Objective != WorstFirst {
			before = frontier[s.number-1].treatment
		}
		gains[place] = r.after(i, frontier[s.number].treatment).minus(r.after(i, before))
		if gains[place].compare(left) >= 0 {
			if cost := spent.plus(s.cost); best < 0 || cost < cheapest {
				best, bestTaken, cheapest = place, len(taken), cost
			}
			r.closed[i] = true
			continue
		}
		taken = append(taken, place)
		spent = spent.plus(s.cost)
		left = left.minus(gains[place])
	}
	if best >= 0 {
		taken = append(taken[:bestTaken], best)
	}
	total := int128{}
	for _, place := range taken {
		s := &r.steps[steps[place]]
		r.taken[s.element] = max(r.taken[s.element], s.number+1)
		r.outcomes[s.element].Rank = steps[place] + 1
		total = total.plus(gains[place])
	}
	total = a.spare(r, steps, taken, gains, total, missing)
	if short := missing.minus(total); short.positive() {
		if r.figures.Unreached == nil {
			r.figures.Unreached = map[int]int64{}
		}
		r.figures.Unreached[group] = short.over(int64(now.value))
	}
}

// spare drops, the worst ratio first, each last step of an element without which the path is missed by no more than with it. It gives what
// is gained by the others.
func (a *aims) spare(r *run, steps, taken []int, gains []int128, total, missing int128) int128 {
	goal := missing
	if total.compare(goal) < 0 {
		goal = total
	}
	slices.SortFunc(taken, func(a, b int) int { return cmp.Compare(b, a) })
	for _, place := range taken {
		s := &r.steps[steps[place]]
		without := total.minus(gains[place])
		if r.taken[s.element] != s.number+1 || without.compare(goal) < 0 {
			continue
		}
		total = without
		r.taken[s.element] = s.number
		if r.Objective == WorstFirst {
			r.taken[s.element] = 0
		}
		if r.taken[s.element] == 0 {
			r.outcomes[s.element].Reason = Dropped
		}
	}
	return total
}
