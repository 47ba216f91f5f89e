package edge

import (
	"context"
	"log/slog"
	"net/http"

	"github.com/go-kit/kit/transport"
	kithttp "github.com/go-kit/kit/transport/http"
)

// serve makes the chain a go-kit endpoint behind a go-kit server. This is the one place where the types of both meet: go-kit
// takes the request from the context, and passes on the writer that it was given, which is the call.
func serve(chain handler, log *slog.Logger) http.Handler {
	responder := newResponder(log)
	return kithttp.NewServer(
		func(ctx context.Context, request any) (any, error) { return chain(ctx, request.(*call)) },
		func(ctx context.Context, _ *http.Request) (any, error) { return callFrom(ctx), nil },
		func(ctx context.Context, w http.ResponseWriter, response any) error {
			return responder.respond(ctx, w.(*call), response.(*http.Response))
		},
		kithttp.ServerErrorEncoder(func(ctx context.Context, err error, w http.ResponseWriter) { responder.refuse(ctx, w.(*call), err) }),
		kithttp.ServerErrorHandler(transport.ErrorHandlerFunc(func(context.Context, error) {})), // the access log has it
	)
}

type callKey struct{}

// withCall is the context from which go-kit's server takes the call.
func withCall(ctx context.Context, c *call) context.Context {
	return context.WithValue(ctx, callKey{}, c)
}

func callFrom(ctx context.Context) *call { return ctx.Value(callKey{}).(*call) }
