package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"syscall"
	"time"

	"ams.internal/deploy/test/resilience/load"
	"ams.internal/libs/clamd"
)

// file is a document that was acknowledged.
type file struct{ id, digest string }

func (f file) path() string    { return "/v1/documents/" + f.id }
func (f file) content() string { return f.path() + "/content" }

const (
	refusedTitle  = "Refused" // of what is sent while the store is away
	smallFile     = 100_000   // bytes
	severalParts  = 9 << 20   // bytes: two parts of 8 MiB
	longestRefuse = 2*time.Second + grace
)

// storeStopped: no connection to the store of documents.
func storeStopped() scenario {
	return storeUnavailable(scenario{
		name: "the store of documents, kill -9",
		inject: func(_ context.Context, r *run) error {
			r.store.Stop()
			return nil
		},
		restore: func(_ context.Context, r *run) error { return r.store.Run() },
	})
}

// storeFrozen: it takes connections, and says nothing.
func storeFrozen() scenario {
	return storeUnavailable(scenario{
		name:    "the store of documents, silent",
		inject:  func(_ context.Context, r *run) error { return r.store.Signal(syscall.SIGSTOP) },
		restore: func(_ context.Context, r *run) error { return r.store.Signal(syscall.SIGCONT) },
	})
}

// storeUnavailable adds what is promised of both.
func storeUnavailable(of scenario) scenario {
	var stored []file
	inject := of.inject
	of.promise = "503 within 2 s for uploads and contents; what is known of documents, and all records, go on; no file is lost, " +
		"nothing is left of refused ones"
	of.inject = func(ctx context.Context, r *run) (err error) {
		if stored, err = r.uploadSome(ctx, smallFile, severalParts); err == nil {
			err = r.awaitScanned(ctx, stored)
		}
		return errors.Join(err, inject(ctx, r))
	}
	of.during = func(ctx context.Context, r *run) error {
		asset, err := r.recordOf("/v1/assets")
		if err != nil {
			return err
		}
		key := r.organizations[0].Key()
		for _, size := range []int{smallFile, severalParts} {
			content, _ := load.Content(size)
			r.storeRefuses(ctx, "an upload", load.UploadDocument(key, "assets", asset, refusedTitle, content))
		}
		r.storeRefuses(ctx, "a content", load.Call{Method: http.MethodGet, Path: stored[0].content(), Key: key})
		r.goesOn(ctx, "a document", load.Call{Method: http.MethodGet, Path: stored[0].path(), Key: key})
		r.goesOn(ctx, "the list of documents", load.Call{Method: http.MethodGet, Path: "/v1/documents?record_id=" + asset, Key: key})
		r.goesOn(ctx, "a new title",
			load.Call{Method: http.MethodPatch, Path: stored[0].path(), Key: key, Body: map[string]any{"title": load.Text()}})
		r.goesOn(ctx, "a draft", load.Call{Method: http.MethodPost, Path: "/v1/documents", Key: key,
			Body: map[string]any{"collection": "assets", "record_id": asset, "title": load.Text()}})
		return nil
	}
	of.evaluate = func(r *run) { r.noneFailed(r.samples, "that need no bytes") }
	of.after = func(ctx context.Context, r *run) error {
		began := time.Now()
		more, err := r.uploadSome(ctx, smallFile)
		if err == nil {
			err = r.awaitScanned(ctx, more)
		}
		if err != nil {
			return err
		}
		r.measure("an upload is scanned and can be read %s after it was back", time.Since(began).Round(10*time.Millisecond))
		r.sameBytes(ctx, append(stored, more...))
		found := r.balancer.Do(ctx,
			load.Call{Method: http.MethodGet, Path: "/v1/documents?per_page=1000&title=" + refusedTitle, Key: r.organizations[0].Key()})
		r.promise(found.Status == http.StatusOK && len(documentsIn(found)) == 0, "an upload that was refused has made a document: %d %.300s",
			found.Status, found.Body)
		return r.nothingLeft(ctx)
	}
	return of
}

// scannerKilled: nothing takes connections at its address.
func scannerKilled() scenario {
	return scannerUnavailable(scenario{
		name:    "the scanner, kill -9",
		inject:  func(_ context.Context, r *run) error { return r.stack.Halt(syscall.SIGKILL, "clamd") },
		restore: func(ctx context.Context, r *run) error { return r.stack.Resume(ctx, "clamd") },
	})
}

// scannerFrozen: it takes connections, and says nothing.
func scannerFrozen() scenario {
	return scannerUnavailable(scenario{
		name: "the scanner, silent",
		inject: func(_ context.Context, r *run) error {
			return syscall.Kill(r.stack.Description().PIDs["clamd"], syscall.SIGSTOP)
		},
		restore: func(_ context.Context, r *run) error {
			return syscall.Kill(r.stack.Description().PIDs["clamd"], syscall.SIGCONT)
		},
	})
}

