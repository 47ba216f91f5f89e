package main

import (
	"context"
	"errors"
	"time"

	"ams.internal/libs/fault"
	"ams.internal/libs/principal"
	"ams.internal/libs/reference"
)

// noOrganization stands for no organization: nobody is signed in yet.
const noOrganization = "00000000-0000-0000-0000-000000000000"

// services are the others: the gateway's internal listener, which has the keys, the plan and the audit trail; the users
// service, which has the members and their passwords; the webhooks service, which has endpoints and deliveries. The
// console keeps none of it.
type services struct {
	client *reference.Client
	region string
}

// How long a service may take to answer. A test of a webhook endpoint takes as long as its receiver does: 5 seconds to
// connect and 15 to answer.
const (
	defaultTimeout = 5 * time.Second
	testTimeout    = 25 * time.Second
)

func newServices(client *reference.Client, region string) *services {
	client.HTTP.Timeout = testTimeout // the longest; each call has its own
	return &services{client, region}
}

// call sends one request on behalf of p and reads the answer into out. A refusal comes back as the *fault.Error that it
// is; a service that does not answer is a 503.
func (s *services) call(ctx context.Context, p principal.Principal, service, method, path string, in, out any) error {
	return s.callWithin(ctx, defaultTimeout, p, service, method, path, in, out)
}

func (s *services) callWithin(ctx context.Context, timeout time.Duration, p principal.Principal, service, method, path string, in, out any) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	p.Region, p.Pinned, p.Origin = s.region, principal.From(ctx).Pinned, "console"
	return s.client.Call(principal.Into(ctx, p), service, method, path, in, out)
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
