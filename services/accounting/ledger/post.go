package ledger

import (
	"errors"
	"slices"
	"time"
)

// Post does what an entry says.
func (r *Reckoning) Post(e *Entry) (effect Effect, err error) {
	if !r.y.Contains(e.On) {
		return effect, impossible("outside_of_year", "%s is not within the fiscal year, %s to %s.", e.On.Format(time.DateOnly),
			r.y.First.Format(time.DateOnly), r.y.Last.Format(time.DateOnly))
	}
	if e.Type != Opening && !r.Service.IsZero() && e.On.Before(r.Service) {
		return effect, impossible("before_service", "The capital asset is in service since %s.", r.Service.Format(time.DateOnly))
	}
	cost, accumulated := r.Cost(), r.Accumulated()
	charged, layers := r.chargedInAll(), r.numbers
	switch e.Type {
	case Opening:
		err = r.open(e)
	case Acquisition:
		if e.Amount < 0 {
			err = r.credit(e)
		} else if !e.Service.IsZero() {
			err = r.find(e)
		} else if err = r.begins(e.Amount, e.On); err == nil {
			r.m.Cost.Additions += e.Amount
		}
	case Contribution:
		if err = r.begins(e.Amount, e.On); err == nil {
			r.m.Cost.Contributed += e.Amount
		}
	case Construction:
		err = r.construct(e)
	case InService:
		err = r.toService(e, e.Amount)
	case WorkOut:
		err = r.workOut(e)
	case WorkIn:
		err = r.toService(e, 0)
	case Reclassification:
		err = r.reclassify()
	case Betterment:
		if e.Amount < 0 {
			err = r.credit(e)
		} else if err = r.layer(e.Amount, e.On, e.AddedLife); err == nil {
			r.m.Cost.Betterments += e.Amount
		}
	case RetirementCost:
		err = r.retirementCost(e)
	case Estimate:
		err = r.estimate(e)
	case WriteDown:
		err = r.writeDown(e)
	case Disposal:
		effect.Gain, err = r.dispose(e)
	case TransferOut:
		effect.Taken, err = r.transferOut(e)
	case TransferIn:
		err = r.transferIn(e)
	case Adjustment:
		err = r.adjust(e)
	case Reinstatement:
		effect.Gain, err = e.Gain, r.reinstate(e)
	}
	effect.Cost = r.Cost() - cost
	if e.Type == Reclassification && err == nil {
		return Effect{Cost: -cost, Accumulated: -r.m.Accumulated.Transfers}, nil
	}
	effect.Accumulated = r.Accumulated() - accumulated - (r.chargedInAll() - charged)
	if r.numbers > layers && e.Type != Reinstatement {
		effect.Layer = r.numbers
	}
	if len(r.Layers) > 0 {
		r.Residual = r.residuals()
	}
	return effect, err
}

func (r *Reckoning) chargedInAll() (sum Cents) {
	for _, amount := range r.charged {
		sum += amount
	}
	return sum
}

// open takes over what was there before the ledger. Its year opens with it.
func (r *Reckoning) open(e *Entry) error {
	if err := r.begins(e.Amount, e.Service); err != nil {
		return err
	}
	l := &r.Layers[0]
	if !r.Amortized && e.Accumulated != 0 {
		return impossible("accumulated", "The capital asset is not amortized.")
	}
	if !r.Amortized && e.Units != nil {
		return impossible("remaining_units", "The capital asset is not amortized: it has no units of life.")
	}
	if e.Accumulated < 0 || e.Accumulated > e.Amount {
		return impossible("accumulated", "The accumulated amortization must be from 0 to the cost, %s.", e.Amount)
	}
	l.Residual = min(l.Residual, e.Amount-e.Accumulated) // books may have amortized what was to be left
	if !e.Service.Before(r.y.First) {
		return impossible("in_service_on", "What opens the ledger came into service before %s.", r.y.First.Format(time.DateOnly))
	}
	l.Accumulated, l.new, l.due = e.Accumulated, false, 0
	if r.Amortized {
		if l.Left = max(0, l.Left-r.Convention.elapsed(e.Service, r.y)); e.Units != nil {
			l.Left = *e.Units
		}
		if l.Left == 0 && l.value() > l.Residual {
			return impossible("no_life_left", "%s is not amortized and no life is left; give the units that are.", l.value()-l.Residual)
		}
		l.due = r.Convention.wholeYear()
	}
	r.m.Cost.Opening += e.Amount
	r.m.Accumulated.Opening += e.Accumulated
	return nil
}

