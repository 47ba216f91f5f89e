// Package document checks the OpenAPI document, in both of its views, by the rules of other people's linters: no errors
// and no warnings.
package document

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ams.internal/deploy/devstack"
	"ams.internal/deploy/devstack/testtools"
)

// tools are the linters, in the version of the lock file.
var tools = testtools.NodePackagesOf(".")

// views gives the files of both views: the committed one, and the full one, made from the services' golden documents.
func views(t *testing.T) map[string]string {
	t.Helper()
	root, err := devstack.Checkout()
	if err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), "go", "run", "./gateway/openapi/write", "-full")
	command.Dir = root
	full, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "full.json")
	if err := os.WriteFile(file, full, 0o600); err != nil {
		t.Fatal(err)
	}
	return map[string]string{"clients": filepath.Join(root, "deploy", "clients", "openapi.json"), "full": file}
}

// TestRedoclyFindsNothing: all rules of Redocly's recommended set but no-ambiguous-paths, which takes /v1/assets/by-external-id/history for
// two paths: no record has the id by-external-id, and of two that fit, OpenAPI has the one with the word there.
func TestRedoclyFindsNothing(t *testing.T) {
	redocly := tools(t)
	for view, file := range views(t) {
		command := redocly.Command(t, filepath.Join(redocly.Package("@redocly/cli"), "bin", "cli.js"), "lint", file, "--extends=recommended",
			"--skip-rule=no-ambiguous-paths", "--format=json")
		command.Env = append(command.Env, "REDOCLY_TELEMETRY=off", "REDOCLY_SUPPRESS_UPDATE_NOTICE=true")
		out, err := command.Output()
		var result struct {
			Totals struct{ Errors, Warnings, Ignored int } `json:"totals"`
		}
		if broken := json.Unmarshal(out, &result); err != nil || broken != nil ||
			result.Totals.Errors+result.Totals.Warnings+result.Totals.Ignored > 0 {
			t.Errorf("%s: %v %v %+v\n%.4000s", view, err, broken, result.Totals, out)
		}
	}
}

// TestSpectralFindsNothing: all rules of Spectral's set for OpenAPI.
func TestSpectralFindsNothing(t *testing.T) {
	spectral := tools(t)
	rules := filepath.Join(t.TempDir(), "rules.json")
	if err := os.WriteFile(rules, []byte(`{"extends": ["spectral:oas"]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for view, file := range views(t) {
		out, err := spectral.Command(t, filepath.Join(spectral.Package("@stoplight/spectral-cli"), "dist", "index.js"), "lint", file,
			"--ruleset="+rules, "--format=json", "--fail-severity=hint").Output()
		if err != nil || !strings.HasPrefix(string(out), "[]") {
			t.Errorf("%s: %v\n%.4000s", view, err, out)
		}
	}
}

// TestTheLintersSeeMistakes: an example of another type, and a component that nobody needs, are found.
func TestTheLintersSeeMistakes(t *testing.T) {
	file := filepath.Join(t.TempDir(), "wrong.json")
	if err := os.WriteFile(file, []byte(`{"openapi":"3.1.0","info":{"title":"Wrong","version":"1"},"paths":{},"servers":[{"url":"https://example.ca"}],
		"components":{"schemas":{"Unused":{"type":"object"}}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	found := tools(t)
	command := found.Command(t, filepath.Join(found.Package("@redocly/cli"), "bin", "cli.js"), "lint", file, "--extends=recommended",
		"--format=json")
	command.Env = append(command.Env, "REDOCLY_TELEMETRY=off", "REDOCLY_SUPPRESS_UPDATE_NOTICE=true")
	out, _ := command.Output()
	var result struct {
		Totals struct{ Errors, Warnings int } `json:"totals"`
	}
	if err := json.Unmarshal(out, &result); err != nil || result.Totals.Errors+result.Totals.Warnings == 0 {
		t.Errorf("%v %s", err, out)
	}
}

// TestMakersOfClientsMeetNoDefaults: some make a field required that has one, and send it with every patch.
func TestMakersOfClientsMeetNoDefaults(t *testing.T) {
	files := views(t)
	for view, want := range map[string]bool{"clients": false, "full": true} {
		content, err := os.ReadFile(files[view])
		if err != nil {
			t.Fatal(err)
		}
		var document struct {
			Components struct {
				Schemas map[string]struct {
					Properties map[string]map[string]any `json:"properties"`
				} `json:"schemas"`
			} `json:"components"`
		}
		if err := json.Unmarshal(content, &document); err != nil {
			t.Fatal(err)
		}
		status := document.Components.Schemas["AssetWrite"].Properties["status"]
		if _, has := status["default"]; has != want || status["anyOf"] == nil {
			t.Errorf("%s: the status of a new asset is %v", view, status)
		}
		for name, schema := range document.Components.Schemas {
			for field, property := range schema.Properties {
				if _, has := property["default"]; has && (view == "clients" || strings.HasSuffix(name, "Patch")) {
					t.Errorf("%s: %s.%s has a default", view, name, field)
				}
			}
		}
	}
}
