// Package maintenance decides when preventive maintenance is due, what counts as done in time, and which occurrence makes another
// one superfluous. Its functions compute from their arguments and read no table.
//
// A day is its midnight in UTC, as in package recurrence.
package maintenance

import (
	"fmt"
	"math"
	"slices"
	"time"

	"ams.internal/libs/recurrence"
)

// Schedule is when the work of a plan is due.
type Schedule struct {
	StartsOn, EndsOn time.Time        // EndsOn zero: it has no end
	Rule             *recurrence.Rule // of a fixed plan by dates
	Interval         *Interval        // of a floating plan by dates
	LeadDays         int              // how many days before it is due work is made
	Window           Window
	MaxGapMonths     int // 0: any gap
	Seasons          []Season
	Exceptions       []time.Time // the rule's own dates on which nothing is due
	Extra            []time.Time // days besides the rule's
	NonWorking       string      // keep, previous, next
	Works            func(day time.Time) bool
	Moved            map[string]time.Time // occurrences that somebody put on another day
}

// Occurrence is one time that the work of a plan is to be done.
type Occurrence struct {
	Key          string    // names it for good: the rule's own date, f<n>, m<k> or c<n>
	Date         time.Time // the rule's own date; of others, Due
	Due          time.Time // the last day on which it is in time
	Opens        time.Time // the day on which its work order is made
	From, To     time.Time // the window in which it is in time; From zero: any day before
	IntervalDays int       // since the occurrence before; 0 where there is none
}

// Interval is the time from one completion to the next due day.
type Interval struct {
	N    int
	Unit string // day, week, month, year
}

// After is a day and the interval. Months and years clamp to the end of the month: a month after 31 January is 28 or 29 February.
func (i Interval) After(day time.Time) time.Time {
	switch i.Unit {
	case "day":
		return day.AddDate(0, 0, i.N)
	case "week":
		return day.AddDate(0, 0, 7*i.N)
	case "year":
		return AddMonths(day, 12*i.N)
	}
	return AddMonths(day, i.N)
}

// AddMonths is the same day some months later, or the last of that month.
func AddMonths(day time.Time, months int) time.Time {
	first := time.Date(day.Year(), day.Month()+time.Month(months), 1, 0, 0, 0, 0, time.UTC)
	last := first.AddDate(0, 1, -1)
	return first.AddDate(0, 0, min(day.Day(), last.Day())-1)
}

// Day reads a day, YYYY-MM-DD; false where the text is none.
func Day(text string) (time.Time, bool) {
	day, err := time.Parse(time.DateOnly, text)
	return day, err == nil
}

// DayOf is the day on which a time falls somewhere.
func DayOf(at time.Time, zone *time.Location) time.Time {
	year, month, day := at.In(zone).Date()
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
}

// Begins is when a day begins somewhere.
func Begins(day time.Time, zone *time.Location) time.Time {
	return time.Date(day.Year(), day.Month(), day.Day(), 0, 0, 0, 0, zone)
}

// Days is the number of days from one to another.
func Days(from, to time.Time) int { return int(math.Round(to.Sub(from).Hours() / 24)) }

// Season is a part of every year, both days included. One that ends before it begins runs over New Year.
type Season struct{ From, To string } // MM-DD

// Valid reports whether both are days of a leap year.
func (s Season) Valid() bool {
	for _, day := range []string{s.From, s.To} {
		if _, err := time.Parse(time.DateOnly, "2024-"+day); err != nil {
			return false
		}
	}
	return true
}

func (s Season) contains(day time.Time) bool {
	on := day.Format("01-02")
	if s.From <= s.To {
		return s.From <= on && on <= s.To
	}
	return on >= s.From || on <= s.To
}

// next is the first day of the season that is not before day.
func (s Season) next(day time.Time) time.Time {
	for year := day.Year(); ; year++ {
		// 29 February of a common year is 1 March.
		first, _ := time.Parse(time.DateOnly, "2024-"+s.From)
		if begins := time.Date(year, first.Month(), first.Day(), 0, 0, 0, 0, time.UTC); !begins.Before(day) {
			return begins
		}
	}
}

func (s Schedule) inSeason(day time.Time) bool {
	return len(s.Seasons) == 0 || slices.ContainsFunc(s.Seasons, func(season Season) bool { return season.contains(day) })
}

// nextInSeason is the day itself, or the first day of the season that begins next.
func (s Schedule) nextInSeason(day time.Time) time.Time {
	if s.inSeason(day) {
		return day
	}
	next := s.Seasons[0].next(day)
	for _, season := range s.Seasons[1:] {
		if begins := season.next(day); begins.Before(next) {
			next = begins
		}
	}
	return next
}

// maximumShift is how many days a due day is moved to a working day at most: no office is closed longer.
const maximumShift = 31

// working is the day itself, or the working day before or after it.
func (s Schedule) working(day time.Time) time.Time {
	step := map[string]int{"previous": -1, "next": 1}[s.NonWorking]
	if step == 0 || s.Works == nil {
		return day
	}
	for shift := range maximumShift {
		if moved := day.AddDate(0, 0, step*shift); s.Works(moved) {
			return moved
		}
	}
	return day
}

// Window is when work is in time by the rule window: so many days about the due day, or the calendar period that the rule's own date is in.
type Window struct {
	DaysBefore, DaysAfter int
	Calendar              string // week (from Monday), month, year; empty: the days
	Days                  bool   // the days count; false without Calendar: until the due day
}

func (w Window) around(date, due time.Time) (from, to time.Time) {
	switch w.Calendar {
	case "week":
		from = date.AddDate(0, 0, -(int(date.Weekday())+6)%7)
		return from, from.AddDate(0, 0, 6)
	case "month":
		from = time.Date(date.Year(), date.Month(), 1, 0, 0, 0, 0, time.UTC)
		return from, from.AddDate(0, 1, -1)
	case "year":
		from = time.Date(date.Year(), time.January, 1, 0, 0, 0, 0, time.UTC)
		return from, from.AddDate(1, 0, -1)
	}
	if w.Days {
		return due.AddDate(0, 0, -w.DaysBefore), due.AddDate(0, 0, w.DaysAfter)
	}
	return time.Time{}, due
}

// place completes an occurrence whose own date and due day are known.
func (s Schedule) place(o Occurrence) Occurrence {
	if moved, is := s.Moved[o.Key]; is {
		o.Due = moved
	}
	o.Opens = o.Due.AddDate(0, 0, -s.LeadDays)
	o.From, o.To = s.Window.around(o.Date, o.Due)
	return o
}

// Cycle is the key of the n-th cycle of a floating plan.
func Cycle(n int) string { return fmt.Sprintf("f%d", n) }

// Excursion is the key of the n-th time that a limit was passed.
func Excursion(n int) string { return fmt.Sprintf("c%d", n) }
