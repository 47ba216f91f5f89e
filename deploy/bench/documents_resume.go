package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"ams.internal/deploy/devstack"
)

// chunkSent is what "amsctl documents upload" sends in one request, in bytes.
const chunkSent = 8 << 20

// measureResume counts what "amsctl documents upload" sends of a file while it is killed twice and the service is killed twice: not more than
// the file, and a chunk for each kill. An amsctl that was killed, or has given up, is run again.
func (b *bench) measureResume(ctx context.Context, of holder) error {
	size := 2 * max(b.documentSize(), 64<<20) // so that there is time for the kills
	root, err := devstack.Checkout()
	if err != nil {
		return err
	}
	amsctl, film := filepath.Join(b.folder, "amsctl"), filepath.Join(b.folder, "visite.bin")
	build := exec.CommandContext(ctx, "go", "build", "-o", amsctl, "./deploy/cmd/amsctl")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("build amsctl: %w\n%s", err, out)
	}
	if err := os.WriteFile(film, []byte(prefix(0)), 0o600); err != nil {
		return err
	}
	if err := os.Truncate(film, size); err != nil {
		return err
	}
	gateway, err := url.Parse(b.description.BaseURL)
	if err != nil {
		return err
	}
	relay, err := newCounter(gateway.Host)
	if err != nil {
		return err
	}
	killService := func(*exec.Cmd) error {
		if err := b.stack.Halt(syscall.SIGKILL, "documents-1"); err != nil {
			return err
		}
		return b.stack.Resume(ctx, "documents-1")
	}
	killClient := func(client *exec.Cmd) error { return client.Process.Kill() }
	kills := []func(*exec.Cmd) error{killClient, killService, killClient, killService}
	began, done, runs := time.Now(), 0, 0
	for ended := false; !ended; runs++ {
		if runs > 2*len(kills) {
			return fmt.Errorf("the upload is not done after %d runs of amsctl; see amsctl.log in %s", runs, b.folder)
		}
		client, exited, err := b.startUpload(ctx, amsctl, relay.address(), of, film)
		if err != nil {
			return err
		}
		for running := true; running; {
			select {
			case err := <-exited:
				running, ended = false, err == nil
			case <-time.After(2 * time.Millisecond):
			}
			if running && done < len(kills) && relay.sent.Load() >= int64(done+1)*size/int64(len(kills)+1) {
				if err := kills[done](client); err != nil {
					return err
				}
				done++
			}
		}
	}
	if b.description = b.stack.Description(); done < len(kills) {
		return errors.New("an upload was done before all kills")
	}
	more := float64(relay.sent.Load()-size) / (1 << 20)
	b.say("%d MiB were sent in %.0f s and %d runs, with %d kills: %.1f MiB twice", size>>20, time.Since(began).Seconds(), runs, done, more)
	b.report.atMost(fmt.Sprintf("sent again, with headers, of an upload of %d MiB with %d kills", size>>20, done), more, "MiB",
		float64(done)*chunkSent/(1<<20))
	return nil
}

// startUpload runs amsctl, which keeps in our folder how far it is.
func (b *bench) startUpload(ctx context.Context, amsctl, gateway string, of holder, film string) (*exec.Cmd, chan error, error) {
	log, err := os.OpenFile(filepath.Join(b.folder, "amsctl.log"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, nil, err
	}
	defer log.Close()
	client := exec.CommandContext(ctx, amsctl, "documents", "upload", film, "--on", "sites/"+of.site)
	client.Env = append(os.Environ(), "AMS_BASE_URL=http://"+gateway, "AMS_API_KEY="+of.key, "XDG_CACHE_HOME="+filepath.Join(b.folder, "cache"))
	client.Stdout, client.Stderr = log, log
	if err := client.Start(); err != nil {
		return nil, nil, err
	}
	exited := make(chan error, 1)
	go func() { exited <- client.Wait() }()
	return client, exited, nil
}
