package workhours_test

import (
	"testing"
	"time"
	_ "time/tzdata" // the same zones on every machine

	"ams.internal/libs/recurrence"
	"ams.internal/libs/workhours"
)

func zone(t *testing.T) *time.Location {
	t.Helper()
	zone, err := time.LoadLocation("America/Toronto")
	if err != nil {
		t.Fatal(err)
	}
	return zone
}

// office is Monday to Friday, 08:30 to 16:30.
func office(t *testing.T, dates []string, rules ...string) *workhours.Hours {
	t.Helper()
	week := map[time.Weekday][]workhours.Span{}
	for day := time.Monday; day <= time.Friday; day++ {
		week[day] = []workhours.Span{{From: 510, To: 990}}
	}
	var parsed []recurrence.Rule
	for _, text := range rules {
		rule, err := recurrence.ParseHoliday(text)
		if err != nil {
			t.Fatal(err)
		}
		parsed = append(parsed, rule)
	}
	return workhours.New(zone(t), week, dates, parsed)
}

func local(t *testing.T, text string) time.Time {
	t.Helper()
	at, err := time.ParseInLocation("2006-01-02 15:04", text, zone(t))
	if err != nil {
		t.Fatal(err)
	}
	return at
}

func TestTheWorkedCases(t *testing.T) {
	closed := office(t, []string{"2026-12-25", "2026-12-28"})
	for _, c := range []struct {
		hours      *workhours.Hours
		minutes    int
		start, end string
	}{
		{closed, 240, "2026-12-24 15:00", "2026-12-29 11:00"},
		{closed, 480, "2026-11-23 09:00", "2026-11-24 09:00"}, // not held
		{office(t, nil, "FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=25", "FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=28"), 240, "2026-12-24 15:00",
			"2026-12-29 11:00"},
		{office(t, nil, "FREQ=YEARLY;BYEASTER=-2"), 60, "2026-04-02 16:00", "2026-04-06 09:00"}, // Good Friday is 3 April
		{closed, 480, "2026-11-21 12:00", "2026-11-23 16:30"},                                   // from a Saturday, to the end of Monday
		{closed, 1, "2026-11-23 16:30", "2026-11-24 08:31"},
	} {
		end, found := c.hours.Add(local(t, c.start), time.Duration(c.minutes)*time.Minute)
		if !found || !end.Equal(local(t, c.end)) {
			t.Errorf("%d minutes from %s end at %s, want %s", c.minutes, c.start, end.In(zone(t)), c.end)
		}
		if got := c.hours.Between(local(t, c.start), end); got != time.Duration(c.minutes)*time.Minute {
			t.Errorf("from %s to %s it is %s, want %d minutes", c.start, c.end, got, c.minutes)
		}
	}
	// Held from 10:00 to 14:00: what was left at 10:00 is counted from 14:00 on.
	end, _ := closed.Add(local(t, "2026-11-23 09:00"), 480*time.Minute)
	left := closed.Between(local(t, "2026-11-23 10:00"), end)
	if end, _ = closed.Add(local(t, "2026-11-23 14:00"), left); !end.Equal(local(t, "2026-11-24 13:00")) {
		t.Errorf("held, it ends at %s", end.In(zone(t)))
	}
	// Round the clock, a day on which the clocks go back has 25 hours, of which 24 have elapsed.
	var always *workhours.Hours
	if end, _ := always.Add(local(t, "2026-10-31 20:00"),
		1440*time.Minute); end.In(zone(t)).Format("2006-01-02 15:04 MST") != "2026-11-01 19:00 EST" {
		t.Errorf("a day after 20:00 EDT is %s", end.In(zone(t)))
	}
}

func TestNightsAndClocksThatChange(t *testing.T) {
	nights := workhours.New(zone(t), map[time.Weekday][]workhours.Span{
		time.Saturday: {{From: 22 * 60, To: 24 * 60}}, time.Sunday: {{From: 0, To: 6 * 60}},
	}, nil, nil)
	for night, want := range map[string]time.Duration{
		"2026-10-17": 8 * time.Hour, "2026-10-31": 9 * time.Hour, "2026-03-07": 7 * time.Hour, // back, and forward
	} {
		if got := nights.Between(local(t, night+" 12:00"), local(t, night+" 12:00").AddDate(0, 0, 1)); got != want {
			t.Errorf("the night of %s has %s, want %s", night, got, want)
		}
	}
	if got := nights.Between(local(t, "2026-10-18 03:00"), local(t, "2026-10-18 01:00")); got != 0 {
		t.Errorf("backwards it is %s", got)
	}
	never := workhours.New(zone(t), nil, nil, nil)
	if end, found := never.Add(local(t, "2026-10-18 03:00"), time.Minute); found {
		t.Errorf("who never works is done at %s", end)
	}
	if !office(t, nil).Works(time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC)) || office(t, nil).Works(
		time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC),
	) || office(t, []string{"2026-11-23"}).Works(time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC)) {
		t.Error("the office works on the wrong days")
	}
}

func TestTimesOfTheDay(t *testing.T) {
	for text, want := range map[string]int{"00:00": 0, "08:30": 510, "23:59": 1439, "24:00": 1440} {
		if got, err := workhours.Minutes(text); got != want || err != nil {
			t.Errorf("%s is %d (%v), want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "8:30", "24:01", "12:60", "noon", "08:30:00", "-1:00"} {
		if got, err := workhours.Minutes(text); err == nil {
			t.Errorf("%q is taken as %d", text, got)
		}
	}
}
