package ams

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestADocumentIsUploadedAndRead(t *testing.T) {
	client, _ := service(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			if r.URL.Path != "/v1/documents/d1/content" {
				t.Errorf("read from %s", r.URL.Path)
			}
			_, _ = io.WriteString(w, "a,b\n")
			return
		}
		form, err := r.MultipartReader()
		if err != nil {
			t.Error(err)
			return
		}
		for _, want := range []string{`document  {"collection":"assets","record_id":"a1"}`, "file readings.csv a,b\n"} {
			part, err := form.NextPart()
			if err != nil {
				t.Error(err)
				return
			}
			content, err := io.ReadAll(part)
			if got := part.FormName() + " " + part.FileName() + " " + string(content); err != nil || got != want {
				t.Errorf("the part is %q, %v; want %q", got, err, want)
			}
		}
		w.WriteHeader(http.StatusCreated)
		_, _ = io.WriteString(w, `{"id":"d1","title":"readings.csv"}`)
	})
	document, err := client.Documents.Upload(t.Context(), DocumentPatch{
		Collection: new(DocumentCollection("assets")), RecordID: new("a1"),
	}, "readings.csv", []byte("a,b\n"))
	if err != nil || document.Title != "readings.csv" {
		t.Fatal(document, err)
	}
	response, err := client.Documents.Content(t.Context(), document.ID, Part{})
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if content, err := io.ReadAll(response.Body); err != nil || string(content) != "a,b\n" {
		t.Errorf("%q, %v", content, err)
	}
}

func TestADocumentIsRevised(t *testing.T) {
	client, _ := service(t, func(w http.ResponseWriter, r *http.Request) {
		content, err := io.ReadAll(r.Body)
		const want = "POST /v1/documents/d1/revisions?comment=As+built attachment; filename*=UTF-8''plan%20%C3%A9%2B%3D.pdf bytes"
		if got := r.Method + " " + r.RequestURI + " " + r.Header.Get("Content-Disposition") + " " + string(content); err != nil || got != want ||
			r.Header.Get("Idempotency-Key") == "" || r.Header.Get("Content-Type") != "application/octet-stream" {
			t.Errorf("%s, %v, %v", got, err, r.Header)
		}
		w.WriteHeader(http.StatusCreated)
		_, _ = io.WriteString(w, `{"id":"d1","revision":2}`)
	})
	document, err := client.Documents.Revise(t.Context(), "d1", Revision{FileName: "plan é+=.pdf", Comment: "As built"}, []byte("bytes"))
	if err != nil || document.Revision == nil || *document.Revision != 2 {
		t.Error(document, err)
	}
}

func TestAContentIsComparedWithItsDigest(t *testing.T) {
	const stored = "0123456789"
	sum := sha256.Sum256([]byte(stored))
	sends, scanned := stored, false
	client, waits := service(t, func(w http.ResponseWriter, r *http.Request) {
		if !scanned {
			scanned = true
			w.Header().Set("Retry-After", "2")
			w.WriteHeader(http.StatusConflict)
			_, _ = io.WriteString(w, `{"error":"Not yet.","code":"scan_pending"}`)
			return
		}
		w.Header().Set("Repr-Digest", "sha-256=:"+base64.StdEncoding.EncodeToString(sum[:])+":")
		switch asked := r.Header.Get("Range"); {
		case r.URL.Path == "/v1/documents/d1/thumbnail":
			_, _ = io.WriteString(w, "small "+r.URL.RawQuery)
		case asked == "" || strings.HasSuffix(r.URL.Path, "/9/content"):
			_, _ = io.WriteString(w, sends)
		default:
			w.WriteHeader(http.StatusPartialContent)
			_, _ = io.WriteString(w, r.URL.Path+" "+asked)
		}
	})
	read := func(part Part) string {
		t.Helper()
		response, err := client.Documents.Content(t.Context(), "d1", part)
		if err != nil {
			return err.Error()
		}
		defer response.Body.Close()
		content, err := io.ReadAll(response.Body)
		return fmt.Sprint(string(content), " ", err)
	}
	for part, want := range map[Part]string{
		{}:                                  stored + " <nil>",
		{Offset: 4}:                         "/v1/documents/d1/content bytes=4- <nil>",
		{Length: 3}:                         "/v1/documents/d1/content bytes=0-2 <nil>",
		{Revision: 2, Offset: 4, Length: 3}: "/v1/documents/d1/revisions/2/content bytes=4-6 <nil>",
		{Revision: 9, Offset: 4}:            "/v1/documents/d1/revisions/9/content: the answer is not the part that was asked for",
	} {
		if got := read(part); got != want {
			t.Errorf("%+v gives %q, want %q", part, got, want)
		}
	}
	if len(*waits) != 1 || (*waits)[0] != 2*time.Second {
		t.Errorf("it waited %v for the scan", *waits)
	}
	sends = "0123456780"
	if got := read(Part{}); got != sends+" "+ErrDigest.Error() {
		t.Errorf("other bytes give %q", got)
	}
	response, err := client.Documents.Thumbnail(t.Context(), "d1", 1024)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if content, err := io.ReadAll(response.Body); err != nil || string(content) != "small size=1024" {
		t.Errorf("the thumbnail is %q, %v", content, err)
	}
}

