package webhooks

import (
	"context"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	v1 "go.opentelemetry.io/proto/otlp/trace/v1"

	"ams.internal/libs/external"
	"ams.internal/libs/telemetry"
	"ams.internal/libs/telemetry/telemetrytest"
)

func testSender(now func() time.Time) *sender {
	return newSender(external.New(external.Rules{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}), now)
}

func TestACallIsSignedWithEverySecretAndSaysWhatItIs(t *testing.T) {
	at := time.Now()
	r := newReceiver(t, func(_ call, w http.ResponseWriter, _ *http.Request) { w.Header().Set("X-Answer", "yes") })
	secrets := []string{newSecret(), newSecret()}
	m := exampleMessage(examplePayload)
	a := testSender(func() time.Time { return at }).send(t.Context(),
		target{url: r.URL, secrets: secrets, headers: map[string]string{"Authorization": "Bearer sesame"}}, "a-delivery", 3, m)
	if a.failure != "" || a.responseStatus != 200 || a.responseHeaders["X-Answer"] != "yes" || a.number != 3 || !a.at.Equal(at) {
		t.Errorf("%+v", a)
	}
	c := r.received()[0]
	for _, secret := range secrets {
		verifier, err := standardwebhooks.NewWebhook(secret)
		if err == nil {
			err = verifier.Verify(c.body, c.header)
		}
		if err != nil {
			t.Errorf("a secret does not verify the call: %v", err)
		}
	}
	for name, want := range map[string]string{
		"Webhook-Id": m.id, "Webhook-Event-Type": "asset.updated", "Webhook-Delivery-Id": "a-delivery", "Webhook-Attempt": "3",
		"Content-Type": "application/json", "Authorization": "Bearer sesame",
	} {
		if c.header.Get(name) != want {
			t.Errorf("%s: %q", name, c.header.Get(name))
		}
		if name != "Authorization" && a.requestHeaders[name] != want {
			t.Errorf("%s is stored as %q", name, a.requestHeaders[name])
		}
	}
	if a.requestHeaders["Authorization"] != masked {
		t.Errorf("an own header's value is stored: %q", a.requestHeaders["Authorization"])
	}
	testSender(func() time.Time { return at }).send(t.Context(),
		target{url: r.URL, secrets: secrets, shape: shape{toHTTPS, formatCloudEvents, "full"}}, "a-delivery", 3, m)
	c = r.received()[1]
	verifier, err := standardwebhooks.NewWebhook(secrets[1])
	if err == nil {
		err = verifier.Verify(c.body, c.header)
	}
	if err != nil || c.header.Get("Content-Type") != "application/cloudevents+json" || c.header.Get("Webhook-Id") != m.id {
		t.Errorf("a CloudEvent: %v, %v", err, c.header)
	}
	if len(strings.Fields(c.header.Get("Webhook-Signature"))) != 2 {
		t.Errorf("signatures: %s", c.header.Get("Webhook-Signature"))
	}
}

func TestNothingIsSentUnsigned(t *testing.T) {
	r := newReceiver(t, nil)
	for name, secrets := range map[string][]string{"no secret": nil, "an empty one": {""}, "an empty one with its prefix": {"whsec_"},
		"one that is none": {"whsec_%%"}, "an empty one beside a good one": {newSecret(), "whsec_"}} {
		if a := testSender(time.Now).send(t.Context(), target{url: r.URL, secrets: secrets}, "a", 1,
			exampleMessage(examplePayload)); a.failure == "" || a.responseStatus != 0 {
			t.Errorf("%s: %+v", name, a)
		}
	}
	if len(r.received()) != 0 {
		t.Error("something was sent")
	}
}

func TestTheFirst16KiBOfAResponseAreStored(t *testing.T) {
	r := newReceiver(t, func(_ call, w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Long", strings.Repeat("h", 2*maxStoredHeaderValue))
		w.WriteHeader(http.StatusTeapot)
		_, _ = w.Write([]byte("a\x00b\xff" + strings.Repeat("x", 1<<20)))
	})
	a := testSender(time.Now).send(t.Context(), target{url: r.URL, secrets: []string{newSecret()}}, "a", 1, exampleMessage(examplePayload))
	if !strings.HasPrefix(a.responseBody, "a\uFFFDb\uFFFDxxx") || strings.Count(a.responseBody,
		"x") != maxStoredBody-4 || a.responseStatus != http.StatusTeapot || len(a.responseHeaders["X-Long"]) != maxStoredHeaderValue {
		t.Errorf("%d bytes stored: %.20q", len(a.responseBody), a.responseBody)
	}
}

