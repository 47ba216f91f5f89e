package console

import (
	"encoding/json"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"testing"

	"ams.internal/libs/fault"
)

// filledForm is a complete form of a new endpoint.
func filledForm(more url.Values) url.Values {
	form := url.Values{"url": {"https://example.ca/hooks"}, "event_types": {"work_order.*"}, "payload": {"full"}, "destination": {"https"}, "format": {"ams"},
		"sent": {newFormID()}}
	for name, values := range more {
		form[name] = values
	}
	return form
}

func TestTheFormBecomesWhatTheServiceTakes(t *testing.T) {
	f := newFixture(t)
	b := f.signedIn()
	b.post("/settings/webhooks", filledForm(url.Values{
		"url": {" https://example.ca/hooks "}, "description": {"ERP"}, "event_types": {"asset.updated", "work_order.created",
			"work_order.*"}, "payload": {"thin"}, "destination": {"https"}, "format": {"cloudevents"},
		"site_ids": {adminID, managerID}, "changed_any": {"status, condition_rating\r\nname"},
		"filters":         {"priority: urgent\r\n priority:high\r\n\r\ncustom_fields.wing: A: B, C"},
		"exclude_origins": {"import"}, "rate_limit": {"20"},
		"headers": {"Authorization: Bearer a:b\r\n\r\nX-Tenant:7"},
	}))
	want := `{"ca_certificate":null,"changed_any":["status","condition_rating","name"],"description":"ERP",` +
		`"destination":"https","event_types":["asset.updated","work_order.*"],"exclude_origins":["import"],` +
		`"filters":{"custom_fields.wing":["A: B, C"],"priority":["urgent","high"]},"format":"cloudevents",` +
		`"headers":{"Authorization":"Bearer a:b","X-Tenant":"7"},"payload":"thin","rate_limit":20,"site_ids":["` + adminID + `","` + managerID +
		`"],"url":"https://example.ca/hooks"}`
	if got, _ := json.Marshal(f.bodies[0]); string(got) != want {
		t.Errorf("created with\n%s, want\n%s", got, want)
	}

	id := f.endpoint("https://example.ca/second", map[string]any{"headers": map[string]any{"Authorization": hiddenValue, "X-Old": hiddenValue,
		"X-Kept": hiddenValue}, "rate_limit": 5, "description": "x",
		"filters": map[string]any{"priority": []string{"urgent", "high"}, "status": []string{"open"}}})
	page := b.get("/settings/webhooks/" + id + "/edit").body
	for _, shown := range []string{"Authorization: " + hiddenValue, `value="5"`, "priority: urgent\npriority: high\nstatus: open", `value="https://example.ca/second"`,
		`value="work_order.*" checked`} {
		if !strings.Contains(page, shown) {
			t.Errorf("the form does not begin with %q", shown)
		}
	}
	resp := b.post("/settings/webhooks/"+id+"/edit", filledForm(url.Values{"headers": {"authorization: " + hiddenValue + "\nX-Kept: new"},
		"filters": {"priority: urgent"}}))
	if resp.header.Get("Location") != "/settings/webhooks/"+id+"?done=webhook_saved" {
		t.Fatalf("saving leads to %d %s", resp.status, resp.header.Get("Location"))
	}
	body := f.bodies[len(f.bodies)-1]
	if want := map[string]any{"X-Old": nil, "X-Kept": "new"}; !reflect.DeepEqual(body["headers"], want) {
		t.Errorf("the headers are patched by %v, want %v", body["headers"], want)
	}
	if want := map[string]any{"priority": []any{"urgent"}, "status": nil}; !reflect.DeepEqual(body["filters"], want) {
		t.Errorf("the filters are patched by %v, want %v", body["filters"], want)
	}
	if body["rate_limit"] != nil || body["description"] != nil {
		t.Errorf("what was emptied is %v, %v", body["rate_limit"], body["description"])
	}
}

