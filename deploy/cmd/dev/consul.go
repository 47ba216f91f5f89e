package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"

	"ams.internal/deploy/devstack"
)

// provideConsul builds Consul, which takes minutes, where a stack is asked for that cannot do without and the machine has none.
func provideConsul(ctx context.Context, options devstack.Options) error {
	if options.Discovery != "consul" || options.ConsulAddr != "" || devstack.ConsulProgram() != "" {
		return nil
	}
	command := exec.CommandContext(ctx, "bash", filepath.Join(options.Binaries, "..", "deploy", "tools", "build.sh"), "consul")
	command.Stderr = os.Stderr
	command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := devstack.StartChild(command); err != nil {
		return err
	}
	return command.Wait()
}
