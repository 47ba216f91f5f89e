// Package reference calls the services that own records, to look up ids that other records refer to. A service keeps no copy of
// another's rows. It calls the owner once per request or bulk, for the caller's organization and within the caller's trace.
package reference

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"time"

	"golang.org/x/sync/errgroup"

	"ams.internal/libs/discovery"
	"ams.internal/libs/domain/catalogue"
	"ams.internal/libs/fault"
	"ams.internal/libs/principal"
	"ams.internal/libs/telemetry"
)

// Query names records by id or by external id.
type Query struct {
	IDs         []string `json:"ids" maxItems:"5000"`
	ExternalIDs []string `json:"external_ids" maxItems:"5000"`
	Hold        bool     `json:"hold" doc:"The caller is about to refer to the records: say of each whether it will stay."`
}

// Entry is a record as others may show it.
type Entry struct {
	ID         string            `json:"id"`
	ExternalID *string           `json:"external_id"`
	Name       string            `json:"name"`
	Status     *string           `json:"status"`
	References map[string]string `json:"references" doc:"What the record itself refers to, by field."`
	Held       bool              `json:"held" doc:"Nobody is deleting or retiring it at this moment. Said of records asked for with hold."`
}

// Response has the records of a query that the organization has. The others are not in it.
type Response struct {
	Data []Entry `json:"data"`
}

// DependentsQuery names records that are about to be deleted or, with open, to be retired.
type DependentsQuery struct {
	IDs  []string `json:"ids" maxItems:"5000"`
	Open bool     `json:"open" doc:"Count only what is still being worked on."`
}

// DependentsResponse counts, for each record that something refers to, the records that do.
type DependentsResponse struct {
	Data []Dependents `json:"data"`
}

// Dependents is how many records of each collection refer to one.
type Dependents struct {
	ID     string         `json:"id"`
	Counts map[string]int `json:"counts"`
}

// Client calls the services that own records.
type Client struct {
	Directory *discovery.Directory
	Signer    *principal.Signer
	HTTP      *http.Client
	Catalogue *catalogue.Catalogue // the product's, unless a test has collections of its own
}

// NewClient makes a client whose calls take at most 5 seconds. It gives a connection one second. It passes the trace on and follows
// no redirects.
func NewClient(directory *discovery.Directory, signer *principal.Signer) *Client {
	return &Client{Directory: directory, Signer: signer, Catalogue: catalogue.Product(), HTTP: &http.Client{
		Timeout:       5 * time.Second,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: telemetry.Transport(&http.Transport{
			DialContext:         (&net.Dialer{Timeout: time.Second, KeepAlive: 15 * time.Second}).DialContext,
			MaxIdleConnsPerHost: 32,
			IdleConnTimeout:     90 * time.Second, // shorter than the servers', so that no call meets a connection that is being closed
			DisableCompression:  true,
		}),
	}}
}

// Patient is the client for calls that may take longer: at most limit.
func (c *Client) Patient(limit time.Duration) *Client {
	patient, slow := *c, *c.HTTP
	slow.Timeout = limit
	patient.HTTP = &slow
	return &patient
}

// Find gives the entries of a collection that the caller's organization has. An owner that is unavailable is a 503.
func (c *Client) Find(ctx context.Context, collection string, query Query) ([]Entry, error) {
	row, found := c.Catalogue.Find(collection)
	if !found {
		return nil, fmt.Errorf("find %s: it is not a collection of the catalogue", collection)
	}
	var response Response
	if err := c.Post(ctx, row.Service, "/internal/references/"+collection, query, &response); err != nil {
		return nil, err
	}
	return response.Data, nil
}

