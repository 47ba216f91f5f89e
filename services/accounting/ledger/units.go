package ledger

import "time"

// Convention says in what units a capital asset is amortized, and how many of them fall into the years in which it comes and goes.
type Convention uint8

const (
	HalfYear      Convention = iota // half-years: one in the year of service, one in that of disposal
	FullYear                        // years: one in the year of service, none in that of disposal
	FollowingYear                   // years: none in the year of service, one in that of disposal
	Month                           // months: that of service counts whole, that of disposal not at all
	Day                             // days: that of service counts, that of disposal does not
)

// Conventions are all of them, by the words that classes say them with.
var Conventions = map[string]Convention{"half_year": HalfYear, "full_year": FullYear, "following_year": FollowingYear, "month": Month, "day": Day}

// Year is a fiscal year.
type Year struct{ First, Last time.Time } // midnights, UTC

// Contains says whether a day is within the year.
func (y Year) Contains(day time.Time) bool { return !day.Before(y.First) && !day.After(y.Last) }

// Next is the year after it, which ends a year later.
func (y Year) Next() Year {
	return Year{y.Last.AddDate(0, 0, 1), y.Last.AddDate(0, 0, 1).AddDate(1, 0, -1)}
}

// rule is the numbers of a convention that reckons by years.
type rule struct {
	perYear, first, last int
	betterment           int // how many units fewer than the asset a betterment begins with
	inYear               int // units of a betterment in its own year
}

var rules = map[Convention]rule{
	HalfYear:      {perYear: 2, first: 1, last: 1, betterment: 1, inYear: 1},
	FullYear:      {perYear: 1, first: 1, last: 0, betterment: 0, inYear: 1},
	FollowingYear: {perYear: 1, first: 0, last: 1, betterment: 1, inYear: 0},
}

// byTime says whether units are counted from day to day, and not by the year.
func (c Convention) byTime() bool { return c == Month || c == Day }

// life is how many units a life of so many years has that begins on a day.
func (c Convention) life(years int, service time.Time) int {
	switch c {
	case Month:
		return 12 * years
	case Day:
		return days(service, anniversary(service, years))
	}
	return rules[c].perYear * years
}

// inYear is how many units a whole year has.
func (c Convention) inYear(y Year) int {
	switch c {
	case Month:
		return 12
	case Day:
		return days(y.First, y.Last) + 1
	}
	return rules[c].perYear
}

// upTo is how many units of a year are over before a day: whole months before its month, or days before it.
func (c Convention) upTo(y Year, day time.Time) int {
	if c == Month {
		return months(y.First, day)
	}
	return days(y.First, day)
}

// elapsed is how many units are over on the first day of a year, of something that came into service before it: years begin on the same day of the
// same month. Of what comes into service in the year, units of time are as many below 0 as it comes later.
func (c Convention) elapsed(service time.Time, y Year) int {
	if c.byTime() {
		if c == Month {
			return months(service, y.First)
		}
		return days(service, y.First)
	}
	years := 0 // that began before this one and in which it was there
	for first := y.First; service.Before(first); first = first.AddDate(-1, 0, 0) {
		years++
	}
	if years == 0 {
		return 0
	}
	r := rules[c]
	return r.first + (years-1)*r.perYear
}

// days is how many days lie between two midnights.
func days(from, to time.Time) int { return int(to.Sub(from).Hours() / 24) }

// months is how many months the month of one day is after that of another.
func months(from, to time.Time) int {
	return 12*(to.Year()-from.Year()) + int(to.Month()) - int(from.Month())
}

// anniversary is the same day so many years later; 29 February is 28 February in other years.
func anniversary(day time.Time, years int) time.Time {
	later := day.AddDate(years, 0, 0)
	if later.Day() != day.Day() {
		later = later.AddDate(0, 0, -later.Day())
	}
	return later
}
