package engine

import "time"

// Age is in hundredths of a year.
type Age int32

const (
	year    Age = 100
	oldest  Age = 1000 * year // what is older is as old as this
	midYear     = time.July   // the first of it stands for a year whose day nobody knows
)

// AgeAt gives the age on a day of what began on another: 100·days/365.25, halves up, not below 0. Of both, the
// date counts and nothing else.
func AgeAt(began, on time.Time) Age {
	days := int64(date(on).Sub(date(began)) / (24 * time.Hour))
	return Age(min(max(0, (800*days+1461)/2922), int64(oldest)))
}

// MiddleOf is the day that stands for a year.
func MiddleOf(year int) time.Time { return time.Date(year, midYear, 1, 0, 0, 0, 0, time.UTC) }

func date(t time.Time) time.Time {
	y, m, d := t.Date()
	return time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
}
