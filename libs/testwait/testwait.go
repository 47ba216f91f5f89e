// Package testwait waits in tests until a condition is true.
package testwait

import (
	"errors"
	"testing"
	"time"
)

// The pause between two checks is a tenth of the time waited so far, within these.
const (
	minPause = 5 * time.Millisecond
	maxPause = 200 * time.Millisecond
)

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
