package mcp

import (
	"os/exec"
	"regexp"
	"testing"

	"ams.internal/deploy/devstack/testtools"
)

// nodePackages are what other people's programs need: their packages, and the Node that they run on, each in the version of the lock file.
var nodePackages = testtools.NodePackagesOf(".")

var colours = regexp.MustCompile("\x1b\\[[0-9;]*m")

// run runs a program and gives all that it says, and its exit code.
func run(t testing.TB, command *exec.Cmd) (string, int) {
	t.Helper()
	out, err := command.CombinedOutput()
	if err != nil && command.ProcessState == nil {
		t.Fatal(err)
	}
	return colours.ReplaceAllString(string(out), ""), command.ProcessState.ExitCode()
}
