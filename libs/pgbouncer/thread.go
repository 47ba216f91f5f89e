package pgbouncer

import (
	"os/exec"
	"runtime"
)

// startOnThread starts a command from a thread that lives as long as the command: the kernel ends a child with the thread that started
// it, and Go ends idle threads as it likes.
func startOnThread(command *exec.Cmd, ended chan<- struct{}) error {
	started := make(chan error)
	go func() {
		defer close(ended)
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := command.Start()
		started <- err
		if err == nil {
			_ = command.Wait() // it is killed in the end
		}
	}()
	return <-started
}
