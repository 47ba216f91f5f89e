package engine

import (
	"cmp"
	"context"
	"fmt"
	"slices"
)

// Version names the rules of this package. Results of another version may differ.
const Version = "2" // 2: what moves by a matrix ages by parts of a year up to the first day

// run is a scenario while it is calculated.
type run struct {
	calculation
	states   []state
	options  []option // of all elements, one after the other: the frontiers
	of       []span   // each element's part of options
	steps    []step
	outcomes []Outcome
	taken    []int8  // of each element's frontier: how many steps
	closed   []bool  // nothing more is chosen for the element in this year
	left     []Cents // of each fund
	unspent  []Cents // of each cap
	aims     *aims
	scratch  []option
	figures  *Figures
}

type span struct {
	from  int32
	count int8
	cut   bool // more would not be worth it
}

// step is from one option of a frontier to the next.
type step struct {
	ratio     float64
	element   int32
	number    int8 // in the frontier
	risk      int8
	kind      Kind
	cost      Cents // more than the step before
	condition Condition
}

// Run calculates a scenario. After each year it hands out the figures of all elements and what became of each, in the order of the
// input; both are used again, so whoever wants to keep them copies them. The error wraps ErrAmountTooLarge where an
// amount is, and names the year.
func Run(ctx context.Context, in *Input, sc *Scenario, each func(year int, all *Figures, outcomes []Outcome) error) (err error) {
	r := &run{calculation: calculation{Input: in, Scenario: sc}}
	defer r.tooLarge(&err)
	r.begin()
	for r.year = range in.Years {
		if err := ctx.Err(); err != nil {
			return err
		}
		r.figures = &Figures{GapPct: -1, Paid: make([]Cents, len(sc.Funds))}
		r.find()
		r.grant()
		r.override()
		r.choose()
		r.treat()
		if err := each(r.year, r.figures, r.outcomes); err != nil {
			return err
		}
		r.age()
	}
	return nil
}

// tooLarge makes an error of an overflow.
func (r *run) tooLarge(err *error) {
	switch p := recover().(type) {
	case nil:
	case overflow:
		*err = fmt.Errorf("%d: %w", r.Start+r.year, ErrAmountTooLarge)
	default:
		panic(p)
	}
}

func (r *run) begin() {
	n := len(r.Elements)
	r.states, r.of, r.outcomes, r.taken, r.closed = make([]state, n), make([]span, n), make([]Outcome, n), make([]int8, n), make([]bool, n)
	var treatments int
	for i := range r.Elements {
		treatments += len(r.Classes[r.Elements[i].Class].Treatments)
	}
	done := make([]application, treatments)
	for i := range r.Elements {
		e := &r.Elements[i]
		count := len(r.Classes[e.Class].Treatments)
		r.states[i] = state{age: e.Age, shares: e.Shares, deferred: e.Deferred, done: done[:count:count], backlogFor: NoTreatment}
		done = done[count:]
	}
	r.left = make([]Cents, len(r.Funds))
	r.unspent = make([]Cents, len(r.Caps))
	if r.Selection == Target {
		r.aims = newAims(r)
	}
}

// find sees what each element needs, and what might be done.
func (r *run) find() {
	r.options = r.options[:0]
	f := r.figures
	for i := range r.Elements {
		e, s := &r.Elements[i], &r.states[i]
		r.scratch = r.calculation.options(r.scratch, e, s)
		frontier, cut := r.frontier(r.scratch, r.value(e))
		r.of[i] = span{int32(len(r.options)), int8(len(frontier)), cut}
		r.options = append(r.options, frontier...)
		r.taken[i], r.closed[i] = 0, false
		need, _ := r.need(e, s, frontier)
		r.outcomes[i] = Outcome{Before: e.condition(s), Treatment: NoTreatment, NeedBefore: need, Blocker: -1, Reason: unchosen(r.of[i])}
		again := s.backlog // at this year's prices
		if s.backlogFor != NoTreatment {
			again = r.costOf(e, s.backlogFor, s.backlogDeferred)
		}
		f.Need = f.Need.plus(need)
		f.Opening = f.Opening.plus(s.backlog)
		r.outcomes[i].PriceChange = again - s.backlog
		f.PriceChange = f.PriceChange.plus(again - s.backlog)
		f.New = f.New.plus(need - again)
	}
}

