package e2e

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cloudevents/sdk-go/v2/binding"
	cehttp "github.com/cloudevents/sdk-go/v2/protocol/http"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"ams.internal/libs/clamd"
	"ams.internal/libs/domain/catalogue"
)

var traceparent = regexp.MustCompile(`^00-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}$`)

func TestADeliveryContinuesTheTraceOfTheRequestThatMadeTheChange(t *testing.T) {
	c := fresh(t, city)
	h := newHook(t)
	endpoint, secret := subscribe(t, c, h.url, map[string]any{"headers": map[string]string{"X-Tenant": "riviere-claire"}}, "site.*")
	trace := make([]byte, 16)
	rand.Read(trace)
	for _, sampled := range []string{"01", "00"} {
		request, traceID := "webhook-trace-"+sampled, hex.EncodeToString(trace)
		site := c.must(t, 201, "POST", "/v1/sites", map[string]any{"name": "Traced " + sampled, "code": "TRACED-" + sampled},
			"Traceparent", "00-"+traceID+"-00f067aa0ba902b7-"+sampled, "X-Request-Id", request).object["id"].(string)
		call := h.await(t, "the create", of("site.created", site))
		found := traceparent.FindStringSubmatch(call.header.Get("Traceparent"))
		if found == nil || found[1] != traceID {
			t.Errorf("the delivery's traceparent is %q, of the request's trace %s", call.header.Get("Traceparent"), traceID)
		}
		if call.event["request_id"] != request || call.event["origin"] != "api" || call.event["organization_id"] != organization(t, city).ID {
			t.Errorf("%s", call.body)
		}
		for name, want := range map[string]string{"webhook-event-type": "site.created", "webhook-attempt": "1",
			"webhook-id": call.event["id"].(string), "X-Tenant": "riviere-claire", "Content-Type": "application/json"} {
			if got := call.header.Get(name); got != want {
				t.Errorf("%s is %q, want %q", name, got, want)
			}
		}
		if _, err := strconv.ParseInt(call.header.Get("webhook-timestamp"), 10, 64); err != nil {
			t.Error(err)
		}
		webhook, err := standardwebhooks.NewWebhook(secret)
		if err != nil {
			t.Fatal(err)
		}
		if err := webhook.Verify(call.body, call.header); err != nil {
			t.Error(err)
		}
	}
	var site string
	first, _ := h.find(of("site.created", ""))
	site = first.record()
	c.must(t, 200, "PATCH", "/v1/sites/"+site, map[string]any{"name": "Renamed"})
	changed := h.await(t, "the update", of("site.updated", site))
	data := changed.event["data"].(map[string]any)
	if fmt.Sprint(data["changed"]) != "[name]" || fmt.Sprint(data["previous"]) != "map[name:Traced 01]" ||
		changed.object()["name"] != "Renamed" {
		t.Errorf("%s", changed.body)
	}
	actor := changed.event["actor"].(map[string]any)
	if actor["type"] != "api_key" || actor["name"] != t.Name() {
		t.Errorf("the actor is %v", actor)
	}
	// The same delivery, as its author sees it.
	id := changed.header.Get("webhook-delivery-id")
	shown := delivery(t, c, id, "delivered")
	attempts, _ := shown.object["attempts"].([]any)
	if shown.object["endpoint_id"] != endpoint || shown.object["event_id"] != changed.event["id"] || len(attempts) != 1 ||
		attempts[0].(map[string]any)["request"].(map[string]any)["body"] != string(changed.body) {
		t.Errorf("%s", shown.body)
	}
	if strings.Contains(string(shown.body), "riviere-claire") {
		t.Errorf("the value of a header is shown: %s", shown.body)
	}
	again := c.must(t, 201, "POST", "/v1/webhook-deliveries/"+id+"/redeliver", map[string]any{})
	second := h.await(t, "the redelivery", func(d delivered) bool { return d.header.Get("webhook-delivery-id") == again.object["id"] })
	if second.header.Get("webhook-id") != changed.header.Get("webhook-id") || string(second.body) != string(changed.body) {
		t.Errorf("redelivered is %s", second.body)
	}
}

