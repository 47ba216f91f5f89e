// Package testtools builds and runs programs of others that the tests need, as people run them: Jaeger, a collector, Prometheus.
package testtools

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ams.internal/deploy/devstack"
)

// Tool gives the path of a pinned tool, which deploy/tools/build.sh builds into the user's cache folder the first time.
func Tool(t testing.TB, name string) string {
	t.Helper()
	checkout, err := devstack.Checkout()
	if err != nil {
		t.Fatal(err)
	}
	build := exec.CommandContext(t.Context(), filepath.Join(checkout, "deploy/tools/build.sh"), name)
	build.Stderr = os.Stderr
	path, err := build.Output()
	if err != nil {
		t.Fatalf("building %s: %v", name, err)
	}
	return strings.TrimSpace(string(path))
}

// Run starts a program that ends with the test, or with the test's process. Its log is in the folder; where the test fails, the
// end of it is shown.
func Run(t testing.TB, folder, name, program string, arguments ...string) {
	t.Helper()
	log, err := os.Create(filepath.Join(folder, name+".log"))
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command(program, arguments...)
	command.Stdout, command.Stderr = log, log
	command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := devstack.StartChild(command); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	t.Cleanup(func() {
		_ = command.Process.Kill()
		_ = command.Wait()
		log.Close()
		if t.Failed() {
			text, _ := os.ReadFile(log.Name())
			t.Logf("%s wrote at last:\n%s", name, text[max(0, len(text)-2000):])
		}
	})
}
