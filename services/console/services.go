package console

import (
	"context"
	"errors"
	"sync"
	"time"

	"ams.internal/libs/fault"
	"ams.internal/libs/principal"
	"ams.internal/libs/reference"
)

// noOrganization is the organization id of a call before the sign-in.
const noOrganization = "00000000-0000-0000-0000-000000000000"

// services calls the other services. The gateway's internal listener has the keys, the plan and the audit trail; the
// users service has the members and their passwords; the webhooks service has endpoints and deliveries. The console
// stores none of it.
type services struct {
	client *reference.Client
	region string
}

// Timeouts of calls. A test of a webhook endpoint waits for its receiver: 5 seconds to connect and 15 to respond.
const (
	defaultTimeout = 5 * time.Second
	testTimeout    = 25 * time.Second
)

func newServices(client *reference.Client, region string) *services {
	client.HTTP.Timeout = testTimeout // the longest; each call has its own timeout
	s := &services{client, region}
	client.CellOf = s.cellOf
	return s
}

// knownCells are the cells of the organizations that one request of a browser is about. They are asked for anew for each request: an
// organization may move.
type knownCells struct {
	mu    sync.Mutex
	known map[string]string
}

type knownCellsKey struct{}

func withKnownCells(ctx context.Context) context.Context {
	return context.WithValue(ctx, knownCellsKey{}, &knownCells{known: map[string]string{}})
}

// cellOf gives the cell of an organization, which calls of other services than the gateway are sent with.
func (s *services) cellOf(ctx context.Context, organization string) (cell string, err error) {
	cells, _ := ctx.Value(knownCellsKey{}).(*knownCells)
	if cells == nil {
		cells = &knownCells{known: map[string]string{}}
	}
	cells.mu.Lock()
	defer cells.mu.Unlock()
	if cell = cells.known[organization]; cell == "" {
		if cell, err = s.client.CellOfOrganization(ctx); err == nil {
			cells.known[organization] = cell
		}
	}
	return cell, err
}

// call sends one request on behalf of p and decodes the response into out. An error response is returned as its
// *fault.Error. A service that does not respond is a 503.
func (s *services) call(ctx context.Context, p principal.Principal, service, method, path string, in, out any) error {
	return s.callWithin(ctx, defaultTimeout, p, service, method, path, in, out)
}

func (s *services) callWithin(ctx context.Context, timeout time.Duration, p principal.Principal, service, method,
	path string, in, out any) error {
	ctx, cancel := context.WithTimeout(s.onBehalfOf(ctx, p), timeout)
	defer cancel()
	return s.client.Call(ctx, service, method, path, in, out)
}

// onBehalfOf gives the context of a call on behalf of p.
func (s *services) onBehalfOf(ctx context.Context, p principal.Principal) context.Context {
	p.Region, p.Pinned, p.Origin = s.region, principal.From(ctx).Pinned, "console"
	return principal.Into(ctx, p)
}

// call calls an internal operation on behalf of p.
func call[In, Out any](req *pageRequest, p principal.Principal, of reference.Contract[In, Out], in In) (Out, error) {
	ctx, cancel := context.WithTimeout(req.services.onBehalfOf(req.ctx(), p), defaultTimeout)
	defer cancel()
	return of.Call(ctx, req.services.client, in)
}

// faultOf returns the *fault.Error in err's chain, or nil.
func faultOf(err error) *fault.Error {
	var e *fault.Error
	if errors.As(err, &e) {
		return e
	}
	return nil
}

// refusedWith reports whether err is a *fault.Error with this code.
func refusedWith(err error, code string) bool {
	e := faultOf(err)
	return e != nil && e.Code == code
}