// delivery gives a delivery once it is in a state: what came of an attempt is written down after it.
func delivery(t *testing.T, c caller, id, state string) response {
	t.Helper()
	for deadline := time.Now().Add(timeout); ; time.Sleep(100 * time.Millisecond) {
		shown := c.must(t, 200, "GET", "/v1/webhook-deliveries/"+id, nil)
		if shown.object["state"] == state {
			return shown
		}
		if time.Now().After(deadline) {
			t.Fatalf("the delivery does not become %s: %s", state, shown.body)
		}
	}
}

func TestTheSecretsOfAnEndpointAreNowhereInLogsOrOnDisk(t *testing.T) {
	c := fresh(t, city)
	h := newHook(t)
	password := "Bearer " + rand.Text()
	body := map[string]any{"url": h.url, "event_types": []string{"site.*"}, "headers": map[string]string{"Authorization": password}}
	made := c.must(t, 201, "POST", "/v1/webhook-endpoints", body, "Idempotency-Key", t.Name())
	endpoint := "/v1/webhook-endpoints/" + made.object["id"].(string)
	t.Cleanup(func() { c.must(t, 204, "DELETE", endpoint, nil) })
	if again := c.must(t, 201, "POST", "/v1/webhook-endpoints", body, "Idempotency-Key",
		t.Name()); again.object["secret"] != made.object["secret"] {
		t.Errorf("asked once more, it is %s", again.body)
	}
	rotated := c.must(t, 200, "POST", endpoint+"/secret/rotate", map[string]any{"overlap_hours": 1})
	site := c.create(t, "/v1/sites", map[string]any{"name": "Secretive"})
	call := h.await(t, "the delivery", of("site.created", site))
	if call.header.Get("Authorization") != password {
		t.Errorf("the endpoint's own header is %q", call.header.Get("Authorization"))
	}
	shown := delivery(t, c, call.header.Get("webhook-delivery-id"), "delivered")
	history := c.must(t, 200, "GET", endpoint+"/history", nil)
	held := c.must(t, 200, "GET", endpoint, nil)
	var secrets []string
	for _, secret := range []string{made.object["secret"].(string), rotated.object["secret"].(string)} {
		text := strings.TrimPrefix(secret, "whsec_")
		raw, err := base64.StdEncoding.DecodeString(text)
		if err != nil || len(raw) < 24 {
			t.Fatalf("%q is not the secret of Standard Webhooks: %v", secret, err)
		}
		secrets = append(secrets, text, string(raw))
	}
	secrets = append(secrets, password)
	for _, each := range []response{shown, history, held} {
		for i, secret := range secrets {
			if strings.Contains(string(each.body), secret) {
				t.Errorf("secret %d is shown: %s", i+1, each.body)
			}
		}
	}
	nowhere(t, secrets...)
}

func TestAnEndpointReceivesNothingThatItsKeyMayNotRead(t *testing.T) {
	admin, path := administrator(t, city)
	made := admin.must(t, 201, "POST", path+"/keys", map[string]any{"name": "Narrow",
		"scopes": []string{"webhooks:read", "webhooks:write", "sites:read"}})
	narrow := caller{as(t, city, "full").base, made["value"].(string)}
	h := newHook(t)
	for _, pattern := range []string{"asset.*", "*", "work_order.created", "user.updated"} {
		refused := narrow.must(t, 403, "POST", "/v1/webhook-endpoints", map[string]any{"url": h.url, "event_types": []string{"site.*", pattern}})
		scope, _ := refused.object["required_scope"].(string)
		if !strings.HasSuffix(scope, ":read") || !strings.Contains(refused.object["error"].(string), scope) ||
			!strings.Contains(refused.object["error"].(string), ".") {
			t.Errorf("%s: %s", pattern, refused.body)
		}
	}
	id, _ := subscribe(t, narrow, h.url, nil, "site.*")
	narrow.must(t, 403, "PATCH", "/v1/webhook-endpoints/"+id, map[string]any{"event_types": []string{"asset.created"}})
	// Its feed leaves out what it may not read, and goes on behind it.
	full := fresh(t, city)
	after := end(t, narrow)
	full.create(t, "/v1/assets", map[string]any{"name": "Hidden"})
	site := full.create(t, "/v1/sites", map[string]any{"name": "Visible"})
	h.await(t, "the site", of("site.created", site))
	page := narrow.must(t, 200, "GET", "/v1/events?wait=20&after="+after, nil)
	for _, event := range page.object["data"].([]any) {
		if name := event.(map[string]any)["type"].(string); !strings.HasPrefix(name, "site.") && !strings.HasPrefix(name, "webhook") {
			t.Errorf("the feed shows %s", name)
		}
	}
	if !strings.Contains(string(page.body), site) || strings.Contains(string(page.body), "Hidden") {
		t.Errorf("%s", page.body)
	}
	for _, call := range h.all() {
		if !strings.HasPrefix(call.eventType(), "site.") {
			t.Errorf("%s was delivered", call.eventType())
		}
	}
}

