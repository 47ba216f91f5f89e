package outbox

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
)

// countInterval is the time between two counts of the backlog by the leader.
const countInterval = 5 * time.Second

// backlog is the number and the age of the entries in the outbox, as of at.
type backlog struct {
	events int64
	lag    float64 // age of the oldest entry, in seconds
	at     time.Time
}

// countBacklog reads the backlog, for the metrics.
func (r *Relay) countBacklog(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, databaseTimeout)
	defer cancel()
	now := &backlog{at: time.Now()}
	if err := r.DB.Poll(ctx, func(conn *pgx.Conn) error {
		return conn.QueryRow(ctx, "SELECT waiting, lag FROM outbox_waiting()").Scan(&now.events, &now.lag)
	}); err != nil {
		return // the next count is soon
	}
	r.backlog.Store(now)
}

// registerMetrics reports the backlog that the leader counted, as ams_outbox_lag_seconds and ams_outbox_waiting, until
// unregister is called. An outbox whose events are not published shows by a lag that grows.
func (r *Relay) registerMetrics() (unregister func()) {
	meter := otel.Meter("ams.internal/libs/outbox")
	lag, err := meter.Float64ObservableGauge("ams.outbox.lag", metric.WithUnit("s"),
		metric.WithDescription("How long the first event that waits for the webhooks service has waited."))
	if err != nil { // only a malformed name
		panic(err)
	}
	events, err := meter.Int64ObservableGauge("ams.outbox.waiting", metric.WithUnit("{event}"),
		metric.WithDescription("Events that wait for the webhooks service."))
	if err != nil {
		panic(err)
	}
	attributes := metric.WithAttributes(attribute.String("service", r.Service), attribute.String("cell", r.cell))
	registration, err := meter.RegisterCallback(func(_ context.Context, o metric.Observer) error {
		now := r.backlog.Load()
		if now == nil || now.at.IsZero() {
			return nil
		}
		o.ObserveInt64(events, now.events, attributes)
		if now.events > 0 {
			o.ObserveFloat64(lag, now.lag+time.Since(now.at).Seconds(), attributes)
		} else {
			o.ObserveFloat64(lag, 0, attributes)
		}
		return nil
	}, lag, events)
	if err != nil {
		panic(err)
	}
	return func() { _ = registration.Unregister() } // fails only where the meter provider has ended
}
