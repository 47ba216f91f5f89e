package inventory

import (
	"context"
	"io"
	"net/http"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/postgres"
	"ams.internal/libs/transport"
)

// Serve serves lifecycle planning what a service has, and the ratings of a time. Each of lines gives a column of Line as JSON; inspections is
// that of ReadInspections.
func Serve(api *transport.API, db *postgres.DB, lines []string, inspections string) {
	api.Handle(transport.Operation{Method: http.MethodPost, Path: "/internal/inventory", ID: "/inventory"},
		func(context.Context, *transport.Request) (*transport.Response, error) {
			return &transport.Response{ContentType: transport.NDJSON, Stream: func(ctx context.Context, w io.Writer) error {
				return db.Read(ctx, func(ctx context.Context, tx pgx.Tx) error { return Write(ctx, tx, w, lines...) })
			}}, nil
		})
	transport.Internal(api, "/inspections", func(ctx context.Context, in InspectionsQuery) (Inspections, error) {
		return ReadInspections(ctx, db, inspections, in)
	})
}
