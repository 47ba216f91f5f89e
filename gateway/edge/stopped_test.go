package edge

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

func TestWhatWaitedForAStoppedGatewayIsRefused(t *testing.T) {
	s := newStopped()
	for _, moment := range []struct {
		beat, now time.Duration
		refused   bool
		means     string
	}{
		{0, time.Hour, false, "nobody looks yet"},
		{time.Hour, time.Hour + 1900*time.Millisecond, false, "a beat is late"},
		{time.Hour, time.Hour + 5*time.Second, true, "the first request after a stop, before the next beat"},
		{time.Hour + 5*time.Second, time.Hour + 5400*time.Millisecond, true, "those behind it"},
		{time.Hour + 5500*time.Millisecond, time.Hour + 5501*time.Millisecond, false, "half a second later"},
		{0, 2 * time.Hour, false, "nobody looks any more"},
	} {
		s.beat.Store(int64(moment.beat))
		if got := s.justNow(moment.now); got != moment.refused {
			t.Errorf("%s: refused is %v", moment.means, got)
		}
	}
}

func TestARunningGatewayRefusesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStopped()
		ctx, end := context.WithCancel(t.Context())
		go s.run(ctx)
		taken := 0
		handle := s.step(func(context.Context, *call) (*http.Response, error) { taken++; return nil, nil })
		for range 100 {
			time.Sleep(770 * time.Millisecond)
			if _, err := handle(ctx, nil); err != nil {
				t.Fatal(err)
			}
		}
		end() // as when it drains: it goes on taking what comes
		synctest.Wait()
		time.Sleep(time.Minute)
		if _, err := handle(t.Context(), nil); err != nil || taken != 101 {
			t.Errorf("%d were taken, want 101; afterwards: %v", taken, err)
		}
	})
}
