package recurrence

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/teambition/rrule-go"
)

// Error says which part of a rule is wrong, and why.
type Error struct{ Part, Message string }

func (e *Error) Error() string { return e.Message }

func wrong(part, format string, arguments ...any) error {
	return &Error{part, fmt.Sprintf(format, arguments...)}
}

// maximumLength is more than any rule of dates needs.
const maximumLength = 500

// MaximumInterval is the greatest INTERVAL.
const MaximumInterval = 1000

// parts are what a rule may say, with the function that reads each.
var parts = map[string]func(r *Rule, part, value string) error{
	"FREQ": readFrequency, "INTERVAL": readInterval, "COUNT": readCount, "UNTIL": readUntil, "WKST": readWeekStart,
	"BYMONTH":    readNumbers(1, 12, false, func(r *Rule, of []int) { r.option.Bymonth = of }),
	"BYMONTHDAY": readNumbers(1, 31, true, func(r *Rule, of []int) { r.option.Bymonthday = of }),
	"BYSETPOS":   readNumbers(1, 366, true, func(r *Rule, of []int) { r.option.Bysetpos = of }),
	"BYDAY":      readDays,
}

// Parse reads a rule such as "FREQ=MONTHLY;BYDAY=1MO". The error is an *Error that names the part.
func Parse(text string) (Rule, error) { return parse(text, false) }

// ParseHoliday reads a rule of a holiday: as Parse, and FREQ=YEARLY;BYEASTER=n besides, n days after Easter Sunday of the
// Gregorian calendar (-2 is Good Friday). BYEASTER is no part of RFC 5545.
func ParseHoliday(text string) (Rule, error) { return parse(text, true) }

func parse(text string, holiday bool) (Rule, error) {
	if len(text) > maximumLength {
		return Rule{}, wrong("", "A rule has at most %d characters; this one has %d.", maximumLength, len(text))
	}
	rule, seen := Rule{text: text, interval: 1}, map[string]bool{}
	for written := range strings.SplitSeq(text, ";") {
		part, value, found := strings.Cut(strings.ToUpper(written), "=")
		if !found || value == "" {
			return Rule{}, wrong(part, "%q is not a part of a rule; write NAME=value with semicolons between, such as FREQ=MONTHLY;BYMONTHDAY=1.",
				shorten(written))
		}
		if seen[part] {
			return Rule{}, wrong(part, "%s is given twice.", shorten(part))
		}
		seen[part] = true
		read := parts[part]
		if part == "BYEASTER" && holiday {
			read = readNumbers(0, 200, true, func(r *Rule, of []int) { r.option.Byeaster = of })
		}
		if read == nil {
			return Rule{}, wrong(part,
				"%s is not supported; a rule has FREQ, INTERVAL, BYMONTH, BYMONTHDAY, BYDAY, BYSETPOS, WKST, and COUNT or UNTIL.", shorten(part))
		}
		if err := read(&rule, part, value); err != nil {
			return Rule{}, err
		}
	}
	return rule, rule.check(seen)
}

// shorten keeps an error short, whatever was sent.
func shorten(text string) string {
	if runes := []rune(text); len(runes) > 30 {
		return string(runes[:30]) + "…"
	}
	return text
}

// check refuses parts that exclude each other [RFC 5545, 3.3.10], and days that no year has.
func (r Rule) check(seen map[string]bool) error {
	switch o := r.option; {
	case !seen["FREQ"]:
		return wrong("FREQ", "FREQ is missing; give DAILY, WEEKLY, MONTHLY or YEARLY.")
	case seen["COUNT"] && seen["UNTIL"]:
		return wrong("COUNT", "COUNT and UNTIL exclude each other; give one of them.")
	case seen["BYMONTHDAY"] && o.Freq == rrule.WEEKLY:
		return wrong("BYMONTHDAY", "BYMONTHDAY does not go with FREQ=WEEKLY; use FREQ=MONTHLY.")
	case seen["BYSETPOS"] && !seen["BYDAY"] && !seen["BYMONTHDAY"] && !seen["BYMONTH"]:
		return wrong("BYSETPOS", "BYSETPOS picks among the days of BYDAY, BYMONTHDAY or BYMONTH; give one of them.")
	case seen["BYEASTER"] && (o.Freq != rrule.YEARLY || seen["BYDAY"] || seen["BYMONTHDAY"] || seen["BYMONTH"] || seen["BYSETPOS"]):
		return wrong("BYEASTER", "BYEASTER goes with FREQ=YEARLY alone.")
	}
	if err := r.checkOrdinals(); err != nil {
		return err
	}
	longest := map[rrule.Frequency]int{rrule.DAILY: 1, rrule.WEEKLY: 7, rrule.MONTHLY: 31, rrule.YEARLY: 366}[r.option.Freq]
	for _, position := range r.option.Bysetpos {
		if position > longest || position < -longest {
			return wrong("BYSETPOS", "BYSETPOS=%d never occurs; with this FREQ there are at most %d days to pick from.", position, longest)
		}
	}
	if !r.hasDay() {
		return wrong("BYMONTHDAY", "The rule never occurs: no month of BYMONTH has a day of BYMONTHDAY.")
	}
	return nil
}

