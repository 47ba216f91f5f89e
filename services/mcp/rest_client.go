package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"ams.internal/libs/discovery"
	"ams.internal/libs/fault"
	"ams.internal/libs/principal"
	"ams.internal/libs/telemetry"
	"ams.internal/services/mcp/oauth"
)

const (
	// callTimeout limits one call of the API. One at a gateway that hangs ends sooner.
	callTimeout = 30 * time.Second
	// maxAPIResponse limits a response of the API, in bytes. A hundred of the largest records fit.
	maxAPIResponse = 16 << 20
)

// restClient calls the REST API through a gateway of oauth.Region. Tools have no other access to data, so the
// gateway enforces isolation, scopes, plan, limits and the audit trail.
type restClient struct {
	directory *discovery.Directory
	signer    *principal.Signer
	client    *http.Client
}

func newREST(directory *discovery.Directory, signer *principal.Signer) *restClient {
	return &restClient{directory, signer, &http.Client{
		Timeout:       callTimeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: telemetry.Transport(directory.Transport(&http.Transport{
			DialContext:         (&net.Dialer{Timeout: time.Second, KeepAlive: 15 * time.Second}).DialContext,
			MaxIdleConnsPerHost: 64,
			IdleConnTimeout:     90 * time.Second, // shorter than the gateway's, so that no call uses a connection that is being closed
			DisableCompression:  true,
		}, discovery.CallProbeDelay)),
	}}
}

// apiError is an error response of the API, with the headers that the assistant needs.
type apiError struct {
	fault  fault.Error
	status int
	method string
	limit  string        // requests a minute, from X-RateLimit-Limit
	after  time.Duration // Retry-After
}

func (r *apiError) Error() string { return r.fault.Message }

// get reads path into out.
func (r *restClient) get(ctx context.Context, path string, query url.Values, out any) error {
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	_, err := r.send(ctx, http.MethodGet, path, nil, nil, out)
	return err
}

// post creates a record. The idempotency key makes a repetition harmless. replayed means that nothing was written and
// out has the first response.
func (r *restClient) post(ctx context.Context, path string, body any, idempotencyKey string, out any) (replayed bool, err error) {
	header, err := r.send(ctx, http.MethodPost, path, body, http.Header{"Idempotency-Key": {idempotencyKey}}, out)
	return header.Get("Idempotency-Replayed") == "true", err
}

// patch changes a record. A version, where it is set, must be the current one.
func (r *restClient) patch(ctx context.Context, path string, body any, version *int, out any) error {
	header := http.Header{}
	if version != nil {
		header.Set("If-Match", `"`+strconv.Itoa(*version)+`"`)
	}
	_, err := r.send(ctx, http.MethodPatch, path, body, header, out)
	return err
}

// send calls the gateway with the caller's key, pinned to Canada. The gateway refuses what the key may not do. The
// signed principal has no permissions. It carries the assistant's address, because a key may be limited to certain
// networks.
func (r *restClient) send(ctx context.Context, method, path string, body any, header http.Header, out any) (http.Header, error) {
	response, err := r.open(ctx, method, path, body, header)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	content, err := io.ReadAll(io.LimitReader(response.Body, maxAPIResponse))
	if err != nil {
		return nil, unreachableError(method, err)
	}
	return response.Header, decodeExactly(content, out)
}

// open is send whose response is not read yet. One that is an error is given as one. Where a gateway says nothing, what reads is asked of
// another one; so is what has a key that makes a repetition harmless.
func (r *restClient) open(ctx context.Context, method, path string, body any, header http.Header) (*http.Response, error) {
	who := callerFrom(ctx)
	if header == nil {
		header = http.Header{}
	}
	header.Set("Authorization", "Bearer "+who.Key)
	header.Set("X-Region", oauth.Region)
	header.Set("User-Agent", "ams-mcp/"+version)
	header.Set(principal.Header, r.signer.Sign(principal.Principal{
		Actor: principal.Actor{Type: "service", ID: "mcp", Name: "AI assistants"}, Origin: "mcp", Address: who.Address, RequestID: who.RequestID,
	}))
	if who.RequestID != "" {
		header.Set("X-Request-Id", who.RequestID)
	}
	var encoded []byte
	if body != nil {
		header.Set("Content-Type", "application/json")
		var err error
		if encoded, err = json.Marshal(body); err != nil {
			return nil, err
		}
	}
	repeatable := method == http.MethodGet || header.Get("Idempotency-Key") != ""
	response, err := r.directory.Send(ctx, r.client, "gateway", oauth.Region, repeatable,
		func(ctx context.Context, address string) (*http.Request, error) {
			target := "http://" + address + path
			request, err := http.NewRequestWithContext(ctx, method, target, bytes.NewReader(encoded)) // #nosec G704 -- our gateway and our path
			if err == nil {
				request.Header = header.Clone()
			}
			return request, err
		})
	if err != nil {
		return nil, unreachableError(method, err)
	}
	if response.StatusCode < http.StatusBadRequest {
		return response, nil
	}
	defer func() { _ = response.Body.Close() }()
	content, err := io.ReadAll(io.LimitReader(response.Body, maxAPIResponse))
	if err != nil {
		return nil, unreachableError(method, err)
	}
	return nil, readAPIError(method, response, content)
}

// decodeExactly reads JSON, of which it keeps the digits of numbers.
func decodeExactly(content []byte, out any) error {
	decoder := json.NewDecoder(bytes.NewReader(content))
	decoder.UseNumber()
	return decoder.Decode(out)
}

func readAPIError(method string, response *http.Response, content []byte) error {
	e := &apiError{status: response.StatusCode, method: method, limit: response.Header.Get("X-RateLimit-Limit")}
	if err := json.Unmarshal(content, &e.fault); err != nil || e.fault.Message == "" {
		e.fault.Message = "The service answered " + response.Status + "."
	}
	if seconds, err := strconv.Atoi(response.Header.Get("Retry-After")); err == nil {
		e.after = time.Duration(seconds) * time.Second
	}
	return e
}

// unreachableError is the error when no gateway responds.
func unreachableError(method string, err error) error {
	if errors.Is(err, context.Canceled) {
		return err
	}
	e := &apiError{status: http.StatusServiceUnavailable, method: method, after: time.Second}
	e.fault.Code, e.fault.Message = "service_unavailable", "The asset management service does not answer right now."
	return e
}
