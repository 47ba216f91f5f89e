// Package api calls the service over HTTP the way a well-behaved client does: with deadlines, waiting when the
// rate limit says so, and trying again only when that cannot do anything twice.
package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Client calls one base URL with one bearer token. It is for one goroutine.
type Client struct {
	Base   string                                           // such as http://127.0.0.1:8080
	Bearer string                                           // API key, operator token or session; never shown
	Notice func(text string)                                // told why a call waits; may be nil
	Sleep  func(ctx context.Context, d time.Duration) error // nil: really sleeps

	// GiveUpAfter is how long a call is tried again while the service is unavailable; 0 is five minutes.
	GiveUpAfter time.Duration

	client   *http.Client
	resumeAt time.Time // when the rate limit's window starts again, by our clock
}

// Request is one call.
type Request struct {
	Method string
	Path   string
	Query  url.Values
	Body   any           // sent as JSON; json.RawMessage goes out as it is
	Accept string        // empty: application/json
	Once   string        // Idempotency-Key: with it a POST may be sent again
	Import string        // Import-Id: the import that the call is part of
	Limit  time.Duration // deadline of one attempt; 0 is 60 seconds
}

// Error is a response that is not a success.
type Error struct {
	Status  int    `json:"-"`
	Message string `json:"error"`
	Code    string `json:"code"`
	Request string `json:"request_id"`
	Fields  []struct {
		Field   string `json:"field"`
		Message string `json:"message"`
	} `json:"fields"`
	Body []byte `json:"-"`
}

func (e *Error) Error() string {
	text := e.Message
	for _, field := range e.Fields {
		if !strings.Contains(text, field.Message) {
			text += fmt.Sprintf("\n  %s: %s", field.Field, field.Message)
		}
	}
	if e.Request != "" {
		text += " (request " + e.Request + ")"
	}
	return text
}

// JSON makes a call and decodes the response into out, which may be nil. A response that breaks off is requested again.
func (c *Client) JSON(ctx context.Context, request Request, out any) error {
	for attempt := 0; ; attempt++ {
		response, err := c.Open(ctx, request)
		if err != nil {
			return err
		}
		body, err := io.ReadAll(response.Body)
		err = errors.Join(err, response.Body.Close())
		switch {
		case err == nil && out == nil:
			return nil
		case err == nil:
			if err := json.Unmarshal(body, out); err != nil {
				return fmt.Errorf("the answer to %s %s: %w", request.Method, request.Path, err)
			}
			return nil
		case attempt == 4 || !request.harmless():
			return fmt.Errorf("the answer to %s %s: %w", request.Method, request.Path, err)
		}
		if err := c.sleep(ctx, backoff(attempt)); err != nil {
			return err
		}
	}
}

// Open makes a call and gives the response's body to be read and closed. It returns successes only.
func (c *Client) Open(ctx context.Context, request Request) (*http.Response, error) {
	body, err := encode(request.Body)
	if err != nil {
		return nil, err
	}
	giveUp := c.GiveUpAfter
	if giveUp == 0 {
		giveUp = 5 * time.Minute
	}
	var unavailable time.Duration // waited so far because of failures; waiting for the rate limit does not count
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
			failure, err = refusal(response)
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if failure != nil && failure.Status == http.StatusTooManyRequests {
			c.noteWindow(response.Header, true)
			continue
		}
		if !retriable(request, failure, err) || unavailable >= giveUp {
			if failure != nil {
				return nil, failure
			}
			return nil, fmt.Errorf("%s %s%s: %w", request.Method, c.Base, request.Path, err)
		}
		pause := backoff(attempt)
		if failure != nil {
			pause = max(pause, retryAfter(response.Header))
		}
		c.notice("%s; trying again in %s", reason(failure, err), pause.Round(100*time.Millisecond))
		if err := c.sleep(ctx, pause); err != nil {
			return nil, err
		}
		unavailable += pause
	}
}

func encode(body any) ([]byte, error) {
	switch body := body.(type) {
	case nil:
		return nil, nil
	case json.RawMessage:
		return body, nil
	default:
		return json.Marshal(body)
	}
}

func (c *Client) try(ctx context.Context, request Request, body []byte) (*http.Response, error) {
	limit := request.Limit
	if limit == 0 {
		limit = time.Minute
	}
	attempt, cancel := context.WithTimeout(ctx, limit)
	target := strings.TrimRight(c.Base, "/") + request.Path
	if len(request.Query) > 0 {
		target += "?" + request.Query.Encode()
	}
	call, err := http.NewRequestWithContext(attempt, request.Method, target, bytes.NewReader(body))
	if err != nil {
		cancel()
		return nil, err
	}
	if body != nil {
		call.Header.Set("Content-Type", "application/json")
	}
	call.Header.Set("Accept", "application/json")
	if request.Accept != "" {
		call.Header.Set("Accept", request.Accept)
	}
	if c.Bearer != "" {
		call.Header.Set("Authorization", "Bearer "+c.Bearer)
	}
	if request.Once != "" {
		call.Header.Set("Idempotency-Key", request.Once)
	}
	if request.Import != "" {
		call.Header.Set("Import-Id", request.Import)
	}
	response, err := c.transport().Do(call)
	if err != nil {
		cancel()
		return nil, err
	}
	c.noteWindow(response.Header, false)
	response.Body = &boundBody{ReadCloser: response.Body, cancel: cancel}
	return response, nil
}

func (c *Client) transport() *http.Client {
	if c.client == nil {
		c.client = &http.Client{
			Transport: &http.Transport{
				Proxy: http.ProxyFromEnvironment, ResponseHeaderTimeout: time.Minute, IdleConnTimeout: 30 * time.Second,
				TLSHandshakeTimeout: 10 * time.Second, ForceAttemptHTTP2: true,
			},
			// a key goes where it was sent, nowhere else
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		}
	}
	return c.client
}

// boundBody ends the attempt's deadline with the body.
type boundBody struct {
	io.ReadCloser
	cancel context.CancelFunc
}

func (b *boundBody) Close() error {
	defer b.cancel()
	return b.ReadCloser.Close()
}

func refusal(response *http.Response) (*Error, error) {
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, 16<<20))
	if err != nil {
		return nil, err
	}
	failure := &Error{Status: response.StatusCode, Body: body}
	if json.Unmarshal(body, failure) != nil || failure.Message == "" {
		failure.Message = "the service answered " + response.Status + " without saying why"
	}
	return failure, nil
}

// harmless: sending it a second time does nothing twice.
func (r Request) harmless() bool { return r.Method == http.MethodGet || r.Once != "" }

func retriable(request Request, failure *Error, err error) bool {
	if failure == nil {
		var broken *url.Error
		return request.harmless() && !(errors.As(err, &broken) && broken.Op == "parse")
	}
	switch failure.Status {
	case http.StatusInternalServerError, http.StatusServiceUnavailable, http.StatusBadGateway, http.StatusGatewayTimeout:
		return request.harmless()
	case http.StatusConflict: // the same call is still running there
		return request.Once != "" && failure.Code == "idempotency_key_in_use"
	}
	return false
}

func reason(failure *Error, err error) string {
	if failure != nil {
		return failure.Message
	}
	return err.Error()
}
