package devstack

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// process is one program that the stack keeps running: started, watched, started again when it dies, stopped.
type process struct {
	name        string
	program     string
	arguments   []string
	environment []string
	directory   string
	account     *syscall.Credential // nil: the launcher's own
	address     string              // what it listens on, checked to be its own
	ready       func(context.Context) error
	stopSignal  syscall.Signal // makes it finish and end
	deathSignal syscall.Signal // what the kernel sends it when the launcher is killed
	killed      func()         // besides it, when it is killed: what it has started and is no child of it; may be nil
	logPath     string

	mu       sync.Mutex
	child    *child
	held     *hold         // not nil: it is kept down, see Halt
	stopping chan struct{} // closed when it shall not run any more
	finished sync.Once
	stopped  chan struct{} // closed when nobody watches it any more
}

// child is one life of a process.
type child struct {
	command *exec.Cmd
	started time.Time
	exited  chan struct{}
	end     string // "exit status 1", "signal: killed"; readable after exited is closed
}

const (
	readyTimeout  = 3 * time.Minute
	readyInterval = 15 * time.Millisecond // between two looks at first; they become rarer, since a machine that is slow has other things to do
	readyPause    = 500 * time.Millisecond
	firstPause    = 250 * time.Millisecond // before a process that died is started again
	longestPause  = 5 * time.Second
	stable        = 5 * time.Second // a process that lived this long starts again without a longer pause
)

var (
	errStopping = errors.New("the stack is being stopped")
	errHeld     = errors.New("the process is kept down")
)

// start launches the process and waits until it can be used.
func (p *process) start(ctx context.Context) error {
	if err := p.launch(); err != nil {
		return err
	}
	return p.awaitReady(ctx)
}

func (p *process) launch() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.isStopping() {
		return errStopping
	}
	if p.held != nil {
		return errHeld
	}
	log, err := os.OpenFile(p.logPath, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	command := exec.Command(p.program, p.arguments...)
	command.Env, command.Dir, command.Stdout, command.Stderr = p.environment, p.directory, log, log
	command.SysProcAttr = &syscall.SysProcAttr{
		Setpgid:    true, // Ctrl-C reaches the launcher only, which stops everything in order
		Pdeathsig:  p.deathSignal,
		Credential: p.account,
	}
	if err := StartChild(command); err != nil {
		return fmt.Errorf("%s could not be started: %w", p.name, err)
	}
	c := &child{command: command, started: time.Now(), exited: make(chan struct{})}
	go func() {
		c.end = "exit status 0"
		if err := command.Wait(); err != nil {
			c.end = err.Error()
		}
		close(c.exited)
	}()
	p.child = c
	return nil
}

func (p *process) awaitReady(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	c := p.current()
	var last error
	for pause := readyInterval; ; pause = min(pause*5/4, readyPause) {
		attempt, cancelAttempt := context.WithTimeout(ctx, 2*time.Second)
		last = p.ready(attempt)
		cancelAttempt()
		if last == nil {
			if last = ownedBy(c.command.Process.Pid, p.address); last == nil {
				return nil
			}
			if errors.Is(last, errNotOurs) {
				return fmt.Errorf("%s: %w; stop that program, or start the stack again to choose other ports", p.name, last)
			}
		}
		select {
		case <-c.exited:
			return fmt.Errorf("%s ended at its start (%s). The end of %s:\n%s", p.name, c.end, p.logPath, logTail(p.logPath))
		case <-ctx.Done():
			if errors.Is(ctx.Err(), context.DeadlineExceeded) {
				return fmt.Errorf("%s is not ready after %s: %w. The end of %s:\n%s", p.name, readyTimeout, last, p.logPath, logTail(p.logPath))
			}
			return ctx.Err()
		case <-time.After(pause):
		}
	}
}

