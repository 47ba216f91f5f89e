package documents

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"ams.internal/libs/principal"
	"ams.internal/libs/reference"
	"ams.internal/libs/resource"
	"ams.internal/libs/resource/resourcetest"
	"ams.internal/libs/testwait"
	"ams.internal/libs/transport"
	"ams.internal/services/documents/store"
)

// purge has a worker deal with all documents whose time has come.
func purge(t testing.TB, w *worker) {
	t.Helper()
	w.purged = w.purged.Add(-purgeInterval)
	if err := w.purgeDue(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.tasks.Wait()
}

// trashed puts documents into the trash, by their paths, as if that were that many days ago.
func (f *fixture) trashed(t testing.TB, owner *pgx.Conn, days int, paths ...string) {
	t.Helper()
	for _, path := range paths {
		f.Must(t, http.StatusNoContent, "DELETE", path, nil)
		runSQL(t, owner, `UPDATE document SET trashed_at = now() - make_interval(days => $1, mins => 1) WHERE id = $2`, days,
			strings.TrimPrefix(path, "/v1/documents/"))
	}
}

func count(t testing.TB, owner *pgx.Conn, sql string, args ...any) (n int) {
	t.Helper()
	if err := owner.QueryRow(t.Context(), sql, args...).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// Worked case 5.
func TestAContentGoesWithTheLastDocumentThatHasIt(t *testing.T) {
	f := newFixture(t)
	w, owner := f.worker(t), f.owner(t)
	var assets []reference.Entry
	for i := range 40 {
		assets = append(assets, reference.Entry{ID: uuid.NewString(), Name: "Pompe " + strconv.Itoa(i)})
	}
	f.Keep("assets", assets...)
	const size = 10_000_000
	content := bytes.Repeat([]byte("0123456789"), size/10)
	var paths []string
	for _, asset := range assets {
		paths = append(paths,
			upload(t, f.Client, http.StatusCreated, "manuel.txt", content, fields{"record_id": asset.ID}).Header.Get("Location"))
	}
	settle(t, w) // the 39 copies that arrived go
	f.kept(t, size, 0)
	f.trashed(t, owner, trashDays, paths[:39]...)
	purge(t, w)
	for _, path := range paths[:39] {
		f.Must(t, http.StatusNotFound, "GET", path, nil)
	}
	f.kept(t, size, 0)
	f.trashed(t, owner, trashDays, paths[39])
	purge(t, w)
	f.kept(t, 0, 0)
	if n := count(t, owner, `SELECT count(*) FROM blob WHERE state = 'doomed' AND delete_after > now() + interval '34 days'`); n != 1 {
		t.Errorf("%d contents are doomed", n)
	}
	again := upload(t, f.Client, http.StatusCreated, "manuel.txt", content, fields{"record_id": assets[0].ID}).Header.Get("Location")
	f.kept(t, size, 0)
	runSQL(t, owner, `UPDATE blob SET delete_after = now() WHERE state = 'doomed'`)
	settle(t, w)
	f.kept(t, size, 0)
	if n := count(t, owner, `SELECT count(*) FROM blob`); n != 1 {
		t.Errorf("%d contents are left", n)
	}
	if got := f.Must(t, http.StatusOK, "GET", again+"/content", nil); !bytes.Equal(got.Body, content) {
		t.Errorf("what was uploaded again has %d bytes", len(got.Body))
	}
}

func TestAPurgedDocumentLeavesItsHistory(t *testing.T) {
	f := newFixture(t)
	w, owner := f.worker(t), f.owner(t)
	made := upload(t, f.Client, http.StatusCreated, "a.txt", []byte("a"), fields{"title": "Garantie"})
	path := made.Header.Get("Location")
	f.Must(t, http.StatusCreated, "POST", path+"/revisions", "b", "Content-Type", "text/plain")
	f.Create(t, path+"/links", fields{"collection": "buildings", "record_id": building})
	young := upload(t, f.Client, http.StatusCreated, "c.txt", []byte("c"), nil).Header.Get("Location")
	f.trashed(t, owner, 30, path)
	f.trashed(t, owner, 29, young)
	purge(t, w)
	f.Must(t, http.StatusNotFound, "GET", path, nil)
	f.Must(t, http.StatusNotFound, "POST", path+"/restore", nil)
	f.Must(t, http.StatusOK, "POST", young+"/restore", nil)
	f.kept(t, 1, 0)
	for _, table := range []string{"document_link", "document_revision"} {
		if n := count(t, owner, `SELECT count(*) FROM `+table+` WHERE document_id = $1`, made.JSON["id"]); n != 0 {
			t.Errorf("%d rows of %s are left", n, table)
		}
	}
	if n := count(t, owner, `SELECT count(*) FROM outbox WHERE type = 'document.deleted' AND record_id = $1`, made.JSON["id"]); n != 1 {
		t.Errorf("%d events", n)
	}
	history, _ := f.List(t, path+"/history")
	last := history[len(history)-1]
	changes := last["changes"].(fields)
	resourcetest.Expect(t, last, fields{"action": "deleted"})
	for field, want := range map[string]any{"title": "Garantie", "size_bytes": 1.0,
		"sha256": "3e23e8160039594a33894f6564e1b1348bbd7a0088d42c4acb73eeaed59c009d"} {
		if got := changes[field].(fields)["old"]; got != want {
			t.Errorf("%s was %v, want %v", field, got, want)
		}
	}
	if by := last["actor"].(fields); by["type"] != "service" || by["id"] != "documents" {
		t.Errorf("purged by %v", by)
	}
	if by := history[len(history)-2]["actor"].(fields); by["id"] != f.Principal.Actor.ID {
		t.Errorf("trashed by %v", by)
	}
}

func TestWhatMustBeKeptIsNotPurged(t *testing.T) {
	f := newFixture(t)
	w, owner := f.worker(t), f.owner(t)
	document := func(name string) string {
		t.Helper()
		return upload(t, f.Client, http.StatusCreated, name+".txt", []byte(name), fields{"issued_on": "2001-01-01"}).Header.Get("Location")
	}
	id := func(path string) string { return strings.TrimPrefix(path, "/v1/documents/") }
	held, onHeld, permanent, notDue, notBegun, due, free := document("held"), document("on held"), document("permanent"), document("not due"),
		document("not begun"), document("due"), document("free")
	f.Must(t, http.StatusOK, "PATCH", onHeld, fields{"record_id": pump})
	f.trashed(t, owner, trashDays, held, onHeld, permanent, notDue, notBegun, due, free)
	// All of it happened while they were in the trash.
	hold := newHold(t, f.Client, "A", fields{"document_ids": []string{id(held)}})
	onRecord := newHold(t, f.Client, "B", fields{"collection": "assets", "record_id": pump})
	for path, class := range map[string]fields{permanent: {"permanent": true}, notDue: {"years": 150}, due: {"years": 5},
		notBegun: {"trigger": "base_date", "years": 0}} {
		runSQL(t, owner, `UPDATE document SET retention_class_id = $1 WHERE id = $2`, newClass(t, f.Client, id(path), class), id(path))
	}
	purge(t, w)
	for path, status := range map[string]int{held: 200, onHeld: 200, permanent: 200, notDue: 200, notBegun: 200, due: 404, free: 404} {
		f.Must(t, status, "GET", path, nil)
	}
	for _, hold := range []string{hold, onRecord} {
		f.Must(t, http.StatusOK, "PATCH", holdsURL+"/"+hold, fields{"status": "released"})
	}
	f.Must(t, http.StatusOK, "POST", held+"/restore", nil) // later than 30 days, as it is there still
	purge(t, w)
	for path, status := range map[string]int{held: 200, onHeld: 404, permanent: 200, notDue: 200, notBegun: 200} {
		f.Must(t, status, "GET", path, nil)
	}
}

func TestRetentionThatEndsInTheTrash(t *testing.T) {
	f := newFixture(t)
	w, owner := f.worker(t), f.owner(t)
	document := func(name string, class any, more fields) string {
		t.Helper()
		body := fields{"issued_on": "2001-01-01", "retention_class_id": class}
		for field, value := range more {
			body[field] = value
		}
		return upload(t, f.Client, http.StatusCreated, name+".txt", []byte(name), body).Header.Get("Location")
	}
	trash := newClass(t, f.Client, "T", fields{"years": 5, "action": "trash"})
	off := newClass(t, f.Client, "O", fields{"years": 5, "action": "trash"})
	due, notDue, held := document("due", trash, nil), document("not due", trash,
		fields{"issued_on": "2095-01-01"}), document("held", trash, nil)
	review, inactive := document("review", newClass(t, f.Client, "R", fields{"years": 5}), nil), document("inactive", off, nil)
	f.Must(t, http.StatusOK, "PATCH", "/v1/retention-classes/"+off, fields{"active": false})
	newHold(t, f.Client, "A", fields{"document_ids": []string{strings.TrimPrefix(held, "/v1/documents/")}})
	purge(t, w)
	for path, status := range map[string]string{due: "trashed", notDue: "active", held: "active", review: "active", inactive: "active"} {
		resourcetest.Expect(t, f.Must(t, http.StatusOK, "GET", path, nil).JSON, fields{"status": status})
	}
	history, _ := f.List(t, due+"/history")
	if by := history[len(history)-1]["actor"].(fields); by["type"] != "service" || by["id"] != "documents" {
		t.Errorf("trashed by %v", by)
	}
	id := strings.TrimPrefix(due, "/v1/documents/")
	if n := count(t, owner, `SELECT count(*) FROM history WHERE record_id = $1 AND action = 'retention_ended' AND version = 2
		AND changes #>> '{retention_class,new}' = 'T' AND changes #>> '{retain_until,new}' = '2006-01-01'`, id); n != 1 {
		t.Errorf("the audit trail says %d times why", n)
	}
	if n := count(t, owner, `SELECT count(*) FROM outbox WHERE record_id = $1 AND type = 'document.updated'`, id); n != 1 {
		t.Errorf("%d events", n)
	}
	purge(t, w)
	f.Must(t, http.StatusOK, "POST", due+"/restore", nil)
}

// many makes documents that were in the trash for long enough, half of them with a content of their own.
func (f *fixture) many(t testing.TB, owner *pgx.Conn, n int) {
	t.Helper()
	first := upload(t, f.Client, http.StatusCreated, "a.txt", []byte("a"), nil).Header.Get("Location")
	f.trashed(t, owner, trashDays, first)
	for i := 1; i < n; {
		var rows []any
		for ; i < n && len(rows) < 100; i++ {
			rows = append(rows, fields{"collection": "assets", "record_id": boiler, "title": fmt.Sprint("Plan ", i)})
		}
		f.Must(t, http.StatusOK, "POST", "/v1/documents/bulk", fields{"data": rows})
	}
	runSQL(t, owner, `INSERT INTO document_revision (organization_id, document_id, number, blob_id, file_name, created_by)
		SELECT d.organization_id, d.id, 1, b.id, 'a.txt', '{}' FROM document d JOIN blob b USING (organization_id) WHERE d.status = 'draft'`)
	runSQL(t, owner, `UPDATE document SET status = 'trashed', trashed_at = now() - interval '31 days' WHERE status = 'draft'`)
}

func TestTwoInstancesPurgeThousandDocumentsOnce(t *testing.T) {
	f := newFixture(t)
	owner := f.owner(t)
	const n = 1000
	f.many(t, owner, n)
	var running sync.WaitGroup
	for range 2 {
		w := f.worker(t)
		running.Go(func() { purge(t, w) })
	}
	running.Wait()
	f.kept(t, 0, 0)
	for sql, want := range map[string]int{
		`SELECT count(*) FROM document`:                                          0,
		`SELECT count(*) FROM outbox WHERE type = 'document.deleted'`:            n,
		`SELECT count(DISTINCT record_id) FROM history WHERE action = 'deleted'`: n,
		`SELECT count(*) FROM history WHERE action = 'deleted'`:                  n,
		`SELECT count(*) FROM blob WHERE state = 'doomed'`:                       1,
	} {
		if got := count(t, owner, sql); got != want {
			t.Errorf("%s: %d, want %d", sql, got, want)
		}
	}
	if batches := count(t, owner, `SELECT count(DISTINCT at) FROM history WHERE action = 'deleted'`); batches < n/purgeRows {
		t.Errorf("%d documents went in %d transactions", n, batches)
	}
}

// A purge that is interrupted leaves whole batches, and is gone on with.
func TestAPurgeThatIsKilledLeavesNothingHalf(t *testing.T) {
	f := newFixture(t)
	owner := f.owner(t)
	const n = 300
	f.many(t, owner, n)
	w := f.worker(t)
	ctx, cancel := context.WithCancel(principal.Into(t.Context(), f.Principal))
	defer cancel()
	from := &place{id: uuid.Nil.String()}
	blocked := make(chan error, 1)
	tx, err := owner.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(t.Context(), `SELECT FROM blob FOR UPDATE`); err != nil { // the purge stands still after its documents are deleted
		t.Fatal(err)
	}
	go func() {
		_, err := w.purgeBatch(ctx, from)
		blocked <- err
	}()
	watcher := f.owner(t)
	for count(t, watcher, `SELECT count(*) FROM pg_locks WHERE NOT granted`) == 0 {
		select {
		case err := <-blocked:
			t.Fatalf("the purge did not stand still: %v", err)
		default:
		}
	}
	cancel()
	if err := <-blocked; err == nil {
		t.Error("the purge was not interrupted")
	}
	if err := tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	for sql, want := range map[string]int{`SELECT count(*) FROM document`: n, `SELECT count(*) FROM document_revision`: n,
		`SELECT count(*) FROM history WHERE action = 'deleted'`: 0, `SELECT count(*) FROM outbox WHERE type = 'document.deleted'`: 0} {
		if got := count(t, owner, sql); got != want {
			t.Errorf("%s: %d, want %d", sql, got, want)
		}
	}
	f.kept(t, 1, 0)
	purge(t, f.worker(t))
	if got := count(t, owner, `SELECT count(*) FROM document`); got != 0 {
		t.Errorf("%d documents are left", got)
	}
	f.kept(t, 0, 0)
}

// The same few contents are uploaded, trashed and purged at once: what was acknowledged is there, and what is used is what is kept.
func TestUploadsOfContentsThatAreBeingDoomed(t *testing.T) {
	f := newFixture(t)
	owner := f.owner(t)
	const senders, rounds = 4, 12 // as many as one key may
	type document struct{ path, content string }
	var mu sync.Mutex
	var there []document
	var sending, purging sync.WaitGroup
	stop := make(chan struct{})
	for range 2 {
		w := f.worker(t)
		purging.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					purge(t, w)
				}
			}
		})
	}
	for i := range senders {
		conn := f.owner(t)
		sending.Go(func() {
			for j := range rounds {
				d := document{content: strings.Repeat("x", 1+(i+j)%3)}
				d.path = upload(t, f.Client, http.StatusCreated, "a.txt", []byte(d.content), nil).Header.Get("Location")
				if j%4 != 3 {
					f.trashed(t, conn, trashDays, d.path)
					continue
				}
				mu.Lock()
				there = append(there, d)
				mu.Unlock()
			}
		})
	}
	sending.Wait()
	close(stop)
	purging.Wait()
	w := f.worker(t)
	purge(t, w)
	runSQL(t, owner, `UPDATE blob SET delete_after = now() WHERE state = 'doomed'`)
	settle(t, w)
	sizes := map[int]bool{}
	used := 0
	for _, d := range there {
		if got := f.Must(t, http.StatusOK, "GET", d.path+"/content", nil); string(got.Body) != d.content {
			t.Errorf("%s has %q, want %q", d.path, got.Body, d.content)
		}
		if !sizes[len(d.content)] {
			sizes[len(d.content)] = true
			used += len(d.content)
		}
	}
	if got := count(t, owner, `SELECT count(*) FROM document`); got != len(there) {
		t.Errorf("%d documents, want %d", got, len(there))
	}
	f.kept(t, used, 0)
}

