package console

import (
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"ams.internal/libs/fault"
	"ams.internal/libs/testwait"
)

func TestAPageHasAPlaceWhileItIsMade(t *testing.T) {
	f := newFixture(t)
	b := f.signedIn()
	had := func(stream bool) int {
		f.mu.Lock()
		defer f.mu.Unlock()
		return f.peakPlaces[stream]
	}
	if had(false)+had(true) != 0 {
		t.Error("who is not signed in has a place")
	}
	b.get("/settings/members")
	if had(false) != 1 || had(true) != 0 {
		t.Errorf("a page had %d places, and %d of streams", had(false), had(true))
	}
	if resp := b.get("/settings/audit.csv"); resp.status != 200 || had(true) != 1 || had(false) != 1 {
		t.Errorf("an export: %d, %d places, and %d of streams", resp.status, had(false), had(true))
	}
	testwait.For(t, 10*time.Second, "places are given back", func() bool {
		f.mu.Lock()
		defer f.mu.Unlock()
		return f.places[false] == 0 && f.places[true] == 0
	})
}

func TestWithoutAPlaceAPageWaitsAndAnExportIsRefused(t *testing.T) {
	f := newFixture(t)
	b := f.signedIn()
	refuse := func(e *fault.Error) {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.noPlace = e
	}
	full := fault.New(fault.KindRateLimited, "too_many_streams", "Your organization is reading 4 streams.")
	full.RetryAfter = time.Second
	refuse(full)
	for _, path := range []string{"/settings/audit.csv", "/settings/members"} {
		resp := b.get(path)
		if resp.status != http.StatusTooManyRequests || resp.header.Get("Retry-After") != "1" ||
			!strings.Contains(resp.body, "Too much at once") || resp.header.Get("Content-Disposition") != "" {
			t.Errorf("%s: %d %v %.300s", path, resp.status, resp.header, resp.body)
		}
	}
	if resp := b.get("/settings/keys"); resp.status != 200 { // a key that leaked can be revoked at any time
		t.Errorf("the keys: %d", resp.status)
	}
	var waiting sync.WaitGroup
	waiting.Go(func() {
		if resp := b.get("/settings/members"); resp.status != 200 {
			t.Errorf("a page that waited: %d", resp.status)
		}
	})
	time.Sleep(3 * placeInterval)
	refuse(nil) // the page said what to do: try again when something has ended
	waiting.Wait()
	if resp := b.get("/settings/audit.csv"); resp.status != 200 {
		t.Errorf("an export after that: %d", resp.status)
	}
}

// Whoever counts is the gateway; what it cannot count is not refused.
func TestPagesAreMadeWhereNobodyCounts(t *testing.T) {
	f := newFixture(t)
	b := f.signedIn()
	f.mu.Lock()
	f.noPlace = fault.Unavailable("database_unavailable", "away")
	f.mu.Unlock()
	if resp := b.get("/settings/members"); resp.status != 200 {
		t.Errorf("%d", resp.status)
	}
}
