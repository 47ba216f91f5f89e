package recurrence_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"
	"time"

	"ams.internal/libs/recurrence"
)

func day(text string) time.Time {
	at, err := time.Parse(time.DateOnly, text)
	if err != nil {
		panic(err)
	}
	return at
}

func join(dates []time.Time) string {
	texts := make([]string, len(dates))
	for i, date := range dates {
		texts[i] = date.Format(time.DateOnly)
	}
	return strings.Join(texts, " ")
}

func TestDatesOfRules(t *testing.T) {
	for _, c := range []struct{ rule, start, to, want string }{
		{"FREQ=YEARLY", "2024-02-29", "2033-01-01", "2024-02-29 2028-02-29 2032-02-29"},
		{"FREQ=MONTHLY", "2026-01-31", "2026-06-30", "2026-01-31 2026-03-31 2026-05-31"},
		{"FREQ=MONTHLY;BYMONTHDAY=-1", "2026-01-31", "2026-04-01", "2026-01-31 2026-02-28 2026-03-31"},
		{"FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=-1", "2026-01-31", "2028-12-31", "2026-02-28 2027-02-28 2028-02-29"},
		{"FREQ=WEEKLY;BYDAY=MO", "2026-03-03", "2026-03-16", "2026-03-09 2026-03-16"},
		{"FREQ=WEEKLY;BYDAY=MO", "2026-10-19", "2026-11-02", "2026-10-19 2026-10-26 2026-11-02"},
		{"FREQ=YEARLY;INTERVAL=2;BYMONTH=12;BYMONTHDAY=31", "2026-01-01", "2031-01-01", "2026-12-31 2028-12-31 2030-12-31"},
		{"FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=31", "2026-01-01", "2027-12-31", "2026-12-31 2027-12-31"},
		{"FREQ=DAILY;INTERVAL=30;COUNT=3", "2026-01-01", "2027-01-01", "2026-01-01 2026-01-31 2026-03-02"},
		{"FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1;COUNT=2", "2026-01-01", "2027-01-01", "2026-01-30 2026-02-27"},
		{"FREQ=MONTHLY;BYDAY=2TU;UNTIL=20260310", "2026-01-01", "2027-01-01", "2026-01-13 2026-02-10 2026-03-10"},
		{"FREQ=WEEKLY;BYDAY=MO,WE,FR;BYSETPOS=2;COUNT=2", "2026-03-03", "2027-01-01", "2026-03-04 2026-03-11"}, // of all days of the week
		{"freq=weekly;byday=su;wkst=su;interval=2", "2026-03-01", "2026-03-31", "2026-03-01 2026-03-15 2026-03-29"},
		{"FREQ=DAILY", "2026-03-07", "2026-03-10", "2026-03-07 2026-03-08 2026-03-09 2026-03-10"}, // clocks change on the 8th
	} {
		rule, err := recurrence.Parse(c.rule)
		if err != nil {
			t.Errorf("%s: %v", c.rule, err)
			continue
		}
		if got := join(rule.Between(day(c.start), day(c.start), day(c.to))); got != c.want {
			t.Errorf("%s from %s: %s, want %s", c.rule, c.start, got, c.want)
		}
	}
}

