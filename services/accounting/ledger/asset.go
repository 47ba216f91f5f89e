package ledger

import (
	"errors"
	"maps"
	"slices"
	"time"
)

// Asset is a capital asset on the first day of a fiscal year.
type Asset struct {
	Convention          Convention
	Amortized           bool  // false: land, and what else has no limit to its service
	RemoveWhenAmortized bool  // pools: what is amortized leaves at the end of the year
	Life                int   // months in all
	Residual            Cents // that it begins with; then what its layers have

	Service  time.Time // zero: not in service
	Work     Cents     // in progress
	Layers   []Layer
	Disposed bool
}

// Cost is that of all layers.
func (a *Asset) Cost() (sum Cents) {
	for i := range a.Layers {
		sum += a.Layers[i].Cost
	}
	return sum
}

// Accumulated is what all layers are amortized by.
func (a *Asset) Accumulated() (sum Cents) {
	for i := range a.Layers {
		sum += a.Layers[i].Accumulated
	}
	return sum
}

// residuals is what is not amortized of all layers.
func (a *Asset) residuals() (sum Cents) {
	for i := range a.Layers {
		sum += a.Layers[i].Residual
	}
	return sum
}

// Value is the net book value.
func (a *Asset) Value() Cents { return a.Cost() - a.Accumulated() }

// Reckoning is a year of a capital asset while it is reckoned.
type Reckoning struct {
	*Asset
	y Year
	m Movements

	before  []Movements   // of the classes that it was in before
	charged map[int]Cents // by layer: what entries of the year have charged, also of what they took out of it
	numbers int           // of the last layer
}

// Reckon gives a capital asset on the last day of a year, by the entries of the year in the order of their days, and of their number on the
// same day. effects are in the order given. The error is an *Impossible that names the entry.
func (a Asset) Reckon(y Year, entries []Entry) (after Asset, m Movements, effects []Effect, err error) {
	r := a.Begin(y)
	effects = make([]Effect, len(entries))
	order := make([]int, len(entries))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return entries[i].On.Compare(entries[j].On) })
	for _, i := range order {
		if effects[i], err = r.Post(&entries[i]); err != nil {
			if known := new(Impossible); errors.As(err, &known) {
				known.Entry = i
			}
			return a, Movements{}, nil, err
		}
	}
	r.End()
	return *r.Asset, r.m, effects, nil
}

// Begin begins a year. The asset that it is begun of stays as it is.
func (a Asset) Begin(y Year) *Reckoning {
	a.Layers = slices.Clone(a.Layers)
	r := &Reckoning{Asset: &a, y: y, charged: map[int]Cents{}}
	r.m.Cost.Opening, r.m.Accumulated.Opening, r.m.Work.Opening = a.Cost(), a.Accumulated(), a.Work
	for i := range a.Layers {
		l := &a.Layers[i]
		l.new, l.year, l.used, l.due = false, 0, 0, 0
		r.numbers = max(r.numbers, l.Number)
		l.due = a.Convention.wholeYear()
	}
	return r
}

// Copy gives the reckoning as it is now, which later entries do not change.
func (r *Reckoning) Copy() *Reckoning {
	copied, asset := *r, *r.Asset
	asset.Layers = slices.Clone(r.Layers)
	copied.Asset, copied.before, copied.charged = &asset, slices.Clone(r.before), maps.Clone(r.charged)
	return &copied
}

// End charges what of the year is not charged yet.
func (r *Reckoning) End() {
	for i := range r.Layers {
		l := &r.Layers[i]
		if r.Convention.byTime() {
			r.amortize(l, r.Convention.inYear(r.y))
		} else {
			r.charge(l, l.due)
		}
	}
	if r.RemoveWhenAmortized && r.Amortized && r.Cost() > 0 && r.Value() == 0 {
		r.m.Cost.Disposals -= r.Cost()
		r.m.Accumulated.Disposals -= r.Accumulated()
		r.Layers, r.Disposed = nil, true
	}
	r.Movements()
}

// amortize charges a layer up to a unit of the year, by a convention that counts time.
func (r *Reckoning) amortize(l *Layer, upTo int) {
	if upTo > l.due {
		r.charge(l, upTo-l.due)
		l.due = upTo
	}
}

// charge charges units of a layer, or of a part that was taken out of it.
func (r *Reckoning) charge(l *Layer, units int) {
	amount := l.charge(units)
	r.m.Accumulated.Amortization += amount
	r.charged[l.Number] += amount
}

// Movements are those of the year up to now: of each class that the capital asset was in, in their order. There is one as a rule.
func (r *Reckoning) Movements() []Movements {
	r.m.Cost.Closing, r.m.Accumulated.Closing, r.m.Work.Closing = r.Cost(), r.Accumulated(), r.Work
	return append(slices.Clone(r.before), r.m)
}

