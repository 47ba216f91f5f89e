package engine

// ID is the UUID of an element.
type ID [16]byte

// Kind is what a treatment is.
type Kind uint8

const (
	Maintenance Kind = iota
	Rehabilitation
	Replacement
)

// Class is a kind of asset: its bands and treatments.
type Class struct {
	Bands      [States - 1]Condition // the least conditions of ratings 1 to 4
	Treatments []Treatment           // the strategy, in order; at most 64
	Untreated  bool                  // it has no strategy: it is forecast, and never treated
	Failure    *Weibull              // how it fails suddenly; nil where nobody knows
	FailurePct int64                 // what a replacement after a failure costs, in percent of one that is planned
}

// rating gives 1 to 5.
func (c *Class) rating(condition Condition) int {
	for i, minimum := range c.Bands {
		if condition >= minimum {
			return i + 1
		}
	}
	return States
}

// CostBasis is what the cost of a treatment is multiplied by.
type CostBasis uint8

const (
	Fixed CostBasis = iota
	PerUnit
	PctOfReplacement
)

// Treatment is something that can be done to an element.
type Treatment struct {
	Kind         Kind
	Basis        CostBasis
	Cost         int64 // Fixed, PerUnit: cents. PctOfReplacement: thousandths of a percent
	Mobilization Cents
	Prices       int // which of Input's
	Trigger      Trigger
	Effect       Effect
	ClearsPct    int64 // of deferred maintenance
}

// Trigger is when a treatment is possible: when all that it asks for holds.
type Trigger struct {
	ConditionMin, ConditionMax Condition // both may be met; a maximum of 0 asks for nothing
	AgeMin                     Age
	LifeUsedMinPct             int64
	YearsBetween               int  // since it was done last
	MaxApplications            int  // 0: any number
	PlannedRenewal             bool // a year of renewal that has come stands for condition, age and life
}

// Effect is what a treatment does to an element; one of its fields is set. A replacement makes it new, whatever stands here.
type Effect struct {
	ResetTo       Condition
	AddPoints     Condition
	AddYears      Age
	SlowYears     int // for so many years it ages by SlowPct of a year
	SlowPct       int64
	ImproveStates int // what a matrix makes deteriorate
}

// Element is something whose condition falls.
type Element struct {
	ID    ID
	Class int // which of Input's
	Site  int // for scopes of funds and caps; −1: none
	Life  Age // its useful life
	// One of the two says how it deteriorates.
	Table  *Table
	Matrix *Matrix

	Age         Age    // at the start: effective, where it was rated
	Shares      Shares // at the start, with a Matrix
	Value       Cents  // what it costs to replace it, in the money of its Prices
	Prices      int    // which of Input's
	Quantity    int64  // thousandths of the unit of its class
	Deferred    Cents  // maintenance that was put off, in the money of the first year
	Consequence int    // of its failure, 1 to 5
	// Given probability of failure less the rating at its assessment: its probability is its rating and this, 1 to 5.
	ProbabilityOffset int
	ConsequenceCost   Cents  // of a failure, in the money of the first year; 0: not known
	RenewalYear       int    // 0: none is planned
	Excluded          uint64 // bit n: the n-th treatment asks for fields that it does not have
}
