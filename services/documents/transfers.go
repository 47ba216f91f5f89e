package documents

import (
	"context"
	"io"
	"sync"
	"time"

	"ams.internal/libs/fault"
	"ams.internal/libs/principal"
	"ams.internal/services/documents/store"
)

// partBuffers are those of uploads: one for each, whatever its size.
var partBuffers = sync.Pool{New: func() any { return new([store.PartSize]byte) }}

// transfers are the contents that are on their way to this instance, or from it. They last as long as the other side's network needs, so an
// organization has a quarter of the places at most, with however many keys.
type transfers struct {
	code, doing          string // of a refusal
	max, perOrganization int

	mu  sync.Mutex
	all int
	by  map[string]int // by organization
}

// newUploads gives the places for uploads, each of which holds a buffer of a part.
func newUploads() *transfers {
	return &transfers{code: "too_many_uploads", doing: "sending", max: 16, perOrganization: 4, by: map[string]int{}}
}

// newDownloads gives the places for downloads, each of which holds a connection to the store.
func newDownloads() *transfers {
	return &transfers{code: "too_many_downloads", doing: "reading", max: 128, perOrganization: 32, by: map[string]int{}}
}

// enter takes a place, which leave gives back.
func (t *transfers) enter(ctx context.Context) error {
	organization := principal.From(ctx).OrganizationID
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.by[organization] >= t.perOrganization:
		e := fault.New(fault.KindRateLimited, t.code, "Your organization is %s %d files already, over all its keys; wait for one to end.",
			t.doing, t.perOrganization)
		e.RetryAfter = 2 * time.Second
		return e
	case t.all >= t.max:
		return fault.Unavailable("busy", "Too many files are on their way; send this again in some seconds.")
	}
	t.all++
	t.by[organization]++
	return nil
}

func (t *transfers) leave(ctx context.Context) {
	organization := principal.From(ctx).OrganizationID
	t.mu.Lock()
	defer t.mu.Unlock()
	t.all--
	if t.by[organization]--; t.by[organization] == 0 {
		delete(t.by, organization)
	}
}

// during gives what open opens, in a place that is given back when it is closed.
func (t *transfers) during(open func(ctx context.Context) (io.ReadCloser, error)) func(ctx context.Context) (io.ReadCloser, error) {
	return func(ctx context.Context) (io.ReadCloser, error) {
		if err := t.enter(ctx); err != nil {
			return nil, err
		}
		body, err := open(ctx)
		if err != nil {
			t.leave(ctx)
			return nil, err
		}
		return &placed{ReadCloser: body, leave: sync.OnceFunc(func() { t.leave(ctx) })}, nil
	}
}

// placed is a body that has a place.
type placed struct {
	io.ReadCloser
	leave func()
}

// Close implements io.Closer.
func (p *placed) Close() error {
	defer p.leave()
	return p.ReadCloser.Close()
}