// agedStore says that uploads began a day earlier than they did.
type agedStore struct{ store.Store }

func (s agedStore) ListUploads(ctx context.Context, each func(store.Upload) error) error {
	return s.Store.ListUploads(ctx, func(u store.Upload) error {
		u.StartedAt = u.StartedAt.Add(-uploadLife)
		return each(u)
	})
}

// Whoever was killed before the name of an upload was kept, or while a folder wrote a small object or a thumbnail,
// leaves what no row names.
func TestUploadsThatNobodyKnowsAreEnded(t *testing.T) {
	f := newFixture(t)
	content := film(store.PartSize + 10)
	path := begin(t, f.Client, len(content), onBoiler) // goes on for longer than a day
	send(t, f.Client, http.StatusNoContent, path, 0, content[:store.PartSize])
	left := func(key string) {
		t.Helper()
		id, err := f.store.Begin(t.Context(), key)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.store.PutPart(t.Context(), key, id, 1, []byte("left")); err != nil {
			t.Fatal(err)
		}
	}
	organization, stranger := f.Principal.OrganizationID, uuid.NewString()
	left(key(organization, uuid.NewString()))
	left(thumbnailKey(organization, uuid.NewString(), 256))
	left(key(stranger, uuid.NewString())) // of another installation, which was given the same bucket
	left("backup/nightly")
	keys := func() (all string) {
		t.Helper()
		var folders []string
		if err := f.store.ListUploads(t.Context(), func(u store.Upload) error {
			folder, _, _ := strings.Cut(u.Key, "/")
			folders = append(folders, strings.NewReplacer(organization, "own", stranger, "stranger").Replace(folder))
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		slices.Sort(folders)
		return strings.Join(folders, " ")
	}
	purge(t, f.worker(t))
	if got := keys(); got != "backup own own own stranger" {
		t.Errorf("of less than a day there are left: %s", got)
	}
	f.documents.store = agedStore{f.documents.store}
	purge(t, f.worker(t))
	if got := keys(); got != "backup own stranger" {
		t.Errorf("left: %s", got)
	}
	send(t, f.Client, http.StatusNoContent, path, store.PartSize, content[store.PartSize:])
	isKept(t, f.Client, path, content)
}

// stubbornStore cannot end the uploads of one key.
type stubbornStore struct {
	store.Store
	key string
}

func (s stubbornStore) Abort(ctx context.Context, key, upload string) error {
	if key == s.key {
		return errors.New("the store knows it, and does not end it")
	}
	return s.Store.Abort(ctx, key, upload)
}

func TestAnUploadThatCannotBeEndedKeepsNoneBehindIt(t *testing.T) {
	f := newFixture(t)
	var keys []string
	for range 4 {
		k := key(f.Principal.OrganizationID, uuid.NewString())
		if _, err := f.store.Begin(t.Context(), k); err != nil {
			t.Fatal(err)
		}
		keys = append(keys, k)
	}
	send(t, f.Client, http.StatusNoContent, begin(t, f.Client, 10, onBoiler), 0, film(10)) // the organization keeps something here
	slices.Sort(keys)
	f.documents.store = stubbornStore{agedStore{f.documents.store}, keys[0]}
	ctx := principal.Into(t.Context(), principal.Principal{})
	if err := f.documents.sweepUploads(ctx); err == nil || !strings.Contains(err.Error(), keys[0]) {
		t.Errorf("what could not be ended is not told: %v", err)
	}
	var left []string
	if err := f.store.ListUploads(t.Context(), func(u store.Upload) error { left = append(left, u.Key); return nil }); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(left, keys[:1]) {
		t.Errorf("left are %v, want %v", left, keys[:1])
	}
}

// another is the client of one more instance of the service, on the same database and store.
func (f *fixture) another(t testing.TB) *resourcetest.Client {
	t.Helper()
	db := f.database.Open(t)
	registry := resource.NewRegistry(transport.New(f.Signer, db, resourcetest.Log(t)), db, f.References)
	newDocuments(registry, f.store, nil, f.keep, resourcetest.Log(t))
	client := *f.Client
	client.Handler = registry.API.Handler()
	return &client
}

// Sixteen senders, of one call and of uploads that can be resumed, send the same bytes to four instances at once, while documents
// of them are purged, and their content is doomed and swept: what is kept at the end is there, its bytes are counted once, and
// nothing else is in the store.
func TestEqualBytesAreSentWhileTheyAreSwept(t *testing.T) {
	f := newFixture(t)
	owner := f.owner(t)
	const senders, rounds = 16, 6
	content := film(1000)
	var sweeping sync.WaitGroup
	stop := make(chan struct{})
	for range 2 {
		w := f.worker(t)
		w.keep = 0
		sweeping.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				purge(t, w)
				if err := w.queue.Once(t.Context()); err != nil {
					t.Error(err)
				}
				w.tasks.Wait()
			}
		})
	}
	instances := []*resourcetest.Client{f.Client, f.another(t), f.another(t), f.another(t)} // each takes four of an organization
	var paths [senders]string
	var connections [senders]*pgx.Conn
	for i := range connections {
		connections[i] = f.owner(t)
	}
	for round := range rounds {
		var sending sync.WaitGroup
		for i := range senders {
			client := instances[i%len(instances)]
			sending.Go(func() {
				if i < senders/2 {
					paths[i] = upload(t, client, http.StatusCreated, "visite.txt", []byte(content), nil).Header.Get("Location")
				} else {
					begun := begin(t, client, len(content), onBoiler)
					paths[i] = "/v1/documents/" + send(t, client, http.StatusNoContent, begun, 0, content).Header.Get("Document-Id")
				}
				if round < rounds-1 {
					f.trashed(t, connections[i], trashDays, paths[i])
				}
			})
		}
		sending.Wait()
		// after every other round the last that has the content goes before the next begins, or while it does
		if round%2 == 1 && round < rounds-1 {
			testwait.For(t, time.Minute, "the content is doomed", func() bool {
				return count(t, owner, `SELECT count(*) FROM blob WHERE state = 'ready'`) == 0
			})
		}
	}
	close(stop)
	sweeping.Wait()
	w := f.worker(t)
	purge(t, w)
	runSQL(t, owner, `UPDATE blob SET delete_after = now() WHERE state = 'doomed'`)
	settle(t, w)
	for _, path := range paths {
		if got := f.Must(t, http.StatusOK, "GET", path+"/content", nil); string(got.Body) != content {
			t.Errorf("%s has %d other bytes", path, len(got.Body))
		}
	}
	if got := count(t, owner, `SELECT count(*) FROM document`); got != senders {
		t.Errorf("%d documents, want %d", got, senders)
	}
	f.kept(t, len(content), 0)
}

