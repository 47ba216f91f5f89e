package console

import (
	"html"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

func mustZone(t *testing.T, name string) *time.Location {
	t.Helper()
	zone, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return zone
}

func TestWhatAReceiverAnswersIsShownAsTextOnly(t *testing.T) {
	f := newFixture(t)
	b := f.signedIn()
	id := f.endpoint("https://example.ca/x", nil)
	hostile := `</pre><script>alert(1)</script><img src=x onerror=alert(1)>{{.Token}}` +
		"\x1b[2J\x1b]0;title\x07\r\x08\x7f\u202egnp.exe\u2066\u200b\u009b31m" + strings.Repeat("long", 4000)
	f.mu.Lock()
	d := f.delivery(id, "asset.updated", "event", hostile)
	attempt := d["attempts"].([]any)[0].(map[string]any)
	attempt["response"].(map[string]any)["headers"] = map[string]any{"X-" + hostile: hostile, "Set-Cookie": "<b>"}
	attempt["error"], d["last_error"], d["last_status"] = hostile, hostile, nil
	f.mu.Unlock()
	path := "/settings/webhooks/" + id
	for _, page := range []string{path, path + "/deliveries", path + "/deliveries/" + d["id"].(string)} {
		resp := b.get(page)
		if resp.status != http.StatusOK || !strings.Contains(resp.body, "&lt;script&gt;alert(1)") {
			t.Fatalf("%s: %d, or what the receiver answered is not shown", page, resp.status)
		}
		for _, harm := range []string{"<script>alert", "<img src=x", "<b>", "\x1b", "\x07", "\x08", "\x7f", "\u202e",
			"\u2066", "\u200b", "\u009b"} {
			if strings.Contains(resp.body, harm) {
				t.Errorf("%s has %q", page, harm)
			}
		}
		if !strings.Contains(html.UnescapeString(resp.body), "‹U+202E›gnp.exe") || !strings.Contains(resp.body, "{{.Token}}") {
			t.Errorf("%s does not say what was written out", page)
		}
	}
}

func TestReceivedTextKeepsItsLinesAndLosesItsCommands(t *testing.T) {
	for given, want := range map[string]string{
		"":                    "",
		"a\tb\nc":             "a\tb\nc",
		"a\r\nb":              "a\nb",
		"a\rb":                "a‹U+000D›b",
		"\x1b[31mred\x1b[0m":  "‹U+001B›[31mred‹U+001B›[0m",
		"nul\x00":             "nul‹U+0000›",
		"del\x7f":             "del‹U+007F›",
		"c1\u009b":            "c1‹U+009B›",
		"a\u202eb":            "a‹U+202E›b",
		"zero\u200bwidth":     "zero‹U+200B›width",
		"line\u2028separator": "line‹U+2028›separator",
		"bad\xff":             "bad\uFFFD",
		"Aréna, 東京, 🚒, <b>&":  "Aréna, 東京, 🚒, <b>&",
	} {
		if got := printable(given); got != want {
			t.Errorf("%q is shown as %q, want %q", given, got, want)
		}
	}
}

func TestADeliveryShowsEveryAttempt(t *testing.T) {
	f := newFixture(t)
	b := f.signedIn()
	id := f.endpoint("https://example.ca/x", nil)
	f.mu.Lock()
	d := f.delivery(id, "asset.updated", "event", "ok")
	attempts := d["attempts"].([]any)
	d["attempts"] = append(attempts, map[string]any{"number": 2, "at": "2026-11-21T15:04:10Z", "duration_ms": 15000, "response": nil,
		"error":   "The receiver did not answer within 15 seconds.",
		"request": map[string]any{"headers": map[string]any{"Webhook-Attempt": "2"}, "body": `{"id":"1","n":12345678901234567890}`}})
	d["state"], d["next_attempt_at"], d["attempt_count"] = "pending", "2026-11-21T16:04:10Z", 2
	f.mu.Unlock()
	body := b.get("/settings/webhooks/" + id + "/deliveries/" + d["id"].(string)).body
	for _, want := range []string{"Trying again", "Attempt 2", "No answer", "The receiver did not answer within 15 seconds.",
		"21\u00a0Nov\u00a02026, 10:04:10", "15,000 ms", "Webhook-Attempt: 2",
		"&#34;n&#34;: 12345678901234567890", "Attempt 1", "Answered 200", "1,234 ms", "Server: nginx", "21\u00a0Nov\u00a02026, 11:04:10"} {
		if !strings.Contains(body, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	if strings.Index(body, "Attempt 2") > strings.Index(body, "Attempt 1") {
		t.Error("the last attempt does not come first")
	}
}

func TestATestLeadsToWhatTheReceiverAnswered(t *testing.T) {
	f := newFixture(t)
	f.testDelay = defaultTimeout + time.Second // receivers may take longer than our own services
	b := f.signedIn()
	id := f.endpoint("https://example.ca/x", nil)
	resp := b.post("/settings/webhooks/"+id+"/test", nil)
	if resp.status != http.StatusSeeOther {
		t.Fatalf("%d %.300s", resp.status, resp.body)
	}
	if page := b.get(resp.header.Get("Location")).body; !strings.Contains(page, "This is what the receiver answered.") ||
		!strings.Contains(page, "Answered 200") {
		t.Error("the answer is not shown")
	}
}

func TestADeliveryIsSentAgainOnce(t *testing.T) {
	f := newFixture(t)
	b := f.signedIn()
	id, other := f.endpoint("https://example.ca/x", nil), f.endpoint("https://example.ca/y", nil)
	f.mu.Lock()
	d := f.delivery(id, "asset.updated", "event", "ok")["id"].(string)
	f.mu.Unlock()
	form := url.Values{"sent": {newFormID()}}
	path := "/settings/webhooks/" + id + "/deliveries/" + d
	first := b.post(path+"/redeliver", form)
	if first.status != http.StatusSeeOther || strings.Contains(first.header.Get("Location"), d) || len(f.deliveries) != 2 {
		t.Errorf("%d to %s, %d deliveries", first.status, first.header.Get("Location"), len(f.deliveries))
	}
	if again := b.post(path+"/redeliver", form); again.header.Get("Location") != path+"?done=already_sent" || len(f.deliveries) != 2 {
		t.Errorf("sent again: %d to %s, %d deliveries", again.status, again.header.Get("Location"), len(f.deliveries))
	}
	for _, wrong := range []string{"/settings/webhooks/" + other + "/deliveries/" + d, "/settings/webhooks/" + id + "/deliveries/" + adminID,
		"/settings/webhooks/" + id + "/deliveries/x", "/settings/webhooks/" + managerID + "/deliveries/" + d} {
		if resp := b.get(wrong); resp.status != http.StatusNotFound {
			t.Errorf("GET %s: %d", wrong, resp.status)
		}
		if resp := b.post(wrong+"/redeliver", url.Values{"sent": {newFormID()}}); resp.status != http.StatusNotFound || len(f.deliveries) != 2 {
			t.Errorf("POST %s: %d", wrong, resp.status)
		}
	}
}

func TestDeliveriesAreFilteredAndPaged(t *testing.T) {
	f := newFixture(t)
	b := f.signedIn()
	id := f.endpoint("https://example.ca/x", nil)
	f.mu.Lock()
	f.delivery(id, "asset.updated", "event", "ok")
	f.mu.Unlock()
	path := "/settings/webhooks/" + id + "/deliveries"
	b.get(path + "?state=failed&event_type=asset.updated&record=" + managerID + "&from=2026-11-20&to=2026-11-21&page=2")
	want := url.Values{"sort": {"-created_at"}, "page": {"2"}, "per_page": {"25"}, "state": {"failed"},
		"event_type": {"asset.updated"}, "record_id": {managerID},
		"created_from": {"2026-11-20T05:00:00Z"}, "created_to": {"2026-11-22T04:59:59.999999Z"}} // in the time zone of Toronto
	if f.deliveryQuery.Encode() != want.Encode() {
		t.Errorf("asked for\n%s, want\n%s", f.deliveryQuery.Encode(), want.Encode())
	}
	page := b.get(path + "?state=failed&page=2").body
	for _, link := range []string{path + "?state=failed\"", path + "?page=3&amp;state=failed\"", "asset.updated"} {
		if !strings.Contains(page, link) {
			t.Errorf("the page has no %s", link)
		}
	}
	for wrong, status := range map[string]int{"record=none": 400, "from=yesterday": 400, "from=2026-11-21&to=2026-11-01": 400,
		"state=odd&event_type=%00&page=-4": 200, "page=x": 200} {
		if resp := b.get(path + "?" + wrong); resp.status != status {
			t.Errorf("%s: %d, want %d", wrong, resp.status, status)
		}
	}
}
