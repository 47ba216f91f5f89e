package documents

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/fault"
	"ams.internal/libs/principal"
	"ams.internal/libs/resource/resourcetest"
	"ams.internal/services/documents/mediatype"
	"ams.internal/services/documents/store"
)

func TestAFileIsKeptAndReadAgain(t *testing.T) {
	f := newFixture(t)
	content := []byte("%PDF-1.7\nune garantie\n%%EOF\n")
	digest := sha256.Sum256(content)
	made := upload(t, f.Client, http.StatusCreated, "Garantie été.pdf", content, fields{"kind": "warranty"})
	resourcetest.Expect(t, made.JSON, fields{"title": "Garantie été.pdf", "kind": "warranty", "status": "active", "revision": 1, "version": 1,
		"file_name": "Garantie été.pdf", "media_type": "application/pdf", "size_bytes": len(content), "sha256": hex.EncodeToString(digest[:]),
		"scan_status": "not_scanned", "legal_holds": []any{}, "retain_until": nil})
	path := made.Header.Get("Location")
	got := f.Must(t, http.StatusOK, "GET", path+"/content", nil)
	if string(got.Body) != string(content) {
		t.Errorf("got %q", got.Body)
	}
	for name, want := range map[string]string{
		"Content-Type": "application/pdf", "ETag": `"` + hex.EncodeToString(digest[:]) + `"`, "X-Content-Type-Options": "nosniff",
		"Content-Security-Policy": "default-src 'none'; sandbox", "Accept-Ranges": "bytes", "Cache-Control": "private, no-cache",
		"Content-Disposition": `attachment; filename="Garantie ete.pdf"; filename*=UTF-8''Garantie%20%C3%A9t%C3%A9.pdf`,
	} {
		if got.Header.Get(name) != want {
			t.Errorf("%s: %q, want %q", name, got.Header.Get(name), want)
		}
	}
	f.Must(t, http.StatusNotFound, "GET", path+"/thumbnail", nil)
}

// Worked case 7.
func TestRangesOfAContent(t *testing.T) {
	f := newFixture(t)
	content := make([]byte, 1000)
	for i := range content {
		content[i] = byte('a' + i%26)
	}
	made := upload(t, f.Client, http.StatusCreated, "n.txt", content, nil)
	path := made.Header.Get("Location") + "/content"
	etag := f.Must(t, http.StatusOK, "HEAD", path, nil).Header.Get("ETag")
	for _, c := range []struct {
		asked, ifRange string
		status         int
		from, to       int // to is exclusive
		shown          string
	}{
		{"bytes=0-0", "", 206, 0, 1, "bytes 0-0/1000"},
		{"bytes=-1", "", 206, 999, 1000, "bytes 999-999/1000"},
		{"bytes=990-2000", "", 206, 990, 1000, "bytes 990-999/1000"},
		{"bytes=500-", "", 206, 500, 1000, "bytes 500-999/1000"},
		{"bytes=-5000", "", 206, 0, 1000, "bytes 0-999/1000"},
		{"bytes=1000-", "", 400, 0, 0, "bytes */1000"},
		{"bytes=-0", "", 400, 0, 0, "bytes */1000"},
		{"bytes=0-1,5-6", "", 200, 0, 1000, ""},
		{"lines=1-2", "", 200, 0, 1000, ""},
		{"bytes=5-2", "", 200, 0, 1000, ""},
		{"bytes=x-", "", 200, 0, 1000, ""},
		{"bytes=0-9", etag, 206, 0, 10, "bytes 0-9/1000"},
		{"bytes=0-9", `"another"`, 200, 0, 1000, ""},
	} {
		got := f.Must(t, c.status, "GET", path, nil, "Range", c.asked, "If-Range", c.ifRange)
		if shown := got.Header.Get("Content-Range"); shown != c.shown {
			t.Errorf("%s: Content-Range %q, want %q", c.asked, shown, c.shown)
		}
		if c.status == 400 {
			continue
		}
		if string(got.Body) != string(content[c.from:c.to]) || got.Header.Get("Content-Length") != strconv.Itoa(c.to-c.from) {
			t.Errorf("%s: %d bytes, Content-Length %s, want %d", c.asked, len(got.Body), got.Header.Get("Content-Length"), c.to-c.from)
		}
		head := f.Must(t, c.status, "HEAD", path, nil, "Range", c.asked, "If-Range", c.ifRange)
		if len(head.Body) != 0 || head.Header.Get("Content-Length") != got.Header.Get("Content-Length") {
			t.Errorf("%s: HEAD has %d bytes and says %s", c.asked, len(head.Body), head.Header.Get("Content-Length"))
		}
	}
	f.Must(t, http.StatusNotModified, "GET", path, nil, "If-None-Match", `"x", `+etag)
	f.Must(t, http.StatusConflict, "GET", path, nil, "If-Match", `"x"`)
	f.Must(t, http.StatusOK, "GET", path, nil, "If-Match", etag)
}

