package keys

import (
	"context"
	"errors"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"ams.internal/libs/telemetry"
)

// metrics are those of look-ups. None has an organization or a key among its attributes: there are too many of them.
type metrics struct {
	lookups  metric.Float64Histogram
	callers  metric.Int64Histogram
	ofLookup *telemetry.Attributes[bool]
}

func newMetrics() *metrics {
	meter, m := otel.Meter("ams.internal/gateway"), &metrics{}
	var failures [2]error // only malformed names and bucket lists, which stand here
	m.lookups, failures[0] = meter.Float64Histogram("ams.gateway.key.lookup.duration", metric.WithUnit("s"),
		metric.WithDescription("How long the statements took that look keys up."),
		metric.WithExplicitBucketBoundaries(.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2))
	m.callers, failures[1] = meter.Int64Histogram("ams.gateway.key.lookup.callers", metric.WithUnit("{request}"),
		metric.WithDescription("Requests whose keys were looked up by one statement."),
		metric.WithExplicitBucketBoundaries(1, 2, 5, 10, 20, 50, 100, 200))
	if err := errors.Join(failures[:]...); err != nil {
		panic(err)
	}
	m.ofLookup = telemetry.NewAttributes(func(ok bool) []attribute.KeyValue {
		if ok {
			return []attribute.KeyValue{attribute.String("outcome", "ok")}
		}
		return []attribute.KeyValue{attribute.String("outcome", "failed")}
	})
	return m
}

// lookedUp counts a statement that looked up keys. callers has, for each key, the requests that wait for it.
func (m *metrics) lookedUp(ctx context.Context, took time.Duration, callers []int, err error) {
	requests := 0
	for _, n := range callers {
		requests += n
	}
	m.lookups.Record(ctx, took.Seconds(), m.ofLookup.Record(err == nil)...)
	m.callers.Record(ctx, int64(requests))
}
