package monitoring

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"ams.internal/deploy/devstack/testtools"
)

const root = "../../.."

// cases is what "promtool test rules" reads.
type cases struct {
	Tests []struct {
		Name           string
		AlertRuleTests []struct {
			AlertName string `yaml:"alertname"`
			Expected  []any  `yaml:"exp_alerts"`
		} `yaml:"alert_rule_test"`
	}
}

func rules(t *testing.T) []Rule {
	t.Helper()
	all, err := Rules()
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 20 {
		t.Fatalf("alerts.yaml has %d rules only", len(all))
	}
	return all
}

func read(t *testing.T, path string, into any) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(text, into); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

// promtool is Prometheus' own judge of rules, configurations and cases.
func promtool(t *testing.T, arguments ...string) {
	t.Helper()
	if out, err := exec.CommandContext(t.Context(), "promtool", arguments...).CombinedOutput(); err != nil {
		t.Errorf("promtool %s: %v\n%s", strings.Join(arguments, " "), err, out)
	}
}

func TestPrometheusAcceptsRulesAndConfigurations(t *testing.T) {
	promtool(t, "check", "rules", "alerts.yaml")
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	token := filepath.Join(t.TempDir(), "token") // in place of the one that they name
	if err := os.WriteFile(token, []byte("5b1f2a1e-6a2c-4c0e-9a57-0d3f4e7b1c2d"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, configuration := range []string{"../compose/prometheus.yaml", "scrape.yaml"} {
		text, err := os.ReadFile(configuration)
		if err != nil {
			t.Fatal(err)
		}
		text = regexp.MustCompile(`credentials_file: [^}]+`).ReplaceAll(text, []byte("credentials_file: "+token))
		text = bytes.ReplaceAll(text, []byte("../monitoring/"), []byte(here+"/"))
		copied := filepath.Join(t.TempDir(), filepath.Base(configuration))
		if err := os.WriteFile(copied, text, 0o600); err != nil {
			t.Fatal(err)
		}
		promtool(t, "check", "config", copied)
	}
}

// The collector itself says whether it would start with each of its configurations.
func TestTheCollectorAcceptsItsConfigurations(t *testing.T) {
	for _, path := range []string{"deploy/ops/compose/collector.yaml", "k8s/base/collector/collector.yaml"} {
		check := exec.CommandContext(t.Context(), testtools.Tool(t, "collector"), "validate", "--config="+filepath.Join(root, path))
		check.Env = append(os.Environ(), "TRACES_ENDPOINT=jaeger-collector.observability.svc:4317") // as the deployment gives it
		if out, err := check.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", path, err, out)
		}
	}
}

func TestEveryAlertFiresWhenItShouldAndOnlyThen(t *testing.T) {
	files, err := filepath.Glob("cases/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	promtool(t, append([]string{"test", "rules"}, files...)...)
	fires, rests := map[string]bool{}, map[string]bool{}
	for _, path := range files {
		var file cases
		read(t, path, &file)
		for _, test := range file.Tests {
			for _, each := range test.AlertRuleTests {
				if len(each.Expected) > 0 {
					fires[each.AlertName] = true
				} else {
					rests[each.AlertName] = true
				}
			}
		}
	}
	for _, alert := range alerts(t) {
		if !fires[alert.Alert] {
			t.Errorf("%s: cases/ has no case in which it fires", alert.Alert)
		}
		if !rests[alert.Alert] {
			t.Errorf("%s: cases/ has no case in which it does not fire", alert.Alert)
		}
	}
}

func alerts(t *testing.T) []Rule {
	t.Helper()
	return slices.DeleteFunc(rules(t), func(r Rule) bool { return r.Alert == "" })
}

// Somebody who is woken reads what it is, how much, and where to read on.
func TestEveryAlertSaysWhatItIsAndWhereToRead(t *testing.T) {
	for _, alert := range alerts(t) {
		if severity := alert.Labels["severity"]; severity != "critical" && severity != "warning" {
			t.Errorf("%s: severity %q", alert.Alert, severity)
		}
		for _, field := range []string{"summary", "description"} {
			if text := alert.Annotations[field]; !strings.HasSuffix(text, ".") || strings.Contains(text, "TODO") {
				t.Errorf("%s: its %s is not a sentence: %q", alert.Alert, field, text)
			}
		}
		if !strings.Contains(alert.Annotations["description"], "$value") {
			t.Errorf("%s: its description does not tell the figure", alert.Alert)
		}
		if want := "docs/operations/alerts.md#" + strings.ToLower(alert.Alert); alert.Annotations["runbook"] != want {
			t.Errorf("%s: its runbook is %q, not %q", alert.Alert, alert.Annotations["runbook"], want)
		}
	}
}

// The runbook has a section for each alert and none for another, each with the same four questions.
func TestEveryAlertHasItsSectionInTheRunbook(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "docs/operations/alerts.md"))
	if err != nil {
		t.Fatal(err)
	}
	sections := map[string]string{}
	for _, section := range regexp.MustCompile(`(?m)^### `).Split(string(text), -1)[1:] {
		title, body, _ := strings.Cut(section, "\n")
		sections[title], _, _ = strings.Cut(body, "\n## ")
	}
	for _, alert := range alerts(t) {
		body, found := sections[alert.Alert]
		if !found {
			t.Errorf("docs/operations/alerts.md has no section %s", alert.Alert)
		}
		for _, question := range []string{"**For callers:**", "**Look:**", "**Do:**", "**Over when:**"} {
			if found && !strings.Contains(body, question) {
				t.Errorf("docs/operations/alerts.md: %s does not say %s", alert.Alert, question)
			}
		}
		delete(sections, alert.Alert)
	}
	for title := range sections {
		t.Errorf("docs/operations/alerts.md has a section for %s, which is no alert", title)
	}
}
