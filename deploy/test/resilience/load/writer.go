package load

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"

	"ams.internal/deploy/devstack"
	"ams.internal/deploy/test/resilience/consistency"
)

// Writer is a load on an organization by a process of its own, which can be killed in the middle of what it does. It is this program
// once more: main begins with RunWriter.
type Writer struct {
	organization *Organization
	instructions instructions

	mu      sync.Mutex
	command *exec.Cmd
	ended   chan struct{} // closed when it has ended and all of its output is read
}

// instructions are what the process is told by its environment.
type instructions struct {
	Gateway string // base URL
	Key     string
	Bulk    bool // writes many records at once
}

const writerVariable = "AMS_LOAD_WRITER="

// The rates of a writer. Its key may be used a thousand times a minute, which is 16 a second. Two cores keep up with three
// organizations of two writers while processes start again; more would measure how a backlog grows.
const (
	changesPerSecond = 14
	bulksPerSecond   = 1.3
)

// NewWriter gives one that calls a gateway with a key of the organization. Start it.
func NewWriter(o *Organization, gateway, key string, bulk bool) *Writer {
	return &Writer{organization: o, instructions: instructions{gateway, key, bulk}}
}

// Start starts the process unless it runs.
func (w *Writer) Start() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ended != nil {
		select {
		case <-w.ended:
		default:
			return nil
		}
	}
	encoded, err := json.Marshal(w.instructions)
	if err != nil {
		return err
	}
	program, err := os.Executable()
	if err != nil {
		return err
	}
	w.command = exec.Command(program) // #nosec G204 -- this program
	w.command.Env = append(os.Environ(), writerVariable+string(encoded))
	w.command.Stderr = os.Stderr
	w.command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	output, err := w.command.StdoutPipe()
	if err != nil {
		return err
	}
	if err := devstack.StartChild(w.command); err != nil {
		return err
	}
	w.ended = make(chan struct{})
	go w.read(w.command, output, w.ended)
	return nil
}

// read takes what was acknowledged to the process; the last line of one that was killed may be cut off.
func (w *Writer) read(command *exec.Cmd, output io.Reader, ended chan struct{}) {
	for lines := bufio.NewScanner(output); lines.Scan(); {
		var c consistency.Change
		if json.Unmarshal(lines.Bytes(), &c) == nil && c.Action != "" {
			w.organization.addAcknowledged(c)
		}
	}
	command.Wait() //nolint:errcheck // it was killed
	close(ended)
}

// Kill ends the process, and says whether it ran.
func (w *Writer) Kill() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.command != nil && w.command.Process.Kill() == nil
}

// Finish lets the process finish what it does.
func (w *Writer) Finish() error {
	w.command.Process.Signal(syscall.SIGTERM)
	select {
	case <-w.ended:
		return nil
	case <-time.After(time.Minute):
		return errors.New("a writer does not end")
	}
}

// RunWriter runs the writer that the environment describes, and says whether there is one.
func RunWriter() bool {
	encoded, found := "", false
	for _, setting := range os.Environ() {
		if value, is := strings.CutPrefix(setting, writerVariable); is {
			encoded, found = value, true
		}
	}
	if !found {
		return false
	}
	var parsed instructions
	if err := json.Unmarshal([]byte(encoded), &parsed); err != nil {
		panic(err) // we wrote it
	}
	parsed.run()
	return true
}

// run writes until it is told to end. A change is printed as soon as it is acknowledged.
func (i instructions) run() {
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM)
	o := &Organization{Keys: []string{i.Key}, place: map[string]int{}, report: func(c consistency.Change) {
		if json.NewEncoder(os.Stdout).Encode(c) != nil {
			os.Exit(1) // nobody reads any more
		}
	}}
	mix, rate := Changes, float64(changesPerSecond)
	if i.Bulk {
		mix, rate = Bulks, bulksPerSecond
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	g := Start(NewBalancer(ctx, []string{i.Gateway}), []*Organization{o}, mix, rate)
	<-stop
	g.End()
}
