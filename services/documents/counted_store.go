package documents

import (
	"context"
	"errors"
	"io"

	"ams.internal/services/documents/store"
)

// countedStore counts the calls that a store does not answer, or has no room for.
type countedStore struct{ store.Store }

func counted(ctx context.Context, err error) error {
	if errors.Is(err, store.ErrUnavailable) || errors.Is(err, store.ErrFull) {
		metrics.storeFailures.Add(ctx, 1)
	}
	return err
}

// Put implements store.Store.
func (s countedStore) Put(ctx context.Context, key string, body io.Reader, size int64) error {
	return counted(ctx, s.Store.Put(ctx, key, body, size))
}

// Open implements store.Store.
func (s countedStore) Open(ctx context.Context, key string, from, length int64) (io.ReadCloser, error) {
	body, err := s.Store.Open(ctx, key, from, length)
	return body, counted(ctx, err)
}

// Stat implements store.Store.
func (s countedStore) Stat(ctx context.Context, key string) (store.Object, error) {
	object, err := s.Store.Stat(ctx, key)
	return object, counted(ctx, err)
}

// Delete implements store.Store.
func (s countedStore) Delete(ctx context.Context, key string) error {
	return counted(ctx, s.Store.Delete(ctx, key))
}

// List implements store.Store.
func (s countedStore) List(ctx context.Context, prefix string, f func(store.Object) error) error {
	return counted(ctx, s.Store.List(ctx, prefix, f))
}

// Begin implements store.Store.
func (s countedStore) Begin(ctx context.Context, key string) (string, error) {
	upload, err := s.Store.Begin(ctx, key)
	return upload, counted(ctx, err)
}

// PutPart implements store.Store.
func (s countedStore) PutPart(ctx context.Context, key, upload string, number int, body []byte) (store.Part, error) {
	part, err := s.Store.PutPart(ctx, key, upload, number, body)
	return part, counted(ctx, err)
}

// SyncPart implements store.Store.
func (s countedStore) SyncPart(ctx context.Context, key, upload string, part store.Part) error {
	return counted(ctx, s.Store.SyncPart(ctx, key, upload, part))
}

// Complete implements store.Store.
func (s countedStore) Complete(ctx context.Context, key, upload string, parts []store.Part) error {
	return counted(ctx, s.Store.Complete(ctx, key, upload, parts))
}

// Abort implements store.Store.
func (s countedStore) Abort(ctx context.Context, key, upload string) error {
	return counted(ctx, s.Store.Abort(ctx, key, upload))
}

// openSent opens bytes of a content that are sent to a caller, and counts what he is sent.
func (d *documents) openSent(ctx context.Context, object string, from, length int64) (io.ReadCloser, error) {
	body, err := d.store.Open(ctx, object, from, length)
	if err != nil {
		return nil, err
	}
	return &sentBody{ReadCloser: body, ctx: ctx}, nil
}

// sentBody counts the bytes that are read of a content.
type sentBody struct {
	io.ReadCloser
	ctx context.Context
	n   int64
}

// Read implements io.Reader.
func (b *sentBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.n += int64(n)
	return n, err
}

// Close implements io.Closer.
func (b *sentBody) Close() error {
	metrics.sent.Add(b.ctx, b.n)
	b.n = 0
	return b.ReadCloser.Close()
}