// credit lowers the cost by what a supplier gives back: of an acquisition the first layer, of a betterment the last that is none of an
// obligation. What is amortized of it stays: it works forward only.
func (r *Reckoning) credit(e *Entry) error {
	if _, err := r.first(); err != nil {
		return err
	}
	at := 0
	if e.Type == Betterment {
		for at = len(r.Layers) - 1; at > 0 && r.Layers[at].Obligation != ""; {
			at--
		}
		if at == 0 {
			return impossible("amount", "The capital asset has no betterment: a credit of its first cost is an acquisition.")
		}
	}
	r.cut(e.On)
	l := &r.Layers[at]
	if limit := l.value() - l.Residual; -e.Amount > limit || -e.Amount >= l.Cost {
		return impossible("amount", "A credit must be at most %s, what is not amortized of its layer, and leave some cost; "+
			"what is given back as a whole is a disposal.", limit)
	}
	l.Cost += e.Amount
	if e.Type == Betterment {
		r.m.Cost.Betterments += e.Amount
	} else {
		r.m.Cost.Additions += e.Amount
	}
	return nil
}

// find takes over what was in service before the year and not in the ledger: as if it had been bought on that day, so that what former
// years should have charged is amortized already. It corrects them, and is no addition of the year.
func (r *Reckoning) find(e *Entry) error {
	if !e.Service.Before(r.y.First) {
		return impossible("in_service_on", "What was found came into service before %s, the first day of the fiscal year; "+
			"leave it out of what came later.", r.y.First.Format(time.DateOnly))
	}
	if err := r.begins(e.Amount, e.Service); err != nil {
		return err
	}
	brought, err := Asset{Convention: r.Convention, Amortized: r.Amortized, Life: r.Life, Residual: r.Residual}.BroughtForward(e.Amount,
		e.Service, r.y)
	if err != nil {
		return err
	}
	l := &r.Layers[0]
	l.Accumulated, l.Left, l.new = brought.Accumulated(), brought.Layers[0].Left, false
	l.due = r.Convention.wholeYear()
	r.m.Cost.Adjustments += l.Cost
	r.m.Accumulated.Adjustments += l.Accumulated
	return nil
}

// reinstate brings back what a disposal took, as if it had never been disposed of.
func (r *Reckoning) reinstate(e *Entry) error {
	for _, back := range e.Layers {
		r.m.Cost.Adjustments += back.Cost
		r.m.Accumulated.Adjustments += back.Accumulated
		if back.Cost > Largest-r.Cost() {
			return impossible("amount", "The cost must be at most %s.", Largest)
		}
		back.due, back.new, back.year, back.used = r.Convention.wholeYear(), false, 0, 0
		at := slices.IndexFunc(r.Layers, func(l Layer) bool { return l.Number >= back.Number })
		switch {
		case at < 0:
			r.Layers = append(r.Layers, back)
		case r.Layers[at].Number > back.Number:
			r.Layers = slices.Insert(r.Layers, at, back)
		default:
			l := &r.Layers[at]
			if r.Convention.byTime() { // charged as far as what is there
				r.amortize(&back, l.due)
			}
			l.Cost += back.Cost
			l.Accumulated += back.Accumulated
			l.Residual += back.Residual
			l.year += back.year
		}
		r.numbers = max(r.numbers, back.Number)
	}
	r.Disposed = false
	r.m.GainAdjustments += e.Gain
	return nil
}

