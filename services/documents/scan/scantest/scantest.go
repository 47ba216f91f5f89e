// Package scantest starts a real clamd for a test, with the EICAR test file as its only signature.
package scantest

import (
	"bytes"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"ams.internal/libs/clamd"
	"ams.internal/libs/localport"
	"ams.internal/libs/testwait"
)

// Scanner is a clamd of one test.
type Scanner struct {
	URL string // for scan.New; the same over restarts

	t                               testing.TB
	address, program, configuration string
	output                          *bytes.Buffer
	command                         *exec.Cmd
}

// Start runs clamd until the test ends. It fails the test where clamd is not installed. Lines of more win over those of clamd.Configure.
func Start(t testing.TB, more ...string) *Scanner {
	t.Helper()
	program, err := clamd.Program()
	if err != nil {
		t.Fatal(err)
	}
	address := localport.ForTest(t)
	configuration, err := clamd.Configure(t.TempDir(), address, more...)
	if err != nil {
		t.Fatal(err)
	}
	s := &Scanner{URL: "tcp://" + address, t: t, address: address, program: program, configuration: configuration}
	t.Cleanup(s.Stop)
	s.Restart()
	return s
}

// Stop kills clamd, in the middle of what it does.
func (s *Scanner) Stop() {
	if s.command == nil {
		return
	}
	_ = s.command.Process.Kill() // fails only if it has ended
	_ = s.command.Wait()         // says that it was killed
	s.command = nil
	if s.t.Failed() {
		s.t.Logf("clamd wrote:\n%s", s.output)
	}
}

// Restart stops clamd if it runs, and starts it at the same address.
func (s *Scanner) Restart() {
	s.t.Helper()
	s.Stop()
	s.output = &bytes.Buffer{}
	s.command = exec.Command(s.program, "--config-file="+s.configuration)
	s.command.Stdout, s.command.Stderr = s.output, s.output
	s.command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} // no orphan when the test is killed
	if err := s.command.Start(); err != nil {
		s.t.Fatalf("clamd: %v", err)
	}
	testwait.ForSuccess(s.t, 30*time.Second, "clamd answers", func() error { return clamd.Responds(s.t.Context(), s.address) })
}
