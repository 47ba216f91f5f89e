package ledger

import "time"

// On gives cost and accumulated amortization at the end of a day within a year, by the entries up to that day. Conventions that count time
// are charged by their units so far; the others by the year's charge for the whole months that are over, of 12.
func (a Asset) On(y Year, entries []Entry, day time.Time) (cost, accumulated Cents, err error) {
	var until []Entry
	for _, e := range entries {
		if !e.On.After(day) {
			until = append(until, e)
		}
	}
	after, m, _, err := a.Reckon(y, until)
	if err != nil {
		return 0, 0, err
	}
	tomorrow := day.AddDate(0, 0, 1)
	if !a.Convention.byTime() {
		rest := Cents(0) // what the end of the year charges
		for i := range after.Layers {
			rest += after.Layers[i].year
		}
		over := min(12, months(y.First, tomorrow))
		return after.Cost(), m.Accumulated.Closing - rest + rest.share(int64(over), 12), nil
	}
	r := a.Begin(y)
	for i := range until {
		if _, err := r.Post(&until[i]); err != nil {
			return 0, 0, err
		}
	}
	r.cut(tomorrow)
	return r.Cost(), r.Accumulated(), nil
}
