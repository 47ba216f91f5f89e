package inventory

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"time"

	"github.com/jackc/pgx/v5"

	"ams.internal/libs/postgres"
	"ams.internal/libs/reference"
	"ams.internal/libs/transport"
)

// Query asks for an inventory.
type Query struct {
	Reported bool `json:"reported"` // with lines of the type reported, from the service that has the report
}

var (
	// OfService is all that a service has, as Read reads it. It takes as long as it takes.
	OfService = reference.Contract[Query, struct{}]{Path: "/inventory", Repeatable: true, Timeout: readTimeout}

	// InspectionsOfService are the ratings of a time.
	InspectionsOfService = reference.Contract[InspectionsQuery, Inspections]{Path: "/inspections", Repeatable: true, Timeout: readTimeout}
)

// readTimeout is how long a caller waits for all that one service has.
const readTimeout = 4 * time.Minute

// Serve serves lifecycle planning what a service has, and the ratings of a time. Each of lines gives a column of Line as JSON; reported
// gives the lines that are no records, nil where there are none; inspections is that of ReadInspections.
func Serve(api *transport.API, db *postgres.DB, lines []string, reported func(context.Context) ([]Line, error), inspections string) {
	api.Handle(transport.Operation{Method: http.MethodPost, Path: OfService.URLPath(), ID: OfService.Path},
		func(ctx context.Context, r *transport.Request) (*transport.Response, error) {
			var in Query
			if err := json.Unmarshal(r.Body, &in); err != nil {
				return nil, err
			}
			var first []Line
			if in.Reported && reported != nil {
				var err error
				if first, err = reported(ctx); err != nil {
					return nil, err
				}
			}
			return &transport.Response{ContentType: transport.NDJSON, Stream: func(ctx context.Context, w io.Writer) error {
				return db.Read(ctx, func(ctx context.Context, tx pgx.Tx) error { return Write(ctx, tx, w, first, lines...) })
			}}, nil
		})
	transport.Internal(api, InspectionsOfService, func(ctx context.Context, in InspectionsQuery) (Inspections, error) {
		return ReadInspections(ctx, db, inspections, in)
	})
}