// scannerUnavailable adds what is promised of both.
func scannerUnavailable(of scenario) scenario {
	var before, waiting []file
	var malware file
	inject := of.inject
	of.promise = "uploads are taken and wait, 409 scan_pending; what was scanned is read, nothing else fails; afterwards all are scanned"
	of.inject = func(ctx context.Context, r *run) (err error) {
		if before, err = r.uploadSome(ctx, smallFile); err == nil {
			err = r.awaitScanned(ctx, before)
		}
		return errors.Join(err, inject(ctx, r))
	}
	of.during = func(ctx context.Context, r *run) (err error) {
		if waiting, err = r.uploadSome(ctx, smallFile, severalParts); err != nil {
			return err
		}
		if malware, err = r.upload(ctx, append(clamd.EICAR(), load.Text()...)); err != nil {
			return err
		}
		key := r.organizations[0].Key()
		for _, f := range append(waiting, malware) {
			a := r.balancer.Do(ctx, load.Call{Method: http.MethodGet, Path: f.content(), Key: key})
			r.promise(a.Status == http.StatusConflict && a.Code() == "scan_pending" && a.Header.Get("Retry-After") != "",
				"a content that was not scanned is answered %d %.300s %v", a.Status, a.Body, a.Err)
			r.goesOn(ctx, "a document that was not scanned", load.Call{Method: http.MethodGet, Path: f.path(), Key: key})
		}
		r.sameBytes(ctx, before)
		return nil
	}
	of.evaluate = func(r *run) { r.noneFailed(r.samples, "of other services") }
	of.after = func(ctx context.Context, r *run) error {
		if err := r.awaitScanned(ctx, waiting); err != nil {
			return err
		}
		r.measure("all were scanned %s after it was back", time.Since(r.restored).Round(100*time.Millisecond))
		r.bound(time.Since(r.restored) < 75*time.Second, "contents were scanned %s after the scanner was back; a minute is the longest pause",
			time.Since(r.restored))
		r.sameBytes(ctx, append(before, waiting...))
		limited, cancel := context.WithTimeout(ctx, maxRecovery)
		defer cancel()
		status, err := r.scanned(limited, malware)
		r.promise(status == "infected", "malware that came while the scanner was away is %q", status)
		return err
	}
	return of
}

// storeRefuses says that a request is told within two seconds that the store is away.
func (r *run) storeRefuses(ctx context.Context, what string, call load.Call) {
	for gateway := range r.balancer.Gateways {
		began := time.Now()
		a := r.balancer.At(ctx, gateway, call)
		took := time.Since(began)
		r.promise(a.Status == http.StatusServiceUnavailable && a.Code() == "store_unavailable" && a.Header.Get("Retry-After") != "",
			"%s without the store is answered %d %.300s %v", what, a.Status, a.Body, a.Err)
		r.bound(took < longestRefuse, "%s was refused after %s; it may take 2 s", what, took)
		r.measure("%s refused after %s", what, took.Round(time.Millisecond))
	}
}

// upload makes a document on an asset of the first organization's.
func (r *run) upload(ctx context.Context, content []byte) (file, error) {
	asset, err := r.recordOf("/v1/assets")
	if err != nil {
		return file{}, err
	}
	a := r.balancer.Do(ctx, load.UploadDocument(r.organizations[0].Key(), "assets", asset, load.Text(), content))
	if a.Err != nil {
		return file{}, a.Err
	}
	if a.Status != http.StatusCreated {
		return file{}, unexpected("an upload", a.Status, string(a.Body))
	}
	made, digest := documentIn(a), load.Digest(content)
	r.promise(made.SHA256 == digest, "an upload with the sha256 %s was acknowledged with %s", digest, made.SHA256)
	return file{made.ID, digest}, nil
}

func (r *run) uploadSome(ctx context.Context, sizes ...int) (all []file, err error) {
	for _, size := range sizes {
		content, _ := load.Content(size)
		f, err := r.upload(ctx, content)
		if err != nil {
			return all, err
		}
		all = append(all, f)
	}
	return all, nil
}

// scanned waits until a document was scanned, and gives what was found.
func (r *run) scanned(ctx context.Context, f file) (string, error) {
	for {
		a := r.balancer.Do(ctx, load.Call{Method: http.MethodGet, Path: f.path(), Key: r.organizations[0].Key()})
		if a.Err != nil {
			return "", fmt.Errorf("a document is not scanned: %w", a.Err)
		}
		if status := documentIn(a).ScanStatus; status != "pending" {
			return status, nil
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// awaitScanned waits until documents are clean.
func (r *run) awaitScanned(ctx context.Context, all []file) error {
	ctx, cancel := context.WithTimeout(ctx, maxRecovery)
	defer cancel()
	for _, f := range all {
		status, err := r.scanned(ctx, f)
		if err != nil {
			return err
		}
		r.promise(status == "clean", "a document is %s, and has nothing that could be found", status)
	}
	return nil
}

// sameBytes reads contents, and compares them with what was acknowledged.
func (r *run) sameBytes(ctx context.Context, all []file) {
	for _, f := range all {
		a := r.balancer.Do(ctx, load.Call{Method: http.MethodGet, Path: f.content(), Key: r.organizations[0].Key()})
		r.promise(a.Err == nil && a.Status == http.StatusOK && load.Digest(a.Body) == f.digest,
			"the content of %s is answered %d with the sha256 %s, and not %s: %v", f.id, a.Status, load.Digest(a.Body), f.digest, a.Err)
	}
}

// nothingLeft says that what was refused has left nothing.
func (r *run) nothingLeft(ctx context.Context) error {
	db, err := awaitDatabase(ctx, r.databaseURL)
	if err != nil {
		return err
	}
	defer db.Close(context.WithoutCancel(ctx)) //nolint:errcheck // nothing is owed to anybody
	if err := endLeases(ctx, db); err != nil {
		return err
	}
	wrong, err := awaitSwept(ctx, db, r.store.Folder)
	r.broken = append(r.broken, wrong...)
	return err
}
