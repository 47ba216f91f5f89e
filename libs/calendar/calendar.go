// Package calendar computes the days and the fiscal years of an organization: what "today" is in its time zone, and which year a day
// belongs to.
//
// Days are texts, YYYY-MM-DD, as the API has them. Times are kept and shown in UTC; only their day depends on the organization.
package calendar

import (
	"fmt"
	"sync"
	"time"
	_ "time/tzdata" // containers have no time zones of their own
)

// What holds where an organization has not said otherwise.
const (
	DefaultTimeZone      = "America/Toronto"
	DefaultFiscalYearEnd = 12 // the calendar year
)

// Calendar is an organization's. The zero Calendar has the defaults.
type Calendar struct {
	TimeZone           string // IANA, such as "America/St_Johns"
	FiscalYearEndMonth int    // 1 to 12; the fiscal year ends on the last day of that month
}

// locations are the time zones that were asked for, by name: *time.Location.
var locations sync.Map

// Zone finds a time zone by its IANA name; an error where there is none of that name.
func Zone(name string) (*time.Location, error) {
	if found, known := locations.Load(name); known {
		return found.(*time.Location), nil
	}
	if name == "" || name == "Local" {
		return nil, fmt.Errorf("calendar: %q is no time zone", name)
	}
	found, err := time.LoadLocation(name)
	if err != nil {
		return nil, fmt.Errorf("calendar: %w", err)
	}
	locations.Store(name, found)
	return found, nil
}

// ZoneName is the IANA name of the organization's time zone.
func (c Calendar) ZoneName() string {
	if c.TimeZone == "" {
		return DefaultTimeZone
	}
	return c.TimeZone
}

// Zone is the organization's time zone, UTC where its name is unknown here.
func (c Calendar) Zone() *time.Location {
	if zone, err := Zone(c.ZoneName()); err == nil {
		return zone
	}
	return time.UTC
}

// Today is the day that it is for the organization.
func (c Calendar) Today() string { return c.Day(time.Now()) }

// Day is the day on which a time falls: 2026-11-21T02:00Z is 2026-11-20 in Toronto.
func (c Calendar) Day(at time.Time) string { return at.In(c.Zone()).Format(time.DateOnly) }

// Start is when a day begins; false where the text is not a day.
func (c Calendar) Start(day string) (time.Time, bool) {
	at, err := time.ParseInLocation(time.DateOnly, day, c.Zone())
	return at, err == nil
}

func (c Calendar) endMonth() time.Month {
	if c.FiscalYearEndMonth < 1 || c.FiscalYearEndMonth > 12 {
		return DefaultFiscalYearEnd
	}
	return time.Month(c.FiscalYearEndMonth)
}

// FiscalYear is the fiscal year of a day: the calendar year in which it begins. With the end in August, 2027-03-15 is in 2026 and
// 2026-09-01 too, 2026-08-31 in 2025. It is 0 where the text is not a day.
func (c Calendar) FiscalYear(day string) int {
	at, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return 0
	}
	if end := c.endMonth(); at.Month() > end || end == time.December {
		return at.Year()
	}
	return at.Year() - 1
}

// Period is the first and the last day of a fiscal year.
func (c Calendar) Period(year int) (start, end string) {
	first := time.Date(year, c.endMonth()+1, 1, 0, 0, 0, 0, time.UTC)
	if c.endMonth() == time.December {
		first = time.Date(year, time.January, 1, 0, 0, 0, 0, time.UTC)
	}
	return first.Format(time.DateOnly), first.AddDate(1, 0, -1).Format(time.DateOnly)
}

// Label is what people call a fiscal year: "2026-27", or "2026" where it is the calendar year.
func (c Calendar) Label(year int) string {
	if c.endMonth() == time.December {
		return fmt.Sprintf("%04d", year)
	}
	return fmt.Sprintf("%04d-%02d", year, (year+1)%100)
}

// FirstDay is the first day that figures are asked for; before it, nobody kept any.
const FirstDay = "1900-01-01"

// Next is when the day after a day begins; false where the text is not a day.
func (c Calendar) Next(day string) (time.Time, bool) {
	at, isDay := c.Start(day)
	return at.AddDate(0, 0, 1), isDay
}
