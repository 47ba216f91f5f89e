package main

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

func TestActionsRefuse(t *testing.T) {
	f := serveFront(t)
	path := pathOf(f.endpoint(t))
	now := time.Now().UTC()
	at := func(ago time.Duration) string { return now.Add(-ago).Format(time.RFC3339) }
	for _, c := range []struct {
		name, path     string
		body           any
		field, message string
	}{
		{"an overlap below 0", "/secret/rotate", fields{"overlap_hours": -1}, "overlap_hours", "must be 0 or more"},
		{"an overlap of more than a week", "/secret/rotate", fields{"overlap_hours": 169}, "overlap_hours", "must be 168 or less"},
		{"half an hour of overlap", "/secret/rotate", fields{"overlap_hours": 0.5}, "overlap_hours", "must be a whole number"},
		{"an unknown field of a rotation", "/secret/rotate", fields{"secret": "whsec_mine"}, "secret", "is not a field"},
		{"a replay without a beginning", "/replay", fields{}, "since", "is required"},
		{"a replay of the future", "/replay", fields{"since": at(-time.Hour)}, "since", "is in the future"},
		{"a replay of what is not kept", "/replay", fields{"since": at(31 * 24 * time.Hour)}, "since", "more than 30 days ago"},
		{"a replay since no time", "/replay", fields{"since": "yesterday"}, "since", "must be a time"},
		{"a replay of an unknown type", "/replay", fields{"since": at(time.Hour), "event_types": []string{"asset.painted"}}, "event_types[0]", "is not an event type"},
		{"a replay of what the endpoint does not take", "/replay", fields{"since": at(time.Hour), "event_types": []string{"asset.*", "user.created"}}, "event_types[1]", "is nothing that this endpoint takes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			answer := f.Must(t, 400, "POST", path+c.path, c.body)
			if got := messageOf(answer, c.field); !strings.Contains(got, c.message) {
				t.Errorf("of %s it says %q, want %q: %s", c.field, got, c.message, answer.Body)
			}
		})
	}
	f.Must(t, 400, "POST", path+"/pause?force=true", nil)
	f.Must(t, 201, "POST", path+"/replay", fields{"since": at(time.Hour)})
	second := f.Must(t, 409, "POST", path+"/replay", fields{"since": at(time.Hour)})
	if second.JSON["code"] != "replay_running" || second.JSON["existing_id"] == nil {
		t.Errorf("a second replay: %s", second.Body)
	}
	f.inside(t, func(ctx context.Context, tx pgx.Tx) error {
		return disable(ctx, tx, f.service.dispatcher.registry, path[len(endpointsPath)+1:], "No delivery has succeeded for five days.", time.Now())
	})
	answer := f.Must(t, 409, "POST", path+"/pause", nil)
	if answer.JSON["field"] != "status" || answer.JSON["value"] != paused || answer.JSON["allowed"].([]any)[0] != active {
		t.Errorf("pausing what is disabled: %s", answer.Body)
	}
	reader := f.with("webhooks:read")
	for _, action := range []string{"/pause", "/resume", "/test", "/replay", "/secret/rotate"} {
		var body any
		if action == "/replay" || action == "/secret/rotate" {
			body = fields{}
		}
		if answer := reader.Must(t, 403, "POST", path+action, body); answer.JSON["required_scope"] != "webhooks:write" {
			t.Errorf("%s by a key that may only read: %s", action, answer.Body)
		}
	}
}

func TestAnotherOrganizationsEndpointsAndDeliveriesAreNotThere(t *testing.T) {
	f := serveFront(t)
	path := pathOf(f.endpoint(t))
	f.arrive(t, incomingEvent{Type: "asset.created"})
	replay := f.Must(t, 201, "POST", path+"/replay", fields{"since": time.Now().Add(-time.Hour).UTC().Format(time.RFC3339)}).JSON
	list, _ := f.List(t, path+"/deliveries")
	delivery := "/v1/webhook-deliveries/" + list[0]["id"].(string)
	other := f.apart()
	for _, request := range []struct {
		method, path string
		body         any
	}{
		{"GET", path, nil}, {"PATCH", path, fields{}}, {"DELETE", path, nil}, {"GET", path + "/deliveries", nil}, {"GET", path + "/replays", nil},
		{"GET", path + "/replays/" + replay["id"].(string), nil}, {"POST", path + "/pause", nil}, {"POST", path + "/resume", nil}, {"POST", path + "/test", nil},
		{"POST", path + "/replay", fields{"since": time.Now().UTC().Format(time.RFC3339)}}, {"POST", path + "/secret/rotate", fields{}},
		{"GET", delivery, nil}, {"POST", delivery + "/redeliver", nil},
	} {
		other.Must(t, http.StatusNotFound, request.method, request.path, request.body)
	}
	f.Must(t, http.StatusNotFound, "GET", path+"/replays/"+newID(), nil)
	f.Must(t, http.StatusBadRequest, "GET", "/v1/webhook-deliveries/nonsense", nil)
	f.Must(t, http.StatusBadRequest, "GET", path+"/deliveries?state=lost", nil)
	f.Must(t, http.StatusBadRequest, "GET", path+"/deliveries?event_type=asset.painted", nil)
}
