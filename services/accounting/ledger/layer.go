package ledger

// Layer is a cost that is amortized over the units that are left to it: the first cost of a capital asset, a betterment, a retirement cost.
type Layer struct {
	Number                      int    // from 1, of its capital asset
	Cost, Accumulated, Residual Cents  // residual: what is not amortized
	Left                        int    // units
	Obligation                  string // of a retirement cost: whose; else empty

	// Of the year that is reckoned.
	due  int // conventions by years: units that fall into it; by time: the first unit that is not charged yet
	new  bool
	year Cents // charged so far
	used int   // units charged so far
}

// BeforeCharges is what the layer was amortized by, and the units that were left to it, before the year's charges.
func (l *Layer) BeforeCharges() (accumulated Cents, left int) {
	return l.Accumulated - l.year, l.Left + l.used
}

// value is what is not amortized.
func (l *Layer) value() Cents { return l.Cost - l.Accumulated }

// charge amortizes so many units: of what is left to amortize their part of the units that are left, the last of which take all of it.
//
//	charge = round((c − a − r) × u ÷ n, 2)
func (l *Layer) charge(units int) Cents {
	units = min(units, l.Left)
	if units <= 0 {
		return 0
	}
	amount := (l.Cost - l.Accumulated - l.Residual).Share(int64(units), int64(l.Left))
	l.Accumulated += amount
	l.Left -= units
	l.year += amount
	l.used += units
	return amount
}

// part takes a part of the layer's cost out of it, with its share of the rest.
func (l *Layer) part(cost Cents) Layer {
	taken := *l
	taken.Cost, taken.year = cost, 0
	if l.Cost > 0 {
		taken.year = l.year.Share(int64(cost), int64(l.Cost))
		taken.Accumulated = l.Accumulated.Share(int64(cost), int64(l.Cost))
		taken.Residual = l.Residual.Share(int64(cost), int64(l.Cost))
	}
	l.Cost -= taken.Cost
	l.Accumulated -= taken.Accumulated
	l.Residual -= taken.Residual
	l.year -= taken.year
	return taken
}
