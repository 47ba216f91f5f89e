package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"ams.internal/libs/discovery"
	"ams.internal/libs/fault"
	"ams.internal/libs/principal"
)

// callTimeout is how long a page waits for one answer of another service.
const callTimeout = 8 * time.Second

// platform stands for no organization: nobody is signed in yet.
const platform = "00000000-0000-0000-0000-000000000000"

// services are the others: the gateway's internal listener, which has the keys, the plan and the audit trail, and the
// users service, which has the members and their passwords. The console keeps none of it.
type services struct {
	directory *discovery.Directory
	signer    *principal.Signer
	client    *http.Client
	region    string
}

// call sends one request on behalf of p and reads the answer into out. A refusal comes back as the *fault.Error that it
// is; a service that does not answer is a 503.
func (s *services) call(ctx context.Context, p principal.Principal, service, method, path string, in, out any) error {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	address, err := s.directory.Pick(ctx, service)
	if err != nil {
		return err
	}
	var body io.Reader
	if in != nil {
		encoded, err := json.Marshal(in)
		if err != nil {
			return err
		}
		body = bytes.NewReader(encoded)
	}
	request, err := http.NewRequestWithContext(ctx, method, "http://"+address+path, body) // #nosec G704 -- an instance of ours, and a path whose ids are checked
	if err != nil {
		return err
	}
	if in != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	p.Region, p.Origin = s.region, "console"
	request.Header.Set(principal.Header, s.signer.Sign(p))
	request.Header.Set("X-Request-Id", p.RequestID)
	response, err := s.client.Do(request) // #nosec G704 -- as above
	if err != nil {
		return fault.Unavailable("service_unavailable", "The %s service does not answer.", service).Because(err)
	}
	defer response.Body.Close()
	if response.StatusCode >= http.StatusBadRequest {
		return refusal(service, response)
	}
	if out == nil || response.StatusCode == http.StatusNoContent {
		return nil
	}
	if err := json.NewDecoder(response.Body).Decode(out); err != nil {
		return fmt.Errorf("read the answer of %s %s: %w", service, path, err)
	}
	return nil
}

// refusal gives the error that a service answered. A principal that is refused is our mistake, not the person's.
func refusal(service string, response *http.Response) error {
	e := &fault.Error{Kind: fault.KindOf(response.StatusCode)}
	if err := json.NewDecoder(response.Body).Decode(e); err != nil || e.Kind == "" {
		return fault.Unavailable("service_unavailable", "The %s service answered %d.", service, response.StatusCode)
	}
	if e.Kind == fault.KindInternal || e.Code == "principal_refused" {
		return fmt.Errorf("%s answered %d: %s (request %s)", service, response.StatusCode, e.Message, e.Request)
	}
	if seconds, err := strconv.Atoi(response.Header.Get("Retry-After")); err == nil {
		e.RetryAfter = time.Duration(seconds) * time.Second
	}
	return e
}

// faultOf gives the refusal in err's chain, or nil.
func faultOf(err error) *fault.Error {
	var e *fault.Error
	if errors.As(err, &e) {
		return e
	}
	return nil
}

// refusedWith says whether err is a refusal with this code.
func refusedWith(err error, code string) bool {
	e := faultOf(err)
	return e != nil && e.Code == code
}
