// Package monitoring defines the alerts for Prometheus and the dashboard for Grafana. Its tests check both by their own rules;
// deploy/test/observability/alerts tests them against the running product.
package monitoring

import (
	_ "embed"
	"encoding/json"
	"errors"
	"regexp"
	"strings"

	"github.com/goccy/go-yaml"
)

//go:embed alerts.yaml
var alertsFile []byte

//go:embed dashboard.json
var dashboardFile []byte

// Rule is one of alerts.yaml: an alert, or an expression that is recorded under a name.
type Rule struct {
	Record, Alert, Expr, For string
	Labels, Annotations      map[string]string
}

// Rules gives the rules of alerts.yaml, in its order.
func Rules() (all []Rule, err error) {
	var file struct {
		Groups []struct{ Rules []Rule }
	}
	if err := yaml.Unmarshal(alertsFile, &file); err != nil {
		return nil, err
	}
	for _, group := range file.Groups {
		all = append(all, group.Rules...)
	}
	return all, nil
}

// Panel is the part of a panel in Grafana's format that is checked.
type Panel struct {
	ID          int
	Type, Title string
	GridPos     struct{ X, Y, W, H int }
	Datasource  struct{ UID string }
	FieldConfig struct{ Defaults struct{ Unit string } }
	Targets     []Target
}

// Target is an expression that a panel shows.
type Target struct{ RefID, Expr, LegendFormat string }

// Query is the expression with Grafana's variables filled in.
func (t Target) Query() string {
	return strings.NewReplacer("$__rate_interval", "5m", "$service", ".*").Replace(t.Expr)
}

// Panels gives the panels of dashboard.json.
func Panels() ([]Panel, error) {
	var dashboard struct {
		UID    string
		Panels []Panel
	}
	if err := json.Unmarshal(dashboardFile, &dashboard); err != nil {
		return nil, err
	}
	if dashboard.UID == "" {
		return nil, errors.New("dashboard.json has no uid")
	}
	return dashboard.Panels, nil
}

var (
	quoted     = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)
	selector   = regexp.MustCompile(`\{[^}]*\}|\[[^\]]*\]`)
	grouping   = regexp.MustCompile(`\b(by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)`)
	identifier = regexp.MustCompile(`[a-zA-Z_:][a-zA-Z0-9_:]*\s*\(?`)
	keyword    = map[string]bool{"and": true, "or": true, "unless": true, "bool": true, "offset": true, "by": true, "without": true}
)

// Metrics are the names of the metrics in an expression of PromQL: the identifiers that are neither labels nor functions.
func Metrics(expression string) (names []string) {
	for _, ignored := range []*regexp.Regexp{quoted, selector, grouping} {
		expression = ignored.ReplaceAllString(expression, " ")
	}
	for _, found := range identifier.FindAllString(expression, -1) {
		if name := strings.TrimSpace(found); !strings.HasSuffix(name, "(") && !keyword[name] {
			names = append(names, name)
		}
	}
	return names
}