// unchosen is the reason for an element before anything is chosen.
func unchosen(of span) Reason {
	switch {
	case of.count > 0:
		return NoFunds
	case of.cut:
		return NotWorth
	}
	return NoTrigger
}

// frontierOf gives an element's options.
func (r *run) frontierOf(i int) []option {
	return r.options[r.of[i].from : r.of[i].from+int32(r.of[i].count)]
}

// grant gives the funds and the caps what they have for the year.
func (r *run) grant() {
	for f := range r.Funds {
		amount := r.Funds[f].Amounts[r.year]
		if r.Funds[f].CarryOver {
			amount = amount.plus(r.left[f])
		}
		r.left[f] = amount
	}
	for k := range r.Caps {
		r.unspent[k] = r.Caps[k].Amounts[r.year]
	}
}

// override does what somebody has decided, whatever the scenario would choose.
func (r *run) override() {
	if len(r.Overrides) == 0 {
		return
	}
	for i := range r.Elements {
		treatment, decided := r.Overrides[Place{i, r.year}]
		if !decided {
			continue
		}
		e, out := &r.Elements[i], &r.outcomes[i]
		r.closed[i] = true
		out.Reason, out.Treatment = Overridden, treatment
		out.Cost = r.costOf(e, treatment, r.states[i].deferred)
		r.figures.OverCommitted = r.figures.OverCommitted.plus(r.pay(e, r.kindOf(e, treatment), out.Cost))
	}
}

func (r *run) kindOf(e *Element, treatment int) Kind {
	if treatment < 0 {
		return Maintenance
	}
	return r.Classes[e.Class].Treatments[treatment].Kind
}

// pay draws an amount from the caps, and from the funds in their order, and gives what no fund has.
func (r *run) pay(e *Element, kind Kind, amount Cents) Cents {
	for k := range r.Caps {
		if r.Caps[k].covers(e, kind) {
			r.unspent[k] = max(0, r.unspent[k]-amount)
		}
	}
	for f := range r.Funds {
		if amount > 0 && r.Funds[f].covers(e, kind) {
			part := min(amount, r.left[f])
			r.left[f] -= part
			r.figures.Paid[f] += part
			amount -= part
		}
	}
	return amount
}

// choose takes steps of the frontiers.
func (r *run) choose() {
	switch r.Selection {
	case Unlimited:
		for i := range r.Elements {
			if !r.closed[i] {
				r.taken[i] = r.of[i].count
			}
		}
	case Target:
		r.order()
		r.aims.choose(r)
	default:
		r.order()
		r.spend()
	}
}

// order lists all steps, the one to take first at the head.
func (r *run) order() {
	r.steps = r.steps[:0]
	defer func() { r.figures.Steps = len(r.steps) }()
	for i := range r.Elements {
		if r.closed[i] {
			continue
		}
		e := &r.Elements[i]
		condition := r.outcomes[i].Before
		risk := int8(e.risk(&r.Classes[e.Class], condition))
		frontier := r.frontierOf(i)
		var before option
		for number, o := range frontier {
			s := step{element: int32(i), number: int8(number), risk: risk, kind: r.kindOf(e, o.treatment), condition: condition}
			if r.Objective == WorstFirst {
				if number < len(frontier)-1 {
					continue
				}
				before = option{}
			}
			s.cost = o.cost - before.cost
			s.ratio = r.ratio(o.benefit.minus(before.benefit), s.cost, r.value(e))
			before = o
			r.steps = append(r.steps, s)
		}
	}
	if r.Objective == WorstFirst {
		slices.SortFunc(r.steps, func(a, b step) int {
			return cmp.Or(cmp.Compare(a.condition, b.condition), cmp.Compare(b.risk, a.risk), cmp.Compare(a.cost, b.cost),
				cmp.Compare(a.element, b.element))
		})
		return
	}
	slices.SortFunc(r.steps, func(a, b step) int {
		return cmp.Or(cmp.Compare(b.ratio, a.ratio), cmp.Compare(b.risk, a.risk), cmp.Compare(a.cost, b.cost), cmp.Compare(a.element, b.element),
			cmp.Compare(a.number, b.number))
	})
}

