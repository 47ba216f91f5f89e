package edge

import (
	"context"
	"net/http"
	"slices"
)

// handler gives the response to a request, or the error that the caller gets instead.
type handler func(ctx context.Context, c *call) (*http.Response, error)

// step stands before a handler. It refuses a request, responds to it, or passes it on to next.
type step func(next handler) handler

// chain puts steps before the last handler. A request passes them in their order.
func chain(last handler, steps ...step) handler {
	for _, step := range slices.Backward(steps) {
		last = step(last)
	}
	return last
}
