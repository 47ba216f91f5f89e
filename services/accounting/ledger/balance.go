package ledger

import (
	"slices"
	"time"
)

// On gives cost and accumulated amortization at the end of a day within a year, by the entries up to that day.
func (a Asset) On(y Year, entries []Entry, day time.Time) (cost, accumulated Cents, err error) {
	r := a.Begin(y)
	until := slices.DeleteFunc(slices.Clone(entries), func(e Entry) bool { return e.On.After(day) })
	slices.SortStableFunc(until, func(x, y Entry) int { return x.On.Compare(y.On) })
	for i := range until {
		if _, err := r.Post(&until[i]); err != nil {
			return 0, 0, err
		}
	}
	cost, accumulated, _ = r.Until(day)
	return cost, accumulated, nil
}

// Until gives cost, accumulated amortization and the units that are left of the first layer that has some at the end of a day of the year,
// after the entries up to that day; then nothing more is posted. Conventions that count time are charged by their units so far; the others
// by the year's charge for the whole months that are over, of 12: their units are over when the year is.
func (r *Reckoning) Until(day time.Time) (cost, accumulated Cents, left int) {
	tomorrow, partly := day.AddDate(0, 0, 1), Cents(0)
	switch {
	case !day.Before(r.y.Last):
		r.End()
	case r.Convention.byTime():
		r.cut(tomorrow)
	default:
		for _, l := range r.Layers { // of each a copy
			partly += l.charge(l.due)
		}
		partly = partly.Share(int64(min(12, months(r.y.First, tomorrow))), 12)
	}
	if len(r.Layers) > 0 {
		left = r.lead().Left
	}
	return r.Cost(), r.Accumulated() + partly, left
}