// construct adds to work in progress. What is left of that once the capital asset is disposed of can be taken back.
func (r *Reckoning) construct(e *Entry) error {
	if r.Disposed && e.Amount > 0 {
		return impossible("disposed", "The capital asset is disposed of.")
	}
	if sum := r.Work + e.Amount; e.Amount == 0 || sum < 0 || sum > Largest {
		return impossible("amount", "Work in progress of %s and %s must be from 0 to %s in sum.", r.Work, e.Amount, Largest)
	}
	r.Work += e.Amount
	r.m.Work.Additions += e.Amount
	return nil
}

// workOut gives work in progress to another capital asset.
func (r *Reckoning) workOut(e *Entry) error {
	if e.Amount <= 0 || e.Amount > r.Work {
		return impossible("amount", "The amount must be above 0 and at most %s, the work in progress.", r.Work)
	}
	r.Work -= e.Amount
	r.m.Work.ToService -= e.Amount
	return nil
}

// toService makes cost of work in progress: the first, or a layer. own is how much of it was the capital asset's own.
func (r *Reckoning) toService(e *Entry, own Cents) error {
	if e.Amount <= 0 || own > r.Work {
		return impossible("amount", "The amount must be above 0 and at most %s, the work in progress.", r.Work)
	}
	var err error
	switch {
	case len(r.Layers) > 0:
		err = r.layer(e.Amount, e.On, e.AddedLife)
	case e.AddedLife > 0 && !r.Disposed:
		err = impossible("added_life_years",
			"The capital asset comes into service by it, with its useful_life_years: there is no life to lengthen.")
	default:
		err = r.begins(e.Amount, e.On)
	}
	if err == nil {
		r.Work -= own
		r.m.Work.ToService -= own
		r.m.Cost.FromWork += e.Amount
	}
	return err
}

// reclassify takes the capital asset from one class to another of the same convention, at book value: what follows moves in the other one,
// and so does what the year has charged, which is posted at its end.
func (r *Reckoning) reclassify() error {
	if _, err := r.first(); err != nil {
		return err
	}
	if r.Work != 0 {
		return impossible("work_in_progress",
			"The capital asset has work in progress of %s, which must be in service before it goes to another class.", r.Work)
	}
	cost, charged := r.Cost(), r.m.Accumulated.Amortization
	accumulated := r.Accumulated() - charged
	r.m.Cost.Transfers -= cost
	r.m.Accumulated.Transfers -= accumulated
	r.m.Accumulated.Amortization = 0
	r.before = append(r.before, r.m) // closes with nothing
	r.m = Movements{}
	r.m.Cost.Transfers, r.m.Accumulated.Transfers, r.m.Accumulated.Amortization = cost, accumulated, charged
	return nil
}

// retirementCost adds what an obligation grows by as a layer, where the capital asset is in use and has life left: else it is an
// expense, and no cost. What it shrinks by comes out of the obligation's own layers, the last first, as far as they are not
// amortized: the rest is income.
func (r *Reckoning) retirementCost(e *Entry) error {
	if e.Amount > 0 {
		numbers := r.numbers
		err := r.layer(e.Amount, e.On, 0)
		if reason := new(Impossible); errors.As(err, &reason) && reason.Code != "amount" {
			r.numbers = numbers
			return nil
		}
		if err == nil {
			r.Layers[len(r.Layers)-1].Obligation = e.Obligation
			r.m.Cost.RetirementCosts += e.Amount
		}
		return err
	}
	r.cut(e.On)
	left := -e.Amount
	for i := len(r.Layers) - 1; i >= 0; i-- {
		if l := &r.Layers[i]; l.Obligation == e.Obligation {
			taken := min(left, l.value())
			l.Cost -= taken
			left -= taken
			r.m.Cost.RetirementCosts -= taken
		}
	}
	return nil
}

