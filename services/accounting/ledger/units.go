package ledger

import "time"

// Convention says in what units a capital asset is amortized, and how many of them fall into the years in which it comes and goes.
type Convention uint8

const (
	HalfYear       Convention = iota // half-years: one in the year of service, one in that of disposal
	FullYear                         // years: one in the year of service, none in that of disposal
	FollowingYear                    // years: none in the year of service, one in that of disposal
	Month                            // months: that of service counts whole, that of disposal not at all
	Day                              // days: that of service counts, that of disposal does not
	MonthInclusive                   // months: that of service counts whole, and so does that of disposal
	Day365                           // days of years of 365: 29 February is none, so that every full year is charged alike
)

// Conventions are all of them, by the words that classes say them with.
var Conventions = map[string]Convention{"half_year": HalfYear, "full_year": FullYear, "following_year": FollowingYear, "month": Month,
	"day": Day, "month_inclusive": MonthInclusive, "day_365": Day365}

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
func (c Convention) byTime() bool { return c.byMonth() || c == Day || c == Day365 }

// byMonth says whether units are months.
func (c Convention) byMonth() bool { return c == Month || c == MonthInclusive }

// upToDisposal is how many units of a year are charged of what is disposed of on a day.
func (c Convention) upToDisposal(y Year, day time.Time) int {
	if c == MonthInclusive {
		return c.upTo(y, day) + 1
	}
	return c.upTo(y, day)
}

// Takes says whether a life of so many months is one of whole units.
func (c Convention) Takes(months int) bool { return c.byTime() || rules[c].perYear*months%12 == 0 }

// Whole is what a life is a whole number of, such as half-years.
func (c Convention) Whole() string {
	switch {
	case c.byTime():
		return "months"
	case rules[c].perYear == 2:
		return "half-years"
	}
	return "years"
}

// life is how many units a life of so many months has that begins on a day.
func (c Convention) life(months int, service time.Time) int {
	switch {
	case c.byMonth():
		return months
	case c.byTime():
		return c.days(service, monthsLater(service, months))
	}
	return rules[c].perYear * months / 12
}

// inYear is how many units a whole year has.
func (c Convention) inYear(y Year) int {
	switch c {
	case Month, MonthInclusive:
		return 12
	case Day, Day365:
		return c.days(y.First, y.Last.AddDate(0, 0, 1))
	}
	return rules[c].perYear
}

// wholeYear is what a layer that a year begins with has due: its units, or none yet of what is counted from day to day.
func (c Convention) wholeYear() int {
	if c.byTime() {
		return 0
	}
	return rules[c].perYear
}

// upTo is how many units of a year are over before a day: whole months before its month, or days before it.
func (c Convention) upTo(y Year, day time.Time) int {
	if c.byMonth() {
		return months(y.First, day)
	}
	return c.days(y.First, day)
}

// elapsed is how many units are over on the first day of a year, of something that came into service before it: years begin on the same day
// of the same month. Of what comes into service in the year, units of time are as many below 0 as it comes later.
func (c Convention) elapsed(service time.Time, y Year) int {
	if c.byTime() {
		if c.byMonth() {
			return months(service, y.First)
		}
		return c.days(service, y.First)
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

// days is how many days a convention that goes by them counts between two midnights.
func (c Convention) days(from, to time.Time) int {
	if c == Day365 {
		return ofYearsOf365(to) - ofYearsOf365(from)
	}
	return int(to.Sub(from).Hours() / 24)
}

// ofYearsOf365 numbers days through all years, each of 365: 29 February is the same as the day before.
func ofYearsOf365(day time.Time) int {
	number := day.YearDay()
	if leap := time.Date(day.Year(), time.December, 31, 0, 0, 0, 0, time.UTC).YearDay() == 366; leap && number >= 60 {
		number--
	}
	return 365*day.Year() + number
}

// months is how many months the month of one day is after that of another.
func months(from, to time.Time) int {
	return 12*(to.Year()-from.Year()) + int(to.Month()) - int(from.Month())
}

// monthsLater is the same day so many months later, or the last of a month that does not have it.
func monthsLater(day time.Time, months int) time.Time {
	later := day.AddDate(0, months, 0)
	if later.Day() != day.Day() {
		later = later.AddDate(0, 0, -later.Day())
	}
	return later
}
