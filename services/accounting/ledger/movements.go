package ledger

// Movements are a capital asset's rows of the schedule for a year. In each of the three, what it closes with is what it opened with and all
// that moved.
type Movements struct {
	Cost struct {
		Opening, Additions, Contributed, Betterments, RetirementCosts, FromWork, Transfers, WriteDowns, Disposals, Adjustments, Closing Cents
	}
	Work struct { // in progress
		Opening, Additions, ToService, WriteDowns, Closing Cents
	}
	Accumulated struct {
		Opening, Amortization, Disposals, Transfers, Adjustments, Closing Cents
	}
	Proceeds, Gain  Cents
	GainAdjustments Cents // of closed years
}

// Foots says whether each of the three closes with what it opened with and all that moved.
func (m *Movements) Foots() bool {
	c, w, a := &m.Cost, &m.Work, &m.Accumulated
	return c.Opening+c.Additions+c.Contributed+c.Betterments+
		c.RetirementCosts+c.FromWork+c.Transfers+c.WriteDowns+c.Disposals+c.Adjustments == c.Closing &&
		w.Opening+w.Additions+w.ToService+w.WriteDowns == w.Closing && a.Opening+a.Amortization+a.Disposals+a.Transfers+a.Adjustments == a.Closing
}
