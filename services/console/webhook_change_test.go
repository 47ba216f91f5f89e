package main

import (
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"testing"

	"ams.internal/libs/fault"
)

func TestAnEndpointsSecretIsOnOnePageThatIsNotStored(t *testing.T) {
	w := newWorld(t)
	b := w.signedIn()
	form := filled(nil)
	a := b.post("/settings/webhooks", form)
	if a.status != http.StatusOK || strings.Count(a.body, "whsec_c2Vj") != 1 || a.header.Get("Cache-Control") != "no-store" {
		t.Errorf("%d, the secret %d times, %s", a.status, strings.Count(a.body, "whsec_c2Vj"), a.header.Get("Cache-Control"))
	}
	if again := b.post("/settings/webhooks", form); again.status != http.StatusSeeOther || len(w.endpoints) != 1 {
		t.Errorf("sent again: %d, %d endpoints", again.status, len(w.endpoints))
	}
	id := w.endpoints[0]["id"].(string)
	for _, path := range []string{"", "/" + id, "/" + id + "/edit", "/" + id + "/rotate", "/" + id + "/delete"} {
		if a := b.get("/settings/webhooks" + path); a.status != http.StatusOK || strings.Contains(a.body, "whsec_c2Vj") {
			t.Errorf("%s: %d, with the secret: %v", path, a.status, strings.Contains(a.body, "whsec_c2Vj"))
		}
	}
	for hours, want := range map[string]string{"24": "The old secret is valid until", "0": "The old secret is not valid any more."} {
		rotation := url.Values{"overlap_hours": {hours}, "sent": {newFormID()}}
		if a := b.post("/settings/webhooks/"+id+"/rotate", rotation); a.status != http.StatusOK || !strings.Contains(a.body, "whsec_c2Vj") || !strings.Contains(a.body, want) {
			t.Errorf("rotated with %s hours: %d, without %q", hours, a.status, want)
		}
		if a := b.post("/settings/webhooks/"+id+"/rotate", rotation); a.status != http.StatusSeeOther {
			t.Errorf("rotated again by the same form: %d", a.status)
		}
	}
}

func TestAReplayBeginsInThePersonsTimeZone(t *testing.T) {
	w := newWorld(t)
	b := w.signedIn()
	id := w.endpoint("https://example.ca/x", nil)
	v := &visit{zone: mustZone(t, "America/Toronto")}
	since := v.today().AddDate(0, 0, -3)
	a := b.post("/settings/webhooks/"+id+"/replay", url.Values{"since": {since.Format(minute)}, "event_types": {"work_order.*"}, "sent": {newFormID()}})
	if a.status != http.StatusSeeOther || !strings.Contains(a.header.Get("Location"), "/replays/") {
		t.Fatalf("%d %.300s", a.status, a.body)
	}
	want := map[string]any{"since": since.UTC().Format("2006-01-02T15:04") + ":00Z", "event_types": []any{"work_order.*"}}
	if got := w.bodies[len(w.bodies)-1]; got["since"] != want["since"] || !reflect.DeepEqual(got["event_types"], want["event_types"]) {
		t.Errorf("asked for %v, want %v", got, want)
	}
	if page := b.get(a.header.Get("Location")).body; !strings.Contains(page, "1,234 deliveries queued") || !strings.Contains(page, "Under way") || !strings.Contains(page, "Look again") {
		t.Errorf("the progress is not shown: %.2000s", page)
	}
	for name, test := range map[string]struct {
		typed url.Values
		want  string
	}{
		"unreadable":      {url.Values{"since": {"yesterday"}}, "Enter a day and a time."},
		"in the future":   {url.Values{"since": {v.today().AddDate(0, 0, 2).Format(minute)}}, "Choose a time that is past."},
		"too long ago":    {url.Values{"since": {v.today().AddDate(0, 0, -32).Format(minute)}}, "Choose a time within the last 30 days."},
		"of other events": {url.Values{"since": {since.Format(minute)}, "event_types": {"site.*"}}, "Choose events from the list."},
	} {
		if a := b.post("/settings/webhooks/"+id+"/replay", test.typed); a.status != http.StatusBadRequest || !strings.Contains(a.body, test.want) {
			t.Errorf("%s: %d, without %q", name, a.status, test.want)
		}
	}
	w.mu.Lock()
	w.refusing = fault.Conflict("replay_running", "since", "", "There is one already.")
	w.mu.Unlock()
	if a := b.post("/settings/webhooks/"+id+"/replay", url.Values{"since": {since.Format(minute)}, "sent": {newFormID()}}); a.status != http.StatusBadRequest || !strings.Contains(a.body, "There is one already.") {
		t.Errorf("while another one runs: %d", a.status)
	}
	if len(w.replays) != 1 {
		t.Errorf("%d replays were started", len(w.replays))
	}
}

