package demo

import "testing"

// The rounds are over by now, some of their work was late, and the next is not made for some days: nothing changes after the data set was
// written.
func TestTheRoundsAreOver(t *testing.T) {
	late, early := 0, 0
	for i := range roundBuildings {
		done := -roundsAgo
		for n := range roundCycles {
			if done += roundLate(i, n); roundLate(i, n) > 0 {
				late++
			} else {
				early++
			}
			if n == roundCycles-1 && (done >= 0 || done+roundInterval-5 < 2) {
				t.Errorf("building %d: done %d days from now, the next one opens %d days from now", i, done, done+roundInterval-5)
			}
			done += roundInterval
		}
	}
	if late < 5 || early < 3*late {
		t.Errorf("%d are late, %d in time", late, early)
	}
}
