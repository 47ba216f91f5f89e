package documents

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/clamd"
	"ams.internal/libs/principal"
	"ams.internal/libs/reference"
	"ams.internal/libs/resource/resourcetest"
	"ams.internal/libs/testwait"
	"ams.internal/libs/work"
	"ams.internal/services/documents/scan"
	"ams.internal/services/documents/scan/scantest"
	"ams.internal/services/documents/store"
)

// worker is the worker of one more instance, on the same database and store.
func (f *fixture) worker(t testing.TB) *worker {
	t.Helper()
	d := *f.documents
	d.due, d.occupied = &work.Signal{}, &occupied{taken: map[string]int{}}
	w := d.newWorker()
	w.queue.Organizations = reference.NewOrganizationCache(func(_ context.Context, id string) (reference.Organization, error) {
		return reference.Organization{ID: id, TimeZone: "America/Toronto", Currency: "CAD", FiscalYearEndMonth: 12}, nil
	}, time.Now)
	return w
}

// start lets a worker run until the test ends, woken by the service under test.
func (f *fixture) start(t testing.TB) *worker {
	t.Helper()
	w := f.worker(t)
	w.queue.Signal = f.due
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { w.run(ctx) })
	t.Cleanup(func() { cancel(); running.Wait() })
	return w
}

// settle lets a worker do what is due now.
func settle(t testing.TB, w *worker) {
	t.Helper()
	for range 200 {
		due, err := w.queue.Find(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if len(due) == 0 {
			return
		}
		if err := w.queue.Once(t.Context()); err != nil {
			t.Fatal(err)
		}
		w.tasks.Wait()
	}
	t.Fatal("there is always something due")
}

// owner is a connection that sees all organizations.
func (f *fixture) owner(t testing.TB) *pgx.Conn {
	t.Helper()
	owner, err := pgx.Connect(t.Context(), f.database.OwnerURL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = owner.Close(context.WithoutCancel(t.Context())) })
	return owner
}

func runSQL(t testing.TB, owner *pgx.Conn, sql string, args ...any) {
	t.Helper()
	if _, err := owner.Exec(t.Context(), sql, args...); err != nil {
		t.Fatal(err)
	}
}

func scanner(t testing.TB) *scan.Scanner { return scan.New(scantest.Start(t).URL) }

// scanned waits until a document is not pending any more.
func scanStatus(t testing.TB, client *resourcetest.Client, path, want string) fields {
	t.Helper()
	var got fields
	testwait.For(t, 5*time.Second, path+" is "+want, func() bool {
		got = client.Must(t, http.StatusOK, "GET", path, nil).JSON
		return got["scan_status"] == want
	})
	return got
}

// Worked case 10.
func TestMalwareIsFoundWithinSeconds(t *testing.T) {
	f := newFixtureWith(t, scanner(t))
	f.start(t)
	other := f.Other()
	var paths []string
	for _, client := range []*resourcetest.Client{f.Client, other} {
		made := upload(t, client, http.StatusCreated, "facture.txt", clamd.EICAR(), nil)
		path := made.Header.Get("Location")
		paths = append(paths, path)
		resourcetest.Expect(t, made.JSON, fields{"scan_status": "pending"})
		got := scanStatus(t, client, path, "infected")
		resourcetest.Expect(t, got, fields{"status": "active", "version": 2})
		refused := client.Must(t, http.StatusConflict, "GET", path+"/content", nil)
		resourcetest.Expect(t, refused.JSON, fields{"code": "infected"})
		if !bytes.Contains(refused.Body, []byte(clamd.SignatureName)) {
			t.Errorf("the signature is not named: %s", refused.Body)
		}
		client.Must(t, http.StatusConflict, "GET", path+"/thumbnail", nil)
	}
	// The same bytes again in the first organization are known to be malware, without a further scan.
	again := upload(t, f.Client, http.StatusCreated, "facture 2.txt", clamd.EICAR(), nil)
	resourcetest.Expect(t, again.JSON, fields{"scan_status": "infected"})
	var scans int
	if err := f.owner(t).QueryRow(t.Context(), `SELECT count(*) FROM blob WHERE scanned_at IS NOT NULL`).Scan(&scans); err != nil {
		t.Fatal(err)
	}
	if scans != 2 {
		t.Errorf("%d contents were scanned, want one of each organization", scans)
	}
	history, _ := f.List(t, paths[0]+"/history")
	if by := history[len(history)-1]["actor"].(fields); by["type"] != "service" || by["id"] != "documents" {
		t.Errorf("the verdict is of %v", by)
	}
	f.Must(t, http.StatusNoContent, "DELETE", paths[0], nil)
}