func TestAMissingResponseIsExplainedInASentence(t *testing.T) {
	closed := newReceiver(t, nil)
	closed.Close()
	breaking := newReceiver(t, func(call, http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	for url, want := range map[string]string{
		closed.URL: "The receiver refuses connections.", breaking.URL: "The receiver closed the connection without an answer.",
		"http://192.0.2.1/":       "The URL leads to 192.0.2.1 by plain http: use https.",
		"https://10.0.0.1/":       "The URL leads to 10.0.0.1, which is not an address of the public internet.",
		"https://nobody.invalid/": "The host nobody.invalid cannot be found.",
	} {
		if a := testSender(time.Now).send(t.Context(), target{url: url, secrets: []string{newSecret()}}, "a", 1,
			exampleMessage(examplePayload)); a.failure != want {
			t.Errorf("%s: %q", url, a.failure)
		}
	}
}

// The receiver gets the trace context of the request that made the change, sampled or not.
func TestTheTraceGoesOnToTheReceiver(t *testing.T) {
	for _, sampled := range []string{"00", "01"} {
		r := newReceiver(t, nil)
		m := exampleMessage(examplePayload)
		m.traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-" + sampled
		testSender(time.Now).send(context.Background(), target{url: r.URL, secrets: []string{newSecret()}}, "a", 1, m)
		if got := r.received()[0].header.Get("Traceparent"); !strings.HasPrefix(got,
			"00-4bf92f3577b34da6a3ce929d0e0e4736-") || !strings.HasSuffix(got, "-"+sampled) {
			t.Errorf("traceparent %s", got)
		}
	}
}

// A delivery is in the trace of the request that made the change, when that is sampled or the delivery fails.
func TestADeliveryIsInTheTraceOfTheChange(t *testing.T) {
	collector := telemetrytest.Start(t)
	shutdown, err := telemetry.Start(t.Context(), telemetry.Config{Service: "webhooks", Region: "ca-central-1", Endpoint: collector.URL,
		Ratio: 0})
	if err != nil {
		t.Fatal(err)
	}
	status := http.StatusNoContent
	r := newReceiver(t, func(_ call, w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) })
	secret := newSecret()
	to := target{url: r.URL + "/token-in-the-path", secrets: []string{secret}}
	m := exampleMessage(examplePayload)
	const change = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-"
	for number, each := range []struct {
		flags  string
		status int
	}{{"00", 204}, {"01", 204}, {"00", 500}, {"01", 500}} {
		m.traceparent, status = change+each.flags, each.status
		testSender(time.Now).send(t.Context(), to, "a", number, m)
	}
	given, cancel := context.WithCancel(t.Context()) // by us: it says nothing about the receiver
	cancel()
	testSender(time.Now).send(given, to, "a", 9, m)
	limited, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	_ = shutdown(limited) // it asks once more for the figures of services that other tests have ended

	failed := map[string]bool{}
	for _, span := range collector.Spans() {
		if telemetrytest.ID(span.GetTraceId()) != "4bf92f3577b34da6a3ce929d0e0e4736" ||
			telemetrytest.ID(span.GetParentSpanId()) != "00f067aa0ba902b7" || span.GetName() != "deliver" {
			t.Errorf("it is not below the change: %v", span)
		}
		failed[telemetrytest.Value(span.GetAttributes(), "ams.webhook.attempt")] = span.GetStatus().GetCode() == v1.Status_STATUS_CODE_ERROR
	}
	delete(failed, "9")
	if len(failed) != 3 || failed["1"] || !failed["2"] || !failed["3"] {
		t.Errorf("recorded: %v", failed)
	}
	for _, hidden := range []string{secret, strings.TrimPrefix(secret, "whsec_"), "token-in-the-path", r.URL} {
		if strings.Contains(collector.Raw(), hidden) {
			t.Errorf("%s is in a span", hidden)
		}
	}
}
