package documents

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/principal"
	"ams.internal/libs/resource/resourcetest"
)

const archiveURL = "/v1/documents/archive"

// unpack reads an archive, by path, and the rows of its manifest without the first.
func unpack(t *testing.T, body []byte) (files map[string]string, manifest [][]string) {
	t.Helper()
	reader, err := zip.NewReader(bytes.NewReader(body), int64(len(body)))
	if err != nil {
		t.Fatal(err)
	}
	files = map[string]string{}
	for i, file := range reader.File {
		opened, err := file.Open()
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(opened) // with the check sum
		if err != nil {
			t.Fatal(err)
		}
		if file.Method != zip.Store || i == 0 && file.Name != manifestName {
			t.Errorf("%d: %s by method %d", i, file.Name, file.Method)
		}
		files[file.Name] = string(content)
	}
	manifest, err = csv.NewReader(strings.NewReader(files[manifestName])).ReadAll()
	if err != nil || strings.Join(manifest[0], ",") != "path,id,revision,sha256,size,state" {
		t.Fatalf("the manifest: %v, %v", manifest, err)
	}
	delete(files, manifestName)
	return files, manifest[1:]
}

// inDatabase runs a statement as the organization.
func (f *fixture) inDatabase(t *testing.T, sql string, args ...any) {
	t.Helper()
	if err := f.registry.DB.Write(principal.Into(t.Context(), f.Principal), func(ctx context.Context, tx pgx.Tx) error {
		_, err := tx.Exec(ctx, sql, args...)
		return err
	}); err != nil {
		t.Fatal(err)
	}
}

func TestDocumentsAreReadAsOneZIP(t *testing.T) {
	f := newFixture(t)
	add := func(name, content string, more fields) string {
		t.Helper()
		return upload(t, f.Client, http.StatusCreated, name, []byte(content), more).JSON["id"].(string)
	}
	plan := add("plan.txt", "un", fields{"title": "Plan: été"})
	add("plan.txt", "deux", fields{"title": "Plan: été"})
	add("bon.txt", "trois", fields{"collection": "work_orders", "record_id": order})
	infected := add("virus.txt", "malware", nil)
	pending := add("neu.txt", "pending", nil)
	draft := f.Create(t, "/v1/documents", fields{"collection": "assets", "record_id": boiler, "title": "Entwurf"})["id"].(string)
	trashed := add("alt.txt", "trashed", nil)
	f.Must(t, http.StatusNoContent, "DELETE", "/v1/documents/"+trashed, nil)
	for id, state := range map[string]string{infected: "infected", pending: "pending"} {
		f.inDatabase(t, `UPDATE blob SET scan_status = $2 WHERE organization_id = current_organization() AND id = (
			SELECT blob_id FROM document_revision WHERE organization_id = current_organization() AND document_id = $1)`, id, state)
	}
	answer := f.Must(t, http.StatusOK, "GET", archiveURL, nil)
	for name, want := range map[string]string{"Content-Type": "application/zip", "Content-Length": "", "Content-Encoding": "",
		"Content-Disposition": `attachment; filename="documents-` + f.Principal.Calendar().Today() + `.zip"`} {
		if got := answer.Header.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	files, manifest := unpack(t, answer.Body)
	want := map[string]string{"assets/Chaudière 1/Plan_ été.txt": "un", "assets/Chaudière 1/Plan_ été (2).txt": "deux",
		"work_orders/Réparer la pompe/bon.txt": "trois"}
	if fmt.Sprint(files) != fmt.Sprint(want) {
		t.Errorf("files %v, want %v", files, want)
	}
	digest := sha256.Sum256([]byte("un"))
	if len(manifest) != 6 ||
		!slices.Equal(manifest[0], []string{"assets/Chaudière 1/Plan_ été.txt", plan, "1", hex.EncodeToString(digest[:]), "2", "not_scanned"}) {
		t.Errorf("manifest %v", manifest)
	}
	for i, id := range map[int]string{3: infected, 4: pending, 5: draft} {
		if state := map[string]string{infected: "infected", pending: "pending", draft: "draft"}[id]; manifest[i][0] != "" ||
			manifest[i][1] != id || manifest[i][5] != state || (manifest[i][3] == "") != (id == draft) {
			t.Errorf("manifest %v", manifest[i])
		}
	}
	// The program that people have reads it as well.
	path := filepath.Join(t.TempDir(), "documents.zip")
	if err := os.WriteFile(path, answer.Body, 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), "unzip", "-t", path).CombinedOutput(); err != nil ||
		!strings.Contains(string(out), "No errors detected") {
		t.Errorf("unzip: %v: %s", err, out)
	}
	if head := f.Must(t, http.StatusOK, "HEAD", archiveURL, nil); len(head.Body) != 0 || head.Header.Get("Content-Length") != "" {
		t.Errorf("HEAD: %v", head.Header)
	}

	// The filters of the list apply, and what the caller may not see is not there.
	names := func(client *resourcetest.Client, query string) []string {
		t.Helper()
		_, manifest := unpack(t, client.Must(t, http.StatusOK, "GET", archiveURL+query, nil).Body)
		var ids []string
		for _, row := range manifest {
			ids = append(ids, row[1])
		}
		return ids
	}
	assets := *f.Client
	assets.Principal.Scopes = []string{"documents:read", "assets:read"}
	for query, count := range map[string]int{"?record_id=" + boiler: 5, "?collection=work_orders": 1, "?status=trashed": 1, "?q=Plan": 2,
		"?kind=photo": 0, "?ids=" + plan: 1} {
		if got := names(f.Client, query); len(got) != count {
			t.Errorf("%s: %v, want %d", query, got, count)
		}
	}
	if got := names(f.Client, "?sort=-title&record_id="+boiler); got[len(got)-1] != draft {
		t.Errorf("by title, backwards: %v", got)
	}
	if got := names(&assets, ""); len(got) != 5 {
		t.Errorf("to a key that reads assets: %v", got)
	}
	if body := f.Other().Must(t, http.StatusOK, "GET", archiveURL, nil).Body; true { // nothing: a manifest of one line
		if files, manifest := unpack(t, body); len(files)+len(manifest) != 0 {
			t.Errorf("of another organization: %v %v", files, manifest)
		}
	}
	for _, name := range []string{"page=1", "per_page=5", "cursor=x", "fields=id", "expand=record_id", "csv=excel", "kind=nonsense",
		"sort=relevance&q=Plan"} {
		field, _, _ := strings.Cut(name, "=")
		if got := f.Must(t, http.StatusBadRequest, "GET", archiveURL+"?"+name, nil).Fields(); !slices.Contains(got, field) {
			t.Errorf("%s: %v", name, got)
		}
	}
	f.Refuse("/internal/references/assets")
	f.Must(t, http.StatusServiceUnavailable, "GET", archiveURL, nil)
}

