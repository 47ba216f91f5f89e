package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
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

// writerProcess is a client of the API, this program once more, that is killed like the others.
type writerProcess struct {
	key string

	mu      sync.Mutex
	command *exec.Cmd
	ended   chan struct{} // closed when it has ended and all that it said is read
	said    []consistency.Change
}

// writing is what a writer is told by its environment.
const writing = "AMS_CHAOS_WRITER="

// write starts writer number i unless it runs.
func (o *organization) write(gateways []string, i int) error {
	w := o.writers[i]
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ended != nil {
		select {
		case <-w.ended:
		default:
			return nil
		}
	}
	instructions, err := json.Marshal(writer{Base: gateways[i%len(gateways)], Key: w.key, Bulk: i == 1})
	if err != nil {
		return err
	}
	program, err := os.Executable()
	if err != nil {
		return err
	}
	w.command = exec.Command(program)
	w.command.Env = append(os.Environ(), writing+string(instructions))
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
	go w.listen(w.command, output, w.ended)
	return nil
}

// listen keeps what the writer says was acknowledged; the last line of one that was killed may be cut off.
func (w *writerProcess) listen(command *exec.Cmd, output io.Reader, ended chan struct{}) {
	for lines := bufio.NewScanner(output); lines.Scan(); {
		var c consistency.Change
		if json.Unmarshal(lines.Bytes(), &c) == nil && c.Action != "" {
			w.mu.Lock()
			w.said = append(w.said, c)
			w.mu.Unlock()
		}
	}
	command.Wait() //nolint:errcheck // it was killed
	close(ended)
}

// kill ends the writer in the middle of what it does.
func (w *writerProcess) kill() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.command == nil || w.command.Process.Kill() != nil {
		return ""
	}
	return "a writer"
}

// rest lets the organization's writers finish what they do.
func (o *organization) rest() error {
	for _, w := range o.writers {
		w.command.Process.Signal(syscall.SIGTERM)
		select {
		case <-w.ended:
		case <-time.After(time.Minute):
			return fmt.Errorf("a writer does not end")
		}
	}
	return nil
}

// writer is the program of such a process.
type writer struct {
	Base string `json:"base"`
	Key  string `json:"key"`
	Bulk bool   `json:"bulk"`

	mu      sync.Mutex
	records []string // path of each record that it has made and not deleted
	output  *bufio.Writer
}

// writerOf gives the writer that the environment asks for.
func writerOf(environment []string) (*writer, bool) {
	for _, setting := range environment {
		if instructions, is := strings.CutPrefix(setting, writing); is {
			w := &writer{output: bufio.NewWriter(os.Stdout)}
			if err := json.Unmarshal([]byte(instructions), w); err != nil {
				panic(err) // we wrote it
			}
			return w, true
		}
	}
	return nil, false
}

// run writes until it is told to stop: about 40 changes a second, a third of them one by one. Two cores keep up with three such
// organizations while processes start again; more would measure how a backlog grows. Records are changed by several callers
// at once, through one gateway.
func (w *writer) run() {
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM)
	done := make(chan struct{})
	go func() { <-stop; close(done) }()
	var callers sync.WaitGroup
	work, many, rest := w.one, 4, 260*time.Millisecond // a thousand requests a minute are 16 a second
	if w.Bulk {
		work, many, rest = w.several, 1, 3*time.Second
	}
	for range many {
		callers.Go(func() {
			for {
				select {
				case <-done:
					return
				case <-time.After(rest/2 + rand.N(rest)):
					work()
				}
			}
		})
	}
	callers.Wait()
}

var collections = []struct{ path, name string }{{"/v1/assets", "name"}, {"/v1/work-orders", "title"}}

// one makes, changes or deletes a record.
func (w *writer) one() {
	path, count := w.pick()
	switch chance := rand.IntN(100); {
	case count < 10 || chance < 35:
		c := collections[rand.IntN(len(collections))]
		w.send("created", http.MethodPost, c.path, map[string]any{c.name: "Chaos " + time.Now().Format(time.StampNano)})
	case chance < 88:
		w.send("updated", http.MethodPatch, path, map[string]any{"external_id": fmt.Sprintf("c-%d", rand.Int64())})
	default:
		if w.forget(path) {
			w.send("deleted", http.MethodDelete, path, nil)
		}
	}
}

