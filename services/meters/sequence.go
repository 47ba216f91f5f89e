package meters

import (
	"fmt"
	"slices"
	"time"

	"ams.internal/libs/fault"
)

// reading is one reading of a meter, in its unit.
type reading struct {
	id     string
	at     time.Time
	value  Quantity
	reset  bool     // the meter was set to this value; what was run before is not known
	usage  Quantity // since the reading before
	day    string   // on which the usage counts
	stored bool     // was there before this call
	row    int      // of the call that writes it; -1 of one that is only a neighbour
	former *reading // what it replaces
}

// counting is how a meter counts.
type counting struct {
	counter  bool
	rollover *Quantity
}

// run is what a meter has run from one reading to the next; false where it cannot have fallen so far. A fall is a rollover when less than
// half of the meter's range was run: from 99,950 to 120 of 100,000 are 170.
func (c counting) run(from, to *reading) (Quantity, bool) {
	if !c.counter || from == nil || to.reset {
		return 0, true
	}
	gain := to.value - from.value
	if gain >= 0 {
		return gain, true
	}
	if c.rollover == nil {
		return 0, false
	}
	gain += *c.rollover
	return gain, gain >= 0 && gain < *c.rollover-gain
}

// sequence is readings of one meter by time: those of a call, and of those that are stored at least the one before and the one after
// each of them.
type sequence struct {
	counting
	prefix   func(row int) string // what stands before the names of a row's fields
	readings []*reading
}

// falls is that a reading of the call does not fit between its neighbours.
type falls struct {
	row  int
	next bool // it is higher than the one after it, not lower than the one before
	by   *reading
}

// settle finds what was run up to each reading that is new or follows a new one, without the rows that the call cannot write: it gives
// those, and the stored readings whose usage changes.
func (s *sequence) settle() (refused map[int]*fault.Error, following []*reading) {
	refused = map[int]*fault.Error{}
	for {
		var wrong *falls
		if following, wrong = s.pass(); wrong == nil {
			return refused, following
		}
		refused[wrong.row] = s.explain(wrong)
		s.drop(wrong.row)
	}
}

// pass goes through the readings once, up to the first that does not fit.
func (s *sequence) pass() (following []*reading, wrong *falls) {
	var before *reading
	for _, r := range s.readings {
		switch {
		case r.row >= 0:
			gain, fits := s.run(before, r)
			if !fits {
				return nil, &falls{row: r.row, by: before}
			}
			r.usage = gain
		case before != nil && before.row >= 0:
			gain, fits := s.run(before, r)
			if !fits {
				return nil, &falls{row: before.row, next: true, by: r}
			}
			if gain != r.usage {
				changed := *r
				changed.former, changed.usage = r, gain
				following = append(following, &changed)
			}
		}
		before = r
	}
	return following, nil
}

// drop takes a row of the call out; what it would have replaced stays.
func (s *sequence) drop(row int) {
	i := slices.IndexFunc(s.readings, func(r *reading) bool { return r.row == row })
	if former := s.readings[i].former; former != nil {
		s.readings[i] = former
		return
	}
	s.readings = slices.Delete(s.readings, i, i+1)
}

// explain is the 400 of a row that falls. prefix stands before the names of its fields.
func (s *sequence) explain(wrong *falls) *fault.Error {
	i := slices.IndexFunc(s.readings, func(r *reading) bool { return r.row == wrong.row })
	relation, place := "below", "before"
	if wrong.next {
		relation, place = "above", "after"
	}
	e := fault.InvalidFields(fault.Field{Field: s.prefix(wrong.row) + "value",
		Message: fmt.Sprintf("%s is %s %s, the reading %s it (%s), and a "+
			"counter does not fall; correct it, send a reset (kind reset) if the meter was set back or replaced, or withdraw the other if that "+
			"should not be there", s.readings[i].value, relation, wrong.by.value, place, wrong.by.at.UTC().Format(time.RFC3339Nano))})
	e.Code, e.Field, e.Value = "meter_falls", "value", wrong.by.value
	return e
}
