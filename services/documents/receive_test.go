package documents

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"ams.internal/libs/principal"
	"ams.internal/libs/resource/resourcetest"
	"ams.internal/services/documents/store"
)

// fullStore lacks room for one thing.
type fullStore struct {
	store.Store
	lacks string
}

func (s *fullStore) Put(ctx context.Context, key string, body io.Reader, size int64) error {
	if s.lacks == "an object" {
		return store.ErrFull
	}
	return s.Store.Put(ctx, key, body, size)
}

func (s *fullStore) PutPart(ctx context.Context, key, upload string, number int, body []byte) (store.Part, error) {
	if s.lacks == "a second part" && number == 2 {
		return store.Part{}, store.ErrFull
	}
	return s.Store.PutPart(ctx, key, upload, number, body)
}

func (s *fullStore) Complete(ctx context.Context, key, upload string, parts []store.Part) error {
	if s.lacks == "the whole" {
		return store.ErrFull
	}
	return s.Store.Complete(ctx, key, upload, parts)
}

// nothingIsLeft checks that storage and store are as they were, also without what was begun.
func (f *fixture) nothingIsLeft(t *testing.T, used int) {
	t.Helper()
	f.kept(t, used, 0)
	if err := f.store.ListUploads(t.Context(), func(u store.Upload) error { return errors.New(u.Key + " is left") }); err != nil {
		t.Error(err)
	}
}

func TestAFullStoreKeepsNothingOfAnUpload(t *testing.T) {
	f := newFixture(t)
	full := &fullStore{Store: f.documents.store}
	f.documents.store = full
	upload(t, f.Client, http.StatusCreated, "a.txt", []byte("bonjour"), nil)
	content := film(2*store.PartSize + 10)
	for what, size := range map[string]int{"an object": 10, "a second part": len(content), "the whole": len(content)} {
		full.lacks = what
		refused := upload(t, f.Client, http.StatusServiceUnavailable, "visite.txt", []byte(content[:size]), nil)
		resourcetest.Expect(t, refused.JSON, fields{"code": "store_full"})
		f.nothingIsLeft(t, len("bonjour"))
	}
	if _, pagination := f.List(t, "/v1/documents"); pagination["total"] != 1.0 {
		t.Errorf("there are %v documents", pagination["total"])
	}
	// An upload that can be resumed keeps what it has, and goes on when there is room.
	full.lacks = "a second part"
	path := begin(t, f.Client, len(content), onBoiler)
	resourcetest.Expect(t, send(t, f.Client, http.StatusServiceUnavailable, path, 0, content).JSON, fields{"code": "store_full"})
	full.lacks = ""
	send(t, f.Client, http.StatusNoContent, path, store.PartSize, content[store.PartSize:])
	isKept(t, f.Client, path, content)
	f.nothingIsLeft(t, len("bonjour")+len(content))
}

// cutOff is the end of a body whose connection broke.
type cutOff struct{}

func (cutOff) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

// Also of what is cut off when some of it is in the store.
func TestNothingIsLeftOfABodyThatIsCutOff(t *testing.T) {
	f := newFixture(t)
	path := upload(t, f.Client, http.StatusCreated, "a.txt", []byte("bonjour"), nil).Header.Get("Location")
	whole, contentType := form(t, fields{"collection": "assets", "record_id": boiler}, "visite.txt", "", []byte(film(2*store.PartSize+10)))
	for _, c := range []struct{ path, contentType, body string }{
		{"/v1/documents", contentType, whole[:store.PartSize+1000]}, {"/v1/documents", contentType, whole[:len(whole)-4]},
		{path + "/revisions", "text/plain", film(10)}, {path + "/revisions", "text/plain", film(store.PartSize + 10)},
	} {
		request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, c.path, io.MultiReader(strings.NewReader(c.body), cutOff{}))
		request.Header.Set(principal.Header, f.Signer.Sign(f.Principal))
		request.Header.Set("Content-Type", c.contentType)
		recorder := httptest.NewRecorder()
		f.Handler.ServeHTTP(recorder, request)
		if recorder.Code != http.StatusBadRequest || !strings.Contains(recorder.Body.String(), "body_incomplete") {
			t.Errorf("%s after %d bytes: %d %s", c.path, len(c.body), recorder.Code, recorder.Body)
		}
		f.nothingIsLeft(t, len("bonjour"))
	}
	resourcetest.Expect(t, f.Must(t, http.StatusOK, "GET", path, nil).JSON, fields{"revision": 1, "version": 1})
	if _, pagination := f.List(t, "/v1/documents"); pagination["total"] != 1.0 {
		t.Errorf("there are %v documents", pagination["total"])
	}
}

// What browsers may do with contents stands in headers, of the whole, of a part, and of what somebody has already.
func TestHeadersOfContents(t *testing.T) {
	f := newFixture(t)
	for name, c := range map[string]struct{ content, mediaType string }{
		"notes.txt":   {strings.Repeat("bonjour ", 1000), "text/plain"},
		"page.html":   {"<!DOCTYPE html><script>alert(1)</script>", "application/octet-stream"},
		"drawing.svg": {`<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`, "application/octet-stream"},
		"data.xml":    {`<?xml version="1.0"?><a/>`, "application/octet-stream"},
		"moving.gif":  {"GIF89a=1;alert(document.domain)//", "image/gif"}, // is JavaScript as well
	} {
		made := upload(t, f.Client, http.StatusCreated, name, []byte(c.content), nil)
		path := made.Header.Get("Location") + "/content"
		etag := `"` + made.JSON["sha256"].(string) + `"`
		sum := sha256.Sum256([]byte(c.content))
		for status, header := range map[int][]string{http.StatusOK: {"Accept-Encoding", "gzip"},
			http.StatusPartialContent: {"Range", "bytes=0-4", "Accept-Encoding", "gzip"}, http.StatusNotModified: {"If-None-Match", etag}} {
			got := f.Must(t, status, "GET", path, nil, header...)
			want := map[string]string{"ETag": etag,
				"Repr-Digest": "sha-256=:" + base64.StdEncoding.EncodeToString(sum[:]) + ":", "X-Content-Type-Options": "nosniff",
				"Cache-Control":           "private, no-cache",
				"Content-Security-Policy": "default-src 'none'; sandbox", "Cross-Origin-Resource-Policy": "same-origin", "Content-Encoding": "",
				"Content-Disposition": `attachment; filename="` + name + `"; filename*=UTF-8''` + name}
			if status != http.StatusNotModified {
				want["Content-Type"] = c.mediaType
			}
			for field, value := range want {
				if got.Header.Get(field) != value {
					t.Errorf("%s, %d: %s is %q, want %q", name, status, field, got.Header.Get(field), value)
				}
			}
		}
		resourcetest.Expect(t, f.Must(t, http.StatusBadRequest, "GET", path+"?disposition=inline", nil).JSON, fields{"code": "invalid_request"})
	}
}
