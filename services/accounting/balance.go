package accounting

import (
	"math"
	"slices"
	"time"

	"ams.internal/services/accounting/ledger"
)

// balance is the balance of a capital asset in a year, after the entries that were posted so far and before the charges of the year's end.
type balance struct {
	*account
	year     year
	asset    ledger.Asset // on the first day of the next year
	r        *ledger.Reckoning
	classID  string
	classes  []string // of the year, in their order
	quantity *int
	posted   bool // it has entries in the year
	active   bool // it has an entry that counts, in this year or before
}

// copy gives the balance as it is now, which later entries do not change.
func (s *balance) copy() *balance {
	copied := *s
	copied.r, copied.classes = s.r.Copy(), slices.Clone(s.classes)
	return &copied
}

// end ends the year.
func (s *balance) end() {
	s.r.End()
	s.asset = *s.r.Asset
}

// post posts an entry to the capital assets that it is about.
func (b *book) post(e *entry, now map[string]*balance) error {
	s := now[e.CapitalAssetID]
	if e.ToCapitalAssetID != nil {
		return b.postBetween(e, s, now[*e.ToCapitalAssetID])
	}
	l, err := s.translate(e)
	if err != nil {
		return err
	}
	if e.ToClassID != nil {
		if err := b.reclassify(s, e); err != nil {
			return err
		}
	}
	s.startsWith(e)
	if e.effect, err = s.r.Post(l); err == nil {
		err = s.spreads(e)
	}
	if err != nil {
		return err
	}
	s.active = true
	if e.ToClassID != nil {
		s.classID = *e.ToClassID
		s.classes = append(s.classes, s.classID)
	}
	if e.Type == "reinstatement" && s.quantity != nil && e.Quantity != nil {
		quantity := *s.quantity + *e.Quantity
		s.quantity = &quantity
	}
	if e.Type == "disposal" && s.quantity != nil {
		if e.isNew && e.SharePct != nil { // those that were posted before have taken none
			e.Quantity = shareOf(*s.quantity, *e.SharePct, s.r.Disposed)
		}
		left := 0
		if !s.r.Disposed && e.Quantity != nil {
			left = *s.quantity - *e.Quantity
		}
		if s.r.Disposed || e.Quantity != nil {
			s.quantity = &left
		}
	}
	return nil
}

// shareOf is how many of a pool a share of its cost is, as a whole number: one stays as long as something is there.
func shareOf(quantity int, sharePct float64, all bool) *int {
	taken := int(math.Round(float64(quantity) * sharePct / 100))
	if !all {
		taken = max(0, min(taken, quantity-1))
	}
	return &taken
}

// spreads objects to the cost of an obligation that would not be amortized though the capital asset is in use: PS 3280 expenses at once
// what is in productive use no longer. What was posted before that was so stays as it is.
func (s *balance) spreads(e *entry) error {
	if e.Type != "retirement_cost" || *e.Amount <= 0 || len(s.r.Layers) == 0 {
		return nil
	}
	switch {
	case e.isNew && !s.r.Amortized:
		return ledger.Refuse("not_amortized", "The capital asset is not amortized: the cost of the obligation would never become an expense. "+
			"Recognize it on a capital asset of a class that is amortized, such as landfill cells or land improvements.")
	case (e.isNew || e.spread) && e.effect.Cost == 0:
		return ledger.Refuse("no_life_left", "The capital asset is in use and has no life left to spread the cost of the obligation over: "+
			"post an estimate of its useful_life_years first; or its disposal, if it is in use no longer, and the cost is an expense.")
	}
	return nil
}

// startsWith gives the capital asset the life and the residual value that an entry brings it into service with.
func (s *balance) startsWith(e *entry) {
	if len(s.r.Layers) > 0 || s.r.Disposed {
		return
	}
	if e.Type == "transfer" {
		s.quantity = e.Quantity
		return
	}
	if !e.begins() {
		return
	}
	if e.UsefulLifeYears != nil {
		s.r.Life = monthsOf(e.UsefulLifeYears, e.UsefulLifeMonths)
	}
	s.r.Residual = centsOf(e.ResidualValue)
	if e.Quantity != nil {
		s.quantity = e.Quantity
	}
}

// types are the entries that the package ledger calls by other names.
var types = map[string]ledger.Type{
	"opening": ledger.Opening, "acquisition": ledger.Acquisition, "construction": ledger.Construction, "in_service": ledger.InService,
	"contribution": ledger.Contribution, "betterment": ledger.Betterment, "estimate": ledger.Estimate, "write_down": ledger.WriteDown,
	"disposal": ledger.Disposal, "transfer": ledger.Reclassification, "adjustment": ledger.Adjustment,
	"retirement_cost": ledger.RetirementCost, "reinstatement": ledger.Reinstatement,
}

