package transport

import (
	"context"
	"io"

	kit "github.com/go-kit/kit/endpoint"

	"ams.internal/libs/endpoint"
	"ams.internal/libs/principal"
)

const (
	// largeBody is from how many bytes on a body waits on disk for its turn. What is read of a body takes some ten times its size in memory.
	largeBody = 256 << 10
	// largeBodies is how many of them a process works on at once.
	largeBodies = 3
	// largeBodyWait is how long one waits for its turn. It holds a file meanwhile, and nothing else.
	largeBodyWait = endpoint.Deadline / 2
)

// inTurn gives an operation its large body when it is the turn of the caller's organization. An organization whose own large bodies
// keep it waiting gets a 429, everybody else a 503.
func (api *API) inTurn(next kit.Endpoint) kit.Endpoint {
	return func(ctx context.Context, request any) (any, error) {
		r := request.(*Request)
		if r.large == nil {
			return next(ctx, request)
		}
		var response any
		err := api.large.InTurn(ctx, principal.From(ctx).OrganizationID, largeBodyWait, "Too many large bodies are being worked on; "+
			"send this again in some seconds.", func() (err error) {
			body := make([]byte, r.large.Len())
			if _, err := io.ReadFull(r.large, body); err != nil {
				return err
			}
			r.large.Close()
			r.Body = body
			response, err = next(ctx, request)
			return err
		})
		return response, err
	}
}