func (r *Reckoning) estimate(e *Entry) error {
	if _, err := r.first(); err != nil {
		return err
	}
	if !r.Amortized {
		return impossible("not_amortized", "The capital asset is not amortized: it has no life to estimate.")
	}
	r.cut(e.On)
	base := r.lead()
	left := base.Left
	switch {
	case e.Units != nil:
		left = *e.Units
	case e.Life != nil && *e.Life < 1:
		return impossible("useful_life_years", "A useful life is at least one month.")
	case e.Life != nil && !r.Convention.Takes(*e.Life):
		return impossible("useful_life_months", "By the convention of its class a life is whole %s; this is %d months.",
			r.Convention.Whole(), *e.Life)
	case e.Life != nil: // in all: what is over of it is over, however many units were said to be left
		left = r.Convention.life(*e.Life, r.Service) - r.over(e.On)
		r.Life = *e.Life
	}
	if left < 1 && (e.Units != nil || e.Life != nil) {
		return impossible("no_life_left", "No life would be left: at least one unit must be.")
	}
	if e.Residual != nil {
		others := r.residuals() - base.Residual
		if *e.Residual < others || *e.Residual > others+base.value() {
			return impossible("residual", "The residual value must be from %s to %s, what is not amortized.", others, others+base.value())
		}
		base.Residual = *e.Residual - others
	}
	change := left - base.Left
	for _, l := range r.living() {
		if l.Left = max(0, l.Left+change); l.Left == 0 && l.value() > l.Residual {
			return impossible("no_life_left", "%s would not be amortized: no life would be left to it.", l.value()-l.Residual)
		}
	}
	return nil
}

// writeDown makes a lasting loss of service an expense: of the cost, or of work in progress. What is not built after all has neither
// then, and is out of the ledger.
func (r *Reckoning) writeDown(e *Entry) error {
	if e.OfWork {
		if e.Amount <= 0 || e.Amount > r.Work {
			return impossible("amount", "The amount must be above 0 and at most %s, the work in progress.", r.Work)
		}
		r.Work -= e.Amount
		r.m.Work.WriteDowns -= e.Amount
		r.Disposed = r.Disposed || r.Work == 0 && r.Service.IsZero()
		return nil
	}
	if _, err := r.first(); err != nil {
		return err
	}
	r.cut(e.On)
	if e.Amount <= 0 || e.Amount > r.Value() {
		return impossible("amount", "The amount must be above 0 and at most %s, the net book value.", r.Value())
	}
	var values []Cents
	for i := range r.Layers {
		values = append(values, r.Layers[i].value())
	}
	for i, part := range spread(e.Amount, values) {
		l := &r.Layers[i]
		l.Cost -= part
		l.Residual = min(l.Residual, l.value())
	}
	r.m.Cost.WriteDowns -= e.Amount
	return nil
}

// removed is how much of the cost an entry takes.
func (r *Reckoning) removed(e *Entry) (Cents, error) {
	cost := r.Cost()
	removed := cost
	switch {
	case e.Removed != nil:
		removed = *e.Removed
	case e.Part != nil:
		if e.Part.Of <= 0 || e.Part.Of > e.Part.Whole {
			return 0, impossible("share", "The share must be above 0 and at most all.")
		}
		if removed = cost.Share(e.Part.Of, e.Part.Whole); cost == 0 {
			return 0, nil // a part of what is written down to nothing
		}
	case e.Type == TransferOut && e.Amount > 0:
		removed = e.Amount
	case cost == 0:
		return 0, nil // all of what is written down to nothing
	}
	if removed <= 0 || removed > cost {
		return 0, impossible("amount", "The cost that goes must be above 0 and at most %s.", cost)
	}
	return removed, nil
}

// take takes cost out of all layers in their proportion.
func (r *Reckoning) take(cost Cents) (taken []Layer) {
	var costs []Cents
	for i := range r.Layers {
		costs = append(costs, r.Layers[i].Cost)
	}
	var left []Layer
	for i, part := range spread(cost, costs) {
		taken = append(taken, r.Layers[i].part(part))
		if r.Layers[i].Cost > 0 {
			left = append(left, r.Layers[i])
		}
	}
	r.Layers = left
	return taken
}