// What a server holds back, because it could not be scanned, is not read as a ZIP either.
func TestAnArchiveHoldsBackWhatCouldNotBeScanned(t *testing.T) {
	f := newFixture(t)
	upload(t, f.Client, http.StatusCreated, "sealed.txt", []byte("sealed"), nil)
	f.inDatabase(t, `UPDATE blob SET scan_status = 'unscannable' WHERE organization_id = current_organization()`)
	for _, hold := range []bool{false, true} {
		f.holdUnscannable = hold
		files, manifest := unpack(t, f.Must(t, http.StatusOK, "GET", archiveURL, nil).Body)
		if (len(files) == 0) != hold || len(manifest) != 1 || (manifest[0][0] == "") != hold || manifest[0][5] != "unscannable" {
			t.Errorf("held %t: files %v, manifest %v", hold, files, manifest)
		}
	}
}

func TestAnArchiveIsNotLargerThanItMayBe(t *testing.T) {
	f := newFixture(t)
	for range 2 {
		bodies := make([]any, 1000)
		for i := range bodies {
			bodies[i] = fields{"collection": "assets", "record_id": boiler, "title": fmt.Sprint(i)}
		}
		f.Must(t, http.StatusOK, "POST", "/v1/documents/bulk", fields{"data": bodies})
	}
	if _, manifest := unpack(t, f.Must(t, http.StatusOK, "GET", archiveURL, nil).Body); len(manifest) != 2000 {
		t.Errorf("%d documents", len(manifest))
	}
	id := upload(t, f.Client, http.StatusCreated, "a.txt", []byte("a"), fields{"record_id": pump}).JSON["id"].(string)
	tooLarge := func(query string) {
		t.Helper()
		refused := f.Must(t, http.StatusBadRequest, "GET", archiveURL+query, nil)
		resourcetest.Expect(t, refused.JSON, fields{"code": "archive_too_large"})
		if text := refused.JSON["error"].(string); !strings.Contains(text, "2000 documents and 20 GiB") {
			t.Errorf("it says %s", text)
		}
	}
	tooLarge("")
	f.inDatabase(t,
		"UPDATE document SET size_bytes = 20::bigint * 1024 * 1024 * 1024 + 1 WHERE organization_id = current_organization() AND id = $1", id)
	tooLarge("?record_id=" + pump)
}

