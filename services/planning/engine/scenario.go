package engine

import "math/big"

// Input is what scenarios are calculated over: it never changes.
type Input struct {
	Start    int       // the calendar year of the first year
	Years    int       // 1 to 100
	Prices   [][]int64 // by what prices of a list are multiplied in each year, in 10⁻⁹; the first list is of money of the first year
	Classes  []Class
	Elements []Element // by id, in bytes
}

// Selection is how a scenario chooses.
type Selection uint8

const (
	Budget    Selection = iota // what the funds pay, the best ratio first; without funds nothing is done
	Unlimited                  // all that is worth it
	Target                     // what reaches an aim at the least cost
)

// Objective is what is worth something.
type Objective uint8

const (
	ByCondition Objective = iota // the area between the conditions with a treatment and without
	ByRisk                       // the area between the risks
	WorstFirst                   // the whole treatment of what is in the worst condition
)

// Scenario is a way to choose.
type Scenario struct {
	Selection      Selection
	Objective      Objective
	Unweighted     bool // what an element is worth does not count
	BenefitYears   int  // 1 to 100
	MinRatio       float64
	DeferredGrowth int64 // of deferred maintenance in a year, in thousandths of a percent
	Funds          []Fund
	Caps           []Cap
	Aim            *Aim // with Target
	Overrides      map[Place]int
	Seed           uint64
}

// Place is an element, by its number, in a year from 0 on. An override says which of its treatments is done then; NoTreatment: none.
type Place struct{ Element, Year int }

// Numbers of treatments that are none of the strategy's.
const (
	CatchUp     = -1 // pays and clears deferred maintenance
	NoTreatment = -2
)

// Scope is of which elements and kinds something is; nil is all.
type Scope struct {
	Classes, Sites []bool
	Kinds          []bool
}

func (s *Scope) covers(e *Element, kind Kind) bool {
	return (s.Classes == nil || s.Classes[e.Class]) && (s.Sites == nil || e.Site >= 0 && s.Sites[e.Site]) && (s.Kinds == nil || s.Kinds[kind])
}

// Fund is money that may be spent in its scope.
type Fund struct {
	Scope
	Amounts   []Cents // by year
	CarryOver bool    // what is left is there the year after
}

// Cap is the most that may be spent in its scope.
type Cap struct {
	Scope
	Amounts []Cents // by year
}

// Metric is what an aim is about.
type Metric uint8

const (
	AverageCondition Metric = iota // by value; at least
	FCI                            // percent; at most
	Poor                           // percent of the value that is rated 4 or 5; at most
)

// Aim is a level, for each group of classes by itself.
type Aim struct {
	Metric Metric
	Keep   bool  // the level found
	Value  int64 // thousandths: what is to be reached on a straight path within InYears
	Years  int
	Groups []int // of each class; the groups count from 0
}

// Reason is why what was possible for an element was done, or not.
type Reason uint8

const (
	NoTrigger    Reason = iota // nothing was possible
	Funded                     // the best that was worth it
	FundedLesser               // less than the best
	NoFunds
	Capped
	NotWorth // the ratio is below the least
	TargetMet
	Dropped // the target is met without it
	Overridden
)

// Outcome is what became of an element in a year.
type Outcome struct {
	Before, After         Condition // before the effects, and after
	Treatment             int       // its number; CatchUp, NoTreatment
	Reason                Reason
	Cost                  Cents
	Rank                  int   // of the step that decided, from 1 on; 0: none did
	Blocker               int   // with FundedLesser and NoFunds: the last fund that might have paid. With Capped: the cap. −1: none
	Left, Short           Cents // what it, or the funds together, had left, and what more was asked for
	NeedBefore, NeedAfter Cents
	PriceChange           Cents // of last year's backlog
	Risk                  int   // after the effects
}

// Figures are of all elements in a year.
type Figures struct {
	Spent         Cents
	Need          Cents // found
	Opening       Cents // last year's backlog
	PriceChange   Cents
	New           Cents // what came, and what grew
	Addressed     Cents
	Backlog       Cents // Opening + PriceChange + New − Addressed
	Value         Cents
	Conditions    int128        // Σ value × condition
	Rated         [States]Cents // the value by rating
	Risks         [26]int       // how many elements have a risk
	Failures      Cents         // expected cost of failures
	FailuresOf    Cents         // the value of elements whose expected cost is known
	Paid          []Cents       // by fund
	OverCommitted Cents         // what overrides cost beyond the funds
	GapPct        float64       // to the bound, where there is one: with one fund that is for all kinds, and no caps; −1: none
	Steps         int           // of all frontiers, in the order in which they were looked at
	Unreached     map[int]int64 // by group of an aim, in thousandths: by how much the path is missed
}

// AverageCondition is by value, in hundredths of a point, halves up; false where nothing has a value.
func (f *Figures) AverageCondition() (int64, bool) {
	if f.Value == 0 {
		return 0, false
	}
	perHundredth := new(big.Int).Mul(big.NewInt(int64(f.Value)), big.NewInt(int64(points/100)))
	sum := f.Conditions.big()
	sum.Add(sum, new(big.Int).Rsh(perHundredth, 1))
	return sum.Div(sum, perHundredth).Int64(), true
}

// FCI is 100·backlog/value in hundredths of a percent, halves up; false where nothing has a value.
func (f *Figures) FCI() (int64, bool) { return percent(f.Backlog, f.Value) }

// percent is 100·part/whole in hundredths.
func percent(part, whole Cents) (int64, bool) {
	if whole == 0 {
		return 0, false
	}
	return int64(part.times(10_000, int64(whole))), true
}
