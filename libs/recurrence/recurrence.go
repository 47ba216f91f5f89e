// Package recurrence computes recurring dates by rules: the RRULE of RFC 5545 (iCalendar), section 3.3.10, by days.
//
// A day is its midnight in UTC. What time it is where somebody works is no business of a rule: days are made of rules first, and
// times of days afterwards. The library behind it takes much in silence that is wrong; Parse is stricter.
package recurrence

import (
	"iter"
	"slices"
	"time"

	"github.com/teambition/rrule-go"
)

// MaximumSteps is the number of dates of a rule that are looked at, from its start on: 54 years of days.
const MaximumSteps = 20_000

// maximumYears is how long after its start a rule occurs for the first time at the latest.
const maximumYears = 10

// Rule is a rule that Parse took.
type Rule struct {
	text            string
	option          rrule.ROption
	interval, count int
	until           time.Time
}

// String is the rule as it was written.
func (r Rule) String() string { return r.text }

// Check refuses a start from which the rule does not occur within ten years.
func (r Rule) Check(start time.Time) error {
	latest := start.AddDate(maximumYears, 0, 0)
	for date := range r.Dates(start) {
		if date.After(latest) {
			break
		}
		return nil
	}
	return wrong("", "The rule does not occur within %d years of %s.", maximumYears, start.Format(time.DateOnly))
}

// Dates are the dates of the rule from its start on, in their order. The start itself is one of them only where it matches. Dates
// that do not exist, such as 30 February, fall away. COUNT counts from the start.
func (r Rule) Dates(start time.Time) iter.Seq[time.Time] {
	return func(yield func(time.Time) bool) {
		if r.neverFrom(start) {
			return
		}
		next, steps, seen := r.walk(start), 0, 0
		for steps < MaximumSteps {
			date, more := next()
			if !more || !r.until.IsZero() && date.After(r.until) {
				return
			}
			if steps++; date.Before(start) {
				continue // of the first week, see walk
			}
			if !yield(date) {
				return
			}
			if seen++; seen == r.count {
				return
			}
		}
	}
}

// Between are the dates from one day to another, both included.
func (r Rule) Between(start, from, to time.Time) []time.Time {
	var dates []time.Time
	for date := range r.Dates(start) {
		if date.After(to) {
			break
		}
		if !date.Before(from) {
			dates = append(dates, date)
		}
	}
	return dates
}

// walk begins where the rule's first period does. The library picks BYSETPOS of the first week among the days from the start on; by
// the RFC it picks among all days of the week, so such a rule is walked from the week's first day.
func (r Rule) walk(start time.Time) func() (time.Time, bool) {
	option := r.option
	option.Dtstart, option.Interval = start, r.interval
	if option.Freq == rrule.WEEKLY && option.Bysetpos != nil {
		if option.Byweekday == nil {
			option.Byweekday = []rrule.Weekday{days[start.Weekday()]}
		}
		option.Dtstart = start.AddDate(0, 0, -(int(start.Weekday())+6-option.Wkst.Day())%7)
	}
	rule, err := rrule.NewRRule(option)
	if err != nil { // Parse is stricter than the library
		return func() (time.Time, bool) { return time.Time{}, false }
	}
	return rule.Iterator()
}

var days = []rrule.Weekday{rrule.SU, rrule.MO, rrule.TU, rrule.WE, rrule.TH, rrule.FR, rrule.SA} // by time.Weekday

// neverFrom reports whether every so many weeks of days never reach the days of BYDAY. The library would look for them until 9999.
func (r Rule) neverFrom(start time.Time) bool {
	return r.option.Freq == rrule.DAILY && r.interval%7 == 0 && r.option.Byweekday != nil &&
		!slices.Contains(r.option.Byweekday, days[start.Weekday()])
}
