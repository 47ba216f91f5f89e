package mcp

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// conformance prepares a run of the protocol's own suite.
func conformance(t testing.TB, arguments ...string) *exec.Cmd {
	t.Helper()
	program := filepath.Join(nodePackages(t).Package("@modelcontextprotocol/conformance"), "dist", "index.js")
	return nodePackages(t).Command(t, append([]string{program}, append(arguments, "--output-dir", t.TempDir())...)...)
}

// timeout is how long a scenario may take, in milliseconds: this machine may be busy.
const timeout = "180000"

// passed is the suite's last word on a scenario that went well, with at least one check.
var passed = regexp.MustCompile(`(?m)^Passed: ([1-9]\d*)/([1-9]\d*), 0 failed, 0 warnings$`)

// scenarios are those that use nothing by name, so that they can be held against any server: and those of them that
// mean something to clients with the handshake.
var scenarios = map[string][]string{
	"2026-07-28": {
		"tools-list", "caching", "http-header-validation", "dns-rebinding-protection", "server-sse-multiple-streams", "resources-list",
		"prompts-list",
		"sep-2164-resource-not-found",
	},
	"2025-11-25": {"server-initialize", "ping", "tools-list", "resources-list", "prompts-list", "dns-rebinding-protection"},
}

func TestConformanceOfTheProduct(t *testing.T) {
	front := lend(t, base(t), newKey(t).value)
	for _, era := range eras {
		for _, scenario := range scenarios[era] {
			t.Run(era+"/"+scenario, func(t *testing.T) {
				output, code := run(t, conformance(t, "server", "--url", front+"/mcp", "--timeout", timeout, "--spec-version", era, "--scenario",
					scenario))
				if result := passed.FindString(output); code == 0 && result != "" {
					t.Log(result)
				} else {
					t.Errorf("exit code %d\n%s", code, output)
				}
			})
		}
	}
}

// undiagnosed are the checks of the scenario server-stateless for which the suite calls a tool of its own. The product has
// no such tool, and the suite says so as a failure; the fixture has them (TestConformanceOfTheProtocol).
var undiagnosed = []string{
	"sep-2575-server-rejects-undeclared-capability", "sep-2575-missing-capability-http-400",
	"sep-2575-http-server-no-independent-requests-on-stream",
	"sep-2575-server-no-log-without-loglevel",
}

var check = regexp.MustCompile(`(?m)^\S+ \[(\S+) *\] (SUCCESS|FAILURE|WARNING|SKIPPED|INFO)`)

func TestTheProductIsStateless(t *testing.T) {
	front := lend(t, base(t), newKey(t).value)
	output, _ := run(t, conformance(t, "server", "--url", front+"/mcp", "--timeout", timeout, "--spec-version", eras[0], "--scenario",
		"server-stateless"))
	failed, succeeded := map[string]bool{}, 0
	for _, found := range check.FindAllStringSubmatch(output, -1) {
		switch found[2] {
		case "SUCCESS":
			succeeded++
		case "FAILURE", "WARNING":
			failed[found[1]] = true
			if !slices.Contains(undiagnosed, found[1]) {
				t.Errorf("%s fails", found[1])
			}
		}
	}
	if succeeded < 20 || len(failed) != len(undiagnosed) || strings.Count(output,
		"Not testable: server does not list the diagnostic tool") != len(undiagnosed) {
		t.Errorf("%d checks succeed and %d fail\n%s", succeeded, len(failed), output)
	}
	t.Logf("%d checks succeed, %d need tools of the suite", succeeded, len(failed))
}
