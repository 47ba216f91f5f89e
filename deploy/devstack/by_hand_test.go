//go:build night

package devstack

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"ams.internal/deploy/demo"
	"ams.internal/libs/testwait"
)

// A person starts the service that is left out by the line that the launcher shows, here with the program that is built already.
func TestAServiceThatIsLeftOutIsStartedByHand(t *testing.T) {
	binaries, err := BuildPrograms()
	if err != nil {
		t.Fatal(err)
	}
	folder, shown, started := runFolder(t), &screen{}, make(chan error, 1)
	var s *Stack
	go func() {
		var err error
		s, err = Start(t.Context(), Options{Folder: folder, Binaries: binaries, Discovery: "static", Without: "los", Prepared: true,
			Demo: demo.Organizations, Out: shown})
		started <- err
	}()
	file := filepath.Join(folder, "los.env")
	testwait.For(t, 2*time.Minute, "the environment is written", func() bool {
		return strings.Contains(shown.String(), "set -a; . "+file+"; go run ./deploy/cmd/ams serve los")
	})
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("it has secrets, and others can read it: %v %v", info, err)
	}
	testwait.For(t, time.Minute, "the other services are ready",
		func() bool { return strings.Contains(shown.String(), "workorders-1 is ready") })
	if strings.Contains(shown.String(), "gateway-1 is ready") {
		t.Error("the gateway did not wait for the service")
	}

	byHand := exec.Command("sh", "-c", "set -a; . "+file+"; exec "+filepath.Join(binaries, "ams")+" serve los")
	byHand.Env = []string{"PATH=" + os.Getenv("PATH")} // nothing that the launcher has
	byHand.Stdout, byHand.Stderr = shown, shown
	byHand.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := StartChild(byHand); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = byHand.Process.Kill(); _ = byHand.Wait() }()
	if err := <-started; err != nil {
		t.Fatalf("%v\n%s", err, shown)
	}
	t.Cleanup(s.Stop)
	d := s.Description()
	if _, known := d.PIDs["los-1"]; known || d.PIDs["workorders-1"] == 0 {
		t.Errorf("the launcher runs %v", d.PIDs)
	}
	if status := get(t, d.BaseURL+"/v1/los/measures", d.Organizations[0].Keys["full"], nil); status != http.StatusOK {
		t.Errorf("the service that was started by hand responds %d", status)
	}
}
