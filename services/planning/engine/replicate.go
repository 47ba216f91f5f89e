package engine

import (
	"context"
	"slices"
)

// Replication is a year of a scenario as chance may have it.
type Replication struct {
	Spent, Backlog, Value Cents
	Failed                int // elements
}

// FCI is as of Figures.
func (r *Replication) FCI() (int64, bool) { return percent(r.Backlog, r.Value) }

// Replicate does what a scenario decided, done by year and element, while chance makes elements fail and moves them between the states of
// their matrix. What fails is replaced within the year, at the class's price of that; it is new a year later. Number
// counts replications from 1 on.
func Replicate(ctx context.Context, in *Input, sc *Scenario, done [][]int8, number int) (years []Replication, err error) {
	r := &run{calculation: calculation{Input: in, Scenario: sc}}
	defer r.tooLarge(&err)
	r.begin()
	for i := range r.states { // it is in one state
		if s := &r.states[i]; r.Elements[i].Matrix != nil {
			s.shares = StateOf(1 + pick(s.shares, below(draw(sc.Seed, r.Elements[i].ID, in.Start-1, number))))
		}
	}
	for r.year = range in.Years {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		var now Replication
		for i := range r.Elements {
			r.replicate(i, int(done[r.year][i]), number, &now)
		}
		years = append(years, now)
	}
	return years, nil
}

func (r *run) replicate(i, treatment, number int, now *Replication) {
	e, s := &r.Elements[i], &r.states[i]
	class := &r.Classes[e.Class]
	now.Spent = now.Spent.plus(r.costOf(e, treatment, s.deferred))
	if treatment != NoTreatment {
		r.effect(e, s, treatment)
	}
	need, _ := r.backlog(e, s)
	now.Backlog = now.Backlog.plus(need)
	now.Value = now.Value.plus(r.value(e))
	chance := draw(r.Seed, e.ID, r.Start+r.year, number)
	if class.Failure != nil && below(chance) < class.Failure.Failure(s.age, e.Life) {
		now.Spent = now.Spent.plus(r.value(e).times(class.FailurePct, 100))
		now.Failed++
		e.apply(class, s, &Treatment{Kind: Replacement})
		s.deferred = 0
		clear(s.done)
		return
	}
	if e.Matrix != nil {
		state := slices.Index(s.shares[:], billion)
		s.shares = StateOf(1 + e.Matrix.Move(state, below(mix(chance)))) // by chance of its own
	}
	s.older()
	s.deferred = r.grown(s.deferred)
}

// pick is the state in which chance, 0 ≤ p < 10⁹, finds something.
func pick(shares Shares, p int64) int {
	for state, share := range shares {
		if p -= share; p < 0 {
			return state
		}
	}
	return States - 1
}

// Percentile is the nearest rank: the least of values that so many percent of them do not exceed.
func Percentile(values []int64, percent int) int64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[max(0, (len(sorted)*percent+99)/100-1)]
}