func TestBadInputForWebhooksIsRefusedByField(t *testing.T) {
	c := fresh(t, board)
	h := newHook(t)
	good := map[string]any{"url": h.url, "event_types": []string{"site.*"}}
	for what, test := range map[string]struct {
		field string
		value any
	}{
		"no URL":                   {"url", nil},
		"plain http":               {"url", "http://example.com/hooks"},
		"credentials":              {"url", "https://user:secret@example.com/hooks"},
		"a port of another use":    {"url", "https://example.com:22/"},
		"a private address":        {"url", "https://10.1.2.3/hooks"},
		"the metadata service":     {"url", "https://169.254.169.254/latest"},
		"a private name":           {"url", "https://vault.internal/hooks"},
		"a fragment":               {"url", "https://example.com/#hooks"},
		"no types":                 {"event_types", []string{}},
		"an unknown type":          {"event_types[0]", []string{"site.painted"}},
		"a pattern of nothing":     {"event_types[0]", []string{"sit.*"}},
		"a reserved header":        {"headers", map[string]string{"webhook-id": "x"}},
		"a header of the protocol": {"headers", map[string]string{"Content-Length": "1"}},
		"a rate of nothing":        {"rate_limit", 0},
		"an unknown origin":        {"exclude_origins", []string{"carrier pigeon"}},
		"an unknown payload":       {"payload", "fat"},
	} {
		body := maps.Clone(good)
		name, _, _ := strings.Cut(test.field, "[")
		body[name] = test.value
		refused := c.must(t, 400, "POST", "/v1/webhook-endpoints", body)
		if !strings.Contains(string(refused.body), `"field":"`+name) {
			t.Errorf("%s: %s", what, refused.body)
		}
	}
	id, _ := subscribe(t, c, h.url, nil, "site.*", "asset.*")
	c.must(t, 409, "POST", "/v1/webhook-endpoints", map[string]any{"url": h.url, "event_types": []string{"asset.*", "site.*"}})
	for _, hours := range []any{-1, 169, 1.5, "x"} {
		c.must(t, 400, "POST", "/v1/webhook-endpoints/"+id+"/secret/rotate", map[string]any{"overlap_hours": hours})
	}
	c.must(t, 400, "GET", "/v1/events?after=nowhere", nil)
	c.must(t, 400, "GET", "/v1/events?wait=31", nil)
	c.must(t, 400, "GET", "/v1/events?limit=1001", nil)
	list := c.must(t, 200, "GET", "/v1/webhook-endpoints?per_page=1", nil)
	for held := int(list.object["pagination"].(map[string]any)["total"].(float64)); held < 20; held++ {
		subscribe(t, c, fmt.Sprintf("%s/%d", h.url, held), nil, "site.*")
	}
	refused := c.must(t, 409, "POST", "/v1/webhook-endpoints", map[string]any{"url": h.url + "/more", "event_types": []string{"site.*"}})
	if !strings.Contains(string(refused.body), "20") {
		t.Errorf("%s", refused.body)
	}
}

// unseen are event types that nothing can make, and why.
var unseen = map[string]string{
	"asset.renewal_due":         "a year must begin: services/assets TestARenewalIsDueOnceInItsYear",
	"asset.warranty_ending":     "a day must come: services/assets TestAWarrantyThatEndsIsAnnouncedOnceNinetyDaysBefore",
	"work_order.overdue":        "a day must come: services/workorders TestAWorkOrderIsAnnouncedAsOverdueOnce",
	"document.deleted":          "documents are erased after 30 days in the trash: services/documents TestAPurgedDocumentLeavesItsHistory",
	"storage.threshold_reached": "it takes 4 GiB of an organization's 5: services/documents TestThresholdsOfStorageAreTold",
}

