package engine

// Option is what might have been done to an element in a year.
type Option struct {
	Treatment  int // its number; CatchUp
	Cost       Cents
	Benefit    float64 // points × dollars; unweighted: points
	Ratio      float64 // to the option before it on the frontier, per dollar; 0 off the frontier
	OnFrontier bool
}

// Explain follows one element through what was done to it, by year, and gives what might have been done in each.
func Explain(in *Input, sc *Scenario, element int, done []int) [][]Option {
	c := calculation{in, sc, 0}
	e := &in.Elements[element]
	class := &in.Classes[e.Class]
	s := state{age: e.Age, shares: e.Shares, deferred: e.Deferred, done: make([]application, len(class.Treatments))}
	var years [][]Option
	for c.year = range done {
		options := c.options(nil, e, &s)
		frontier, _ := c.frontier(append([]option(nil), options...), c.value(e))
		var all []Option
		var before option
		for _, o := range options {
			shown := Option{Treatment: o.treatment, Cost: o.cost, Benefit: c.ratio(o.benefit, 100, c.value(e))}
			if len(frontier) > 0 && frontier[0] == o {
				shown.OnFrontier, shown.Ratio = true, c.ratio(o.benefit.minus(before.benefit), o.cost-before.cost, c.value(e))
				before, frontier = o, frontier[1:]
			}
			all = append(all, shown)
		}
		years = append(years, all)
		if done[c.year] != NoTreatment {
			c.effect(e, &s, done[c.year])
		}
		e.grow(&s)
		s.deferred = c.grown(s.deferred)
	}
	return years
}
