package index

import (
	"context"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"ams.internal/libs/resource/internal/table"
)

// pendingFound are the pending records that readers found.
var pendingFound = func() metric.Int64Histogram {
	histogram, err := otel.Meter("ams.internal/libs/resource/index").Int64Histogram("ams.index.pending", metric.WithUnit("{record}"),
		metric.WithDescription("Records that a list which is filtered or searched found written and not yet folded into the index."),
		metric.WithExplicitBucketBoundaries(0, 100, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 200_000, 1_000_000))
	if err != nil { // only a malformed name
		panic(err)
	}
	return histogram
}()

func recordPending(ctx context.Context, t *table.Table, pending int) {
	pendingFound.Record(ctx, int64(pending), metric.WithAttributes(attribute.String("collection", t.Row.Name)))
}
