package maintenance_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"ams.internal/libs/calendar"
	"ams.internal/libs/domain/maintenance"
	"ams.internal/libs/recurrence"
)

func day(text string) time.Time {
	at, ok := maintenance.Day(text)
	if !ok && text != "" {
		panic(text)
	}
	return at
}

func rule(t *testing.T, text string) *recurrence.Rule {
	parsed, err := recurrence.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return &parsed
}

func first(s maintenance.Schedule, n int) []maintenance.Occurrence {
	var all []maintenance.Occurrence
	for o := range s.Fixed(time.Time{}) {
		if all = append(all, o); len(all) == n {
			break
		}
	}
	return all
}

func dues(all []maintenance.Occurrence) string {
	var texts []string
	for _, o := range all {
		texts = append(texts, o.Due.Format(time.DateOnly))
	}
	return strings.Join(texts, " ")
}

func weekdays(at time.Time) bool { return at.Weekday() != time.Saturday && at.Weekday() != time.Sunday }

func TestFloatingMonthsClampToTheEndOfTheMonth(t *testing.T) {
	for _, c := range []struct {
		done string
		n    int
		unit string
		want string
	}{
		{"2026-01-31", 1, "month", "2026-02-28"}, {"2028-01-31", 1, "month", "2028-02-29"}, {"2024-02-29", 1, "year", "2025-02-28"},
		{"2026-10-25", 30, "day", "2026-11-24"}, {"2026-10-25", 2, "week", "2026-11-08"}, {"2026-03-10", 16, "month", "2027-07-10"},
	} {
		if got := (maintenance.Interval{N: c.n, Unit: c.unit}).After(day(c.done)); got != day(c.want) {
			t.Errorf("%d %s after %s: %s, want %s", c.n, c.unit, c.done, got.Format(time.DateOnly), c.want)
		}
	}
}

func TestTheDayOfCompletionIsTheLocalOne(t *testing.T) {
	toronto, _ := calendar.Zone("America/Toronto")
	at, _ := time.Parse(time.RFC3339, "2026-10-26T03:30:00Z")
	s := maintenance.Schedule{StartsOn: day("2026-01-01"), Interval: &maintenance.Interval{N: 30, Unit: "day"}}
	if o, _ := s.Floating(2, maintenance.DayOf(at, toronto)); o.Due != day("2026-11-24") || o.Key != "f2" || o.IntervalDays != 30 {
		t.Errorf("%+v", o)
	}
}

func TestBridgesEverySecondYear(t *testing.T) {
	s := maintenance.Schedule{StartsOn: day("2026-01-01"), Rule: rule(t, "FREQ=YEARLY;INTERVAL=2;BYMONTH=12;BYMONTHDAY=31"),
		Window: maintenance.Window{Calendar: "year"}, NonWorking: "previous", Works: weekdays}
	all := first(s, 2)
	if dues(all) != "2026-12-31 2028-12-29" || all[1].Key != "2028-12-31" {
		t.Errorf("%+v", all)
	}
	for done, want := range map[string]bool{"2026-03-02": true, "2026-12-31": true, "2025-12-31": false, "2027-01-04": false} {
		if got := maintenance.InTime("window", all[0], day(done)); got != want {
			t.Errorf("done %s: in the window %v", done, got)
		}
	}
	if next := s.Capped(all[1], day("2027-01-04"), time.Time{}); next.Due != day("2028-12-29") { // late all the same
		t.Errorf("%+v", next)
	}
}

func TestTheGapIsNeverLongerThanItMayBe(t *testing.T) {
	s := maintenance.Schedule{StartsOn: day("2026-01-01"), Rule: rule(t, "FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=31"),
		Window: maintenance.Window{Calendar: "year"}, MaxGapMonths: 16}
	next := s.Capped(first(s, 2)[1], day("2026-03-10"), time.Time{})
	if next.Due != day("2027-07-10") || next.Key != "2027-12-31" {
		t.Errorf("%+v", next)
	}
	if maintenance.InTime("window", next, day("2027-07-11")) || !maintenance.InTime("window", next, day("2027-01-01")) {
		t.Error("the window ends with the gap")
	}
	if same := s.Capped(first(s, 2)[1], day("2026-12-01"), time.Time{}); same.Due != day("2027-12-31") {
		t.Errorf("%+v", same)
	}
}