// spend takes step by step what the funds and the caps allow. An element that does not fit is closed; those after it may fit.
func (r *run) spend() {
	bound := len(r.Funds) == 1 && len(r.Caps) == 0 && r.Funds[0].Kinds == nil // of kinds, one step might be for the fund and the next not
	var got, best float64                                                     // benefit; the best is what no choice can exceed
	misfit := false
	for rank, s := range r.steps {
		i := int(s.element)
		if r.closed[i] {
			continue
		}
		e, out := &r.Elements[i], &r.outcomes[i]
		out.Rank = rank + 1
		benefit := float64(s.ratio * float64(s.cost))
		if !r.affordable(e, &s, out) {
			r.closed[i] = true
			if !misfit && out.Blocker >= 0 { // what no fund is for is no part of the choice
				misfit = true
				best = got + float64(benefit*float64(out.Left)/float64(s.cost))
			}
			continue
		}
		r.pay(e, s.kind, s.cost)
		r.taken[i] = s.number + 1
		got += benefit
	}
	if bound {
		r.figures.GapPct = 0
		if misfit && best > 0 {
			r.figures.GapPct = 100 * (best - got) / best
		}
	}
}

// affordable says whether each cap and all funds together allow a step; if not, the outcome says why.
func (r *run) affordable(e *Element, s *step, out *Outcome) bool {
	for k := range r.Caps {
		if r.Caps[k].covers(e, s.kind) && r.unspent[k] < s.cost {
			out.Reason, out.Blocker, out.Left, out.Short = Capped, k, r.unspent[k], s.cost-r.unspent[k]
			return false
		}
	}
	left, last := Cents(0), -1
	for f := range r.Funds {
		if r.Funds[f].covers(e, s.kind) {
			left, last = left.plus(r.left[f]), f
		}
	}
	if left < s.cost {
		out.Reason, out.Blocker, out.Left, out.Short = NoFunds, last, left, s.cost-left
		return false
	}
	return true
}

// treat does what was chosen, and adds up the year.
func (r *run) treat() {
	for i := range r.Elements {
		e, s, out := &r.Elements[i], &r.states[i], &r.outcomes[i]
		if taken := r.taken[i]; taken > 0 {
			o := r.frontierOf(i)[taken-1]
			out.Treatment, out.Cost = o.treatment, o.cost
			out.Reason = FundedLesser
			if taken == r.of[i].count {
				out.Reason = Funded
			}
		}
		out.After, out.NeedAfter = out.Before, out.NeedBefore
		if out.Treatment == NoTreatment {
			s.backlog, s.backlogFor = r.need(e, s, r.frontierOf(i))
		} else {
			r.effect(e, s, out.Treatment)
			s.backlog, s.backlogFor = r.backlog(e, s)
			out.After = e.condition(s)
		}
		s.backlogDeferred = s.deferred
		out.NeedAfter = s.backlog
		r.count(e, s, out)
	}
}

func (r *run) count(e *Element, s *state, out *Outcome) {
	f, class, value := r.figures, &r.Classes[e.Class], r.value(e)
	risk := e.risk(class, out.After)
	out.Risk = risk
	f.Spent = f.Spent.plus(out.Cost)
	f.Addressed = f.Addressed.plus(out.NeedBefore - out.NeedAfter)
	f.Backlog = f.Backlog.plus(out.NeedAfter)
	f.Value = f.Value.plus(value)
	f.Conditions = f.Conditions.plus(product(int64(value), int64(out.After)))
	f.Rated[class.rating(out.After)-1] += value
	f.Risks[risk]++
	if class.Failure != nil && e.ConsequenceCost > 0 {
		f.Failures = f.Failures.plus(r.price(e.ConsequenceCost, 0).times(class.Failure.Failure(s.age, e.Life), billion))
		f.FailuresOf += value
	}
}

// age lets the year pass.
func (r *run) age() {
	for i := range r.Elements {
		s := &r.states[i]
		r.Elements[i].grow(s)
		s.deferred = r.grown(s.deferred)
	}
}

// grown is deferred maintenance a year later.
func (c *calculation) grown(deferred Cents) Cents {
	if c.DeferredGrowth == 0 {
		return deferred
	}
	return deferred.plus(deferred.times(c.DeferredGrowth, 100_000))
}
