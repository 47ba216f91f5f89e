package main

import (
	"context"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"ams.internal/libs/external"
)

func testSender(now func() time.Time) *sender {
	return newSender(external.New(external.Rules{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}), now)
}

func TestACallIsSignedWithEverySecretAndSaysWhatItIs(t *testing.T) {
	at := time.Now()
	r := newSubscriber(t, func(_ call, w http.ResponseWriter, _ *http.Request) { w.Header().Set("X-Answer", "yes") })
	secrets := []string{newSecret(), newSecret()}
	m := exampleMessage(examplePayload)
	a := testSender(func() time.Time { return at }).send(t.Context(), target{url: r.URL, secrets: secrets, headers: map[string]string{"Authorization": "Bearer sesame"}}, "a-delivery", 3, m)
	if a.failure != "" || a.responseStatus != 200 || a.responseHeaders["X-Answer"] != "yes" || a.number != 3 || !a.at.Equal(at) {
		t.Errorf("%+v", a)
	}
	c := r.got()[0]
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
		"Webhook-Id": m.id, "Webhook-Event-Type": "asset.updated", "Webhook-Delivery-Id": "a-delivery", "Webhook-Attempt": "3", "Content-Type": "application/json", "Authorization": "Bearer sesame",
	} {
		if c.header.Get(name) != want {
			t.Errorf("%s: %q", name, c.header.Get(name))
		}
		if name != "Authorization" && a.requestHeaders[name] != want {
			t.Errorf("%s is kept as %q", name, a.requestHeaders[name])
		}
	}
	if a.requestHeaders["Authorization"] != masked {
		t.Errorf("an own header's value is kept: %q", a.requestHeaders["Authorization"])
	}
	if len(strings.Fields(c.header.Get("Webhook-Signature"))) != 2 {
		t.Errorf("signatures: %s", c.header.Get("Webhook-Signature"))
	}
}

func TestNothingIsSentUnsigned(t *testing.T) {
	r := newSubscriber(t, nil)
	for name, secrets := range map[string][]string{"no secret": nil, "an empty one": {""}, "an empty one with its prefix": {"whsec_"}, "one that is none": {"whsec_%%"}, "an empty one beside a good one": {newSecret(), "whsec_"}} {
		if a := testSender(time.Now).send(t.Context(), target{url: r.URL, secrets: secrets}, "a", 1, exampleMessage(examplePayload)); a.failure == "" || a.responseStatus != 0 {
			t.Errorf("%s: %+v", name, a)
		}
	}
	if len(r.got()) != 0 {
		t.Error("something was sent")
	}
}

func TestTheFirst16KiBOfAnAnswerAreKept(t *testing.T) {
	r := newSubscriber(t, func(_ call, w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Long", strings.Repeat("h", 2*maxStoredHeaderValue))
		w.WriteHeader(http.StatusTeapot)
		_, _ = w.Write([]byte("a\x00b\xff" + strings.Repeat("x", 1<<20)))
	})
	a := testSender(time.Now).send(t.Context(), target{url: r.URL, secrets: []string{newSecret()}}, "a", 1, exampleMessage(examplePayload))
	if !strings.HasPrefix(a.responseBody, "a\uFFFDb\uFFFDxxx") || strings.Count(a.responseBody, "x") != maxStoredBody-4 || a.responseStatus != http.StatusTeapot || len(a.responseHeaders["X-Long"]) != maxStoredHeaderValue {
		t.Errorf("%d bytes kept: %.20q", len(a.responseBody), a.responseBody)
	}
}

func TestWhyNoAnswerCameIsSaidInASentence(t *testing.T) {
	closed := newSubscriber(t, nil)
	closed.Close()
	breaking := newSubscriber(t, func(call, http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	for url, want := range map[string]string{
		closed.URL: "The receiver refuses connections.", breaking.URL: "The receiver closed the connection without an answer.",
		"http://192.0.2.1/": "The URL leads to 192.0.2.1 by plain http: use https.", "https://10.0.0.1/": "The URL leads to 10.0.0.1, which is not an address of the public internet.",
		"https://nobody.invalid/": "The host nobody.invalid cannot be found.",
	} {
		if a := testSender(time.Now).send(t.Context(), target{url: url, secrets: []string{newSecret()}}, "a", 1, exampleMessage(examplePayload)); a.failure != want {
			t.Errorf("%s: %q", url, a.failure)
		}
	}
}

// The receiver is told of the trace of the request that made the change, sampled or not.
func TestTheTraceGoesOnToTheReceiver(t *testing.T) {
	for _, sampled := range []string{"00", "01"} {
		r := newSubscriber(t, nil)
		m := exampleMessage(examplePayload)
		m.traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-" + sampled
		testSender(time.Now).send(context.Background(), target{url: r.URL, secrets: []string{newSecret()}}, "a", 1, m)
		if got := r.got()[0].header.Get("Traceparent"); !strings.HasPrefix(got, "00-4bf92f3577b34da6a3ce929d0e0e4736-") || !strings.HasSuffix(got, "-"+sampled) {
			t.Errorf("traceparent %s", got)
		}
	}
}