func TestRevisionsAreCountedAndRestored(t *testing.T) {
	f := newFixture(t)
	made := upload(t, f.Client, http.StatusCreated, "plan.txt", []byte("premier"), fields{"title": "Plan"})
	path := made.Header.Get("Location")
	digest := sha256.Sum256([]byte("second"))
	told := "sha-256=:" + base64.StdEncoding.EncodeToString(digest[:]) + ":"
	second := f.Must(t, http.StatusCreated, "POST", path+"/revisions?comment=sign%C3%A9", "second", "Content-Type", "text/plain",
		"Content-Disposition", "attachment; filename*=UTF-8''plan%20sign%C3%A9.txt", "Content-Digest", told, "If-Match", `"1"`)
	resourcetest.Expect(t, second.JSON, fields{"revision": 2, "file_name": "plan signé.txt", "title": "Plan", "version": 2})
	wrong := sha256.Sum256([]byte("other"))
	refused := f.Must(t, http.StatusBadRequest, "POST", path+"/revisions", "second!", "Content-Type", "text/plain", "Content-Digest",
		"sha-256=:"+base64.StdEncoding.EncodeToString(wrong[:])+":")
	if fmt.Sprint(refused.Fields()) != "[Content-Digest]" {
		t.Errorf("refused: %s", refused.Body)
	}
	f.Must(t, http.StatusConflict, "POST", path+"/revisions", "third", "Content-Type", "text/plain", "If-Match", `"1"`)
	f.Must(t, http.StatusBadRequest, "POST", path+"/revisions", "", "Content-Type", "text/plain")
	restored := f.Must(t, http.StatusCreated, "POST", path+"/revisions/1/restore", nil)
	resourcetest.Expect(t, restored.JSON, fields{"revision": 3, "file_name": "plan.txt", "sha256": made.JSON["sha256"]})
	f.Must(t, http.StatusNotFound, "POST", path+"/revisions/9/restore", nil)
	all, pagination := f.List(t, path+"/revisions")
	resourcetest.Expect(t, pagination, fields{"total": 3})
	resourcetest.Expect(t, all[1], fields{"number": 2, "comment": "signé", "file_name": "plan signé.txt", "declared_media_type": "text/plain"})
	for number, want := range map[int]string{1: "premier", 2: "second", 3: "premier"} {
		if got := f.Must(t, http.StatusOK, "GET", fmt.Sprintf("%s/revisions/%d/content", path, number), nil); string(got.Body) != want {
			t.Errorf("revision %d is %q", number, got.Body)
		}
	}
	f.Must(t, http.StatusNotFound, "GET", path+"/revisions/4/content", nil)
	f.kept(t, len("premier")+len("second"), 0) // the same bytes are kept once, and what was refused is not
}