// translate makes of an entry what the package ledger posts.
func (s *balance) translate(e *entry) (*ledger.Entry, error) {
	l := &ledger.Entry{Type: types[e.Type], On: e.on, Amount: centsOf(e.Amount)}
	switch e.Type {
	case "acquisition":
		if e.InServiceOn != nil {
			l.Service = dayOf(*e.InServiceOn)
		}
	case "reinstatement":
		l.Layers, l.Gain = e.layers, centsOf(e.GainLoss)
	case "opening":
		l.Accumulated, l.Service, l.Units = centsOf(e.AccumulatedAmortization), dayOf(*e.InServiceOn), e.RemainingUnits
	case "betterment", "in_service":
		l.AddedLife = monthsOf(e.AddedLifeYears, e.AddedLifeMonths)
	case "estimate":
		l.Units = e.RemainingUnits
		if e.UsefulLifeYears != nil || e.UsefulLifeMonths != nil {
			life := monthsOf(e.UsefulLifeYears, e.UsefulLifeMonths)
			l.Life = &life
		}
		if e.ResidualValue != nil {
			residual := cents(*e.ResidualValue)
			l.Residual = &residual
		}
	case "disposal":
		if !s.active {
			return nil, ledger.Refuse("not_in_service", "The capital asset is not in service.")
		}
		l.Proceeds = centsOf(e.Proceeds)
		switch {
		case e.CostRemoved != nil:
			removed := cents(*e.CostRemoved)
			l.Removed = &removed
		case e.SharePct != nil:
			l.Part = &ledger.Part{Of: int64(*e.SharePct*10_000 + 0.5), Whole: 1_000_000}
		case e.Quantity != nil:
			if s.quantity == nil || *e.Quantity > *s.quantity {
				available := 0
				if s.quantity != nil {
					available = *s.quantity
				}
				return nil, ledger.Refuse("quantity", "The quantity must be at most %d, which is what is there.", available)
			}
			l.Part = &ledger.Part{Of: int64(*e.Quantity), Whole: int64(*s.quantity)}
		}
	case "retirement_cost":
		if l.Obligation = *e.ObligationID; !s.active {
			return nil, ledger.Refuse("not_in_service", "The capital asset has no transaction up to that day: post what it has cost first.")
		}
	case "write_down":
		l.OfWork = e.OfWorkInProgress || e.isNew && len(s.r.Layers) == 0 && s.r.Work > 0
	case "adjustment":
		l.CostChange, l.AccumulatedChange = centsOf(e.CostChange), centsOf(e.AccumulatedChange)
	}
	return l, nil
}

// postBetween posts an entry that goes from one capital asset to another.
func (b *book) postBetween(e *entry, from, to *balance) error {
	out, in := &ledger.Entry{Type: ledger.TransferOut, On: e.on, Amount: centsOf(e.Amount)}, &ledger.Entry{Type: ledger.TransferIn, On: e.on}
	if e.Type == "in_service" {
		out.Type, in.Type, in.Amount = ledger.WorkOut, ledger.WorkIn, out.Amount
		in.AddedLife = monthsOf(e.AddedLifeYears, e.AddedLifeMonths)
	} else if err := b.alike(from.classID, to.classID); err != nil {
		return err
	}
	to.startsWith(e)
	var err error
	if e.effect, err = from.r.Post(out); err != nil {
		return err
	}
	in.Layers = e.effect.Taken
	if e.Type == "transfer" && len(to.r.Layers) == 0 {
		to.r.Life, in.Service = from.r.Life, from.r.Service
	}
	received, err := to.r.Post(in)
	if err != nil {
		return err
	}
	if e.Type == "in_service" {
		e.effect.Cost, e.effect.Layer = received.Cost, received.Layer
	}
	from.active, to.active = true, true
	return nil
}

// reclassify checks that a capital asset may go to a class: from the one that the entry says, if it was posted before.
func (b *book) reclassify(s *balance, e *entry) error {
	switch {
	case *e.ToClassID == s.classID:
		return ledger.Refuse("to_class_id", "The capital asset is in the class %s already.", b.classes[s.classID].Name)
	case e.isNew:
		from := s.classID
		e.FromClassID = &from
	case e.FromClassID != nil && *e.FromClassID != s.classID:
		return ledger.Refuse("to_class_id", "The capital asset would be in the class %s on that day; reverse the later transfer first.",
			b.classes[s.classID].Name)
	}
	return b.alike(s.classID, *e.ToClassID)
}

// alike checks that units of one class are units of the other.
func (b *book) alike(from, to string) error {
	x, y := b.classes[from], b.classes[to]
	if x.fixedRules() != y.fixedRules() {
		return ledger.Refuse("class_rules", "The class %s is amortized by other rules (method, convention or pool) than the class %s: "+
			"dispose of it, and acquire it anew.", y.Name, x.Name)
	}
	return nil
}

// facts are what the record of the capital asset says after all that was posted.
func (s *balance) facts() facts {
	f := facts{state: "draft", classID: s.classID, usefulLifeYears: s.recorded.usefulLifeYears, lifeMonths: s.recorded.lifeMonths,
		residualValue: s.recorded.residualValue, quantity: s.quantity}
	switch {
	case s.r.Disposed:
		f.state = "disposed"
	case !s.r.Service.IsZero():
		f.state = "in_service"
	case s.active || s.r.Work != 0:
		f.state = "in_progress"
	}
	if !s.r.Service.IsZero() {
		day := s.r.Service.Format(time.DateOnly)
		f.inServiceOn = &day
		f.residualValue = s.r.Residual
		if s.r.Life > 0 {
			years := s.r.Life / 12
			f.usefulLifeYears, f.lifeMonths = &years, s.r.Life%12
		}
	}
	return f
}
