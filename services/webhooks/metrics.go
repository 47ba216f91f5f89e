package webhooks

import (
	"context"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"ams.internal/libs/postgres"
	"ams.internal/libs/principal"
)

// metrics count attempts to deliver and measure the lag behind the change.
type metrics struct {
	lag        metric.Float64Histogram
	deliveries metric.Int64Counter
	db         *postgres.DB
	now        func() time.Time
}

// outcomeNames are the outcomes as the counter has them.
var outcomeNames = map[outcome]metric.MeasurementOption{
	succeeded: metric.WithAttributes(attribute.String("outcome", "delivered")),
	failed:    metric.WithAttributes(attribute.String("outcome", "failed")),
	throttled: metric.WithAttributes(attribute.String("outcome", "sent_away")),
	refused:   metric.WithAttributes(attribute.String("outcome", "refused")),
}

func newMetrics(db *postgres.DB, now func() time.Time) (*metrics, error) {
	meter := otel.Meter("ams.internal/services/webhooks")
	lag, err := meter.Float64Histogram("ams.webhook.delivery.lag", metric.WithUnit("s"),
		metric.WithDescription("Time from a change to the receiver's acknowledgement of its event, at the first attempt."),
		metric.WithExplicitBucketBoundaries(.05, .1, .25, .5, 1, 2, 3, 5, 10, 30, 60, 300, 3600))
	if err != nil {
		return nil, err
	}
	deliveries, err := meter.Int64Counter("ams.webhook.deliveries", metric.WithDescription("Attempts to deliver an event, by what came of "+
		"them."))
	if err != nil {
		return nil, err
	}
	m := &metrics{lag: lag, deliveries: deliveries, db: db, now: now}
	return m, m.observe(meter)
}

// maxCounted limits how many waiting records of one endpoint are counted: counting more costs too much.
const maxCounted = 1000

// observe reports gauges about the deliveries of all processes. Every process reports the same values.
func (m *metrics) observe(meter metric.Meter) error {
	blocked, err := meter.Int64ObservableGauge("ams.webhook.endpoints.blocked", metric.WithUnit("{endpoint}"),
		metric.WithDescription("Endpoints to which nothing is sent for the moment, because they failed several times in a row. Of all "+
			"processes."))
	if err != nil {
		return err
	}
	waiting, err := meter.Int64ObservableGauge("ams.webhook.delivery.waiting", metric.WithUnit("{record}"),
		metric.WithDescription("Records with a delivery that is due and could be made now, 1000 of an endpoint at most. Of all processes."))
	if err != nil {
		return err
	}
	oldest, err := meter.Float64ObservableGauge("ams.webhook.delivery.oldest", metric.WithUnit("s"),
		metric.WithDescription("How long the longest due of these deliveries has been due. Of all processes."))
	if err != nil {
		return err
	}
	_, err = meter.RegisterCallback(func(ctx context.Context, o metric.Observer) error {
		ctx, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		type waitingIn struct {
			cell           string
			blocked, count int64
			since          *time.Time
		}
		at := m.now()
		all, err := postgres.Gather(ctx, m.db, func(ctx context.Context) (w waitingIn, err error) {
			w.cell = principal.From(ctx).CellName()
			row := m.db.Pool().QueryRow(ctx, "SELECT blocked_endpoints($1), waiting, oldest FROM waiting_deliveries($1, $2)", at, maxCounted)
			return w, row.Scan(&w.blocked, &w.count, &w.since)
		})
		for _, each := range all {
			in := metric.WithAttributes(attribute.String("cell", each.cell))
			o.ObserveInt64(blocked, each.blocked, in)
			o.ObserveInt64(waiting, each.count, in)
			if each.since == nil {
				each.since = &at
			}
			o.ObserveFloat64(oldest, at.Sub(*each.since).Seconds(), in)
		}
		return err
	}, blocked, waiting, oldest)
	return err
}

// count counts attempts, once they are recorded.
func (m *metrics) count(ctx context.Context, results []result) {
	for i := range results {
		a := &results[i].attempt
		outcome, _ := a.outcome()
		m.deliveries.Add(ctx, 1, outcomeNames[outcome])
		if outcome == succeeded && a.number == 1 && results[i].cause == causeEvent {
			m.lag.Record(ctx, a.at.Add(a.duration).Sub(results[i].eventAt).Seconds())
		}
	}
}