func TestLeadSeasonsAndWorkingDays(t *testing.T) {
	toronto, _ := calendar.Zone("America/Toronto")
	s := maintenance.Schedule{StartsOn: day("2027-03-20"), Rule: rule(t, "FREQ=YEARLY"), LeadDays: 14}
	if at := maintenance.Begins(first(s, 1)[0].Opens, toronto).UTC().Format(time.RFC3339); at != "2027-03-06T05:00:00Z" {
		t.Errorf("made at %s", at)
	}
	winter := []maintenance.Season{{From: "11-01", To: "03-31"}}
	mondays := maintenance.Schedule{StartsOn: day("2026-10-19"), Rule: rule(t, "FREQ=WEEKLY;BYDAY=MO"), Seasons: winter}
	if got := dues(first(mondays, 2)); got != "2026-11-02 2026-11-09" {
		t.Error(got)
	}
	monthly := maintenance.Schedule{StartsOn: day("2026-01-01"), Interval: &maintenance.Interval{N: 1, Unit: "month"}, Seasons: winter}
	if o, _ := monthly.Floating(3, day("2027-03-05")); o.Due != day("2027-11-01") {
		t.Errorf("%+v", o)
	}
	next := maintenance.Schedule{StartsOn: day("2027-05-01"), Rule: rule(t, "FREQ=MONTHLY"), NonWorking: "next", Works: weekdays}
	if got := dues(first(next, 2)); got != "2027-05-03 2027-06-01" { // 1 May is a Saturday
		t.Error(got)
	}
}

func TestExceptionsExtraDatesAndEnds(t *testing.T) {
	s := maintenance.Schedule{StartsOn: day("2027-01-01"), EndsOn: day("2027-05-31"), Rule: rule(t, "FREQ=MONTHLY"),
		Exceptions: []time.Time{day("2027-02-01"), day("2027-04-01")},
		Extra:      []time.Time{day("2027-02-15"), day("2027-03-01"), day("2027-04-01"), day("2027-06-15")},
		Moved:      map[string]time.Time{"2027-05-01": day("2027-05-20")}}
	if got := dues(first(s, 20)); got != "2027-01-01 2027-02-15 2027-03-01 2027-04-01 2027-05-20" {
		t.Error(got)
	}
	ended := maintenance.Schedule{StartsOn: day("2027-01-01"), EndsOn: day("2027-05-31"), Interval: &maintenance.Interval{N: 1, Unit: "year"}}
	if _, more := ended.Floating(2, day("2027-01-10")); more {
		t.Error("a cycle after the end")
	}
}

func TestTheShortestInterval(t *testing.T) {
	for text, want := range map[string]int{"FREQ=MONTHLY": 28, "FREQ=WEEKLY;BYDAY=MO,WE,FR": 2, "FREQ=YEARLY;INTERVAL=2": 730} {
		if got := (maintenance.Schedule{StartsOn: day("2026-01-01"), Rule: rule(t, text)}).ShortestInterval(); got != want {
			t.Errorf("%s: %d, want %d", text, got, want)
		}
	}
	if got := (maintenance.Schedule{Interval: &maintenance.Interval{N: 1, Unit: "month"}}).ShortestInterval(); got != 28 {
		t.Error(got)
	}
}

func TestALargerPlanMakesTheSmallerSuperfluous(t *testing.T) {
	var all [3][]maintenance.Occurrence
	for i, text := range []string{"FREQ=YEARLY", "FREQ=MONTHLY;INTERVAL=3", "FREQ=MONTHLY"} {
		s := maintenance.Schedule{StartsOn: day("2027-01-01"), EndsOn: day("2027-12-31"), Rule: rule(t, text)}
		all[i] = first(s, 100)
	}
	total, suppressed := 0, 0
	for i := range all {
		for _, o := range all[i] {
			total++
			if slices.ContainsFunc(slices.Concat(all[:i]...), func(larger maintenance.Occurrence) bool {
				return maintenance.Suppresses(larger.Due, o.Due, 0)
			}) {
				suppressed++
			}
		}
	}
	if total != 17 || suppressed != 5 {
		t.Errorf("%d occurrences, %d suppressed", total, suppressed)
	}
	if !maintenance.Suppresses(day("2027-01-01"), day("2027-01-08"), 7) || maintenance.Suppresses(day("2027-01-09"), day("2027-01-01"), 7) {
		t.Error("suppress_days counts on both sides")
	}
}

