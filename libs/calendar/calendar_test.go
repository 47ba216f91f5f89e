package calendar_test

import (
	"testing"
	"time"

	"ams.internal/libs/calendar"
)

func TestTheDayIsTheOrganizations(t *testing.T) {
	for _, c := range []struct{ zone, at, day string }{
		{"America/Toronto", "2026-11-20T21:00:00-05:00", "2026-11-20"},
		{"America/Toronto", "2026-11-21T02:00:00Z", "2026-11-20"},
		{"", "2026-11-21T02:00:00Z", "2026-11-20"}, // Toronto is the default
		{"America/Vancouver", "2026-11-22T06:20:00Z", "2026-11-21"},
		{"America/Vancouver", "2026-11-22T07:59:59Z", "2026-11-21"},
		{"America/Vancouver", "2026-11-22T08:00:00Z", "2026-11-22"},
		{"America/St_Johns", "2026-11-20T23:45:00-03:30", "2026-11-20"},
		{"America/Toronto", "2026-11-01T23:59:00-05:00", "2026-11-01"}, // the day on which summer time ends has 25 hours
		{"America/Toronto", "2026-11-02T05:00:00Z", "2026-11-02"},
		{"America/Toronto", "2026-11-01T04:00:00Z", "2026-11-01"},
		{"UTC", "2026-11-21T02:00:00Z", "2026-11-21"},
	} {
		at, err := time.Parse(time.RFC3339, c.at)
		if err != nil {
			t.Fatal(err)
		}
		if got := (calendar.Calendar{TimeZone: c.zone}).Day(at); got != c.day {
			t.Errorf("%s in %q is %s, want %s", c.at, c.zone, got, c.day)
		}
	}
}

func TestADayBeginsInTheZone(t *testing.T) {
	for _, c := range []struct{ zone, day, begins string }{
		{"America/Toronto", "2026-11-01", "2026-11-01T04:00:00Z"},
		{"America/Toronto", "2026-11-02", "2026-11-02T05:00:00Z"},
		{"America/St_Johns", "2026-01-01", "2026-01-01T03:30:00Z"},
	} {
		at, ok := calendar.Calendar{TimeZone: c.zone}.Start(c.day)
		if got := at.UTC().Format(time.RFC3339); !ok || got != c.begins {
			t.Errorf("%s in %s begins at %s, want %s", c.day, c.zone, got, c.begins)
		}
	}
	if _, ok := (calendar.Calendar{}).Start("2026-02-30"); ok {
		t.Error("a day that does not exist begins")
	}
}

func TestFiscalYears(t *testing.T) {
	for _, c := range []struct {
		end                int
		day                string
		year               int
		label, start, end2 string
	}{
		{8, "2027-03-15", 2026, "2026-27", "2026-09-01", "2027-08-31"},
		{8, "2026-08-31", 2025, "2025-26", "2025-09-01", "2026-08-31"},
		{8, "2026-09-01", 2026, "2026-27", "2026-09-01", "2027-08-31"},
		{3, "2027-03-31", 2026, "2026-27", "2026-04-01", "2027-03-31"},
		{3, "2027-04-01", 2027, "2027-28", "2027-04-01", "2028-03-31"},
		{12, "2026-12-31", 2026, "2026", "2026-01-01", "2026-12-31"},
		{0, "2026-12-31", 2026, "2026", "2026-01-01", "2026-12-31"},
		{2, "2028-02-29", 2027, "2027-28", "2027-03-01", "2028-02-29"},
		{2, "2028-03-01", 2028, "2028-29", "2028-03-01", "2029-02-28"},
		{6, "1999-07-01", 1999, "1999-00", "1999-07-01", "2000-06-30"},
	} {
		of := calendar.Calendar{FiscalYearEndMonth: c.end}
		year := of.FiscalYear(c.day)
		start, end := of.Period(year)
		if year != c.year || of.Label(year) != c.label || start != c.start || end != c.end2 {
			t.Errorf("end month %d, %s: %d %q from %s to %s, want %d %q from %s to %s",
				c.end, c.day, year, of.Label(year), start, end, c.year, c.label, c.start, c.end2)
		}
	}
}

func TestZonesThatDoNotExist(t *testing.T) {
	for _, name := range []string{"", "Local", "America/Nowhere", "../etc/passwd", "Toronto"} {
		if _, err := calendar.Zone(name); err == nil {
			t.Errorf("the zone %q is found", name)
		}
	}
}
