package main

import (
	"context"
	"errors"

	"ams.internal/libs/fault"
	"ams.internal/libs/principal"
	"ams.internal/libs/reference"
)

// platform stands for no organization: nobody is signed in yet.
const platform = "00000000-0000-0000-0000-000000000000"

// services are the others: the gateway's internal listener, which has the keys, the plan and the audit trail, and the
// users service, which has the members and their passwords. The console keeps none of it.
type services struct {
	client *reference.Client
	region string
}

// call sends one request on behalf of p and reads the answer into out. A refusal comes back as the *fault.Error that it
// is; a service that does not answer is a 503.
func (s *services) call(ctx context.Context, p principal.Principal, service, method, path string, in, out any) error {
	p.Region, p.Origin = s.region, "console"
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
