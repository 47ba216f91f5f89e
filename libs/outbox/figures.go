package outbox

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
)

// countEvery is how often the leader looks how much waits.
const countEvery = 5 * time.Second

// waiting is how much waits in the outbox: as of at.
type waiting struct {
	events int64
	lag    float64 // seconds that the first of them has waited
	at     time.Time
}

// count looks how much waits.
func (r *Relay) count(ctx context.Context, conn *pgx.Conn) error {
	now := &waiting{at: time.Now()}
	if err := conn.QueryRow(ctx, "SELECT waiting, lag FROM outbox_waiting()").Scan(&now.events, &now.lag); err != nil {
		return lost("count events", err)
	}
	r.state.Store(now)
	return nil
}

// observe reports what the leader has counted, as ams_outbox_lag_seconds and ams_outbox_waiting, until the returned function is
// called. An outbox that nobody takes from shows by a lag that grows.
func (r *Relay) observe() (end func()) {
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
	of := metric.WithAttributes(attribute.String("service", r.Service))
	registration, err := meter.RegisterCallback(func(_ context.Context, o metric.Observer) error {
		now := r.state.Load()
		if now == nil || now.at.IsZero() {
			return nil
		}
		o.ObserveInt64(events, now.events, of)
		if now.events > 0 {
			o.ObserveFloat64(lag, now.lag+time.Since(now.at).Seconds(), of)
		} else {
			o.ObserveFloat64(lag, 0, of)
		}
		return nil
	}, lag, events)
	if err != nil {
		panic(err)
	}
	return func() { _ = registration.Unregister() } // fails only where the meter provider has ended
}