func TestAnOverlapOutOfRangeIsRefused(t *testing.T) {
	w := newWorld(t)
	b := w.signedIn()
	id := w.endpoint("https://example.ca/x", nil)
	for _, hours := range []string{"", "-1", "169", "1.5", "a day"} {
		if a := b.post("/settings/webhooks/"+id+"/rotate", url.Values{"overlap_hours": {hours}, "sent": {newFormID()}}); a.status != http.StatusBadRequest || !strings.Contains(a.body, "Enter a whole number of hours from 0 to 168.") {
			t.Errorf("%q: %d", hours, a.status)
		}
	}
	w.mu.Lock()
	w.refusing = fault.Conflict("too_many_secrets", "overlap_hours", 3, "3 former secrets still count.")
	w.mu.Unlock()
	if a := b.post("/settings/webhooks/"+id+"/rotate", url.Values{"overlap_hours": {"24"}, "sent": {newFormID()}}); a.status != http.StatusBadRequest || !strings.Contains(a.body, "3 former secrets still count.") {
		t.Errorf("too many secrets: %d", a.status)
	}
}

func TestPausingResumingAndDeleting(t *testing.T) {
	w := newWorld(t)
	b := w.signedIn()
	id := w.endpoint("https://example.ca/x", nil)
	path := "/settings/webhooks/" + id
	for _, test := range []struct{ what, leads, state string }{
		{"pause", path + "?done=webhook_paused", "paused"}, {"resume", path + "?done=webhook_resumed", "active"}, {"delete", "/settings/webhooks?done=webhook_deleted", "active"},
	} {
		if a := b.post(path+"/"+test.what, nil); a.header.Get("Location") != test.leads || w.endpoints[0]["status"] != test.state {
			t.Errorf("%s: %d to %s, %v", test.what, a.status, a.header.Get("Location"), w.endpoints[0]["status"])
		}
	}
	if a := b.get(path); a.status != http.StatusNotFound || !w.recorded("record.refused") {
		t.Errorf("deleted: %d", a.status)
	}
	other := w.endpoint("https://example.ca/y", nil)
	w.mu.Lock()
	w.refusing = fault.Conflict("transition_not_allowed", "status", "paused", "It is disabled.")
	w.mu.Unlock()
	if a := b.post("/settings/webhooks/"+other+"/pause", nil); a.header.Get("Location") != "/settings/webhooks/"+other+"?done=webhook_state_changed" {
		t.Errorf("a state that has changed meanwhile: %d %s", a.status, a.header.Get("Location"))
	}
	for _, what := range []string{"*", "work_order.*", "asset.condition_changed", "boat.*"} {
		id := w.endpoint("https://example.ca/"+fmt.Sprint(len(w.endpoints)), map[string]any{"event_types": []string{what}})
		if page := b.get("/settings/webhooks/" + id + "/delete").body; !strings.Contains(page, "<code>"+what+"</code>") || !strings.Contains(page, "Deliveries that still wait are not sent") {
			t.Errorf("before deleting it is not said that %s will stop", what)
		}
	}
}

func TestAnEndpointCanBePausedWhileTheUsersServiceIsAway(t *testing.T) {
	w := newWorld(t)
	b := w.signedIn()
	path := "/settings/webhooks/" + w.endpoint("https://example.ca/x", nil)
	w.mu.Lock()
	w.away = true
	w.mu.Unlock()
	found := tokenPattern.FindStringSubmatch(b.get(path).body)
	if found == nil {
		t.Fatal("the page of the endpoint is not shown")
	}
	form := func() url.Values {
		return url.Values{tokenField: {found[1]}, "overlap_hours": {"0"}, "sent": {newFormID()}}
	}
	if a := b.send(http.MethodPost, path+"/rotate", form()); a.status != http.StatusServiceUnavailable || strings.Contains(a.body, "whsec_") {
		t.Errorf("a new secret: %d", a.status)
	}
	if a := b.send(http.MethodPost, path+"/pause", form()); a.status != http.StatusSeeOther || w.endpoints[0]["status"] != "paused" {
		t.Errorf("pausing: %d, %v", a.status, w.endpoints[0]["status"])
	}
}