// Every type of the catalogue is really sent: all records are made, changed and deleted, and what is told besides is provoked.
func TestEveryEventTypeIsDelivered(t *testing.T) {
	t.Parallel()
	c := fresh(t, city)
	h := newHook(t)
	endpoint, _ := subscribe(t, c, h.url, nil, "*")
	cloud := newHook(t)
	subscribe(t, c, cloud.url, map[string]any{"format": "cloudevents"}, "*")
	mine := newFixture(t, c, "Told")
	for _, k := range kinds {
		if k.name != "webhook_endpoint" && !k.appendOnly() { // an endpoint's is provoked below
			c.must(t, 200, "PATCH", mine.at(k.path)+"/"+mine[k.name], map[string]any{"external_id": "told-" + k.name})
		}
	}
	provoke(t, c, mine)
	t.Run("provoked", func(t *testing.T) { // they wait for intervals of different services
		for name, provoke := range map[string]func(t *testing.T){
			"maintenance": func(t *testing.T) { provokeMaintenance(t, c, mine, h) },
			"planning":    func(t *testing.T) { provokePlanning(t, c) },
			"accounting":  func(t *testing.T) { provokeAccounting(t, c) },
			"endpoints":   func(t *testing.T) { provokeTrouble(t, c, h) },
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				provoke(t)
			})
		}
	})
	c.must(t, 200, "POST", "/v1/webhook-endpoints/"+endpoint+"/test", map[string]any{})
	c.must(t, 200, "PATCH", "/v1/legal-holds/"+mine["legal_hold"], map[string]any{"status": "released"})
	c.must(t, 200, "PATCH", "/v1/documents/"+mine["document"], map[string]any{"retention_class_id": nil}) // it keeps that also in the trash
	for _, k := range slices.Backward(kinds) {
		if k.appendOnly() || slices.Contains(shared, k.name) {
			continue
		}
		c.must(t, 204, "DELETE", mine.at(k.path)+"/"+mine[k.name], nil)
	}
	for eventType := range catalogue.Product().EventTypes() {
		if why := unseen[eventType.Name]; why != "" {
			t.Logf("%s: %s", eventType.Name, why)
			continue
		}
		call := h.await(t, eventType.Name, of(eventType.Name, ""))
		if call.header.Get("webhook-event-type") != eventType.Name {
			t.Errorf("%s is called %s in its header", eventType.Name, call.header.Get("webhook-event-type"))
		}
		if eventType.Name != "webhook.test" { // which goes to the endpoint that is tested
			expectCloudEvent(t, cloud.await(t, eventType.Name+" as a CloudEvent", of(eventType.Name, "")))
		}
	}
	known := map[string]bool{}
	for eventType := range catalogue.Product().EventTypes() {
		known[eventType.Name] = true
	}
	for _, call := range h.all() {
		if !known[call.eventType()] || unseen[call.eventType()] != "" {
			t.Errorf("%s was sent", call.eventType())
		}
	}
	listed := c.must(t, 200, "GET", "/v1/event-types", nil)
	if got := len(listed.object["data"].([]any)); got != len(known) {
		t.Errorf("%d types are listed, %d are in the catalogue", got, len(known))
	}
}

// expectCloudEvent reads a call with the SDK of CloudEvents, which knows what a valid one is, and finds the event in it.
func expectCloudEvent(t *testing.T, call delivered) {
	t.Helper()
	event, err := binding.ToEvent(t.Context(), cehttp.NewMessage(call.header, io.NopCloser(bytes.NewReader(call.body))))
	if err == nil {
		err = event.Validate()
	}
	if err != nil {
		t.Errorf("the SDK refuses %s: %v: %.300s", call.eventType(), err, call.body)
		return
	}
	var held map[string]any
	if err := event.DataAs(&held); err != nil || held["id"] != event.ID() || held["type"] != event.Type() ||
		event.Source() != "urn:uuid:"+fmt.Sprint(held["organization_id"]) || event.ID() != call.header.Get("webhook-id") {
		t.Errorf("%v holds %.300s: %v", event, event.Data(), err)
	}
}

