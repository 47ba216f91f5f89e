package documents

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"ams.internal/libs/resource/resourcetest"
	"ams.internal/libs/testwait"
	"ams.internal/services/documents/store"
)

// taken is how many places are taken.
func (t *transfers) taken() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.all
}

// anotherKey is a client of the same organization.
func (f *fixture) anotherKey() *resourcetest.Client {
	client := *f.Client
	client.Principal.Actor.ID = "019a3c5e-7d1b-7c3a-9f59-3b8f0a4c2e99"
	return &client
}

func TestAnOrganizationHasAQuarterOfThePlacesForUploads(t *testing.T) {
	f := newFixture(t)
	f.start(t)
	second, other := f.anotherKey(), f.Other()
	var senders []*sender
	for range 4 {
		s := newSender(t, f, begin(t, f.Client, 1000, onBoiler), 0, 1000, "")
		s.write("a byte a second")
		senders = append(senders, s)
	}
	testwait.For(t, 10*time.Second, "the service reads all of them", func() bool { return f.uploads.taken() == 4 })
	if f.uploads.max < 4*f.uploads.taken() {
		t.Errorf("4 places are more than a quarter of %d", f.uploads.max)
	}
	refused := upload(t, second, http.StatusTooManyRequests, "a.txt", []byte("a"), nil)
	resourcetest.Expect(t, refused.JSON, fields{"code": "too_many_uploads"})
	if refused.Header.Get("Retry-After") != "2" || !strings.Contains(fmt.Sprint(refused.JSON["error"]),
		"sending 4 files already, over all its keys") {
		t.Errorf("%v %s", refused.Header, refused.Body)
	}
	path := begin(t, second, 3, onBoiler) // carries no bytes
	resourcetest.Expect(t, send(t, second, http.StatusTooManyRequests, path, 0, "abc").JSON, fields{"code": "too_many_uploads"})
	upload(t, other, http.StatusCreated, "b.txt", []byte("b"), nil)
	f.uploads.max = 4
	resourcetest.Expect(t, upload(t, other, http.StatusServiceUnavailable, "c.txt", []byte("c"), nil).JSON, fields{"code": "busy"})
	for _, s := range senders {
		_ = s.conn.Close()
	}
	testwait.For(t, 10*time.Second, "all places are given back", func() bool { return f.uploads.taken() == 0 })
	send(t, second, http.StatusNoContent, path, 0, "abc")
}

// heldStore gives the bytes of an organization when it is told to.
type heldStore struct {
	store.Store
	organization string
	release      chan struct{}
}

func (s *heldStore) Open(ctx context.Context, key string, from, length int64) (io.ReadCloser, error) {
	body, err := s.Store.Open(ctx, key, from, length)
	if err != nil || !strings.HasPrefix(key, s.organization) {
		return body, err
	}
	return &heldBody{body, s.release}, nil
}

type heldBody struct {
	io.ReadCloser
	release chan struct{}
}

func (b *heldBody) Read(piece []byte) (int, error) {
	<-b.release
	return b.ReadCloser.Read(piece)
}

func TestAnOrganizationHasAQuarterOfThePlacesForDownloads(t *testing.T) {
	f := newFixture(t)
	second, other := f.anotherKey(), f.Other()
	path := upload(t, f.Client, http.StatusCreated, "a.txt", []byte("a"), nil).Header.Get("Location")
	others := upload(t, other, http.StatusCreated, "a.txt", []byte("a"), nil).Header.Get("Location")
	held := &heldStore{f.store, f.Principal.OrganizationID, make(chan struct{})}
	f.store = held
	var reading sync.WaitGroup
	const most = 32
	for i := range most {
		reading.Go(func() {
			at := path + "/content"
			if i%2 == 1 {
				at = "/v1/documents/archive"
			}
			if got := f.Do(t, "GET", at, nil); got.Status != http.StatusOK || len(got.Body) == 0 {
				t.Errorf("%s: %d, %d bytes", at, got.Status, len(got.Body))
			}
		})
	}
	testwait.For(t, 10*time.Second, "all of them are read", func() bool { return f.downloads.taken() == most })
	if f.downloads.max < 4*most {
		t.Errorf("%d places are more than a quarter of %d", most, f.downloads.max)
	}
	for _, at := range []string{path + "/content", path + "/revisions/1/content", "/v1/documents/archive"} {
		refused := second.Must(t, http.StatusTooManyRequests, "GET", at, nil)
		resourcetest.Expect(t, refused.JSON, fields{"code": "too_many_downloads"})
		if refused.Header.Get("Retry-After") != "2" {
			t.Errorf("%s: %v", at, refused.Header)
		}
	}
	second.Must(t, http.StatusOK, "HEAD", path+"/content", nil)
	second.Must(t, http.StatusOK, "GET", path, nil)
	other.Must(t, http.StatusOK, "GET", others+"/content", nil)
	close(held.release)
	reading.Wait()
	testwait.For(t, 10*time.Second, "all places are given back", func() bool { return f.downloads.taken() == 0 })
	second.Must(t, http.StatusOK, "GET", path+"/content", nil)
}

func TestAnOrganizationHasThousandOpenUploads(t *testing.T) {
	f := newFixture(t)
	other := f.Other()
	runSQL(t, f.owner(t), `INSERT INTO blob (organization_id, id, state, created_by, lease_until)
		SELECT $1, gen_random_uuid(), 'writing', '{}', now() + interval '1 day' FROM generate_series(1, $2)`, f.Principal.OrganizationID,
		maxOpenUploads-1)
	last := begin(t, f.Client, 1000, onBoiler)
	more := func(client *resourcetest.Client, status int) resourcetest.Response {
		return client.Must(t, status, "POST", uploadsPath, "", "Tus-Resumable", tusVersion, "Content-Type", "", "Upload-Length", "1000",
			"Upload-Metadata", described(t, onBoiler))
	}
	resourcetest.Expect(t, more(f.anotherKey(), http.StatusConflict).JSON, fields{"code": "too_many_open_uploads"})
	f.reservedIs(t, 1000) // nothing for what was refused
	more(other, http.StatusCreated)
	send(t, f.Client, http.StatusNoContent, last, 0, "one goes on")
	upload(t, f.Client, http.StatusCreated, "a.txt", []byte("what is sent at once is none"), nil)
	f.Must(t, http.StatusNoContent, "DELETE", last, nil, "Tus-Resumable", tusVersion)
	more(f.Client, http.StatusCreated)
}

// reservedIs compares what is reserved for the uploads of the organization.
func (f *fixture) reservedIs(t testing.TB, want int) {
	t.Helper()
	if got := count(t, f.owner(t), `SELECT reserved FROM storage WHERE organization_id = $1`, f.Principal.OrganizationID); got != want {
		t.Errorf("%d bytes are reserved, want %d", got, want)
	}
}
