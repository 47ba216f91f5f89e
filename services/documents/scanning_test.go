package documents

import (
	"net/http"
	"testing"
	"time"

	"ams.internal/libs/resource/resourcetest"
	"ams.internal/services/documents/scan"
	"ams.internal/services/documents/scan/scantest"
)

// A scanner that calls clean what it has not looked into is taken for one that is away.
func TestAScannerThatOverlooksGivesNoVerdict(t *testing.T) {
	f := newFixtureWith(t, scan.New(scantest.Start(t, "AlertExceedsMax no").URL))
	w := f.worker(t)
	path := upload(t, f.Client, http.StatusCreated, "a.txt", []byte("Replace the filter."), nil).Header.Get("Location")
	if err := w.queue.Once(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.tasks.Wait()
	resourcetest.Expect(t, f.Must(t, http.StatusConflict, "GET", path+"/content", nil).JSON, fields{"code": "scan_pending"})
	if !w.unavailableUntil.After(time.Now()) {
		t.Error("the next scan begins at once")
	}
}
