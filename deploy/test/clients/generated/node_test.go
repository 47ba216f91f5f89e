//go:build night

package generated

import (
	"os/exec"
	"testing"

	"ams.internal/deploy/devstack/testtools"
)

// nodePackages are the generators, what their clients import, and the Node that they run on, each in the version of the lock file.
var nodePackages = testtools.NodePackagesOf(".")

// node prepares the program of a package, to be run in a folder.
func node(t testing.TB, folder, program string, arguments ...string) *exec.Cmd {
	t.Helper()
	found := nodePackages(t)
	command := found.Command(t, append([]string{found.Package(program)}, arguments...)...)
	command.Dir = folder
	return command
}