// Worked case 8, then a day that reaches a million steps, and one whose steps nobody can count: no day costs more than another.
func TestDueSteps(t *testing.T) {
	today := day("2026-11-22")
	for _, c := range []struct {
		total, every, daily float64
		days                int
		first               string
		sum, on             int // steps, and days on which there are some
	}{
		{2070, 250, 6, 30, "2026-12-22", 1, 1},
		{2070, 250, 6, 29, "", 0, 0},
		{0, 250, 2.5e8, 10, "2026-11-23", 10_000_000, 10},
		{2e12, 1e-6, 1e11, 3650, "2026-11-22", -1, 3651},
		{2070, 250, 0, 3650, "", 0, 0},
	} {
		sum, on, first := 0, 0, ""
		for due, steps := range maintenance.DueSteps(today, today.AddDate(0, 0, c.days), c.total, c.every, c.daily) {
			if on++; first == "" {
				first = due.Format(time.DateOnly)
			}
			sum += steps
		}
		if first != c.first || on != c.on || c.sum >= 0 && sum != c.sum {
			t.Errorf("%+v: %d steps on %d days from %s on", c, sum, on, first)
		}
	}
}

func TestStepsOfMeters(t *testing.T) {
	if got := maintenance.Step(1900, 250); got != 7 {
		t.Errorf("1,900 is step %d", got)
	}
	if got := maintenance.Steps(7, 2070, 250); !slices.Equal(got, []int{8}) || maintenance.StepKey(got[0]) != "m8" {
		t.Errorf("2,070: %v", got)
	}
	made, missed := maintenance.CaughtUp(maintenance.Steps(8, 2900, 250), "latest")
	if !slices.Equal(made, []int{11}) || !slices.Equal(missed, []int{9, 10}) {
		t.Errorf("2,900: made %v, missed %v", made, missed)
	}
	if made, missed := maintenance.CaughtUp([]int{1, 2}, "all"); len(made) != 2 || len(missed) != 0 {
		t.Errorf("all: %v %v", made, missed)
	}
	if made, missed := maintenance.CaughtUp([]int{1}, "none"); len(made) != 1 || len(missed) != 0 { // it did not open with others
		t.Errorf("%v %v", made, missed)
	}
	if made, missed := maintenance.CaughtUp([]int{1, 2}, "none"); len(made) != 0 || len(missed) != 2 {
		t.Errorf("none: %v %v", made, missed)
	}
	if got := maintenance.Steps(0, 1e12, 1e-6); len(got) != maintenance.MaxSteps || got[len(got)-1] != 1e18 {
		t.Errorf("a total that ran on by a million million steps is told as %d", len(got))
	}
	if maintenance.Step(0.3, 0.1) != 3 {
		t.Error("three tenths are three steps of a tenth")
	}
	if due, ok := maintenance.MeterDue(day("2026-11-22"), 2070, 2250, 540.0/90); !ok || due != day("2026-12-22") {
		t.Errorf("due %v", due)
	}
	if _, ok := maintenance.MeterDue(day("2026-11-22"), 2070, 2250, 0); ok {
		t.Error("a meter that does not run falls due")
	}
}

func TestCompliance(t *testing.T) {
	for interval, want := range map[int]int{7: 1, 14: 3, 30: 6, 56: 11, 90: 18, 180: 28, 365: 28, 0: 0} {
		if got := maintenance.Grace(interval); got != want {
			t.Errorf("grace of %d days: %d, want %d", interval, got, want)
		}
	}
	o := maintenance.Occurrence{Due: day("2027-01-10"), To: day("2027-01-10"), IntervalDays: 30}
	for _, c := range []struct{ rule, last string }{{"due_date", "2027-01-10"}, {"one_day", "2027-01-11"}, {"grace_20", "2027-01-16"}} {
		if !maintenance.InTime(c.rule, o, day(c.last)) || maintenance.InTime(c.rule, o, day(c.last).AddDate(0, 0, 1)) {
			t.Errorf("%s ends on %s", c.rule, c.last)
		}
	}
	if *maintenance.Compliance(17, 20) != 85 || *maintenance.Compliance(19, 20) != 95 || maintenance.Compliance(0, 0) != nil {
		t.Error("17 of 20 are 85, 19 are 95, none of none is not known")
	}
	for _, c := range []struct {
		interval, actual int
		pct              float64
		inside           bool
	}{{28, 33, 17.86, false}, {28, 30, 7.14, true}, {30, 27, -10, true}, {30, 26, -13.33, false}} {
		if pct, inside := maintenance.Variance(c.interval, c.actual); pct != c.pct || inside != c.inside {
			t.Errorf("%d days instead of %d: %v %v", c.actual, c.interval, pct, inside)
		}
	}
}
