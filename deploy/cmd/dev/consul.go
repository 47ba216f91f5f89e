package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"

	"ams.internal/deploy/devstack"
)

// consulBuild builds Consul while the stack already runs without it.
type consulBuild struct{ command *exec.Cmd }

// provideConsul sees to it that the stack has Consul, now or the next time: where neither PATH nor the cache folder has
// it, it is built once, which takes minutes. Whoever insists on Consul waits; the others start without.
func provideConsul(ctx context.Context, options *devstack.Options) (*consulBuild, error) {
	none := &consulBuild{}
	if options.ConsulAddr != "" || options.Discovery == "static" || devstack.ConsulProgram() != "" {
		return none, nil
	}
	script := filepath.Join(options.Binaries, "..", "deploy", "tools", "build.sh")
	if options.Discovery == "consul" {
		command := exec.CommandContext(ctx, "bash", script, "consul")
		command.Stderr = os.Stderr
		command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
		if err := devstack.StartChild(command); err != nil {
			return nil, err
		}
		return none, command.Wait()
	}
	fmt.Println("Consul is not on this machine. It is being built now, in the background, once; this start does without it and the next one uses it.")
	if err := os.MkdirAll(options.Folder, 0o711); err != nil {
		return nil, err
	}
	log, err := os.Create(filepath.Join(options.Folder, "consul-build.log"))
	if err != nil {
		return nil, err
	}
	defer log.Close()
	command := exec.Command("nice", "bash", script, "consul")
	command.Stdout, command.Stderr = log, log
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if err := devstack.StartChild(command); err != nil {
		return nil, err
	}
	go func() {
		if err := command.Wait(); err == nil {
			fmt.Println("Consul has been built; the next start uses it.")
			os.Remove(log.Name())
		}
	}()
	return &consulBuild{command: command}, nil
}

// stop ends a build that is not finished. Go keeps what it compiled, so the next one goes on from there.
func (b *consulBuild) stop() {
	if b.command != nil {
		_ = syscall.Kill(-b.command.Process.Pid, syscall.SIGTERM) // it may have ended by itself
	}
}
