// Package endpoint provides the go-kit middleware of every operation of every service: recovery, authorization, deadline.
package endpoint

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	kit "github.com/go-kit/kit/endpoint"

	"ams.internal/libs/fault"
	"ams.internal/libs/principal"
)

// Deadline is how long an operation may take that declares no other. Streams continue under the request's own context.
const Deadline = 30 * time.Second

// TimeLeftHeader is what a service that calls another tells it: how many milliseconds its statements may take. They end somewhat before the
// caller's time is over.
const TimeLeftHeader = "X-Ams-Time-Left"

// Operation is the function of a service for one request.
type Operation[Request, Response any] func(ctx context.Context, request Request) (Response, error)

// Make is the one adapter from an operation to a go-kit endpoint.
func Make[Request, Response any](operation Operation[Request, Response]) kit.Endpoint {
	return func(ctx context.Context, request any) (any, error) {
		return operation(ctx, request.(Request))
	}
}

// Recover turns a panic into an error, so that one request cannot end the process.
func Recover(next kit.Endpoint) kit.Endpoint {
	return func(ctx context.Context, request any) (response any, err error) {
		defer func() {
			if caught := recover(); caught != nil {
				err = fmt.Errorf("panic: %v\n%s", caught, debug.Stack())
			}
		}()
		return next(ctx, request)
	}
}

// WithDeadline gives the operation its deadline.
func WithDeadline(deadline time.Duration) kit.Middleware {
	return func(next kit.Endpoint) kit.Endpoint {
		return func(ctx context.Context, request any) (any, error) {
			ctx, cancel := context.WithTimeout(ctx, deadline)
			defer cancel()
			response, err := next(ctx, request)
			if err != nil && ctx.Err() == context.DeadlineExceeded {
				return nil, fault.Unavailable("deadline", "This took longer than %s and was stopped; nothing was written.", deadline).WithCause(err)
			}
			return response, err
		}
	}
}

// Authorize passes requests with a principal of the gateway that has the scope and the feature. The gateway has checked the
// same before; a service does not rely on that.
func Authorize(scope, feature string) kit.Middleware {
	return func(next kit.Endpoint) kit.Endpoint {
		return func(ctx context.Context, request any) (any, error) {
			p := principal.From(ctx)
			if p.OrganizationID == "" {
				return nil, fault.New(fault.KindUnauthenticated, "principal_refused",
					"This service answers only requests that come through the gateway.")
			}
			if !p.Has(feature) {
				return nil, NotInPlan(feature)
			}
			if scope != "" && !p.Allows(scope) {
				return nil, ScopeMissing(p, scope, "This needs the scope %s.", scope)
			}
			return next(ctx, request)
		}
	}
}
