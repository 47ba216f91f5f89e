package maintenance

import (
	"math"
	"time"
)

// Rules are what can count as done in time, see InTime.
var Rules = []string{"due_date", "one_day", "grace_20", "window"}

// maximumGrace is the most days of grace_20.
const maximumGrace = 28

// Grace is a fifth of an interval, rounded half up to days, at most 28 days [SMRP 5.4.14].
func Grace(intervalDays int) int {
	return min(maximumGrace, (intervalDays*2+5)/10)
}

// InTime reports whether an occurrence that was done on a day was done in time. due_date allows no day more, one_day one, grace_20 a fifth
// of the interval [SMRP 5.4.14]; window is the occurrence's own, within which it must also not be too early.
func InTime(rule string, o Occurrence, done time.Time) bool {
	switch rule {
	case "one_day":
		return !done.After(o.Due.AddDate(0, 0, 1))
	case "grace_20":
		return !done.After(o.Due.AddDate(0, 0, Grace(o.IntervalDays)))
	case "window":
		return !done.After(o.To) && (o.From.IsZero() || !done.Before(o.From))
	}
	return !done.After(o.Due)
}

// Compliance is the part of what was due that was done in time, in percent to two decimals; nil where nothing was due.
func Compliance(inTime, due int) *float64 {
	if due == 0 {
		return nil
	}
	pct := math.Round(10000*float64(inTime)/float64(due)) / 100
	return &pct
}

// Variance is by how many percent the days between two completions differ from the interval, to two decimals, and whether that is
// within ±10 % [SMRP 5.4.10].
func Variance(intervalDays, actualDays int) (pct float64, inside bool) {
	exact := 100 * float64(actualDays-intervalDays) / float64(intervalDays)
	return math.Round(exact*100) / 100, math.Abs(exact) <= 10+tiny
}