// provoke makes what is told besides a change of a record.
func provoke(t *testing.T, c caller, mine fixture) {
	t.Helper()
	c.must(t, 200, "PATCH", "/v1/work-orders/"+mine["work_order"], map[string]any{"assignee_id": nil})
	c.must(t, 200, "PATCH", "/v1/work-orders/"+mine["work_order"], map[string]any{"assignee_id": mine["user"]})
	completed := c.create(t, "/v1/work-orders", map[string]any{"title": "Told to be done"}) // it stays on record
	c.must(t, 200, "POST", "/v1/work-orders/"+completed+"/transition", map[string]any{"to": "completed"})
	c.must(t, 200, "PATCH", "/v1/assets/"+mine["asset"], map[string]any{"condition_rating": 5})
	c.must(t, 200, "PATCH", "/v1/projects/"+mine["project"], map[string]any{"status": "approved"})
	// The measure wants 70 in 2027; there is no year 2027 yet, so a target of last year is missed.
	measure := c.create(t, "/v1/los/measures", map[string]any{"name": "Told missed", "measure_type": "technical",
		"service_area_id": mine["service_area"]})
	target := c.create(t, "/v1/los/targets", map[string]any{"measure_id": measure, "year": 2025, "target_value": 70})
	missed := c.create(t, "/v1/los/measurements", map[string]any{"measure_id": measure, "period_start": "2025-01-01",
		"period_end": "2025-12-31", "value": 12})
	c.must(t, 204, "DELETE", "/v1/los/measurements/"+missed, nil)
	c.must(t, 204, "DELETE", "/v1/los/targets/"+target, nil)
	c.must(t, 204, "DELETE", "/v1/los/measures/"+measure, nil)
	photographed := c.create(t, "/v1/assets", map[string]any{"name": "Told of by documents"}) // it stays on record
	for name, content := range map[string][]byte{"plate.txt": []byte("bonjour"), "malware.txt": clamd.EICAR()} {
		document := c.create(t, "/v1/documents", map[string]any{"title": "Told to be scanned", "collection": "assets", "record_id": photographed})
		if sent := c.do(t, "POST", "/v1/documents/"+document+"/revisions", content, "Content-Type", "text/plain", "Content-Disposition",
			"attachment; filename="+name); sent.status != 201 {
			t.Fatalf("%s: %d %s", name, sent.status, sent.body)
		}
	}
	importID := "019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e77"
	c.do(t, "POST", "/v1/assets/imports", map[string]any{"import_id": importID, "file_name": "told.csv", "created": 1, "updated": 2,
		"unchanged": 3, "rejected": 4}, "Import-Id", importID)
}

// provokeTrouble lets endpoints fail, recover and be disabled.
func provokeTrouble(t *testing.T, c caller, admins *hook) {
	t.Helper()
	failing, closed := newHook(t), newHook(t)
	failing.answers(500)
	closed.answers(410)
	failingID, _ := subscribe(t, c, failing.url, nil, "site.*")
	closedID, _ := subscribe(t, c, closed.url, nil, "building.*")
	var made []string
	for i := range 8 {
		made = append(made, c.create(t, "/v1/sites", map[string]any{"name": fmt.Sprintf("Trouble %d", i)}))
	}
	building := c.create(t, "/v1/buildings", map[string]any{"name": "Trouble", "site_id": made[0]})
	admins.await(t, "webhook_endpoint.failing", of("webhook_endpoint.failing", failingID))
	admins.await(t, "webhook_endpoint.disabled", of("webhook_endpoint.disabled", closedID))
	failing.answers(204)
	admins.await(t, "webhook_endpoint.recovered", of("webhook_endpoint.recovered", failingID))
	disabled := c.must(t, 200, "GET", "/v1/webhook-endpoints/"+closedID, nil)
	if disabled.object["status"] != "disabled" || disabled.object["disabled_reason"] == nil || disabled.object["disabled_at"] == nil {
		t.Errorf("%s", disabled.body)
	}
	c.must(t, 204, "DELETE", "/v1/buildings/"+building, nil)
	for _, id := range made {
		c.must(t, 204, "DELETE", "/v1/sites/"+id, nil)
	}
}
