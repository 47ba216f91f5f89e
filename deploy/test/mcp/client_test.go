package mcp

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestTheTypeScriptClient is testdata/client.mjs, with the library of each era.
func TestTheTypeScriptClient(t *testing.T) {
	for _, era := range eras {
		t.Run(era, func(t *testing.T) {
			folder := t.TempDir()
			script, err := os.ReadFile(filepath.Join("testdata", "client.mjs"))
			if err != nil {
				t.Fatal(err)
			}
			// Node looks for packages next to the file that imports them.
			if err := os.WriteFile(filepath.Join(folder, "client.mjs"), script, 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(nodePackages(t).Package("."), filepath.Join(folder, "node_modules")); err != nil {
				t.Fatal(err)
			}
			seen := filepath.Join(folder, "secrets.json")
			program := nodePackages(t).Command(t, filepath.Join(folder, "client.mjs"))
			program.Env = append(program.Env, "BASE="+base(t), "KEY="+newKey(t).value, "ERA="+era, "VERSION="+version(t), "SECRETS="+seen)
			output, code := run(t, program)
			if code != 0 || !strings.Contains(output, "all steps passed") || strings.Count(output, "ok      ") < 14 {
				t.Errorf("exit code %d\n%s", code, output)
			}
			t.Logf("%d steps", strings.Count(output, "ok      "))
			keepSecret(readSecrets(t, seen)...)
		})
	}
}

// version is what the newest entry of the MCP server's changelog is for.
func version(t testing.TB) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(output(t, "", "go", "list", "-m", "-f", "{{.Dir}}", "ams.internal/services"), "mcp",
		"CHANGELOG.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, newest, _ := strings.Cut(string(content), "\n## [")
	newest, _, _ = strings.Cut(newest, "]")
	return newest
}

func readSecrets(t testing.TB, path string) []string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var values []string
	if err := json.Unmarshal(content, &values); err != nil || len(values) < 10 {
		t.Fatalf("%d keys, codes and tokens: %v", len(values), err)
	}
	return values
}
