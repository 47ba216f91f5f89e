// Package ams calls the AMS API: typed records of every collection, all pages and streams as iterators, and the waiting, retries and
// checks that a program would otherwise write itself.
//
//	client := ams.NewClient("https://api.example.ca", os.Getenv("AMS_API_KEY"))
//	for asset, err := range client.Assets.All(ctx, ams.Filters{"status": "in_service"}) {
//		…
//	}
//
// What each call promises is in the README beside this file; what the records mean is in the API's own guides.
package ams

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

// Client calls one installation with one key. Make it with NewClient; it may be used by several goroutines at once, and its
// fields may be changed before the first call.
type Client struct {
	Collections

	BaseURL string // such as https://api.example.ca, without /v1
	Key     string // API key, or another bearer token; empty for paths without one. It is never shown

	// HTTPClient carries the calls: its transport, proxy and certificates. Redirects are never followed: a key goes where it
	// was sent, and nowhere else.
	HTTPClient *http.Client
	// Timeout is how long an attempt may go without a byte from the service. 0: 60 seconds. The deadline of a call with all its
	// attempts is that of its context.
	Timeout time.Duration
	// GiveUpAfter is how long a call is repeated while the service is unavailable; 0: one minute, negative: it is not
	// repeated. Waiting for the rate limit's next window does not count.
	GiveUpAfter time.Duration
	// Notice is told, in a sentence, why a call waits. It may be nil.
	Notice func(text string)

	sleep  func(ctx context.Context, d time.Duration) error // of the tests
	window window
}

// NewClient is a client of the installation at baseURL, such as https://api.example.ca, with an API key.
func NewClient(baseURL, key string) *Client {
	c := &Client{
		BaseURL: strings.TrimRight(baseURL, "/"), Key: key,
		HTTPClient: &http.Client{Transport: &http.Transport{
			// Compressing takes longer than sending where the network is as fast as it is between two machines of one place.
			DisableCompression: true,
			ReadBufferSize:     64 << 10, // a stream is read with one system call where the default takes sixteen
			Proxy:              http.ProxyFromEnvironment, IdleConnTimeout: 30 * time.Second, MaxIdleConnsPerHost: 16,
			TLSHandshakeTimeout: 10 * time.Second, ForceAttemptHTTP2: true,
			ExpectContinueTimeout: time.Second, // of a call that asks before it sends its body
		}},
	}
	c.Collections = collections(c)
	return c
}

// Request is one call of any path.
type Request struct {
	Method string // empty: GET
	Path   string // such as /v1/assets
	Query  url.Values
	Body   any         // sent as JSON; json.RawMessage and []byte go out as they are
	Header http.Header // further headers, such as If-Match, Import-Id or X-Region
	Accept string      // empty: application/json

	// IdempotencyKey makes a repeated POST, or a repeated PATCH or DELETE of many, be carried out once. Left empty for a path
	// below /v1, it is made for the call. Give one of your own to repeat the call in another process.
	IdempotencyKey string
	Timeout        time.Duration // in place of the client's
}

// Request makes a call and decodes the JSON of its answer into out, which may be nil. Anything but a success is an *Error. A
// response that breaks off is requested again.
func (c *Client) Request(ctx context.Context, request Request, out any) error {
	request = request.prepared()
	for attempt := 0; ; attempt++ {
		response, err := c.open(ctx, request)
		if err != nil {
			return err
		}
		body, err := readAll(response)
		err = errors.Join(err, response.Body.Close())
		switch {
		case err == nil && (out == nil || len(body) == 0):
			return nil
		case err == nil:
			if err := decode(body, out); err != nil {
				return fmt.Errorf("the answer to %s %s: %w", request.Method, request.Path, err)
			}
			return nil
		case attempt == 4 || !request.repeatable() || ctx.Err() != nil:
			return fmt.Errorf("the answer to %s %s broke off: %w", request.Method, request.Path, err)
		}
		if err := c.wait(ctx, backoff(attempt)); err != nil {
			return err
		}
	}
}

// Open makes a call and gives the response of a success, whose body is to be read and closed. Anything else is an *Error.
func (c *Client) Open(ctx context.Context, request Request) (*http.Response, error) {
	return c.open(ctx, request.prepared())
}

func (c *Client) open(ctx context.Context, request Request) (*http.Response, error) {
	body, err := encode(request.Body)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", request.Method, request.Path, err)
	}
	var unavailable time.Duration // waited so far because of failures; waiting for the rate limit does not count
	unsure := false               // an earlier attempt may have been carried out
	for attempt := 0; ; attempt++ {
		if err := c.waitForWindow(ctx); err != nil {
			return nil, err
		}
		response, err := c.try(ctx, request, body)
		if err == nil && response.StatusCode < 300 {
			return response, nil
		}
		var failure *Error
		if err == nil {
			failure, err = newError(response)
		}
		if ctx.Err() != nil {
			return nil, fmt.Errorf("%s %s: %w", request.Method, request.Path, ctx.Err())
		}
		switch {
		case failure != nil && failure.Status == http.StatusTooManyRequests:
			c.noteWindow(response.Header, true)
			continue
		case failure != nil && failure.Status == http.StatusNotFound && unsure && request.Method == http.MethodDelete:
			return &http.Response{Status: "204 No Content", StatusCode: http.StatusNoContent, Header: response.Header, Body: http.NoBody}, nil
		case !request.repeats(failure, err) || unavailable >= c.giveUpAfter():
			if failure != nil {
				return nil, failure
			}
			return nil, fmt.Errorf("%s %s%s: %w", request.Method, c.BaseURL, request.Path, err)
		}
		unsure = true
		pause := backoff(attempt)
		if failure != nil {
			pause = max(pause, failure.RetryAfter)
		}
		c.notice("%s; trying again in %s", reason(failure, err), pause.Round(100*time.Millisecond))
		if err := c.wait(ctx, pause); err != nil {
			return nil, err
		}
		unavailable += pause
	}
}

