package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	ams "ams.internal/clients/go"
	"ams.internal/deploy/devstack"
	documents "ams.internal/deploy/test/resilience/load"
	"ams.internal/libs/s3test"
)

// chunkSent is what "amsctl documents upload" sends in one request, in bytes.
const chunkSent = 8 << 20

// measureResume counts what "amsctl documents upload" sends of a file while it, the service, the gateway and the S3 server are killed twice
// each: not more than the file, and a chunk for each kill. What is read back must be the file, whose parts all differ: none may be lost,
// doubled or in the place of another.
func (b *bench) measureResume(ctx context.Context) (err error) {
	size := 2 * max(b.documentSize(), 64<<20) // so that there is time for the kills
	film, bucket := filepath.Join(b.folder, "visite.bin"), filepath.Join(b.folder, "store")
	defer func() { err = errors.Join(err, os.RemoveAll(bucket), os.RemoveAll(film)) }()
	if err := writeNoise(film, size); err != nil {
		return err
	}
	server, err := s3test.Open(bucket, devstack.Region)
	if err != nil {
		return err
	}
	defer server.Stop()
	options := b.options // the other stack has its bytes in a folder, which cannot be killed
	options.Folder, options.Environment = filepath.Join(b.folder, "resume"), append(slices.Clone(options.Environment), server.Environment()...)
	stack, err := devstack.Start(ctx, options)
	if err != nil {
		return err
	}
	defer func() {
		stack.Stop()
		err = errors.Join(err, devstack.Drop(options.Folder))
	}()
	of, base, err := resumeHolder(ctx, stack)
	if err != nil {
		return err
	}
	relay, err := newCounter(strings.TrimPrefix(base, "http://"))
	if err != nil {
		return err
	}
	kill := func(name string) func(*exec.Cmd) error {
		return func(*exec.Cmd) error {
			if err := stack.Halt(syscall.SIGKILL, name); err != nil {
				return err
			}
			return stack.Resume(ctx, name)
		}
	}
	killClient := func(client *exec.Cmd) error { return client.Process.Kill() }
	killStore := func(*exec.Cmd) error { server.Stop(); return server.Run() }
	kills := []func(*exec.Cmd) error{killClient, kill("documents-1"), kill("gateway-1"), killStore}
	kills = append(kills, kills...)
	began := time.Now()
	runs, err := b.sendThroughKills(ctx, of, film, size, relay, kills)
	if err != nil {
		return err
	}
	more := float64(relay.sent.Load()-size) / (1 << 20)
	b.logf("%d MiB were sent in %.0f s and %d runs, with %d kills: %.1f MiB twice", size>>20, time.Since(began).Seconds(), runs,
		len(kills), more)
	b.report.atMost(fmt.Sprintf("sent again, with headers, of an upload of %d MiB with %d kills", size>>20, len(kills)), more, "MiB",
		float64(len(kills))*chunkSent/(1<<20))
	return of.readBack(ctx)
}

// sendThroughKills has amsctl send a file, while something is killed each time that as much more of it was sent. An amsctl that was killed,
// or has given up, is run again.
func (b *bench) sendThroughKills(ctx context.Context, of holder, film string, size int64, relay *counter,
	kills []func(*exec.Cmd) error) (runs int, err error) {
	root, err := devstack.Checkout()
	if err != nil {
		return 0, err
	}
	amsctl, done := filepath.Join(b.folder, "amsctl"), 0
	build := exec.CommandContext(ctx, "go", "build", "-o", amsctl, "./deploy/cmd/amsctl")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("build amsctl: %w\n%s", err, out)
	}
	for ended := false; !ended; runs++ {
		if runs > 2*len(kills) {
			return runs, fmt.Errorf("the upload is not done after %d runs of amsctl; see amsctl.log in %s", runs, b.folder)
		}
		client, exited, err := b.startUpload(ctx, amsctl, relay.address(), of, film)
		if err != nil {
			return runs, err
		}
		for running := true; running; {
			select {
			case err := <-exited:
				running, ended = false, err == nil
			case <-time.After(2 * time.Millisecond):
			}
			if running && done < len(kills) && relay.sent.Load() >= int64(done+1)*size/int64(len(kills)+1) {
				if err := kills[done](client); err != nil {
					return runs, err
				}
				done++
			}
		}
	}
	if done < len(kills) {
		return runs, errors.New("an upload was done before all kills")
	}
	return runs, nil
}

// resumeHolder makes an organization with a site.
func resumeHolder(ctx context.Context, stack *devstack.Stack) (h holder, base string, err error) {
	d := stack.Description()
	o, err := documents.NewAdmin(d).Unlimited(ctx, 0, 1)
	if err != nil {
		return h, "", err
	}
	h = holder{organization: o.ID, key: o.Keys[0], client: o.Client()}
	var site struct{ ID string }
	err = h.client.Request(ctx, ams.Request{Method: http.MethodPost, Path: "/v1/sites", Body: map[string]any{"name": "Garage"}}, &site)
	h.site = site.ID
	return h, d.BaseURL, err
}

// readBack reads the one document of the holder. The library compares its bytes with the sha256 that the service has, as
// amsctl did those of the file.
func (h holder) readBack(ctx context.Context) error {
	var list struct{ Data []documents.Document }
	if err := h.client.Request(ctx, ams.Request{Path: "/v1/documents"}, &list); err != nil {
		return err
	}
	if len(list.Data) != 1 {
		return fmt.Errorf("there are %d documents of one file", len(list.Data))
	}
	content, err := h.client.Documents.Content(ctx, list.Data[0].ID, ams.Part{})
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, content.Body)
	return errors.Join(err, content.Body.Close())
}

// startUpload runs amsctl, which keeps in our folder how far it is.
func (b *bench) startUpload(ctx context.Context, amsctl, gateway string, of holder, film string) (*exec.Cmd, chan error, error) {
	log, err := os.OpenFile(filepath.Join(b.folder, "amsctl.log"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, nil, err
	}
	defer log.Close()
	client := exec.CommandContext(ctx, amsctl, "documents", "upload", film, "--on", "sites/"+of.site)
	client.Env = append(os.Environ(), "AMS_BASE_URL=http://"+gateway, "AMS_API_KEY="+of.key,
		"XDG_CACHE_HOME="+filepath.Join(b.folder, "cache"))
	client.Stdout, client.Stderr = log, log
	if err := client.Start(); err != nil {
		return nil, nil, err
	}
	exited := make(chan error, 1)
	go func() { exited <- client.Wait() }()
	return client, exited, nil
}
