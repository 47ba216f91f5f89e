//go:build night

package observability

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/testwait"
)

// Everything is sampled: what a person sees who debugs on this machine.
func TestEverythingOfARequestIsOneTrace(t *testing.T) {
	f := newFixture(t, "1")
	o := f.organization(t)
	id, key := f.key(t, 1000)
	r := newReceiver(t)
	f.subscribe(t, key, r, "asset.created")
	made := f.must(t, 201, key, "POST", "/v1/assets?forceFunctionRegion=ca-central-1", map[string]any{"name": "Somebody's private boiler"})

	var all trace
	testwait.ForSuccess(t, timeout, "the trace reaches from the gateway to the delivery", func() error {
		found, err := f.jaeger.of("gateway", made.request())
		if err != nil {
			return err
		}
		if len(found) != 1 {
			return fmt.Errorf("there are %d traces of the request", len(found))
		}
		all = found[0]
		if _, delivered := all.find("webhooks", "deliver"); !delivered {
			return fmt.Errorf("nothing was delivered: %s", all)
		}
		if orphan, exists := all.orphan(); exists { // each process sends its spans when it likes
			return fmt.Errorf("the span above %s is not there: %s", orphan, all)
		}
		return nil
	})

	edge, _ := all.find("gateway", "/v1/assets")
	for key, want := range map[string]string{
		"ams.served_region": "ca-central-1", "ams.pinned_region": "ca-central-1", "ams.organization_id": o.ID, "ams.key_id": id,
		"ams.request_id": made.request(), "http.route": "/v1/assets", "http.request.method": "POST", "http.response.status_code": "201",
		"span.kind": "server",
	} {
		if got := edge.tag(key); got != want {
			t.Errorf("the gateway's %s is %q, want %q", key, got, want)
		}
	}
	if edge.parent() != "" {
		t.Errorf("the gateway's span has a parent: %s", edge)
	}
	var forward spanOf
	for _, step := range []string{"look up key", "limit", "forward"} {
		span, found := all.find("gateway", step)
		if forward = span; !found || span.parent() != edge.SpanID {
			t.Errorf("%s is not a step of the gateway's: %s", step, span)
		}
	}
	if lookup, _ := all.find("gateway", "look up key"); !slices.ContainsFunc(all.below(lookup), func(s spanOf) bool {
		return strings.Contains(s.tag("db.query.text"), "find_keys($1)")
	}) {
		t.Error("the statement that looks the key up is not below its step")
	}
	if forward.tag("ams.service") != "assets" || forward.tag("ams.region") != "ca-central-1" ||
		!strings.HasPrefix(forward.tag("server.address"), "127.0.0.1:") {
		t.Errorf("forwarded: %s", forward)
	}
	server, found := all.find("assets", "/v1/assets")
	if !found || server.parent() != forward.SpanID {
		t.Fatalf("the service is not below the gateway: %s", all)
	}
	for key, want := range map[string]string{"ams.organization_id": o.ID, "ams.key_id": id, "ams.request_id": made.request(),
		"http.response.status_code": "201"} {
		if got := server.tag(key); got != want {
			t.Errorf("the service's %s is %q, want %q", key, got, want)
		}
	}
	var statements []string
	for _, span := range all.below(server) {
		statements = append(statements, span.tag("db.query.text"))
		for _, part := range all.below(span) {
			statements = append(statements, part.tag("db.query.text"))
		}
	}
	for _, want := range []string{"INSERT INTO asset", "INSERT INTO outbox", "commit"} {
		if !slices.ContainsFunc(statements, func(text string) bool { return strings.Contains(text, want) }) {
			t.Errorf("no %s below the service: %q", want, statements)
		}
	}
	delivered, _ := all.find("webhooks", "deliver")
	if delivered.parent() != server.SpanID || delivered.tag("ams.event.type") != "asset.created" ||
		delivered.tag("http.response.status_code") != "204" || delivered.failed() {
		t.Errorf("the delivery: %s", delivered)
	}
	if sent := r.trace.Load().(string); sent != "00-"+server.TraceID+"-"+delivered.SpanID+"-01" {
		t.Errorf("the receiver was told of %s", sent)
	}

	t.Run("metrics", func(t *testing.T) { f.testMetrics(t) })
	t.Run("log lines", func(t *testing.T) { f.testLogLines(t, id) })
	t.Run("secrets", func(t *testing.T) {
		spans, err := f.jaeger.everything()
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(spans, made.request()) {
			t.Fatal("not everything was looked at")
		}
		f.checkNoSecret(t, "a span", spans)
		f.checkNoSecret(t, "a metric", f.metrics.Raw())
		for _, personal := range []string{"private boiler", o.Administrator.Email} {
			if strings.Contains(spans, personal) {
				t.Errorf("%q is in a span", personal)
			}
		}
	})
}

