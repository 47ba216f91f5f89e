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

// consulDown: what was last known stays in use. This Consul keeps its catalogue in memory, so that it comes back empty. An
// instance that is started while it is down is used as soon as it has recovered.
func consulDown() scenario {
	var extra *exec.Cmd
	return scenario{
		name:    "Consul, stopped, and back with nothing in it",
		promise: "nothing fails; an instance started meanwhile is used once it is back",
		inject:  func(_ context.Context, r *run) error { return r.stack.Halt(syscall.SIGKILL, "consul") },
		during: func(_ context.Context, r *run) (err error) {
			extra, err = r.another("assets", "AMS_LISTEN=127.0.0.1:0")
			return err
		},
		restore: func(ctx context.Context, r *run) error {
			defer end(extra)
			if err := r.stack.Resume(ctx, "consul"); err != nil {
				return err
			}
			began := time.Now()
			if err := r.listed(ctx, "assets", 3); err != nil {
				return err
			}
			r.measure("all instances listed %s after it was back", time.Since(began).Round(10*time.Millisecond))
			// The two others finish and leave: what succeeds now, the third one has processed.
			if err := r.stack.Halt(syscall.SIGTERM, "assets-1", "assets-2"); err != nil {
				return err
			}
			if _, err := r.load.AwaitStreak(ctx, time.Now(), r.streak()); err != nil {
				return err
			}
			if err := r.stack.Resume(ctx, "assets-1", "assets-2"); err != nil {
				return err
			}
			return r.listed(ctx, "assets", 3)
		},
		evaluate: func(r *run) { r.noneFailed(r.samples, "") },
		after:    func(ctx context.Context, r *run) error { return r.listed(ctx, "assets", 2) },
	}
}

// another starts one more instance of a program, which is nobody's to start again. End it.
func (f *fixture) another(service string, environment ...string) (*exec.Cmd, error) {
	binaries, err := devstack.BuildPrograms()
	if err != nil {
		return nil, err
	}
	command := exec.Command(filepath.Join(binaries, service)) // #nosec G204 -- our own program
	command.Env = append(f.stack.ProgramEnvironment(service), environment...)
	log, err := os.Create(filepath.Join(f.folder, "another-"+service+".log"))
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
func (f *fixture) listed(ctx context.Context, service string, wanted int) error {
	ctx, cancel := context.WithTimeout(ctx, maxRecovery)
	defer cancel()
	for {
		found, err := f.healthy(ctx, service)
		if err == nil && found == wanted {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("Consul lists %d healthy instances of %s after %s, not %d (%w)", found, service, maxRecovery, wanted, err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func (f *fixture) healthy(ctx context.Context, service string) (int, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet,
		"http://"+f.stack.Description().ConsulAddr+"/v1/health/service/"+service+"?passing", nil)
	if err != nil {
		return 0, err
	}
	request.Header.Set("X-Consul-Token", f.stack.Description().ConsulToken)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, err
	}
	defer func() { _ = response.Body.Close() }()
	var instances []struct{}
	err = json.NewDecoder(response.Body).Decode(&instances)
	return len(instances), err
}
