// Package reference asks the services that own records about ids that other records refer to. A service keeps no
// copy of another's rows: it asks the owner, inside the caller's organization and trace, once per request or bulk.
package reference

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"ams.internal/libs/discovery"
	"ams.internal/libs/fault"
	"ams.internal/libs/principal"
	"ams.internal/libs/telemetry"
)

// owners says which service owns a collection.
var owners = map[string]string{
	"sites": "assets", "buildings": "assets", "systems": "assets", "assets": "assets",
	"users": "users", "work_orders": "workorders",
	"segments": "infrastructure", "networks": "infrastructure", "projects": "projects",
}

// Query names records by id or by external id.
type Query struct {
	IDs         []string `json:"ids" maxItems:"5000"`
	ExternalIDs []string `json:"external_ids" maxItems:"5000"`
}

// Entry is a record as others may show it.
type Entry struct {
	ID         string  `json:"id"`
	ExternalID *string `json:"external_id"`
	Name       string  `json:"name"`
	Status     *string `json:"status"`
}

// Answer holds the records of a query that the organization has; the others are not in it.
type Answer struct {
	Data []Entry `json:"data"`
}

// Client asks owners.
type Client struct {
	Directory *discovery.Directory
	Signer    *principal.Signer
	HTTP      *http.Client
}

// NewClient makes a client that answers within 5 seconds, whatever the owner does.
func NewClient(directory *discovery.Directory, signer *principal.Signer) *Client {
	return &Client{directory, signer, &http.Client{Timeout: 5 * time.Second, Transport: telemetry.Transport(http.DefaultTransport)}}
}

// Find gives the entries of a collection that the caller's organization has. An owner that is away is a 503.
func (c *Client) Find(ctx context.Context, collection string, query Query) ([]Entry, error) {
	var answer Answer
	if err := c.Post(ctx, owners[collection], "/internal/references/"+collection, query, &answer); err != nil {
		return nil, err
	}
	return answer.Data, nil
}

// Post sends an internal request to an instance of service, signed with the principal of ctx, and reads its answer.
// An error answer comes back as the *fault.Error it is; a service that does not answer is a 503.
func (c *Client) Post(ctx context.Context, service, path string, in, out any) error {
	address, err := c.Directory.Pick(ctx, service)
	if err != nil {
		return err
	}
	body, err := json.Marshal(in)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+address+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set(principal.Header, c.Signer.Sign(principal.From(ctx)))
	response, err := c.HTTP.Do(request)
	if err != nil {
		return fault.Unavailable("service_unavailable", "The %s service does not answer; nothing was written.", service).Because(err)
	}
	defer response.Body.Close()
	if response.StatusCode >= http.StatusBadRequest {
		return refusal(service, response)
	}
	if err := json.NewDecoder(response.Body).Decode(out); err != nil {
		return fmt.Errorf("read the answer of %s%s: %w", service, path, err)
	}
	return nil
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
	if e.Kind == fault.KindUnavailable {
		e.RetryAfter = time.Second
	}
	return e
}
