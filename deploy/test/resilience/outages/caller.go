package main

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

// patience is how long an answer is waited for. Nothing may take nearly as long; a request that does has hung.
const patience = 45 * time.Second

// balancer calls the gateways in turn, as a load balancer in front of them does: it keeps connections open, closes those that
// the gateway asks to close, and takes another gateway where a connection is refused before anything was sent, until the one that
// refused says that it is ready. It sends nothing twice that may have arrived.
type balancer struct {
	ctx      context.Context // ends with the load
	gateways []string
	left     []atomic.Bool // gateways that have refused a connection and are not ready again
	client   *http.Client
	turn     atomic.Uint64
}

func newBalancer(ctx context.Context, gateways []string) *balancer {
	transport := &http.Transport{
		DialContext:         (&net.Dialer{Timeout: 2 * time.Second}).DialContext,
		MaxIdleConnsPerHost: 256, MaxIdleConns: 1024,
		IdleConnTimeout: 30 * time.Second, DisableCompression: true,
	}
	return &balancer{ctx: ctx, gateways: gateways, left: make([]atomic.Bool, len(gateways)), client: &http.Client{Transport: transport, Timeout: patience,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
}

// call is a request to the API.
type call struct {
	method, path string
	key          string
	accept       string
	body         any
}

// answer is a whole one.
type answer struct {
	gateway int
	status  int
	header  http.Header
	body    []byte
	err     error // no answer came, or half of one
}

// do makes the call; the first gateway that takes the connection answers it.
func (b *balancer) do(ctx context.Context, c call) answer {
	start := int(b.turn.Add(1) % uint64(len(b.gateways)))
	for i := range b.gateways {
		gateway := (start + i) % len(b.gateways)
		if b.left[gateway].Load() {
			continue
		}
		a := b.at(ctx, gateway, c)
		if !refused(a.err) {
			return a
		}
		if b.left[gateway].CompareAndSwap(false, true) {
			go b.awaitBack(gateway)
		}
	}
	return b.at(ctx, start, c) // none is there
}

// awaitBack uses the gateway again when it is ready.
func (b *balancer) awaitBack(gateway int) {
	for b.ctx.Err() == nil {
		if a := b.at(b.ctx, gateway, call{method: http.MethodGet, path: "/readyz"}); a.err == nil && a.status == http.StatusOK {
			b.left[gateway].Store(false)
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// refused says that nothing was sent, because there was no connection.
func refused(err error) bool {
	var operation *net.OpError
	return errors.As(err, &operation) && operation.Op == "dial"
}

// at makes the call at one gateway.
func (b *balancer) at(ctx context.Context, gateway int, c call) answer {
	a := answer{gateway: gateway}
	var body io.Reader
	if c.body != nil {
		encoded, err := json.Marshal(c.body)
		if err != nil {
			panic(err) // ours: texts only
		}
		body = bytes.NewReader(encoded)
	}
	request, err := http.NewRequestWithContext(ctx, c.method, b.gateways[gateway]+c.path, body)
	if err != nil {
		panic(err)
	}
	if c.body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if c.accept != "" {
		request.Header.Set("Accept", c.accept)
	}
	request.Header.Set("Authorization", "Bearer "+c.key)
	response, err := b.client.Do(request)
	if err != nil {
		a.err = err
		return a
	}
	defer func() { _ = response.Body.Close() }()
	a.status, a.header = response.StatusCode, response.Header
	a.body, a.err = io.ReadAll(response.Body)
	return a
}

// code is the machine word of a refusal.
func (a answer) code() string {
	var refusal struct{ Code string }
	if a.status < 300 || json.Unmarshal(a.body, &refusal) != nil {
		return ""
	}
	return refusal.Code
}

// ready waits until the gateways can be called.
func (b *balancer) ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, longestAbsence)
	defer cancel()
	for {
		a := b.do(ctx, call{method: http.MethodGet, path: "/readyz"})
		if a.err == nil && a.status == http.StatusOK {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("a gateway is not ready: %d %w", a.status, errors.Join(a.err, ctx.Err()))
		case <-time.After(20 * time.Millisecond):
		}
	}
}
