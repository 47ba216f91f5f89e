package edge

import (
	"context"
	"log/slog"
	"net/http"

	"github.com/go-kit/kit/endpoint"
	"github.com/go-kit/kit/transport"
	kithttp "github.com/go-kit/kit/transport/http"
)

// serve makes an HTTP handler of the chain.
func serve(chain endpoint.Endpoint, log *slog.Logger) http.Handler {
	responder := responder{log}
	return kithttp.NewServer(
		chain,
		func(ctx context.Context, _ *http.Request) (any, error) { return callFrom(ctx), nil },
		func(ctx context.Context, _ http.ResponseWriter, response any) error {
			return responder.respond(ctx, callFrom(ctx), response.(*http.Response))
		},
		kithttp.ServerErrorEncoder(func(ctx context.Context, err error, _ http.ResponseWriter) { responder.refuse(ctx, callFrom(ctx), err) }),
		kithttp.ServerErrorHandler(transport.ErrorHandlerFunc(func(context.Context, error) {})), // the access log has it
	)
}