// Dependents counts, in every service that may refer to records of a collection, the records that do. If one of the services is
// unavailable, the error is a 503: it is not known then whether the records may be deleted.
func (c *Client) Dependents(ctx context.Context, collection string, query DependentsQuery) ([]Dependents, error) {
	row, _ := c.Catalogue.Find(collection)
	services := row.ReferredBy
	responses := make([]DependentsResponse, len(services))
	calls, ctx := errgroup.WithContext(ctx)
	for i, service := range services {
		calls.Go(func() error { return c.Post(ctx, service, "/internal/dependents/"+collection, query, &responses[i]) })
	}
	if err := calls.Wait(); err != nil {
		return nil, err
	}
	var all []Dependents
	for _, response := range responses {
		all = append(all, response.Data...)
	}
	return all, nil
}

// Post sends in to an instance of service, signed with the principal of ctx, and reads the response into out. An error response is
// returned as the *fault.Error in it. A service that does not respond is a 503.
func (c *Client) Post(ctx context.Context, service, path string, in, out any) error {
	return c.Call(ctx, service, http.MethodPost, path, in, out)
}

// Call is Post with any method. Without in the request has no body; without out the response's body is not read. A call for a
// pinned request stays in the region of the pin.
func (c *Client) Call(ctx context.Context, service, method, path string, in, out any) error {
	var body []byte
	if in != nil {
		var err error
		if body, err = json.Marshal(in); err != nil {
			return err
		}
	}
	response, err := c.send(ctx, service, method, path, body)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode >= http.StatusBadRequest {
		return errorOf(service, response)
	}
	if out == nil || response.StatusCode == http.StatusNoContent {
		return nil
	}
	if err := json.NewDecoder(response.Body).Decode(out); err != nil {
		return fmt.Errorf("read the response of %s%s: %w", service, path, err)
	}
	return nil
}

// attempts is how many instances are tried that cannot be reached.
const attempts = 3

// send sends a request to an instance. When it cannot be reached, it has not seen the request, which then goes to another one.
func (c *Client) send(ctx context.Context, service, method, path string, body []byte) (*http.Response, error) {
	p := principal.From(ctx)
	var unreachable []string
	for {
		address, err := c.Directory.PickIn(ctx, service, p.Pin(), unreachable...)
		if err != nil {
			return nil, err
		}
		target := "http://" + address + path
		request, err := http.NewRequestWithContext(ctx, method, target, bytes.NewReader(body)) // #nosec G704 -- our instance, checked ids
		if err != nil {
			return nil, err
		}
		if body != nil {
			request.Header.Set("Content-Type", "application/json")
		}
		request.Header.Set(principal.Header, c.Signer.Sign(p))
		request.Header.Set("X-Request-Id", p.RequestID)
		response, err := c.HTTP.Do(request)
		if err == nil {
			return response, nil
		}
		if unreachable = append(unreachable, address); !neverReached(err) || len(unreachable) == attempts {
			return nil, fault.Unavailable("service_unavailable", "The %s service does not answer; nothing was written.", service).WithCause(err)
		}
	}
}

// neverReached reports whether an error means that the instance has not seen the request.
func neverReached(err error) bool {
	var operation *net.OpError
	return errors.As(err, &operation) && operation.Op == "dial"
}

// errorOf gives the error of an error response.
func errorOf(service string, response *http.Response) error {
	e := &fault.Error{Kind: fault.KindOf(response.StatusCode)}
	if err := json.NewDecoder(response.Body).Decode(e); err != nil || e.Kind == "" || e.Message == "" {
		return fault.Unavailable("service_unavailable", "The %s service answered %d.", service, response.StatusCode)
	}
	if e.Kind == fault.KindInternal || e.Kind == fault.KindUnauthenticated && e.Code == "principal_refused" {
		return fmt.Errorf("%s answered %d: %s", service, response.StatusCode, e.Message)
	}
	if seconds, err := strconv.Atoi(response.Header.Get("Retry-After")); err == nil {
		e.RetryAfter = time.Duration(seconds) * time.Second
	} else if e.Kind == fault.KindUnavailable {
		e.RetryAfter = time.Second
	}
	return e
}
