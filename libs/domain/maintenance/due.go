package maintenance

import (
	"iter"
	"slices"
	"time"
)

// Fixed are the occurrences of a fixed plan by dates, by the rule's own dates, from a day on. What is out of season falls away; what is
// on no working day moves, and keeps its key.
func (s Schedule) Fixed(from time.Time) iter.Seq[Occurrence] {
	return func(yield func(Occurrence) bool) {
		var before time.Time
		for date := range s.ownDates() {
			if !s.EndsOn.IsZero() && date.After(s.EndsOn) {
				return
			}
			days := 0
			if !before.IsZero() {
				days = Days(before, date)
			}
			if before = date; date.Before(from) {
				continue
			}
			due := s.working(date)
			if !yield(s.place(Occurrence{Key: date.Format(time.DateOnly), Date: date, Due: due, IntervalDays: days})) {
				return
			}
		}
	}
}

// ownDates are the dates of the rule that are in season and no exceptions, with the extra dates among them.
func (s Schedule) ownDates() iter.Seq[time.Time] {
	return func(yield func(time.Time) bool) {
		extra := slices.SortedFunc(slices.Values(s.Extra), time.Time.Compare)
		give := func(date time.Time) bool {
			for len(extra) > 0 && extra[0].Before(date) {
				if !yield(extra[0]) {
					return false
				}
				extra = extra[1:]
			}
			if len(extra) > 0 && extra[0].Equal(date) {
				extra = extra[1:]
			}
			return yield(date)
		}
		for date := range s.Rule.Dates(s.StartsOn) {
			isExtra := slices.ContainsFunc(s.Extra, date.Equal)
			if !isExtra && (!s.inSeason(date) || slices.ContainsFunc(s.Exceptions, date.Equal)) {
				continue
			}
			if !give(date) {
				return
			}
		}
		for _, date := range extra {
			if !yield(date) {
				return
			}
		}
	}
}

// Capped is an occurrence of a fixed plan where the work was last done on a day: due no later than max_gap_months after it, but not before
// the day from which the plan is made. What somebody put on another day stays there.
func (s Schedule) Capped(o Occurrence, lastDone, from time.Time) Occurrence {
	if _, moved := s.Moved[o.Key]; moved || s.MaxGapMonths == 0 || lastDone.IsZero() {
		return o
	}
	limit := AddMonths(lastDone, s.MaxGapMonths)
	if limit.Before(from) {
		limit = from
	}
	if limit.Before(o.Due) {
		o.Due, o.Opens = limit, limit.AddDate(0, 0, -s.LeadDays)
		if limit.Before(o.To) {
			o.To = limit
		}
		if limit.Before(o.From) { // a window of the rule's own year is over too early
			o.From = time.Time{}
		}
	}
	return o
}

// Floating is the n-th cycle of a floating plan by dates, counted from the day of the last completion; false when the plan has ended by
// then. Where it was never done, the first is due on the day that the plan starts.
func (s Schedule) Floating(n int, lastDone time.Time) (Occurrence, bool) {
	due, days := s.StartsOn, 0
	if !lastDone.IsZero() {
		due = s.Interval.After(lastDone)
		days = Days(lastDone, due)
	}
	due = s.working(s.nextInSeason(due))
	if s.MaxGapMonths > 0 && !lastDone.IsZero() {
		if limit := AddMonths(lastDone, s.MaxGapMonths); limit.Before(due) {
			due = limit
		}
	}
	o := s.place(Occurrence{Key: Cycle(n), Date: due, Due: due, IntervalDays: days})
	return o, s.EndsOn.IsZero() || !due.After(s.EndsOn)
}

// At is an occurrence that is due on the day on which something else made it so: a meter, a gauge, a condition.
func (s Schedule) At(key string, day time.Time) Occurrence {
	due := s.working(day)
	if due.Before(day) {
		due = day
	}
	return s.place(Occurrence{Key: key, Date: day, Due: due})
}

// ShortestInterval is the fewest days between two due days of a plan; 0 where nothing says it. Of a fixed plan it looks at the first
// occurrences.
func (s Schedule) ShortestInterval() int {
	if s.Interval != nil {
		january := time.Date(2026, time.January, 31, 0, 0, 0, 0, time.UTC) // a month after it is the shortest
		return Days(january, s.Interval.After(january))
	}
	if s.Rule == nil {
		return 0
	}
	shortest, seen := 0, 0
	for o := range s.Fixed(time.Time{}) {
		if o.IntervalDays > 0 && (shortest == 0 || o.IntervalDays < shortest) {
			shortest = o.IntervalDays
		}
		if seen++; seen == 60 {
			break
		}
	}
	return shortest
}

// Suppresses reports whether an occurrence of a superseding plan, due on a day, makes one superfluous that is due on another.
func Suppresses(larger, smaller time.Time, suppressDays int) bool {
	days := Days(larger, smaller)
	return days <= suppressDays && -days <= suppressDays
}
