package discovery

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"
)

// confirmAfter is how long the first question whether an instance lives may take, until who may ask another one does.
const confirmAfter = 300 * time.Millisecond

// errSilent is why a call was ended that another instance is asked in place of.
var errSilent = errors.New("the instance is silent, and another one is asked")

// call is one that runs at an instance, until its response was read.
type call struct {
	directory *Directory
	pulse     *pulse
	cancel    context.CancelCauseFunc
	leave     func() bool // says whether another instance is to be asked; nil: none is

	mu     sync.Mutex
	timer  *time.Timer
	looked time.Time // when it was last looked at; at first: when it began
	looks  int
	ended  bool
}

// RoundTrip makes a call to an instance of ours, the host of the request. While it waits longer than patience for the response, and in
// the middle of it, the instance is asked whether it lives. An instance that says nothing to anybody for three seconds hangs: the call is
// ended with ErrHung, and others are not made, with ErrLeftAlone, until it answers again.
func (d *Directory) RoundTrip(next http.RoundTripper, request *http.Request, patience time.Duration) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(request.Context())
	c := &call{directory: d, pulse: d.pulse(request.URL.Host), cancel: cancel, looked: time.Now()}
	c.leave, _ = ctx.Value(leaveKey{}).(func() bool)
	if !c.pulse.run(c) {
		cancel(nil)
		if request.Body != nil {
			_ = request.Body.Close()
		}
		return nil, ErrLeftAlone
	}
	c.mu.Lock()
	c.timer = time.AfterFunc(patience, c.look)
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

// look sees whether the instance has said anything since it was last looked at.
func (c *call) look() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended {
		return
	}
	if p := c.pulse; p.heard.Load() < c.looked.UnixNano() {
		p.silent.Store(true)
		c.directory.ask(p)
		if c.looks > 0 && c.leave != nil && c.leave() {
			c.cancel(errSilent)
			return
		}
	}
	c.looked, c.looks = time.Now(), c.looks+1
	if c.looks == 1 && c.leave != nil {
		c.timer.Reset(confirmAfter)
		return
	}
	c.timer.Reset(askInterval)
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

// leaveKey finds in a context what says whether a call may leave its instance for another one.
type leaveKey struct{}

// Transport gives a transport whose calls go through RoundTrip.
func (d *Directory) Transport(next http.RoundTripper, patience time.Duration) http.RoundTripper {
	return watched{d, next, patience}
}

type watched struct {
	directory *Directory
	next      http.RoundTripper
	patience  time.Duration
}

// RoundTrip implements http.RoundTripper.
func (w watched) RoundTrip(request *http.Request) (*http.Response, error) {
	return w.directory.RoundTrip(w.next, request, w.patience)
}