func (r *Reckoning) dispose(e *Entry) (gain Cents, err error) {
	// all of what was never in service, such as what was built for another
	if !r.Disposed && r.Service.IsZero() && e.Removed == nil && e.Part == nil {
		if r.Work != 0 {
			return 0, impossible("not_in_service", "The capital asset is not in service: a write_down takes out its work in progress of %s.", r.Work)
		}
		r.Disposed = true
		r.m.Proceeds += e.Proceeds
		r.m.Gain += e.Proceeds
		return e.Proceeds, nil
	}
	if _, err := r.first(); err != nil {
		return 0, err
	}
	cost, err := r.removed(e)
	if err != nil {
		return 0, err
	}
	if e.Proceeds < 0 {
		return 0, impossible("proceeds", "Proceeds must not be negative.")
	}
	gain = e.Proceeds
	var taken []Layer
	stays := e.Part != nil && e.Part.Of < e.Part.Whole && cost == 0 // a part goes of what costs nothing: its layers stay with what is left
	if !stays {
		taken = r.take(cost)
	}
	for _, l := range taken {
		switch {
		case r.Convention.byTime():
			r.amortize(&l, r.Convention.upToDisposal(r.y, e.On))
		case !l.new:
			r.charge(&l, rules[r.Convention].last)
		}
		gain -= l.value()
		r.m.Cost.Disposals -= l.Cost
		r.m.Accumulated.Disposals -= l.Accumulated
	}
	r.Disposed = len(r.Layers) == 0 && !stays
	r.m.Proceeds += e.Proceeds
	r.m.Gain += gain
	return gain, nil
}

func (r *Reckoning) transferOut(e *Entry) (taken []Layer, err error) {
	if _, err := r.first(); err != nil {
		return nil, err
	}
	cost, err := r.removed(e)
	if err != nil {
		return nil, err
	}
	taken = r.take(cost)
	for i := range taken {
		r.m.Cost.Transfers -= taken[i].Cost
		r.m.Accumulated.Transfers -= taken[i].Accumulated
	}
	r.Disposed = len(r.Layers) == 0
	return taken, nil
}

// transferIn takes what another capital asset of the same convention gave: its layers go on as they were.
func (r *Reckoning) transferIn(e *Entry) error {
	if r.Disposed {
		return impossible("disposed", "The capital asset is disposed of.")
	}
	for _, l := range e.Layers {
		if l.Cost > Largest-r.Cost() {
			return impossible("amount", "The cost must be at most %s.", Largest)
		}
		l.Number = r.next()
		r.Layers = append(r.Layers, l)
		r.m.Cost.Transfers += l.Cost
		r.m.Accumulated.Transfers += l.Accumulated
	}
	if r.Service.IsZero() {
		if r.Service = e.Service; e.Service.IsZero() {
			r.Service = e.On
		}
	}
	return nil
}

// adjust corrects a closed year in this one.
func (r *Reckoning) adjust(e *Entry) error {
	base, err := r.first()
	if err != nil {
		return err
	}
	if !r.Amortized && e.AccumulatedChange != 0 {
		return impossible("accumulated_change", "The capital asset is not amortized.")
	}
	r.cut(e.On)
	base.Cost += e.CostChange
	base.Accumulated += e.AccumulatedChange
	if base.Cost < 0 || base.Accumulated < 0 || base.Accumulated > base.Cost-base.Residual || r.Cost() > Largest {
		return impossible("amount", "After the adjustment the cost would be %s and the accumulated amortization %s.", base.Cost, base.Accumulated)
	}
	if r.Amortized && base.Left == 0 && base.value() > base.Residual {
		return impossible("no_life_left", "%s would not be amortized: the capital asset has no life left.", base.value()-base.Residual)
	}
	r.m.Cost.Adjustments += e.CostChange
	r.m.Accumulated.Adjustments += e.AccumulatedChange
	return nil
}
