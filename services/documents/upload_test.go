package documents

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha1" // #nosec G505 -- tus has it
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/postgres/postgrestest"
	"ams.internal/libs/principal"
	"ams.internal/libs/resource/resourcetest"
	"ams.internal/libs/testwait"
	"ams.internal/services/documents/store"
	"ams.internal/services/documents/store/storetest"
)

// film makes a text of so many bytes that is nowhere the same.
func film(size int) string {
	var b strings.Builder
	for i := 0; b.Len() < size; i++ {
		fmt.Fprintf(&b, "image %d\n", i)
	}
	return b.String()[:size]
}

// described is an Upload-Metadata.
func described(t testing.TB, values fields) string {
	t.Helper()
	var pairs []string
	for name, value := range values {
		text, is := value.(string)
		if !is {
			encoded, err := json.Marshal(value)
			if err != nil {
				t.Fatal(err)
			}
			text = string(encoded)
		}
		pairs = append(pairs, name+" "+base64.StdEncoding.EncodeToString([]byte(text)))
	}
	slices.Sort(pairs)
	return strings.Join(pairs, ",")
}

var onBoiler = fields{"document": fields{"collection": "assets", "record_id": boiler, "title": "Visite"}, "filename": "visite.txt",
	"filetype": "text/plain"}

// begin begins an upload and gives its path.
func begin(t testing.TB, client *resourcetest.Client, length int, metadata fields) string {
	t.Helper()
	made := client.Must(t, http.StatusCreated, "POST", uploadsPath, "", "Tus-Resumable", tusVersion, "Content-Type", "",
		"Upload-Length", strconv.Itoa(length), "Upload-Metadata", described(t, metadata))
	resourcetest.Expect(t, made.JSON, fields{"length": length, "offset": 0, "document_id": nil})
	return made.Header.Get("Location")
}

// send sends a PATCH.
func send(t testing.TB, client *resourcetest.Client, status int, path string, offset int, body string,
	header ...string) resourcetest.Response {
	t.Helper()
	return client.Must(t, status, "PATCH", path, body, append([]string{"Tus-Resumable", tusVersion, "Content-Type", offsetMediaType,
		"Upload-Offset", strconv.Itoa(offset)}, header...)...)
}

