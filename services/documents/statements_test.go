package documents

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"sync/atomic"
	"testing"

	"ams.internal/libs/postgres/postgrestest"
	"ams.internal/services/documents/store"
)

// calledStore counts the calls of a store.
type calledStore struct {
	store.Store
	calls atomic.Int64
}

func (s *calledStore) Open(ctx context.Context, key string, from, length int64) (io.ReadCloser, error) {
	s.calls.Add(1)
	return s.Store.Open(ctx, key, from, length)
}

func (s *calledStore) Stat(ctx context.Context, key string) (store.Object, error) {
	s.calls.Add(1)
	return s.Store.Stat(ctx, key)
}

func (s *calledStore) Put(ctx context.Context, key string, body io.Reader, size int64) error {
	s.calls.Add(1)
	return s.Store.Put(ctx, key, body, size)
}

// What is asked of the database and of the store for one request. Statements that are sent together count once.
func TestWhatRequestsAsk(t *testing.T) {
	f := newFixture(t)
	through, run := postgrestest.CountRoundTrips(t, f.database.URL)
	f.registry.DB = (&postgrestest.Database{URL: through}).Open(t)
	f.registry.API.DB = f.registry.DB
	kept := &calledStore{Store: f.documents.store}
	f.documents.store = kept
	number := 0
	for _, c := range []struct {
		name         string
		trips, calls int64 // round trips to the database, calls of the store
		call         func(path string)
	}{
		{"metadata", 1, 0, func(path string) { f.Must(t, http.StatusOK, "GET", path, nil) }},
		{"content", 1, 1, func(path string) { f.Must(t, http.StatusOK, "GET", path+"/content", nil) }},
		{"an upload", 6, 1, func(string) {
			number++
			upload(t, f.Client, http.StatusCreated, "a.bin", bytes.Repeat([]byte{0, byte(number)}, 500), nil)
		}},
	} {
		path := "/v1/documents/" + upload(t, f.Client, http.StatusCreated, "b.bin", []byte("b"), nil).JSON["id"].(string)
		for range 3 { // the first time, statements are prepared
			run.Store(0)
			kept.calls.Store(0)
			c.call(path)
		}
		if run.Load() != c.trips || kept.calls.Load() != c.calls {
			t.Errorf("%s: %d round trips and %d calls of the store, want %d and %d", c.name, run.Load(), kept.calls.Load(), c.trips, c.calls)
		}
	}
}
