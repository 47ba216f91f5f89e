// Package workhours counts time in working hours: hours of the week in a time zone, less holidays. Between two ends of a working
// period it counts elapsed time, so that an hour that the clocks repeat is two, and one that they skip none.
package workhours

import (
	"fmt"
	"slices"
	"time"

	"ams.internal/libs/recurrence"
)

// Span is a part of a day in which people work, in minutes from its midnight: 510 to 990 is 08:30 to 16:30, and 1440 the day's end.
type Span struct{ From, To int }

// Hours are working hours. A nil pointer is round the clock.
type Hours struct {
	zone  *time.Location
	week  [7][]Span // by time.Weekday, in their order
	dates map[string]bool
	rules []recurrence.Rule
	years map[int]map[string]bool // what the rules give of the years that were asked for
}

// New makes working hours. Holidays are days without work, by date (2026-12-25) or by rule; rules count from HolidaysStart.
func New(zone *time.Location, week map[time.Weekday][]Span, dates []string, rules []recurrence.Rule) *Hours {
	h := &Hours{zone: zone, dates: map[string]bool{}, rules: rules, years: map[int]map[string]bool{}}
	for day, spans := range week {
		h.week[day] = slices.SortedFunc(slices.Values(spans), func(a, b Span) int { return a.From - b.From })
	}
	for _, date := range dates {
		h.dates[date] = true
	}
	return h
}

// HolidaysStart is the day from which rules of holidays count.
var HolidaysStart = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// maxDays is how far ahead working time is searched: 20 years.
const maxDays = 7305

// Add gives the time at which so much working time has passed since a start. It says no where 20 years do not have as much.
func (h *Hours) Add(start time.Time, working time.Duration) (end time.Time, found bool) {
	if h == nil {
		return start.Add(working), true
	}
	h.from(start, func(from, to time.Time) bool {
		if found = to.Sub(from) >= working; found {
			end = from.Add(working)
			return false
		}
		working -= to.Sub(from)
		return true
	})
	return end, found
}

// Between gives the working time from one time to another; 0 where the second is not later.
func (h *Hours) Between(start, end time.Time) (working time.Duration) {
	if !end.After(start) {
		return 0
	}
	if h == nil {
		return end.Sub(start)
	}
	h.from(start, func(from, to time.Time) bool {
		if !from.Before(end) {
			return false
		}
		if to.After(end) {
			to = end
		}
		working += to.Sub(from)
		return true
	})
	return working
}

// from gives the periods of work from a start on, in their order, until use says no.
func (h *Hours) from(start time.Time, use func(from, to time.Time) bool) {
	year, month, day := start.In(h.zone).Date()
	for n := range maxDays {
		date := time.Date(year, month, day+n, 0, 0, 0, 0, time.UTC) // a day of the calendar, in no zone
		if h.Holiday(date) {
			continue
		}
		for _, span := range h.week[date.Weekday()] {
			from, to := h.at(date, span.From), h.at(date, span.To)
			if from.Before(start) {
				from = start
			}
			if to.After(from) && !use(from, to) {
				return
			}
		}
	}
}

// at is the time of a day that its clock shows so many minutes after midnight.
func (h *Hours) at(date time.Time, minutes int) time.Time {
	return time.Date(date.Year(), date.Month(), date.Day(), 0, minutes, 0, 0, h.zone)
}

// Holiday reports whether nobody works on a day, whatever day of the week it is. A day is its midnight in UTC.
func (h *Hours) Holiday(date time.Time) bool {
	text := date.Format(time.DateOnly)
	if h.dates[text] || len(h.rules) == 0 {
		return h.dates[text]
	}
	year := h.years[date.Year()]
	if year == nil {
		year = map[string]bool{}
		first := time.Date(date.Year(), 1, 1, 0, 0, 0, 0, time.UTC)
		for _, rule := range h.rules {
			for _, day := range rule.Between(HolidaysStart, first, first.AddDate(1, 0, -1)) {
				year[day.Format(time.DateOnly)] = true
			}
		}
		h.years[date.Year()] = year
	}
	return year[text]
}

// Works reports whether people work on a day at all. A day is its midnight in UTC.
func (h *Hours) Works(date time.Time) bool {
	return h == nil || len(h.week[date.Weekday()]) > 0 && !h.Holiday(date)
}

// Minutes reads a time of the day, such as 08:30; 24:00 is its end.
func Minutes(text string) (int, error) {
	if text == "24:00" {
		return 24 * 60, nil
	}
	at, err := time.Parse("15:04", text)
	if err != nil || len(text) != len("15:04") {
		return 0, fmt.Errorf("%q is no time of the day; write it as 08:30", text)
	}
	return at.Hour()*60 + at.Minute(), nil
}