// Revisions stay as they are, and go with documents that were in the trash alone, whatever the service asks the database for.
func TestTheServicesRoleCannotChangeRevisions(t *testing.T) {
	f := newFixture(t)
	path := upload(t, f.Client, http.StatusCreated, "plan.txt", []byte("Rez-de-chaussée"), fields{"record_id": boiler}).Header.Get("Location")
	id := strings.TrimPrefix(path, "/v1/documents/")
	as := func(sql string) error {
		return f.documents.registry.DB.Write(principal.Into(t.Context(), f.Principal), func(ctx context.Context, tx pgx.Tx) error {
			tag, err := tx.Exec(ctx, sql, id)
			if err == nil && tag.RowsAffected() != 1 {
				t.Errorf("%s: %d rows", sql, tag.RowsAffected())
			}
			return err
		})
	}
	for sql, want := range map[string]string{
		"UPDATE document_revision SET file_name = 'x' WHERE document_id = $1":   "permission denied",
		"UPDATE document_revision SET created_by = '{}' WHERE document_id = $1": "permission denied",
		"DELETE FROM document_revision WHERE document_id = $1":                  "permission denied",
		"DELETE FROM document WHERE id = $1":                                    "out of the trash alone",
		"SELECT lo_create(0), $1::uuid":                                         "permission denied",
		"SELECT lo_from_bytea(0, 'x'), $1::uuid":                                "permission denied",
		"SELECT lo_get(loid), $1::uuid FROM (SELECT 1::oid AS loid) o":          "permission denied",
	} {
		if err := as(sql); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", sql, err)
		}
	}
	f.Must(t, http.StatusNoContent, "DELETE", path, nil)
	if err := as("DELETE FROM document WHERE id = $1"); err != nil {
		t.Errorf("out of the trash: %v", err)
	}
	if n := count(t, f.owner(t), "SELECT count(*) FROM document_revision WHERE document_id = $1", id); n != 0 {
		t.Errorf("%d revisions are left of a document that is gone", n)
	}
}