// offset asks how much is kept.
func offset(t testing.TB, client *resourcetest.Client, path string) int {
	t.Helper()
	head := client.Must(t, http.StatusOK, "HEAD", path, nil, "Tus-Resumable", tusVersion)
	if head.Header.Get("Cache-Control") != "no-store" || head.Header.Get("Tus-Resumable") != tusVersion {
		t.Errorf("HEAD %s: %v", path, head.Header)
	}
	n, err := strconv.Atoi(head.Header.Get("Upload-Offset"))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// isKept checks that the document of an upload has these bytes.
func isKept(t testing.TB, client *resourcetest.Client, path, content string) map[string]any {
	t.Helper()
	id, _ := client.Must(t, http.StatusOK, "GET", path, nil).JSON["document_id"].(string)
	digest := sha256.Sum256([]byte(content))
	document := client.Must(t, http.StatusOK, "GET", "/v1/documents/"+id, nil).JSON
	resourcetest.Expect(t, document, fields{"sha256": hex.EncodeToString(digest[:]), "size_bytes": len(content)})
	if got := client.Must(t, http.StatusOK, "GET", "/v1/documents/"+id+"/content", nil); string(got.Body) != content {
		t.Error("the content is another")
	}
	return document
}

// row changes the rows of uploads as time, or the end of a process, would.
func (f *fixture) row(t testing.TB, statement string, values ...any) {
	t.Helper()
	if err := f.registry.DB.Write(principal.Into(t.Context(), f.Principal), func(ctx context.Context, tx pgx.Tx) error {
		_, err := tx.Exec(ctx, statement, values...)
		return err
	}); err != nil {
		t.Fatal(err)
	}
}

// waitForWriter waits until somebody has the lease of the one upload, by asking the database: who asked by a PATCH might take it.
func (f *fixture) waitForWriter(t testing.TB) {
	t.Helper()
	testwait.For(t, time.Minute, "a writer", func() (held bool) {
		if err := f.registry.DB.Read(principal.Into(t.Context(), f.Principal), func(ctx context.Context, tx pgx.Tx) error {
			return tx.QueryRow(ctx, "SELECT lease_until IS NOT NULL FROM upload").Scan(&held)
		}); err != nil {
			t.Fatal(err)
		}
		return held
	})
}

// sender sends a PATCH over a connection of its own, which it can cut.
type sender struct {
	t    testing.TB
	conn *net.TCPConn
}

func newSender(t testing.TB, f *fixture, path string, offset, length int, header string) *sender {
	t.Helper()
	server := httptest.NewServer(f.Handler)
	t.Cleanup(server.Close)
	conn, err := net.Dial("tcp", strings.TrimPrefix(server.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	s := &sender{t, conn.(*net.TCPConn)}
	s.write(fmt.Sprintf("PATCH %s HTTP/1.1\r\nHost: x\r\n%s: %s\r\nTus-Resumable: 1.0.0\r\nContent-Type: %s\r\nUpload-Offset: %d\r\n"+
		"Content-Length: %d\r\n%s\r\n", path, principal.Header, f.Signer.Sign(f.Principal), offsetMediaType, offset, length, header))
	return s
}

func (s *sender) write(text string) {
	s.t.Helper()
	if _, err := io.WriteString(s.conn, text); err != nil {
		s.t.Fatal(err)
	}
}

// answer waits for the response; it is nil where there is none.
func (s *sender) answer() (int, string) {
	s.t.Helper()
	_ = s.conn.SetReadDeadline(time.Now().Add(time.Minute))
	response, err := http.ReadResponse(bufio.NewReader(s.conn), nil)
	if err != nil {
		s.t.Fatal(err)
	}
	body, _ := io.ReadAll(response.Body)
	return response.StatusCode, string(body)
}

// cut ends the connection in the middle of the body, and waits until that was noticed.
func (s *sender) cut() string {
	s.t.Helper()
	if err := s.conn.CloseWrite(); err != nil {
		s.t.Fatal(err)
	}
	_, body := s.answer()
	return body
}

// Worked case 6: 20,000,000 bytes in one PATCH, cut after 18,000,000.
func TestACutUploadGoesOnWhereItStopped(t *testing.T) {
	for name, open := range map[string]func(t *testing.T, f *fixture){
		"folder": func(*testing.T, *fixture) {},
		"s3": func(t *testing.T, f *fixture) {
			_, config := storetest.Start(t)
			bytes, err := store.New(t.Context(), config)
			if err != nil {
				t.Fatal(err)
			}
			f.documents.store = bytes
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			open(t, f)
			content := film(20_000_000)
			path := begin(t, f.Client, len(content), onBoiler)
			s := newSender(t, f, path, 0, len(content), "")
			s.write(content[:18_000_000])
			if answer := s.cut(); !strings.Contains(answer, "body_incomplete") {
				t.Errorf("cut: %s", answer)
			}
			if got := offset(t, f.Client, path); got != 18_000_000 {
				t.Fatalf("%d are kept, want 18,000,000", got)
			}
			var tails []int64
			if err := f.store.List(t.Context(), f.Principal.OrganizationID+"/", func(o store.Object) error {
				tails = append(tails, o.Size)
				return nil
			}); err != nil || fmt.Sprint(tails) != "[1222784]" {
				t.Errorf("objects of %v bytes (%v), want the rest of 1,222,784 alone", tails, err)
			}
			refused := send(t, f.Client, http.StatusConflict, path, 16_777_216, content[16_777_216:])
			resourcetest.Expect(t, refused.JSON, fields{"code": "offset_mismatch", "value": 18_000_000})
			if refused.Header.Get("Upload-Offset") != "18000000" {
				t.Errorf("the right offset is %q", refused.Header.Get("Upload-Offset"))
			}
			done := send(t, f.Client, http.StatusNoContent, path, 18_000_000, content[18_000_000:])
			document := isKept(t, f.Client, path, content)
			resourcetest.Expect(t, document,
				fields{"title": "Visite", "file_name": "visite.txt", "media_type": "text/plain", "kind": "other", "status": "active"})
			for i, again := range []resourcetest.Response{done, send(t, f.Client, http.StatusNoContent, path, 20_000_000, ""),
				f.Must(t, http.StatusOK, "HEAD", path, nil)} {
				if again.Header.Get("Document-Id") != document["id"] || again.Header.Get("Upload-Offset") != "20000000" ||
					again.Header.Get("Upload-Expires") == "" {
					t.Errorf("answer %d: %v", i, again.Header)
				}
			}
			resourcetest.Expect(t, f.Must(t, http.StatusConflict, "DELETE", path, nil, "Tus-Resumable", tusVersion).JSON,
				fields{"code": "upload_done"})
			f.kept(t, 20_000_000, 0)
		})
	}
}

// A process that is killed in the middle of a PATCH leaves its parts, and its lease. Another goes on when that has ended, and what the
// first does after all, having only stood still, harms nothing.
func TestAWriterWhoLostTheLeaseHarmsNothing(t *testing.T) {
	f := newFixture(t)
	content := film(20_000_000)
	path := begin(t, f.Client, len(content), onBoiler)
	id := path[strings.LastIndex(path, "/")+1:]
	first := newSender(t, f, path, 0, len(content), "")
	first.write(content[:18_000_000])
	testwait.For(t, time.Minute, "two parts", func() bool { return offset(t, f.Client, path) == 16_777_216 })
	resourcetest.Expect(t, send(t, f.Client, http.StatusConflict, path, 16_777_216, "").JSON, fields{"code": uploadBusy})
	f.row(t, "UPDATE upload SET lease_until = clock_timestamp(), generation = generation + 1 WHERE id = $1", id)
	send(t, f.Client, http.StatusNoContent, path, 16_777_216, content[16_777_216:19_000_000])
	other := strings.ToUpper(content)
	first.write(other[18_000_000:])
	if status, body := first.answer(); status != http.StatusConflict || !strings.Contains(body, uploadBusy) {
		t.Errorf("the first is answered %d %s", status, body)
	}
	send(t, f.Client, http.StatusNoContent, path, 19_000_000, content[19_000_000:])
	isKept(t, f.Client, path, content)
	f.kept(t, 20_000_000, 0)
}

// What cannot be kept of a body that was cut off is not said to be kept.
func TestARestThatCannotBeWrittenIsNotCounted(t *testing.T) {
	f := newFixture(t)
	content := film(20_000_000)
	path := begin(t, f.Client, len(content), onBoiler)
	inTheWay := filepath.Join(f.folder, "objects", f.Principal.OrganizationID)
	if err := os.WriteFile(inTheWay, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s := newSender(t, f, path, 0, len(content), "")
	s.write(content[:18_000_000])
	if answer := s.cut(); !strings.Contains(answer, "store_unavailable") {
		t.Errorf("cut: %s", answer)
	}
	if got := offset(t, f.Client, path); got != 16_777_216 {
		t.Errorf("%d are kept, want 16,777,216", got)
	}
	if err := os.Remove(inTheWay); err != nil {
		t.Fatal(err)
	}
	send(t, f.Client, http.StatusNoContent, path, 16_777_216, content[16_777_216:])
	isKept(t, f.Client, path, content)
}

// Worked case 6: three PATCHes of 1,000,000 → 3,000,000. Any division into requests gives the same bytes.
func TestAnUploadInManyRequests(t *testing.T) {
	f := newFixture(t)
	for _, sizes := range [][]int{{1_000_000, 1_000_000, 1_000_000}, {store.PartSize, 0, store.PartSize, 1},
		{1, store.PartSize, store.PartSize - 1}, {1}} {
		total := 0
		for _, size := range sizes {
			total += size
		}
		content := film(total)
		path := begin(t, f.Client, total, onBoiler)
		at := 0
		for _, size := range sizes {
			sent := send(t, f.Client, http.StatusNoContent, path, at, content[at:at+size])
			if at += size; sent.Header.Get("Upload-Offset") != strconv.Itoa(at) {
				t.Errorf("%v: after %d, Upload-Offset is %q", sizes, at, sent.Header.Get("Upload-Offset"))
			}
		}
		isKept(t, f.Client, path, content)
	}
}

func TestTheFirstBytesComeWithTheUpload(t *testing.T) {
	f := newFixture(t)
	header := []string{"Tus-Resumable", tusVersion, "Content-Type", offsetMediaType, "Upload-Length", "10", "Upload-Metadata",
		described(t, onBoiler)}
	part := f.Must(t, http.StatusCreated, "POST", uploadsPath, "bon", header...)
	if part.Header.Get("Upload-Offset") != "3" || part.Header.Get("Document-Id") != "" {
		t.Errorf("a part: %v", part.Header)
	}
	send(t, f.Client, http.StatusNoContent, part.Header.Get("Location"), 3, "jour la")
	isKept(t, f.Client, part.Header.Get("Location"), "bonjour la")
	whole := f.Must(t, http.StatusCreated, "POST", uploadsPath, "0123456789", header...)
	if whole.JSON["document_id"] == nil || whole.Header.Get("Document-Id") != whole.JSON["document_id"] {
		t.Errorf("the whole: %s", whole.Body)
	}
	f.Must(t, http.StatusBadRequest, "POST", uploadsPath, "0123456789",
		append(header, "Upload-Checksum", "sha1 "+base64.StdEncoding.EncodeToString(make([]byte, 20)))...)
	f.kept(t, 20, 0)
}

func TestAnUploadBecomesARevision(t *testing.T) {
	f := newFixture(t)
	made := upload(t, f.Client, http.StatusCreated, "plan.txt", []byte("premier"), nil)
	id := made.JSON["id"].(string)
	path := begin(t, f.Client, 6, fields{"document_id": id, "comment": "signé"})
	send(t, f.Client, http.StatusNoContent, path, 0, "second")
	resourcetest.Expect(t, isKept(t, f.Client, path, "second"), fields{"id": id, "revision": 2, "file_name": "plan.txt"})
	revisions, _ := f.List(t, "/v1/documents/"+id+"/revisions")
	resourcetest.Expect(t, revisions[0], fields{"number": 2, "comment": "signé"})
}

// The organization keeps equal bytes once; the upload can be asked about all the same when the sweeper has taken the second object away.
func TestAnUploadOfKnownBytes(t *testing.T) {
	f := newFixture(t)
	upload(t, f.Client, http.StatusCreated, "a.txt", []byte("bonjour"), nil)
	path := begin(t, f.Client, 7, onBoiler)
	send(t, f.Client, http.StatusNoContent, path, 0, "bonjour")
	f.row(t, "DELETE FROM blob WHERE state = 'doomed'")
	isKept(t, f.Client, path, "bonjour")
}

func TestOneRequestWritesAtATime(t *testing.T) {
	f := newFixture(t)
	path := begin(t, f.Client, 10, onBoiler)
	s := newSender(t, f, path, 0, 10, "")
	s.write("01234")
	f.waitForWriter(t)
	other := send(t, f.Client, http.StatusConflict, path, 0, "")
	if resourcetest.Expect(t, other.JSON, fields{"code": uploadBusy}); other.Header.Get("Retry-After") != "2" {
		t.Errorf("Retry-After is %q", other.Header.Get("Retry-After"))
	}
	time.Sleep(uploadLease + time.Second) // the lease is renewed
	resourcetest.Expect(t, send(t, f.Client, http.StatusConflict, path, 0, "").JSON, fields{"code": uploadBusy})
	s.write("56789")
	if status, body := s.answer(); status != http.StatusNoContent {
		t.Errorf("the first is answered %d %s", status, body)
	}
	isKept(t, f.Client, path, "0123456789")
}

func TestChecksumsOfBodies(t *testing.T) {
	f := newFixture(t)
	content := film(store.PartSize + 1_000_000)
	path := begin(t, f.Client, len(content), onBoiler)
	sha := func(text string) string {
		digest := sha1.Sum([]byte(text)) // #nosec G401 -- as above
		return "sha1 " + base64.StdEncoding.EncodeToString(digest[:])
	}
	send(t, f.Client, http.StatusNoContent, path, 0, content[:500_000], "Upload-Checksum", sha(content[:500_000]))
	wrong := send(t, f.Client, http.StatusBadRequest, path, 500_000, content[500_000:], "Upload-Checksum", sha("x"))
	resourcetest.Expect(t, wrong.JSON, fields{"code": "checksum_mismatch"})
	s := newSender(t, f, path, 500_000, len(content)-500_000, "Upload-Checksum: "+sha(content[500_000:])+"\r\n")
	s.write(content[500_000 : len(content)-1])
	s.cut()
	if got := offset(t, f.Client, path); got != 500_000 {
		t.Errorf("%d are kept, want 500,000", got)
	}
	digest := sha256.Sum256([]byte(content[500_000:]))
	send(t, f.Client, http.StatusNoContent, path, 500_000, content[500_000:], "Upload-Checksum",
		"sha256 "+base64.StdEncoding.EncodeToString(digest[:]))
	isKept(t, f.Client, path, content)
	f.kept(t, len(content), 0)
}

func TestAnUploadExpires(t *testing.T) {
	f := newFixture(t)
	path := begin(t, f.Client, 10, onBoiler)
	send(t, f.Client, http.StatusNoContent, path, 0, "01234")
	due := func() (n int) {
		f.row(t, "SELECT") // as this organization
		if err := f.registry.DB.Read(principal.Into(t.Context(), f.Principal), func(ctx context.Context, tx pgx.Tx) error {
			return tx.QueryRow(ctx, "SELECT count(*) FROM blobs_due(100, 100) WHERE organization_id = current_organization()").Scan(&n)
		}); err != nil {
			t.Fatal(err)
		}
		return n
	}
	f.row(t, "UPDATE blob SET lease_until = lease_until - interval '24 hours'") // a minute is left
	if due() != 0 {
		t.Error("it is to be swept before it has expired")
	}
	f.row(t, "UPDATE upload SET expires_at = expires_at - interval '24 hours'")
	f.Must(t, http.StatusNotFound, "GET", path, nil)
	f.Must(t, http.StatusNotFound, "HEAD", path, nil)
	send(t, f.Client, http.StatusNotFound, path, 5, "56789")
	f.Must(t, http.StatusNotFound, "DELETE", path, nil, "Tus-Resumable", tusVersion)
	f.row(t, "UPDATE blob SET lease_until = lease_until - interval '1 minute'")
	if due() != 1 {
		t.Error("the sweeper is not told")
	}
}

func TestAnUploadIsGivenUp(t *testing.T) {
	f := newFixture(t)
	path := begin(t, f.Client, 20_000_000, onBoiler)
	send(t, f.Client, http.StatusNoContent, path, 0, film(9_000_000))
	f.Must(t, http.StatusNoContent, "DELETE", path, nil, "Tus-Resumable", tusVersion)
	f.Must(t, http.StatusNotFound, "GET", path, nil)
	send(t, f.Client, http.StatusNotFound, path, 9_000_000, "x")
	f.kept(t, 0, 0)
	if err := f.store.ListUploads(t.Context(), func(u store.Upload) error { return fmt.Errorf("%s is left", u.Key) }); err != nil {
		t.Error(err)
	}
}

// Whose process ends between the last byte and the document finds it made by the next request.
func TestTheLastStepIsRepeated(t *testing.T) {
	f := newFixture(t)
	for name, again := range map[string]func(path string){
		"HEAD":  func(path string) { f.Must(t, http.StatusOK, "HEAD", path, nil) },
		"PATCH": func(path string) { send(t, f.Client, http.StatusNoContent, path, 7, "") },
	} {
		path := begin(t, f.Client, 7, onBoiler)
		f.Refuse("/internal/references/assets")
		send(t, f.Client, http.StatusServiceUnavailable, path, 0, "bonjour")
		f.Must(t, http.StatusServiceUnavailable, "HEAD", path, nil)
		f.Restore("/internal/references/assets")
		if name == "HEAD" { // one who may only read finishes nothing
			reader := *f.Client
			reader.Principal.Scopes = []string{"documents:read"}
			reader.Must(t, http.StatusForbidden, "GET", path, nil)
		}
		again(path)
		isKept(t, f.Client, path, "bonjour")
	}
	if _, pagination := f.List(t, "/v1/documents"); pagination["total"] != 2.0 {
		t.Errorf("there are %v documents, want 2", pagination["total"])
	}
	f.row(t, "DELETE FROM blob WHERE state = 'doomed'")
}

// What would be refused at the end is refused at the beginning, or as soon as it can be told; then nothing is left.
func TestUploadsThatAreRefused(t *testing.T) {
	f := newFixture(t)
	f.Principal.StorageLimit = 1 << 30
	reader, projects, narrow := *f.Client, *f.Client, *f.Client
	reader.Principal.Scopes = []string{"documents:read", "assets:write"}
	narrow.Principal.Scopes = []string{"documents:write", "sites:write"}
	projects.Principal.Features = []string{"api_access"}
	with := func(metadata fields, name string, value any) fields {
		changed := fields{name: value}
		for n, v := range metadata {
			if n != name {
				changed[n] = v
			}
		}
		if value == nil {
			delete(changed, name)
		}
		return changed
	}
	document := func(more fields) fields {
		of := fields{"collection": "assets", "record_id": boiler}
		for field, value := range more {
			of[field] = value
		}
		return with(onBoiler, "document", of)
	}
	raw := func(name, value string) []string { return []string{name, value} }
	for name, c := range map[string]struct {
		client   *resourcetest.Client
		metadata fields
		header   []string
		status   int
		code     string
		field    string
	}{
		"no version":      {f.Client, onBoiler, raw("Tus-Resumable", ""), 400, "invalid_request", "Tus-Resumable"},
		"another version": {f.Client, onBoiler, raw("Tus-Resumable", "0.2.2"), 400, "invalid_request", "Tus-Resumable"},
		"no length":       {f.Client, onBoiler, raw("Upload-Length", ""), 400, "invalid_request", "Upload-Length"},
		"deferred length": {f.Client, onBoiler, raw("Upload-Defer-Length", "1"), 400, "invalid_request", "Upload-Defer-Length"},
		"negative length": {f.Client, onBoiler, raw("Upload-Length", "-1"), 400, "invalid_request", "Upload-Length"},
		"empty":           {f.Client, onBoiler, raw("Upload-Length", "0"), 400, "content_empty", ""},
		"too large":       {f.Client, onBoiler, raw("Upload-Length", "5368709121"), 400, "content_too_large", ""},
		"no room":         {f.Client, onBoiler, raw("Upload-Length", "1073741825"), 403, "storage_full", ""},
		"no metadata":     {f.Client, nil, nil, 400, "invalid_request", "Upload-Metadata.document"},
		"no base64":       {f.Client, nil, raw("Upload-Metadata", "document {}"), 400, "invalid_request", "Upload-Metadata.document"},
		"twice": {f.Client, nil, raw("Upload-Metadata", "filename YQ==,filename YQ=="), 400, "invalid_request",
			"Upload-Metadata.filename"},
		"no JSON":          {f.Client, with(onBoiler, "document", "{"), nil, 400, "", ""},
		"no name":          {f.Client, with(onBoiler, "filename", nil), nil, 400, "invalid_request", "Upload-Metadata.filename"},
		"both":             {f.Client, with(onBoiler, "document_id", boiler), nil, 400, "invalid_request", "Upload-Metadata.document"},
		"no id":            {f.Client, fields{"document_id": "x"}, nil, 400, "invalid_request", "Upload-Metadata.document_id"},
		"no such document": {f.Client, fields{"document_id": boiler}, nil, 404, "not_found", ""},
		"long comment": {f.Client, fields{"document_id": boiler, "comment": strings.Repeat("é", 501)}, nil, 400, "invalid_request",
			"Upload-Metadata.comment"},
		"long comment, new": {f.Client, with(onBoiler, "comment", strings.Repeat("é", 501)), nil, 400, "invalid_request",
			"Upload-Metadata.comment"},
		"NUL":                 {f.Client, with(onBoiler, "filename", "a\x00b"), nil, 400, "invalid_request", "Upload-Metadata.filename"},
		"bad field":           {f.Client, document(fields{"language": "xx"}), nil, 400, "invalid_request", "language"},
		"unknown field":       {f.Client, document(fields{"colour": "red"}), nil, 400, "invalid_request", "colour"},
		"nobody's record":     {f.Client, document(fields{"record_id": nobodys}), nil, 404, "reference_not_found", "record_id"},
		"no write":            {&reader, onBoiler, nil, 403, "scope_missing", ""},
		"no write on assets":  {&narrow, onBoiler, nil, 403, "scope_missing", ""},
		"not in the plan":     {&projects, document(fields{"collection": "projects", "record_id": project}), nil, 403, "", ""},
		"bad checksum header": {f.Client, onBoiler, raw("Upload-Checksum", "md5 AAAA"), 400, "invalid_request", "Upload-Checksum"},
	} {
		header := append([]string{"Tus-Resumable", tusVersion, "Content-Type", "", "Upload-Length", "10", "Upload-Metadata",
			described(t, c.metadata)}, c.header...)
		refused := c.client.Must(t, c.status, "POST", uploadsPath, "", header...)
		if c.code != "" && refused.JSON["code"] != c.code || c.field != "" && !slices.Contains(refused.Fields(), c.field) {
			t.Errorf("%s: %s", name, refused.Body)
		}
	}
	f.Must(t, http.StatusBadRequest, "POST", uploadsPath, "x", "Tus-Resumable", tusVersion, "Content-Type", "text/plain", "Upload-Length", "1",
		"Upload-Metadata", described(t, onBoiler))
	path := begin(t, f.Client, 10, onBoiler)
	for name, header := range map[string][]string{
		"Content-Type": {"Content-Type", "application/octet-stream"}, "Upload-Offset": {"Upload-Offset", "x"},
		"Tus-Resumable": {"Tus-Resumable", ""}, "Upload-Checksum": {"Upload-Checksum", "sha1 AAAA"},
	} {
		refused := send(t, f.Client, http.StatusBadRequest, path, 0, "x", header...)
		if name != "Content-Type" && !slices.Contains(refused.Fields(), name) {
			t.Errorf("%s: %s", name, refused.Body)
		}
		if refused.Header.Get("Tus-Resumable") != tusVersion {
			t.Errorf("%s: an answer without Tus-Resumable", name)
		}
	}
	resourcetest.Expect(t, send(t, f.Client, http.StatusBadRequest, path, 0, "0123456789x").JSON, fields{"code": "upload_too_long"})
	for _, c := range []*resourcetest.Client{f.Other(), func() *resourcetest.Client {
		other := *f.Client
		other.Principal.Actor.ID = "019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e99"
		return &other
	}()} {
		c.Must(t, http.StatusNotFound, "GET", path, nil)
		c.Must(t, http.StatusNotFound, "HEAD", path, nil)
		send(t, c, http.StatusNotFound, path, 0, "0")
	}
	f.Other().Must(t, http.StatusNotFound, "DELETE", path, nil, "Tus-Resumable", tusVersion)
	f.Must(t, http.StatusBadRequest, "GET", uploadsPath+"/x", nil)
	f.Must(t, http.StatusNoContent, "DELETE", path, nil, "Tus-Resumable", tusVersion)
	// A program is told by its first 256 KiB, while the rest is on its way.
	path = begin(t, f.Client, 20_000_000, with(with(onBoiler, "filename", "photo.jpg"), "filetype", "image/jpeg"))
	s := newSender(t, f, path, 0, 20_000_000, "")
	s.write("MZ\x90\x00" + strings.Repeat("\x00\x01", 256<<9))
	if status, body := s.answer(); status != http.StatusBadRequest || !strings.Contains(body, "type_refused") {
		t.Errorf("a program: %d %s", status, body)
	}
	f.Must(t, http.StatusNotFound, "GET", path, nil)
	f.kept(t, 0, 0)
}

// A body without a length that goes on behind the end of the file is refused, and the file is not made of it.
func TestABodyThatIsLongerThanTheUpload(t *testing.T) {
	f := newFixture(t)
	path := begin(t, f.Client, 10, onBoiler)
	request := httptest.NewRequestWithContext(t.Context(), "PATCH", path, io.MultiReader(bytes.NewReader([]byte("0123456789x"))))
	for name, value := range map[string]string{principal.Header: f.Signer.Sign(f.Principal), "Tus-Resumable": tusVersion,
		"Content-Type": offsetMediaType, "Upload-Offset": "0"} {
		request.Header.Set(name, value)
	}
	recorder := httptest.NewRecorder()
	f.Handler.ServeHTTP(recorder, request)
	if recorder.Code != http.StatusBadRequest || !strings.Contains(recorder.Body.String(), "upload_too_long") {
		t.Errorf("%d %s", recorder.Code, recorder.Body)
	}
	send(t, f.Client, http.StatusNoContent, path, 0, "0123456789")
	isKept(t, f.Client, path, "0123456789")
}

// Each further part costs one statement.
func TestAPartCostsOneStatement(t *testing.T) {
	f := newFixture(t)
	through, run := postgrestest.CountStatements(t, f.database.URL)
	f.registry.DB = (&postgrestest.Database{URL: through}).Open(t)
	cost := func(parts int) int64 {
		path := begin(t, f.Client, 100_000_000, onBoiler)
		body := film(parts*store.PartSize + parts)
		before := run.Load()
		send(t, f.Client, http.StatusNoContent, path, 0, body)
		return run.Load() - before
	}
	if one, five := cost(1), cost(5); five-one != 2*4 { // beside the statement, the one that says whose it is
		t.Errorf("4 parts more took %d statements", five-one)
	}
}
