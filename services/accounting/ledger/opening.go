package ledger

import "time"

// BroughtForward is a capital asset on the first day of a year, as if its cost had been in the ledger since it came into service: by whole
// years before that one, which end on the same day. It says what an opening entry has to say.
func (a Asset) BroughtForward(cost Cents, service time.Time, to Year) (Asset, error) {
	if !service.Before(to.First) {
		return a, impossible("in_service_on", "What opens the ledger came into service before %s.", to.First.Format(time.DateOnly))
	}
	y := to
	for service.Before(y.First) {
		y = Year{y.First.AddDate(-1, 0, 0), y.First.AddDate(0, 0, -1)}
	}
	entries := []Entry{{Type: Acquisition, On: service, Amount: cost}}
	for ; y.First.Before(to.First); y, entries = y.Next(), nil {
		var err error
		if a, _, _, err = a.Reckon(y, entries); err != nil {
			return a, err
		}
	}
	return a, nil
}
