package ledger

// Account is one of a class's in the general ledger.
type Account uint8

const (
	AssetAccount Account = iota
	AccumulatedAccount
	AmortizationAccount // expense
	WorkAccount         // in progress
	GainLossAccount
	WriteDownAccount
	ContributedAccount // revenue
	ClearingAccount    // with what is bought, sold and opened in the general ledger
	ObligationAccount
	AccretionAccount
	PriorPeriodAccount       // accumulated surplus of former years
	RetirementExpenseAccount // of what obligations cost that no capital asset is amortized by
)

// Line is of a journal: a debit where the amount is above 0, else a credit.
type Line struct {
	Account Account
	Amount  Cents
}

// Journal gives the lines of an entry with its effect; they sum to 0. The two sides of what goes to another capital asset have theirs each,
// which sum to 0 together. Those of a reclassification are what leaves the former class; what comes to the other is
// the same, with other signs.
func Journal(e *Entry, effect Effect) []Line {
	lines := []Line{{AssetAccount, effect.Cost}, {AccumulatedAccount, -effect.Accumulated}}
	against := func(account Account, amount Cents) { lines = append(lines, Line{account, -amount}) }
	switch e.Type {
	case Reinstatement: // the proceeds were none, and neither was the gain
		against(ClearingAccount, e.Proceeds)
		against(PriorPeriodAccount, effect.Cost-effect.Accumulated-e.Proceeds)
	case Acquisition, Betterment:
		if !e.Service.IsZero() { // it was an expense of a former year
			against(PriorPeriodAccount, effect.Cost-effect.Accumulated)
			break
		}
		against(ClearingAccount, effect.Cost)
	case Opening:
		against(ClearingAccount, effect.Cost-effect.Accumulated)
	case Contribution:
		against(ContributedAccount, effect.Cost)
	case Construction:
		lines = []Line{{WorkAccount, e.Amount}}
		against(ClearingAccount, e.Amount)
	case WorkOut:
		lines = []Line{{WorkAccount, -e.Amount}}
	case InService:
		against(WorkAccount, effect.Cost)
	case WriteDown:
		if effect.Cost == 0 { // of work in progress
			lines = []Line{{WorkAccount, -e.Amount}}
			against(WriteDownAccount, -e.Amount)
			break
		}
		against(WriteDownAccount, effect.Cost)
	case Disposal:
		against(ClearingAccount, -e.Proceeds)
		against(GainLossAccount, effect.Gain)
	case Adjustment: // what a closed year should have said: the cost with the general ledger, the amortization as an expense of this year
		against(ClearingAccount, effect.Cost)
		against(AmortizationAccount, -effect.Accumulated)
	case RetirementCost:
		against(ObligationAccount, e.Amount)
		against(RetirementExpenseAccount, effect.Cost-e.Amount)
	}
	return withoutZeros(lines)
}

// CloseJournal gives the lines of what a close posts: the year's amortization, and an obligation's accretion.
func CloseJournal(amortization, accretion Cents) []Line {
	return withoutZeros([]Line{{AmortizationAccount, amortization}, {AccumulatedAccount, -amortization}, {AccretionAccount, accretion},
		{ObligationAccount, -accretion}})
}

// OpeningJournal gives the lines of an obligation that was there before the ledger.
func OpeningJournal(liability Cents) []Line {
	return withoutZeros([]Line{{ClearingAccount, liability}, {ObligationAccount, -liability}})
}

// SettlementJournal gives the lines of an obligation that is settled: its liability goes, and what it was more than was paid is a gain.
func SettlementJournal(liability, gain Cents) []Line {
	return withoutZeros([]Line{{ObligationAccount, liability}, {ClearingAccount, gain - liability}, {GainLossAccount, -gain}})
}

func withoutZeros(lines []Line) (left []Line) {
	for _, l := range lines {
		if l.Amount != 0 {
			left = append(left, l)
		}
	}
	return left
}

// Projection is the amortization of what is there, by year from y on.
func (a Asset) Projection(y Year, years int) (charges []Cents) {
	for range years {
		after, m, _, err := a.Reckon(y, nil)
		if err != nil {
			panic(err) // there is no entry that could be impossible
		}
		charges = append(charges, m.Accumulated.Amortization)
		a, y = after, y.Next()
	}
	return charges
}
