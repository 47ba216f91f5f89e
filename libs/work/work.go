// Package work does what a service does by itself, in the background, on behalf of organizations. A Sweep goes through all
// organizations of a cell again and again; a Queue does what is due in any of them. In both, an organization that fails or is being
// moved delays no other.
package work

import (
	"context"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"ams.internal/libs/postgres"
)

// The outcomes that are counted.
const (
	succeeded = "done"
	moved     = "moving" // the organization is being moved; it is tried again
	failed    = "failed"
)

// items counts pieces of work by outcome: of a Sweep organizations, of a Queue items.
var items = func() metric.Int64Counter {
	counter, err := otel.Meter("ams.internal/libs/work").Int64Counter("ams.work.items", metric.WithUnit("{item}"),
		metric.WithDescription("Pieces of background work on behalf of an organization, by how they ended."))
	if err != nil { // only a malformed name
		panic(err)
	}
	return counter
}()

// record counts a piece of work, and gives its outcome.
func record(ctx context.Context, name string, err error) (outcome string) {
	switch {
	case err == nil:
		outcome = succeeded
	case postgres.IsMoving(err):
		outcome = moved
	default:
		outcome = failed
	}
	items.Add(ctx, 1, metric.WithAttributes(attribute.String("work", name), attribute.String("outcome", outcome)))
	return outcome
}
