package console

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
	f := newFixture(t)
	b := f.signedIn()
	form := filledForm(nil)
	resp := b.post("/settings/webhooks", form)
	if resp.status != http.StatusOK || strings.Count(resp.body, "whsec_c2Vj") != 1 || resp.header.Get("Cache-Control") != "no-store" {
		t.Errorf("%d, the secret %d times, %s", resp.status, strings.Count(resp.body, "whsec_c2Vj"), resp.header.Get("Cache-Control"))
	}
	if again := b.post("/settings/webhooks", form); again.status != http.StatusSeeOther || len(f.endpoints) != 1 {
		t.Errorf("sent again: %d, %d endpoints", again.status, len(f.endpoints))
	}
	id := f.endpoints[0]["id"].(string)
	for _, path := range []string{"", "/" + id, "/" + id + "/edit", "/" + id + "/rotate", "/" + id + "/delete"} {
		if resp := b.get("/settings/webhooks" + path); resp.status != http.StatusOK || strings.Contains(resp.body, "whsec_c2Vj") {
			t.Errorf("%s: %d, with the secret: %v", path, resp.status, strings.Contains(resp.body, "whsec_c2Vj"))
		}
	}
	for hours, want := range map[string]string{"24": "The old secret is valid until", "0": "The old secret is not valid any more."} {
		rotation := url.Values{"overlap_hours": {hours}, "sent": {newFormID()}}
		if resp := b.post("/settings/webhooks/"+id+"/rotate", rotation); resp.status != http.StatusOK ||
			!strings.Contains(resp.body, "whsec_c2Vj") || !strings.Contains(resp.body, want) {
			t.Errorf("rotated with %s hours: %d, without %q", hours, resp.status, want)
		}
		if resp := b.post("/settings/webhooks/"+id+"/rotate", rotation); resp.status != http.StatusSeeOther {
			t.Errorf("rotated again by the same form: %d", resp.status)
		}
	}
}

func TestAReplayBeginsInThePersonsTimeZone(t *testing.T) {
	f := newFixture(t)
	b := f.signedIn()
	id := f.endpoint("https://example.ca/x", nil)
	req := &pageRequest{zone: mustZone(t, "America/Toronto")}
	since := req.today().AddDate(0, 0, -3)
	resp := b.post("/settings/webhooks/"+id+"/replay",
		url.Values{"since": {since.Format(minute)}, "event_types": {"work_order.*"}, "sent": {newFormID()}})
	if resp.status != http.StatusSeeOther || !strings.Contains(resp.header.Get("Location"), "/replays/") {
		t.Fatalf("%d %.300s", resp.status, resp.body)
	}
	want := map[string]any{"since": since.UTC().Format("2006-01-02T15:04") + ":00Z", "event_types": []any{"work_order.*"}}
	if got := f.bodies[len(f.bodies)-1]; got["since"] != want["since"] || !reflect.DeepEqual(got["event_types"], want["event_types"]) {
		t.Errorf("asked for %v, want %v", got, want)
	}
	if page := b.get(resp.header.Get("Location")).body; !strings.Contains(page, "1,234 deliveries queued") ||
		!strings.Contains(page, "Under way") || !strings.Contains(page, "Look again") {
		t.Errorf("the progress is not shown: %.2000s", page)
	}
	for name, test := range map[string]struct {
		typed url.Values
		want  string
	}{
		"unreadable":      {url.Values{"since": {"yesterday"}}, "Enter a day and a time."},
		"in the future":   {url.Values{"since": {req.today().AddDate(0, 0, 2).Format(minute)}}, "Choose a time that is past."},
		"too long ago":    {url.Values{"since": {req.today().AddDate(0, 0, -32).Format(minute)}}, "Choose a time within the last 30 days."},
		"of other events": {url.Values{"since": {since.Format(minute)}, "event_types": {"site.*"}}, "Choose events from the list."},
	} {
		if resp := b.post("/settings/webhooks/"+id+"/replay", test.typed); resp.status != http.StatusBadRequest ||
			!strings.Contains(resp.body, test.want) {
			t.Errorf("%s: %d, without %q", name, resp.status, test.want)
		}
	}
	f.mu.Lock()
	f.nextRefusal = fault.Conflict("replay_running", "since", "", "There is one already.")
	f.mu.Unlock()
	if resp := b.post("/settings/webhooks/"+id+"/replay",
		url.Values{"since": {since.Format(minute)}, "sent": {newFormID()}}); resp.status != http.StatusBadRequest ||
		!strings.Contains(resp.body, "There is one already.") {
		t.Errorf("while another one runs: %d", resp.status)
	}
	if len(f.replays) != 1 {
		t.Errorf("%d replays were started", len(f.replays))
	}
}