func TestRulesThatAreRefused(t *testing.T) {
	for rule, part := range map[string]string{
		"":                                                 "",
		"FREQ=SECONDLY":                                    "FREQ",
		"FREQ=HOURLY":                                      "FREQ",
		"FREQ=SOMETIMES":                                   "FREQ",
		"INTERVAL=2":                                       "FREQ",
		"FREQ=DAILY;INTERVAL=0":                            "INTERVAL",
		"FREQ=DAILY;INTERVAL=-1":                           "INTERVAL",
		"FREQ=DAILY;INTERVAL=1001":                         "INTERVAL",
		"FREQ=DAILY;INTERVAL=1.5":                          "INTERVAL",
		"FREQ=DAILY;INTERVAL=":                             "INTERVAL",
		"FREQ=DAILY;COUNT=0":                               "COUNT",
		"FREQ=DAILY;COUNT=3;UNTIL=20300101":                "COUNT",
		"FREQ=DAILY;COUNT=99999999999999999999":            "COUNT",
		"FREQ=DAILY;UNTIL=20300230":                        "UNTIL",
		"FREQ=DAILY;UNTIL=20300101T000000Z":                "UNTIL",
		"FREQ=MONTHLY;BYMONTHDAY=32":                       "BYMONTHDAY",
		"FREQ=MONTHLY;BYMONTHDAY=0":                        "BYMONTHDAY",
		"FREQ=MONTHLY;BYMONTHDAY=1,1":                      "BYMONTHDAY",
		"FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30":              "BYMONTHDAY",
		"FREQ=DAILY;BYMONTH=4;BYMONTHDAY=31":               "BYMONTHDAY",
		"FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=-30":             "BYMONTHDAY",
		"FREQ=WEEKLY;BYMONTHDAY=3":                         "BYMONTHDAY",
		"FREQ=YEARLY;BYMONTH=13":                           "BYMONTH",
		"FREQ=YEARLY;BYMONTH=-1":                           "BYMONTH",
		"FREQ=WEEKLY;BYDAY=XX":                             "BYDAY",
		"FREQ=WEEKLY;BYDAY=1MO":                            "BYDAY",
		"FREQ=MONTHLY;BYDAY=6MO":                           "BYDAY",
		"FREQ=MONTHLY;BYDAY=0MO":                           "BYDAY",
		"FREQ=MONTHLY;BYDAY=MO,MO":                         "BYDAY",
		"FREQ=MONTHLY;BYDAY=":                              "BYDAY",
		"FREQ=MONTHLY;BYSETPOS=1":                          "BYSETPOS",
		"FREQ=WEEKLY;BYDAY=MO;BYSETPOS=8":                  "BYSETPOS",
		"FREQ=WEEKLY;WKST=1":                               "WKST",
		"FREQ=YEARLY;BYWEEKNO=20":                          "BYWEEKNO",
		"FREQ=YEARLY;BYYEARDAY=1":                          "BYYEARDAY",
		"FREQ=YEARLY;BYEASTER=0":                           "BYEASTER",
		"FREQ=DAILY;BYHOUR=2":                              "BYHOUR",
		"FREQ=DAILY;FREQ=DAILY":                            "FREQ",
		"FREQ=DAILY;":                                      "",
		"RRULE:FREQ=DAILY":                                 "RRULE:FREQ",
		"DTSTART=20260101;FREQ=DAILY":                      "DTSTART",
		"FREQ=DAILY;" + strings.Repeat("BYDAY=MO;", 1_100): "",
	} {
		var refused *recurrence.Error
		if parsed, err := recurrence.Parse(rule); !errors.As(err, &refused) || refused.Part != part {
			t.Errorf("%.60q: part %+v, want %q (%v)", rule, refused, part, parsed)
		} else if part != "" && !strings.Contains(refused.Message, part) || len(refused.Message) > 300 {
			t.Errorf("%.60q: the message does not name %s: %s", rule, part, refused.Message)
		}
	}
}

func TestRulesThatDoNotOccurSoon(t *testing.T) {
	for rule, start := range map[string]string{
		"FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29;BYDAY=MO": "2032-01-01", // not before 2044
		"FREQ=DAILY;INTERVAL=7;BYDAY=TU":               "2026-03-02",
		"FREQ=MONTHLY;INTERVAL=12;BYMONTH=2":           "2026-01-01",
		"FREQ=YEARLY;UNTIL=20260101":                   "2026-01-02",
		"FREQ=YEARLY;BYDAY=MO;BYSETPOS=100":            "2026-01-01",
	} {
		parsed, err := recurrence.Parse(rule)
		if err != nil {
			t.Errorf("%s: %v", rule, err)
		} else if parsed.Check(day(start)) == nil {
			t.Errorf("%s from %s is taken", rule, start)
		}
	}
	rule, _ := recurrence.Parse("FREQ=YEARLY")
	if err := rule.Check(day("2024-02-29")); err != nil {
		t.Error(err)
	}
}