func TestEventsOfAScan(t *testing.T) {
	f := newFixtureWith(t, scanner(t))
	w := f.worker(t)
	clean := upload(t, f.Client, http.StatusCreated, "a.txt", []byte("Replace the filter."), nil).JSON["id"]
	infected := upload(t, f.Client, http.StatusCreated, "b.txt", clamd.EICAR(), nil).JSON["id"]
	settle(t, w)
	for _, c := range []struct {
		id   any
		want []string
	}{
		{clean, []string{"document.created", "document.updated", "document.scanned"}},
		{infected, []string{"document.created", "document.updated", "document.scanned", "document.infected"}},
	} {
		rows, err := f.owner(t).Query(t.Context(), `SELECT type FROM outbox WHERE record_id = $1 ORDER BY position`, c.id)
		if err != nil {
			t.Fatal(err)
		}
		got, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			t.Fatal(err)
		}
		if fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%v, want %v", got, c.want)
		}
	}
}

func TestContentsWaitForAScannerThatIsAway(t *testing.T) {
	server := scantest.Start(t)
	f := newFixtureWith(t, scan.New(server.URL))
	w := f.worker(t)
	server.Stop()
	path := upload(t, f.Client, http.StatusCreated, "a.txt", []byte("Replace the filter."), nil).Header.Get("Location")
	if err := w.queue.Once(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.tasks.Wait()
	refused := f.Must(t, http.StatusConflict, "GET", path+"/content", nil)
	resourcetest.Expect(t, refused.JSON, fields{"code": "scan_pending"})
	if refused.Header.Get("Retry-After") != "2" {
		t.Errorf("Retry-After %q", refused.Header.Get("Retry-After"))
	}
	if w.delay != minDelay || !w.unavailableUntil.After(time.Now()) {
		t.Errorf("the next attempt is after %s", w.delay)
	}
	for range 5 {
		w.unavailableUntil = time.Time{}
		w.markUnavailable()
	}
	if w.delay != maxDelay {
		t.Errorf("the pause grew to %s", w.delay)
	}
	w.watch(t.Context())
	if since := w.waiting.pending.Load(); since == nil || time.Since(*since) > time.Minute {
		t.Errorf("the oldest waits since %v", since)
	}
	server.Restart()
	w.unavailableUntil = time.Time{}
	runSQL(t, f.owner(t), `UPDATE blob SET scan_due_at = now() WHERE scan_due_at IS NOT NULL`)
	settle(t, w)
	scanStatus(t, f.Client, path, "clean")
	f.Must(t, http.StatusOK, "GET", path+"/content", nil)
	if w.watch(t.Context()); w.waiting.pending.Load() != nil {
		t.Error("something is pending still")
	}
}

func TestUnscannableContentIsServedOrHeld(t *testing.T) {
	f := newFixtureWith(t, scan.New(scantest.Start(t, "StreamMaxLength 1K").URL))
	w := f.worker(t)
	w.probed = true // this scanner's limit is below what a probe sends
	path := upload(t, f.Client, http.StatusCreated, "a.txt", bytes.Repeat([]byte("Replace the filter.\n"), 1000), nil).Header.Get("Location")
	settle(t, w)
	scanStatus(t, f.Client, path, "unscannable")
	f.Must(t, http.StatusOK, "GET", path+"/content", nil)
	revisions, _ := f.List(t, path+"/revisions")
	if detail, _ := revisions[0]["scan_detail"].(string); detail == "" {
		t.Error("it is not said why")
	}
	f.holdUnscannable = true
	refused := f.Must(t, http.StatusConflict, "GET", path+"/content", nil)
	resourcetest.Expect(t, refused.JSON, fields{"code": "unscannable"})
}

func TestNewSignaturesScanTheLastThirtyDaysAgain(t *testing.T) {
	f := newFixture(t) // without a scanner
	path := upload(t, f.Client, http.StatusCreated, "a.txt", clamd.EICAR(), nil).Header.Get("Location")
	old := upload(t, f.Client, http.StatusCreated, "b.txt", []byte("old"), nil).Header.Get("Location")
	owner := f.owner(t)
	runSQL(t, owner, `UPDATE blob SET ready_at = ready_at - interval '31 days' WHERE size = 3`)
	resourcetest.Expect(t, f.Must(t, http.StatusConflict, "POST", path+"/rescan", nil).JSON, fields{"code": "no_scanner"})
	f.scanner = scanner(t)
	w := f.worker(t)
	w.watch(t.Context())
	resourcetest.Expect(t, f.Must(t, http.StatusOK, "GET", path, nil).JSON, fields{"scan_status": "not_scanned"}) // and not pending
	f.Must(t, http.StatusOK, "GET", path+"/content", nil)
	settle(t, w)
	scanStatus(t, f.Client, path, "infected")
	scanStatus(t, f.Client, old, "not_scanned")
	// The same signatures are asked for again: nothing is to be done. Others: what was scanned with these is scanned again.
	due := func() (n int) {
		t.Helper()
		if err := owner.QueryRow(t.Context(), `SELECT count(*) FROM blob WHERE scan_due_at IS NOT NULL`).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	w = f.worker(t)
	if w.watch(t.Context()); due() != 0 {
		t.Errorf("%d are scanned again with the signatures that they were scanned with", due())
	}
	runSQL(t, owner, `UPDATE blob SET scan_signatures = 'ClamAV 1.4.6/1/yesterday', scan_status = 'clean' WHERE scan_signatures IS NOT NULL`)
	w = f.worker(t)
	if w.watch(t.Context()); due() != 1 {
		t.Errorf("%d are scanned again with new signatures, want 1", due())
	}
	settle(t, w)
	f.Must(t, http.StatusConflict, "GET", path+"/content", nil)
}

func TestADocumentIsScannedAgain(t *testing.T) {
	server := scantest.Start(t)
	f := newFixtureWith(t, scan.New(server.URL))
	w, owner := f.worker(t), f.owner(t)
	path := upload(t, f.Client, http.StatusCreated, "a.txt", []byte("Replace the filter."), nil).Header.Get("Location")
	scannedAt := func() any {
		t.Helper()
		revisions, _ := f.List(t, path+"/revisions")
		return revisions[0]["scanned_at"]
	}
	resourcetest.Expect(t, f.Must(t, http.StatusOK, "POST", path+"/rescan", nil).JSON, fields{"scan_status": "pending"}) // as it was
	settle(t, w)
	first := scannedAt()
	if first == nil {
		t.Fatal("it was not scanned")
	}
	// While the scanner is away it is what it was, and it is scanned when the scanner is back: before all that new
	// signatures are the reason for.
	runSQL(t, owner, `UPDATE blob SET ready_at = ready_at - interval '31 days'`)
	server.Stop()
	for range 2 {
		resourcetest.Expect(t, f.Must(t, http.StatusOK, "POST", path+"/rescan", nil).JSON, fields{"scan_status": "clean", "version": 2})
	}
	if at := scannedAt(); at != nil {
		t.Errorf("it is to be scanned, and scanned_at is %v", at)
	}
	f.Must(t, http.StatusOK, "GET", path+"/content", nil)
	if err := w.queue.Once(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.tasks.Wait()
	f.Must(t, http.StatusOK, "GET", path+"/content", nil)
	server.Restart()
	w.unavailableUntil = time.Time{}
	runSQL(t, owner, `UPDATE blob SET scan_due_at = now() WHERE scan_due_at IS NOT NULL`)
	settle(t, w)
	resourcetest.Expect(t, f.Must(t, http.StatusOK, "GET", path, nil).JSON, fields{"scan_status": "clean"})
	if at := scannedAt(); at == nil || at == first {
		t.Errorf("scanned at %v, and before at %v", at, first)
	}
	f.Other().Must(t, http.StatusNotFound, "POST", path+"/rescan", nil)
	draft := f.Create(t, "/v1/documents", fields{"collection": "assets", "record_id": boiler, "title": "Plan"})
	f.Must(t, http.StatusConflict, "POST", "/v1/documents/"+draft["id"].(string)+"/rescan", nil)
	reader := *f.Client
	reader.Principal.Scopes = []string{"documents:write", "assets:read"}
	resourcetest.Expect(t, reader.Must(t, http.StatusForbidden, "POST", path+"/rescan", nil).JSON, fields{"required_scope": "assets:write"})
}

func TestARescanComesBeforeNewSignatures(t *testing.T) {
	f := newFixtureWith(t, scanner(t))
	slow := &slowStore{Store: f.store}
	f.store = slow
	w, owner := f.worker(t), f.owner(t)
	var last string
	for i := range 12 {
		last = upload(t, f.Client, http.StatusCreated, fmt.Sprintf("%d.txt", i), fmt.Appendf(nil, "content %d", i), nil).Header.Get("Location")
	}
	settle(t, w)
	var blob string
	if err := owner.QueryRow(t.Context(), `UPDATE blob SET scan_due_at = now() WHERE scan_due_at IS NULL
		AND id <> (SELECT blob_id FROM document_revision
		WHERE document_id = $1) RETURNING (SELECT blob_id::text FROM document_revision WHERE document_id = $1)`,
		last[len("/v1/documents/"):]).Scan(&blob); err != nil {
		t.Fatal(err)
	}
	f.Must(t, http.StatusOK, "POST", last+"/rescan", nil)
	slow.opened = nil
	settle(t, w)
	if len(slow.opened) != 12 || slow.opened[0] != key(f.Principal.OrganizationID, blob) {
		t.Errorf("scanned in the order %v, want %s first", slow.opened, blob)
	}
}

// slowStore notes which contents are read, and for how long.
type slowStore struct {
	store.Store
	mu     sync.Mutex
	opened []string
	takes  time.Duration
}

func (s *slowStore) Open(ctx context.Context, key string, from, length int64) (io.ReadCloser, error) {
	s.mu.Lock()
	s.opened = append(s.opened, key)
	s.mu.Unlock()
	time.Sleep(s.takes)
	return s.Store.Open(ctx, key, from, length)
}

func TestTwoInstancesTakeEachContentOnce(t *testing.T) {
	f := newFixtureWith(t, scanner(t))
	slow := &slowStore{Store: f.store, takes: 20 * time.Millisecond}
	f.store = slow
	for i := range 12 {
		upload(t, f.Client, http.StatusCreated, fmt.Sprintf("%d.txt", i), fmt.Appendf(nil, "content %d", i), nil)
	}
	var both sync.WaitGroup
	for range 2 {
		w := f.worker(t)
		both.Go(func() { settle(t, w) })
	}
	both.Wait()
	opened := map[string]int{}
	for _, key := range slow.opened {
		opened[key]++
	}
	if len(slow.opened) != 12 || len(opened) != 12 {
		t.Errorf("%d reads of %d contents, want 12 of 12", len(slow.opened), len(opened))
	}
}

func TestAnOrganizationWithManyContentsLetsOthersThrough(t *testing.T) {
	f := newFixtureWith(t, scanner(t))
	slow := &slowStore{Store: f.store}
	f.store = slow
	for i := range 40 {
		upload(t, f.Client, http.StatusCreated, fmt.Sprintf("%d.txt", i), fmt.Appendf(nil, "content %d", i), nil)
	}
	other := f.Other()
	for i := range 3 {
		upload(t, other, http.StatusCreated, fmt.Sprintf("%d.txt", i), fmt.Appendf(nil, "content %d", i), nil)
	}
	settle(t, f.worker(t))
	last := 0
	for i, key := range slow.opened {
		if key[:36] == other.Principal.OrganizationID {
			last = i + 1
		}
	}
	if last == 0 || last > 8 {
		t.Errorf("the last of 3 contents was scanned as number %d of %d", last, len(slow.opened))
	}
}

// A worker that was killed leaves its claim, which ends.
func TestAnotherInstanceGoesOnWhereOneWasKilled(t *testing.T) {
	f := newFixtureWith(t, scanner(t))
	path := upload(t, f.Client, http.StatusCreated, "a.txt", []byte("Replace the filter."), nil).Header.Get("Location")
	killed, other := f.worker(t), f.worker(t)
	due, err := killed.queue.Find(t.Context())
	if err != nil || len(due) != 1 {
		t.Fatal(due, err)
	}
	ctx := principal.Into(t.Context(), servicePrincipal(due[0].Organization))
	if c, err := killed.claim(ctx, due[0].ID, "scan_due_at"); c == nil {
		t.Fatal(err)
	}
	if c, err := other.claim(ctx, due[0].ID, "scan_due_at"); c != nil || err != nil {
		t.Fatalf("claimed twice: %v, %v", c, err)
	}
	settle(t, other)
	resourcetest.Expect(t, f.Must(t, http.StatusOK, "GET", path, nil).JSON, fields{"scan_status": "pending"})
	runSQL(t, f.owner(t), `UPDATE blob SET scan_due_at = scan_due_at - interval '1 minute' WHERE scan_due_at IS NOT NULL`)
	settle(t, other)
	scanStatus(t, f.Client, path, "clean")
}

// brokenStore answers nothing while it is away, and fails after some writes.
type brokenStore struct {
	store.Store
	away atomic.Bool
}

func (s *brokenStore) Delete(ctx context.Context, key string) error {
	if s.away.Load() {
		return store.ErrUnavailable
	}
	return s.Store.Delete(ctx, key)
}

func (s *brokenStore) Open(ctx context.Context, key string, from, length int64) (io.ReadCloser, error) {
	if s.away.Load() {
		return nil, store.ErrUnavailable
	}
	return s.Store.Open(ctx, key, from, length)
}

// objects are the keys in the store.
func objects(t testing.TB, s store.Store) (keys []string) {
	t.Helper()
	if err := s.List(t.Context(), "", func(o store.Object) error { keys = append(keys, o.Key); return nil }); err != nil {
		t.Fatal(err)
	}
	return keys
}

// noise is content of its own, of so many bytes.
func noise(seed byte, size int) []byte {
	content := make([]byte, size)
	_, _ = rand.NewChaCha8([32]byte{seed}).Read(content)
	return content
}

// storageIs compares what an organization uses with figures, and with the contents that it has.
func (f *fixture) storageIs(t testing.TB, used int64) {
	t.Helper()
	var have, reserved, sizes int64
	if err := f.owner(t).QueryRow(t.Context(), `SELECT s.used, s.reserved, (SELECT coalesce(sum(size), 0) FROM blob b
		WHERE b.organization_id = s.organization_id AND state = 'ready') FROM storage s WHERE s.organization_id = $1`,
		f.Principal.OrganizationID).Scan(&have, &reserved, &sizes); err != nil {
		t.Fatal(err)
	}
	if have != used || sizes != used || reserved != 0 {
		t.Errorf("used %d, contents %d, reserved %d; want %d, %d, 0", have, sizes, reserved, used, used)
	}
}

// Killed between the bytes and the row, and between the parts.
func TestWhatWasNotWrittenToItsEndIsSwept(t *testing.T) {
	f := newFixture(t)
	broken := &brokenStore{Store: f.store}
	f.store = broken
	ctx := principal.Into(t.Context(), f.Principal)
	upload(t, f.Client, http.StatusCreated, "kept.txt", []byte("kept"), nil)
	whole, err := f.beginBlob(ctx, 5, blobLease, 0)
	if err != nil {
		t.Fatal(err)
	}
	object := key(f.Principal.OrganizationID, whole)
	if err := f.store.Put(t.Context(), object, bytes.NewReader([]byte("whole")), 5); err != nil {
		t.Fatal(err)
	}
	parts, err := f.beginBlob(ctx, 20_000_000, blobLease, 0)
	if err != nil {
		t.Fatal(err)
	}
	inParts, err := f.store.Begin(t.Context(), key(f.Principal.OrganizationID, parts))
	if err != nil {
		t.Fatal(err)
	}
	if err := f.noteUpload(ctx, parts, inParts); err != nil {
		t.Fatal(err)
	}
	if _, err := f.store.PutPart(t.Context(), key(f.Principal.OrganizationID, parts), inParts, 1, noise(1, store.PartSize)); err != nil {
		t.Fatal(err)
	}
	w := f.worker(t)
	settle(t, w)
	if n := len(objects(t, f.store)); n != 2 {
		t.Fatalf("%d objects: what has a lease was swept", n)
	}
	owner := f.owner(t)
	runSQL(t, owner, `UPDATE blob SET lease_until = now() WHERE state = 'writing'`)
	if w.watch(t.Context()); w.waiting.unfinished.Load() != 2 {
		t.Errorf("%d contents are unfinished, want 2", w.waiting.unfinished.Load())
	}
	broken.away.Store(true)
	settle(t, w) // the store is away: what was reserved is given back, the rows stay
	f.storageIs(t, 4)
	broken.away.Store(false)
	runSQL(t, owner, `UPDATE blob SET delete_after = now() WHERE state = 'doomed'`)
	settle(t, w)
	var rows, uploads int
	if err := owner.QueryRow(t.Context(), `SELECT count(*) FROM blob`).Scan(&rows); err != nil {
		t.Fatal(err)
	}
	if err := f.store.ListUploads(t.Context(), func(store.Upload) error { uploads++; return nil }); err != nil {
		t.Fatal(err)
	}
	if n := len(objects(t, f.store)); n != 1 || rows != 1 || uploads != 0 {
		t.Errorf("%d objects, %d rows, %d uploads; want 1, 1, 0", n, rows, uploads)
	}
	f.storageIs(t, 4)
}

// Whoever stood still for longer than his lease finds that his content was swept, and can send it again.
func TestAContentThatWasSweptCannotBecomeReady(t *testing.T) {
	f := newFixture(t)
	ctx := principal.Into(t.Context(), f.Principal)
	blob, err := f.beginBlob(ctx, 5, -time.Second, 0)
	if err != nil {
		t.Fatal(err)
	}
	settle(t, f.worker(t))
	a := &arrival{blob: blob, size: 5, sha256: bytes.Repeat([]byte{1}, 32)}
	err = f.registry.DB.Write(ctx, func(ctx context.Context, tx pgx.Tx) error { return f.finishBlob(ctx, tx, a) })
	if err != errLeaseLost { //nolint:errorlint // as it is
		t.Errorf("got %v", err)
	}
	f.storageIs(t, 0)
}

// pausedStore stands still before it writes: for so long that the content is swept meanwhile.
type pausedStore struct {
	store.Store
	pause func()
}

func (s *pausedStore) Put(ctx context.Context, key string, body io.Reader, size int64) error {
	s.pause()
	return s.Store.Put(ctx, key, body, size)
}

func TestBytesThatAreWrittenAfterTheyWereSweptGo(t *testing.T) {
	f := newFixture(t)
	w, owner := f.worker(t), f.owner(t)
	f.documents.store = &pausedStore{f.documents.store, func() {
		runSQL(t, owner, `UPDATE blob SET lease_until = now() WHERE state = 'writing'`)
		settle(t, w)
	}}
	refused := upload(t, f.Client, http.StatusServiceUnavailable, "a.txt", []byte("bonjour"), nil)
	resourcetest.Expect(t, refused.JSON, fields{"code": "upload_abandoned"})
	f.kept(t, 0, 0)
}
