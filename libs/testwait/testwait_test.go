package testwait_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"ams.internal/libs/testwait"
)

// failing is a test whose failure is looked at.
type failing struct {
	testing.TB
	message string
}

func (f *failing) Helper() {}

func (f *failing) Fatalf(format string, args ...any) { f.message = fmt.Sprintf(format, args...) }

func TestWhatHoldsEndsTheWait(t *testing.T) {
	looks := 0
	testwait.For(t, time.Minute, "three looks", func() bool { looks++; return looks == 3 })
	if looks != 3 {
		t.Errorf("%d looks", looks)
	}
}

func TestWhatNeverHoldsFailsTheTest(t *testing.T) {
	f := &failing{TB: t}
	began := time.Now()
	testwait.For(f, 50*time.Millisecond, "the impossible", func() bool { return false })
	if f.message != "not within 50ms: the impossible" || time.Since(began) < 50*time.Millisecond {
		t.Errorf("%q after %s", f.message, time.Since(began))
	}
}

func TestTheLastErrorIsShown(t *testing.T) {
	f, looks := &failing{TB: t}, 0
	testwait.ForSuccess(f, 20*time.Millisecond, "a success", func() error { looks++; return errors.New(fmt.Sprint("look ", looks)) })
	if !strings.HasSuffix(f.message, fmt.Sprint("a success: look ", looks)) {
		t.Errorf("%q after %d looks", f.message, looks)
	}
}

func TestThereIsALookWhenTheTimeIsOver(t *testing.T) {
	began := time.Now()
	testwait.For(t, 300*time.Millisecond, "the last moment", func() bool { return time.Since(began) >= 300*time.Millisecond })
}
