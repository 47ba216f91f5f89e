package discovery

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"
)

// CallProbeDelay is how long one of our programs waits for another until it probes it.
const CallProbeDelay = 300 * time.Millisecond

// maxAttempts is how many instances are tried for one call.
const maxAttempts = 3

// Send sends a request to an instance of a service, by a client whose transport is one of Transport. A request that no instance has seen
// goes to another one. So does one that is repeatable, because it reads or may be done twice, when an instance is silent, after little more
// than half a second. The error is that of PickIn where no instance could be called, else that of the last attempt.
func (d *Directory) Send(
	ctx context.Context, client *http.Client, service, region string, repeatable bool,
	build func(ctx context.Context, address string) (*http.Request, error),
) (*http.Response, error) {
	var tried []string
	for {
		address, err := d.PickIn(ctx, service, region, tried...)
		if err != nil {
			return nil, err
		}
		tried = append(tried, address)
		attempt := ctx
		if repeatable && len(tried) < maxAttempts {
			attempt = context.WithValue(ctx, leaveKey{}, func() bool { return d.another(service, region, tried) })
		}
		request, err := build(attempt, address)
		if err != nil {
			return nil, err
		}
		response, err := client.Do(request)
		switch {
		case err == nil:
			return response, nil
		case ctx.Err() != nil || len(tried) == maxAttempts:
			return nil, err
		case NeverReached(err) || repeatable && (errors.Is(err, errSilent) || errors.Is(err, ErrHung)):
			continue
		}
		return nil, err
	}
}

// NeverReached says of an error of a call that no instance has seen it.
func NeverReached(err error) bool {
	if errors.Is(err, ErrLeftAlone) {
		return true
	}
	var operation *net.OpError
	return errors.As(err, &operation) && operation.Op == "dial"
}
