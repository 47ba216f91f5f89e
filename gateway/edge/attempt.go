package edge

import (
	"context"
	"errors"
	"net"
	"syscall"

	"github.com/sony/gobreaker/v2"

	"ams.internal/libs/discovery"
)

// errNoInstance says that no instance of a service is known in a region.
var errNoInstance = errors.New("no instance is known")

// instanceFailed says whether an error is the fault of the instance, and not of a caller who hung up or sent
// half a body.
func instanceFailed(err error) bool {
	var body *bodyError
	return !errors.Is(err, context.Canceled) && !errors.As(err, &body)
}

// neverReached says of an error that no instance has seen the request.
func neverReached(err error) bool {
	if errors.Is(err, discovery.ErrLeftAlone) || errors.Is(err, gobreaker.ErrOpenState) || errors.Is(err, gobreaker.ErrTooManyRequests) {
		return true
	}
	var operation *net.OpError
	return errors.As(err, &operation) && operation.Op == "dial"
}

// timedOut says that an instance was given the time that a request may take, and a second one would not do it in less. A
// connection that the network does not carry any more has ended before that.
func timedOut(err error) bool {
	var network net.Error
	return errors.As(err, &network) && network.Timeout() && !errors.Is(err, syscall.ETIMEDOUT)
}
