//go:build night

package observability

import (
	"bytes"
	"fmt"
	"image"
	"image/jpeg"
	"maps"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"ams.internal/libs/telemetry/telemetrytest"
	"ams.internal/libs/testwait"
)

// metric is a row of the table in docs/observability.md.
type metric struct {
	kind, unit string
	attributes []string
}

var row = regexp.MustCompile("^\\| `([a-z_.]+)` \\| (counter|gauge|histogram) \\| ([^|]*) \\| ([^|]*) \\|")

// documented reads the table.
func documented(t *testing.T) map[string]metric {
	t.Helper()
	content, err := os.ReadFile("../../../docs/observability.md")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]metric{}
	for line := range strings.Lines(string(content)) {
		found := row.FindStringSubmatch(line)
		if found == nil {
			continue
		}
		f := metric{kind: found[2], unit: strings.Trim(found[3], "` ")}
		for _, name := range regexp.MustCompile("`([a-z_.]+)`").FindAllStringSubmatch(found[4], -1) {
			f.attributes = append(f.attributes, name[1])
		}
		all[found[1]] = f
	}
	if len(all) < 30 {
		t.Fatalf("only %d metrics were found in the table", len(all))
	}
	return all
}

// testMetrics makes the metrics move, and holds all that is reported against the documentation.
func (f *fixture) testMetrics(t *testing.T) {
	_, limited := f.key(t, 3)
	_, key := f.key(t, 1000)
	r := newReceiver(t)
	r.status.Store(http.StatusInternalServerError)
	f.subscribe(t, key, r, "site.created")
	for range 4 {
		f.call(t, limited, "GET", "/v1/assets", nil)
	}
	f.must(t, 401, "ams_live_unknown", "GET", "/v1/assets", nil)
	f.must(t, 201, key, "POST", "/v1/sites", map[string]any{"name": "Works yard"})
	f.must(t, 200, key, "GET", "/v1/sites?q=yard", nil)
	f.must(t, 200, key, "GET", "/v1/reports/state-of-assets", nil)
	boiler := f.must(t, 201, key, "POST", "/v1/assets", map[string]any{"name": "Boiler of the works yard"}).text("id")
	found := f.must(t, 201, key, "POST", "/v1/deficiencies", map[string]any{"title": "It leaks", "asset_id": boiler}).text("id")
	f.must(t, 201, key, "POST", "/v1/work-orders", map[string]any{"title": "Seal the boiler", "asset_id": boiler,
		"effects": []map[string]any{{"kind": "close_deficiency", "payload": map[string]any{"deficiency_id": found}}}})
	job := f.must(t, 201, key, "POST", "/v1/maintenance/job-plans", map[string]any{"name": "Inspection", "type": "inspection"}).text("id")
	f.must(t, 201, key, "POST", "/v1/maintenance/pm-plans", map[string]any{"name": "Boilers", "job_plan_id": job, "basis": "fixed",
		"status": "active", "starts_on": "2020-01-01", "trigger": map[string]any{"rrule": "FREQ=DAILY"},
		"targets": []map[string]any{{"target_type": "asset", "target_id": boiler}}})
	photo := f.must(t, 201, key, "POST", "/v1/documents",
		map[string]any{"title": "Boiler plate", "collection": "assets", "record_id": boiler}).text("id")
	var picture bytes.Buffer
	if err := jpeg.Encode(&picture, image.NewGray(image.Rect(0, 0, 300, 200)), nil); err != nil {
		t.Fatal(err)
	}
	f.must(t, 201, key, "POST", "/v1/documents/"+photo+"/revisions", picture.Bytes(), "Content-Type", "image/jpeg",
		"Content-Disposition", "attachment; filename=plate.jpg")
	var polls sync.WaitGroup
	for range 24 { // a key may have 20 requests in progress
		polls.Go(func() { f.call(t, key, "GET", "/v1/events?types=project.status_changed&wait=4", nil) })
	}
	polls.Wait()
	f.withoutRedis(t, func() { f.must(t, 200, key, "GET", "/v1/assets", nil) })

	wanted := map[string]func(telemetrytest.Point) bool{
		"the route of a service": is("http.server.request.duration", "assets", "http.route", "/v1/assets", "http.request.method", "GET",
			"http.response.status_code", "200"),
		"the route of the gateway": is("http.server.request.duration", "gateway", "http.route", "/v1/assets", "http.response.status_code",
			"429"),
		"a request within the limit": is("ams.gateway.limit.decisions", "gateway", "decision", "allowed", "identity", "key"),
		"a request over the limit":   is("ams.gateway.limit.decisions", "gateway", "decision", "over_limit", "identity", "key"),
		"too many at once":           is("ams.gateway.limit.decisions", "gateway", "decision", "in_flight", "identity", "key"),
		"a caller without a key":     is("ams.gateway.limit.decisions", "gateway", "decision", "allowed", "identity", "address"),
		"a count without Redis":      is("ams.gateway.limit.alone", "gateway"),
		"a look-up":                  is("ams.gateway.key.lookup.duration", "gateway", "outcome", "ok"),
		"its callers":                is("ams.gateway.key.lookup.callers", "gateway"),
		"an attempt": is("ams.gateway.forward.attempts", "gateway", "service", "assets", "region", "ca-central-1", "outcome",
			"answered"),
		"a report":                    is("ams.replica.reads", "assets", "outcome", "none"),
		"what a search found to fold": is("ams.index.pending", "assets", "collection", "sites"),
		"a plan that was due":         is("ams.planner.plans", "workorders", "outcome", "done"),
		"its work order":              is("ams.planner.work_orders", "workorders"),
		"an answer to an effect":      is("ams.effects.answered", "assets", "kind", "close_deficiency", "outcome", "applied"),
		"a scan":                      is("ams.documents.scans", "documents", "result", "clean"),
		"a picture":                   is("ams.documents.pictures", "documents", "result", "done"),
		"a failed delivery":           is("ams.webhook.deliveries", "webhooks", "outcome", "failed"),
		"a delivery":                  is("ams.webhook.deliveries", "webhooks", "outcome", "delivered"),
		"its lag":                     is("ams.webhook.delivery.lag", "webhooks"),
		"the registration":            is("ams.discovery.registered", "gateway", "service", "gateway-internal"),
		"the readiness":               is("ams.ready", "assets", "condition", "database"),
		"the pool":                    is("pgxpool.acquires", "assets"),
		"a statement":                 is("db.client.operation.duration", "assets", "db.operation.name", "query"),
		"the memory":                  is("go.memory.used", "gateway"),
		"the goroutines":              is("go.goroutine.count", "webhooks"),
		"what is known of a service":  is("ams.discovery.instances", "gateway", "service", "assets", "datacenter", "ca-central-1"),
		"nothing waits in the outbox": func(p telemetrytest.Point) bool {
			return p.Name == "ams.outbox.waiting" && p.Program == "assets" && p.Value == 0
		},
		"no delivery is due for long": func(p telemetrytest.Point) bool {
			return p.Name == "ams.webhook.delivery.oldest" && p.Value >= 0 && p.Value < 600
		},
	}
	documentation := documented(t)
	var all []telemetrytest.Point
	testwait.ForSuccess(t, timeout, "every metric is reported", func() error {
		all = f.metrics.Points()
		for what, fits := range wanted {
			if !slices.ContainsFunc(all, fits) {
				return fmt.Errorf("%s is missing", what)
			}
		}
		for name := range documentation {
			if !slices.ContainsFunc(all, func(p telemetrytest.Point) bool { return p.Name == name }) {
				return fmt.Errorf("%s is documented and not reported", name)
			}
		}
		return nil
	})
	f.checkMetrics(t, documentation, all)
	if point := all[slices.IndexFunc(all, wanted["a request over the limit"])]; point.Value != 1 {
		t.Errorf("%v requests were over the limit", point.Value)
	}
	if point := all[slices.IndexFunc(all, wanted["too many at once"])]; point.Value < 1 || point.Value > 4 {
		t.Errorf("%v requests were too many at once", point.Value)
	}
}

