package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"ams.internal/deploy/devstack"
)

// consulAway: what was last known stays in use. This Consul keeps its catalogue in memory, so that it comes back empty. An
// instance that is started while it is away is used as soon as it is back.
func consulAway() row {
	var extra *exec.Cmd
	return row{
		name:    "Consul, stopped, and back with nothing in it",
		promise: "nothing fails; an instance started meanwhile is used once it is back",
		take:    func(_ context.Context, r *run) error { return r.stack.Halt(syscall.SIGKILL, "consul") },
		during: func(_ context.Context, r *run) (err error) {
			extra, err = r.another("assets", "AMS_LISTEN=127.0.0.1:0")
			return err
		},
		back: func(ctx context.Context, r *run) error {
			defer end(extra)
			if err := r.stack.Resume(ctx, "consul"); err != nil {
				return err
			}
			began := time.Now()
			if err := r.listed(ctx, "assets", 3); err != nil {
				return err
			}
			r.measure("all instances listed %s after it was back", time.Since(began).Round(10*time.Millisecond))
			// The two others finish and leave: what is answered now, the third answers.
			if err := r.stack.Halt(syscall.SIGTERM, "assets-1", "assets-2"); err != nil {
				return err
			}
			if _, err := r.load.until(ctx, time.Now(), r.streak()); err != nil {
				return err
			}
			if err := r.stack.Resume(ctx, "assets-1", "assets-2"); err != nil {
				return err
			}
			return r.listed(ctx, "assets", 3)
		},
		judge: func(r *run) { r.noneFailed(r.samples, "") },
		then:  func(ctx context.Context, r *run) error { return r.listed(ctx, "assets", 2) },
	}
}

// another starts one more instance of a program, which is nobody's to start again. End it.
func (w *world) another(service string, environment ...string) (*exec.Cmd, error) {
	binaries, err := devstack.BuildPrograms()
	if err != nil {
		return nil, err
	}
	command := exec.Command(filepath.Join(binaries, service)) // #nosec G204 -- our own program
	command.Env = append(w.stack.ProgramEnvironment(service), environment...)
	log, err := os.Create(filepath.Join(w.folder, "another-"+service+".log"))
	if err != nil {
		return nil, err
	}
	defer func() { _ = log.Close() }()
	command.Stdout, command.Stderr = log, log
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	return command, devstack.StartChild(command)
}

func end(program *exec.Cmd) {
	_ = program.Process.Signal(syscall.SIGTERM)
	_ = program.Wait() // how it ends is not what is looked at
}

// listed waits until Consul gives so many healthy instances of a service.
func (w *world) listed(ctx context.Context, service string, wanted int) error {
	ctx, cancel := context.WithTimeout(ctx, longestAbsence)
	defer cancel()
	for {
		found, err := w.healthy(ctx, service)
		if err == nil && found == wanted {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("Consul lists %d healthy instances of %s after %s, not %d (%w)", found, service, longestAbsence, wanted, err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func (w *world) healthy(ctx context.Context, service string) (int, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+w.stack.Description().ConsulAddr+"/v1/health/service/"+service+"?passing", nil)
	if err != nil {
		return 0, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, err
	}
	defer func() { _ = response.Body.Close() }()
	var instances []struct{}
	err = json.NewDecoder(response.Body).Decode(&instances)
	return len(instances), err
}
