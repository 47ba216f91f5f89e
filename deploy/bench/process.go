package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"ams.internal/deploy/devstack"
)

// ticks is the unit of the times in /proc/PID/stat: a hundredth of a second on every Linux that Go runs on.
const ticks = 10 * time.Millisecond

// cpuOf is the processor time that processes have used so far, with the children they have waited for.
func cpuOf(pids ...int) time.Duration {
	var sum time.Duration
	for _, pid := range pids {
		fields, err := stat(pid)
		if err != nil {
			continue // it has ended; its parent has its time now
		}
		for _, field := range fields[11:15] { // utime, stime, cutime, cstime
			n, _ := strconv.ParseInt(field, 10, 64)
			sum += time.Duration(n) * ticks
		}
	}
	return sum
}

// stat gives the fields of /proc/PID/stat after the name, which may itself have spaces: state first.
func stat(pid int) ([]string, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return nil, err
	}
	_, rest, _ := strings.Cut(string(text), ") ")
	fields := strings.Fields(rest)
	if len(fields) < 15 {
		return nil, fmt.Errorf("/proc/%d/stat has %d fields", pid, len(fields))
	}
	return fields, nil
}

// group is a process, with its children or alone. Children may come and go while their time is taken.
type group struct {
	pid      int
	children bool
}

func (g group) cpu() time.Duration {
	if g.children {
		return cpuOf(devstack.Family(g.pid)...)
	}
	return cpuOf(g.pid)
}

// memory gives a figure of /proc/PID/status in MB: VmRSS now, VmHWM at most since resetPeak.
func memory(pid int, name string) float64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, name+":"); ok {
			kilobytes, _ := strconv.ParseFloat(strings.Fields(rest)[0], 64)
			return kilobytes / 1024
		}
	}
	return 0
}

func resetPeak(pid int) error {
	return os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", pid), []byte("5"), 0o600)
}

// program is a process that the benchmark itself started.
type program struct {
	command *exec.Cmd
	exited  chan error
}

// launch starts a program whose log goes to a file, and waits until it responds at ready.
func launch(log string, environment []string, ready string, path string, arguments ...string) (*program, error) {
	out, err := os.Create(log)
	if err != nil {
		return nil, err
	}
	defer out.Close()
	p := &program{command: exec.Command(path, arguments...), exited: make(chan error, 1)}
	p.command.Env, p.command.Stdout, p.command.Stderr = append(os.Environ(), environment...), out, out
	p.command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if err := devstack.StartChild(p.command); err != nil {
		return nil, err
	}
	go func() { p.exited <- p.command.Wait() }()
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		if responds(ready) {
			return p, nil
		}
		select {
		case err := <-p.exited:
			return nil, fmt.Errorf("%s ended at its start: %w; see %s", filepath.Base(path), err, log)
		default:
		}
		if time.Now().After(deadline) {
			p.stop()
			return nil, errors.New(filepath.Base(path) + " was not ready after 20 s; see " + log)
		}
	}
}

func (p *program) pid() int { return p.command.Process.Pid }

func (p *program) stop() {
	_ = p.command.Process.Kill() // it may have ended by itself
}
