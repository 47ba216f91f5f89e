package webhooks

import (
	"net/http"
	"testing"
	"time"
)

// What is done with an endpoint without changing it is in the audit trail: who, which endpoint, and which delivery or replay. The
// endpoint's history has changes only.
func TestWhatIsDoneWithAnEndpointIsInTheAuditTrail(t *testing.T) {
	f := newFixture(t)
	made := f.createEndpoint(t)
	path := pathOf(made)
	f.relayEvents(t, incomingEvent{Type: "asset.created"})

	tested := f.Must(t, http.StatusOK, "POST", path+"/test", nil).JSON["id"]
	deliveries, _ := f.List(t, path+"/deliveries?event_type=asset.created")
	if len(deliveries) != 1 {
		t.Fatalf("%d deliveries of the event", len(deliveries))
	}
	former := deliveries[0]["id"]
	again := f.Must(t, http.StatusCreated, "POST", "/v1/webhook-deliveries/"+former.(string)+"/redeliver", nil).JSON["id"]
	replay := f.Must(t, http.StatusCreated, "POST", path+"/replay",
		fields{"since": time.Now().Add(-time.Hour).UTC().Format(time.RFC3339), "event_types": []string{"asset.*"}}).JSON

	asGateway := *f.Client
	asGateway.Principal.Actor.Type = "service"
	trail := asGateway.Must(t, http.StatusOK, "POST", "/internal/changes", fields{"record_id": made["id"]}).JSON["data"].([]any)
	shown := map[any]map[string]any{}
	for _, each := range trail {
		entry := each.(map[string]any)
		if entry["actor"].(map[string]any)["id"] != f.Principal.Actor.ID || entry["subject"].(map[string]any)["id"] != made["id"] ||
			entry["subject"].(map[string]any)["type"] != "webhook_endpoint" {
			t.Errorf("the entry is not about who did it, or with what: %v", entry)
		}
		shown[entry["action"]] = entry["changes"].(map[string]any)
	}
	for action, want := range map[string]fields{
		"webhook_endpoint.tested":      {"delivery_id": tested},
		"webhook_endpoint.redelivered": {"delivery_id": again, "redelivery_of": former},
		"webhook_endpoint.replayed":    {"replay_id": replay["id"], "since": replay["since"]},
	} {
		for name, value := range want {
			if change, is := shown[action][name].(map[string]any); !is || value == nil || change["new"] != value {
				t.Errorf("%s: %s is shown as %v, it was %v", action, name, shown[action][name], value)
			}
		}
	}
	history, _ := f.List(t, path+"/history")
	for _, entry := range history {
		if action := entry["action"]; action != "created" && action != "updated" {
			t.Errorf("the endpoint's history says that it was %v", action)
		}
	}
}