func (r Request) prepared() Request {
	if r.Method == "" {
		r.Method = http.MethodGet
	}
	if r.IdempotencyKey == "" && strings.HasPrefix(r.Path, "/v1/") && (r.Method == http.MethodPost || r.many()) {
		r.IdempotencyKey = rand.Text()
	}
	return r
}

// many: a change of several records, which without an Idempotency-Key would find its own traces when it is repeated.
func (r Request) many() bool {
	return (r.Method == http.MethodPatch || r.Method == http.MethodDelete) && strings.HasSuffix(r.Path, "/bulk")
}

// repeatable: sending it a second time does nothing twice, by its key or because a merge patch, a PUT and a DELETE do the same again.
func (r Request) repeatable() bool {
	return r.IdempotencyKey != "" || r.Method != http.MethodPost && !r.many()
}

// repeats: the call is worth another attempt.
func (r Request) repeats(failure *Error, err error) bool {
	if failure == nil {
		var broken *url.Error
		return r.repeatable() && !(errors.As(err, &broken) && broken.Op == "parse")
	}
	switch failure.Status {
	case http.StatusInternalServerError, http.StatusServiceUnavailable, http.StatusBadGateway, http.StatusGatewayTimeout:
		return r.repeatable()
	case http.StatusConflict: // the same call is still running there; a file is still looked through for malware
		return r.IdempotencyKey != "" && failure.Code == "idempotency_key_in_use" || failure.Code == "scan_pending"
	}
	return false
}

func encode(body any) ([]byte, error) {
	switch body := body.(type) {
	case nil:
		return nil, nil
	case json.RawMessage:
		return body, nil
	case []byte:
		return body, nil
	default:
		return json.Marshal(body)
	}
}

func (c *Client) try(ctx context.Context, request Request, body []byte) (*http.Response, error) {
	target := strings.TrimRight(c.BaseURL, "/") + request.Path
	if len(request.Query) > 0 {
		target += "?" + request.Query.Encode()
	}
	attempt, cancel := context.WithCancelCause(ctx)
	call, err := http.NewRequestWithContext(attempt, request.Method, target, bytes.NewReader(body))
	if err != nil {
		cancel(nil)
		return nil, err
	}
	for name, values := range request.Header {
		call.Header[http.CanonicalHeaderKey(name)] = values
	}
	call.Header.Set("User-Agent", "ams-go/"+Version)
	call.Header.Set("Accept", "application/json")
	if request.Accept != "" {
		call.Header.Set("Accept", request.Accept)
	}
	if body != nil && call.Header.Get("Content-Type") == "" {
		call.Header.Set("Content-Type", "application/json")
	}
	if c.Key != "" {
		call.Header.Set("Authorization", "Bearer "+c.Key)
	}
	if request.IdempotencyKey != "" {
		call.Header.Set("Idempotency-Key", request.IdempotencyKey)
	}
	watched := newWatch(request.Timeout, c.Timeout, cancel)
	response, err := c.transport().Do(call)
	watched.pause()
	if err != nil {
		cancel(nil)
		if cause := context.Cause(attempt); errors.As(cause, new(*silentError)) {
			err = cause
		}
		return nil, err
	}
	c.noteWindow(response.Header, false)
	response.Body = &watchedBody{body: response.Body, watch: watched, attempt: attempt, cancel: cancel}
	return response, nil
}

// transport is the client's, without its redirects.
func (c *Client) transport() *http.Client {
	client := http.Client{}
	if c.HTTPClient != nil {
		client = *c.HTTPClient
	}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &client
}

// silentError ends an attempt that the service has left without a byte for so long.
type silentError struct{ limit time.Duration }

func (e *silentError) Error() string { return fmt.Sprintf("the service sent nothing for %s", e.limit) }

// watch ends an attempt in which nothing comes.
type watch struct {
	limit time.Duration
	timer *time.Timer
}

func newWatch(own, general time.Duration, cancel context.CancelCauseFunc) *watch {
	limit := time.Minute
	for _, chosen := range []time.Duration{general, own} {
		if chosen != 0 {
			limit = chosen
		}
	}
	return &watch{limit, time.AfterFunc(limit, func() { cancel(&silentError{limit}) })}
}

func (w *watch) resume() { w.timer.Reset(w.limit) }
func (w *watch) pause()  { w.timer.Stop() }

// watchedBody is a response's body whose reads end when nothing comes. The caller's own time between reads does not count.
type watchedBody struct {
	body    io.ReadCloser
	watch   *watch
	attempt context.Context
	cancel  context.CancelCauseFunc
	once    sync.Once
}

func (b *watchedBody) Read(into []byte) (int, error) {
	b.watch.resume()
	n, err := b.body.Read(into)
	b.watch.pause()
	if err != nil && !errors.Is(err, io.EOF) {
		if cause := context.Cause(b.attempt); cause != nil {
			err = cause
		}
	}
	return n, err
}

func (b *watchedBody) Close() error {
	var err error
	b.once.Do(func() {
		b.watch.pause()
		err = b.body.Close()
		b.cancel(nil)
	})
	return err
}
