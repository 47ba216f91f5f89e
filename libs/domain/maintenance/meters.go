package maintenance

import (
	"fmt"
	"math"
	"time"
)

// tiny is less than any difference of readings, which have six decimals.
const tiny = 1e-9

// Step is the number of the step that a total has reached, of steps that are as far apart as every: 8 at 2,070 with every 250.
func Step(total, every float64) int { return int(math.Floor(total/every + tiny)) }

// StepKey is the key of a step.
func StepKey(k int) string { return fmt.Sprintf("m%d", k) }

// MostSteps is how many steps are told one by one when a total has run on by more of them at once.
const MostSteps = 100

// Steps are the steps after last that a total has reached, the first one first; of more than MostSteps the last ones.
func Steps(last int, total, every float64) []int {
	reached := Step(total, every)
	var steps []int
	for k := max(last, reached-MostSteps) + 1; k <= reached; k++ {
		steps = append(steps, k)
	}
	return steps
}

// CaughtUp chooses, of what fell due since the planner last looked (the oldest first), what is made and what is missed. latest makes the
// last one, all makes all, none makes none.
func CaughtUp[T any](due []T, catchUp string) (made, missed []T) {
	switch {
	case catchUp == "all":
		return due, nil
	case catchUp == "none":
		return nil, due
	case len(due) == 0:
		return nil, nil
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
