package main

import (
	"bytes"
	"fmt"
	"os/exec"
	"path/filepath"
	"syscall"

	"ams.internal/deploy/devstack"
)

// compileAmsctl compiles bin/amsctl once the product serves: nobody waits for it before.
func compileAmsctl(binaries string) {
	var out bytes.Buffer
	command := exec.Command("nice", "deploy/tools/compile.sh", "./deploy/cmd/amsctl")
	command.Dir = filepath.Dir(binaries)
	command.Stdout, command.Stderr = &out, &out
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
	err := devstack.StartChild(command)
	if err == nil {
		err = command.Wait()
	}
	if err != nil {
		fmt.Printf("  bin/amsctl could not be compiled (%v): make build shows why\n%s", err, out.String())
		return
	}
	fmt.Print("  bin/amsctl is compiled: bin/amsctl -h\n\n")
}
