package discovery

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"
)

// confirmAfter is how long the first probe of an instance may take before a call that may go to another instance does so.
const confirmAfter = 300 * time.Millisecond

// errSilent is the cause of a call that was ended so that another instance is called in its place.
var errSilent = errors.New("the instance is silent, and another one is asked")

// call is one that runs at an instance, until its response was read.
type call struct {
	directory *Directory
	pulse     *pulse
	cancel    context.CancelCauseFunc
	leave     func() bool // reports whether another instance is to be called; nil: none is

	mu        sync.Mutex
	timer     *time.Timer
	lastCheck time.Time // at first: when the call began
	checks    int
	ended     bool
}

// RoundTrip makes a call to an instance of ours, the host of the request. While it waits longer than probeAfter for the response or for
// more of it, the instance is probed. An instance that sends nothing to anybody for three seconds hangs: the call is ended with ErrHung,
// and no others are made, which is ErrLeftAlone, until it responds again.
func (d *Directory) RoundTrip(next http.RoundTripper, request *http.Request, probeAfter time.Duration) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(request.Context())
	c := &call{directory: d, pulse: d.pulse(request.URL.Host), cancel: cancel, lastCheck: time.Now()}
	c.leave, _ = ctx.Value(leaveKey{}).(func() bool)
	if !c.pulse.run(c) {
		cancel(nil)
		if request.Body != nil {
			_ = request.Body.Close()
		}
		return nil, ErrLeftAlone
	}
	c.mu.Lock()
	c.timer = time.AfterFunc(probeAfter, c.check)
	c.mu.Unlock()
	response, err := next.RoundTrip(request.WithContext(ctx))
	if cause := context.Cause(ctx); errors.Is(cause, ErrHung) || errors.Is(cause, errSilent) {
		if err == nil {
			_ = response.Body.Close() // its body would break off
		}
		c.end()
		return nil, cause
	}
	if err != nil {
		c.end()
		return nil, err
	}
	c.pulse.hears()
	response.Body = &watchedBody{response.Body, c}
	return response, nil
}

// check starts a probe when the instance has sent nothing since the last check.
func (c *call) check() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended {
		return
	}
	if p := c.pulse; p.heard.Load() < c.lastCheck.UnixNano() {
		p.silent.Store(true)
		c.directory.startProbe(p)
		if c.checks > 0 && c.leave != nil && c.leave() {
			c.cancel(errSilent)
			return
		}
	}
	c.lastCheck, c.checks = time.Now(), c.checks+1
	if c.checks == 1 && c.leave != nil {
		c.timer.Reset(confirmAfter)
		return
	}
	c.timer.Reset(probeInterval)
}

func (c *call) end() {
	c.mu.Lock()
	c.ended = true
	c.timer.Stop()
	c.mu.Unlock()
	c.pulse.end(c)
	c.cancel(nil)
}

// watchedBody is the body of a response, which ends the call with it.
type watchedBody struct {
	io.ReadCloser
	call *call
}

// Read implements io.Reader.
func (b *watchedBody) Read(piece []byte) (int, error) {
	n, err := b.ReadCloser.Read(piece)
	if n > 0 {
		b.call.pulse.hears()
	}
	return n, err
}

// Close implements io.Closer.
func (b *watchedBody) Close() error {
	err := b.ReadCloser.Close()
	b.call.end()
	return err
}

// leaveKey finds in a context the function that reports whether a call may leave its instance for another one.
type leaveKey struct{}

// Transport gives a transport whose calls go through RoundTrip.
func (d *Directory) Transport(next http.RoundTripper, probeAfter time.Duration) http.RoundTripper {
	return watched{d, next, probeAfter}
}

type watched struct {
	directory  *Directory
	next       http.RoundTripper
	probeAfter time.Duration
}

// RoundTrip implements http.RoundTripper.
func (w watched) RoundTrip(request *http.Request) (*http.Response, error) {
	return w.directory.RoundTrip(w.next, request, w.probeAfter)
}