func TestAnOverlapOutOfRangeIsRefused(t *testing.T) {
	f := newFixture(t)
	b := f.signedIn()
	id := f.endpoint("https://example.ca/x", nil)
	for _, hours := range []string{"", "-1", "169", "1.5", "a day"} {
		if resp := b.post("/settings/webhooks/"+id+"/rotate",
			url.Values{"overlap_hours": {hours}, "sent": {newFormID()}}); resp.status != http.StatusBadRequest ||
			!strings.Contains(resp.body, "Enter a whole number of hours from 0 to 168.") {
			t.Errorf("%q: %d", hours, resp.status)
		}
	}
	f.mu.Lock()
	f.nextRefusal = fault.Conflict("too_many_secrets", "overlap_hours", 3, "3 former secrets still count.")
	f.mu.Unlock()
	if resp := b.post("/settings/webhooks/"+id+"/rotate",
		url.Values{"overlap_hours": {"24"}, "sent": {newFormID()}}); resp.status != http.StatusBadRequest ||
		!strings.Contains(resp.body, "3 former secrets still count.") {
		t.Errorf("too many secrets: %d", resp.status)
	}
}

func TestPausingResumingAndDeleting(t *testing.T) {
	f := newFixture(t)
	b := f.signedIn()
	id := f.endpoint("https://example.ca/x", nil)
	path := "/settings/webhooks/" + id
	for _, test := range []struct{ what, leads, state string }{
		{"pause", path + "?done=webhook_paused", "paused"}, {"resume", path + "?done=webhook_resumed", "active"}, {"delete",
			"/settings/webhooks?done=webhook_deleted", "active"},
	} {
		if resp := b.post(path+"/"+test.what, nil); resp.header.Get("Location") != test.leads || f.endpoints[0]["status"] != test.state {
			t.Errorf("%s: %d to %s, %v", test.what, resp.status, resp.header.Get("Location"), f.endpoints[0]["status"])
		}
	}
	if resp := b.get(path); resp.status != http.StatusNotFound || !f.recorded("record.refused") {
		t.Errorf("deleted: %d", resp.status)
	}
	other := f.endpoint("https://example.ca/y", nil)
	f.mu.Lock()
	f.nextRefusal = fault.Conflict("transition_not_allowed", "status", "paused", "It is disabled.")
	f.mu.Unlock()
	if resp := b.post("/settings/webhooks/"+other+"/pause",
		nil); resp.header.Get("Location") != "/settings/webhooks/"+other+"?done=webhook_state_changed" {
		t.Errorf("a state that has changed meanwhile: %d %s", resp.status, resp.header.Get("Location"))
	}
	for _, what := range []string{"*", "work_order.*", "asset.condition_changed", "boat.*"} {
		id := f.endpoint("https://example.ca/"+fmt.Sprint(len(f.endpoints)), map[string]any{"event_types": []string{what}})
		if page := b.get("/settings/webhooks/" + id + "/delete").body; !strings.Contains(page, "<code>"+what+"</code>") ||
			!strings.Contains(page, "Deliveries that still wait are not sent") {
			t.Errorf("before deleting it is not said that %s will stop", what)
		}
	}
}

func TestAnEndpointCanBePausedWhileTheUsersServiceIsAway(t *testing.T) {
	f := newFixture(t)
	b := f.signedIn()
	path := "/settings/webhooks/" + f.endpoint("https://example.ca/x", nil)
	f.mu.Lock()
	f.usersDown = true
	f.mu.Unlock()
	found := tokenPattern.FindStringSubmatch(b.get(path).body)
	if found == nil {
		t.Fatal("the page of the endpoint is not shown")
	}
	form := func() url.Values {
		return url.Values{tokenField: {found[1]}, "overlap_hours": {"0"}, "sent": {newFormID()}}
	}
	if resp := b.send(http.MethodPost, path+"/rotate", form()); resp.status != http.StatusServiceUnavailable ||
		strings.Contains(resp.body, "whsec_") {
		t.Errorf("a new secret: %d", resp.status)
	}
	if resp := b.send(http.MethodPost, path+"/pause", form()); resp.status != http.StatusSeeOther || f.endpoints[0]["status"] != "paused" {
		t.Errorf("pausing: %d, %v", resp.status, f.endpoints[0]["status"])
	}
}
