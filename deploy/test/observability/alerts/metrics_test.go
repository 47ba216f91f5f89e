//go:build night

package alerts

import (
	"maps"
	"slices"
	"testing"

	"ams.internal/deploy/ops/monitoring"
)

// atNeed are metrics that exist only once something has happened that this test does not bring about.
var atNeed = map[string]string{
	"otelcol_exporter_enqueue_failed_spans_total": "the collector's queue to Jaeger was full once",
}

// compareMetrics compares the names that are used with all that Prometheus has.
func (f *fixture) compareMetrics(t *testing.T) {
	var names []string
	if err := f.get("/api/v1/label/__name__/values", nil, &names); err != nil {
		t.Fatal(err)
	}
	rules, err := monitoring.Rules()
	if err != nil {
		t.Fatal(err)
	}
	panels, err := monitoring.Panels()
	if err != nil {
		t.Fatal(err)
	}
	wanted := map[string]string{}
	for _, r := range rules {
		for _, name := range monitoring.Metrics(r.Expr) {
			wanted[name] = "alerts.yaml: " + r.Alert + r.Record
		}
	}
	for _, p := range panels {
		for _, each := range p.Targets {
			for _, name := range monitoring.Metrics(each.Expr) {
				wanted[name] = "dashboard.json: " + p.Title
			}
		}
	}
	if len(wanted) < 30 {
		t.Errorf("only %d metrics are asked for: %v", len(wanted), slices.Sorted(maps.Keys(wanted)))
	}
	for name, where := range wanted {
		reported := slices.Contains(names, name)
		_, rare := atNeed[name]
		if !reported && !rare {
			t.Errorf("nothing reports %s (%s)", name, where)
		}
		if reported && rare {
			t.Errorf("%s is reported: take it off the list of metrics that are not", name)
		}
	}
	for _, group := range f.ruleErrors(t) {
		t.Errorf("a rule cannot be evaluated: %s", group)
	}
}

func (f *fixture) ruleErrors(t *testing.T) (failed []string) {
	var state struct {
		Groups []struct {
			Rules []struct{ Name, LastError string }
		}
	}
	if err := f.get("/api/v1/rules", nil, &state); err != nil {
		t.Fatal(err)
	}
	rules, err := monitoring.Rules()
	if err != nil {
		t.Fatal(err)
	}
	evaluated := 0
	for _, group := range state.Groups {
		for _, r := range group.Rules {
			evaluated++
			if r.LastError != "" {
				failed = append(failed, r.Name+": "+r.LastError)
			}
		}
	}
	if evaluated != len(rules) {
		t.Errorf("Prometheus evaluates %d rules of %d", evaluated, len(rules))
	}
	return failed
}