// Nothing is sampled: what fails is recorded all the same, and nothing else.
func TestWhatFailsIsATraceThoughNothingIsSampled(t *testing.T) {
	f := newFixture(t, "0")
	_, key := f.key(t, 1000)
	r := newReceiver(t)
	r.status.Store(500)
	f.subscribe(t, key, r, "asset.created")
	good := f.must(t, 200, key, "GET", "/v1/assets", nil)
	made := f.must(t, 201, key, "POST", "/v1/assets", map[string]any{"name": "Boiler"}) // goes well itself; its delivery does not
	f.sql(t, "REVOKE SELECT ON assets.asset FROM ams_assets")
	bad := f.must(t, 500, key, "GET", "/v1/assets?name=private_words", nil, "X-Request-Id", "the-failed-request")
	f.sql(t, "GRANT SELECT ON assets.asset TO ams_assets")

	var all trace
	testwait.ForSuccess(t, timeout, "the failed request is one trace", func() error {
		found, err := f.jaeger.of("gateway", bad.request())
		if err != nil {
			return err
		}
		if len(found) != 1 {
			return fmt.Errorf("there are %d traces of the request", len(found))
		}
		all = found[0]
		_, inGateway := all.find("gateway", "/v1/assets")
		server, inService := all.find("assets", "/v1/assets")
		if !inGateway || !inService || len(all.below(server)) == 0 {
			return fmt.Errorf("a part is missing: %s", all)
		}
		return nil
	})
	edge, _ := all.find("gateway", "/v1/assets")
	server, _ := all.find("assets", "/v1/assets")
	statement := all.below(server)[0]
	if edge.parent() != "" || server.parent() != edge.SpanID || len(all) != 3 {
		t.Errorf("it is not gateway, service, statement: %s", all)
	}
	if statement.tag("db.response.status_code") != "42501" || !strings.Contains(statement.tag("db.query.text"), "asset") {
		t.Errorf("the statement: %s", statement)
	}
	for _, span := range all {
		if !span.failed() || span.tag("ams.failed_only") != "true" {
			t.Errorf("it is not marked as failed: %s", span)
		}
	}
	if edge.tag("ams.served_region") != "ca-central-1" || edge.tag("ams.request_id") != "the-failed-request" ||
		server.tag("ams.organization_id") != f.organization(t).ID {
		t.Errorf("it is not described: %s", all)
	}

	// The delivery failed, of a request that did not: it has the trace of that request, alone.
	testwait.ForSuccess(t, timeout, "the failed delivery is recorded", func() error {
		spans, err := f.jaeger.everything()
		if err == nil && !strings.Contains(spans, `"deliver"`) {
			err = errors.New("there is none")
		}
		return err
	})
	for _, request := range []response{good, made} {
		if found, err := f.jaeger.of("gateway", request.request()); err != nil || len(found) != 0 {
			t.Errorf("a request that went well left traces: %v, %v", found, err)
		}
	}
	spans, err := f.jaeger.everything()
	if err != nil {
		t.Fatal(err)
	}
	f.checkNoSecret(t, "a span", spans)
	if strings.Contains(spans, "private_words") {
		t.Error("a query is in a span")
	}
}

// sql does what only the administrating role may.
func (f *fixture) sql(t *testing.T, statement string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), f.described.PostgresURL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(t.Context()))
	if _, err := conn.Exec(t.Context(), statement); err != nil {
		t.Fatal(err)
	}
}
