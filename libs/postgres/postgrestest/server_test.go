package postgrestest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestAServerWhoseProgramWasReplacedIsNoticed puts another program in the place of one that runs, as an upgrade does.
func TestAServerWhoseProgramWasReplacedIsNoticed(t *testing.T) {
	t.Parallel()
	sleep, err := exec.LookPath("sleep")
	if err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(sleep)
	if err != nil {
		t.Fatal(err)
	}
	data := t.TempDir()
	program, upgrade := filepath.Join(data, "postgres"), filepath.Join(data, "upgrade")
	for _, path := range []string{program, upgrade} {
		if err := os.WriteFile(path, content, 0o755); err != nil { //nolint:gosec // a program
			t.Fatal(err)
		}
	}
	if replaced(data, program) {
		t.Error("where nothing runs, something was replaced")
	}
	server := exec.Command(program, "600")
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = server.Process.Kill()
		_ = server.Wait()
	})
	if err := os.WriteFile(filepath.Join(data, "postmaster.pid"), fmt.Appendf(nil, "%d\n%s\n", server.Process.Pid, data), 0o600); err != nil {
		t.Fatal(err)
	}
	if replaced(data, program) {
		t.Error("the program that is there runs, and is taken for replaced")
	}
	if err := os.Rename(upgrade, program); err != nil {
		t.Fatal(err)
	}
	if !replaced(data, program) {
		t.Error("the server runs a program that is no longer there, and nobody noticed")
	}
	if replaced(data, filepath.Join(data, "initdb")) {
		t.Error("a process that is no server was taken for one")
	}
}
