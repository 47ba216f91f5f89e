package reference

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"time"
)

// Contract is an operation that only our own services call: POST with JSON in and out. It says who serves it and where, and has the types
// of request and response, so that the owner (transport.Internal) and its callers cannot differ. Both releases of a rolling update meet:
// a field that is added must be one that the other side may lack.
type Contract[In, Out any] struct {
	Owner string // the service; empty where several serve it: Of names one
	Path  string // below /internal

	// Repeatable says that the operation only reads, or writes once however often it is sent: where an instance hangs, another one is asked.
	Repeatable bool

	Deadline    time.Duration // how long the owner may take; 0: as long as for any operation
	Timeout     time.Duration // how long a caller waits; 0: the client's
	FromReplica bool          // the owner reads from a standby where there is one
}

// URLPath is the path of the operation with its prefix, which the gateway gives to nobody outside.
func (c Contract[In, Out]) URLPath() string { return internalPrefix + c.Path }

// Of is the operation of one of the services that serve it.
func (c Contract[In, Out]) Of(service string) Contract[In, Out] {
	c.Owner = service
	return c
}

// Call calls the owner with the principal of ctx. An error response is the *fault.Error in it; an owner that does not respond is a 503.
func (c Contract[In, Out]) Call(ctx context.Context, client *Client, in In) (out Out, err error) {
	err = c.CallInto(ctx, client, in, &out)
	return out, err
}

// CallInto is Call for a caller that reads the response in another form of its own, by the names that Out has.
func (c Contract[In, Out]) CallInto(ctx context.Context, client *Client, in In, out any) error {
	if c.Timeout > 0 {
		client = client.Patient(c.Timeout)
	}
	return client.call(ctx, c.Owner, http.MethodPost, c.URLPath(), c.Repeatable, in, out)
}

// Read is Call for a response of any length: read gets the body, which ends early where the owner does.
func (c Contract[In, Out]) Read(ctx context.Context, client *Client, in In, read func(body io.Reader) error) error {
	if c.Timeout > 0 {
		client = client.Patient(c.Timeout)
	}
	body, err := json.Marshal(in)
	if err != nil {
		return err
	}
	response, err := client.send(ctx, c.Owner, http.MethodPost, c.URLPath(), body, c.Repeatable)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode >= http.StatusBadRequest {
		return errorOf(c.Owner, response)
	}
	return read(response.Body)
}

// internalPrefix is what the paths of all operations begin with that only our own services, or an operator, may call.
const internalPrefix = "/internal"
