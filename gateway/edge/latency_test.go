package edge

import (
	"testing"
	"time"
)

func TestAReadWaitsAsItsKindTakes(t *testing.T) {
	for _, c := range []struct {
		name        string
		reads       int
		took        time.Duration
		slow        int // beside them
		slowTook    time.Duration
		least, most time.Duration
	}{
		{"nothing is known", 0, 0, 0, 0, defaultHedgeDelay, defaultHedgeDelay},
		{"too few are known", enoughReads - 1, time.Millisecond, 0, 0, defaultHedgeDelay, defaultHedgeDelay},
		{"quick ones", 1000, 3 * time.Millisecond, 0, 0, minHedgeDelay, minHedgeDelay},
		{"ordinary ones", 1000, 300 * time.Millisecond, 0, 0, 600 * time.Millisecond, 900 * time.Millisecond},
		{"quick ones, a rare one among them", 1000, 3 * time.Millisecond, 5, 10 * time.Second, minHedgeDelay, minHedgeDelay},
		{"quick ones, one in twenty slow", 950, 3 * time.Millisecond, 50, 4 * time.Second, 4 * time.Second, 6 * time.Second},
		{"a report", 100, 10 * time.Second, 0, 0, 10 * time.Second, 15 * time.Second},
	} {
		l := new(latency)
		for range c.reads {
			l.record(c.took)
		}
		for range c.slow {
			l.record(c.slowTook)
		}
		if got := l.hedgeDelay(); got < c.least || got > c.most {
			t.Errorf("%s: %s, wanted %s to %s", c.name, got, c.least, c.most)
		}
	}
}

func TestWhatReadsTookLongAgoIsForgotten(t *testing.T) {
	l := new(latency)
	for range manyReads {
		l.record(5 * time.Second)
	}
	if l.hedgeDelay() < 5*time.Second {
		t.Fatalf("%s", l.hedgeDelay())
	}
	for range 10 * manyReads {
		l.record(time.Millisecond)
	}
	if l.hedgeDelay() != minHedgeDelay {
		t.Errorf("%s", l.hedgeDelay())
	}
}

func TestKindsOfReadsAreFewWhateverPathsAreAskedFor(t *testing.T) {
	const id = "019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e11"
	for path, want := range map[string]struct {
		segments int
		record   bool
	}{"": {0, false}, "/" + id: {1, true}, "/summary": {1, false}, "/" + id + "/history": {2, false}, "/a/b/c/d/e/f": {maxSegments, false}} {
		if segments, record := shape(path); segments != want.segments || record != want.record {
			t.Errorf("%q: %d, %t", path, segments, record)
		}
	}
}

func TestABudgetAllowsATenth(t *testing.T) {
	b, spent := newBudget(), 0
	const requests = 10_000
	for range requests { // each of them would be sent twice
		b.earn()
		if b.spend() {
			spent++
		}
	}
	if most := requests/10 + repeatReserve; spent > most || spent < most-2 {
		t.Errorf("%d of %d requests were sent twice", spent, requests)
	}
	for range int(10 * repeatReserve / repeatShare) {
		b.earn()
	}
	for spent = 0; b.spend(); spent++ {
	}
	if spent != repeatReserve {
		t.Errorf("after a quiet time %d may be sent twice at once", spent)
	}
}
