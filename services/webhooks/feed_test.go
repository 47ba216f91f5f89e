package webhooks

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// readFeed reads the feed and gives the types of its events, the next cursor, and whether it has more.
func (f *fixture) readFeed(t testing.TB, query string) (types []string, next string, more bool) {
	t.Helper()
	answer := f.Must(t, 200, "GET", "/v1/events"+query, nil).JSON
	for _, event := range answer["data"].([]any) {
		types = append(types, event.(fields)["type"].(string))
	}
	return types, answer["next"].(string), answer["has_more"].(bool)
}

func TestTheFeedGivesEveryEventOnceInOrder(t *testing.T) {
	f := newFixture(t)
	var want []string
	for i := range 7 {
		want = append(want, f.relayEvents(t, incomingEvent{Type: "asset.updated"},
			incomingEvent{Type: []string{"site.created", "work_order.completed"}[i%2], Collection: []string{"sites", "work_orders"}[i%2]})...)
	}
	f.otherOrganization().relayEvents(t, incomingEvent{Type: "asset.updated"}) // another organization's
	var got []string
	sequence, query := 0.0, "?limit=4"
	for calls := 1; ; calls++ {
		answer := f.Must(t, 200, "GET", "/v1/events"+query, nil).JSON
		for _, event := range answer["data"].([]any) {
			event := event.(fields)
			got = append(got, event["id"].(string))
			if sequence++; event["sequence"] != sequence || event["organization_id"] != f.Principal.OrganizationID ||
				event["data"].(fields)["object"] == nil {
				t.Errorf("event %v is %v", sequence, event)
			}
		}
		leads := map[string]string{"next": answer["next"].(string)}
		if answer["has_more"] == false {
			leads = nil
		}
		f.AssertLinks(t, "/v1/events"+query, "after", leads)
		query = "?limit=4&after=" + answer["next"].(string)
		if answer["has_more"] == false {
			if calls != 4 {
				t.Errorf("14 events by 4 take %d calls", calls)
			}
			break
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("the feed gives %d events, %d were made, or another order", len(got), len(want))
	}
	if types, next, more := f.readFeed(t, query); types != nil || more || "?limit=4&after="+next != query {
		t.Errorf("at the end: %v %s %v", types, next, more)
	}
	f.relayEvents(t, incomingEvent{Type: "asset.deleted"})
	if types, _, more := f.readFeed(t, query); !slices.Equal(types, []string{"asset.deleted"}) || more {
		t.Errorf("from the end on: %v", types)
	}
}

func TestTheFeedLeavesOutWhatTheKeyMayNotReadOrDoesNotWant(t *testing.T) {
	f := newFixture(t)
	report := payload(`{"import_id":"x"}`, "[]", "{}", `{"type":"api_key","id":"k","name":"import"}`, "import", "")
	f.relayEvents(t, incomingEvent{Type: "asset.created"}, incomingEvent{Type: "project.created", Collection: "projects"},
		incomingEvent{Type: "condition_assessment.created", Collection: "condition_assessments"},
		incomingEvent{Type: "import.completed", Collection: "assets", Payload: report},
		incomingEvent{Type: "import.completed", Collection: "projects", Payload: report},
		incomingEvent{Type: "import.completed", Collection: "users", Payload: report},
		incomingEvent{Type: "webhook_endpoint.failing", Collection: "webhook_endpoints"})
	poor := *f.Client
	poor.Principal.Features = []string{"api_access"}
	without := *f
	without.Client = &poor
	for _, c := range []struct {
		name  string
		key   *fixture
		query string
		want  []string
	}{
		{"everything", f, "", []string{"asset.created", "project.created", "condition_assessment.created", "import.completed", "import.completed",
			"import.completed", "webhook_endpoint.failing"}},
		{"assets only", f.withScopes("webhooks:read", "assets:read"), "",
			[]string{"asset.created", "condition_assessment.created", "import.completed", "webhook_endpoint.failing"}},
		{"nothing but its own", f.withScopes("webhooks:read"), "", []string{"webhook_endpoint.failing"}},
		{"writing is not reading", f.withScopes("webhooks:read", "assets:write"), "", []string{"webhook_endpoint.failing"}},
		{"a plan without projects", &without, "", []string{"asset.created", "condition_assessment.created", "import.completed",
			"import.completed", "webhook_endpoint.failing"}},
		{"by type", f, "?types=asset.created", []string{"asset.created"}},
		{"by patterns", f, "?types=asset.*,import.*", []string{"asset.created", "import.completed", "import.completed", "import.completed"}},
		{"by what happens", f, "?types=*.completed,*.failing",
			[]string{"import.completed", "import.completed", "import.completed", "webhook_endpoint.failing"}},
		{"by all", f, "?types=*&limit=2", []string{"asset.created", "project.created"}},
		{"wanting what it may not read", f.withScopes("webhooks:read", "users:read"), "?types=asset.*,import.completed",
			[]string{"import.completed"}},
	} {
		types, next, more := c.key.readFeed(t, c.query)
		if !slices.Equal(types, c.want) {
			t.Errorf("%s: %v, want %v", c.name, types, c.want)
		}
		if c.query == "" {
			if types, _, again := c.key.readFeed(t, "?after="+next); types != nil || more || again {
				t.Errorf("%s: the cursor does not move past what is left out: %v", c.name, types)
			}
		}
	}
}

func TestTheFeedStartsNowOrAtATime(t *testing.T) {
	f := newFixture(t)
	noon := f.now().Add(-48 * time.Hour).UTC().Truncate(time.Second)
	f.relayEvents(t, incomingEvent{Type: "asset.created", At: noon.Add(-time.Hour)}, incomingEvent{Type: "asset.updated", At: noon},
		incomingEvent{Type: "asset.condition_changed", At: noon.Add(-time.Minute)}, incomingEvent{Type: "asset.deleted", At: noon.Add(time.Hour)})
	for _, c := range []struct {
		name, after string
		want        []string
	}{
		{"now", "now", nil},
		{"a time, and what was committed behind it", noon.Format(time.RFC3339),
			[]string{"asset.updated", "asset.condition_changed", "asset.deleted"}},
		{"the same elsewhere", url.QueryEscape(noon.In(time.FixedZone("", 2*3600)).Format(time.RFC3339)),
			[]string{"asset.updated", "asset.condition_changed", "asset.deleted"}},
		{"a moment later", noon.Add(time.Microsecond).Format(time.RFC3339Nano), []string{"asset.deleted"}},
		{"a time since when nothing happened", noon.Add(2 * time.Hour).Format(time.RFC3339), nil},
		{"a time before everything", noon.Add(-20 * 24 * time.Hour).Format(time.RFC3339),
			[]string{"asset.created", "asset.updated", "asset.condition_changed", "asset.deleted"}},
	} {
		types, next, more := f.readFeed(t, "?after="+c.after)
		if !slices.Equal(types, c.want) || more {
			t.Errorf("%s: %v, want %v", c.name, types, c.want)
		}
		if types, again, _ := f.readFeed(t, "?after="+next); types != nil || again != next {
			t.Errorf("%s: its cursor leads to %v", c.name, types)
		}
	}
	_, next, _ := f.readFeed(t, "?after=now&wait=1")
	f.relayEvents(t, incomingEvent{Type: "asset.deleted"})
	if types, _, _ := f.readFeed(t, "?after="+next); !slices.Equal(types, []string{"asset.deleted"}) {
		t.Errorf("from now on: %v", types)
	}
	if types, _, _ := f.otherOrganization().readFeed(t, "?after=now"); types != nil {
		t.Errorf("an organization without events: %v", types)
	}
	lost := f.Do(t, "GET", "/v1/events?after="+f.now().Add(-retention-time.Minute).UTC().Format(time.RFC3339), nil)
	start, _ := lost.JSON["allowed"].([]any)
	if lost.Status != 400 || lost.JSON["code"] != "cursor_expired" || len(start) != 1 {
		t.Fatalf("a time before what is kept: %d %s", lost.Status, lost.Body)
	}
	if types, _, _ := f.readFeed(t, "?after="+start[0].(string)); len(types) != 5 {
		t.Errorf("from what it allows: %v", types)
	}
	future := f.Do(t, "GET", "/v1/events?after="+f.now().Add(time.Hour).UTC().Format(time.RFC3339), nil)
	if future.Status != 400 || !strings.Contains(messageOf(future, "after"), "give now") {
		t.Errorf("a time to come: %d %s", future.Status, future.Body)
	}
}

func TestTheFeedRefuses(t *testing.T) {
	f := newFixture(t)
	f.relayEvents(t, incomingEvent{Type: "asset.created"}, incomingEvent{Type: "asset.created"}, incomingEvent{Type: "asset.created"},
		incomingEvent{Type: "asset.created"})
	_, first, _ := f.readFeed(t, "?limit=1")
	_, third, _ := f.readFeed(t, "?limit=3")
	other := f.otherOrganization()
	_, others, _ := other.readFeed(t, "")
	for name, after := range map[string]string{
		"no cursor at all": "nonsense", "a day": "2026-05-11", "now with a capital": "Now",
		"a number": "3", "one that was cut": third[:len(third)-1], "one with something behind it": third + "A",
		"one of another organization": others, "one that was altered": strings.Replace(third, third[:4], "AAAB", 1),
		"one of the future": cursor(f.Principal.OrganizationID, 5), "one before the beginning": cursor(f.Principal.OrganizationID, -1),
	} {
		answer := f.Do(t, "GET", "/v1/events?after="+after, nil)
		if answer.Status != 400 || answer.JSON["code"] != "unknown_cursor" || messageOf(answer, "after") == "" {
			t.Errorf("%s: %d %s", name, answer.Status, answer.Body)
		}
	}
	for query, field := range map[string]string{
		"limit=0": "limit", "limit=1001": "limit", "wait=31": "wait", "wait=-1": "wait", "types=asset.painted": "types", "types=": "types",
		"page=1": "page", "after=" + third + "&after=" + third: "after",
	} {
		if answer := f.Must(t, 400, "GET", "/v1/events?"+query, nil); !slices.Contains(answer.Fields(), field) {
			t.Errorf("%s: %s", query, answer.Body)
		}
	}
	f.withScopes("assets:read").Must(t, 403, "GET", "/v1/events", nil)

	// Events that were purged.
	if _, err := f.ownerConn(t).Exec(t.Context(),
		`WITH gone AS (DELETE FROM event WHERE organization_id = $1 AND sequence <= 2)
			UPDATE feed SET purged_sequence = 2 WHERE organization_id = $1`, f.Principal.OrganizationID); err != nil {
		t.Fatal(err)
	}
	expired := f.Must(t, 400, "GET", "/v1/events?after="+first, nil)
	start, _ := expired.JSON["allowed"].([]any)
	if expired.JSON["code"] != "cursor_expired" || len(start) != 1 || !strings.Contains(messageOf(expired, "after"),
		"start again from after="+start[0].(string)) {
		t.Fatalf("an expired cursor: %s", expired.Body)
	}
	for _, query := range []string{"", "?after=" + start[0].(string)} {
		if answer := f.Must(t, 200, "GET", "/v1/events"+query, nil).JSON["data"].([]any); len(answer) != 2 ||
			answer[0].(fields)["sequence"] != 3.0 {
			t.Errorf("from the oldest event (%q): %v", query, answer)
		}
	}
	if types, _, _ := f.readFeed(t, "?after="+third); len(types) != 1 {
		t.Errorf("a cursor that is valid: %v", types)
	}
}

// One query scans a bounded part of the feed, however little of it the caller may read.
func TestTheFeedIsReadInBoundedParts(t *testing.T) {
	f := newFixture(t)
	conn := f.ownerConn(t)
	f.relayEvents(t, incomingEvent{Type: "asset.created"})
	if _, err := conn.Exec(t.Context(), `INSERT INTO event
			(organization_id, id, sequence, type, collection, record_id, version, payload, at, received_at)
		SELECT $1, gen_random_uuid(), s, 'user.updated', 'users', gen_random_uuid(), 1, '{"data":{}}', now(), now()
		FROM generate_series(2, $2::bigint) s`, f.Principal.OrganizationID, 2*scanWindow+500); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Exec(t.Context(), `UPDATE feed SET last_sequence = $2 WHERE organization_id = $1`, f.Principal.OrganizationID,
		2*scanWindow+500); err != nil {
		t.Fatal(err)
	}
	f.relayEvents(t, incomingEvent{Type: "asset.deleted"})
	key := f.withScopes("webhooks:read", "assets:read")
	var got []string
	query, calls := "?wait=30", 0
	for more := true; more; calls++ {
		var types []string
		var next string
		types, next, more = key.readFeed(t, query)
		got, query = append(got, types...), "?wait=0&after="+next
	}
	if !slices.Equal(got, []string{"asset.created", "asset.deleted"}) || calls != 3 {
		t.Errorf("%v in %d calls", got, calls)
	}
}

// Long responses end early and say that there is more.
func TestAnAnswerOfTheFeedIsNotLongerThanItMayBe(t *testing.T) {
	f := newFixture(t)
	long := payload(`{"notes":"`+strings.Repeat("x", 200_000)+`"}`, "[]", "{}", `{"type":"user","id":"u","name":"Anne"}`, "api", "")
	for range 5 {
		events := make([]incomingEvent, 10)
		for i := range events {
			events[i] = incomingEvent{Type: "asset.created", Payload: long}
		}
		f.relayEvents(t, events...)
	}
	answer := f.Must(t, 200, "GET", "/v1/events?limit=1000", nil)
	if n := len(answer.JSON["data"].([]any)); n >= 50 || n < 30 || answer.JSON["has_more"] != true ||
		len(answer.Body) > maxFeedBytes+maxBody+1024 {
		t.Errorf("%d events in %d bytes, has_more %v", n, len(answer.Body), answer.JSON["has_more"])
	}
	if types, _, more := f.readFeed(t,
		"?limit=1000&after="+answer.JSON["next"].(string)); len(types)+len(answer.JSON["data"].([]any)) != 50 || more {
		t.Errorf("then %d more", len(types))
	}
	tooLong := payload(`{"notes":"`+strings.Repeat("x", 300_000)+`"}`, "[]", "{}", `{"type":"user","id":"u","name":"Anne"}`, "api", "")
	_, end, _ := f.readFeed(t, "?after="+cursor(f.Principal.OrganizationID, 49))
	f.relayEvents(t, incomingEvent{Type: "asset.created", Payload: tooLong})
	event := f.Must(t, 200, "GET", "/v1/events?after="+end, nil).JSON["data"].([]any)[0].(fields)
	if event["truncated"] != true || event["data"].(fields)["object"] != nil || event["data"].(fields)["id"] == nil {
		t.Errorf("an event that is too long: %v", event)
	}
}

// While writers commit, whoever reads by cursor sees each event once, in the order of their numbers, without a gap.
func TestTheFeedHasNoGapWhileWritersRun(t *testing.T) {
	f := newFixture(t)
	elsewhere := f.anotherInstance(t)
	const writers, each = 4, 25
	var writing sync.WaitGroup
	var mu sync.Mutex
	made := map[string]bool{}
	for n := range writers {
		through := []*fixture{f, elsewhere}[n%2]
		writing.Go(func() {
			for range each {
				ids := through.relayEvents(t, incomingEvent{Type: "asset.updated"}, incomingEvent{Type: "site.updated", Collection: "sites"})
				mu.Lock()
				for _, id := range ids {
					made[id] = true
				}
				mu.Unlock()
			}
		})
	}
	seen, sequence, query := map[string]bool{}, 0.0, "?wait=5"
	for deadline := time.Now().Add(testTimeout); len(seen) < 2*writers*each && time.Now().Before(deadline); {
		answer := f.Must(t, http.StatusOK, "GET", "/v1/events"+query, nil).JSON
		for _, event := range answer["data"].([]any) {
			event := event.(fields)
			if sequence++; event["sequence"] != sequence || seen[event["id"].(string)] {
				t.Fatalf("after %v comes %v", sequence-1, event["sequence"])
			}
			seen[event["id"].(string)] = true
		}
		query = fmt.Sprintf("?wait=5&limit=%d&after=%s", 1+len(seen)%7, answer["next"])
	}
	writing.Wait()
	if len(seen) != len(made) {
		t.Errorf("%d events were stored, %d read", len(made), len(seen))
	}
	for id := range seen {
		if !made[id] {
			t.Errorf("%s was never stored", id)
		}
	}
}
