// Package load simulates callers of the API: organizations that read and write, at a fixed rate or in a process of their own that
// may be killed, and remember what was acknowledged.
package load

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"time"
)

// Timeout is how long a response is waited for. Nothing may take nearly as long; a request that does hangs.
const Timeout = 45 * time.Second

// Balancer calls the gateways in turn, as a load balancer in front of them does: it keeps connections open, closes those that
// the gateway wants closed, and takes another gateway where a connection is refused before anything was sent, until the one that
// refused says that it is ready. It sends nothing twice that may have arrived.
type Balancer struct {
	Gateways []string // base URLs

	ctx         context.Context // ends with the load
	unavailable []atomic.Bool   // gateways that have refused a connection and are not ready again
	client      *http.Client
	calls       atomic.Uint64
}

// NewBalancer gives one that is used until ctx ends.
func NewBalancer(ctx context.Context, gateways []string) *Balancer {
	transport := &http.Transport{
		DialContext:         (&net.Dialer{Timeout: 2 * time.Second}).DialContext,
		MaxIdleConnsPerHost: 256, MaxIdleConns: 1024,
		IdleConnTimeout: 30 * time.Second, DisableCompression: true,
	}
	return &Balancer{Gateways: gateways, ctx: ctx, unavailable: make([]atomic.Bool, len(gateways)),
		client: &http.Client{Transport: transport, Timeout: Timeout,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
}

// Call is a request to the API.
type Call struct {
	Method, Path string
	Key          string
	Accept       string
	Body         any               // becomes JSON
	Content      []byte            // instead of Body
	ContentType  string            // of Content
	Header       map[string]string // more than these
}

// Response is a whole one.
type Response struct {
	Gateway int // which of them responded
	Status  int
	Header  http.Header
	Body    []byte
	Err     error // no response came, or half of one
}

// Code is the machine word of a refusal.
func (r Response) Code() string {
	var refusal struct{ Code string }
	if r.Status < 300 || json.Unmarshal(r.Body, &refusal) != nil {
		return ""
	}
	return refusal.Code
}

// Do makes the call at the first gateway that takes the connection.
func (b *Balancer) Do(ctx context.Context, c Call) Response {
	start := int(b.calls.Add(1) % uint64(len(b.Gateways)))
	for i := range b.Gateways {
		gateway := (start + i) % len(b.Gateways)
		if b.unavailable[gateway].Load() {
			continue
		}
		response := b.At(ctx, gateway, c)
		if !Refused(response.Err) {
			return response
		}
		if b.unavailable[gateway].CompareAndSwap(false, true) {
			go b.awaitRecovery(gateway)
		}
	}
	return b.At(ctx, start, c) // none is available
}

// awaitRecovery uses the gateway again when it is ready.
func (b *Balancer) awaitRecovery(gateway int) {
	for b.ctx.Err() == nil {
		if b.ready(b.At(b.ctx, gateway, readiness)) {
			b.unavailable[gateway].Store(false)
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
}

var readiness = Call{Method: http.MethodGet, Path: "/readyz"}

func (b *Balancer) ready(r Response) bool { return r.Err == nil && r.Status == http.StatusOK }

// AwaitReady waits until the gateways can be called.
func (b *Balancer) AwaitReady(ctx context.Context) error {
	for {
		response := b.Do(ctx, readiness)
		if b.ready(response) {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("a gateway is not ready: %d %w", response.Status, errors.Join(response.Err, ctx.Err()))
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// Refused says that nothing was sent, because there was no connection.
func Refused(err error) bool {
	var operation *net.OpError
	return errors.As(err, &operation) && operation.Op == "dial"
}

// At makes the call at one gateway.
func (b *Balancer) At(ctx context.Context, gateway int, c Call) Response {
	r := Response{Gateway: gateway}
	response, err := b.Open(ctx, gateway, c)
	if err != nil {
		r.Err = err
		return r
	}
	defer func() { _ = response.Body.Close() }()
	r.Status, r.Header = response.StatusCode, response.Header
	r.Body, r.Err = io.ReadAll(response.Body)
	return r
}

// Open makes the call at one gateway and leaves the body to the caller, who closes it.
func (b *Balancer) Open(ctx context.Context, gateway int, c Call) (*http.Response, error) {
	var body io.Reader
	if c.Body != nil {
		encoded, err := json.Marshal(c.Body)
		if err != nil {
			panic(err) // ours: texts only
		}
		body = bytes.NewReader(encoded)
		c.ContentType = "application/json"
	} else if c.Content != nil {
		body = bytes.NewReader(c.Content)
	}
	request, err := http.NewRequestWithContext(ctx, c.Method, b.Gateways[gateway]+c.Path, body)
	if err != nil {
		panic(err)
	}
	for name, value := range c.Header {
		request.Header.Set(name, value)
	}
	if c.ContentType != "" {
		request.Header.Set("Content-Type", c.ContentType)
	}
	if c.Accept != "" {
		request.Header.Set("Accept", c.Accept)
	}
	request.Header.Set("Authorization", "Bearer "+c.Key)
	return b.client.Do(request)
}