// A store that fails in the middle leaves the caller with what is no ZIP.
func TestAnArchiveThatBreaksOffHasNoEnd(t *testing.T) {
	f := newFixture(t)
	upload(t, f.Client, http.StatusCreated, "a.txt", bytes.Repeat([]byte("a"), 1<<20), nil)
	second := upload(t, f.Client, http.StatusCreated, "b.txt", []byte("b"), nil).JSON["id"].(string)
	var blob string
	if err := f.registry.DB.Read(principal.Into(t.Context(), f.Principal), func(ctx context.Context, tx pgx.Tx) error {
		return tx.QueryRow(ctx, `SELECT blob_id::text FROM document_revision
			WHERE organization_id = current_organization() AND document_id = $1`, second).Scan(&blob)
	}); err != nil {
		t.Fatal(err)
	}
	if err := f.store.Delete(t.Context(), key(f.Principal.OrganizationID, blob)); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(f.Handler)
	defer server.Close()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+archiveURL, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set(principal.Header, f.Signer.Sign(f.Principal))
	response, err := server.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err == nil || response.StatusCode != http.StatusOK || response.ContentLength != -1 {
		t.Errorf("%d of %d bytes, length %d: %v", response.StatusCode, len(body), response.ContentLength, err)
	}
	if _, err := zip.NewReader(bytes.NewReader(body), int64(len(body))); err == nil || len(body) == 0 {
		t.Errorf("%d bytes that came are a whole ZIP: %v", len(body), err)
	}
}

// zeros are so many bytes of a document.
type zeros struct{ left int64 }

func (z *zeros) Read(p []byte) (int, error) {
	if z.left == 0 {
		return 0, io.EOF
	}
	n := min(int64(len(p)), z.left)
	clear(p[:n])
	z.left -= n
	return int(n), nil
}

func (z *zeros) Close() error { return nil }

// sparse writes a file in which zeros take no room.
type sparse struct{ *os.File }

var nothing [64 << 10]byte

func (s sparse) Write(p []byte) (int, error) {
	if len(p) > 4096 && bytes.Equal(p, nothing[:len(p)]) {
		_, err := s.Seek(int64(len(p)), io.SeekCurrent)
		return len(p), err
	}
	return s.File.Write(p)
}

// More than 4 GiB is Zip64, and takes no more memory than less does.
func TestAnArchiveOfMoreThan4GiB(t *testing.T) {
	document := func(name string, size int64) *archived {
		revision, digest, blob := 1, strings.Repeat("0", 64), "x"
		return &archived{id: nobodys, collection: "assets", record: boiler, title: name, revision: &revision, sha256: &digest, fileName: &name,
			blob: &blob, size: &size, state: "clean", at: time.Now(), path: "assets/Chaudière 1/" + name}
	}
	all := []*archived{document("video.mp4", 4<<30+5), document("behind.txt", 7)}
	path := filepath.Join(t.TempDir(), "large.zip")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	err = writeArchive(sparse{file}, all, func(a *archived) (io.ReadCloser, error) { return &zeros{*a.size}, nil })
	runtime.ReadMemStats(&after)
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	if took := after.TotalAlloc - before.TotalAlloc; took > 1<<20 {
		t.Errorf("writing 4 GiB took %d bytes of memory", took)
	}
	reader, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = reader.Close() }()
	for i, a := range all {
		if got := reader.File[i+1]; got.Name != a.path || int64(got.UncompressedSize64) != *a.size { // #nosec G115 -- sizes of this test
			t.Errorf("%s has %d bytes", got.Name, got.UncompressedSize64)
		}
	}
	behind, err := reader.File[2].Open()
	if err != nil {
		t.Fatal(err)
	}
	if content, err := io.ReadAll(behind); err != nil || !bytes.Equal(content, nothing[:7]) {
		t.Errorf("what is behind the 4 GiB: %v, %v", content, err)
	}
	out, err := exec.CommandContext(t.Context(), "unzip", "-v", path).CombinedOutput()
	if err != nil || !strings.Contains(string(out), "4294967301") {
		t.Errorf("unzip: %v: %s", err, out)
	}
	if out, err := exec.CommandContext(t.Context(), "unzip", "-p", path, "assets/*/behind.txt").Output(); err != nil ||
		!bytes.Equal(out, nothing[:7]) {
		t.Errorf("unzip of what is behind the 4 GiB: %v: %v", err, out)
	}
	// A content that has other bytes than the document says is no archive.
	for _, size := range []int64{6, 8} {
		if err := writeArchive(io.Discard, all[1:], func(*archived) (io.ReadCloser, error) { return &zeros{size}, nil }); err == nil {
			t.Errorf("%d bytes of 7 are taken", size)
		}
	}
}
