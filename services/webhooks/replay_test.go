package webhooks

import (
	"testing"
	"time"
)

func TestAReplayIsAJobThatCanBeLookedAt(t *testing.T) {
	f := newFixture(t)
	endpoint := f.createEndpoint(t, fields{"event_types": []string{"asset.*", "site.*"}})
	path := pathOf(endpoint)
	f.relayEvents(t, incomingEvent{Type: "asset.created"}, incomingEvent{Type: "site.created", Collection: "sites"},
		incomingEvent{Type: "asset.updated"})
	since := time.Now().Add(-time.Hour).UTC().Format(time.RFC3339)
	answer := f.Must(t, 201, "POST", path+"/replay", fields{"since": since, "event_types": []string{"asset.*"}})
	made := answer.JSON
	if made["state"] != "pending" || made["queued"] != 0.0 || made["endpoint_id"] != endpoint["id"] ||
		made["created_by"].(fields)["name"] != "conformance" ||
		answer.Header.Get("Location") != path+"/replays/"+made["id"].(string) {
		t.Errorf("%s", answer.Body)
	}
	if err := f.service.replayer.runAll(t.Context()); err != nil {
		t.Fatal(err)
	}
	done := f.Must(t, 200, "GET", path+"/replays/"+made["id"].(string), nil).JSON
	if done["state"] != "done" || done["queued"] != 2.0 || done["finished_at"] == nil {
		t.Errorf("%v", done)
	}
	if _, of := f.List(t, path+"/deliveries?event_type=asset.*"); of["total"] != 4.0 {
		t.Errorf("%v deliveries of assets", of["total"])
	}
	f.Must(t, 201, "POST", path+"/replay", fields{"since": since})
	if list, of := f.List(t, path+"/replays"); of["total"] != 2.0 || list[1]["id"] != made["id"] {
		t.Errorf("%v %v", list, of)
	}
	f.AssertLinks(t, path+"/replays?per_page=1", "page", map[string]string{"next": "2", "first": "1", "last": "2"})
	f.AssertLinks(t, path+"/replays?per_page=1&page=2", "page", map[string]string{"prev": "1", "first": "1", "last": "2"})
	// Of an organization in which nothing has happened yet.
	quiet := f.otherOrganization()
	empty := pathOf(quiet.createEndpoint(t))
	quiet.Must(t, 201, "POST", empty+"/replay", fields{"since": since})
	if err := f.service.replayer.runAll(t.Context()); err != nil {
		t.Fatal(err)
	}
	if list, _ := quiet.List(t, empty+"/replays"); list[0]["state"] != "done" || list[0]["queued"] != 0.0 {
		t.Errorf("%v", list)
	}
}

// A replay repeats what the endpoint subscribes to, and nothing else.
func TestAReplayDoesNotWiden(t *testing.T) {
	f := newFixture(t)
	path := pathOf(f.createEndpoint(t, fields{"event_types": []string{"asset.updated"}}))
	f.relayEvents(t, incomingEvent{Type: "asset.created"}, incomingEvent{Type: "asset.updated"})
	f.Must(t, 201, "POST", path+"/replay", fields{"since": time.Now().Add(-time.Hour).UTC().Format(time.RFC3339),
		"event_types": []string{"asset.*"}})
	if err := f.service.replayer.runAll(t.Context()); err != nil {
		t.Fatal(err)
	}
	list, _ := f.List(t, path+"/deliveries")
	for _, delivery := range list {
		if delivery["event_type"] != "asset.updated" {
			t.Errorf("a replay sends %v", delivery["event_type"])
		}
	}
	if len(list) != 2 {
		t.Errorf("%d deliveries", len(list))
	}
}
