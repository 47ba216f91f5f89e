package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"ams.internal/deploy/test/resilience/load"
)

// fileWriter uploads, revises and deletes documents, one after the other, and remembers what was acknowledged. What is interrupted it sends
// again with the same Idempotency-Key, or goes on with where it stopped.
type fileWriter struct {
	balancer   *load.Balancer
	key, asset string

	acknowledged  atomic.Int64   // requests
	interruptions map[string]int // by what was answered

	files                       []*writtenFile
	uploads, revisions, deletes int
	wrong                       []string
}

// writtenFile is a document that was acknowledged.
type writtenFile struct {
	id                string
	digests           []string // sha256 that its content may have: two, where nobody has said whether a revision was made
	deleting, deleted bool     // a delete was sent, and acknowledged
	purged            bool     // it is not there any more
}

// work goes on until working ends.
func (w *fileWriter) work(ctx, working context.Context) {
	for working.Err() == nil && ctx.Err() == nil {
		size := 1000 + rand.IntN(smallFile)
		if rand.IntN(5) == 0 {
			size = severalParts
		}
		content, digest := load.Content(size)
		switch chance := rand.IntN(100); {
		case chance < 40 || len(w.files) < 2:
			w.create(ctx, working, content, digest)
		case chance < 55:
			w.resume(ctx, working, content, digest)
		case chance < 75:
			w.revise(ctx, working, w.some(), content, digest)
		default:
			w.remove(ctx, working, w.some())
		}
	}
}

// some gives a document that nobody deletes; nil where there is none.
func (w *fileWriter) some() *writtenFile {
	available := slices.DeleteFunc(slices.Clone(w.files), func(f *writtenFile) bool { return f.deleting })
	if len(available) == 0 {
		return nil
	}
	return available[rand.IntN(len(available))]
}

// pauseAfterFailure is between two attempts.
const pauseAfterFailure = 200 * time.Millisecond

// until sends something until it has one of the statuses, or working has ended: then not, and the last response.
func (w *fileWriter) until(ctx, working context.Context, call load.Call, statuses ...int) (load.Response, bool) {
	for {
		a := w.balancer.Do(ctx, call)
		if a.Err == nil && slices.Contains(statuses, a.Status) {
			w.acknowledged.Add(1)
			return a, true
		}
		w.interrupt(a)
		if a.Err == nil && a.Status < 500 && a.Status != http.StatusConflict && a.Status != http.StatusTooManyRequests {
			w.wrong = append(w.wrong, fmt.Sprintf("%s %s is answered %d %.300s", call.Method, call.Path, a.Status, a.Body))
			return a, false
		}
		if working.Err() != nil {
			return a, false
		}
		time.Sleep(pauseAfterFailure)
	}
}

func (w *fileWriter) interrupt(a load.Response) {
	what := "no response"
	if a.Err == nil {
		what = fmt.Sprintf("%d %s", a.Status, a.Code())
	}
	w.interruptions[what]++
}

func (w *fileWriter) create(ctx, working context.Context, content []byte, digest string) {
	call := load.UploadDocument(w.key, "assets", w.asset, load.Text(), content)
	call.Header = map[string]string{"Idempotency-Key": load.Text()}
	if a, done := w.until(ctx, working, call, http.StatusCreated); done {
		w.keep(documentIn(a).ID, digest)
	}
}

func (w *fileWriter) keep(id, digest string) {
	w.uploads++
	w.files = append(w.files, &writtenFile{id: id, digests: []string{digest}})
}

func (w *fileWriter) revise(ctx, working context.Context, f *writtenFile, content []byte, digest string) {
	if f == nil {
		return
	}
	f.digests = append(f.digests, digest)
	if _, done := w.until(ctx, working,
		load.Call{Method: http.MethodPost, Path: "/v1/documents/" + f.id + "/revisions", Key: w.key, Content: content,
			ContentType: "application/octet-stream", Header: map[string]string{"Idempotency-Key": load.Text()}}, http.StatusCreated); done {
		w.revisions++
		f.digests = []string{digest}
	}
}

func (w *fileWriter) remove(ctx, working context.Context, f *writtenFile) {
	if f == nil {
		return
	}
	f.deleting = true
	if _, done := w.until(ctx, working, load.Call{Method: http.MethodDelete, Path: "/v1/documents/" + f.id, Key: w.key},
		http.StatusOK, http.StatusNoContent, http.StatusNotFound); done {
		w.deletes++
		f.deleted = true
	}
}

// resume sends a file as tus does, in two requests, and goes on where it stopped. Half of those that are not done when
// all is over are given up.
func (w *fileWriter) resume(ctx, working context.Context, content []byte, digest string) {
	described, _ := json.Marshal(map[string]any{"collection": "assets", "record_id": w.asset, "title": load.Text()}) // texts can be encoded
	text := base64.StdEncoding.EncodeToString
	header := map[string]string{"Tus-Resumable": "1.0.0", "Upload-Length": strconv.Itoa(len(content)),
		"Upload-Metadata": "document " + text(described) + ",filename " + text([]byte("file.bin"))}
	begun, done := w.until(ctx, working, load.Call{Method: http.MethodPost, Path: "/v1/uploads", Key: w.key, Header: header},
		http.StatusCreated)
	if !done {
		return
	}
	path := begun.Header.Get("Location")
	for offset := 0; ; {
		end := min(len(content), offset+len(content)/2+1)
		a := w.balancer.Do(ctx, load.Call{Method: http.MethodPatch, Path: path, Key: w.key, Content: content[offset:end],
			ContentType: "application/offset+octet-stream",
			Header:      map[string]string{"Tus-Resumable": "1.0.0", "Upload-Offset": strconv.Itoa(offset)}})
		if a.Err != nil || a.Status != http.StatusNoContent {
			w.interrupt(a)
			time.Sleep(pauseAfterFailure)
			if a, done = w.until(ctx, working,
				load.Call{Method: http.MethodHead, Path: path, Key: w.key, Header: map[string]string{"Tus-Resumable": "1.0.0"}}, http.StatusOK); !done {
				return
			}
		}
		if id := a.Header.Get("Document-Id"); id != "" {
			w.keep(id, digest)
			return
		}
		received, err := strconv.Atoi(a.Header.Get("Upload-Offset"))
		if err != nil || received > len(content) {
			w.wrong = append(w.wrong, fmt.Sprintf("an upload is at %q", a.Header.Get("Upload-Offset")))
			return
		}
		offset = received
	}
}
