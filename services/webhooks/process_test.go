package webhooks

import (
	"os"
	"os/exec"
	"testing"

	"ams.internal/libs/service"
)

// TestMain makes the test binary the service too: started with AMS_TEST_PROGRAM it is a process that can be killed.
func TestMain(m *testing.M) {
	if os.Getenv("AMS_TEST_PROGRAM") != "" {
		service.Main(Program)
	}
	os.Exit(m.Run())
}

// process is the service as a process of its own.
type process struct {
	command *exec.Cmd
	ended   chan struct{}
}

// startProcess starts the service as a process on the fixture's database. It does not wait until the process serves.
func (f *fixture) startProcess(t testing.TB) *process {
	t.Helper()
	p := &process{exec.Command(os.Args[0], "serve", Program.Name), make(chan struct{})}
	p.command.Env = append(os.Environ(), "AMS_TEST_PROGRAM=1", "AMS_DATABASE_URL="+f.database.URL, "AMS_DISCOVERY=static",
		"AMS_PRINCIPAL_SECRETS=a secret for tests that is long enough", "AMS_STATIC_SERVICES=gateway-internal="+f.gateway.address,
		"AMS_WEBHOOK_SECRETS="+rootKey, "AMS_WEBHOOK_ALLOW_PREFIXES=127.0.0.0/8", "AMS_LOG_LEVEL=warn")
	p.command.Stderr, p.command.Stdout = testLog{t}, testLog{t}
	if err := p.command.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = p.command.Wait()
		close(p.ended)
	}()
	t.Cleanup(p.kill)
	return p
}

// kill sends SIGKILL and waits for the end of the process.
func (p *process) kill() {
	_ = p.command.Process.Kill()
	<-p.ended
}