func TestHolidays(t *testing.T) {
	for text, want := range map[string]string{
		"FREQ=YEARLY;BYEASTER=-2": "2026-04-03 2027-03-26 2028-04-14", // Good Friday
		"FREQ=YEARLY;BYMONTH=5;BYMONTHDAY=18,19,20,21,22,23,24;BYDAY=MO": "2026-05-18 2027-05-24 2028-05-22", // Victoria Day
		"FREQ=YEARLY;BYMONTH=10;BYDAY=2MO":                               "2026-10-12 2027-10-11 2028-10-09", // Thanksgiving
	} {
		rule, err := recurrence.ParseHoliday(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := join(rule.Between(day("2020-01-01"), day("2026-01-01"), day("2028-12-31"))); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
	for _, text := range []string{"FREQ=YEARLY;BYEASTER=201", "FREQ=MONTHLY;BYEASTER=0", "FREQ=YEARLY;BYEASTER=0;BYDAY=MO"} {
		if _, err := recurrence.ParseHoliday(text); err == nil {
			t.Errorf("%s is taken", text)
		}
	}
}

func TestARuleEnds(t *testing.T) {
	rule, _ := recurrence.Parse("FREQ=DAILY")
	if n := len(rule.Between(day("1990-01-01"), day("1990-01-01"), day("2200-01-01"))); n != recurrence.MaximumSteps {
		t.Errorf("%d dates", n)
	}
}

// TestTheDatesAreThoseOfDateutil compares the dates of many rules with those of python-dateutil, whose rules everybody else follows.
func TestTheDatesAreThoseOfDateutil(t *testing.T) {
	random := rand.New(rand.NewPCG(17, 5545))
	var input strings.Builder
	var rules, want []string
	for len(rules) < 600 {
		text, start := randomRule(random), day("2020-01-01").AddDate(0, 0, random.IntN(4000))
		rule, err := recurrence.Parse(text)
		if err != nil {
			continue
		}
		fmt.Fprintf(&input, "%s %s\n", text, start.Format("20060102"))
		rules = append(rules, text+" from "+start.Format(time.DateOnly))
		want = append(want, join(rule.Between(start, start, day("2045-12-31"))))
	}
	command := exec.CommandContext(t.Context(), "/usr/bin/python3", "-c", `
import sys, itertools
from datetime import datetime
from dateutil.rrule import rrulestr
for line in sys.stdin:
    text, start = line.split()
    dates = rrulestr(text, dtstart=datetime.strptime(start, "%Y%m%d"))
    print(" ".join(d.strftime("%Y-%m-%d") for d in itertools.takewhile(lambda d: d.year <= 2045, dates)))`)
	command.Stdin = strings.NewReader(input.String())
	output, err := command.Output()
	if err != nil {
		t.Fatalf("python3-dateutil, which deploy/install.sh installs: %v", err)
	}
	for i, line := range strings.Split(strings.TrimSuffix(string(output), "\n"), "\n") {
		if line != want[i] {
			t.Errorf("%s:\n  here     %.200s\n  dateutil %.200s", rules[i], want[i], line)
		}
	}
}

func randomRule(random *rand.Rand) string {
	frequency := []string{"DAILY", "WEEKLY", "MONTHLY", "YEARLY"}[random.IntN(4)]
	rule := "FREQ=" + frequency
	add := func(one int, part string) bool {
		if random.IntN(one) > 0 {
			return false
		}
		rule += ";" + part
		return true
	}
	add(2, fmt.Sprintf("INTERVAL=%d", 1+random.IntN(9)))
	chosen := add(3, fmt.Sprintf("BYMONTH=%d,%d", 1+random.IntN(6), 7+random.IntN(6)))
	if frequency != "WEEKLY" {
		chosen = add(3, fmt.Sprintf("BYMONTHDAY=%d,-%d", 1+random.IntN(28), 1+random.IntN(3))) || chosen
	}
	ordinal := ""
	if frequency == "MONTHLY" || frequency == "YEARLY" {
		ordinal = []string{"", "1", "-1", "3"}[random.IntN(4)]
	}
	chosen = add(3, "BYDAY="+ordinal+[]string{"MO", "TU,", "SA,"}[random.IntN(3)][:2]) || chosen
	if chosen && frequency != "WEEKLY" { // of the first week dateutil leaves out the days before the start
		add(3, fmt.Sprintf("BYSETPOS=%d", []int{1, -1}[random.IntN(2)]))
	}
	add(4, "WKST="+[]string{"MO", "SU"}[random.IntN(2)])
	if !add(5, fmt.Sprintf("COUNT=%d", 1+random.IntN(40))) {
		add(5, fmt.Sprintf("UNTIL=20%d0630", 30+random.IntN(10)))
	}
	return rule
}