func (r Rule) checkOrdinals() error {
	highest := 0
	switch {
	case r.option.Freq == rrule.MONTHLY, r.option.Freq == rrule.YEARLY && r.option.Bymonth != nil:
		highest = 5
	case r.option.Freq == rrule.YEARLY:
		highest = 53
	}
	for _, day := range r.option.Byweekday {
		if n := day.N(); n > highest || n < -highest {
			if highest == 0 {
				return wrong("BYDAY", "A number before a day, as in BYDAY=%s, goes with FREQ=MONTHLY and YEARLY only.", day)
			}
			return wrong("BYDAY", "BYDAY=%s never occurs; the number is from 1 to %d, or negative to count from the end.", day, highest)
		}
	}
	return nil
}

// hasDay reports whether some month has some of the days.
func (r Rule) hasDay() bool {
	if r.option.Bymonth == nil || r.option.Bymonthday == nil {
		return true
	}
	for _, month := range r.option.Bymonth {
		longest := time.Date(2024, time.Month(month)+1, 0, 0, 0, 0, 0, time.UTC).Day() // of a leap year
		if slices.ContainsFunc(r.option.Bymonthday, func(day int) bool { return day <= longest && day >= -longest }) {
			return true
		}
	}
	return false
}

func readFrequency(r *Rule, part, value string) error {
	found := map[string]rrule.Frequency{"DAILY": rrule.DAILY, "WEEKLY": rrule.WEEKLY, "MONTHLY": rrule.MONTHLY, "YEARLY": rrule.YEARLY}
	frequency, known := found[value]
	if !known {
		return wrong(part, "FREQ=%s is not supported; plans go by days: DAILY, WEEKLY, MONTHLY or YEARLY.", shorten(value))
	}
	r.option.Freq = frequency
	return nil
}

func readInterval(r *Rule, part, value string) (err error) {
	r.interval, err = number(part, value, 1, MaximumInterval)
	return err
}

func readCount(r *Rule, part, value string) (err error) {
	r.count, err = number(part, value, 1, MaximumSteps)
	return err
}

func readUntil(r *Rule, part, value string) error {
	until, err := time.Parse("20060102", value)
	if err != nil {
		return wrong(part, "UNTIL=%s is not a date; write it without hyphens and without a time, such as UNTIL=20301231.", shorten(value))
	}
	r.until = until
	return nil
}

var weekdays = map[string]rrule.Weekday{"MO": rrule.MO, "TU": rrule.TU, "WE": rrule.WE, "TH": rrule.TH, "FR": rrule.FR, "SA": rrule.SA,
	"SU": rrule.SU}

func readWeekStart(r *Rule, part, value string) error {
	day, known := weekdays[value]
	if !known {
		return wrong(part, "WKST=%s is not a day; give MO, TU, WE, TH, FR, SA or SU.", shorten(value))
	}
	r.option.Wkst = day
	return nil
}

func readDays(r *Rule, part, value string) error {
	for entry := range strings.SplitSeq(value, ",") {
		at := max(0, len(entry)-2)
		day, known := weekdays[entry[at:]]
		if !known {
			return wrong(part, "BYDAY=%s is not a day; give MO, TU, WE, TH, FR, SA or SU, with a number before it for the first, "+
				"the second … of the month or year (1MO), -1 for the last.", shorten(entry))
		}
		if ordinal := entry[:at]; ordinal != "" {
			n, err := signed(part, ordinal, 1, 53)
			if err != nil {
				return err
			}
			day = day.Nth(n)
		}
		if slices.Contains(r.option.Byweekday, day) {
			return wrong(part, "BYDAY has %s twice.", day)
		}
		r.option.Byweekday = append(r.option.Byweekday, day)
	}
	return nil
}

// readNumbers reads a list of numbers from lowest to highest, and their negatives where the end is counted from.
func readNumbers(lowest, highest int, negative bool, set func(*Rule, []int)) func(*Rule, string, string) error {
	return func(r *Rule, part, value string) error {
		var numbers []int
		for entry := range strings.SplitSeq(value, ",") {
			read := number
			if negative {
				read = signed
			}
			n, err := read(part, entry, lowest, highest)
			if err != nil {
				return err
			}
			if slices.Contains(numbers, n) {
				return wrong(part, "%s has %d twice.", part, n)
			}
			numbers = append(numbers, n)
		}
		set(r, numbers)
		return nil
	}
}

func number(part, text string, lowest, highest int) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < lowest || n > highest || text[0] == '+' {
		return 0, wrong(part, "%s=%s must be a whole number from %d to %d.", part, shorten(text), lowest, highest)
	}
	return n, nil
}

func signed(part, text string, lowest, highest int) (int, error) {
	n, err := strconv.Atoi(text)
	if size := max(n, -n); err != nil || size < lowest || size > highest {
		return 0, wrong(part, "%s=%s must be a whole number from %d to %d, or negative to count from the end.",
			part, shorten(text), lowest, highest)
	}
	return n, nil
}