// supervise starts the process again whenever it dies or is let go on, until stop is called. changed is called with every
// new life.
func (p *process) supervise(logf func(string, ...any), changed func()) {
	defer close(p.stopped)
	pause := firstPause
	for {
		c := p.current()
		<-c.exited
		held := p.holding()
		switch {
		case p.isStopping():
			return
		case held != nil:
			logf("%s was halted (%s)", p.name, c.end)
			close(held.noticed)
			select {
			case <-p.stopping:
				return
			case <-held.released:
			}
		default:
			if time.Since(c.started) > stable {
				pause = firstPause
			}
			logf("%s died (%s); starting it again in %s. Its log: %s", p.name, c.end, pause, p.logPath)
			select {
			case <-p.stopping:
				return
			case <-time.After(pause):
			}
			pause = min(2*pause, longestPause)
		}
		began := time.Now()
		err := p.start(context.Background())
		if held != nil {
			err = p.insist(err)
			held.back <- err
		}
		switch {
		case errors.Is(err, errStopping) || p.isStopping():
			return
		case errors.Is(err, errHeld):
		case err != nil:
			logf("%v", err)
			p.kill() // one that runs but is never ready gets another life as well
		default:
			changed()
			logf("%s is back after %.1f s", p.name, time.Since(began).Seconds())
		}
	}
}

// insist starts a process again that was let go on and could not be started: what its former life left behind may need a moment
// to go, as PostgreSQL's shared memory does.
func (p *process) insist(err error) error {
	for range 10 {
		if err == nil || errors.Is(err, errHeld) || p.isStopping() {
			break
		}
		p.kill()
		time.Sleep(firstPause)
		err = p.start(context.Background())
	}
	return err
}

// stop signals the process to end, and makes it end when it has not within grace.
func (p *process) stop(grace time.Duration) {
	p.finish()
	p.end(p.stopSignal, grace)
}

// finish sees to it that the process is never started again.
func (p *process) finish() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.finished.Do(func() { close(p.stopping) })
}

func (p *process) kill() {
	if c := p.current(); c != nil {
		p.send(c, syscall.SIGKILL)
	}
}

// send sends a signal to the process; with SIGKILL, what it has started ends too.
func (p *process) send(c *child, signal syscall.Signal) {
	c.signal(signal)
	if signal == syscall.SIGKILL && p.killed != nil {
		p.killed()
	}
}

// signal reaches only the process itself: it passes on to its own children what they need to know.
func (c *child) signal(signal syscall.Signal) {
	select {
	case <-c.exited: // its number may belong to somebody else by now
	default:
		c.command.Process.Signal(signal)
	}
}

func (p *process) current() *child {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.child
}

func (p *process) isStopping() bool {
	select {
	case <-p.stopping:
		return true
	default:
		return false
	}
}

func (p *process) pid() int {
	if c := p.current(); c != nil {
		return c.command.Process.Pid
	}
	return 0
}

// StartChild starts every child from one OS thread that lives as long as the launcher: the kernel sends the
// parent-death signal when the thread that forked ends, and Go ends idle threads as it likes.
func StartChild(command *exec.Cmd) error {
	done := make(chan error)
	spawner() <- func() { done <- command.Start() }
	return <-done
}

var spawner = sync.OnceValue(func() chan<- func() {
	starts := make(chan func())
	go func() {
		runtime.LockOSThread()
		for start := range starts {
			start()
		}
	}()
	return starts
})

// runOnce runs a program to its end; what it wrote is in the error when it fails.
func runOnce(ctx context.Context, account *syscall.Credential, logPath string, environment []string, program string,
	arguments ...string) error {
	log, err := os.OpenFile(logPath, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	command := exec.CommandContext(ctx, program, arguments...)
	command.Env, command.Dir, command.Stdout, command.Stderr = environment, "/", log, log
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL, Credential: account}
	if err := StartChild(command); err != nil {
		return err
	}
	if err := command.Wait(); err != nil {
		return fmt.Errorf("%s %s: %w. The end of %s:\n%s", filepath.Base(program), strings.Join(arguments, " "), err, logPath, logTail(logPath))
	}
	return nil
}

// logTail gives the last lines of a log, indented.
func logTail(path string) string {
	content, err := os.ReadFile(path)
	if err != nil {
		return "    " + err.Error()
	}
	lines := strings.Split(strings.TrimRight(string(content), "\n"), "\n")
	return "    " + strings.Join(lines[max(0, len(lines)-8):], "\n    ")
}

// Family gives a process and its children, any of which may end meanwhile: PostgreSQL works in one for each connection.
func Family(pid int) []int {
	pids := []int{pid}
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid)) // of each thread, its own
	for _, list := range lists {
		children, _ := os.ReadFile(list) // gone, if it has just ended
		for _, each := range strings.Fields(string(children)) {
			if child, err := strconv.Atoi(each); err == nil {
				pids = append(pids, child)
			}
		}
	}
	return pids
}
