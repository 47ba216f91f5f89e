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
	"ams.internal/libs/endpoint"
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

// RecordsQuery names whole records by id, and how OData shows them.
type RecordsQuery struct {
	IDs         []string `json:"ids" maxItems:"5000"`
	Fields      []string `json:"fields" doc:"Those that are shown; null: all."`
	TextNumbers bool     `json:"text_numbers" doc:"Numbers that a double does not hold exactly are texts."`
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

// EntriesOf is how the owner of a collection gives the entries of some of its records.
func EntriesOf(collection string) Contract[Query, Response] {
	return Contract[Query, Response]{Path: "/references/" + collection, Repeatable: true}
}

// RecordsOf is how the owner of a collection gives whole records, by their ids.
func RecordsOf(collection string) Contract[RecordsQuery, map[string]json.RawMessage] {
	return Contract[RecordsQuery, map[string]json.RawMessage]{Path: "/records/" + collection, Repeatable: true}
}

// DependentsOf is how a service counts its records that refer to those of a collection.
func DependentsOf(collection string) Contract[DependentsQuery, DependentsResponse] {
	return Contract[DependentsQuery, DependentsResponse]{Path: "/dependents/" + collection, Repeatable: true}
}

// Client calls the services that own records.
type Client struct {
	Directory *discovery.Directory
	Signer    *principal.Signer
	HTTP      *http.Client
	Catalogue *catalogue.Catalogue // the product's, unless a test has collections of its own

	// CellOf gives the cell of an organization, for a program whose principals do not have it: the gateway and the settings screens. Nil
	// elsewhere. It must not call by this client, except for the gateway.
	CellOf func(ctx context.Context, organization string) (string, error)
}

// NewClient makes a client whose calls take at most 5 seconds, and less where an instance hangs. It gives a connection one second. It
// passes the trace on and follows no redirects.
func NewClient(directory *discovery.Directory, signer *principal.Signer) *Client {
	return &Client{Directory: directory, Signer: signer, Catalogue: catalogue.Product(), HTTP: &http.Client{
		Timeout:       5 * time.Second,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: telemetry.Transport(directory.Transport(&http.Transport{
			DialContext:         (&net.Dialer{Timeout: time.Second, KeepAlive: 15 * time.Second}).DialContext,
			MaxIdleConnsPerHost: 32,
			IdleConnTimeout:     90 * time.Second, // shorter than the servers', so that no call meets a connection that is being closed
			DisableCompression:  true,
		}, discovery.CallProbeDelay)),
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
	response, err := EntriesOf(collection).Of(row.Service).Call(ctx, c, query)
	if err != nil {
		return nil, err
	}
	return response.Data, nil
}

// Records gives whole records of a collection by their ids, as OData shows them to the caller. An owner that is unavailable is a 503.
func (c *Client) Records(ctx context.Context, collection string, query RecordsQuery) (map[string]json.RawMessage, error) {
	row, found := c.Catalogue.Find(collection)
	if !found {
		return nil, fmt.Errorf("read records of %s: it is not a collection of the catalogue", collection)
	}
	records, err := RecordsOf(collection).Of(row.Service).Call(ctx, c, query)
	if err != nil && fault.From(err).Kind == fault.KindNotFound { // of the last release, which did not give any
		err = fault.Unavailable("service_unavailable", "The %s service does not give records yet; try again in a moment.", row.Service).
			WithCause(err)
	}
	return records, err
}

// Dependents counts, in every service that may refer to records of a collection, the records that do. If one of the services is
// unavailable, the error is a 503: it is not known then whether the records may be deleted.
func (c *Client) Dependents(ctx context.Context, collection string, query DependentsQuery) ([]Dependents, error) {
	row, _ := c.Catalogue.Find(collection)
	services := row.ReferredBy
	responses := make([]DependentsResponse, len(services))
	calls, ctx := errgroup.WithContext(ctx)
	for i, service := range services {
		calls.Go(func() (err error) {
			responses[i], err = DependentsOf(collection).Of(service).Call(ctx, c, query)
			return err
		})
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

// PostRepeatable is Post for what only reads, or may be done twice: where an instance hangs, another one is called.
func (c *Client) PostRepeatable(ctx context.Context, service, path string, in, out any) error {
	return c.call(ctx, service, http.MethodPost, path, true, in, out)
}

// Call is Post with any method. Without in the request has no body; without out the response's body is not read. A call for a
// pinned request stays in the region of the pin.
func (c *Client) Call(ctx context.Context, service, method, path string, in, out any) error {
	return c.call(ctx, service, method, path, method == http.MethodGet, in, out)
}

func (c *Client) call(ctx context.Context, service, method, path string, repeatable bool, in, out any) error {
	var body []byte
	if in != nil {
		var err error
		if body, err = json.Marshal(in); err != nil {
			return err
		}
	}
	response, err := c.send(ctx, service, method, path, body, repeatable)
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

// send sends a request to an instance. When it cannot be reached, it has not seen the request, which then goes to another one; so does a
// repeatable one where the instance says nothing.
func (c *Client) send(ctx context.Context, service, method, path string, body []byte, repeatable bool) (*http.Response, error) {
	p, err := c.located(ctx, service)
	if err != nil {
		return nil, err
	}
	response, err := c.Directory.Send(ctx, c.HTTP, service, p.Pin(), repeatable,
		func(ctx context.Context, address string) (*http.Request, error) {
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
			if end, limited := ctx.Deadline(); limited { // an eighth of what is left is for the way back
				request.Header.Set(endpoint.TimeLeftHeader, strconv.FormatInt(max(0, time.Until(end).Milliseconds()*7/8), 10))
			}
			return request, nil
		})
	var nobody *fault.Error
	switch {
	case err == nil:
		return response, nil
	case errors.As(err, &nobody): // is left to ask
		return nil, err
	case repeatable || discovery.NeverReached(err):
		return nil, fault.Unavailable("service_unavailable", "The %s service does not answer; nothing was written.", service).WithCause(err)
	}
	return nil, fault.Unavailable("service_unavailable", "The %s service does not answer. What it was asked for may or may not have "+
		"been done: look before you send it again.", service).WithCause(err)
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