// Charged is what entries of the year have charged of a layer up to now, also of what they took out of it.
func (r *Reckoning) Charged(layer int) Cents { return r.charged[layer] }

// ChargedLayers are the layers of which entries of the year have charged something, by number.
func (r *Reckoning) ChargedLayers() []int { return slices.Sorted(maps.Keys(r.charged)) }

// Due is how many units of a layer the end of the year charges, if there are as many.
func (r *Reckoning) Due(l *Layer) int {
	switch {
	case !r.Amortized:
		return 0
	case r.Convention.byTime():
		return r.Convention.inYear(r.y) - l.due
	}
	return l.due
}

// cut divides the year at a day, where the convention counts time: what changes works from there on.
func (r *Reckoning) cut(day time.Time) {
	if r.Convention.byTime() {
		for i := range r.Layers {
			r.amortize(&r.Layers[i], r.Convention.upTo(r.y, day))
		}
	}
}

// over is how many units of the life are over where what an entry of a day changes begins to count.
func (r *Reckoning) over(on time.Time) int {
	over := r.Convention.elapsed(r.Service, r.y)
	if r.Convention.byTime() {
		over += r.Convention.upTo(r.y, on)
	}
	return over
}

// units is how many a life of so many months more is.
func (r *Reckoning) units(months int) int {
	return r.Convention.life(r.Life+months, r.Service) - r.Convention.life(r.Life, r.Service)
}

// first gives the layer of the first cost.
func (r *Reckoning) first() (*Layer, error) {
	switch {
	case r.Disposed:
		return nil, impossible("disposed", "The capital asset is disposed of.")
	case len(r.Layers) == 0:
		return nil, impossible("not_in_service", "The capital asset is not in service.")
	}
	return &r.Layers[0], nil
}

// lead is the layer that the capital asset's units are those of: the first that has some left, else the first cost. A transfer may have
// brought layers that last longer.
func (a *Asset) lead() *Layer {
	for i := range a.Layers {
		if a.Layers[i].Left > 0 {
			return &a.Layers[i]
		}
	}
	return &a.Layers[0]
}

// living are the layers that a longer or shorter life is one of: what is amortized stays so, unless all is.
func (a *Asset) living() (layers []*Layer) {
	for i := range a.Layers {
		if a.Layers[i].Left > 0 || a.lead().Left == 0 {
			layers = append(layers, &a.Layers[i])
		}
	}
	return layers
}

// next numbers a layer.
func (r *Reckoning) next() int {
	r.numbers++
	return r.numbers
}

// begins makes the first layer.
func (r *Reckoning) begins(cost Cents, on time.Time) error {
	switch {
	case r.Disposed:
		return impossible("disposed", "The capital asset is disposed of.")
	case len(r.Layers) > 0:
		return impossible("in_service", "The capital asset is in service since %s; more cost is a betterment.", r.Service.Format(time.DateOnly))
	case cost <= 0 || cost > Largest:
		return impossible("amount", "The cost must be above 0 and at most %s.", Largest)
	case r.Residual > cost:
		return impossible("residual", "The residual value of %s is more than the cost of %s.", r.Residual, cost)
	}
	r.Service = on
	l := Layer{Number: r.next(), Cost: cost, Residual: r.Residual, new: true}
	if r.Amortized {
		l.Left = r.Convention.life(r.Life, on)
		if l.due = rules[r.Convention].first; r.Convention.byTime() {
			l.due = r.Convention.upTo(r.y, on)
		}
	}
	r.Layers = append(r.Layers, l)
	return nil
}

// layer adds one to what is in service: it ends with that which leads.
func (r *Reckoning) layer(cost Cents, on time.Time, addedLife int) error {
	if _, err := r.first(); err != nil {
		return err
	}
	if cost <= 0 || cost > Largest-r.Cost() {
		return impossible("amount", "The amount must be above 0, and the cost at most %s.", Largest)
	}
	if !r.Amortized && addedLife > 0 {
		return impossible("added_life_years", "The capital asset is not amortized: it has no life to lengthen.")
	}
	if r.Amortized && !r.Convention.Takes(addedLife) {
		return impossible("added_life_months", "By the convention of its class a life is whole %s; this is %d months more.",
			r.Convention.Whole(), addedLife)
	}
	r.cut(on)
	l := Layer{Number: r.next(), Cost: cost, new: true}
	if r.Amortized {
		base := r.lead()
		if addedLife > 0 {
			more := r.units(addedLife)
			for _, each := range r.living() {
				each.Left += more
			}
			r.Life += addedLife
		}
		if l.Left, l.due = base.Left, base.due; !r.Convention.byTime() {
			l.due = rules[r.Convention].inYear
			l.Left += l.due - base.due
		}
		if l.Left < 1 {
			return impossible("no_life_left", "The capital asset has no life left; give added_life_years.")
		}
	}
	r.Layers = append(r.Layers, l)
	return nil
}
