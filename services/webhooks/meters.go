package main

import (
	"context"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"ams.internal/libs/postgres"
)

// meters count what is delivered, and how long after the change it was.
type meters struct {
	lag        metric.Float64Histogram
	deliveries metric.Int64Counter
}

// outcomeNames are how outcomes are called where they are counted.
var outcomeNames = map[outcome]metric.MeasurementOption{
	succeeded: metric.WithAttributes(attribute.String("outcome", "delivered")),
	failed:    metric.WithAttributes(attribute.String("outcome", "failed")),
	sentAway:  metric.WithAttributes(attribute.String("outcome", "sent_away")),
	refused:   metric.WithAttributes(attribute.String("outcome", "refused")),
}

func newMeters(db *postgres.DB, now func() time.Time) (*meters, error) {
	meter := otel.Meter("ams.internal/services/webhooks")
	lag, err := meter.Float64Histogram("ams.webhook.delivery.lag", metric.WithUnit("s"),
		metric.WithDescription("Time from a change to the receiver's acknowledgement of its event, at the first attempt."),
		metric.WithExplicitBucketBoundaries(.05, .1, .25, .5, 1, 2, 3, 5, 10, 30, 60, 300, 3600))
	if err != nil {
		return nil, err
	}
	deliveries, err := meter.Int64Counter("ams.webhook.deliveries", metric.WithDescription("Attempts to deliver an event, by what came of them."))
	if err != nil {
		return nil, err
	}
	_, err = meter.Int64ObservableGauge("ams.webhook.endpoints.blocked",
		metric.WithDescription("Endpoints to which nothing is sent for the moment, because they failed several times in a row. Of all processes."),
		metric.WithInt64Callback(func(ctx context.Context, observer metric.Int64Observer) error {
			ctx, cancel := context.WithTimeout(ctx, time.Second)
			defer cancel()
			var count int64
			err := db.Pool().QueryRow(ctx, "SELECT blocked_endpoints($1)", now()).Scan(&count)
			if err == nil {
				observer.Observe(count)
			}
			return err
		}))
	return &meters{lag, deliveries}, err
}

// count notes what attempts came to, once they are kept.
func (m *meters) count(ctx context.Context, results []result) {
	for i := range results {
		a := &results[i].attempt
		outcome, _ := a.outcome()
		m.deliveries.Add(ctx, 1, outcomeNames[outcome])
		if outcome == succeeded && a.number == 1 && results[i].cause == causeEvent {
			m.lag.Record(ctx, a.at.Add(a.duration).Sub(results[i].eventAt).Seconds())
		}
	}
}