var uuid = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-`)

// checkMetrics holds what is reported against the table, and against growing with the number of organizations and keys.
func (f *fixture) checkMetrics(t *testing.T, documentation map[string]metric, all []telemetrytest.Point) {
	t.Helper()
	series, unknown := map[string]int{}, map[string]bool{}
	for _, point := range all {
		series[point.Program+" "+point.Name]++
		f, known := documentation[point.Name]
		if !known && !unknown[point.Name] {
			unknown[point.Name] = true
			t.Errorf("%s (%s, unit %q, %v) is reported and not documented", point.Name, point.Kind, point.Unit,
				slices.Sorted(maps.Keys(point.Attributes)))
		}
		if !known {
			continue
		}
		if f.kind != point.Kind || f.unit != point.Unit {
			t.Errorf("%s is a %s in %q, documented as a %s in %q", point.Name, point.Kind, point.Unit, f.kind, f.unit)
		}
		for name, value := range point.Attributes {
			if !slices.Contains(f.attributes, name) {
				t.Errorf("%s has the attribute %s, which is not documented", point.Name, name)
			}
			if uuid.MatchString(value) || value == city {
				t.Errorf("%s has %s = %s: there are as many of those as organizations, keys or records", point.Name, name, value)
			}
		}
	}
	for name, n := range series {
		if n > 100 {
			t.Errorf("%s has %d series", name, n)
		}
	}
}

// is says of a point that it is a metric of a program with attributes, name and value in turn, and that it has counted something.
func is(name, program string, attributes ...string) func(telemetrytest.Point) bool {
	return func(p telemetrytest.Point) bool {
		if p.Name != name || p.Program != program || p.Value == 0 && p.Count == 0 {
			return false
		}
		for i := 0; i+1 < len(attributes); i += 2 {
			if p.Attributes[attributes[i]] != attributes[i+1] {
				return false
			}
		}
		return true
	}
}

// withoutRedis holds Redis still while do is done.
func (f *fixture) withoutRedis(t *testing.T, do func()) {
	t.Helper()
	process := f.described.PIDs["redis"]
	if process == 0 {
		t.Fatalf("Redis is not among %v", f.described.PIDs)
	}
	if err := syscall.Kill(process, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := syscall.Kill(process, syscall.SIGCONT); err != nil {
			t.Error(err)
		}
	}()
	do()
}
