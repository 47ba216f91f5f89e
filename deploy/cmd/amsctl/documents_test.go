package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"ams.internal/deploy/devstack"
)

const boiler = "019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e51"

// fileService is what the tests need of the service: one asset, its documents in memory, and uploads by tus 1.0.0.
type fileService struct {
	*httptest.Server
	mu        sync.Mutex
	documents []map[string]any
	contents  map[string][]byte // by id of the document
	uploads   map[string]*fileUpload
	patches   []int64 // offsets of the requests that were carried out
	ranges    []string
	// patching and reading, when set, run before a request is carried out; true: it has been answered.
	patching func(w http.ResponseWriter, r *http.Request, u *fileUpload) bool
	reading  func(w http.ResponseWriter, content []byte) bool
}

type fileUpload struct {
	length   int64
	content  []byte
	name     string
	fields   map[string]any
	document string
}

func newFileService(t *testing.T) *fileService {
	s := &fileService{contents: map[string][]byte{}, uploads: map[string]*fileUpload{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /openapi.json", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"paths":{"/v1/assets":{"post":{"requestBody":{"content":{"application/json":{"schema":{"properties":{
			"external_id":{"type":"string"},"asset_tag":{"type":"string"},"name":{"type":"string"}}}}}}}},"/v1/assets/bulk":{"post":{}}}}`)
	})
	mux.HandleFunc("GET /v1/assets", func(w http.ResponseWriter, r *http.Request) {
		found := []map[string]string{}
		switch q := r.URL.Query(); {
		case q.Get("asset_tag") == "A-1", q.Get("external_id") == "boiler", q.Get("external_id") == "two":
			found = append(found, map[string]string{"id": boiler})
		case q.Get("asset_tag") == "two":
			found = append(found, map[string]string{"id": site})
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"data": found})
	})
	mux.HandleFunc("GET /v1/documents", s.list)
	mux.HandleFunc("GET /v1/documents/{id}", func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, d := range s.documents {
			if d["id"] == r.PathValue("id") {
				_ = json.NewEncoder(w).Encode(d)
			}
		}
	})
	mux.HandleFunc("POST /v1/documents", s.create)
	mux.HandleFunc("GET /v1/documents/{id}/content", func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		content := s.contents[r.PathValue("id")]
		s.ranges = append(s.ranges, r.Header.Get("Range"))
		s.mu.Unlock()
		if s.reading != nil && s.reading(w, content) {
			return
		}
		w.Header().Set("ETag", fmt.Sprintf("%q", fmt.Sprintf("%x", sha256.Sum256(content))))
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
	})
	mux.HandleFunc("POST /v1/uploads", s.begin)
	mux.HandleFunc("GET /v1/uploads/{id}", func(w http.ResponseWriter, r *http.Request) { s.show(w, r.PathValue("id"), http.StatusOK) })
	mux.HandleFunc("PATCH /v1/uploads/{id}", s.patch)
	s.Server = httptest.NewServer(mux)
	t.Cleanup(s.Close)
	t.Setenv("AMS_BASE_URL", s.URL)
	t.Setenv("AMS_API_KEY", "ams_live_secret")
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	return s
}

const site = "019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e21"

// make makes a document; the lock is held.
func (s *fileService) make(name string, fields map[string]any, content []byte) map[string]any {
	id := fmt.Sprintf("019a3c5e-7d1b-7c3a-9f59-%012d", len(s.documents)+1)
	d := map[string]any{"id": id, "title": name, "file_name": name, "size_bytes": len(content),
		"sha256": fmt.Sprintf("%x", sha256.Sum256(content))}
	for field, value := range fields {
		d[field] = value
	}
	s.documents, s.contents[id] = append(s.documents, d), slices.Clone(content)
	return d
}

func (s *fileService) list(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	found := []map[string]any{}
	for _, d := range s.documents {
		matches := true
		for _, field := range []string{"collection", "record_id", "sha256", "external_id"} {
			if want := r.URL.Query().Get(field); want != "" && d[field] != want && (field != "record_id" || d["linked_to"] != want) {
				matches = false
			}
		}
		if matches {
			found = append(found, d)
		}
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"data": found, "pagination": map[string]any{"total_pages": 1, "page": 1}})
}

func refuse(w http.ResponseWriter, status int, code, message string) {
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"error": message, "code": code})
}

func (s *fileService) create(w http.ResponseWriter, r *http.Request) {
	form, err := r.MultipartReader()
	if err != nil || r.Header.Get("Idempotency-Key") == "" {
		refuse(w, 400, "bad", "no form, or no key")
		return
	}
	part := func(name string) (*multipart.Part, []byte) {
		part, err := form.NextPart()
		if err != nil || part.FormName() != name {
			return nil, nil
		}
		content, _ := io.ReadAll(part)
		return part, content
	}
	_, described := part("document")
	file, content := part("file")
	var fields map[string]any
	if err := json.Unmarshal(described, &fields); err != nil || file == nil {
		refuse(w, 400, "bad", "the parts are not document and file")
		return
	}
	if fields["kind"] == "nonsense" {
		refuse(w, 400, "invalid", "kind: is none")
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	w.WriteHeader(http.StatusCreated)
	_ = json.NewEncoder(w).Encode(s.make(file.FileName(), fields, content))
}

func (s *fileService) begin(w http.ResponseWriter, r *http.Request) {
	u := &fileUpload{}
	u.length, _ = strconv.ParseInt(r.Header.Get("Upload-Length"), 10, 64)
	for pair := range strings.SplitSeq(r.Header.Get("Upload-Metadata"), ",") {
		name, encoded, _ := strings.Cut(pair, " ")
		value, _ := base64.StdEncoding.DecodeString(encoded)
		if name == "document" {
			_ = json.Unmarshal(value, &u.fields)
		} else if name == "filename" {
			u.name = string(value)
		}
	}
	if r.Header.Get("Tus-Resumable") != "1.0.0" || u.length == 0 || u.fields == nil || u.name == "" {
		refuse(w, 400, "bad", "the headers are not those of tus")
		return
	}
	s.mu.Lock()
	id := fmt.Sprintf("019a3c5e-7d1b-7c3a-9f5a-%012d", len(s.uploads)+1)
	s.uploads[id] = u
	s.mu.Unlock()
	s.show(w, id, http.StatusCreated)
}

func (s *fileService) show(w http.ResponseWriter, id string, status int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	u := s.uploads[id]
	if u == nil {
		refuse(w, 404, "not_found", "no upload")
		return
	}
	shown := map[string]any{"id": id, "offset": len(u.content), "length": u.length, "document_id": nil}
	if u.document != "" {
		shown["document_id"] = u.document
	}
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(shown)
}

func (s *fileService) patch(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	u := s.uploads[r.PathValue("id")]
	s.mu.Unlock()
	if s.patching != nil && s.patching(w, r, u) {
		return
	}
	offset, _ := strconv.ParseInt(r.Header.Get("Upload-Offset"), 10, 64)
	s.mu.Lock()
	have := int64(len(u.content))
	s.mu.Unlock()
	if offset != have {
		refuse(w, 409, "offset_mismatch", "another offset")
		return
	}
	content, _ := io.ReadAll(r.Body) // what came before a cut is kept
	s.mu.Lock()
	defer s.mu.Unlock()
	s.patches = append(s.patches, offset)
	if u.content = append(u.content, content...); int64(len(u.content)) == u.length {
		u.document = s.make(u.name, u.fields, u.content)["id"].(string)
	}
	w.WriteHeader(http.StatusNoContent)
}

// film is a file of n bytes that do not repeat by parts.
func film(t *testing.T, name string, n int) (path string, content []byte) {
	content = bytes.Repeat([]byte("0123456789abcdefghijklmnopqrstuvwxyz!"), n/37+1)[:n]
	return file(t, name, string(content)), content
}

func TestFilesArePutOnARecordOnce(t *testing.T) {
	s := newFileService(t)
	small := file(t, "plaque é.jpg", "a photo")
	large, content := film(t, "visit.mp4", 20_000_000)
	args := []string{"documents", "upload", small, large, file(t, "copy.jpg", "a photo"), "--on", "assets/A-1", "--kind", "photo",
		"--caption-fr", "Plaque", "--parallel", "4", "-o", "json"}
	code, out, errOut := amsctl(t.Context(), args...)
	var shown struct{ Data []map[string]any }
	if err := json.Unmarshal([]byte(out), &shown); code != 0 || err != nil || len(shown.Data) != 2 || len(s.documents) != 2 {
		t.Fatalf("exit %d, %v: %s%s", code, err, out, errOut)
	}
	for _, d := range s.documents {
		if d["collection"] != "assets" || d["record_id"] != boiler || d["kind"] != "photo" || d["caption_fr"] != "Plaque" {
			t.Errorf("made %v", d)
		}
		if d["file_name"] == "visit.mp4" && !bytes.Equal(s.contents[d["id"].(string)], content) {
			t.Error("the film arrived with other bytes")
		}
	}
	if !slices.Equal(s.patches, []int64{0, 8 << 20, 16 << 20}) {
		t.Errorf("sent from %v", s.patches)
	}
	code, _, errOut = amsctl(t.Context(), args...)
	if code != 0 || len(s.documents) != 2 || strings.Count(errOut, "is on the record already") != 2 ||
		!strings.Contains(errOut, "has the same bytes as another of these files") {
		t.Errorf("again: exit %d, %d documents: %s", code, len(s.documents), errOut)
	}
	if left, _ := filepath.Glob(filepath.Join(os.Getenv("XDG_CACHE_HOME"), "amsctl/uploads/*")); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
	// What is linked to the record is on it as well.
	s.make("manual.pdf", map[string]any{"collection": "buildings", "record_id": site, "linked_to": boiler}, []byte("a manual"))
	code, _, errOut = amsctl(t.Context(), "documents", "upload", file(t, "manual.pdf", "a manual"), "--on", "assets/A-1")
	if code != 0 || len(s.documents) != 3 || !strings.Contains(errOut, "is on the record already") {
		t.Errorf("what is linked: exit %d, %d documents: %s", code, len(s.documents), errOut)
	}
}

// Nobody watches: a line now and then, with the rate of what this run has sent and the time that is left.
func TestProgressIsALineWhereNobodyWatches(t *testing.T) {
	var out bytes.Buffer
	p := newByteProgress(&out)
	p.started = time.Now().Add(-10 * time.Second)
	p.Expect(50_000_000)
	p.Skip(10_000_000)
	p.Add(10_000_000)
	if out.Len() != 0 {
		t.Errorf("within the first seconds: %s", &out)
	}
	p.printed = time.Now().Add(-5 * time.Second)
	p.Add(10_000_000)
	if got := out.String(); got != "30000000 of 50000000 bytes, 2.0 MB a second, about 10s left\n" {
		t.Errorf("%q", got)
	}
}

// The program itself is interrupted in the middle of a file, as by Ctrl-C, and run again.
func TestAnInterruptedUploadGoesOn(t *testing.T) {
	programs, err := devstack.BuildPrograms() // before the cache folder is another one, in which Go would find nothing
	if err != nil {
		t.Fatal(err)
	}
	s := newFileService(t)
	path, content := film(t, "visit.mp4", 30_000_000)
	program := filepath.Join(programs, "amsctl")
	reached := make(chan bool)
	s.patching = func(_ http.ResponseWriter, r *http.Request, _ *fileUpload) bool {
		if r.Header.Get("Upload-Offset") == "16777216" {
			_, _ = io.Copy(io.Discard, r.Body) // a server hears of the end of a connection when it has read the request
			close(reached)
			<-r.Context().Done()
			return true
		}
		return false
	}
	run := func() (*exec.Cmd, *bytes.Buffer) {
		command, output := exec.CommandContext(t.Context(), program, "documents", "upload", path, "--on", "assets/boiler"), &bytes.Buffer{}
		command.Stdout, command.Stderr = output, output
		if err := command.Start(); err != nil {
			t.Fatal(err)
		}
		return command, output
	}
	first, output := run()
	<-reached
	if err := first.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if err := first.Wait(); first.ProcessState.ExitCode() != 1 || !strings.Contains(output.String(), "the same command again goes on") {
		t.Fatalf("interrupted: %v: %s", err, output)
	}
	s.patching = nil
	second, output := run()
	if err := second.Wait(); err != nil || !strings.Contains(output.String(), "going on at byte 16777216 of 30000000") {
		t.Fatalf("again: %v: %s", err, output)
	}
	if len(s.uploads) != 1 || len(s.documents) != 1 || !bytes.Equal(s.contents[s.documents[0]["id"].(string)], content) {
		t.Errorf("%d uploads, %d documents", len(s.uploads), len(s.documents))
	}
	if !slices.Equal(s.patches, []int64{0, 8 << 20, 16 << 20, 24 << 20}) {
		t.Errorf("sent from %v", s.patches)
	}
}

func TestAConnectionThatBreaksIsMadeAgain(t *testing.T) {
	s := newFileService(t)
	path, content := film(t, "visit.mp4", 9_000_000)
	broken := 0
	s.patching = func(_ http.ResponseWriter, r *http.Request, u *fileUpload) bool {
		if broken++; broken > 1 {
			return false
		}
		came, _ := io.ReadAll(io.LimitReader(r.Body, 5_000_000))
		s.mu.Lock()
		u.content = append(u.content, came...)
		s.mu.Unlock()
		panic(http.ErrAbortHandler)
	}
	code, out, errOut := amsctl(t.Context(), "documents", "upload", path, "--on", "assets/A-1")
	if code != 0 || len(s.documents) != 1 || !bytes.Equal(s.contents[s.documents[0]["id"].(string)], content) ||
		!strings.Contains(errOut, "trying again in") {
		t.Errorf("exit %d: %s%s", code, out, errOut)
	}
	if !slices.Equal(s.patches, []int64{5_000_000}) {
		t.Errorf("sent from %v", s.patches)
	}
}

func TestARecordIsNamedClearly(t *testing.T) {
	newFileService(t)
	path := file(t, "a.txt", "a")
	for on, want := range map[string]string{
		"assets/nobody": `nothing in assets has "nobody" as its asset_tag, external_id`, "assets/two": "2 records of assets are called",
		"boats/1": `there is no collection "boats"`, "assets": "names no record", "work_order_tasks/first": "give the id",
	} {
		if code, out, errOut := amsctl(t.Context(), "documents", "upload", path, "--on", on); code != 1 || out != "" ||
			!strings.Contains(errOut, want) {
			t.Errorf("%s: exit %d: %s%s", on, code, out, errOut)
		}
	}
	if code, _, errOut := amsctl(t.Context(), "documents", "upload", path, "--on", "assets/A-1", "--parallel", "5"); code != 1 ||
		!strings.Contains(errOut, "1 to 4") {
		t.Errorf("exit %d: %s", code, errOut)
	}
}

func TestFilesOfARecordAreTakenAndNothingLeadsOut(t *testing.T) {
	s := newFileService(t)
	on := map[string]any{"collection": "assets", "record_id": boiler}
	_, content := film(t, "x", 3_000_000)
	s.make("../../escaped.txt", on, []byte("one"))
	s.make("/etc/passwd", on, []byte("two"))
	s.make("plan.pdf", on, []byte("three"))
	s.make("plan.pdf", on, []byte("four"))
	s.make("visit.mp4", on, content)
	s.make("link.txt", on, []byte("five"))
	s.make("manual.pdf", map[string]any{"collection": "buildings", "record_id": site, "linked_to": boiler}, []byte("six"))
	outside, to := t.TempDir(), filepath.Join(t.TempDir(), "out")
	if err := os.Mkdir(to, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(outside, "target"), filepath.Join(to, "link.txt")); err != nil {
		t.Fatal(err)
	}
	cut := true
	s.reading = func(w http.ResponseWriter, all []byte) bool {
		if len(all) != len(content) || !cut {
			return false
		}
		cut = false
		w.Header().Set("Content-Length", strconv.Itoa(len(all)))
		_, _ = w.Write(all[:1_000_000])
		panic(http.ErrAbortHandler)
	}
	code, _, errOut := amsctl(t.Context(), "documents", "download", "--on", "assets/A-1", "--to", to)
	if code != 1 || !strings.Contains(errOut, "1 of 7 files were not downloaded") || !strings.Contains(errOut, "link.txt: ") {
		t.Errorf("exit %d: %s", code, errOut)
	}
	if found, _ := os.ReadDir(outside); len(found) != 0 {
		t.Errorf("outside: %v", found)
	}
	for name, want := range map[string]string{"_.._escaped.txt": "one", "_etc_passwd": "two", "plan.pdf": "three", "plan (2).pdf": "four",
		"visit.mp4": string(content), "manual.pdf": "six"} {
		if got, err := os.ReadFile(filepath.Join(to, name)); err != nil || string(got) != want {
			t.Errorf("%s has %d bytes: %v", name, len(got), err)
		}
	}
	if !slices.ContainsFunc(s.ranges, func(r string) bool { return strings.HasPrefix(r, "bytes=") && r != "bytes=0-" }) {
		t.Errorf("asked for %v", s.ranges)
	}
	if err := os.WriteFile(filepath.Join(to, "plan.pdf"), []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	before := len(s.ranges)
	code, _, errOut = amsctl(t.Context(), "documents", "download", "--on", "assets/A-1", "--to", to, "--parallel", "4")
	if code != 1 || strings.Count(errOut, "is there already") != 5 || !strings.Contains(errOut, "plan.pdf: is there with other bytes") ||
		len(s.ranges) != before {
		t.Errorf("again: exit %d: %s", code, errOut)
	}
	if kept, _ := os.ReadFile(filepath.Join(to, "plan.pdf")); string(kept) != "mine" {
		t.Error("somebody's file was replaced")
	}
}

func TestOtherBytesThanWereSaidAreNotKept(t *testing.T) {
	s := newFileService(t)
	d := s.make("plan.pdf", map[string]any{"collection": "assets", "record_id": boiler}, []byte("right"))
	s.contents[d["id"].(string)] = []byte("wrong")
	to := t.TempDir()
	code, _, errOut := amsctl(t.Context(), "documents", "download", "--on", "assets/A-1", "--to", to)
	if found, _ := os.ReadDir(to); code != 1 || len(found) != 0 || !strings.Contains(errOut, "came with the sha256") {
		t.Errorf("exit %d, %v: %s", code, found, errOut)
	}
}

func TestAManifestPutsFilesOnManyRecords(t *testing.T) {
	s := newFileService(t)
	folder := t.TempDir()
	for name, text := range map[string]string{"a.pdf": "a", "below/b.pdf": "b", "c.pdf": "c", "empty.pdf": ""} {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(file(t, "secret.txt", "secret"), filepath.Join(folder, "link.pdf")); err != nil {
		t.Fatal(err)
	}
	list := filepath.Join(folder, "list.csv")
	write := func(text string) {
		if err := os.WriteFile(list, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("\ufeffpath,on,kind,external_id,sort_order\na.pdf,assets/A-1,manual,doc-1,3\nbelow/b.pdf,assets/boiler,,,\n" +
		"../x.pdf,assets/A-1,,,\nlink.pdf,assets/A-1,,,\n" +
		"c.pdf,assets/nobody,,,\nc.pdf,assets/A-1,nonsense,,\nempty.pdf,assets/A-1,,,\nc.pdf\n")
	code, out, errOut := amsctl(t.Context(), "documents", "import", "--manifest", list)
	if code != 3 || !strings.Contains(out, "8 lines: 2 documents created, 0 there already, 6 rejected") {
		t.Fatalf("exit %d: %s%s", code, out, errOut)
	}
	if s.documents[0]["external_id"] != "doc-1" || s.documents[0]["sort_order"] != 3.0 || s.documents[0]["kind"] != "manual" ||
		len(s.documents) != 2 {
		t.Errorf("made %v", s.documents)
	}
	rejects, err := os.ReadFile(list + ".rejects.csv")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"rejected_line,rejected_record,rejected_field,rejected_because,path,on", "4,,path,", "5,,path,", "6,,on,",
		"7,,,kind: is none", "8,,path,", "9,,,the line has 1 values"} {
		if !strings.Contains(string(rejects), want) {
			t.Errorf("the rejects do not say %s:\n%s", want, rejects)
		}
	}
	write("path,on,external_id\na.pdf,assets/A-1,doc-1\nbelow/b.pdf,assets/A-1,\nc.pdf,assets/A-1,doc-3\n")
	code, out, errOut = amsctl(t.Context(), "documents", "import", "--manifest", list)
	if code != 0 || !strings.Contains(out, "3 lines: 1 documents created, 2 there already, 0 rejected") {
		t.Errorf("again: exit %d: %s%s", code, out, errOut)
	}
	if _, err := os.Stat(list + ".rejects.csv"); !os.IsNotExist(err) {
		t.Errorf("rejects of nothing: %v", err)
	}
	write("path,on,colour\n")
	if code, _, errOut := amsctl(t.Context(), "documents", "import", "--manifest", list); code != 1 ||
		!strings.Contains(errOut, `the column "colour" is not known`) {
		t.Errorf("exit %d: %s", code, errOut)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	write("path,on\nc.pdf,assets/boiler\n")
	if code, _, errOut := amsctl(ctx, "documents", "import", "--manifest", list); code != 1 ||
		!strings.Contains(errOut, "the same command again") {
		t.Errorf("interrupted: exit %d: %s", code, errOut)
	}
}
