// Package reference asks the services that own records about ids that other records refer to. A service keeps no
// copy of another's rows: it asks the owner, inside the caller's organization and trace, once per request or bulk.
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

// Answer holds the records of a query that the organization has; the others are not in it.
type Answer struct {
	Data []Entry `json:"data"`
}

// DependentsQuery names records that are about to be deleted or, with open, to be retired.
type DependentsQuery struct {
	IDs  []string `json:"ids" maxItems:"5000"`
	Open bool     `json:"open" doc:"Count only what is still being worked on."`
}

// DependentsAnswer says, of each record that something refers to, what.
type DependentsAnswer struct {
	Data []Dependents `json:"data"`
}

// Dependents is how many records of each collection refer to one.
type Dependents struct {
	ID     string         `json:"id"`
	Counts map[string]int `json:"counts"`
}

// Client asks owners.
type Client struct {
	Directory *discovery.Directory
	Signer    *principal.Signer
	HTTP      *http.Client
	Catalogue *catalogue.Catalogue // the product's, unless a test has collections of its own
}

// NewClient makes a client that answers within 5 seconds, whatever the other service does, and gives up on a connection
// after one. It passes the trace on and follows no redirects.
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

// Find gives the entries of a collection that the caller's organization has. An owner that is away is a 503.
func (c *Client) Find(ctx context.Context, collection string, query Query) ([]Entry, error) {
	row, found := c.Catalogue.Find(collection)
	if !found {
		return nil, fmt.Errorf("find %s: it is not a collection of the catalogue", collection)
	}
	var answer Answer
	if err := c.Post(ctx, row.Service, "/internal/references/"+collection, query, &answer); err != nil {
		return nil, err
	}
	return answer.Data, nil
}

// Dependents asks every service that may refer to records of a collection how many of its records do. One of them that
// is away is a 503: nobody knows then whether the records may go.
func (c *Client) Dependents(ctx context.Context, collection string, query DependentsQuery) ([]Dependents, error) {
	row, _ := c.Catalogue.Find(collection)
	services := row.ReferredBy
	answers := make([]DependentsAnswer, len(services))
	asking, ctx := errgroup.WithContext(ctx)
	for i, service := range services {
		asking.Go(func() error { return c.Post(ctx, service, "/internal/dependents/"+collection, query, &answers[i]) })
	}
	if err := asking.Wait(); err != nil {
		return nil, err
	}
	var all []Dependents
	for _, answer := range answers {
		all = append(all, answer.Data...)
	}
	return all, nil
}

// Post sends in to an instance of service, signed with the principal of ctx, and reads its answer. An error answer comes
// back as the *fault.Error it is; a service that does not answer is a 503.
func (c *Client) Post(ctx context.Context, service, path string, in, out any) error {
	return c.Call(ctx, service, http.MethodPost, path, in, out)
}

// Call is Post with any method. Without in there is no body; without out the answer's is not read. What is done for a
// pinned request stays in its region.
func (c *Client) Call(ctx context.Context, service, method, path string, in, out any) error {
	var body []byte
	if in != nil {
		var err error
		if body, err = json.Marshal(in); err != nil {
			return err
		}
	}
	response, err := c.ask(ctx, service, method, path, body)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode >= http.StatusBadRequest {
		return refusal(service, response)
	}
	if out == nil || response.StatusCode == http.StatusNoContent {
		return nil
	}
	if err := json.NewDecoder(response.Body).Decode(out); err != nil {
		return fmt.Errorf("read the answer of %s%s: %w", service, path, err)
	}
	return nil
}

// attempts is how many instances are tried that cannot be reached.
const attempts = 3

// ask sends a request to an instance, and to another one when nobody is there: that one has seen nothing of it.
func (c *Client) ask(ctx context.Context, service, method, path string, body []byte) (*http.Response, error) {
	p := principal.From(ctx)
	var dead []string
	for {
		address, err := c.Directory.PickIn(ctx, service, p.Pin(), dead...)
		if err != nil {
			return nil, err
		}
		request, err := http.NewRequestWithContext(ctx, method, "http://"+address+path, bytes.NewReader(body)) // #nosec G704 -- an instance of ours, and a path whose ids were checked
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
		if dead = append(dead, address); !neverReached(err) || len(dead) == attempts {
			return nil, fault.Unavailable("service_unavailable", "The %s service does not answer; nothing was written.", service).WithCause(err)
		}
	}
}

// neverReached says of an error that no instance has seen the request.
func neverReached(err error) bool {
	var operation *net.OpError
	return errors.As(err, &operation) && operation.Op == "dial"
}

// refusal gives the error that the other service answered.
func refusal(service string, response *http.Response) error {
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
