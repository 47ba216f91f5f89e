package e2e

import (
	"fmt"
	"testing"
	"time"
)

// Without the feature in the plan nothing is delivered within a minute, while what happens is still recorded; with the plan
// everything comes, in its order. What changes meanwhile cannot come through the API: an Administrator invites people.
func TestDeliveriesStopWithThePlanAndComeBackWithIt(t *testing.T) {
	t.Parallel()
	c, organizationID := coop(t)
	admin, path := administrator(t, elmStreet)
	h := newHook(t)
	endpoint, _ := subscribe(t, c, h.url, nil, "user.*")
	invited := 0
	invite := func() string {
		t.Helper()
		invited++
		made := admin.must(t, 201, "POST", path+"/users/invite", map[string]any{"email": fmt.Sprintf("lapse-%d@example.ca", invited),
			"name": fmt.Sprintf("Lapse %d", invited)})
		return made["user_id"].(string)
	}
	h.await(t, "the first", of("user.created", invite()))

	setAddOns(t, organizationID)
	c.must(t, 403, "GET", "/v1/webhook-endpoints", nil)
	var held []string // the first that was not delivered within some seconds, and all after it
	lapsed := time.Now()
	for len(held) == 0 {
		id := invite()
		time.Sleep(4 * time.Second)
		if _, came := h.find(of("user.created", id)); !came {
			held = append(held, id)
		} else if time.Since(lapsed) > time.Minute {
			t.Fatal("a minute after the plan lapsed, changes are still delivered")
		}
	}
	t.Logf("nothing is delivered any more %s after the plan lapsed", time.Since(lapsed).Round(time.Second))
	for range 3 {
		held = append(held, invite())
	}
	time.Sleep(8 * time.Second)
	for _, id := range held {
		if _, came := h.find(of("user.created", id)); came {
			t.Errorf("delivered without the feature: %s", id)
		}
	}

	setAddOns(t, organizationID, "api_keys")
	returned := time.Now()
	// Recorded meanwhile:
	recorded := map[string]bool{}
	for _, event := range readFeed(t, c, "", closed()) {
		f, _ := factOf(event)
		recorded[f.record+" "+f.action] = true
	}
	for _, id := range held {
		if !recorded[id+" created"] {
			t.Errorf("not in the feed: %s", id)
		}
	}
	for _, id := range held {
		h.await(t, "what was held back", of("user.created", id))
	}
	t.Logf("what was held back is there %s after the plan came back", time.Since(returned).Round(time.Second))
	shown := c.must(t, 200, "GET", "/v1/webhook-endpoints/"+endpoint, nil)
	if shown.object["status"] != "active" || shown.object["consecutive_failures"] != 0.0 {
		t.Errorf("the lapse is held against the endpoint: %s", shown.body)
	}
	h.await(t, "what happens from now on", of("user.created", invite()))
}

func closed() <-chan struct{} {
	done := make(chan struct{})
	close(done)
	return done
}

// What belongs to another organization is not there, whichever way it is requested.
func TestWebhooksOfAnotherOrganizationAreNotThere(t *testing.T) {
	them, us := fresh(t, board), fresh(t, city)
	h := newHook(t)
	endpoint, _ := subscribe(t, them, h.url, nil, "site.*")
	site := them.create(t, "/v1/sites", map[string]any{"name": "Not yours"})
	delivery := h.await(t, "their delivery", of("site.created", site)).header.Get("webhook-delivery-id")
	replay := them.must(t, 201, "POST", "/v1/webhook-endpoints/"+endpoint+"/replay",
		map[string]any{"since": time.Now().Add(-time.Minute).UTC().Format(time.RFC3339)}).object["id"].(string)
	them.must(t, 200, "GET", "/v1/webhook-deliveries/"+delivery, nil)
	of := "/v1/webhook-endpoints/" + endpoint
	for _, path := range []string{of, of + "/deliveries", of + "/replays", of + "/replays/" + replay, of + "/history",
		"/v1/webhook-deliveries/" + delivery} {
		us.must(t, 404, "GET", path, nil)
	}
	for path, body := range map[string]map[string]any{
		"/test": {}, "/pause": {}, "/resume": {}, "/secret/rotate": {}, "/replay": {"since": time.Now().UTC().Format(time.RFC3339)},
	} {
		us.must(t, 404, "POST", of+path, body)
	}
	us.must(t, 404, "PATCH", of, map[string]any{"description": "stolen"})
	us.must(t, 404, "DELETE", of, nil)
	us.must(t, 404, "POST", "/v1/webhook-deliveries/"+delivery+"/redeliver", map[string]any{})
	own, _ := subscribe(t, us, h.url, nil, "site.*")
	us.must(t, 404, "GET", "/v1/webhook-endpoints/"+own+"/replays/"+replay, nil)
	for _, event := range readFeed(t, us, "", closed()) {
		if event["organization_id"] != organization(t, city).ID {
			t.Fatalf("the feed shows another organization's event: %v", event)
		}
	}
	theirs := them.must(t, 200, "GET", of, nil)
	if theirs.object["status"] != "active" || theirs.object["version"] != 1.0 {
		t.Errorf("the endpoint was changed: %s", theirs.body)
	}
}