// several makes records in one call, changes them in another, and deletes some of them in a third.
func (w *writer) several() {
	c := collections[rand.IntN(len(collections))]
	var rows []map[string]any
	for range 10 + rand.IntN(30) {
		rows = append(rows, map[string]any{c.name: "Chaos " + time.Now().Format(time.StampNano)})
	}
	ids := w.bulk("created", http.MethodPost, c.path, rows)
	for round := range 2 {
		rows = nil
		for _, id := range ids {
			rows = append(rows, map[string]any{"id": id, "external_id": fmt.Sprintf("%s-%d", id, round)})
		}
		if len(rows) > 0 {
			w.bulk("updated", http.MethodPatch, c.path, rows)
		}
	}
	rows = nil
	for _, id := range ids[:len(ids)/2] {
		rows = append(rows, map[string]any{"id": id})
	}
	if len(rows) > 0 {
		w.bulk("deleted", http.MethodDelete, c.path, rows)
	}
}

func (w *writer) pick() (path string, count int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.records) == 0 {
		return "", 0
	}
	return w.records[rand.IntN(len(w.records))], len(w.records)
}

// forget says whether the record was still there for the caller to delete.
func (w *writer) forget(path string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i, record := range w.records {
		if record == path {
			w.records = append(w.records[:i], w.records[i+1:]...)
			return true
		}
	}
	return false
}

func (w *writer) send(action, method, path string, body any) {
	var record struct {
		ID      string `json:"id"`
		Version int    `json:"version"`
	}
	if !w.call(method, path, body, &record) {
		return
	}
	switch action {
	case "created":
		w.mu.Lock()
		w.records = append(w.records, path+"/"+record.ID)
		w.mu.Unlock()
	case "deleted":
		record.ID = path[strings.LastIndex(path, "/")+1:]
	}
	w.acknowledge(consistency.Change{Record: record.ID, Action: action, Version: record.Version})
}

// bulk gives the ids of the rows that were written.
func (w *writer) bulk(action, method, path string, rows []map[string]any) (ids []string) {
	var answer struct {
		Data []struct {
			ID      string `json:"id"`
			Version int    `json:"version"`
		} `json:"data"`
		Results []struct {
			ID     string `json:"id"`
			Status string `json:"status"`
		} `json:"results"`
	}
	if !w.call(method, path+"/bulk", map[string]any{"data": rows}, &answer) {
		return nil
	}
	if action == "deleted" {
		for _, result := range answer.Results {
			w.acknowledge(consistency.Change{Record: result.ID, Action: result.Status, Version: 0})
		}
		return nil
	}
	for _, record := range answer.Data {
		ids = append(ids, record.ID)
		w.acknowledge(consistency.Change{Record: record.ID, Action: action, Version: record.Version})
	}
	return ids
}

// call says whether the change was acknowledged. What is not may have been made all the same; the database's history tells.
func (w *writer) call(method, path string, body, answer any) bool {
	var encoded []byte
	if body != nil {
		var err error
		if encoded, err = json.Marshal(body); err != nil {
			panic(err) // texts only
		}
	}
	request, err := http.NewRequest(method, w.Base+path, bytes.NewReader(encoded))
	if err != nil {
		panic(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Authorization", "Bearer "+w.Key)
	response, err := writerClient.Do(request)
	if err != nil {
		return false
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode >= 300 {
		return false
	}
	return len(content) == 0 || json.Unmarshal(content, answer) == nil
}

var writerClient = &http.Client{Timeout: 20 * time.Second}

// acknowledge says what was acknowledged before the writer does anything else.
func (w *writer) acknowledge(c consistency.Change) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if json.NewEncoder(w.output).Encode(c) != nil || w.output.Flush() != nil {
		os.Exit(1) // nobody listens any more
	}
}