// TestAnUploadGoesOnWhereItStopped loses an answer, keeps a part of a request that is cut off, and is busy with it for a moment.
func TestAnUploadGoesOnWhereItStopped(t *testing.T) {
	file := bytes.Repeat([]byte("0123456789"), 2_000_000) // two pieces and a rest
	var kept []byte
	var offsets []string
	client, waits := service(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/v1/documents/d1":
			_, _ = io.WriteString(w, `{"id":"d1","title":"visite.mp4"}`)
			return
		case r.Method == http.MethodPost:
			metadata := r.Header.Get("Upload-Metadata")
			if r.Header.Get("Upload-Length") != "20000000" || r.Header.Get("Tus-Resumable") != "1.0.0" || metadata != "document "+
				base64.StdEncoding.EncodeToString([]byte(`{"collection":"assets","record_id":"a1"}`))+",filename "+
				base64.StdEncoding.EncodeToString([]byte("visite é.mp4")) {
				t.Errorf("it begins with %v", r.Header)
			}
			w.WriteHeader(http.StatusCreated)
		case r.Method == http.MethodPatch:
			offset := r.Header.Get("Upload-Offset")
			offsets = append(offsets, offset)
			fail := func(code string) {
				w.Header().Set("Retry-After", "3")
				w.WriteHeader(http.StatusConflict)
				fmt.Fprintf(w, `{"error":"No.","code":%q}`, code)
			}
			content, _ := io.ReadAll(r.Body)
			if len(offsets) == 3 {
				content = content[:1_000_000]
			}
			switch {
			case len(offsets) == 5:
				fail("upload_busy")
			case offset != fmt.Sprint(len(kept)):
				fail("offset_mismatch")
			default:
				kept = append(kept, content...)
				if len(offsets) == 1 || len(offsets) == 3 { // the answer is lost; the request is cut off
					panic(http.ErrAbortHandler)
				}
				w.WriteHeader(http.StatusNoContent)
			}
			return
		}
		upload := Upload{ID: "u1", Offset: int64(len(kept)), Length: int64(len(file))}
		if len(kept) == len(file) {
			upload.DocumentID = new("d1")
		}
		_ = json.NewEncoder(w).Encode(upload)
	})
	upload, err := client.Documents.BeginUpload(t.Context(), DocumentPatch{
		Collection: new(DocumentCollection("assets")), RecordID: new("a1"),
	}, "visite é.mp4", int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	document, err := client.Documents.ResumeUpload(t.Context(), upload.ID, bytes.NewReader(file))
	if err != nil || document.Title != "visite.mp4" || !bytes.Equal(kept, file) {
		t.Fatalf("%v, %v; %d bytes are kept", document, err, len(kept))
	}
	if got, want := strings.Join(offsets, " "), "0 0 8388608 8388608 9388608 9388608 17777216"; got != want {
		t.Errorf("it sent from %s, want %s", got, want)
	}
	if len(*waits) != 3 || (*waits)[2] != 3*time.Second {
		t.Errorf("it waited %v", *waits)
	}
	kept = kept[:19_999_990]
	if _, err := client.Documents.ResumeUpload(t.Context(), upload.ID, bytes.NewReader(file[:19_999_995])); !errors.Is(err, io.EOF) {
		t.Errorf("of a file that is too short: %v", err)
	}
}

func TestARevisionIsUploadedInPieces(t *testing.T) {
	client, _ := service(t, func(w http.ResponseWriter, r *http.Request) {
		if got, want := r.Header.Get("Upload-Metadata"), "document_id ZDE=,comment QXMgYnVpbHQ="; got != want {
			t.Errorf("it begins with %q, want %q", got, want)
		}
		w.WriteHeader(http.StatusCreated)
		_, _ = io.WriteString(w, `{"id":"u1"}`)
	})
	if upload, err := client.Documents.BeginRevision(t.Context(), "d1", Revision{Comment: "As built"}, 5); err != nil || upload.ID != "u1" {
		t.Error(upload, err)
	}
}
