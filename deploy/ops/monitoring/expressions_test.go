package monitoring

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

func panels(t *testing.T) []Panel {
	t.Helper()
	all, err := Panels()
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 20 {
		t.Fatalf("dashboard.json has %d panels only", len(all))
	}
	return all
}

// Every panel can be read: a title, a unit, a source that is provisioned, a place of its own.
func TestTheDashboardCanBeRead(t *testing.T) {
	var sources struct{ Datasources []struct{ UID string } }
	read(t, "../compose/grafana/datasources.yaml", &sources)
	known := map[string]bool{}
	for _, source := range sources.Datasources {
		known[source.UID] = true
	}
	ids, taken := map[int]bool{}, map[[2]int]string{}
	for _, p := range panels(t) {
		if ids[p.ID] || p.Title == "" {
			t.Errorf("panel %d %q has no title, or the number of another", p.ID, p.Title)
		}
		ids[p.ID] = true
		for x := p.GridPos.X; x < p.GridPos.X+p.GridPos.W; x++ {
			for y := p.GridPos.Y; y < p.GridPos.Y+p.GridPos.H; y++ {
				if other := taken[[2]int{x, y}]; other != "" || x >= 24 {
					t.Fatalf("%s lies over %s, or beyond the edge", p.Title, other)
				}
				taken[[2]int{x, y}] = p.Title
			}
		}
		if p.Type == "row" {
			continue
		}
		if len(p.Targets) == 0 || p.FieldConfig.Defaults.Unit == "" || !known[p.Datasource.UID] {
			t.Errorf("%s: %d expressions, unit %q, source %q", p.Title, len(p.Targets), p.FieldConfig.Defaults.Unit, p.Datasource.UID)
		}
	}
}

// promtool parses an expression as part of a rule: the dashboard's are made into rules for it.
func TestEveryExpressionOfTheDashboardParses(t *testing.T) {
	var made []map[string]string
	for _, p := range panels(t) {
		for _, each := range p.Targets {
			made = append(made, map[string]string{"record": fmt.Sprintf("panel:%d:%s", p.ID, each.RefID), "expr": each.Query()})
		}
	}
	text, err := yaml.Marshal(map[string]any{"groups": []any{map[string]any{"name": "dashboard", "rules": made}}})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "dashboard.yaml")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	promtool(t, "check", "rules", path)
}

func TestMetricsAreFoundInExpressions(t *testing.T) {
	for expression, want := range map[string]string{
		`up == 0`: "up",
		`sum by (le) (rate(a_bucket{b="c", d!~"|/e"}[5m])) > 0.25 and on (f) count(g:h == 1)`:                "a_bucket g:h",
		`max_over_time((max by (service) (i{j="k"}))[6h:1m]) unless group by (service) (l) or 0 * vector(1)`: "i l",
	} {
		if got := strings.Join(Metrics(expression), " "); got != want {
			t.Errorf("%s: %s, not %s", expression, got, want)
		}
	}
}
