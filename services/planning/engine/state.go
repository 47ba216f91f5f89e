package engine

// state is an element in a year of a scenario.
type state struct {
	age                Age
	shares             Shares
	deferred           Cents // in the money of the first year
	slowYears, slowPct int32
	done               []application // of each treatment
	renewed            bool          // it was replaced, so that its year of renewal is past

	// The backlog a year ago, to tell what became of it: the treatment it was for, CatchUp or NoTreatment, and the deferred maintenance.
	backlogFor      int
	backlog         Cents
	backlogDeferred Cents
}

// application is how often a treatment was done, and in which year last.
type application struct{ count, last int16 }

func (e *Element) condition(s *state) Condition {
	if e.Matrix != nil {
		return s.shares.Condition()
	}
	return e.Table.At(s.age)
}

// risk is probability times consequence, 1 to 25; the probability is the rating and what somebody who knows it gave it beyond.
func (e *Element) risk(c *Class, condition Condition) int {
	return min(max(1, c.rating(condition)+e.ProbabilityOffset), States) * e.Consequence
}

// grow lets a year pass.
func (e *Element) grow(s *state) {
	if e.Matrix != nil {
		s.shares = e.Matrix.Next(s.shares)
	}
	s.older()
}

// older makes it a year older, or the part of one by which it ages.
func (s *state) older() {
	aged := year
	if s.slowYears > 0 {
		s.slowYears--
		aged = Age(s.slowPct)
	}
	s.age = min(s.age+aged, oldest)
}

// apply does what a treatment does to the condition.
func (e *Element) apply(c *Class, s *state, t *Treatment) {
	f := &t.Effect
	switch {
	case t.Kind == Replacement:
		s.age, s.shares, s.slowYears, s.renewed = 0, StateOf(1), 0, true
	case f.ResetTo > 0:
		e.setCondition(c, s, f.ResetTo)
	case f.AddPoints > 0:
		e.setCondition(c, s, min(asNew, e.condition(s)+f.AddPoints))
	case f.AddYears > 0:
		s.age = max(0, s.age-f.AddYears)
	case f.SlowYears > 0:
		s.slowYears, s.slowPct = int32(f.SlowYears), int32(f.SlowPct)
	case f.ImproveStates > 0:
		s.shares = s.shares.Better(f.ImproveStates)
	}
}

func (e *Element) setCondition(c *Class, s *state, condition Condition) {
	if e.Matrix != nil {
		s.shares = StateOf(c.rating(condition))
	} else {
		s.age = e.Table.AgeOf(condition)
	}
}

// Condition is that of the element at the start.
func (e *Element) Condition() Condition { return e.condition(&state{age: e.Age, shares: e.Shares}) }