// kept checks what the organization keeps: the figures of storage, the rows, and the objects of the store.
func (f *fixture) kept(t *testing.T, used, reserved int) {
	t.Helper()
	db, err := pgx.Connect(t.Context(), f.database.Session)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close(context.WithoutCancel(t.Context())) }()
	if _, err := db.Exec(t.Context(), "SELECT set_config('ams.organization_id', $1, false)", f.Principal.OrganizationID); err != nil {
		t.Fatal(err)
	}
	var gotUsed, gotReserved, sizes int
	var blobs []string
	if err := db.QueryRow(t.Context(), `SELECT used, reserved, (SELECT coalesce(sum(size), 0) FROM blob WHERE state = 'ready'),
		(SELECT coalesce(array_agg(organization_id || '/' || id ORDER BY id), '{}') FROM blob)
			FROM storage`).Scan(&gotUsed, &gotReserved, &sizes, &blobs); err != nil {
		t.Fatal(err)
	}
	if gotUsed != used || gotReserved != reserved || sizes != used {
		t.Errorf("used %d, reserved %d, contents have %d; want used %d, reserved %d", gotUsed, gotReserved, sizes, used, reserved)
	}
	var objects []string
	if err := f.store.List(t.Context(), f.Principal.OrganizationID+"/", func(o store.Object) error {
		objects = append(objects, o.Key)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(objects) != fmt.Sprint(blobs) {
		t.Errorf("objects %v, contents %v", objects, blobs)
	}
}

// A key sees the documents of records that it may read, and is told what it would need for the others.
func TestADocumentIsSeenThroughItsRecords(t *testing.T) {
	f := newFixture(t)
	onBoiler := upload(t, f.Client, http.StatusCreated, "a.txt", []byte("a"), nil).Header.Get("Location")
	onOrder := upload(t, f.Client, http.StatusCreated, "b.txt", []byte("b"),
		fields{"collection": "work_orders", "record_id": order}).Header.Get("Location")
	assets, nothing := *f.Client, *f.Client
	assets.Principal.Scopes = []string{"documents:read", "documents:write", "assets:read"}
	nothing.Principal.Scopes = []string{"documents:read"}
	list, pagination := assets.List(t, "/v1/documents")
	if len(list) != 1 || "/v1/documents/"+list[0]["id"].(string) != onBoiler {
		t.Errorf("the list of assets: %v", list)
	}
	resourcetest.Expect(t, pagination, fields{"total": 1})
	_, pagination = nothing.List(t, "/v1/documents")
	resourcetest.Expect(t, pagination, fields{"total": 0})
	for _, path := range []string{onOrder, onOrder + "/content", onOrder + "/revisions", onOrder + "/revisions/1/content",
		onOrder + "/thumbnail", onOrder + "/links", onOrder + "/history"} {
		refused := assets.Must(t, http.StatusForbidden, "GET", path, nil)
		resourcetest.Expect(t, refused.JSON, fields{"required_scope": "work_orders:read"})
	}
	assets.Must(t, http.StatusOK, "GET", onBoiler+"/content", nil)
	for _, c := range []struct{ method, path, required string }{
		{"PATCH", onBoiler, "assets:write"}, {"DELETE", onBoiler, "assets:write"}, {"PATCH", onOrder, "work_orders:read"},
		{"POST", onBoiler + "/revisions", "assets:write"}, {"POST", onOrder + "/revisions", "work_orders:read"},
		{"POST", onBoiler + "/revisions/1/restore", "assets:write"}, {"POST", onOrder + "/revisions/1/restore", "work_orders:read"},
		{"POST", onOrder + "/restore", "work_orders:read"}, {"POST", onOrder + "/rescan", "work_orders:read"},
		{"DELETE", onOrder, "work_orders:read"},
	} {
		var body any
		if c.method == "PATCH" {
			body = fields{"title": "x"}
		}
		refused := assets.Must(t, http.StatusForbidden, c.method, c.path, body)
		resourcetest.Expect(t, refused.JSON, fields{"required_scope": c.required})
	}
	refused := upload(t, &assets, http.StatusForbidden, "c.txt", []byte("c"), nil)
	resourcetest.Expect(t, refused.JSON, fields{"required_scope": "assets:write"})
	// Linked to the boiler, the document of the order is seen by those who may read assets, and changed by those who may write orders.
	f.Create(t, onOrder+"/links", fields{"collection": "assets", "record_id": boiler})
	assets.Must(t, http.StatusOK, "GET", onOrder+"/content", nil)
	_, pagination = assets.List(t, "/v1/documents?record_id="+boiler)
	resourcetest.Expect(t, pagination, fields{"total": 2})
	refused = assets.Must(t, http.StatusForbidden, "PATCH", onOrder, fields{"title": "x"})
	resourcetest.Expect(t, refused.JSON, fields{"required_scope": "work_orders:write"})
	// A family that the plan does not include is not shown.
	onProject := upload(t, f.Client, http.StatusCreated, "p.txt", []byte("p"),
		fields{"collection": "projects", "record_id": project}).Header.Get("Location")
	without := *f.Client
	without.Principal.Features = []string{"api_access"}
	resourcetest.Expect(t, without.Must(t, http.StatusForbidden, "GET", onProject+"/content", nil).JSON, fields{"feature": "Projects"})
}

// Worked case 4.
func TestTheLastBytesOfAPlanAreGivenOnce(t *testing.T) {
	f := newFixture(t)
	const limit = 5_368_709_120
	f.Principal.StorageLimit = limit
	first := upload(t, f.Client, http.StatusCreated, "first.txt", []byte("x"), nil).Header.Get("Location")
	occupy := func(used int64) {
		t.Helper()
		if err := f.registry.DB.Write(principal.Into(t.Context(), f.Principal), func(ctx context.Context, tx pgx.Tx) error {
			_, err := tx.Exec(ctx, `UPDATE storage SET used = $1 WHERE organization_id = current_organization()`, used)
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	occupy(limit - 120)
	refused := upload(t, f.Client, http.StatusForbidden, "b.txt", []byte(strings.Repeat("b", 121)), nil)
	resourcetest.Expect(t, refused.JSON, fields{"code": "storage_full",
		"value": fields{"used": limit - 120.0, "reserved": 0.0, "limit": float64(limit), "asked": 121.0}})
	upload(t, f.Client, http.StatusCreated, "c.txt", []byte(strings.Repeat("c", 120)), nil)
	occupy(limit - 120)
	statuses := make(chan int, 2)
	for _, letter := range []string{"d", "e"} {
		body, contentType := form(t, fields{"collection": "assets", "record_id": boiler}, letter+".txt", "", []byte(strings.Repeat(letter, 120)))
		go func() { statuses <- f.Do(t, "POST", "/v1/documents", body, "Content-Type", contentType).Status }()
	}
	if a, b := <-statuses, <-statuses; a+b != 201+403 {
		t.Errorf("two of 120 bytes at once: %d and %d", a, b)
	}
	// A smaller plan takes nothing away.
	f.Principal.StorageLimit = 1000
	upload(t, f.Client, http.StatusForbidden, "f.txt", []byte("f"), nil)
	if got := f.Must(t, http.StatusOK, "GET", first+"/content", nil); string(got.Body) != "x" {
		t.Errorf("in a smaller plan the content is %q", got.Body)
	}
	resourcetest.Expect(t, f.Must(t, http.StatusOK, "GET", "/v1/storage", nil).JSON, fields{"limit": 1000, "used": limit})
}

func TestBadForms(t *testing.T) {
	f := newFixture(t)
	whole, contentType := form(t, fields{"collection": "assets", "record_id": boiler}, "a.txt", "text/plain", []byte("bonjour"))
	boundary := contentType[strings.Index(contentType, "=")+1:]
	document := "--" + boundary + "\r\nContent-Disposition: form-data; name=\"document\"\r\n\r\n{}\r\n"
	file := "--" + boundary + "\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n\r\nbonjour\r\n"
	end := "--" + boundary + "--\r\n"
	for name, c := range map[string]struct {
		body, code, field string
	}{
		"cut off":            {whole[:len(whole)-10], "body_incomplete", ""},
		"without a file":     {document + end, "invalid_request", "file"},
		"in the wrong order": {file + document + end, "invalid_request", "document"},
		"with two files":     {strings.Replace(whole, end, "", 1) + file + end, "invalid_request", "file"},
		"no form":            {"bonjour", "invalid_request", "document"},
		"empty":              {end, "invalid_request", "document"},
		"no record":          {document + file + end, "invalid_request", "collection"},
		"no JSON":            {strings.Replace(document, "{}", "{", 1) + file + end, "", ""},
		"not an object":      {strings.Replace(document, "{}", "[]", 1) + file + end, "", ""},
		"without a name":     {document + strings.Replace(file, `; filename="a.txt"`, "", 1) + end, "invalid_request", "file"},
		"too long": {strings.Replace(document, "{}", `{"title":"`+strings.Repeat("x", 64<<10)+`"}`, 1) + file + end,
			"invalid_request", "document"},
	} {
		refused := f.Must(t, http.StatusBadRequest, "POST", "/v1/documents", c.body, "Content-Type", contentType)
		if c.code != "" && refused.JSON["code"] != c.code {
			t.Errorf("%s: %s", name, refused.Body)
		}
		if c.field != "" && !slices.Contains(refused.Fields(), c.field) {
			t.Errorf("%s: fields %v: %s", name, refused.Fields(), refused.Body)
		}
	}
	refused := upload(t, f.Client, http.StatusNotFound, "a.txt", []byte("bonjour"), fields{"record_id": nobodys})
	if !slices.Contains(refused.Fields(), "record_id") {
		t.Errorf("a record that nobody has: %s", refused.Body)
	}
	upload(t, f.Client, http.StatusBadRequest, "leer.txt", nil, nil)
	refused = upload(t, f.Client, http.StatusBadRequest, "photo.jpg", []byte("MZ\x90\x00 this is a program"), nil)
	if refused.JSON["code"] != "type_refused" {
		t.Errorf("a program: %s", refused.Body)
	}
	if list, _ := f.List(t, "/v1/documents?status=draft,active,trashed"); len(list) != 0 {
		t.Errorf("what was refused has left %v", list)
	}
	upload(t, f.Client, http.StatusCreated, "a.txt", []byte("x"), nil)
	f.kept(t, 1, 0)
}

func TestAnUploadIsMadeOnceForAnIdempotencyKey(t *testing.T) {
	f := newFixture(t)
	text, contentType := form(t, fields{"collection": "assets", "record_id": boiler}, "a.txt", "", []byte("bonjour"))
	header := []string{"Content-Type", contentType, "Idempotency-Key", "photo-1"}
	first := f.Must(t, http.StatusCreated, "POST", "/v1/documents", text, header...)
	again := f.Must(t, http.StatusCreated, "POST", "/v1/documents", text, header...)
	if string(again.Body) != string(first.Body) || again.Header.Get("Idempotency-Replayed") != "true" {
		t.Errorf("again: %s %v", again.Body, again.Header)
	}
	other := strings.Replace(text, "bonjour", "bonsoir", 1)
	f.Must(t, http.StatusConflict, "POST", "/v1/documents", other, header...)
	if _, pagination := f.List(t, "/v1/documents"); pagination["total"] != 1.0 {
		t.Errorf("there are %v documents", pagination)
	}
	f.kept(t, len("bonjour"), 0)
}

// Whatever became of the document meanwhile: its name is another, and it is in the trash.
func TestARevisionIsMadeOnceForAnIdempotencyKey(t *testing.T) {
	f := newFixture(t)
	path := upload(t, f.Client, http.StatusCreated, "plan.txt", []byte("premier"), nil).Header.Get("Location")
	revise := func(status int, content string, header ...string) resourcetest.Response {
		t.Helper()
		return f.Must(t, status, "POST", path+"/revisions", content, append([]string{"Content-Type", "text/plain"}, header...)...)
	}
	first := revise(http.StatusCreated, "second", "Idempotency-Key", "plan-2", "Content-Disposition", "attachment")
	resourcetest.Expect(t, first.JSON, fields{"revision": 2, "file_name": "plan.txt"})
	revise(http.StatusCreated, "third", "Content-Disposition", `attachment; filename="other.txt"`)
	again := func() {
		t.Helper()
		got := revise(http.StatusCreated, "second", "Idempotency-Key", "plan-2", "Content-Disposition", "attachment")
		if string(got.Body) != string(first.Body) || got.Header.Get("Idempotency-Replayed") != "true" {
			t.Errorf("again: %s %v", got.Body, got.Header)
		}
	}
	again()
	revise(http.StatusConflict, "second!", "Idempotency-Key", "plan-2")
	revise(http.StatusConflict, "second", "Idempotency-Key", "plan-2", "Content-Disposition", `attachment; filename="b.txt"`)
	f.Must(t, http.StatusNoContent, "DELETE", path, nil)
	again()
	revise(http.StatusConflict, "fourth", "Idempotency-Key", "plan-4")
	resourcetest.Expect(t, f.Must(t, http.StatusOK, "GET", path, nil).JSON, fields{"revision": 3})
	f.kept(t, len("premier")+len("second")+len("third"), 0)
}

// More than an SQL integer takes.
func TestAContentOfMoreThanTwoGiB(t *testing.T) {
	f := newFixture(t)
	const size = 5 << 30
	ctx := principal.Into(t.Context(), f.Principal)
	blob, err := f.beginBlob(ctx, size, blobLease, 0)
	if err != nil {
		t.Fatal(err)
	}
	a := &arrival{blob: blob, size: size, sha256: bytes.Repeat([]byte{1}, sha256.Size), fileName: "film.mp4",
		mediaType: mediatype.Type{MediaType: "video/mp4"}}
	var id string
	if err := f.registry.DB.Write(ctx, func(ctx context.Context, tx pgx.Tx) (err error) {
		id, err = f.makeDocument(ctx, tx, a, fields{"collection": "assets", "record_id": boiler})
		return err
	}); err != nil {
		t.Fatal(err)
	}
	path := "/v1/documents/" + id
	resourcetest.Expect(t, f.Must(t, http.StatusOK, "GET", path, nil).JSON, fields{"size_bytes": size, "kind": "video"})
	f.Must(t, http.StatusOK, "PATCH", path, fields{"title": "Visite"})
	f.Must(t, http.StatusOK, "PATCH", "/v1/documents/bulk", fields{"data": []any{fields{"id": id, "title": "Visite 2"}}})
	for query, want := range map[string]int{"size_bytes_min=5368709120": 1, "size_bytes_min=5368709121": 0, "size_bytes=5368709120": 1,
		"sort=size_bytes": 1} {
		if list, _ := f.List(t, "/v1/documents?"+query); len(list) != want {
			t.Errorf("%s finds %d, want %d", query, len(list), want)
		}
	}
	f.storageIs(t, size)
}

// nowhere takes parts and keeps none.
type nowhere struct {
	store.Store
	parts int
}

func (s *nowhere) Begin(context.Context, string) (string, error) { return "upload", nil }

func (s *nowhere) PutPart(context.Context, string, string, int, []byte) (store.Part, error) {
	s.parts++
	return store.Part{}, nil
}

func (s *nowhere) Abort(context.Context, string, string) error { return nil }

func TestAContentOfMoreThanFiveGiBIsRefused(t *testing.T) {
	f := newFixture(t)
	f.Principal.StorageLimit = 1 << 40
	counted := &nowhere{Store: f.store}
	f.store = counted
	_, err := f.receive(principal.Into(t.Context(), f.Principal), &zeros{5_368_709_121}, sent{name: "film.bin", length: -1, keep: true})
	if fault.From(err).Code != "content_too_large" || counted.parts != 640 {
		t.Errorf("after %d parts of 8 MiB: %v", counted.parts, err)
	}
	f.kept(t, 0, 0)
}

// lateStore answers nobody who has gone, and writes what it was sent when it is told to.
type lateStore struct {
	store.Store
	called chan struct{}
	write  func() error
}

func (s *lateStore) Put(ctx context.Context, key string, body io.Reader, size int64) error {
	content, err := io.ReadAll(body)
	if err != nil {
		return err
	}
	s.write = func() error { return s.Store.Put(context.WithoutCancel(ctx), key, bytes.NewReader(content), size) }
	close(s.called)
	<-ctx.Done()
	return ctx.Err()
}

func TestBytesThatAreWrittenAfterTheirSenderHasGoneAreSwept(t *testing.T) {
	f := newFixture(t)
	late := &lateStore{Store: f.store, called: make(chan struct{})}
	f.store = late
	ctx, cancel := context.WithCancel(principal.Into(t.Context(), f.Principal))
	go func() {
		<-late.called
		cancel()
	}()
	if _, err := f.receive(ctx, strings.NewReader("bonjour"), sent{name: "a.txt", length: -1, keep: true}); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if err := late.write(); err != nil {
		t.Fatal(err)
	}
	runSQL(t, f.owner(t), `UPDATE blob SET lease_until = clock_timestamp() WHERE state = 'writing'`)
	settle(t, f.worker(t))
	if left := objects(t, late.Store); len(left) != 0 {
		t.Errorf("the store has %v", left)
	}
	f.kept(t, 0, 0)
}

// The end of the transaction may be lost on its way to whoever waits for it.
func TestAContentThatHasBecomeOneIsNotAbandoned(t *testing.T) {
	f := newFixture(t)
	content := upload(t, f.Client, http.StatusCreated, "a.txt", []byte("bonjour"), nil).Header.Get("Location") + "/content"
	_, blob, _ := strings.Cut(objects(t, f.store)[0], "/")
	f.abandonBlob(principal.Into(t.Context(), f.Principal), blob, "")
	if got := f.Must(t, http.StatusOK, "GET", content, nil); string(got.Body) != "bonjour" {
		t.Errorf("read %q", got.Body)
	}
	f.kept(t, len("bonjour"), 0)
}

// A content of several parts goes the same way.
func TestALargeContentIsWrittenInParts(t *testing.T) {
	f := newFixture(t)
	content := bytes.Repeat([]byte("0123456789abcdef"), (20<<20)/16+1)
	digest := sha256.Sum256(content)
	made := upload(t, f.Client, http.StatusCreated, "large.bin", content, nil)
	resourcetest.Expect(t, made.JSON, fields{"size_bytes": len(content), "sha256": hex.EncodeToString(digest[:])})
	got := f.Must(t, http.StatusOK, "GET", made.Header.Get("Location")+"/content", nil)
	if !bytes.Equal(got.Body, content) {
		t.Errorf("read %d bytes of %d, or others", len(got.Body), len(content))
	}
	refused := upload(t, f.Client, http.StatusBadRequest, "large.bin", content, fields{"kind": "nonsense"})
	if !slices.Contains(refused.Fields(), "kind") {
		t.Errorf("refused: %s", refused.Body)
	}
	f.kept(t, len(content), 0)
}

// A name that is longer than a title is cut as every other, also where a large file is tried before all of it is there.
func TestTheTitleOfALongFileName(t *testing.T) {
	f := newFixture(t)
	for _, size := range []int{1, store.PartSize + 1} {
		text, contentType := form(t, fields{"collection": "assets", "record_id": boiler}, "a.bin", "", bytes.Repeat([]byte("x"), size))
		text = strings.Replace(text, `filename="a.bin"`, `filename="`+strings.Repeat("n", 320)+`.bin"`, 1)
		made := f.Must(t, http.StatusCreated, "POST", "/v1/documents", strings.Replace(text, "; filename*=UTF-8''a.bin", "", 1),
			"Content-Type", contentType)
		want := strings.Repeat("n", 196) + ".bin"
		resourcetest.Expect(t, made.JSON, fields{"title": want, "file_name": want, "size_bytes": size})
	}
}
