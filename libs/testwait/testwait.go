// Package testwait waits in tests until a condition is true.
package testwait

import (
	"errors"
	"flag"
	"testing"
	"time"
)

// The pause between two checks is a tenth of the time waited so far, within these.
const (
	minPause = 5 * time.Millisecond
	maxPause = 200 * time.Millisecond
)

// EightAtATime lets eight parallel tests run at a time, for a package whose tests mostly wait for intervals of the product, not for a
// processor. TestMain calls it before m.Run. A -parallel on the command line has no effect then.
func EightAtATime() error {
	flag.Parse()
	return flag.Set("test.parallel", "8")
}

// For waits until a condition is true. The test fails when it is not within a time.
func For(t testing.TB, within time.Duration, what string, holds func() bool) {
	t.Helper()
	if wait(within, func() error {
		if holds() {
			return nil
		}
		return errors.New("it is not true")
	}) != nil {
		t.Fatalf("not within %s: %s", within, what)
	}
}

// ForSuccess waits until there is no error. The test fails with the last one when there still is one after a time.
func ForSuccess(t testing.TB, within time.Duration, what string, try func() error) {
	t.Helper()
	if err := wait(within, try); err != nil {
		t.Fatalf("not within %s: %s: %v", within, what, err)
	}
}

// wait tries a last time when the time is over.
func wait(within time.Duration, try func() error) error {
	for begin := time.Now(); ; {
		waited := time.Since(begin)
		err := try()
		if err == nil || waited >= within {
			return err
		}
		time.Sleep(min(max(waited/10, minPause), maxPause, within-waited))
	}
}