func TestAnEndpointsFormComesBackWithAMessageBesideTheField(t *testing.T) {
	f := newFixture(t)
	b := f.signedIn()
	for name, test := range map[string]struct {
		field string
		typed url.Values
		want  string
	}{
		"no address":          {"url", url.Values{"url": {" "}}, "Enter the address that is to be called."},
		"no events":           {"event_types", url.Values{"event_types": nil}, "Choose at least one event."},
		"no payload":          {"payload", url.Values{"payload": {"all"}}, "Choose what a call says."},
		"no destination":      {"destination", url.Values{"destination": {"fax"}}, "Choose where events go."},
		"no format":           {"format", url.Values{"format": {"xml"}}, "Choose a format."},
		"no number":           {"rate_limit", url.Values{"rate_limit": {"many"}}, "Enter a whole number from 1 to 1000"},
		"too many calls":      {"rate_limit", url.Values{"rate_limit": {"1001"}}, "Enter a whole number from 1 to 1000"},
		"no header":           {"headers", url.Values{"headers": {"Authorization Bearer x"}}, "“Authorization Bearer x” is no header."},
		"a header's bad name": {"headers", url.Values{"headers": {"X Y: z"}}, "“X Y: z” is no header."},
		"a long header": {"headers", url.Values{"headers": {"X: " + strings.Repeat("v", 501)}},
			"Shorten the value of X to at most 500 characters."},
		"no filter":                {"filters", url.Values{"filters": {"priority=urgent"}}, "“priority=urgent” is no filter."},
		"a filter without a value": {"filters", url.Values{"filters": {"priority: "}}, "“priority:” is no filter."},
		"eleven headers":           {"headers", url.Values{"headers": {strings.Repeat("X: y\n", 11)}}, "Enter at most 10 headers."},
	} {
		test.typed.Set("description", "Kept as typed")
		resp := b.post("/settings/webhooks", filledForm(test.typed))
		if resp.status != http.StatusBadRequest || !strings.Contains(resp.body, test.want) ||
			!strings.Contains(resp.body, `id="`+test.field+`-problem"`) || !strings.Contains(resp.body, "Kept as typed") {
			t.Errorf("%s: %d, without %q beside %s", name, resp.status, test.want, test.field)
		}
	}
	if len(f.endpoints) > 0 || len(f.bodies) > 0 {
		t.Error("an endpoint was made all the same")
	}
}

func TestWhatTheWebhooksServiceObjectsToStandsBesideTheField(t *testing.T) {
	f := newFixture(t)
	b := f.signedIn()
	f.execute("UPDATE console.session SET language = 'fr'")
	for field, rule := range map[string]string{
		"url": "Entrez une adresse https publique", "event_types[0]": "Choisissez des événements dans la liste",
		"headers.Webhook-Id": "Entrez des en-têtes à vous",
		"site_ids[3]":        "Choisissez des sites", "changed_any[1]": "Entrez des noms de champs",
		"filters.priority[0]": "Entrez des champs et des valeurs",
		"exclude_origins":     "Choisissez dans la liste",
		"rate_limit":          "Entrez un nombre entier",
		"description":         "Raccourcissez la description", "payload": "Choisissez ce que dit un appel", "format": "Choisissez un format",
		"destination": "Choisissez où vont", "ca_certificate": "Entrez des certificats PEM",
		"something_else": "Entrez une adresse https publique",
	} {
		f.mu.Lock()
		f.nextRefusal = fault.InvalidFields(fault.Field{Field: field, Message: "must not be <this>"})
		f.mu.Unlock()
		resp := b.post("/settings/webhooks", filledForm(nil))
		if resp.status != http.StatusBadRequest || !strings.Contains(resp.body, rule) ||
			!strings.Contains(resp.body, `<q lang="en">must not be &lt;this&gt;</q>`) ||
			!strings.Contains(resp.body, `value="https://example.ca/hooks"`) {
			t.Errorf("%s: %d, without %q", field, resp.status, rule)
		}
	}
	for name, refusal := range map[string]*fault.Error{
		"the same twice": fault.Conflict("already_exists", "url", "x", "There already is one."), "the 21st": fault.Conflict("too_many_endpoints",
			"webhook_endpoints", 20, "There are 20."),
		"not in the plan": fault.Forbidden("feature_missing", "It is not in the plan."),
	} {
		f.mu.Lock()
		f.nextRefusal = refusal
		f.mu.Unlock()
		if resp := b.post("/settings/webhooks", filledForm(nil)); resp.status != http.StatusBadRequest ||
			!strings.Contains(resp.body, refusal.Message) {
			t.Errorf("%s: %d, without %q", name, resp.status, refusal.Message)
		}
	}
}

func TestWhatCallsAreKnownByIsShown(t *testing.T) {
	f := newFixture(t)
	b := f.signedIn()
	if page := b.get("/settings/webhooks").body; strings.Contains(page, "sender-title") {
		t.Error("an installation that promises nothing shows something")
	}
	certificate, sum, until := "-----BEGIN CERTIFICATE-----\nMIIB", "0a1b", "2027-11-20T15:04:05Z"
	f.sender = webhookSender{[]string{"203.0.113.7", "203.0.113.16/28"}, &certificate, &sum, &until}
	page := b.get("/settings/webhooks").body
	for _, want := range []string{"<code>203.0.113.7</code> <code>203.0.113.16/28</code>", certificate, "SHA-256 <code>0a1b</code>", until} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	id := f.endpoint("https://example.ca/second", map[string]any{"ca_certificate": certificate, "ca_certificate_expires_at": until})
	if page := b.get("/settings/webhooks/" + id).body; !strings.Contains(page, until) {
		t.Error("the end of the authority's certificate is not shown")
	}
	if page := b.get("/settings/webhooks/" + id + "/edit").body; !strings.Contains(page, certificate) {
		t.Error("the form does not begin with the authority's certificate")
	}
}
