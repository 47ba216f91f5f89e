package maintenance

import (
	"fmt"
	"iter"
	"math"
	"time"
)

// tiny is less than any difference of readings, which have six decimals.
const tiny = 1e-9

// Step is the number of the step that a total has reached, of steps that are as far apart as every: 8 at 2,070 with every 250.
func Step(total, every float64) int { return int(math.Floor(min(total/every, 1e18) + tiny)) }

// StepKey is the key of a step.
func StepKey(k int) string { return fmt.Sprintf("m%d", k) }

// MaxSteps is how many steps are listed one by one when a total has advanced by more of them at once.
const MaxSteps = 100

// Steps are the steps after last that a total has reached, the first one first; of more than MaxSteps the last ones.
func Steps(last int, total, every float64) []int {
	reached := Step(total, every)
	var steps []int
	for k := max(last, reached-MaxSteps) + 1; k <= reached; k++ {
		steps = append(steps, k)
	}
	return steps
}

// CaughtUp chooses, of what fell due since the planner last looked (the oldest first), what is made and what is missed. One alone is made.
// Of several, latest makes the last one, all makes all, none makes none.
func CaughtUp[T any](due []T, catchUp string) (made, missed []T) {
	switch {
	case catchUp == "all":
		return due, nil
	case len(due) == 0:
		return nil, nil
	case catchUp == "none" && len(due) > 1:
		return nil, due
	}
	return due[len(due)-1:], due[:len(due)-1]
}

// MeterDue is the day on which a total is expected to reach the next step: today and the remaining use divided by the use of a day,
// rounded up. False where nothing is used.
func MeterDue(today time.Time, total, next, daily float64) (time.Time, bool) {
	if daily <= 0 {
		return time.Time{}, false
	}
	days := math.Ceil(max(0, next-total)/daily - tiny)
	if days > 365*100 {
		return time.Time{}, false
	}
	return today.AddDate(0, 0, int(days)), true
}

// DueSteps gives the days from today to last on which a total is expected to reach steps, with their number: a day that reaches several is
// one, so that the smallest steps cost no more than the days.
func DueSteps(today, last time.Time, total, every, daily float64) iter.Seq2[time.Time, int] {
	return func(yield func(time.Time, int) bool) {
		reached, day := Step(total, every), today.AddDate(0, 0, -1)
		for {
			due, runs := MeterDue(today, total, float64(reached+1)*every, daily)
			if !due.After(day) { // by rounding
				due = day.AddDate(0, 0, 1)
			}
			if !runs || due.After(last) {
				return
			}
			by := max(reached+1, Step(total+daily*math.Round(due.Sub(today).Hours()/24), every))
			if !yield(due, by-reached) {
				return
			}
			reached, day = by, due
		}
	}
}
